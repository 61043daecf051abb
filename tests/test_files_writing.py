"""What is written is read again, by others too, and no bytes at all bring a traceback."""

import os
import random
from itertools import permutations

import pytest
from pref_voting.io.readers import preflib_to_profile
from preflibtools.instances import OrdinalInstance
from preflibtools.instances.sanity import metadata, orders

from boards import CLEAN, OLD, TABLES, board, contents, shown
from elect import files
from elect.elections import Profiles
from elect.errors import ElectError

# ---------------------------------------------------------------------- writing


def random_profile(rng, truncated, tied):
    size = rng.randint(1, 7)
    ballots, weights = [], []
    for _ in range(rng.randint(1, 12)):
        order = rng.sample(range(size), rng.randint(0, size) if truncated else size)
        tiers = []
        for c in order:
            if tied and tiers and rng.random() < 0.4:
                tiers[-1].append(c)
            else:
                tiers.append([c])
        ballots.append(tiers)
        weights.append(rng.randint(1, 9) if rng.random() < 0.9 else rng.randint(1, 10**10))
    names = ['Ann "A"', "Béa; b", "C, c: c", "李 {4}", "#5", "count", "3"][:size]
    return Profiles.from_rankings(ballots, weights, names, num_candidates=size)


def profiles(number):
    rng = random.Random(7)
    for i in range(number):
        yield random_profile(rng, truncated=i % 2 > 0, tied=i % 4 > 1)


def test_what_was_written_is_read(tmp_path):
    for profile in profiles(200):
        for path in (
            files.write(profile, tmp_path / "a"),
            files.write(profile, tmp_path / "a.csv"),
        ):
            again = files.read(path)
            assert again.names == profile.names
            assert contents(again) == contents(profile)


def test_other_libraries_read_what_was_written(tmp_path):
    for profile in profiles(60):
        path = files.write(profile, tmp_path / "a")
        instance = OrdinalInstance(str(path))
        found = {
            tuple(tuple(c - 1 for c in tier) for tier in order): count
            for order, count in instance.multiplicity.items()
        }
        assert found == contents(profile)
        assert list(instance.alternatives_name.values()) == list(profile.names)
        assert metadata(instance) == []
        # preflibtools' own check of orders does not know ballots that rank nobody.
        if () not in instance.orders:
            assert orders(instance) == []
        theirs = preflib_to_profile(str(path))
        theirs.use_extended_strict_preference()
        # pref_voting knows only the candidates whom somebody ranks.
        for a, b in permutations(theirs.candidates, 2):
            assert theirs.support(a, b) == profile.support[0, a - 1, b - 1]


@pytest.mark.parametrize("kind", CLEAN)
def test_the_most_restrictive_type_is_written(put, tmp_path, kind):
    profile = files.read(put(f"in.{kind}", board(CLEAN[kind], kind)))
    path = files.write(profile, tmp_path / "out")
    assert path == tmp_path / f"out.{kind}"
    assert f"# DATA TYPE: {kind}\n" in path.read_text()
    able = {"soc": CLEAN, "soi": ("soi", "toi"), "toc": ("toc", "toi"), "toi": ("toi",)}[kind]
    for other in CLEAN:
        target = tmp_path / f"named.{other}"
        if other in able:
            assert contents(files.read(files.write(profile, target))) == contents(profile)
            assert f"# DATA TYPE: {kind}\n" in target.read_text()
        else:
            with pytest.raises(ElectError, match=rf"\.{other} file cannot .*named\.{kind}\."):
                files.write(profile, target)
            assert not target.exists()


def test_the_header_is_complete(tmp_path):
    profile = Profiles.from_rankings([["A", "B"], ["B", "A"], ["A", "B"]])
    lines = files.write(profile, tmp_path / "x.soc").read_text().splitlines()
    assert [line.rstrip() for line in lines] == [
        "# FILE NAME: x.soc",
        "# TITLE: x",
        "# DESCRIPTION:",
        "# DATA TYPE: soc",
        "# MODIFICATION TYPE: synthetic",
        "# RELATES TO:",
        "# RELATED FILES:",
        "# PUBLICATION DATE:",
        "# MODIFICATION DATE:",
        "# NUMBER ALTERNATIVES: 2",
        "# NUMBER VOTERS: 3",
        "# NUMBER UNIQUE ORDERS: 2",
        "# ALTERNATIVE NAME 1: A",
        "# ALTERNATIVE NAME 2: B",
        "2: 1,2",
        "1: 2,1",
    ]
    table = files.write(profile, tmp_path / "x.csv").read_text()
    assert table == "count,rank 1,rank 2\n2,A,B\n1,B,A\n"


