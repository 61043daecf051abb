"""Train what the documentation claims, with the defaults of `elect train`, and measure it.

    python benchmarks/learning.py borda gin-by-borda    # some of the runs below, or all of them
    python benchmarks/learning.py --list

Each run is kept in `runs/NAME`, goes on where it was interrupted, and writes what it measured to
`results/learning/NAME.json`. Real elections are measured where they can be had (`elect data`).
"""

import csv
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import elect
from elect.learned import LearnedRule
from elect.networks import guess
from elect.objectives import Objective, oracle
from record import record

RUNS = Path("runs")
SEED = 2027
ELECTIONS = 10_000

PAPER = {"voters": (2, 99)}
OUTSIDE: dict[str, dict[str, Any]] = {
    "150-199 voters": {"voters": (150, 199)},
    "1,000 voters": {"voters": 1000},
    "100,000 voters": {"voters": 100_000, "elections": 500},
}
CULTURES = {
    "mallows": {**PAPER, "culture": "mallows:phi=0.8"},
    "urn": {**PAPER, "culture": "urn:alpha=0.1"},
    "euclidean": {**PAPER, "culture": "euclidean"},
}
REAL = ("netflix", "sushi", "puzzle")

Check = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A training, as one would ask for it on the command line, and what to measure of it; judged
    by what it has learned unless something else is said, and shipped with the package or not."""

    options: str
    checks: dict[str, Check] = field(default_factory=dict)
    real: bool = False
    judged: Objective | None = None
    shipped: bool = True


def mimicking(rule: str, more: Check, *options: str, shipped: bool = True) -> Run:
    """A rule to imitate at the paper's sizes, outside them, and elsewhere."""
    checks: dict[str, Check] = {
        "paper": PAPER,
        **OUTSIDE,
        "more candidates": {**PAPER, **more},
        **CULTURES,
    }
    return Run(" ".join([f"--rule {rule}", *options]), checks, real=True, shipped=shipped)


def mimicked() -> Iterator[tuple[str, Run]]:
    for rule in ("plurality", "borda", "copeland", "maximin"):
        yield rule, mimicking(rule, {"candidates": (30, 40)})
    more = {"candidates": (15, 20), "elections": 2000}
    yield "kemeny", mimicking("kemeny", more, shipped=False)
    # The one that comes with the package: longer, and more often where voters do not agree.
    longer = "--minutes 44 --culture uniform+uniform+uniform+plackett_luce:spread=0/6"
    yield "kemeny-longer", mimicking("kemeny", more, longer)
    # The paper's first table but for Kemeny, by one network.
    rules = "plurality borda copeland:tie=0 maximin"
    yield "four", Run(f"--rule {rules} --minutes 4", {"paper": PAPER}, shipped=False)


def others() -> Iterator[tuple[str, Run]]:
    """Rules that share what they need share a network, with a head each."""
    for name, rules, minutes in (
        ("instant-runoff", "instant-runoff", 10),
        ("paths", "beat-path split-cycle", 5),
        ("orders", "ranked-pairs slater", 5),
        ("distances", "dodgson young", 8),
        ("places", "anti-plurality k-approval bucklin", 4),
        ("duels", "copeland:tie=0 llull blacks", 5),
        ("rounds", "baldwin strict-nanson weak-nanson", 6),
        ("coombs", "coombs", 10),
    ):
        yield name, Run(f"--rule {rules} --minutes {minutes}", {"paper": PAPER})


def welfares() -> Iterator[tuple[str, Run]]:
    four = "--welfare utilitarian egalitarian rawlsian nash"
    for culture in ("uniform", "polarized", "indecisive"):
        yield (
            f"welfare-{culture}",
            Run(
                f"{four} --culture {culture} --minutes 7", {"paper": {**PAPER, "culture": culture}}
            ),
        )


def hardest() -> Iterator[tuple[str, Run]]:
    """The welfare of the worst-off is the hardest to tell from rankings: a network to itself."""
    for culture in ("uniform", "indecisive"):
        checks = {"paper": {**PAPER, "culture": culture}}
        options = f"--welfare rawlsian --culture {culture} --minutes 8"
        yield f"rawlsian-{culture}", Run(options, checks)


def objectives() -> Iterator[tuple[str, Run]]:
    for objective in ("oracle", "posterior", "expected-welfare"):
        options = f"--welfare egalitarian --culture uniform --objective {objective} --minutes 2"
        yield f"by-{objective}", Run(options, {"paper": PAPER}, shipped=False)
    # Nobody has a rule to imitate for a welfare; the best of the classical ones must do.
    options = "--rule borda --culture uniform --minutes 2"
    judged = oracle("egalitarian")
    yield "by-mimic", Run(options, {"paper": PAPER}, judged=judged, shipped=False)


