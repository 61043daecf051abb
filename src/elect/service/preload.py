"""Imported once, by the fork server, so that the forked workers have everything loaded.

Errors are ignored here, since they occur again in each worker, which reports them.
"""

import signal
from contextlib import suppress

# An interrupt is for the process that serves; before anything else, as the rest takes seconds.
signal.signal(signal.SIGINT, signal.SIG_IGN)

with suppress(Exception):
    from elect.service import worker

    worker.loaded()
