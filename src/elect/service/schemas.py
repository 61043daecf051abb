"""What requests and answers look like: checks of the former, and the reference of both.

Requests are checked to the letter: no text for a number, and nothing that is not asked for. What
depends on other parts of a request, or on the limits of this server, is checked where it is used.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Spec = Annotated[str, Field(min_length=1, max_length=1000, examples=["borda", "copeland:tie=0"])]
Count = Annotated[int, Field(ge=0, le=10**12)]
Size = Annotated[int, Field(ge=1, le=10**6)]
Seed = Annotated[int, Field(ge=0, le=2**53)]
Number = Annotated[int, Field(ge=0, le=32766)]

EXAMPLE: dict[str, Any] = {
    "candidates": ["Anna", "Ben", "Cleo"],
    "ballots": [
        {"count": 12, "ranking": [["Anna"], ["Ben", "Cleo"]]},
        {"count": 7, "ranking": [["Ben"], ["Cleo"]]},
    ],
}


class Request(BaseModel):
    """A body that says what it must and nothing else."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# ---------------------------------------------------------------------- requests


class Ballot(Request):
    """A ballot and how many voters cast it."""

    count: Count = 1
    ranking: list[list[str]] = Field(
        description="Groups of tied candidates by name, best first; who is left out is unranked."
    )


class Election(Request):
    """Ballots as objects, or as lines of text."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    candidates: list[Name] | None = Field(
        None, description="Who stands; without it, all whom a ballot names, as they appear."
    )
    ballots: list[Ballot] | None = None
    text: str | None = Field(
        None, description="Instead of ballots: lines such as `12: Anna > Ben = Cleo > Dan`."
    )
    absent: list[str] = Field([], description="Candidates to leave out of every ballot.")


class WinnersRequest(Election):
    """One election, to be decided by several rules."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{**EXAMPLE, "rules": ["borda", "kemeny"]}]}
    )

    rules: list[Spec] | None = Field(None, description="All rules unless said.")
    why: bool = Field(True, description="Whether to say why, in a sentence for each rule.")


class BatchRequest(Request):
    """Many elections, to be decided by several rules at once."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"rankings": [[[0, 1, 2], [1, 2, 0]]], "rules": ["borda", "maximin"]}]
        }
    )

    elections: list[Election] | None = None
    rankings: list[list[list[Number]]] | None = Field(
        None,
        description="Instead of elections: for each its ballots, candidates by number, best first.",
    )
    candidates: Size | None = Field(
        None, description="With rankings: how many stand, if more than the ballots show."
    )
    rules: list[Spec] = Field(min_length=1)


class ParseRequest(Request):
    """The text of a file of ballots."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "count,1,2\n12,Anna,Ben\n", "format": "csv"}]}
    )

    text: str
    format: Literal["lines", "csv", "preflib"]
    filename: str | None = Field(
        None, max_length=255, description="What the file is called; only its ending matters."
    )


class ExportRequest(Election):
    """One election, to be written to a file."""

    model_config = ConfigDict(json_schema_extra={"examples": [{**EXAMPLE, "format": "preflib"}]})

    format: Literal["preflib", "csv"]


class SampleRequest(Request):
    """An election to be drawn from a culture."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"culture": "mallows:phi=0.8", "voters": 50, "candidates": 5, "seed": 1}]
        }
    )

    culture: Spec
    voters: Size
    candidates: Size
    seed: Seed = 0


class WelfareRequest(Request):
    """Elections to be drawn from a culture, and what to judge their winners by."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "culture": "uniform",
                    "welfare": "egalitarian",
                    "voters": 25,
                    "candidates": 5,
                    "rules": ["plurality", "borda"],
                }
            ]
        }
    )

    culture: Spec
    welfare: Spec
    voters: Size
    candidates: Size
    rules: list[Spec] | None = Field(None, description="A few quick ones unless said.")
    seed: Seed = 0


