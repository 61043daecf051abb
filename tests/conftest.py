"""Every test runs with the shapes in the annotations checked."""

import os
from pathlib import Path

import torch
from jaxtyping import install_import_hook

# Tests run in several processes at once, whose threads would wait for each other.
torch.set_num_threads(1)
os.environ.setdefault("NO_COLOR", "1")

SOURCE = Path(__file__).parents[1] / "src"


def _checked_modules() -> list[str]:
    """All modules but packages, which would stand for all they contain, and compiled ones."""
    paths = sorted((SOURCE / "elect").rglob("*.py"))
    return [
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in paths
        if not path.stem.startswith("__") and "@njit" not in path.read_text()
    ]


# Installed before any test imports the package: from here on, wrong shapes raise.
install_import_hook(_checked_modules(), "beartype.beartype")
