"""What the paper got wrong, what it leaves open, and what was added here.

The figures are computed by `python benchmarks/errata.py` and kept, with their sources, in
`recorded/errata.json`; the paper's figures are read from `printed/`.
"""

from typing import Any

from elect.experiments.runs import CULTURES
from elect.experiments.sources import RECORDED, Source, best_printed, printed, recorded

Remarks = dict[str, str]


def errata() -> dict[str, Remarks]:
    """Three lists of remarks, each remark with a title."""
    return {
        "What the paper got wrong": _wrong(),
        "What the paper leaves open": _open(),
        "What was added here": _added(),
    }


def _wrong() -> Remarks:
    optimal = printed("table-3", "utilitarian")["optimal"]
    networks = [best_printed("table-3", culture, "utilitarian") for culture in CULTURES]
    return {
        "Copeland's formula is Borda's": (
            "The printed formula adds up how many voters prefer a candidate to each other one, and "
            "that sum is the Borda score. The tables are of majority wins, with no points for a "
            "pairwise tie. The usual rule gives half a point; with that the winners differ in "
            + _shown(["Copeland variants differ"], percent=True)
            + " of elections of these sizes."
        ),
        "The “Optimal” row is not optimal": (
            "The rule that scores each place by its expected utility, given the number of "
            "candidates, elects the best candidate in "
            + _shown([f"optimal vector, {culture}" for culture in CULTURES])
            + f" of elections; the paper prints {_listed([optimal[c] or 0 for c in CULTURES])}. "
            f"Its networks, at {_listed(networks)}, are not above that rule. The paper may have "
            "used one vector, averaged over all numbers of candidates; it does not say."
        ),
    }


def _open() -> Remarks:
    kemeny = printed("table-8")["set_transformer"]["2-49"]
    return {
        "The λ of egalitarian welfare": (
            "The paper gives no λ. The printed formula, Σ u + λ Σ (u − min u), rewards inequality "
            "if λ > 0. The tables are matched by λ = −½ in that formula. The egalitarian welfare "
            "here, (1 − λ) Σ u + λ n min u with λ = ½, is the same."
        ),
        "The labels of tied Kemeny elections": (
            "Of elections with 3 to 10 candidates, "
            + _shown(["Kemeny elections tied"], percent=True)
            + " have several Kemeny winners. The paper keeps them, with the winner that its solver "
            "returns as the label. If that choice were random, even the exact rule would be right "
            "in only " + _shown(["Kemeny by lot"]) + " of elections, and with 2 to 49 voters in "
            "only "
            + _shown(["Kemeny by lot, 2 to 49 voters"])
            + f". The paper's Set Transformer has {kemeny:.2f} there, so the solver's choice seems "
            "to have a pattern that can be learned."
        ),
        "The settings of the optimizers": (
            "The paper gives no learning rate, and for Lookahead neither k nor α nor the inner "
            "optimizer."
        ),
        "The three cultures have the same rankings": (
            "The paper does not mention that voters whose utilities follow a symmetric Dirichlet "
            "distribution rank candidates uniformly at random, whatever its parameter. The "
            "networks see the same elections in all three cultures; only the best candidate "
            "differs."
        ),
    }


def _added() -> Remarks:
    best = [best_printed("table-1", rule) for rule in ("copeland", "maximin")]
    return {
        "The best other rule's guess": (
            "The Borda winner is the one Copeland winner in "
            + _shown(["Borda elects the Copeland winner"])
            + " of elections and the one maximin winner in "
            + _shown(["Borda elects the maximin winner"])
            + f". The paper's best networks have {_listed(best)}, a little more. A network has "
            "learned a rule only as far as it is above such a guess, so each table shows the best "
            "one."
        ),
        "The ceiling": (
            "Utilities that are consistent with the rankings can be drawn many times; the "
            "candidate who is best most often is the best possible answer. This gives the highest "
            "accuracy that any rule can be expected to reach."
        ),
        "Neutral numbering": (
            "A network that reads candidates by number becomes neutral if candidates are first "
            "numbered by a neutral order, such as Borda's. The order by itself is already a good "
            "guess, so it has a row of its own."
        ),
        "A network that is neutral and anonymous": (
            "The paper notes that re-tiling the input makes a network neutral but no longer "
            "anonymous, which is true of re-tiling. `tally` is invariant over "
            "voters and equivariant over candidates: it is both, and takes any number of either."
        ),
    }


def _shown(names: list[str], percent: bool = False) -> str:
    """Recorded figures, and when they were recorded."""
    figures: dict[str, Any] = (recorded("errata") or {"figures": {}})["figures"]
    if not all(name in figures for name in names):
        return "(not recorded)"
    values = [figures[name]["value"] for name in names]
    marks = {Source.from_json(figures[name]["source"], RECORDED).label for name in names}
    return f"{_listed(values, percent)} ({', '.join(sorted(marks))})"


def _listed(values: list[float], percent: bool = False) -> str:
    """Numbers with two digits, or as percentages.

    >>> _listed([0.69, 0.68, 0.7]), _listed([0.069], percent=True)
    ('0.69, 0.68 and 0.70', '7 %')
    """
    words = [f"{value:.0%}".replace("%", " %") if percent else f"{value:.2f}" for value in values]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
