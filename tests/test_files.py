import os
import random
import re
from itertools import permutations
from pathlib import Path

import pytest
from pref_voting.io.readers import preflib_to_profile
from preflibtools.instances import OrdinalInstance, get_parsed_instance
from preflibtools.instances.sanity import metadata, orders

from elect import files
from elect.elections import Profiles
from elect.errors import ElectError

HEADER = """\
# FILE NAME: board.{kind}
# TITLE: Board
# DESCRIPTION:
# DATA TYPE: {kind}
# MODIFICATION TYPE: original
# RELATES TO:
# RELATED FILES:
# PUBLICATION DATE: 2024-01-01
# MODIFICATION DATE: 2024-01-01
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: {voters}
# NUMBER UNIQUE ORDERS: {lines}
# ALTERNATIVE NAME 1: Ann
# ALTERNATIVE NAME 2: Ben
# ALTERNATIVE NAME 3: Cleo
"""
OLD = "3\n1,Ann\n2,Ben\n3,Cleo\n{voters},{voters},{lines}\n"
CLEAN = {
    "soc": [(5, [[0], [1], [2]]), (4, [[2], [1], [0]])],
    "soi": [(5, [[0], [1], [2]]), (4, [[2]]), (3, [[1], [0]])],
    "toc": [(5, [[0, 1], [2]]), (4, [[2], [0], [1]]), (1, [[0, 1, 2]])],
    "toi": [(5, [[0, 1]]), (4, [[2], [0, 1]]), (2, [[1]])],
}


def shown(ballots, first="{}: {}"):
    def tier(candidates):
        text = ",".join(str(c + 1) for c in candidates)
        return f"{{{text}}}" if len(candidates) != 1 else text

    return "".join(first.format(n, ",".join(map(tier, tiers))) + "\n" for n, tiers in ballots)


def header(kind, voters, lines):
    return HEADER.format(kind=kind, voters=voters, lines=lines)


def board(ballots, kind="soc"):
    return header(kind, sum(n for n, _ in ballots), len(ballots)) + shown(ballots)


@pytest.fixture
def put(tmp_path):
    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def contents(profile):
    """The election as a mapping from ballots to voters."""
    found = {}
    for count, tiers in profile.ballots():
        key = tuple(tuple(tier) for tier in tiers)
        found[key] = found.get(key, 0) + count
    return found


# ---------------------------------------------------------------------- PrefLib


@pytest.mark.parametrize("kind", CLEAN)
def test_reads_every_kind_of_order(put, kind):
    profile = files.read(put(f"board.{kind}", board(CLEAN[kind], kind)))
    assert len(profile) == 1
    assert profile.names == ("Ann", "Ben", "Cleo")
    assert profile.ballots() == CLEAN[kind]


@pytest.mark.parametrize("kind", CLEAN)
def test_reads_the_format_before_2022(put, kind):
    ballots = CLEAN[kind]
    text = OLD.format(voters=sum(n for n, _ in ballots), lines=len(ballots))
    path = put(f"ED-00099-00000001.{kind}", text + shown(ballots, "{},{}"))
    assert files.read(path).ballots() == ballots
    assert files.read(path).names == ("Ann", "Ben", "Cleo")
    with pytest.raises(ValueError, match=r"not enough values|invalid literal"):
        get_parsed_instance(str(path))


def test_old_format_with_spaces_commas_in_names_and_an_odd_total(put):
    text = "2\n1, Smith, Ann\n 2 , Łukasz: B\r\n\n7,3,2\n2 , 1 , 2 \n1, {1 ,2}\n\n"
    profile = files.read(put("ED-1.toc", text))
    assert profile.names == ("Smith, Ann", "Łukasz: B")
    assert profile.ballots() == [(2, [[0], [1]]), (1, [[0, 1]])]
    assert files.read(put("old.txt", text)).ballots() == profile.ballots()


def test_categories_are_tied_levels(put):
    text = """\
# FILE NAME: approvals.cat
# DATA TYPE: cat
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 10
# NUMBER UNIQUE PREFERENCES: 4
# NUMBER CATEGORIES: 2
# CATEGORY NAME 1: Yes
# CATEGORY NAME 2: No
# ALTERNATIVE NAME 1: A
# ALTERNATIVE NAME 2: B
# ALTERNATIVE NAME 3: C
# ALTERNATIVE NAME 4: D
4: 1,{2,3,4}
3: {},{1, 2,3,4}
2: {1,\t4},3

1: {1,2,3,4},{}

"""
    profile = files.read(put("approvals.cat", text))
    assert contents(profile) == {((0,), (1, 2, 3)): 4, ((0, 1, 2, 3),): 4, ((0, 3), (2,)): 2}
    with pytest.raises(ElectError, match=r"line 14: .* 3 categories; keep to the header's 2"):
        files.read(put("approvals.cat", text.replace("3: {},", "3: {},{},")))


