import hashlib
import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from elect import datasets
from elect.errors import ElectError

FILES = {
    f"00099-0000000{k}.soc": f"# NUMBER ALTERNATIVES: 2\n# NUMBER VOTERS: {k}\n{k}: 2,1\n".encode()
    for k in (1, 2, 3)
}
DATA = Path(os.environ.get("ELECT_TEST_DATA", "no folder is named"))


@pytest.fixture
def mine(monkeypatch, tmp_path):
    """A dataset of our own, an empty cache, and nothing in the environment."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    dataset = replace(datasets.DATASETS["puzzle"], folder="00099 - mine", files=hashes)
    monkeypatch.setitem(datasets.DATASETS, "mine", dataset)
    monkeypatch.setattr(datasets, "cache", lambda: tmp_path / "cache")
    monkeypatch.delenv("ELECT_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


class Server:
    """What is asked for, and how the next answers are spoilt: by file, one fault each."""

    def __init__(self):
        self.asked = []
        self.faults = {}

    def answer(self, handler):
        path = unquote(handler.path)
        name = path.split("/")[-1]
        self.asked.append(name)
        content = FILES.get(name)
        fault = self.faults.pop(name, None)
        if content is None or not path.startswith("/00099 - mine/") or fault == "missing":
            handler.send_error(404)
            return
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        spoilt = {"corrupt": content.replace(b"2,1", b"1,2"), "break": content[:20]}
        handler.wfile.write(spoilt.get(fault, content))


@contextmanager
def serving(server):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.answer(self)

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()


@pytest.fixture
def server(mine, monkeypatch):
    server = Server()
    with serving(server) as url:
        monkeypatch.setenv("ELECT_DATA_URL", url + "/")
        yield server


def test_downloads_once(mine, server):
    done = []
    paths = datasets.fetch("mine", progress=done.append)
    assert [path.read_bytes() for path in paths] == list(FILES.values())
    assert done == paths == [mine / name for name in FILES]
    assert datasets.fetch("Mine") == paths
    assert server.asked == list(FILES)
    assert [int(profile.num_voters) for profile in datasets.load("mine")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("corrupt", "is not the file it should be"),
        ("break", "cannot be fetched"),
        ("missing", "server answers 404"),
    ],
)
def test_goes_on_after_a_failure(mine, server, fault, message):
    second = list(FILES)[1]
    server.faults[second] = fault
    with pytest.raises(ElectError, match=message) as caught:
        datasets.fetch("mine")
    assert "ELECT_DATA" in str(caught.value)
    assert "elect data fetch mine" in str(caught.value)
    # Nothing half done stays behind, and what has arrived is not asked for again.
    assert [path.name for path in mine.iterdir()] == list(FILES)[:1]
    assert [path.read_bytes() for path in datasets.fetch("mine")] == list(FILES.values())
    assert server.asked == [*list(FILES)[:2], *list(FILES)[1:]]


def test_fetches_an_altered_file_again(mine, server):
    first, *_ = datasets.fetch("mine")
    first.write_text("1: 1,2\n")
    assert datasets.fetch("mine")[0].read_bytes() == FILES[first.name]
    assert server.asked == [*FILES, first.name]


def test_without_a_network(mine, monkeypatch):
    with serving(Server()) as url:
        pass
    monkeypatch.setenv("ELECT_DATA_URL", url)
    with pytest.raises(ElectError, match=r"no connection.*ELECT_DATA.*\.$") as caught:
        datasets.load("mine")
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("ELECT_DATA_URL", "nonsense")
    with pytest.raises(ElectError, match="cannot be fetched"):
        datasets.fetch("mine")


def test_a_cache_that_cannot_be_written(mine, server):
    mine.write_text("not a folder")
    with pytest.raises(ElectError, match=r"cannot be fetched \(.*ELECT_DATA"):
        datasets.fetch("mine")


def test_a_folder_instead_of_downloads(mine, server, monkeypatch, tmp_path):
    folder = tmp_path / "folder"
    monkeypatch.setenv("ELECT_DATA", str(folder))
    with pytest.raises(ElectError, match="is not a folder"):
        datasets.fetch("mine")
    (folder / "deep" / "down").mkdir(parents=True)
    for name, content in FILES.items():
        with pytest.raises(ElectError, match=f"{name} is missing from .*unset ELECT_DATA"):
            datasets.fetch("mine")
        (folder / name).write_bytes(content + b"\n")
        with pytest.raises(ElectError, match=f"{name} differs from PrefLib's in"):
            datasets.fetch("mine")
        (folder / "deep" / "down" / name).write_bytes(content)
    assert datasets.fetch("mine") == [folder / "deep" / "down" / name for name in FILES]
    assert server.asked == []
    assert not mine.exists()


def test_unknown_names(mine):
    with pytest.raises(ElectError, match=r"no dataset named 'suhsi'; did you mean 'sushi'\?"):
        datasets.fetch("suhsi")


def test_the_datasets_are_described(monkeypatch):
    monkeypatch.delenv("ELECT_DATA_URL", raising=False)
    sizes = {name: len(dataset.files) for name, dataset in datasets.DATASETS.items()}
    assert sizes == {"netflix": 10, "sushi": 1, "puzzle": 4}
    for name, dataset in datasets.DATASETS.items():
        assert dataset.folder == f"{dataset.series} - {name}"
        assert dataset.title
        assert dataset.citation
        assert dataset.terms
        assert all(file.startswith(f"{dataset.series}-0") for file in dataset.files)
        assert all(len(sha256) == 64 for sha256 in dataset.files.values())
    assert datasets.DATASETS["puzzle"].url("00025-00000001.soc") == (
        "https://raw.githubusercontent.com/PrefLib/PrefLib-Data/"
        "1a8e9a9d0ad02a2a2d7473e813d1ac3057264f80/datasets/"
        "00025%20-%20puzzle/00025-00000001.soc"
    )


@pytest.mark.skipif(not DATA.is_dir(), reason="ELECT_TEST_DATA names no folder of PrefLib files")
def test_the_real_datasets(monkeypatch):
    monkeypatch.setenv("ELECT_DATA", str(DATA))
    netflix = datasets.load("netflix")
    assert [profile.ranks.shape[2] for profile in netflix] == [3] * 10
    assert {448, 1860} <= {int(profile.num_voters) for profile in netflix}
    (sushi,) = datasets.load("sushi")
    assert int(sushi.num_voters) == 5000
    # Under PrefLib's own names, the favourite would be egg and the least liked tuna roll.
    borda = sushi.support[0].sum(1)
    assert sushi.names[borda.argmax()] == "toro (fatty tuna)"
    assert sushi.names[borda.argmin()] == "kappa-maki (cucumber roll)"
    puzzle = datasets.load("puzzle")
    assert [int(profile.num_voters) for profile in puzzle] == [793, 795, 795, 797]
    assert puzzle[1].names == ("5", "8", "11", "14")
    assert all(bool(profile.complete) for profile in [*netflix, sushi, *puzzle])


def test_cache_is_the_users_own():
    assert isinstance(datasets.cache(), Path)
    assert "elect" in datasets.cache().parts
