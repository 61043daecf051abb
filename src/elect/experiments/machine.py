"""What a measurement was made on."""

import os
import platform
from contextlib import suppress
from pathlib import Path


def machine() -> str:
    """The processor, how many cores it has, and the version of Python."""
    model = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
