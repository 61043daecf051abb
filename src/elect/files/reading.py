"""The text of a file, read no further than the limit on its size."""

import os
import re
from pathlib import Path

from elect import limits
from elect.errors import ElectError
from elect.files.ballots import fault

CHUNK = 1 << 20


def text_of(path: Path) -> str:
    """The text of a file, which may be a pipe."""
    if os.path.isdir(path):
        raise ElectError(f"{path} is a folder; give the path of a ballot file in it.")
    try:
        data = _bytes(path)
    except FileNotFoundError:
        raise ElectError(f"There is no file {path}; check its name and folder.") from None
    except ElectError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ElectError(f"{path} cannot be read ({reason}); check its permissions.") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
        raise fault(path, line, "this is not UTF-8; save the file as UTF-8 text.") from None
    return checked(path, text)


def checked(path: Path, text: str) -> str:
    """The text, if it is some, and not too long."""
    _check_size(path, len(text))
    if "\0" in text:
        raise _no_text(path)
    if not text.strip():
        raise ElectError(f"{path} is empty; fetch or export it again.")
    return text


def _bytes(path: Path) -> bytes:
    # A device or a pipe has no size beforehand and may have no end.
    _check_size(path, os.stat(path).st_size)
    chunks, size = [], 0
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            if b"\0" in chunk:
                raise _no_text(path)
            size += len(chunk)
            _check_size(path, size)
            chunks.append(chunk)
    return b"".join(chunks)


def _check_size(path: Path, size: int) -> None:
    megabytes = -(-size // 1_000_000)
    if size > limits.current().megabytes * 1e6:
        limits.at_most(megabytes, "megabytes", f"{path} has {megabytes:,} or more megabytes")


def _no_text(path: Path) -> ElectError:
    return ElectError(f"{path} is not text; give a PrefLib or CSV file, unpacked and in UTF-8.")
