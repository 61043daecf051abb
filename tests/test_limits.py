"""Small inputs take little memory: each is tried in a process that may not have much."""

import resource
import subprocess
import sys

import pytest

# Address space, of which Python, torch and numba take more than two gigabytes untouched.
MOST = 6 << 30

CHILD = """
import sys
import numpy as np, torch
torch.set_num_threads(1)
import elect
from elect.files import read_text
Profiles = elect.Profiles
try:
    CODE
except elect.ElectError as error:
    assert str(error).endswith("."), error
    print(error)
else:
    print("fine")
"""


def confined() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST))


def child(code: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", CHILD.replace("CODE", code)],
        capture_output=True,
        text=True,
        preexec_fn=confined,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout


def test_small_files_with_large_headers():
    code = """
    for size in (32766, 8000, 40000, 10**12):
        for kind in ("soc", "soi", "toc", "toi", "cat"):
            try:
                read_text(f"# NUMBER ALTERNATIVES: {size}\\n1: 1,2\\n1: 2,1\\n", f"a.{kind}")
            except elect.ElectError as error:
                assert "candidates" in str(error), error
            else:
                raise AssertionError(size)
    read_text("30000\\n1,a\\n", "a.soi")
    """
    assert "30,000 candidates" in child(code.strip())


def test_many_short_ballots():
    code = """
    text = "".join(f"1: {1 + i % 997},{1 + i % 991}\\n" for i in range(48000) if i % 997 != i % 991)
    profile = read_text("# NUMBER ALTERNATIVES: 1000\\n" + text, "a.soi")
    assert profile.ranks.dtype == torch.int16
    elect.winners("copeland", profile), elect.winners("borda", profile)
    read_text("# NUMBER ALTERNATIVES: 1000\\n" + text, "a.soi", elect.limits.Limits(places=10**7))
    """
    assert "--limit places=" in child(code.strip())


WRONG_TYPES = [
    "Profiles.from_rankings([[0, 1]], names=[1, 2])",
    "Profiles.from_rankings([[0, 1]], names=5)",
    "Profiles.from_rankings([[0, 1]], num_candidates='x')",
    "Profiles.from_rankings([[0, 1]], num_candidates=2.5)",
    "Profiles.from_rankings([[0, 1]], weights=torch.ones(1, dtype=torch.bfloat16))",
    "Profiles.from_rankings(None)",
    "Profiles([1], [2], [3])",
    "Profiles(torch.zeros(1, 1, 1), torch.ones(1, 1), torch.ones(1))",
    "Profiles.concat([3])",
    "Profiles.from_rankings([[0, 1]]).only('a')",
    "Profiles.from_pref_voting(3)",
    "elect.Elections(3)",
    "elect.culture(b'x')",
    "elect.culture('uniform')(2, '3', 3, seed=0)",
    "elect.culture('uniform')(2.5, 3, 3, seed=0)",
    "elect.culture('uniform')(2, 3, 3, seed=-1)",
]


def test_wrong_types_are_refused_in_a_sentence():
    lines = "\n    ".join(
        f"try: {line}; raise AssertionError({line!r})\n    except elect.ElectError as e: pass"
        for line in WRONG_TYPES
    )
    assert child(lines) == "fine\n"


@pytest.mark.parametrize("command", ["winner", "rank", "audit", "design"])
def test_commands_take_limits(run, ballots, tmp_path, command):
    path = ballots("# NUMBER ALTERNATIVES: 5\n1: 1,2\n1: 2,1\n", "a.soi")
    asked = {
        "winner": ["winner", path],
        "rank": ["rank", path, "--rule", "borda"],
        "audit": ["audit", "borda", "--data", path],
        "design": ["design", "--welfare", "nash", "--data", path, "--out", tmp_path / "out"],
    }[command]
    code, _, err = run(*asked, "--limit", "candidates=4")
    assert code == 2
    assert "--limit candidates=5" in err
    assert run(*asked, "--limit", "candidate=4")[0] == 2
    if command in ("winner", "rank"):
        assert run(*asked, "--limit", "candidates=5")[0] == 0
