"""Real elections by name: PrefLib's Netflix, Sushi and Puzzle.

Not all of them may be passed on, so elect contains none: `fetch` downloads them once from
PrefLib's public repository into the user's cache and checks each against its hash. Two
environment variables change where they come from: ``ELECT_DATA`` names a folder that has the
files, at any depth, so that nothing is downloaded; ``ELECT_DATA_URL`` names a mirror.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from elect import files, specs
from elect.elections import Profiles
from elect.errors import ElectError

# A fixed commit: what is there today is what the hashes below were taken of.
SOURCE = (
    "https://raw.githubusercontent.com/PrefLib/PrefLib-Data/"
    "1a8e9a9d0ad02a2a2d7473e813d1ac3057264f80/datasets"
)


@dataclass(frozen=True)
class Dataset:
    """A series of elections on PrefLib.

    Attributes:
        title: what it is.
        folder: its series and short name, as PrefLib's folder is called.
        files: the SHA-256 of each file.
        citation: what to cite when using it.
        terms: what its owners allow.
    """

    title: str
    folder: str
    files: Mapping[str, str]
    citation: str
    terms: str

    @property
    def series(self) -> str:
        """PrefLib's number of the series."""
        return self.folder.split()[0]

    def url(self, file: str) -> str:
        """Where to download a file from."""
        base = os.environ.get("ELECT_DATA_URL") or SOURCE
        return f"{base.rstrip('/')}/{quote(self.folder)}/{quote(file)}"


def _numbered(series: str, *hashes: str) -> dict[str, str]:
    return {f"{series}-{number:08}.soc": sha256 for number, sha256 in enumerate(hashes, 1)}


DATASETS: dict[str, Dataset] = {
    "netflix": Dataset(
        title="Netflix Prize: 10 elections among 3 films, 448 to 1,860 voters",
        folder="00004 - netflix",
        files=_numbered(
            "00004",
            "ce21633732e620c94e2d50af1ac0305e5ba17e65dea0d19c203b6e4f75a7aaae",
            "798480505e73ea3cc36cce0bf1ff19b036fc81e99a1af5d21a334a1bcc89e626",
            "e15b912be288cc26e457cd865f8892dd9d9ed17b7f5daff309f577828778157e",
            "de15ecf3d14dabbc2f68352c178b0810a65d48bf18fed513c7e10ddd418acca9",
            "a483bd325e13f75fe573402132521c90e2d44c5e2ce49975591db3fc3a8b3783",
            "d3d1f9101c1d4d4b0f10d9aaeeeaa557de158577a8964b8259b2b0aa87e15c7b",
            "99f0c6ec25b368e37ac55d13746e080f0b1ae23b622b84462c131436195c872f",
            "72eb175c024204e0f4d84a1d13597ebc263c59cf1ae4bd3babf43691d2c4e06b",
            "a9ac90b9a911fa94112f08a2ec28028b5fadbc7983df2535ebeea8da47b12851",
            "0ee542c5a239c7f804c434e213b64a59182a830932e79bd1d998413d79ed4fc4",
        ),
        citation="J. Bennett and S. Lanning, The Netflix Prize, KDD Cup and Workshop, 2007",
        terms="not to be redistributed without permission; cite when used",
    ),
    "sushi": Dataset(
        title="Sushi: 5,000 people rank 10 kinds",
        folder="00014 - sushi",
        files=_numbered(
            "00014",
            "21dfffb9e30a868749da6b3eb06ce1f08205e2198869ccd7d772af1e186f3479",
        ),
        citation=(
            "T. Kamishima, Nantonac Collaborative Filtering: Recommendation Based on Order "
            "Responses, KDD, 2003"
        ),
        terms="for research; not to be redistributed without permission; cite when used",
    ),
    "puzzle": Dataset(
        title="Mechanical Turk Puzzle: 4 elections among 4 sliding puzzles, 793 to 797 voters",
        folder="00025 - puzzle",
        files=_numbered(
            "00025",
            "62770ce91cd8590a8868698b5ece97f4c561d58fb4c101054d1d11fcfa83b49f",
            "7240de0ab792121e79eb761c14b244ea8ddbd6e63e84a08d4a19964382ae1fd9",
            "92d333140144c062c582d9728fbbc35729d4b6f2860f07b550fdd62939bcaa66",
            "3309fb582e483b4a8aab3063fa9c64b536b20058dc1db5f44e4199c7c385fa9e",
        ),
        citation=(
            "A. Mao, A. D. Procaccia and Y. Chen, Better Human Computation Through Principled "
            "Voting, AAAI, 2013"
        ),
        terms="cite when used",
    ),
}


def fetch(name: str, progress: Callable[[Path], None] | None = None) -> list[Path]:
    """The files of a dataset, downloaded unless they are there already.

    Args:
        name: a key of `DATASETS`.
        progress: called with each file when it is there.

    Raises:
        ElectError: if a file cannot be had; those that arrived are kept for the next time.
    """
    name = specs.choose(specs.plain(name), DATASETS, "dataset", "elect data list")
    dataset, folder = DATASETS[name], os.environ.get("ELECT_DATA")
    at_hand = _files_below(Path(folder)) if folder else {}
    paths = []
    for file, sha256 in dataset.files.items():
        if folder:
            path = _intact(file, sha256, at_hand.get(file, []), folder)
        else:
            path = _download(name, file, sha256)
        if progress is not None:
            progress(path)
        paths.append(path)
    return paths


def load(name: str) -> list[Profiles]:
    """The elections of a dataset, fetched if need be."""
    return [files.read(path) for path in fetch(name)]


def cache() -> Path:
    """The folder into which datasets are downloaded."""
    import pooch

    return Path(pooch.os_cache("elect")) / "preflib"


def _files_below(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise ElectError(
            f"ELECT_DATA names {folder}, which is not a folder; correct the variable, or unset it "
            "to download the data."
        )
    found: dict[str, list[Path]] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            found.setdefault(name, []).append(Path(place, name))
    return found


def _intact(file: str, sha256: str, paths: list[Path], folder: str) -> Path:
    for path in paths:
        try:
            if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
                return path
        except OSError:
            continue
    fault = "differs from PrefLib's in" if paths else "is missing from"
    raise ElectError(
        f"{file} {fault} {folder}, which ELECT_DATA names; put the original there, or unset "
        "ELECT_DATA to download it."
    )


def _download(name: str, file: str, sha256: str) -> Path:
    # Only needed here, and slow to import.
    import pooch

    pooch.get_logger().setLevel("WARNING")
    url = DATASETS[name].url(file)
    remedy = (
        f"`elect data fetch {name}` tries again and keeps what has arrived, "
        "or set ELECT_DATA to a folder that has the files"
    )
    try:
        # pooch keeps a file whose hash is right, and moves a download into place once it is.
        return Path(
            pooch.retrieve(url, sha256, file, cache(), downloader=pooch.HTTPDownloader(timeout=30))
        )
    except OSError as error:
        raise ElectError(f"{url} cannot be fetched ({_reason(error)}): {remedy}.") from error
    except ValueError as error:
        raise ElectError(
            f"{url} is not the file it should be, so it was not kept: {remedy}."
        ) from error


def _reason(error: OSError) -> str:
    # The errors of requests are OSErrors too, with long and nested messages.
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answers {response.status_code}"
    return error.strerror or "no connection, or it broke off"
