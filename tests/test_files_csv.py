"""Tables of ballots: what is read, and what is refused."""

import pytest

from boards import TABLES, contents
from elect import files
from elect.errors import ElectError


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
    "count a word": ("count,a\ntwo,Ann\n", "line 2: 'two' is not a number of voters"),
    "count negative": ("count,a\n1,Ben\n-2,Ann\n", "line 3: '-2' is not a number of voters"),
    "count a fraction": ("count,a\n2.5,Ann\n", "line 2: '2.5' is not a number of voters"),
    "count missing": ("a,count\nAnn,2\nBen\n", "line 3: '' is not a number of voters"),
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