# ---------------------------------------------------------------------- answers


class Problem(BaseModel):
    """Why a request cannot be answered, in one sentence."""

    error: str


class Health(BaseModel):
    """That the server is there, and whether it can compute."""

    status: Literal["ok"]
    version: str
    ready: bool = Field(description="Whether a worker is alive that has loaded all rules.")
    reason: str | None = Field(description="Why the server is not ready, if it is not.")
    workers: int = Field(description="How many workers are alive.")
    started: int = Field(description="How many workers have been started so far.")
    busy: int = Field(description="How many requests are being computed.")
    waiting: int = Field(description="How many requests wait for a worker.")


class ElectionBody(BaseModel):
    """An election, as requests take it."""

    candidates: list[str]
    ballots: list[Ballot]


class RuleEntry(BaseModel):
    """A rule that can be asked for."""

    name: str
    title: str
    family: str = Field(description="What rules of its family look at.")
    definition: str
    kind: Literal["exact", "trained", "shelf"]
    ballots: dict[str, Literal["yes", "some", "no"]] = Field(
        description="Whether it takes complete, truncated and tied ballots."
    )
    settings: list[str] = []
    aliases: list[str] = []
    card: dict[str, Any] | None = Field(None, description="What a trained rule is, in full.")


class NamedEntry(BaseModel):
    """A culture or a welfare that can be asked for."""

    name: str
    settings: list[str]
    definition: str
    aliases: list[str] = Field(default_factory=list, description="Other names for it.")
    utilities: bool | None = Field(None, description="Of a culture: whether welfare is known.")
    ceiling: bool | None = Field(None, description="Of a culture: whether the best rule is known.")


class RuleResult(BaseModel):
    """Whom one rule elects."""

    rule: str
    title: str = Field("", description="What people call the rule.")
    kind: Literal["exact", "trained", "shelf"]
    winners: list[str] = Field(description="Several where there is a tie, none after an error.")
    scores: dict[str, int | float | None] = Field(
        description="The highest wins; null where it would take long to know."
    )
    probabilities: dict[str, float] | None = None
    why: str | None = None
    caveats: list[str] = []
    error: str | None = Field(None, description="Why this rule cannot decide these ballots.")


class Group(BaseModel):
    """Rules that agree."""

    winners: list[str]
    rules: list[str]


class Round(BaseModel):
    """A round of a rule that eliminates candidates."""

    standing: list[str]
    counts: dict[str, int | float] = Field(
        description="First choices (instant runoff), last choices (Coombs), or Borda points."
    )
    eliminated: list[str] = Field(description="Who leaves; nobody in the round that decides.")


class WinnersAnswer(BaseModel):
    """An election, decided by several rules."""

    candidates: list[str]
    voters: int
    condorcet: str | None
    rules: list[RuleResult]
    groups: list[Group] = Field(description="Rules by whom they elect, the largest group first.")
    margins: list[list[int]] = Field(description="By how many voters row is preferred to column.")
    places: list[list[int]] = Field(description="How many voters put a candidate at each place.")
    rounds: dict[str, list[Round]]


class BatchAnswer(BaseModel):
    """Many elections, decided: for each a result by rule."""

    results: list[dict[str, dict[str, Any]]]


class Histogram(BaseModel):
    """The welfare of a rule's winners over the highest, in many elections."""

    rule: str
    kind: Literal["exact", "trained", "shelf", "best possible"]
    mean: float | None
    histogram: list[float] = Field(description="The share of elections in each part of 0 to 1.")
    error: str | None = Field(None, description="Why this rule cannot decide such elections.")


class WelfareAnswer(BaseModel):
    """What the winners of several rules are worth."""

    culture: str
    welfare: str
    voters: int
    candidates: int
    elections: int
    edges: list[float]
    rules: list[Histogram]
    best: Histogram | None = Field(
        description="Of the rule that sees rankings only and makes the most of them, where known."
    )