def test_odd_but_correct_files(put):
    text = """\
#FILE NAME : odd.soi\r
# A remark
# DATA TYPE: soi\r
# NUMBER ALTERNATIVES:4
# NUMBER VOTERS: 12
# ALTERNATIVE NAME 1: Smith, Ann: the 1st {x}
# ALTERNATIVE NAME 2: Ślężak\u2028Œ 李\r
# ALTERNATIVE NAME 3:
# ALTERNATIVE NAME 4:  # 7
\r
 3 :  2 , 1\r
4: 4,3,2,1
  # another
5:3"""
    profile = files.read(put("odd.soi", b"\xef\xbb\xbf" + text.encode()))
    assert profile.names == ("Smith, Ann: the 1st {x}", "Ślężak Œ 李", "3", "# 7")
    assert profile.ballots() == [(3, [[1], [0]]), (4, [[3], [2], [1], [0]]), (5, [[2]])]
    assert files.read(put("mac.soi", text.replace("\r\n", "\n").replace("\n", "\r"))).names
    one = "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: Ann\n9: 1\n"
    assert files.read(put("one.soc", one)).ballots() == [(9, [[0]])]


def test_repeated_ballots_add_up_and_nobody_counts_for_nobody(put):
    # preflibtools keeps the last count of a repeated order.
    text = header("soi", 6, 3) + "1: 1,2\n5: 1, 2\n0: 3\n"
    path = put("board.soi", text)
    assert files.read(path).ballots() == [(6, [[0], [1]])]
    assert sum(get_parsed_instance(str(path)).multiplicity.values()) == 5


def test_counts_may_be_large(put):
    text = board([(10**12 - 1, [[0], [1], [2]]), (1, [[2], [1], [0]])])
    profile = files.read(put("board.soc", text))
    assert profile.num_voters.tolist() == [10**12]
    assert profile.ranks.shape[1] == 2


def test_equal_names_become_distinct(put):
    text = board(CLEAN["soc"]).replace("Cleo", "Ann")
    assert files.read(put("board.soc", text)).names == ("Ann", "Ben", "Ann (2)")
    text = text.replace("Ben", "Ann (2)")
    assert files.read(put("board.soc", text)).names == ("Ann", "Ann (2)", "Ann (3)")


def test_names_are_optional(put):
    text = "# NUMBER ALTERNATIVES: 3\n2: 3,1\n"
    assert files.read(put("bare.toi", text)).names == ("1", "2", "3")


def test_the_header_outweighs_the_extension(put):
    for name in ("board.toc", "board.cat", "board.csv", "board.txt", "board", "board.data"):
        profile = files.read(put(name, board(CLEAN["soi"], "soi")))
        assert profile.ballots() == CLEAN["soi"]


SUSHI = [
    "ebi (shrimp)",
    "anago (sea eel)",
    "maguro (tuna)",
    "ika (squid)",
    "uni (sea urchin)",
    "sake (salmon roe)",
    "tamago (egg)",
    "toro (fatty tuna)",
    "tekka-maki (tuna roll)",
    "kappa-maki (cucumber roll)",
]


def sushi(title, file_name, names=SUSHI):
    lines = [f"# FILE NAME: {file_name}", f"# TITLE: {title}", "# DATA TYPE: soi"]
    lines += [f"# ALTERNATIVE NAME {c}: {name}" for c, name in enumerate(names, 1)]
    return "\n".join([*lines, "5: 7,1", ""])


def test_sushi_is_called_what_it_is(put):
    right = (*SUSHI[1:], SUSHI[0])
    for title, file_name in [("Sushi 10 Rank", "x"), ("x", "00014-00000001.soc")]:
        profile = files.read(put("a.soi", sushi(title, file_name)))
        assert profile.names == right
        assert profile.names[6] == "toro (fatty tuna)"
        assert files.read(files.write(profile, put("b.soi", ""))).names == right
    assert files.read(put("a.soi", sushi("Sushi 10 Rank", "x", right))).names == right
    assert files.read(put("a.soi", sushi("Lunch", "lunch.soi"))).names == tuple(SUSHI)
    old = "10\n" + "".join(f"{c},{name}\n" for c, name in enumerate(SUSHI, 1)) + "5,5,1\n5,7\n"
    assert files.read(put("ED-00014-00000001.soi", old)).names == right


