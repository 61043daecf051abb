"""What the networks have learned, from `results/learning/`: tables for the README and the docs."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FIVE = {
    "plurality": "plurality",
    "borda": "Borda",
    "copeland": "Copeland",
    "maximin": "maximin",
    "kemeny": "Kemeny",
}
# By head: what it is called, and the run it belongs to.
OTHERS = {
    "instant_runoff": ("instant runoff", "instant-runoff"),
    "beat_path": ("Schulze (beat path)", "paths"),
    "split_cycle": ("split cycle", "paths"),
    "ranked_pairs": ("ranked pairs", "orders"),
    "slater": ("Slater", "orders"),
    "dodgson": ("Dodgson", "distances"),
    "young": ("Young", "distances"),
    "baldwin": ("Baldwin", "rounds"),
    "strict_nanson": ("strict Nanson", "rounds"),
    "weak_nanson": ("weak Nanson", "rounds"),
    "coombs": ("Coombs", "coombs"),
    "bucklin": ("Bucklin", "places"),
    "anti_plurality": ("anti-plurality", "places"),
    "k_approval": ("2-approval", "places"),
    "llull": ("Llull", "duels"),
    "blacks": ("Black", "duels"),
}
CHECKS = {
    "paper": "trained sizes",
    "150-199 voters": "150–199 voters",
    "1,000 voters": "1,000 voters",
    "100,000 voters": "100,000 voters",
    "more candidates": "more candidates",
    "mallows": "Mallows",
    "urn": "urn",
    "euclidean": "Euclidean",
    "netflix": "Netflix",
    "sushi": "Sushi",
    "puzzle": "Puzzle",
}
WELFARES = ("utilitarian", "egalitarian", "rawlsian", "nash")
CULTURES = ("uniform", "polarized", "indecisive")
OBJECTIVES = ("oracle", "posterior", "expected-welfare")
NETWORKS = {
    "deepsets": "DeepSets",
    "gin": "GIN",
    "set-transformer": "Set Transformer",
    "mlp": "MLP",
}


def run(name: str) -> dict[str, Any] | None:
    """What was measured of a run, if it has been."""
    path = ROOT / "results" / "learning" / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def only(name: str) -> dict[str, dict[str, Any]] | None:
    """The checks of a run with one head."""
    found = run(name)
    return None if found is None else next(iter(found["heads"].values()))


def mimicked() -> str:
    """Five rules: at the sizes of training, outside them, and elsewhere."""
    found = {title: (run(name), only(name)) for name, title in FIVE.items()}
    known = {title: (one, checks) for title, (one, checks) in found.items() if one and checks}
    minutes = [f"{one['training_minutes']:.1f}" for one, _ in known.values()]
    rows = [["minutes of training", *minutes]]
    for check, label in CHECKS.items():
        cells = [checks.get(check) for _, checks in known.values()]
        rows.append([label, *(shown(cell, "accuracy") for cell in cells)])
        if check == "paper":
            rows.append(["exact winner sets", *(shown(cell, "exact_set") for cell in cells)])
            guesses = [f"{c['best_guess']:.3f} {c['best_guess_rule']}" for c in cells if c]
            rows.append(["best other rule's guess", *guesses])
    return table(["`tally`", *known], rows)


def others() -> str:
    """The other rules of the library."""
    rows = []
    for head, (title, name) in OTHERS.items():
        if one := run(name):
            cell = one["heads"][head.replace("_", "-")]["paper"]
            low, high = cell["candidates"]
            guess = f"{cell['best_guess']:.3f} {cell['best_guess_rule']}"
            figures = [shown(cell, "accuracy"), shown(cell, "exact_set"), guess]
            rows.append([title, f"{low}–{high}", f"{one['training_minutes']:.1f}", *figures])
    return table(["`tally`", "candidates", "minutes", "accuracy", "exact set", "best other"], rows)


def welfares() -> str:
    """Four welfares in three cultures, and what is missing to the ceiling."""
    rows = []
    for culture in CULTURES:
        if one := run(f"welfare-{culture}"):
            # A welfare with a network to itself goes before its head among others.
            runs = [run(f"{welfare}-{culture}") or one for welfare in WELFARES]
            cells = [r["heads"][w]["paper"] for r, w in zip(runs, WELFARES, strict=True)]
            short = [f"{cell['accuracy']:.3f} ({-cell['shortfall']:+.4f})" for cell in cells]
            minutes = dict.fromkeys(f"{r['training_minutes']:.1f}" for r in runs)
            rows.append([culture, " + ".join(minutes), *short])
    return table(["`tally`", "minutes", *WELFARES], rows)


def objectives() -> str:
    """The three ways to learn a welfare, at equal time."""
    rows = []
    for name in OBJECTIVES:
        if one := run(f"by-{name}"):
            cell = one["heads"]["egalitarian"]["paper"]
            low, high = cell["shortfall_interval"]
            short = f"{cell['shortfall']:.4f} ({low:.4f} to {high:.4f})"
            gained = f"{cell['welfare_ratio']['mean']:.4f}"
            shares = [f"{cell['accuracy']:.4f}", short, gained]
            rows.append(
                [f"`{name}`", f"{one['training_minutes']:.1f}", f"{one['steps']:,}", *shares]
            )
    header = ["objective", "minutes", "steps", "accuracy", "short of the ceiling", "welfare ratio"]
    return table(header, rows)


def shown(cell: dict[str, Any] | None, key: str) -> str:
    return "" if cell is None or cell[key] is None else f"{cell[key]:.4f}"
