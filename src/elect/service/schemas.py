"""The schemas of requests and responses.

Requests are checked strictly: no text for a number, and no unknown fields. Conditions that depend
on other fields, or on the limits of the server, are checked where they are used.
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
    """A request body; unknown fields are errors."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# ---------------------------------------------------------------------- requests


class Ballot(Request):
    """A ballot and how many voters cast it."""

    count: Count = 1
    ranking: list[list[str]] = Field(
        description="Groups of tied candidates by name, best first; others are unranked."
    )


class Election(Request):
    """Ballots as objects, or as lines of text."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    candidates: list[Name] | None = Field(
        None, description="The candidates. Default: all on the ballots, in order of appearance."
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

    rules: list[Spec] | None = Field(None, description="The rules. Default: all.")
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
        None, description="With rankings: the number of candidates, if more than are ranked."
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
        None, max_length=255, description="The name of the file; only its extension matters."
    )


class ExportRequest(Election):
    """One election, to be written to a file."""

    model_config = ConfigDict(json_schema_extra={"examples": [{**EXAMPLE, "format": "preflib"}]})

    format: Literal["preflib", "csv"]


class SampleRequest(Request):
    """An election to be sampled from a culture."""

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
    """Elections to be sampled from a culture, and the welfare of their winners."""

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
    rules: list[Spec] | None = Field(None, description="The rules. Default: a few quick ones.")
    seed: Seed = 0


# ---------------------------------------------------------------------- answers


class Problem(BaseModel):
    """Why a request cannot be answered, in one sentence."""

    error: str


class Health(BaseModel):
    """The state of the server."""

    status: Literal["ok"]
    version: str
    ready: bool = Field(description="Whether a worker is alive that has loaded all rules.")
    reason: str | None = Field(description="Why the server is not ready, if it is not.")
    workers: int = Field(description="How many workers are alive.")
    started: int = Field(description="How many workers have been started so far.")
    busy: int = Field(description="How many requests are being computed.")
    waiting: int = Field(description="How many requests wait for a worker.")


class ElectionBody(BaseModel):
    """An election in the format of requests."""

    candidates: list[str]
    ballots: list[Ballot]


class RuleEntry(BaseModel):
    """A rule of the server."""

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
    card: dict[str, Any] | None = Field(None, description="The metadata of a trained rule.")


class NamedEntry(BaseModel):
    """A culture or a welfare of the server."""

    name: str
    settings: list[str]
    definition: str
    aliases: list[str] = Field(default_factory=list, description="Other names for it.")
    utilities: bool | None = Field(None, description="For a culture: whether it has utilities.")
    ceiling: bool | None = Field(None, description="For a culture: whether there is a ceiling.")


class RuleResult(BaseModel):
    """The winners of one rule."""

    rule: str
    title: str = Field("", description="What people call the rule.")
    kind: Literal["exact", "trained", "shelf"]
    winners: list[str] = Field(description="Several where there is a tie, none after an error.")
    scores: dict[str, int | float | None] = Field(
        description="The highest score wins; null if it takes too long to compute."
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
    groups: list[Group] = Field(description="Rules by their winners, the largest group first.")
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
    """The welfare of the winners of several rules."""

    culture: str
    welfare: str
    voters: int
    candidates: int
    elections: int
    edges: list[float]
    rules: list[Histogram]
    best: Histogram | None = Field(
        description="The best possible rule that sees only rankings, where it is known."
    )
