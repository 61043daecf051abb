"""Every test runs with the shapes in the annotations checked."""

import os
from pathlib import Path

import pytest
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


@pytest.fixture
def put(tmp_path):
    """Write a file."""

    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in a pipe of 80 columns; gives its exit code, output and errors."""
    from elect.cli import main

    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run


@pytest.fixture
def ballots(tmp_path):
    """Write ballots, by whatever name."""

    def ballots(text, name="board.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return ballots