def test_names_are_cleaned_and_padding_is_left_out(tmp_path):
    names = ["A\nB\r\tC", " \n ", "A B C", "\ud800"]
    profile = Profiles.from_rankings([[0, 1, 2, 3]], names=names)
    for name in ("a.soc", "a.csv"):
        again = files.read(files.write(profile, tmp_path / name))
        assert again.names == ("A B C", "1", "A B C (2)", "?")
    small = Profiles.from_rankings([[1, 0]], weights=[2])
    batch = Profiles.concat([small, Profiles.from_rankings([[2, 1, 0], [0, 1, 2]])])
    again = files.read(files.write(batch[0], tmp_path / "small"))
    assert again.names == ("0", "1")
    assert again.ballots() == [(2, [[1], [0]])]


def test_what_cannot_be_written(tmp_path, monkeypatch):
    profile = Profiles.from_rankings([["A=B", "C"]])
    with pytest.raises(ElectError, match="one election and this batch has 2"):
        files.write(Profiles.concat([profile, profile]), tmp_path / "a.soc")
    for suffix in ("cat", "xlsx", "election"):
        with pytest.raises(
            ElectError, match=f"'.{suffix}' files cannot be written; .* .soc or .csv"
        ):
            files.write(profile, tmp_path / f"a.{suffix}")
    with pytest.raises(ElectError, match="'A=B', as '=' is for ties"):
        files.write(profile, tmp_path / "a.csv")
    with pytest.raises(ElectError, match="is a folder"):
        files.write(profile, tmp_path)
    with pytest.raises(ElectError, match="cannot be written"):
        files.write(profile, tmp_path / "none" / "a.soc")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path, monkeypatch):
    path = files.write(Profiles.from_rankings([["A", "B"]]), tmp_path / "a.soc")
    before = path.read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ElectError, match="No space left"):
        files.write(Profiles.from_rankings([["B", "A"]]), path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


# ---------------------------------------------------------------------- any bytes at all


def mutated(rng, data):
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(lines))
        j = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                del lines[i]
            case 1:
                lines.insert(i, lines[j])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                lines[i] = lines[i][: rng.randint(0, len(lines[i]))]
            case 4:
                lines = lines[: i + 1]
            case _:
                line = bytearray(lines[i])
                at = rng.randint(0, len(line))
                new = rng.choice(b'0123456789,;:{}#="\t\r -.x\x85\xe9\xff\0')
                line[at : at + rng.randint(0, 2)] = bytes([new]) * rng.randint(0, 2)
                lines[i] = bytes(line)
        lines = lines or [b""]
    return b"\n".join(lines)


def test_any_bytes_give_an_election_or_one_sentence(put):
    rng = random.Random(3)
    seeds = [(f"a.{kind}", board(CLEAN[kind], kind)) for kind in CLEAN]
    seeds += [("a.cat", board([(3, [[0], []]), (2, [[1], [0, 2]])], "cat"))]
    seeds += [("a.toi", OLD.format(voters=11, lines=3) + shown(CLEAN["toi"], "{},{}"))]
    seeds += [(name, text) for text in TABLES.values() for name in ("a.csv", "a.txt")]
    sentences, elections = [], []
    for i in range(4000):
        name, text = seeds[i % len(seeds)]
        path = put(name, mutated(rng, text.encode()))
        try:
            elections.append(files.read(path))
        except ElectError as error:
            sentences.append(str(error))
    assert min(len(sentences), len(elections)) > 400
    assert all("\n" not in sentence and sentence.endswith(".") for sentence in sentences)
    for profile in elections:
        assert len(profile) == 1
        assert len(set(profile.names)) == profile.ranks.shape[2]
        assert int(profile.num_voters) > 0
