"""Whatever stands in a file is read or refused in one sentence, and what is written is read."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elect import files
from elect.elections import Profiles
from elect.errors import ElectError
from elect.limits import Limits

few = settings(max_examples=80, deadline=None)

GOOD = {
    "a.soi": "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Ben\n"
    "# ALTERNATIVE NAME 3: Cleo\n3: 1,2,3\n2: 2,1\n",
    "a.toc": "# DATA TYPE: toc\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 5\n"
    "3: 1,{2,3}\n2: 2,1,3\n",
    "a.cat": "# NUMBER ALTERNATIVES: 2\n# NUMBER CATEGORIES: 2\n3: {1},{2}\n2: {},{1,2}\n",
    "a.csv": "count,1st,2nd\n3,Ann,Ben\n2,Ben = Cleo,Ann\n",
    "a.tsv": "Ann\tBen\nBen\t\n",
    "a.txt": "12: Ann > Ben = Cleo\n# remark\nBen\n0: Dan\n",
    "a": "2\n1,Ann\n2,Ben\n5,5,2\n3,1,2\n2,2\n",
}
alphabet = st.sampled_from([*"0123456789:,;={}>#\"'\n\r\t -.AbÄ\u2028\ufeff", "10", "# NUM"])


def attempt(text: str, name: str) -> Profiles | None:
    try:
        return files.read_text(text, name)
    except ElectError as error:
        said = str(error)
    assert said.startswith(name)
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 600
    return None


def check(profile: Profiles) -> None:
    assert len(profile) == 1
    assert profile.names is not None
    assert len(set(profile.names)) == profile.ranks.shape[2]
    again = Profiles(profile.ranks, profile.weights, profile.num_candidates, profile.names)
    assert int(again.num_voters) > 0


@few
@given(st.lists(alphabet, max_size=60).map("".join), st.sampled_from(list(GOOD)))
def test_any_text(text, name):
    found = attempt(text, name)
    if found is not None:
        check(found)


@few
@given(st.sampled_from(list(GOOD)), st.data())
def test_damaged_files(name, data):
    text = GOOD[name]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 4)))
        text = text[:start] + data.draw(st.lists(alphabet, max_size=4).map("".join)) + text[end:]
    found = attempt(text, name)
    if found is not None:
        check(found)


@few
@given(st.binary(max_size=60), st.sampled_from(list(GOOD)))
def test_any_bytes(content, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            check(files.read(path))
        except ElectError as error:
            said = str(error)
        else:
            return
    assert said.startswith(str(path))
    assert "\n" not in said


elections = st.integers(1, 5).flatmap(
    lambda m: st.lists(
        st.tuples(
            st.integers(1, 10**9),
            st.lists(st.integers(0, 3), min_size=m, max_size=m),
        ),
        min_size=1,
        max_size=5,
    )
)
word = st.text(st.characters(min_codepoint=33, max_codepoint=0x24F, exclude_characters="=\x7f\x85"))


@few
@given(elections, st.lists(word.filter(str.strip), min_size=5, max_size=5, unique=True), st.data())
def test_what_is_written_is_read(ballots, words, data):
    ranks = [[rank if rank < 3 else -1 for rank in row] for _, row in ballots]
    names = [f"c{word.strip()}" for word in words][: len(ranks[0])]
    profile = Profiles.from_ranks(ranks, [count for count, _ in ballots], names)
    with tempfile.TemporaryDirectory() as folder:
        suffix = data.draw(st.sampled_from([".csv", ".toi"]))
        back = files.read(files.write(profile, Path(folder) / f"board{suffix}"))
    assert back.names == profile.names
    assert back.support.equal(profile.support)
    assert back.num_voters.equal(profile.num_voters)
    assert back.places.equal(profile.places)


LIMITED = {
    "candidates": ("a > b > c", "a.txt"),
    "ballots": ("a > b\nb > a\na\n", "a.txt"),
    "places": ("a > b\nb > a\na\n", "a.txt"),
    "name": ("abc,def\n", "a.csv"),
    "megabytes": ("a > b\n" * 10, "a.txt"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_the_error_names_the_limit(name):
    text, called = LIMITED[name]
    most = 1e-6 if name == "megabytes" else 2
    with pytest.raises(ElectError, match=rf"^{called}.*--limit {name}=\d+"):
        files.read_text(text, called, Limits(**{name: most}))
    files.read_text(text, called)


@pytest.mark.parametrize("count", [10**12, 10**12 + 1])
def test_the_most_voters(count):
    found = attempt(f"{count - 1}: Ann\n1: Ben\n", "a.txt")
    assert (found is None) == (count > 10**12)


def test_a_file_that_never_ends():
    with pytest.raises(ElectError, match="not text"):
        files.read("/dev/zero")