def papers_networks() -> Iterator[tuple[str, Run]]:
    """At small size, ten minutes each. Numbered by one rule, a network is asked for another, since
    the order answers the first by itself. With candidates as they come, and numbered by Borda for
    all rules and welfares at once, they are trained by `elect reproduce all --budget hours`."""
    lessons = {"borda": "copeland maximin", "plurality": "borda"}
    for order, rules in lessons.items():
        for name in ("gin", "deepsets", "set-transformer", "mlp"):
            options = f"--rule {rules} --network {name} --size small --minutes 10"
            options += f" --neutral {order}"
            yield f"{name}-by-{order}", Run(options, {"paper": PAPER}, shipped=False)


def papers_sizes() -> Iterator[tuple[str, Run]]:
    """The paper's networks at the paper's size and by its recipe, as far as an hour goes."""
    for name in ("gin", "deepsets", "set-transformer", "mlp"):
        options = f"--rule plurality borda copeland:tie=0 maximin --network {name} --minutes 60"
        yield f"paper-{name}", Run(options, {"paper": PAPER}, shipped=False)


ALL: dict[str, Run] = {
    name: run
    for group in (
        mimicked,
        others,
        welfares,
        hardest,
        objectives,
        papers_networks,
        papers_sizes,
    )
    for name, run in group()
}


def carry_out(name: str, run: Run) -> None:
    """Train, unless that is done, and measure every head."""
    out = RUNS / name
    command = f"elect train {run.options} --out {out}"
    subprocess.run([*command.split(), "--resume"], check=True)
    rule = elect.load(out)
    card = rule.card
    measured = {
        "training": command,
        "steps": card.steps,
        "training_minutes": card.minutes,
        "parameters": sum(p.numel() for p in rule.network.parameters()),
        "heads": {head: measure(rule.head(head), run) for head in card.heads},
        "curve": curve(out / "log.csv"),
    }
    print("written to", record(f"learning/{name}", SEED, measured), flush=True)


def measure(rule: LearnedRule, run: Run) -> dict[str, Any]:
    """All checks of one head; other rules' guesses and the ceiling are for the first of them."""
    checks = dict(run.checks)
    if run.real:
        checks |= {name: {"voters": (2, 99), "culture": real(name)} for name in REAL}
    found = {}
    for number, (label, check) in enumerate(checks.items()):
        settings = {"candidates": tuple(rule.card.candidates), "elections": ELECTIONS, **check}
        if label in REAL:
            del settings["candidates"]
            settings["elections"] = ELECTIONS // len(check["culture"])
        if number:
            settings["guesses"] = ()
        found[label] = figures(rule, settings, run.judged)
        print(rule.name, label, found[label]["accuracy"], found[label]["exact_set"], flush=True)
    return found


def figures(rule: LearnedRule, settings: Check, judged: Objective | None) -> dict[str, Any]:
    target = judged or Objective(**rule.card.objectives[rule.index])
    found = elect.evaluate(rule, target, seed=SEED, **settings)
    dropped = ("rule", "target", "seed", "guesses", "by_voters", "by_candidates", "by_culture")
    kept = {key: value for key, value in found.to_json().items() if key not in dropped}
    if rule.card.neutral is not None:
        alone = elect.evaluate(
            guess(rule.card.neutral), target, seed=SEED, **{**settings, "guesses": ()}
        )
        kept["order_guess"] = alone.overall.to_json()["accuracy"]
    return kept


def real(name: str) -> dict[str, elect.Profiles]:
    """The elections of a real data set, by file."""
    return {path.name: elect.read(path) for path in elect.datasets.fetch(name)}


def curve(path: Path) -> list[dict[str, float]]:
    """Minutes, steps and accuracy on held-out elections, at most a hundred times."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    kept = rows[:: max(1, len(rows) // 100)]
    keys = [key for key in rows[0] if key.startswith("validation_accuracy")]
    return [
        {"step": int(row["step"]), "minutes": float(row["minutes"])}
        | {key.split(" ", 1)[1]: float(row[key]) for key in keys}
        for row in kept
    ]


def main() -> None:
    names = [name for name in sys.argv[1:] if name != "--list"]
    for name in names:
        if name not in ALL:
            sys.exit(f"There is no run '{name}'; --list shows them all.")
    for name in names or ALL:
        if "--list" in sys.argv:
            print(f"{name:24} elect train {ALL[name].options}")
        else:
            carry_out(name, ALL[name])


if __name__ == "__main__":
    main()
