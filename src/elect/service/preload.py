"""Imported by the fork server alone, once: its forks, the workers, find everything loaded.

Whatever fails here fails again in each worker, where it is told; so it is not told here.
"""

import signal
from contextlib import suppress

# An interrupt is for the process that serves; before anything else, as the rest takes seconds.
signal.signal(signal.SIGINT, signal.SIG_IGN)

with suppress(Exception):
    from elect.service import worker

    worker.loaded()