BROKEN = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "binary": (b"\x1f\x8b\x08\0\0", "is not text"),
    "latin-1": (board(CLEAN["soc"]).replace("Ben", "Bén").encode("latin-1"), "line 14: .*UTF-8"),
    "utf-16": (board(CLEAN["soc"]).encode("utf-16-le"), "is not text"),
    "prose": ("Dear Sir or Madam,\nplease find enclosed\n", "line 1: .*neither"),
    "page": ("<html><body>404</body></html>", "line 1: .*neither"),
    "no ballots": (header("soc", 0, 0), "no ballots"),
    "only nobody": (header("soc", 0, 1) + "0: 1,2,3\n", "no ballots"),
    "cut short": (board(CLEAN["soc"])[:-9], "announces 9 voters but has ballots of 5"),
    "cut in a ballot": (board(CLEAN["soc"])[:-3], "line 17: .*soi"),
    "too many voters": (board(CLEAN["soc"]) + "1: 2,1,3\n", "announces 9 voters .* of 10"),
    "too few lines": (header("soc", 9, 3) + shown(CLEAN["soc"]), "announces 3 distinct"),
    "twice": (header("soi", 1, 1) + "1: 1,2,1\n", "line 16: .*'Ann' twice"),
    "twice in a tie": (header("toi", 1, 1) + "1: {1,2},2\n", "line 16: .*'Ben' twice"),
    "out of range": (header("soi", 1, 1) + "1: 1,4\n", "line 16: .*alternative 4; .* 1 to 3"),
    "zero": (header("soi", 1, 1) + "1: 0,1\n", "line 16: .*alternative 0"),
    "truncated in soc": (header("soc", 1, 1) + "1: 1,2\n", "line 16: .*soi"),
    "truncated in toc": (header("toc", 1, 1) + "1: {1,2}\n", "line 16: .*toi"),
    "tied in soc": (header("soc", 1, 1) + "1: {1,2},3\n", "line 16: .*toc"),
    "tied in soi": (header("soi", 1, 1) + "1: {1,2}\n", "line 16: .*toi"),
    "count a word": (header("soc", 1, 1) + "one: 1,2,3\n", "line 16: 'one' is no number of voters"),
    "count negative": (header("soc", 1, 1) + "-1: 1,2,3\n", "line 16: '-1' is no number of voters"),
    "count a fraction": (
        header("soc", 1, 1) + "1.5: 1,2,3\n",
        "line 16: '1.5' is no number of voters",
    ),
    "count huge": (
        header("soc", 1, 1) + "9" * 5000 + ": 1,2,3\n",
        "line 16: '9+…' is no number of voters",
    ),
    "count too huge": (header("soc", 10**12 + 1, 1) + f"{10**12 + 1}: 1,2,3\n", "10\\^12 voters"),
    "no count": (header("soc", 1, 1) + "1,2,3\n", "line 16: '1,2,3' is no ballot"),
    "no commas": (header("soc", 1, 1) + "1: 1 2 3\n", "line 16: .*is no ballot"),
    "empty place": (header("soc", 1, 1) + "1: 1,,2,3\n", "line 16: .*is no ballot"),
    "trailing comma": (header("soc", 1, 1) + "1: 1,2,\n", "line 16: .*is no ballot"),
    "open brace": (header("toc", 1, 1) + "1: 1,{2,3\n", "line 16: .*is no ballot"),
    "nested braces": (header("toc", 1, 1) + "1: {1,{2,3}}\n", "line 16: .*is no ballot"),
    "letters": (header("soc", 1, 1) + "1: 1,2,c3\n", "line 16: .*is no ballot"),
    "other digits": (header("soc", 1, 1) + "1: 1,2,٣\n", "line 16: .*is no ballot"),
    "wide number": (header("soc", 1, 1) + f"1: 1,2,{'3' * 5000}\n", "line 16: .*is no ballot"),
    "graph": (board(CLEAN["soc"], "wmd"), "DATA TYPE is 'wmd'"),
    "number a word": (board(CLEAN["soc"]).replace("VOTERS: 9", "VOTERS: nine"), "line 11: 'nine'"),
    "nobody stands": ("# TITLE: x\n3: 1,2\n", "has 0 alternatives"),
    "too many stand": ("# NUMBER ALTERNATIVES: 40000\n3: 1,2\n", "has 40000 alternatives"),
    "name missing": (re.sub("# .*Ben\n", "", board(CLEAN["soc"])), "not a name for each"),
    "name too many": (board(CLEAN["soc"]).replace("ES: 3", "ES: 2"), "not a name for each"),
    "old, no totals": ("2\n1,Ann\n2,Ben\n", "lacks the line"),
    "old, wrong m": ("3\n1,Ann\n2,Ben\n5,5,1\n5,1,2\n", "line 4: .*of 3 alt"),
    "old, cut short": ("2\n1,Ann\n2,Ben\n5,5,2\n3,1,2\n", "announces 5 voters but .* 3"),
    "old, no ballots": ("2\n1,Ann\n2,Ben\n5,5,2\n", "no ballots"),
    "old, no name": ("2\n1,Ann\nBen\n5,5,1\n5,1,2\n", "line 3: 'Ben' does not name"),
    "old, bad ballot": ("2\n1,Ann\n2,Ben\n5,5,1\n5,1;2\n", "line 5: '5,1;2' is no ballot"),
    "old, wrong id": ("2\n1,Ann\n3,Ben\n5,5,1\n5,1,2\n", "line 3: '3,Ben'"),
    "old, id twice": ("2\n1,Ann\n1,Ben\n5,5,1\n5,1,2\n", "not a name for each"),
    "old, truncated": ("2\n1,Ann\n2,Ben\n5,5,1\n5,1\n", "line 5: .*soi"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_in_one_sentence(put, case):
    content, message = BROKEN[case]
    path = put("broken.soc", content)
    with pytest.raises(ElectError, match=message) as caught:
        files.read(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_paths_that_are_no_ballot_files(tmp_path, put):
    with pytest.raises(ElectError, match="There is no file"):
        files.read(tmp_path / "none.soc")
    with pytest.raises(ElectError, match="is a folder"):
        files.read(tmp_path)
    with pytest.raises(ElectError, match="cannot be read"):
        files.read(put("plain.soc", "x") / "inside.soc")
    with pytest.raises(ElectError, match="cannot be read"):
        files.read("a\0b.soc")
    with pytest.raises(ElectError, match="cannot be read"):
        files.read("a" * 5000)
    with pytest.raises(ElectError, match="graphs"):
        files.read(put("ED-00001.tog", "2\n1,A\n2,B\n1,1,1\n1,1,2\n"))
    with pytest.raises(ElectError, match="unknown kind"):
        files.read(put("notes.md", "# Notes\n"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read(put):
    path = put("board.soc", board(CLEAN["soc"]))
    path.chmod(0)
    with pytest.raises(ElectError, match="cannot be read"):
        files.read(path)


# ---------------------------------------------------------------------- CSV

TABLES = {
    "plain": "Ann,Ben,Cleo\nAnn,Ben,Cleo\nCleo\nBen = Cleo,Ann\n",
    "header": "1st,2nd,3rd\nAnn,Ben,Cleo\nAnn,Ben,Cleo\nCleo,,\nBen=Cleo,Ann,\n",
    "choices": "Choice 1;Choice 2;Choice 3\nAnn;Ben;Cleo\nAnn;Ben;Cleo\nCleo;;\nBen = Cleo;Ann\n",
    "count first": "count,,,\n2,Ann,Ben,Cleo\n1,Cleo,,\n1,Ben = Cleo,Ann,\n",
    "count last": "best,then,last,Votes\nAnn,Ben,Cleo,2\nCleo,,,1\nBen = Cleo,Ann,,1.0\n",
    "count alone": "2,Ann,Ben,Cleo\n1,Cleo\n1,Ben = Cleo,Ann\n",
    "gaps": "weight\tx\ty\tz\tu\n2\tAnn\t\tBen\tCleo\n1\t\tCleo\n1\t\t\tBen = Cleo\tAnn\n",
    "semicolons": "voters; a; b; c\r\n2; Ann; Ben; Cleo\r\n1; Cleo\r\n1; Ben = Cleo; Ann\r\n",
    "blank rows": "\n\nAnn,Ben,Cleo\n,,\nAnn,Ben,Cleo\n\nCleo,,\n,,,,\nBen = Cleo,Ann\n\n\n",
    "introduced": "number,a,b,c\n0,Ann,Ben,Cleo\n1,Cleo\n2,Ann,Ben,Cleo\n1,Ben = Cleo,Ann\n",
    "quotes": '"count","a","b","c"\n2,"Ann","Ben","Cleo"\n1,"Cleo"\n1, "Ben = Cleo", "Ann"\n',
}


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_tables(put, case, mark):
    profile = files.read(put("board.csv", mark + TABLES[case]))
    assert profile.names == ("Ann", "Ben", "Cleo")
    assert contents(profile) == {((0,), (1,), (2,)): 2, ((2,),): 1, ((1, 2), (0,)): 1}
    assert profile.ranks.shape[1] == 3


def test_names_in_tables(put):
    text = '"Smith, Ann";Ślężak: B\nO""Neil "x" Y;"a;b\tc ""d""\nE"\n'
    names = files.read(put("names.csv", text)).names
    assert names == ("Smith, Ann", "Ślężak: B", 'O""Neil "x" Y', 'a;b c "d" E')
    assert files.read(put("bare.csv", "Smith, Ann;Roe, Jo\n")).names == ("Smith, Ann", "Roe, Jo")
    assert files.read(put("numbers.csv", "11,14\n14,11\n20\n")).names == ("11", "14", "20")
    assert files.read(put("one.csv", "Ann")).names == ("Ann",)
    assert files.read(put("empty.csv", "count,a\n3,Ann\n2,\n")).ballots() == [(3, [[0]]), (2, [])]


BROKEN_TABLES = {
    "no rows": ("count,a,b\n", "names no candidate"),
    "no names": ("count,a,b\n3,,\n", "names no candidate"),
    "only marks": (",,,\n,,\n", "no ballots"),
    "count a word": ("count,a\ntwo,Ann\n", "line 2: 'two' is no number of voters"),
    "count negative": ("count,a\n1,Ben\n-2,Ann\n", "line 3: '-2' is no number of voters"),
    "count a fraction": ("count,a\n2.5,Ann\n", "line 2: '2.5' is no number of voters"),
    "count missing": ("a,count\nAnn,2\nBen\n", "line 3: '' is no number of voters"),
    "counts of nobody": ("count,a\n0,Ann\n", "no ballots"),
    "too many voters": (f"count,a\n{10**12 + 1},Ann\n", "10\\^12 voters"),
    "twice": ("Ann,Ben\nBen,Ann,Ben\n", "line 2: .*'Ben' twice"),
    "tied with itself": ("Ann = Ann\n", "line 1: .*'Ann' twice"),
    "half a tie": ("Ann,Ben\nAnn =,Ben\n", "line 2: '=' is for ties"),
    "open quote": ('Ann,"Ben\nCleo,Ann\n', "line 2: .*quotation marks"),
    "text after quote": ('Ann,"Ben"x\n', "line 1: .*quotation marks"),
    "endless cell": ("x" * 200_000, "line 1: .*table"),
    "ranks": ("Ann,Ben,Cleo\n1,2,3\n2,1,3\n", "ranks in the cells"),
    "counted ranks": ("count,Ann,Ben,Cleo\n9,1,2,3\n5,2,1,3\n", "ranks in the cells"),
}


@pytest.mark.parametrize("case", BROKEN_TABLES)
def test_broken_tables_are_refused_in_one_sentence(put, case):
    content, message = BROKEN_TABLES[case]
    with pytest.raises(ElectError, match=message) as caught:
        files.read(put("broken.csv", content))
    assert str(caught.value).endswith(".")


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


# ---------------------------------------------------------------------- PrefLib's own files

DATA = Path(os.environ.get("ELECT_TEST_DATA", "no folder is named"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="ELECT_TEST_DATA names no folder of PrefLib files"
)


@needs_data
def test_preflibs_own_files():
    found = [path for kind in (*CLEAN, "cat") for path in sorted(DATA.rglob(f"*.{kind}"))]
    assert found
    for path in found:
        profile, instance = files.read(path), get_parsed_instance(str(path))
        theirs: dict = {}
        for order, count in instance.multiplicity.items():
            key = tuple(tuple(sorted(c - 1 for c in tier)) for tier in order if tier)
            theirs[key] = theirs.get(key, 0) + count
        assert contents(profile) == theirs
        assert int(profile.num_voters) == instance.num_voters
        if instance.title != "Sushi 10 Rank":
            assert list(profile.names) == list(instance.alternatives_name.values())
