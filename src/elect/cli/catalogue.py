"""Commands that list rules, cultures, welfares and datasets."""

from collections.abc import Mapping
from itertools import accumulate, repeat
from typing import Annotated, Any

import typer
from rich.text import Text

from elect import specs
from elect.cli.ballots import Json
from elect.cli.output import console, emit, progress, table, working


def rules(as_json: Json = False) -> None:
    """List all rules with their scores and the ballots they accept, and the trained rules."""
    with working("Listing rules…"):
        from elect.rules import RULES

        trained = _trained()

        known: list[dict[str, Any]] = [
            {
                "name": rule.name,
                "title": rule.title,
                "family": rule.family,
                "aliases": list(rule.aliases),
                "settings": specs.settings(rule.score, given=1),
                "definition": rule.definition,
                "ballots": dict(rule.ballots),
            }
            for rule in RULES.values()
        ]
    if as_json:
        return emit([*known, *trained])
    listing = table("rule", "score; the highest wins", "ballots")
    listing.columns[2].max_width = 19
    for one in known:
        settings = ",".join(one["settings"])
        name = Text.assemble((one["name"], "bold"), f":{settings}" if settings else "")
        for alias in one["aliases"]:
            name.append(f"\n{alias}", "dim")
        listing.add_row(name, one["definition"], _ballots(one["ballots"]))
    out = console()
    out.print(listing)
    out.print("\nAliases are listed below each name. Write settings as in copeland:tie=0.\n")
    _print_trained(trained)
    return None


def cultures(as_json: Json = False) -> None:
    """List the cultures, which are the distributions that elections are sampled from."""
    with working("Looking…"):
        from elect.cultures import CULTURES, prefsampling_names

        known = [
            {**specs.described(name, one.make, 0), "aliases": list(one.aliases)}
            for name, one in CULTURES.items()
        ]
        others = [name for name in prefsampling_names() if name not in CULTURES]
    if as_json:
        unknown: dict[str, Any] = {"settings": None, "definition": None, "aliases": []}
        names = [{"name": name, **unknown} for name in others]
        return emit([*known, *names])
    _print_described("culture", known)
    console().print(f"\nAlso, as in prefsampling: {', '.join(others)}.")
    return None


def welfares(as_json: Json = False) -> None:
    """List the welfares, which score candidates by the voters' utilities u."""
    with working("Looking…"):
        from elect.welfares import WELFARES

        known = [specs.described(name, one.score, 2) for name, one in WELFARES.items()]
    if as_json:
        return emit(known)
    _print_described("welfare", known)
    return None


def list_data(as_json: Json = False) -> None:
    """List the datasets that can be downloaded."""
    with working("Looking…"):
        from elect.datasets import DATASETS, cache

        folder = cache()
    if as_json:
        fields = ("title", "citation", "terms")
        return emit(
            [
                {"name": name, **{field: getattr(dataset, field) for field in fields}}
                | {"files": list(dataset.files)}
                for name, dataset in DATASETS.items()
            ]
        )
    listing = table("name", "what", "terms")
    for name, dataset in DATASETS.items():
        listing.add_row(Text(name, "bold"), dataset.title, dataset.terms)
    out = console()
    out.print(listing)
    out.print(
        f"\n`elect data fetch NAME` downloads to {folder}. If you have the files already, set "
        "ELECT_DATA to their folder."
    )
    return None


def fetch_data(
    name: Annotated[str, typer.Argument(help="A dataset; `elect data list` lists them.")],
) -> None:
    """Download a dataset if it is not here yet, and print the paths of its files."""
    with working("Looking…"):
        from elect.datasets import DATASETS, fetch

        known = specs.choose(specs.plain(name), DATASETS, "dataset", "elect data list")
        dataset = DATASETS[known]
    with progress(f"Fetching {known}") as done:
        share = accumulate(repeat(1 / len(dataset.files)))
        paths = fetch(known, lambda path: done(next(share)))
    for path in paths:
        typer.echo(path)
    console(stderr=True).print(f"Please cite: {dataset.citation}. Terms: {dataset.terms}.")


def _trained() -> list[dict[str, Any]]:
    """The trained rules of the package, with the measurements on their cards."""
    from elect.checkpoints import CARD, find, read_card, shelf
    from elect.learned import lesson

    cards = {name: read_card(find(name) / CARD) for name in shelf()}
    return [
        {
            "name": name,
            "learned": lesson(card.objectives[0], card.culture),
            "network": card.network,
            "steps": card.steps,
            "minutes": card.minutes,
            "measured": card.measured,
        }
        for name, card in cards.items()
    ]


def _print_trained(trained: list[dict[str, Any]]) -> None:
    """Each trained rule's accuracy at the usual sizes, its gap to the ceiling, and its lowest
    accuracy on other elections."""
    sizes = "voters ×\ncandidates"
    listing = table("trained rule", "accuracy", "short by", sizes, "elsewhere")
    for column in listing.columns:
        column.no_wrap = True
    for one in trained:
        first, *others = one["measured"]
        least = min(others, key=lambda other: other["accuracy"], default=None)
        listing.add_row(
            Text(one["name"], "bold"),
            f"{first['accuracy']:.4f}",
            f"{first['shortfall']:.4f}" if "shortfall" in first else "",
            " × ".join(f"{low}–{high}" for low, high in (first["voters"], first["candidates"])),
            f"{least['accuracy']:.4f}" if least else "",
        )
    out = console()
    out.print(listing)
    out.print(
        "\nUse trained rules by name: elect winner FILE --rule tally-kemeny. Accuracy: how often, "
        "in elections of these sizes, it elects the only winner of the rule that it imitates, or "
        "the optimum of the welfare. Short by: the gap to the best rule that sees only rankings. "
        "Elsewhere: the lowest accuracy on other elections that were measured."
    )


def _ballots(taken: Mapping[str, str]) -> str:
    if set(taken.values()) == {"yes"}:
        return "all"
    some = {"yes": "", "some": "some "}
    return ", ".join(some[answer] + kind for kind, answer in taken.items() if answer in some)


def _print_described(what: str, known: list[dict[str, Any]]) -> None:
    listing = table(what, "settings", "what it is")
    for one in known:
        name = Text(one["name"], "bold")
        for alias in one.get("aliases", ()):
            name.append(f"\n{alias}", "dim")
        listing.add_row(name, "\n".join(one["settings"]), one["definition"])
    out = console()
    out.print(listing)
    example = next(one for one in known if one["settings"])
    setting = example["settings"][0].split("=")[0]
    out.print(f"\nWrite settings as in {example['name']}:{setting}=0.5.")
