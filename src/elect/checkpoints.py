"""Trained rules on disk: `model.safetensors` (weights) and `card.json` (metadata).

Reading them runs no code, every value is checked, and the weights have a checksum. Both files are
written atomically (see `elect.storage`).

    rule = load("copeland-run")           a folder, or a trained rule of the package
    rule(profiles)                        scores, as from any rule
    rule.winners(profiles)                winner sets
    rule.probabilities(profiles)          each candidate's probability of winning
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as as_bytes
from torch import Tensor, nn

from elect import networks, specs
from elect.errors import ElectError
from elect.learned import Card, LearnedRule, Lesson
from elect.networks.limits import OtherNetwork, at_most
from elect.objective_kinds import KINDS
from elect.storage import make_folder, write_whole
from elect.typed_json import checked, finite, parse_json, read_json

WEIGHTS, CARD = "model.safetensors", "card.json"
# The recipe beside a trained rule of the package.
RECIPE = "recipe.json"
# The most bytes of a safetensors file; the paper's networks take 40 million, their states 200.
LARGEST = 2**32
# A profile cannot have more.
MOST_CANDIDATES = 2**15

Makers = Mapping[str, Callable[..., nn.Module]]
T = TypeVar("T")


def save(
    path: str | Path, weights: Mapping[str, Tensor], card: Card, about: dict[str, Any] | None = None
) -> None:
    """Write a trained rule into a folder.

    Args:
        path: the folder.
        weights: the weights of its network.
        card: its metadata.
        about: more metadata to store with the weights, such as their training.
    """
    folder = Path(path)
    make_folder(folder)
    write_tensors(folder / WEIGHTS, weights, about or {})
    write_card(folder, card)


def write_card(path: str | Path, card: Card) -> None:
    """Replace the card of a trained rule, for example to add measurements."""
    write_whole(Path(path) / CARD, json.dumps(finite(asdict(card)), indent=2) + "\n")


def load(
    path_or_name: str | Path, head: str | None = None, makers: Makers | None = None
) -> LearnedRule:
    """Load a trained rule from its folder, or a trained rule of the package by name.

    Args:
        path_or_name: the folder or the name.
        head: which head, if there are several. Default: the first.
        makers: your own networks, by name.
    """
    folder = find(path_or_name)
    card = read_card(folder / CARD)
    described = (card.network, card.arguments, len(card.heads), card.neutral)
    network = build_for(folder / WEIGHTS, folder / CARD, *described, makers)
    weights, _ = read_tensors(folder / WEIGHTS)
    load_weights(network, weights, folder / WEIGHTS)
    rule = LearnedRule(network, card, place=str(path_or_name))
    return rule if head is None else rule.head(head)


def shelf() -> list[str]:
    """The names of the trained rules that come with the package."""
    folder = files("elect") / "shelf"
    return sorted(item.name for item in folder.iterdir() if item.joinpath(CARD).is_file())


def find(path_or_name: str | Path) -> Path:
    """The folder of a trained rule."""
    path = Path(path_or_name)
    if path.is_dir():
        # `elect design` puts the rule that it has trained into a subfolder.
        inside = path / "rule"
        return inside if not (path / CARD).exists() and (inside / CARD).exists() else path
    if str(path_or_name) in shelf():
        return Path(str(files("elect") / "shelf" / str(path_or_name)))
    raise ElectError(
        f"There is no trained rule at '{path_or_name}'; give the folder of one, or a name that "
        "`elect rules` lists."
    )


def build(
    name: str,
    arguments: Mapping[str, Any],
    heads: int,
    neutral: str | None = None,
    makers: Makers | None = None,
) -> nn.Module:
    """A network with fresh weights and a head for each objective."""
    spec, given = specs.parse(name)
    ours = {record.name: record.make for record in networks.NETWORKS.values()}
    known = {**ours, **(makers or {})}
    make = known[specs.choose(spec, known, "network", "elect train --help")]
    network = specs.call(make, spec, {**given, **arguments, "heads": heads})
    return network if neutral is None else networks.Renumbered(network, neutral)


def build_for(
    weights: Path,
    described: Path,
    name: str,
    arguments: Mapping[str, Any],
    heads: int,
    neutral: str | None = None,
    makers: Makers | None = None,
    prefix: str = "",
) -> nn.Module:
    """A network that has exactly the tensors of a file.

    A damaged description may ask for a huge network. So the network is first built on the meta
    device, with at most as many parameters as the file has, and compared with the file.

    Args:
        weights: the file of its weights, of which only the header is read.
        described: the file that the other arguments were read from, to name it in errors.
        name: of the network.
        arguments: its settings.
        heads: how many it has.
        neutral: the order by which candidates are renumbered.
        makers: networks of your own by name.
        prefix: how the names of its tensors begin in the file.
    """
    there = _named(read_shapes(weights), prefix)
    asked = (name, arguments, heads, neutral, makers)
    # The user's own networks may build parts that they do not use.
    slack = 1 if makers is None else 4
    size = (slack * len(there), slack * sum(map(prod, there.values())))
    try:
        # They may also not work on the meta device.
        if makers is None:
            with at_most(*size), torch.device("meta"):
                _require_shapes(build(*asked), there, weights)
        with at_most(*size):
            return build(*asked)
    except OtherNetwork as error:
        raise _other_network(weights) from error
    except ElectError as error:
        # Torch may append a C++ stack trace.
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ElectError(f"{described} cannot be used: {reason}.") from error
    except (RuntimeError, TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise ElectError(f"{described} describes a network that cannot be built.") from error


def _require_shapes(network: nn.Module, there: Mapping[str, tuple[int, ...]], where: Path) -> None:
    needed = {name: tuple(getattr(t, "shape", ())) for name, t in network.state_dict().items()}
    if needed != dict(there):
        raise OtherNetwork(str(where))


def load_weights(network: nn.Module, weights: Mapping[str, Tensor], where: Path) -> None:
    """Load weights into a network; their names and shapes must match exactly."""
    try:
        network.load_state_dict(dict(weights))
    except (RuntimeError, TypeError) as error:
        raise _other_network(where) from error


def _other_network(where: Path) -> ElectError:
    return ElectError(f"The weights in {where} are not those of the network that its card names.")


def read_card(path: Path) -> Card:
    """The card of a trained rule, with every value checked."""
    try:
        card = Card(**checked(Card, read_json(path), str(path)))
        for objective in card.objectives:
            checked(Lesson, objective, str(path))
    except FileNotFoundError as error:
        raise ElectError(
            f"{path.parent} holds no trained rule: it has no {CARD}. Give the folder of a "
            "training, or of a design that has trained a rule."
        ) from error
    except OSError as error:
        raise ElectError(f"{path} cannot be read ({error.strerror}); copy it again.") from error
    ranges = [card.voters, card.candidates]
    ranges += [one[key] for one in card.measured for key in ("voters", "candidates") if key in one]
    whole = 0 < len(card.heads) == len(card.objectives) and all(map(_is_range, ranges))
    whole = whole and all(one["kind"] in KINDS for one in card.objectives)
    if not whole or card.candidates[1] > MOST_CANDIDATES:
        raise ElectError(f"{path} is damaged, or no card of a trained rule.")
    return card


def _is_range(ends: Any) -> bool:
    whole = isinstance(ends, list) and len(ends) == 2 and all(type(end) is int for end in ends)
    return whole and 1 <= ends[0] <= ends[1] < 2**53


# ---------------------------------------------------------------------- files of tensors


def write_tensors(path: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors and JSON metadata to a safetensors file with a checksum."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(about)
    metadata = {"format": "pt", "elect": text, "checksum": _checksum(plain, text)}
    write_whole(path, as_bytes(plain, metadata))


def read_about(path: Path) -> dict[str, Any]:
    """The JSON metadata of a file, without reading the tensors."""
    with _opened(path) as file:
        return _about(path, file.metadata() or {})


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the tensors of a file, without reading them."""
    with _opened(path) as file:
        _about(path, file.metadata() or {})
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the JSON metadata of a file that `write_tensors` wrote."""
    with _opened(path) as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    about = _about(path, metadata)
    if metadata.get("checksum") != _checksum(tensors, metadata["elect"]):
        raise ElectError(f"{path} is damaged: its checksum is wrong; copy it again.")
    if not all(bool(t.isfinite().all()) for t in tensors.values() if t.is_floating_point()):
        raise ElectError(
            f"{path} holds weights that are not finite numbers; train again, with a lower "
            "learning rate."
        )
    return tensors, about


def checksum(path: Path) -> str:
    """The checksum in a file of weights, without reading the weights."""
    with _opened(path) as file:
        metadata = file.metadata() or {}
    _about(path, metadata)
    return str(metadata.get("checksum", ""))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a safetensors file; problems become an `ElectError`."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise FileNotFoundError(path)
        with safe_open(path, framework="pt") as file:
            yield file
    except FileNotFoundError as error:
        raise ElectError(
            f"{path} is missing, or larger than {LARGEST:,} bytes; copy the whole folder of the "
            "trained rule again."
        ) from error
    except (SafetensorError, OSError, ValueError, RuntimeError, TypeError, KeyError) as error:
        if isinstance(error, ElectError):
            raise
        raise ElectError(f"{path} is damaged, or no safetensors file; copy it again.") from error


def _about(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    if "elect" not in metadata:
        raise ElectError(f"{path} was not written by this library, so it cannot be used.")
    words = parse_json(metadata["elect"], str(path))
    if not isinstance(words, dict):
        raise ElectError(f"{path} is damaged: its metadata is not a JSON object.")
    return words


def _named(tensors: Mapping[str, T], prefix: str) -> dict[str, T]:
    """Those whose names begin with the prefix, without it."""
    return {name[len(prefix) :]: t for name, t in tensors.items() if name.startswith(prefix)}


def _checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
