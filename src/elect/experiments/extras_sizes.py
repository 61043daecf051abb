"""How `tally` does at other numbers of candidates and voters, and in cultures it did not see."""

from collections.abc import Mapping

from elect.experiments.contenders import shelved, tally
from elect.experiments.mimicking import NAMES
from elect.experiments.study import CANDIDATES, FEW, VOTERS, Entry, Study, Where
from elect.experiments.tables import OURS, Cell, Row, Table, measured
from elect.objectives import mimic

# By number of candidates, the share of the budget's elections: time grows with the square.
MANY_CANDIDATES = {2: 0.1, 5: 0.1, 10: 0.1, 20: 0.1, 29: 0.1, 50: 0.04, 100: 0.0128}
# The same for voters, since ballots are drawn one by one.
MANY_VOTERS = {
    10: 0.1,
    100: 0.1,
    1_000: 0.1,
    10_000: 0.0256,
    100_000: 0.0064,
    1_000_000: 0.0016,
}
CULTURES = {
    "impartial": "impartial",
    "mallows:phi=0.5": "Mallows, φ = 0.5",
    "mallows:phi=0.8": "Mallows, φ = 0.8",
    "urn:alpha=0.1": "Pólya urn, α = 0.1",
    "urn:alpha=0.5": "Pólya urn, α = 0.5",
    "plackett_luce": "Plackett–Luce",
    "euclidean": "Euclidean",
    "landslide": "landslide",
    "single_peaked_conitzer": "single-peaked (Conitzer)",
    "single_peaked_walsh": "single-peaked (Walsh)",
}
# Exact Kemeny winners of more candidates have a table of their own.
FOUR = ("plurality", "borda", "copeland", "maximin")


def by_candidates(study: Study) -> Table:
    """2 to 100 candidates, 2 to 99 voters."""
    places = {
        str(m): Where("impartial", VOTERS, (m, m), _count(study, share))
        for m, share in MANY_CANDIDATES.items()
    }
    headers = {name: f"{name} candidates" for name in places}
    title = "Any number of candidates: mimicking accuracy of tally, 2 to 99 voters"
    return accuracies(study, title, places, headers, FOUR)


def by_number_of_voters(study: Study) -> Table:
    """10 to 1,000,000 voters, 3 to 10 candidates."""
    places = {
        str(n): Where("impartial", (n, n), FEW, _count(study, share))
        for n, share in MANY_VOTERS.items()
    }
    places = {"2": Where("impartial", (2, 2), FEW, _count(study, 0.1)), **places}
    headers = {name: f"{int(name):,} voters" for name in places}
    title = "Any number of voters: mimicking accuracy of tally, 3 to 10 candidates"
    return accuracies(study, title, places, headers, tuple(NAMES))


def by_culture(study: Study) -> Table:
    """Ten cultures, at the paper's sizes."""
    count = _count(study, 0.1)
    rows = []
    for culture, label in CULTURES.items():
        cells = _cells(study, Where(culture, VOTERS, CANDIDATES, count), FOUR)
        cells |= _cells(study, Where(culture, VOTERS, FEW, count), ("kemeny",))
        rows.append(Row(label, OURS, cells, key=culture))
    title = "Ten cultures: mimicking accuracy of tally, 2 to 99 voters"
    note = (
        f"{count:,} elections each, 2 to 29 candidates, for Kemeny 3 to 10. Trained on impartial "
        "culture and Plackett–Luce."
    )
    return Table(title, dict(NAMES), rows, [note])


def accuracies(
    study: Study,
    title: str,
    places: Mapping[str, Where],
    headers: Mapping[str, str],
    rules: tuple[str, ...],
) -> Table:
    """A row for each rule."""
    found = {name: _cells(study, where, rules) for name, where in places.items()}
    rows = [
        Row(NAMES[rule], OURS, {name: cells[rule] for name, cells in found.items()}, key=rule)
        for rule in rules
    ]
    counts = ", ".join(f"{where.elections:,}" for where in places.values())
    note = (
        f"Elections in each column: {counts}. Copeland is the usual one: a tie brings half a point."
    )
    return Table(title, dict(headers), rows, [note])


def _cells(study: Study, where: Where, rules: tuple[str, ...]) -> dict[str, Cell]:
    """The accuracy of `tally` for each rule, on the same elections."""
    ours = {rule: one for rule in rules if (one := tally(rule)) is not None}
    entries = {rule: Entry(one, mimic(rule)) for rule, one in ours.items()}
    found = study.measure(where, entries)
    absent = {rule: Cell(note=f"{shelved(rule)} is not in the package") for rule in rules}
    return absent | {rule: measured(one) for rule, one in found.items()}


def _count(study: Study, share: float) -> int:
    return max(2, round(study.budget.elections * share))
