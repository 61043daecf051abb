"""PrefLib's files, today's and those before 2022: what is read, and what is refused."""

import os
import re
from pathlib import Path

import pytest
from preflibtools.instances import get_parsed_instance

from boards import CLEAN, OLD, board, contents, header, shown
from elect import files
from elect.errors import ElectError

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
    "count a word": (
        header("soc", 1, 1) + "one: 1,2,3\n",
        "line 16: 'one' is not a number of voters",
    ),
    "count negative": (
        header("soc", 1, 1) + "-1: 1,2,3\n",
        "line 16: '-1' is not a number of voters",
    ),
    "count a fraction": (
        header("soc", 1, 1) + "1.5: 1,2,3\n",
        "line 16: '1.5' is not a number of voters",
    ),
    "count huge": (
        header("soc", 1, 1) + "9" * 5000 + ": 1,2,3\n",
        "line 16: '9+…' is not a number of voters",
    ),
    "count too huge": (header("soc", 10**12 + 1, 1) + f"{10**12 + 1}: 1,2,3\n", "10\\^12 voters"),
    "no count": (header("soc", 1, 1) + "1,2,3\n", "line 16: '1,2,3' is not a ballot"),
    "no commas": (header("soc", 1, 1) + "1: 1 2 3\n", "line 16: .*is not a ballot"),
    "empty place": (header("soc", 1, 1) + "1: 1,,2,3\n", "line 16: .*is not a ballot"),
    "trailing comma": (header("soc", 1, 1) + "1: 1,2,\n", "line 16: .*is not a ballot"),
    "open brace": (header("toc", 1, 1) + "1: 1,{2,3\n", "line 16: .*is not a ballot"),
    "nested braces": (header("toc", 1, 1) + "1: {1,{2,3}}\n", "line 16: .*is not a ballot"),
    "letters": (header("soc", 1, 1) + "1: 1,2,c3\n", "line 16: .*is not a ballot"),
    "other digits": (header("soc", 1, 1) + "1: 1,2,٣\n", "line 16: .*is not a ballot"),
    "wide number": (header("soc", 1, 1) + f"1: 1,2,{'3' * 5000}\n", "line 16: .*is not a ballot"),
    "graph": (board(CLEAN["soc"], "wmd"), "DATA TYPE is 'wmd'"),
    "number a word": (board(CLEAN["soc"]).replace("VOTERS: 9", "VOTERS: nine"), "line 11: 'nine'"),
    "nobody stands": ("# TITLE: x\n3: 1,2\n", "has 0 alternatives"),
    "too many stand": ("# NUMBER ALTERNATIVES: 40000\n3: 1,2\n", "has 40,000 candidates"),
    "name missing": (re.sub("# .*Ben\n", "", board(CLEAN["soc"])), "not a name for each"),
    "name too many": (board(CLEAN["soc"]).replace("ES: 3", "ES: 2"), "not a name for each"),
    "old, no totals": ("2\n1,Ann\n2,Ben\n", "lacks the line"),
    "old, wrong m": ("3\n1,Ann\n2,Ben\n5,5,1\n5,1,2\n", "line 4: .*of 3 alt"),
    "old, cut short": ("2\n1,Ann\n2,Ben\n5,5,2\n3,1,2\n", "announces 5 voters but .* 3"),
    "old, no ballots": ("2\n1,Ann\n2,Ben\n5,5,2\n", "no ballots"),
    "old, no name": ("2\n1,Ann\nBen\n5,5,1\n5,1,2\n", "line 3: 'Ben' does not name"),
    "old, bad ballot": ("2\n1,Ann\n2,Ben\n5,5,1\n5,1;2\n", "line 5: '5,1;2' is not a ballot"),
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
