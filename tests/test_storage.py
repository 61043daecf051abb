"""Files that are written whole, folders that are filled at once, and folders in use."""

import multiprocessing
import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from elect import storage
from elect.checkpoints import CARD, load
from elect.errors import ElectError, Unwritable
from elect.storage import LOCK, exclusive, require_writable, staged, write_whole
from elect.training import train
from elect.training.state import STATE
from trainings import BASE, quietly, same, weights

ENDLESS = replace(BASE, steps=10**6, checkpoint_every=2, validate_every=10**5)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# ---------------------------------------------------------------------- files


def test_a_file_is_replaced_as_a_whole(tmp_path):
    write_whole(tmp_path / "file", "café\n")
    assert (tmp_path / "file").read_bytes() == "café\n".encode()
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["file", "link"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    write_whole(tmp_path / "file", b"old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(Unwritable, match=r"file cannot be written \(No space left on device\); "):
        write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_an_interruption_leaves_nothing_either(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "file", b"new")
    assert names(tmp_path) == []


@pytest.mark.parametrize("path", ["file/below", "none/below", "/proc/below", "/dev/full", "."])
def test_what_cannot_be_written(tmp_path, path):
    (tmp_path / "file").touch()
    with pytest.raises(Unwritable) as caught:
        write_whole(tmp_path / path, b"content")
    assert isinstance(caught.value, ElectError)
    assert str(caught.value).endswith(".")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("path", ["file/below/more", "/proc/below", "/sys/below"])
def test_folders_that_cannot_be_written(tmp_path, path):
    (tmp_path / "file").touch()
    with pytest.raises(Unwritable):
        require_writable(tmp_path / path)
    require_writable(tmp_path / "a" / "b")
    assert names(tmp_path) == ["file"]


# ---------------------------------------------------------------------- folders filled at once


@pytest.mark.parametrize("before", [None, [], ["old"]], ids=["new", "empty", "in use"])
def test_a_folder_is_filled_at_once(tmp_path, before):
    target = tmp_path / "target"
    if before is not None:
        target.mkdir()
        for name in before:
            (target / name).write_text("old")
    there = names(target) if target.exists() else None
    with staged(target) as draft:
        (draft / "one").write_text("1")
        (draft / "two").write_text("2")
        shown = [name for name in names(target) if name[0] != "."] if target.exists() else None
        assert shown == there
    assert names(target) == sorted([*(before or []), "one", "two"])
    assert names(tmp_path) == ["target"]


def _fail_halfway(target: Path) -> None:
    with staged(target) as draft:
        (draft / "whole").touch()
        write_whole(draft / "none" / "one", b"1")


@pytest.mark.parametrize("before", [None, ["old"]], ids=["new", "in use"])
def test_a_folder_that_fails_is_left_as_it_was(tmp_path, before):
    target = tmp_path / "target"
    if before:
        target.mkdir()
        (target / "old").touch()
    with pytest.raises(Unwritable, match=r"target/none/one cannot be written"):
        _fail_halfway(target)
    assert names(tmp_path) == (["target"] if before else [])
    assert not before or names(target) == before


def test_a_folder_has_the_usual_rights(tmp_path):
    (tmp_path / "usual").mkdir()
    with staged(tmp_path / "target"):
        pass
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "usual").stat().st_mode


def _twice(target: Path, abandoned: Path) -> None:
    with staged(target) as first:
        assert not abandoned.exists()
        with staged(target) as second:
            assert first.exists()
            (second / "second").touch()


def test_abandoned_folders_are_deleted_and_those_in_use_are_not(tmp_path):
    abandoned = tmp_path / f".target.{'0' * 32}.part"
    abandoned.mkdir()
    (abandoned / "file").touch()
    with pytest.raises(Unwritable, match="Directory not empty"):
        _twice(tmp_path / "target", abandoned)
    # The first of two that fill one folder wins.
    assert names(tmp_path / "target") == ["second"]
    assert names(tmp_path) == ["target"]


# ---------------------------------------------------------------------- folders in use


def test_a_folder_in_use(tmp_path):
    folder = tmp_path / "folder"
    with exclusive(folder, "training"):
        with exclusive(folder, "training"):
            assert names(folder) == [LOCK]
        assert names(folder) == [LOCK]
        with ThreadPoolExecutor(1) as pool, pytest.raises(ElectError, match="in use by another"):
            pool.submit(_enter, folder).result()
    # Nothing was written to it, so it goes again.
    assert names(tmp_path) == []


def _enter(folder: Path) -> None:
    with exclusive(folder, "training"):
        pass


def test_without_locks(tmp_path, monkeypatch):
    """Some systems and some network file systems have none."""
    monkeypatch.setattr(storage, "fcntl", None)
    with exclusive(tmp_path, "training"), staged(tmp_path / "target"):
        pass
    monkeypatch.undo()

    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(storage.fcntl, "flock", refuse)
    with exclusive(tmp_path, "training"), staged(tmp_path / "other"):
        pass
    assert names(tmp_path) == ["other", "target"]


def test_a_lock_that_is_left_does_not_matter(tmp_path):
    (tmp_path / LOCK).write_text("1\n")
    stale = tmp_path / f".{'0' * 32}.part"
    stale.write_bytes(b"half")
    (tmp_path / ".mine.part").touch()
    with exclusive(tmp_path, "training"):
        assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
        assert not stale.exists()
    assert names(tmp_path) == [".mine.part"]


def endless(out: Path) -> None:
    """In a process of its own, which will be killed."""
    torch.set_num_threads(1)
    train(ENDLESS, out, resume=True, progress=False)


def test_two_trainings_in_one_folder(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_storage"])
    first = context.Process(target=endless, args=(tmp_path / "run",))
    first.start()
    until = time.monotonic() + 120
    while not (tmp_path / "run" / CARD).exists():
        assert time.monotonic() < until
        assert first.is_alive()
        time.sleep(0.01)
    told = rf"run is in use by another training \(process {first.pid}\); wait for it, or choose"
    for resume in (True, False):
        with pytest.raises(ElectError, match=told):
            quietly(ENDLESS, tmp_path / "run", resume=resume)
    first.kill()
    first.join()
    assert first.exitcode != 0
    # What it was writing when it was killed is deleted by whoever comes next.
    load(tmp_path / "run")
    (tmp_path / "run" / f".{'0' * 32}.part").write_bytes(b"half")
    with exclusive(tmp_path / "run", "training"):
        pass
    assert not [name for name in names(tmp_path / "run") if name.startswith(".")]


def test_many_writers_of_one_file(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: write_whole(tmp_path / "file", bytes([n]) * 5000), range(64)))
    content = (tmp_path / "file").read_bytes()
    assert content == content[:1] * 5000
    assert names(tmp_path) == ["file"]


def test_a_full_disk_in_the_middle_of_a_training(tmp_path, monkeypatch):
    """The last checkpoint stays, and the training goes on from it to the same weights."""
    real, count = os.fsync, []

    def fill(file):
        count.append(file)
        if len(count) > 9:
            raise OSError(28, "No space left on device")
        real(file)

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(Unwritable, match="No space left on device"):
        quietly(BASE, tmp_path / "full")
    monkeypatch.undo()
    assert not [name for name in names(tmp_path / "full") if name.startswith(".")]
    assert load(tmp_path / "full").card.steps > 0
    quietly(BASE, tmp_path / "full", resume=True)
    quietly(BASE, tmp_path / "whole")
    assert same(weights(tmp_path / "full"), weights(tmp_path / "whole"))
    assert same(weights(tmp_path / "full", STATE), weights(tmp_path / "whole", STATE))
