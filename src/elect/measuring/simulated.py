"""What a simulation has found, as an object that prints itself."""

from dataclasses import dataclass
from typing import Any

from elect.measuring.batches import Range, span
from elect.measuring.estimates import Estimate, columns, flat
from elect.result_tables import Tabular, text_table

_NOTES = (
    "Condorcet efficiency: how often the rule elects the Condorcet winner, in elections that have "
    "one; with a 95 % interval.",
    "Condorcet winner: how often one candidate beats every other head to head.",
)
_WELFARE = "welfare ratio: {} welfare of the elected candidate over the highest, on average."
_AGREEMENT = "Agreement, in agreement_rows(): how often two rules elect the same candidate."
_TIES = "A tie counts as a random choice among the tied candidates."

# Rules that fit into a printed table of agreements.
MATRIX = 8


@dataclass(frozen=True)
class Simulated:
    """What one rule did in the elections of one culture and size.

    Attributes:
        rule: the name of the rule.
        culture: where the elections come from.
        voters: the range of voters.
        candidates: the range of candidates.
        elections: how many elections there were.
        condorcet_winner: how often there is a Condorcet winner.
        condorcet_efficiency: how often the rule elects it, where there is one.
        welfare_ratio: the elected candidate's welfare over the highest, if there are utilities.
        refused: why the rule cannot count these ballots, if it cannot.
    """

    rule: str
    culture: str
    voters: Range
    candidates: Range
    elections: int
    condorcet_winner: Estimate
    condorcet_efficiency: Estimate | None
    welfare_ratio: Estimate | None
    refused: str | None = None

    @property
    def estimates(self) -> dict[str, Estimate | None]:
        """The figures by name."""
        names = ("condorcet_efficiency", "condorcet_winner", "welfare_ratio")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Agreement:
    """How often two rules elect the same candidate.

    If both have ties, one random order of the candidates breaks them all: the agreement is the
    number of candidates that both elect over the number that at least one elects.

    Attributes:
        rule: the name of one rule.
        other: the name of the other.
        culture: where the elections come from.
        voters: the range of voters.
        candidates: the range of candidates.
        agreement: how often they elect the same candidate.
    """

    rule: str
    other: str
    culture: str
    voters: Range
    candidates: Range
    agreement: Estimate


@dataclass(frozen=True, repr=False)
class Simulation(Tabular):
    """Rules compared on random elections.

    Attributes:
        results: one entry for each rule, culture and size.
        agreements: one entry for each two rules, culture and size.
        welfare: what the welfare ratio is measured by.
        elections: how many elections there were for each culture and size.
        seed: the same seed gives the same elections.
    """

    results: tuple[Simulated, ...]
    agreements: tuple[Agreement, ...]
    welfare: str
    elections: int
    seed: int

    def heading(self) -> str:
        """What was simulated."""
        return f"{self.elections:,} elections for each culture and size, seed {self.seed}."

    def cells(self) -> list[dict[str, str]]:
        """The table as text."""
        return [
            {
                "culture": one.culture,
                "voters": span(one.voters),
                "candidates": span(one.candidates),
                "rule": one.rule,
                "Condorcet efficiency": str(one.condorcet_efficiency or ""),
                "Condorcet winner": f"{one.condorcet_winner.value:.3f}",
                "welfare ratio": f"{one.welfare_ratio.value:.3f}" if one.welfare_ratio else "",
            }
            for one in self.results
        ]

    def notes(self) -> list[str]:
        """What the columns mean, and which rules could not count the ballots."""
        notes = [*_NOTES]
        if any(one.welfare_ratio for one in self.results):
            notes.append(_WELFARE.format(self.welfare))
        if self.agreements:
            notes.append(_AGREEMENT)
        refused = {one.rule: one.refused for one in self.results if one.refused}
        return [*notes, _TIES, *(f"{rule}: {why}" for rule, why in refused.items())]

    def __str__(self) -> str:
        matrix = self._matrix()
        return super().__str__() + (f"\n\n{text_table(matrix)}" if matrix else "")

    def _matrix(self) -> list[dict[str, str]]:
        """The agreement of every two rules, if one table can show it."""
        rules = list(dict.fromkeys(one.rule for one in self.results))
        if not self.agreements or len(self.results) > len(rules) or len(rules) > MATRIX:
            return []
        known = {(one.rule, one.other): f"{one.agreement.value:.3f}" for one in self.agreements}
        known |= {(other, rule): value for (rule, other), value in known.items()}
        return [
            {"agreement": rule, **{other: known.get((rule, other), "") for other in rules}}
            for rule in rules
        ]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each rule, culture and size, with plain numbers."""
        rows = []
        for one in self.results:
            row: dict[str, Any] = {"rule": one.rule, **_where(one), "elections": one.elections}
            for name, estimate in one.estimates.items():
                row |= columns(name, estimate)
            rows.append({**row, "refused": one.refused})
        return rows

    def agreement_rows(self) -> list[dict[str, Any]]:
        """A row for each two rules, culture and size: how often they elect the same candidate."""
        return [
            {
                "rule": one.rule,
                "other": one.other,
                **_where(one),
                **columns("agreement", one.agreement),
            }
            for one in self.agreements
        ]

    def to_json(self) -> dict[str, Any]:
        """For JSON: the figures with their intervals, and the agreement of every two rules."""
        return {
            "welfare": self.welfare,
            "elections": self.elections,
            "seed": self.seed,
            "results": [_result(one) for one in self.results],
            "agreements": [
                {
                    "rule": one.rule,
                    "other": one.other,
                    **_where(one),
                    **flat("agreement", one.agreement),
                }
                for one in self.agreements
            ],
        }

    def __repr__(self) -> str:
        rules = ", ".join(dict.fromkeys(one.rule for one in self.results))
        return f"Simulation({rules[:200]}; {len(self.results)} rows; print it to see them)"


def _where(one: Simulated | Agreement) -> dict[str, str | int]:
    sizes = {"voters": _size(one.voters), "candidates": _size(one.candidates)}
    return {"culture": one.culture, **sizes}


def _size(size: Range) -> str | int:
    """A number where there is only one, so that plots can use it."""
    return size[0] if size[0] == size[1] else span(size)


def _result(one: Simulated) -> dict[str, Any]:
    found: dict[str, Any] = {"rule": one.rule, **_where(one)}
    for name, estimate in one.estimates.items():
        found |= flat(name, estimate)
    return {**found, "refused": one.refused}
