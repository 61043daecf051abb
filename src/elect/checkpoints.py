"""Trained rules on disk: `model.safetensors` (weights) beside `card.json` (what they are).

Neither file can run code when it is read. Both are written to a temporary name first and then
renamed, so whatever happens there is a whole file under the name; the weights carry a checksum,
so damage is noticed.

    rule = load("copeland-run")           a folder, or a name on the shelf
    rule(profiles)                        scores, as from any rule
    rule.winners(profiles)                winner sets
    rule.probabilities(profiles)          how sure it is
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as as_bytes
from torch import Tensor, nn

from elect import networks, specs
from elect.errors import ElectError
from elect.learned import Card, LearnedRule

WEIGHTS, CARD = "model.safetensors", "card.json"
# Beside a rule of the shelf: how it was trained.
RECIPE = "recipe.json"

Makers = Mapping[str, Callable[..., nn.Module]]


def save(path: str | Path, weights: Mapping[str, Tensor], card: Card) -> None:
    """Write a trained rule into a folder."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / WEIGHTS, weights, {})
    write_card(folder, card)


def write_card(path: str | Path, card: Card) -> None:
    """Write a trained rule's card anew, with what has been measured since, say."""
    write_whole(Path(path) / CARD, (json.dumps(asdict(card), indent=2) + "\n").encode())


def load(
    path_or_name: str | Path, head: str | None = None, makers: Makers | None = None
) -> LearnedRule:
    """A trained rule, from its folder or by its name on the shelf.

    Args:
        path_or_name: where it is.
        head: which of several things it has learned; the first unless said.
        makers: networks of your own by name, beside those of the library.
    """
    folder = find(path_or_name)
    card = read_card(folder / CARD)
    weights, _ = read_tensors(folder / WEIGHTS)
    try:
        network = build(card.network, card.arguments, len(card.heads), card.neutral, makers)
    except ElectError as error:
        raise ElectError(f"{folder / CARD} cannot be used: {error}") from error
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ElectError(f"{folder / CARD} describes a network that cannot be built.") from error
    load_weights(network, weights, folder / WEIGHTS)
    rule = LearnedRule(network, card)
    return rule if head is None else rule.head(head)


def shelf() -> list[str]:
    """The names of the trained rules that come with the package."""
    folder = files("elect") / "shelf"
    return sorted(item.name for item in folder.iterdir() if item.joinpath(CARD).is_file())


def find(path_or_name: str | Path) -> Path:
    """The folder of a trained rule."""
    path = Path(path_or_name)
    if path.is_dir():
        return path
    if str(path_or_name) in shelf():
        return Path(str(files("elect") / "shelf" / str(path_or_name)))
    known = ", ".join(shelf())
    there = f"the shelf has {known}" if known else "the shelf is empty"
    raise ElectError(f"There is no trained rule at '{path_or_name}', and {there}; train one first.")


def build(
    name: str,
    arguments: Mapping[str, Any],
    heads: int,
    neutral: str | None = None,
    makers: Makers | None = None,
) -> nn.Module:
    """A network with fresh weights and a head for each objective."""
    spec, given = specs.parse(name)
    known = {**networks.NETWORKS, **(makers or {})}
    make = known[specs.choose(spec, known, "network", "elect train --help")]
    network = specs.call(make, spec, {**given, **arguments, "heads": heads})
    return network if neutral is None else networks.Renumbered(network, neutral)


def load_weights(network: nn.Module, weights: Mapping[str, Tensor], where: Path) -> None:
    """Give a network these weights, which must be exactly those that it has."""
    try:
        network.load_state_dict(dict(weights))
    except (RuntimeError, TypeError) as error:
        raise ElectError(
            f"The weights in {where} are not those of the network that its card names."
        ) from error


def read_card(path: Path) -> Card:
    """The card of a trained rule."""
    try:
        content = json.loads(path.read_text("utf-8"))
        known = {f.name for f in fields(Card)}
        card = Card(**{key: value for key, value in content.items() if key in known})
        whole = (
            all(isinstance(text, str) for text in (card.network, card.culture, *card.heads))
            and isinstance(card.arguments, dict)
            and isinstance(card.measured, list)
            and 0 < len(card.heads) == len(card.objectives)
            and all(len([int(end) for end in ends]) == 2 for ends in (card.voters, card.candidates))
        )
    except FileNotFoundError as error:
        raise ElectError(f"{path.parent} holds no trained rule: it has no {CARD}.") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ElectError(f"{path} is damaged, or no card of a trained rule.") from error
    if not whole:
        raise ElectError(f"{path} is damaged, or no card of a trained rule.")
    return card


# ---------------------------------------------------------------------- files that are whole


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens, there is the old one or the new, and never half."""
    draft = path.with_name(path.name + ".part")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors, and something in JSON about them, to a safetensors file with a checksum."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(about)
    metadata = {"format": "pt", "elect": text, "checksum": _checksum(plain, text)}
    write_whole(path, as_bytes(plain, metadata))


def read_about(path: Path) -> dict[str, Any]:
    """What was said about the tensors of a file, without reading them."""
    try:
        with safe_open(path, framework="pt") as file:
            words: dict[str, Any] = json.loads((file.metadata() or {})["elect"])
    except (SafetensorError, OSError, ValueError, RuntimeError, KeyError) as error:
        raise ElectError(f"{path} is missing or damaged; copy it again.") from error
    return words


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a file that `write_tensors` wrote, and what was said about them."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError as error:
        raise ElectError(f"{path} is missing; a trained rule is not whole without it.") from error
    except (SafetensorError, OSError, ValueError, RuntimeError) as error:
        raise ElectError(f"{path} is damaged, or no safetensors file; copy it again.") from error
    if "elect" not in metadata:
        raise ElectError(f"{path} was not written by this library, so it cannot be used.")
    if metadata.get("checksum") != _checksum(tensors, metadata["elect"]):
        raise ElectError(
            f"{path} is damaged: its content does not fit its checksum; copy it again."
        )
    return tensors, json.loads(metadata["elect"])


def checksum(path: Path) -> str:
    """The checksum that a file of weights carries, without reading the weights."""
    try:
        with safe_open(path, framework="pt") as file:
            return str((file.metadata() or {})["checksum"])
    except (SafetensorError, OSError, ValueError, RuntimeError, KeyError) as error:
        raise ElectError(f"{path} is damaged, or no safetensors file; copy it again.") from error


def _checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
