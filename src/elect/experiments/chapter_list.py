"""All that can be reproduced: each table and figure of the paper, and the tables beyond it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from elect import datasets
from elect.errors import ElectError
from elect.experiments.chapters import Chapter
from elect.experiments.extras_learning import curves, objectives
from elect.experiments.extras_rules import every_rule, large_kemeny, other_papers
from elect.experiments.extras_sizes import by_candidates, by_culture, by_number_of_voters
from elect.experiments.mimicking import NAMES as RULE_NAMES
from elect.experiments.mimicking import Column, mimicking
from elect.experiments.paper_networks import Place
from elect.experiments.runs import CULTURES, RULES, WELFARES
from elect.experiments.sources import sub_elections
from elect.experiments.study import CANDIDATES, FEW, VOTERS, Study, Where
from elect.experiments.welfare_histograms import histograms
from elect.experiments.welfare_tables import welfare_table
from elect.measuring.batches import Range

DATA = {
    "netflix": "Netflix: 10 elections among 3 films",
    "sushi": "Sushi: 10 kinds",
    "puzzle": "Mechanical Turk Puzzle: 4 elections among 4 puzzles",
}

# Ranges of voters, and the elections that each is a part of; table 1 has those of the first two.
BANDS: dict[str, Range] = {
    "2-49": VOTERS,
    "50-99": VOTERS,
    "100-149": (100, 149),
    "150-199": (150, 199),
}


def five_rules(study: Study) -> Chapter:
    """Five rules, 2 to 99 voters, 2 to 29 candidates; for Kemeny 3 to 10."""
    sizes = dict.fromkeys(RULE_NAMES, CANDIDATES) | {"kemeny": FEW}
    columns = {
        rule: Column(rule, Where("uniform", VOTERS, candidates, study.budget.elections))
        for rule, candidates in sizes.items()
    }
    return Chapter(
        "table-1",
        "Table 1: mimicking five rules",
        "Can a network learn a voting rule from its winners alone? Elections have 2 to 99 voters "
        "and 2 to 29 candidates (3 to 10 for Kemeny), ranked at random.",
        [mimicking(study, Place("table-1"), "Mimicking accuracy", columns, RULE_NAMES)],
    )


def by_voters(study: Study, number: int, rule: str) -> Chapter:
    """One rule by numbers of voters, the last two of which were not seen in training."""
    candidates = FEW if rule == "kemeny" else CANDIDATES
    columns = {
        band: Column(rule, Where("uniform", voters, candidates, study.budget.elections), band)
        for band, voters in BANDS.items()
    }
    headers = {band: f"{band.replace('-', '–')} voters" for band in BANDS}
    name, title = f"table-{number}", f"Mimicking {RULE_NAMES[rule]}, by numbers of voters"
    return Chapter(
        name,
        f"Table {number}: {RULE_NAMES[rule]}, by numbers of voters",
        f"Does a network that was trained on 2 to 99 voters still elect {RULE_NAMES[rule]}'s "
        "winner when there are more? An MLP takes at most 99 voters.",
        [mimicking(study, Place(name), title, columns, headers)],
    )


def welfare(study: Study) -> Chapter:
    """Two welfares in three cultures, 2 to 99 voters, 2 to 29 candidates."""
    return Chapter(
        "table-3",
        "Table 3: electing for welfare",
        "Voters rank candidates by utilities that a rule does not see. How often does a rule elect "
        "the candidate of highest welfare, and how often could any rule?",
        [welfare_table(study, welfare, number) for number, welfare in enumerate(WELFARES)],
        notes=[
            "Egalitarian welfare is (1 − λ) Σ u + λ n min u with λ = ½, which matches the paper's "
            "figures. The ceiling is computed from the rankings: utilities that are consistent "
            "with them are drawn many times, and the best possible rule elects the candidate who "
            "is best most often.",
        ],
    )


def real_elections(study: Study) -> Chapter:
    """Netflix, Sushi and Puzzle, as many sub-elections of 2 to 99 voters as in the paper."""
    made = Chapter(
        "table-4",
        "Table 4: real elections",
        "Do networks that were trained on random elections decide real ones as the rule does? "
        "Sub-elections of 2 to 99 voters are drawn from each real one.",
    )
    for number, (name, title) in enumerate(DATA.items()):
        try:
            count = len(datasets.fetch(name))
        except ElectError as error:
            made.notes.append(f"{title.split(':')[0]} is missing: {error}")
            continue
        total = round(sub_elections(name) * study.budget.real)
        where = Where(name, VOTERS, None, max(1, total // count))
        columns = {rule: Column(rule, where) for rule in RULE_NAMES}
        said = f"{title}, {where.elections * count:,} sub-elections"
        place = Place("table-4", number)
        made.tables.append(mimicking(study, place, said, columns, RULE_NAMES, name))
        if where.elections * count < sub_elections(name):
            made.notes.append(
                f"The paper draws {sub_elections(name):,} from {title.split(':')[0]}."
            )
    return made


def extras(study: Study) -> Chapter:
    """Our own tables: where `tally` works, and where it does not."""
    makers = (by_candidates, by_number_of_voters, by_culture, every_rule, large_kemeny)
    pictures = [picture for picture in [curves()] if picture is not None]
    return Chapter(
        "beyond",
        "Beyond the paper",
        "One network takes any number of voters and candidates. How well does it do beyond what it "
        "was trained on (2 to 999 voters; 2 to 29 candidates, for some rules 3 to 10), where does "
        "it fail, and how does it compare with other papers?",
        [*(make(study) for make in makers), *other_papers(study), objectives()],
        pictures,
    )


@dataclass(frozen=True)
class Plan:
    """How a chapter is made.

    Attributes:
        shows: what it reproduces, and where that stands in the paper.
        heads: what the paper's networks must have learned for it.
        make: measures and makes the chapter.
    """

    shows: str
    heads: tuple[str, ...]
    make: Callable[[Study], Chapter]


def _voters(number: int, rule: str, place: str = "the supplement") -> Plan:
    heads = tuple(head for head in RULES if head.split(":")[0] == rule)
    shows = f"Table {number} of {place}: mimicking {RULE_NAMES[rule]}, by numbers of voters"
    return Plan(shows, heads, partial(by_voters, number=number, rule=rule))


def _figure(number: int, culture: str, place: str = "the supplement") -> Plan:
    heads = tuple(f"{welfare}@{culture}" for welfare in WELFARES)
    shows = f"Figure {number} of {place}: histograms of the welfare ratio, {culture} culture"
    return Plan(shows, heads, partial(histograms, number=number, culture=culture))


_WELFARES = tuple(f"{welfare}@{culture}" for culture in CULTURES for welfare in WELFARES)

# By the names of the command line, in the paper's order.
CHAPTERS = {
    "table-1": Plan("Table 1: mimicking five rules on synthetic elections", RULES, five_rules),
    "table-2": _voters(2, "borda", "the paper"),
    "table-3": Plan("Table 3: electing the candidate of highest welfare", _WELFARES, welfare),
    "table-4": Plan("Table 4: mimicking five rules on real elections", RULES, real_elections),
    "table-5": _voters(5, "plurality"),
    "table-6": _voters(6, "copeland"),
    "table-7": _voters(7, "maximin"),
    "table-8": _voters(8, "kemeny"),
    "figure-1": _figure(1, "uniform", "the paper"),
    "figure-2": _figure(2, "polarized"),
    "figure-3": _figure(3, "indecisive"),
    "beyond": Plan("Not in the paper: more sizes, cultures and rules", (), extras),
}
