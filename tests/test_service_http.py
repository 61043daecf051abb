"""The service as clients meet it: a real server, real processes, and requests of all kinds."""

import json
import random
import signal
import socket
import string
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import positive_data_acceptance

from elect.cli import main
from elect.cli.serving import LIMITS, _socket
from elect.service import ServiceLimits, create_app

EXAMPLE = {"text": "4: Ann > Ben > Cleo\n3: Ben > Cleo > Ann\n2: Cleo > Ann > Ben"}


@contextmanager
def serving(limits: ServiceLimits) -> Iterator[str]:
    """A server in a thread of its own, and its address once it is ready."""
    bound = _socket("127.0.0.1", 0)
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(create_app(limits), log_level="error"))
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        wait_until(lambda: httpx.get(f"{url}/healthz").json()["ready"])
        yield url
    finally:
        server.should_exit = True
        thread.join()


def wait_until(fact, seconds: float = 300) -> None:
    """The first time, everything is compiled, which takes a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if fact():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError("this takes too long")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(ServiceLimits(workers=1, megabytes=1.0, seconds=60.0)) as address:
        yield address


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=120) as one:
        yield one


# ---------------------------------------------------------------------- what is there


def test_the_page_and_its_protection(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for path in ("/", "/docs", "/healthz", "/v1/rules", "/nowhere"):
        headers = client.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_reference_works_without_the_rest_of_the_world(client: httpx.Client) -> None:
    page = client.get("/docs").text
    for path in client.get("/openapi.json").json()["paths"]:
        assert f'data-path="{path}"' in page
    for asset in ("style.css", "script.js"):
        assert f'"/reference/{asset}"' in page
        assert client.get(f"/reference/{asset}").status_code == 200
    assert "http://" not in page
    assert "https://" not in page


def test_examples_of_the_reference_work(client: httpx.Client) -> None:
    api = client.get("/openapi.json").json()
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            body = None
            if content:
                name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
                [body] = api["components"]["schemas"][name]["examples"]
            assert client.request(method, path, json=body).status_code == 200


def test_an_election_is_decided(client: httpx.Client) -> None:
    answer = client.post("/v1/winners", json=EXAMPLE)
    assert answer.headers["content-type"] == "application/json"
    assert [r["winners"] for r in answer.json()["rules"] if r["rule"] == "kemeny"] == [["Ann"]]
    file = client.post("/v1/export", json={**EXAMPLE, "format": "preflib"})
    assert file.headers["content-disposition"] == 'attachment; filename="election.soc"'
    assert file.headers["content-type"] == "text/plain; charset=utf-8"
    assert "# DATA TYPE: soc" in file.text


def test_markup_comes_back_as_it_was_and_as_json(client: httpx.Client) -> None:
    name = "<script>alert('1')</script>\u2028\"&amp;"
    ballots = [{"ranking": [[name], ["b"]]}]
    answer = client.post("/v1/winners", json={"ballots": ballots, "rules": ["borda", name]})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/json"
    answer = client.post("/v1/winners", json={"ballots": ballots, "rules": ["borda"]})
    assert answer.json()["rules"][0]["winners"] == [name]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_stays_the_same_is_computed_once(client: httpx.Client) -> None:
    request = {"culture": "uniform", "welfare": "rawlsian", "voters": 9, "candidates": 4}
    assert len({client.post("/v1/welfare", json=request).text for _ in range(2)}) == 1


# ---------------------------------------------------------------------- what is refused


def test_names_that_are_not_ours_are_refused(client: httpx.Client) -> None:
    ours = ("localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "192.168.0.7", "LOCALHOST")
    for host in ours:
        assert client.get("/healthz", headers={"Host": host}).status_code == 200
    for host in (
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil",
        "",
    ):
        answer = client.get("/healthz", headers={"Host": host})
        assert answer.status_code == 400
        assert "error" in answer.json() if host else True


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e/app.py", 404),
        ("GET", "/static/..%2f..%2ferrors.py", 404),
        ("GET", "/static//etc/passwd", 404),
        ("GET", "/v1/winners", 405),
        ("DELETE", "/v1/rules", 405),
        ("POST", "/", 405),
    ],
)
def test_other_addresses_are_refused(client: httpx.Client, method, path, status) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_bodies_that_are_not_taken(client: httpx.Client) -> None:
    text = {"Content-Type": "text/plain"}
    assert client.post("/v1/winners", content=b"{}", headers=text).status_code == 415
    assert client.post("/v1/winners", content=b"{}").status_code == 415
    large = json.dumps({"text": "a > b\n" * 200_000}).encode()
    kind = {"Content-Type": "application/json"}
    assert client.post("/v1/winners", content=large, headers=kind).status_code == 413
    # Without a length announced, reading stops where the limit is.
    pieces = (large[i : i + 4096] for i in range(0, len(large), 4096))
    assert client.post("/v1/winners", content=pieces, headers=kind).status_code == 413
    assert client.post("/v1/winners", content=b"[" * 10_000, headers=kind).status_code == 400


def test_work_that_takes_too_long_is_given_up() -> None:
    # Rankings of sixty candidates at random: more than an exact Kemeny can do in a second.
    drawn = random.Random(0)
    order = [f"C{c}" for c in range(60)]
    lines = "\n".join(" > ".join(drawn.sample(order, 60)) for _ in range(25))
    with serving(ServiceLimits(workers=1, seconds=2.0, clients=2)) as url:
        start = time.monotonic()
        answer = httpx.post(f"{url}/v1/winners", json={"text": lines}, timeout=60)
        assert time.monotonic() - start < 30
        results = {result["rule"]: result for result in answer.json()["rules"]}
        assert answer.status_code == 200
        assert results["borda"]["winners"]
        assert "was not settled within 2 seconds" in results["slater"]["error"]
        # Another worker is there soon, and a batch that takes too long has no parts to tell.
        batch = {"elections": [{"text": lines}], "rules": ["slater"]}
        answer = httpx.post(f"{url}/v1/elections", json=batch, timeout=60)
        assert answer.status_code == 503
        assert "longer than the 2 seconds" in answer.json()["error"]
        assert int(answer.headers["retry-after"]) > 0
        with ThreadPoolExecutor(6) as pool:
            post = lambda _: httpx.post(f"{url}/v1/elections", json=batch, timeout=60)  # noqa: E731
            statuses = [answer.status_code for answer in pool.map(post, range(6))]
        assert set(statuses) == {429, 503}
        assert httpx.post(f"{url}/v1/winners", json=EXAMPLE, timeout=60).status_code == 200


# ---------------------------------------------------------------------- fuzzing


schema = schemathesis.openapi.from_dict(create_app().openapi())


@schema.parametrize()
@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_service_keeps_to_its_own_description(case, url: str) -> None:
    # That ballots name only candidates, say, no description can tell, so what fits may be refused.
    case.call_and_validate(base_url=url, excluded_checks=[positive_data_acceptance])


def test_damaged_requests_never_break_it(client: httpx.Client) -> None:
    drawn = random.Random(0)
    kind = {"Content-Type": "application/json"}
    paths = ["winners", "elections", "parse", "export", "sample", "welfare"]
    for _ in range(300):
        body = damaged(drawn)
        answer = client.post(f"/v1/{drawn.choice(paths)}", content=body, headers=kind)
        # What was put into a name may well do no harm.
        assert answer.status_code in (200, 400, 422), body
        assert (answer.status_code == 200) == ("error" not in answer.json())


def damaged(drawn: random.Random) -> bytes:
    """A good request with something wrong in it."""
    good = json.dumps(
        {"ballots": [{"count": 3, "ranking": [["a"], ["b", "c"]]}], "rules": ["borda"]}
    )
    damage = drawn.randrange(4)
    if damage == 0:
        return drawn.randbytes(drawn.randrange(40))
    if damage == 1:
        return good[: drawn.randrange(len(good))].encode()
    if damage == 2:
        place = drawn.randrange(len(good))
        return (good[:place] + drawn.choice('{}[]",:\\') + good[place:]).encode()
    odd = [None, -1, 1e400, 2**70, "", [[]], {}, True, "\0", "../etc", "9" * 5000, [None]]
    request = {"nonsense": drawn.choice(odd), "text": drawn.choice(odd)}
    request[drawn.choice(string.ascii_letters)] = drawn.choice(odd)
    return json.dumps(request).encode()


# ---------------------------------------------------------------------- the command


def test_the_command_serves_and_stops_in_order(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "elect", "serve", "--port", "0", "--no-browser"]
    out, err = tmp_path / "out", tmp_path / "err"
    with out.open("w") as stdout, err.open("w") as stderr:
        limits = ["--limit", "workers=1", "--limit", "seconds=60"]
        process = subprocess.Popen([*command, *limits], stdout=stdout, stderr=stderr)
        try:
            wait_until(lambda: "is open" in out.read_text())
            url = out.read_text().split()[0]
            assert url.startswith("http://127.0.0.1:")
            port = url.rstrip("/").rpartition(":")[2]
            secret = {"text": "2: Zaphod > Trillian", "rules": ["borda"]}
            wait_until(lambda: httpx.get(f"{url}healthz").json()["ready"])
            assert httpx.post(f"{url}v1/winners", json=secret, timeout=60).status_code == 200
            assert httpx.get(f"{url}?e=Zaphod").status_code == 200
            taken = subprocess.run(
                [*command[:-3], "--port", port, "--no-browser"], capture_output=True, text=True
            )
            assert taken.returncode == 2
            assert "choose another port with --port" in taken.stderr
        finally:
            process.send_signal(signal.SIGINT)
            code = process.wait(60)
    assert code == 0
    lines = [json.loads(line) for line in err.read_text().splitlines()]
    assert {"POST"} == {line["method"] for line in lines if line["path"] == "/v1/winners"}
    assert all(line["event"] == "request" for line in lines)
    assert "Zaphod" not in err.read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--rule", "/"], "holds no trained rule"),
        (["--limit", "colour=3"], "no limit named 'colour'"),
        (["--limit", "seconds=x"], "is not valid"),
        (["--host", "nowhere.invalid"], "Cannot listen on"),
    ],
)
def test_faults_of_the_command_are_told_in_a_sentence(more, said: str, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", *more])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_the_command_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from elect.cli import main; main(['serve', '--no-browser'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert 'pip install "elect[serve]"' in done.stderr


def test_the_process_that_serves_loads_nothing_heavy() -> None:
    code = (
        "import sys; from elect.service import create_app; create_app()\n"
        "assert not {'torch', 'numpy', 'numba', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_command_names_every_limit() -> None:
    assert LIMITS.split(", ") == list(vars(ServiceLimits()))


def test_small_answers_are_sent_at_once() -> None:
    # asyncio turns Nagle's algorithm off only for what is named as TCP.
    with _socket("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP
