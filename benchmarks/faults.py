"""What is promised under faults, tried thousands of times.

1. *Counting*: every rule on random elections of 10⁷ to 10¹¹ voters a ballot, with near ties,
   against the same count in plain whole numbers (`tests/plain_rules.py`).
2. *Files*: good files of ballots, cut, garbled and joined, each read in a process that may take one
   gigabyte.
3. *Service*: damaged requests, then many clients while workers are killed (`service_faults.py`).

    pip install -c constraints.txt -e ".[test,benchmarks]"
    python benchmarks/faults.py            # about ten minutes; writes results/faults.json
    python benchmarks/faults.py --quick    # a minute, nothing written
"""

import multiprocessing
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import service_faults
from record import record

SEED = 2028
GIGABYTE = 10**9

# Files that are read as they stand, one of each layout.
GOOD = {
    "a.soc": "# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 9\n4: 1,2,3\n3: 2,3,1\n2: 3,1,2\n",
    "b.toi": "# NUMBER ALTERNATIVES: 4\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Ben\n"
    "# ALTERNATIVE NAME 3: Cleo\n# ALTERNATIVE NAME 4: Dan\n5: 1,{2,3}\n4: 4\n1: {1,4},3\n",
    "c.cat": "# DATA TYPE: cat\n# NUMBER ALTERNATIVES: 3\n# NUMBER CATEGORIES: 2\n"
    "3: {1,2},{3}\n2: {3},{1,2}\n",
    "d.csv": "count,1,2,3\n7,Anna,Ben,Cleo\n6,Ben,Cleo,Anna\n5,Cleo,Anna,Ben\n",
    "e.csv": "Anna;Ben;Cleo\nBen;Cleo;Anna\nCleo;Anna;Ben\n",
    "f.txt": "12: Ann > Ben = Cleo\n7: Ben > Ann\nCleo\n# a remark\n",
    "g.soc": "3\n1,Ann\n2,Ben\n3,Cleo\n9,9,2\n5,1,2,3\n4,3,2,1\n",
}


def main() -> None:
    quick = "--quick" in sys.argv
    share = 50 if quick else 1
    measured = {
        "counting": counting(2_000 // share),
        "files": files(10_000 // share),
        "service": service_faults.run(
            10_000 // share, 200 // (10 if quick else 1), 60 // (12 if quick else 1)
        ),
    }
    Console().print_json(data=measured)
    if not quick:
        print(record("faults", SEED, measured))


def counting(elections: int) -> dict[str, int]:
    """Elections counted by every rule, and how often winners or scores were different."""
    import numpy as np

    from test_exactness import SPECS, check, large_ballots

    rng = np.random.default_rng(SEED)
    found = Counter(elections=elections, counted=0, different=0)
    for i in range(elections):
        m = int(rng.integers(2, 6))
        ballots = large_ballots(rng, m, ("complete", "truncated", "tied", "any")[i % 4])
        for name, (spec, count) in SPECS.items():
            if name == "scoring" and m != 4:
                continue
            try:
                found["counted"] += check(spec, count(ballots, m), ballots, m)
            except AssertionError:
                found["different"] += 1
    return dict(found)


def files(count: int) -> dict[str, Any]:
    """How damaged files end, the longest time and the most memory."""
    with TemporaryDirectory() as folder, multiprocessing.get_context("spawn").Pool(1) as pool:
        parts = [(folder, SEED + i, min(500, count - i)) for i in range(0, count, 500)]
        answers = pool.starmap(read_damaged, parts)
    ends = sum((Counter(answer["ends"]) for answer in answers), Counter())
    return {
        "files": count,
        **dict(ends),
        "longest_seconds": max(answer["longest"] for answer in answers),
        "most_megabytes": max(answer["memory"] for answer in answers),
    }


def read_damaged(folder: str, seed: int, count: int) -> dict[str, Any]:
    """Read that many damaged files in this process, which may take a gigabyte more."""
    import elect

    _ = elect.read, elect.Profiles.from_rankings([[0, 1]])
    limit = _address_space() + GIGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    longest = 0.0
    for _ in range(count):
        name = rng.choice(list(GOOD))
        path = Path(folder) / name
        path.write_bytes(damaged(rng, GOOD[name].encode()))
        start = time.monotonic()
        ends[end_of(path)] += 1
        longest = max(longest, time.monotonic() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"ends": dict(ends), "longest": round(longest, 2), "memory": memory}


def end_of(path: Path) -> str:
    """Whether a file is read, refused in one sentence, or breaks something."""
    import elect

    try:
        elect.winners("borda", elect.read(path))
    except elect.ElectError as error:
        return "refused" if "\n" not in str(error) else "broken"
    except Exception:
        return "broken"
    return "read"


def damaged(rng: random.Random, content: bytes) -> bytes:
    """The content cut, garbled, repeated, or with a huge number in it; sometimes several times."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            content = content[:at]
        elif kind == 1:
            content = content[:at] + rng.randbytes(rng.randint(1, 9)) + content[at:]
        elif kind == 2:
            content = content[:at] + str(10 ** rng.randint(3, 30)).encode() + content[at:]
        elif kind == 3:
            content = content[:at] + content[at + rng.randint(1, 20) :]
        elif kind == 4:
            content = content + content[:at] * rng.choice([1, 2, 1_000])
        else:
            piece = rng.choice(
                [b"{", b"}", b",", b">", b"=", b'"', b"\n", b"\0", b"\xff\xfe", b":"]
            )
            content = content[:at] + piece * rng.choice([1, 2, 5_000]) + content[at:]
        content = content[:1_000_000]
    return content


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main()
