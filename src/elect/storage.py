"""Atomic writes of files and folders, and locks on folders.

A file is written under a temporary name beside its target, flushed to the disk and renamed. So the
target is always the old file or the new one. Whatever fails, the temporary file is deleted; those
of a killed process are deleted when its folder is next used.
"""

import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from elect.errors import ElectError, Unwritable

try:
    import fcntl
except ImportError:  # Windows has no flock; folders are then not locked.
    fcntl = None  # type: ignore[assignment]

# In a folder that is in use: the process that uses it.
LOCK = ".lock"

# The suffix of temporary names, and the age in seconds after which a temporary file is abandoned.
DRAFT, OLD = ".part", 3600.0

# The locks that this process holds, by folder: the thread, and how often it has entered.
_held: dict[str, tuple[int, int]] = {}
_guard = threading.Lock()


# ---------------------------------------------------------------------- files


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file so that there is always the old one or the new one, never a part of it.

    Raises:
        Unwritable: if that cannot be done; the old file is then untouched.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # Renaming would replace a device by a file.
        raise Unwritable(f"{os.fspath(path)} is not a regular file; choose another name.")
    draft = target.with_name(_draft_name())
    data = content.encode() if isinstance(content, str) else content
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def require_writable(folder: str | os.PathLike[str]) -> None:
    """Raise `Unwritable` if nothing can be written to this folder, which need not exist yet."""
    place = Path(folder)
    while not place.exists() and place.parent != place:
        place = place.parent
    trial = place / _draft_name()
    try:
        trial.touch(exist_ok=False)
        trial.unlink()
    except OSError as error:
        raise _unwritable(folder, error) from error


# ---------------------------------------------------------------------- folders


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; one that exists is left as it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unwritable(
            f"The folder {folder} cannot be made ({_reason(error)}); choose another."
        ) from error


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A folder to fill, whose content appears in the target only when all of it is written.

    A target that is missing or empty appears at once; in one that holds other files, each new
    file takes its place at the end. If anything fails, the target stays as it was.
    """
    inside = target.is_dir() and any(target.iterdir())
    # A temporary name must not be longer than names may be.
    place, name = (target, "") if inside else (target.parent, target.name[:100])
    draft = place / _draft_name(name)
    try:
        make_folder(draft)
        _delete_abandoned(place, name, draft)
        with _locked_folder(draft):
            yield draft
            _publish(draft, target, inside)
    except Unwritable as error:
        # The user knows the folder by its own name only.
        raise Unwritable(str(error).replace(str(draft), str(target))) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def delete_drafts(folder: Path, older_than: float = 0.0) -> None:
    """Delete temporary files that killed processes have left in a folder."""
    with suppress(OSError):
        for draft in _drafts(folder):
            with suppress(OSError):
                about = draft.lstat()
                if stat.S_ISREG(about.st_mode) and time.time() - about.st_mtime >= older_than:
                    draft.unlink()


@contextmanager
def exclusive(folder: Path, what: str) -> Iterator[None]:
    """Use a folder alone; another process that asks for it meanwhile gets an `ElectError`.

    The folder is made if need be. The lock ends with the process, however that ends, and the same
    thread may enter again. Where the file system has no locks, nothing is locked.

    Args:
        folder: the folder.
        what: what it is used for, such as "training".
    """
    made = not folder.exists()
    make_folder(folder)
    key = os.path.realpath(folder)
    _enter(key, folder, what)
    file = None
    try:
        if _held[key][1] == 1:
            file = _lock(folder, what)
            delete_drafts(folder)
        yield
    finally:
        _unlock(folder, file)
        _leave(key)
        if made:
            # Only if nothing was written: a folder with files is not removed.
            with suppress(OSError):
                folder.rmdir()


def _enter(key: str, folder: Path, what: str) -> None:
    with _guard:
        thread, count = _held.get(key, (threading.get_ident(), 0))
        if thread != threading.get_ident():
            raise _in_use(folder, what, str(os.getpid()))
        _held[key] = thread, count + 1


def _leave(key: str) -> None:
    with _guard:
        thread, count = _held[key]
        if count == 1:
            del _held[key]
        else:
            _held[key] = thread, count - 1


def _lock(folder: Path, what: str) -> int | None:
    """The open lock file; None where there are no locks."""
    if fcntl is None:
        return None
    path = folder / LOCK
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise _unwritable(folder, error) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            user = os.pread(file, 32, 0).decode("ascii", "replace").strip()
            os.close(file)
            raise _in_use(folder, what, user) from error
        except OSError:
            # Some network file systems have no locks.
            return file
        if _is_at(path, file):
            break
        # The previous holder has deleted the file meanwhile.
        os.close(file)
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    return file


def _unlock(folder: Path, file: int | None) -> None:
    if file is not None:
        with suppress(OSError):
            if _is_at(folder / LOCK, file):
                (folder / LOCK).unlink()
        os.close(file)


def _is_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


def _in_use(folder: Path, what: str, user: str) -> ElectError:
    process = f" (process {user})" if user.isdigit() else ""
    return ElectError(
        f"{folder} is in use by another {what}{process}; wait for it, or choose another folder "
        "with --out."
    )


@contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder itself, so that others can tell it from an abandoned one."""
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC) if fcntl is not None else None
    try:
        if file is not None:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_SH)
        yield
    finally:
        if file is not None:
            os.close(file)


def _delete_abandoned(place: Path, name: str, own: Path) -> None:
    """Delete the unfinished folders of killed processes: those that nobody holds a lock on."""
    if fcntl is None:
        return
    for draft in _drafts(place, name):
        if draft == own:
            continue
        with suppress(OSError):
            file = os.open(draft, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(draft, ignore_errors=True)
            finally:
                os.close(file)


def _publish(draft: Path, target: Path, inside: bool) -> None:
    try:
        if inside:
            for one in sorted(path for path in draft.rglob("*") if path.is_file()):
                place = target / one.relative_to(draft)
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(one, place)
        else:
            # An empty folder may be replaced by a full one.
            os.replace(draft, target)
    except OSError as error:
        raise _unwritable(target, error) from error


def _draft_name(name: str = "") -> str:
    return f".{name}{'.' if name else ''}{uuid4().hex}{DRAFT}"


def _drafts(folder: Path, name: str = "") -> list[Path]:
    """What has a temporary name in a folder, and nothing else."""
    begin = re.escape(f".{name}{'.' if name else ''}")
    pattern = re.compile(f"{begin}[0-9a-f]{{32}}{re.escape(DRAFT)}")
    return [path for path in folder.iterdir() if pattern.fullmatch(path.name)]


def _unwritable(path: str | os.PathLike[str], error: OSError) -> Unwritable:
    return Unwritable(
        f"{os.fspath(path)} cannot be written ({_reason(error)}); free some space, or choose a "
        "folder that you may write to."
    )


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
