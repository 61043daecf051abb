"""Put trained rules on the shelf: `runs/` (see learning.py) becomes `src/elect/shelf/`.

    python benchmarks/learning.py kemeny    # train and measure
    python benchmarks/shelf.py kemeny       # ship what was measured; without names, all there is

Each thing that a run has learned becomes a rule by itself, with a card that says what was measured
of it and the recipe by which it can be trained again.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import elect
from elect import specs
from elect.checkpoints import save
from elect.learned import LearnedRule
from elect.training import saved_recipe
from elect.training.presets import write_preset
from learning import ALL, RUNS

SHELF = Path("src/elect/shelf")
RESULTS = Path("results/learning")
# All that a card says of a measurement.
KEPT = ("culture", "voters", "candidates", "elections", "accuracy", "interval", "any_winner")
KEPT += ("exact_set", "ceiling", "shortfall", "best_guess", "best_guess_rule")


def shelved(rule: LearnedRule) -> str:
    """What a rule is called on the shelf: tally-kemeny, tally-nash-polarized."""
    name, settings = specs.parse(rule.name)
    words = [name, *(f"{key}-{value:g}" for key, value in settings.items())]
    if rule.card.objectives[rule.index]["kind"] != "mimic":
        words.append(rule.card.culture)
    return "-".join([rule.card.network, *words]).replace("_", "-")


def ship(run: str) -> None:
    """Part a run into its rules, and put each on the shelf."""
    learned, recipe = elect.load(RUNS / run), saved_recipe(RUNS / run)
    measured = json.loads((RESULTS / f"{run}.json").read_text())
    assert measured["steps"] == learned.card.steps, f"{run} was measured with other weights"
    for head in learned.card.heads:
        rule = learned.only(head)
        figures = [about(label, one) for label, one in measured["heads"][head].items()]
        folder = SHELF / shelved(rule)
        save(folder, rule.network.state_dict(), replace(rule.card, measured=figures))
        write_preset(folder, recipe, learned.card.steps, head)
        print(f"{folder.name:32} {sum(f.stat().st_size for f in folder.iterdir()):>9,} bytes")


def about(label: str, figures: dict[str, Any]) -> dict[str, Any]:
    """A measurement, as short as a card wants it."""
    short = {key: figures[key] for key in KEPT if figures.get(key) is not None}
    rounded = {key: rounding(value) for key, value in short.items()}
    return {"on": label, **rounded}


def rounding(value: Any) -> Any:
    if isinstance(value, list):
        return [rounding(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    for name in sys.argv[1:] or [name for name in ALL if ALL[name].shipped]:
        if (RUNS / name).is_dir() and (RESULTS / f"{name}.json").exists():
            ship(name)


if __name__ == "__main__":
    main()
