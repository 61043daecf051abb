"""The code is formatted, linted and typed, and the README tells what was measured."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check"],
        ["ruff", "format", "--check"],
        ["mypy"],
        ["benchmarks/readme.py", "--check"],
    ],
    ids=" ".join,
)
def test_clean(command: list[str]) -> None:
    script = command if command[0].endswith(".py") else ["-m", *command]
    run = subprocess.run([sys.executable, *script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_continuous_integration_runs_the_commands_of_the_readme() -> None:
    commands = re.findall(r"```sh\n(.+)\n```", (ROOT / "README.md").read_text())
    assert len(commands) == 2
    assert commands[1] in (ROOT / ".ci" / "run").read_text().splitlines()


def test_the_example_of_the_readme_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.+?)```", (ROOT / "README.md").read_text(), flags=re.S)
    exec(compile(code, "README.md", "exec"), {})
    promised = re.findall(r"^# (.+)$", code, flags=re.M)
    assert capsys.readouterr().out.splitlines() == promised
