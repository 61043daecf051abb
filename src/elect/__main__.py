"""``python -m elect`` is ``elect``."""

from elect.cli import main

if __name__ == "__main__":
    main()
