"""Ballots written out, a line each, as the page takes them too."""

from pathlib import Path

import pytest

from elect import ElectError, read
from elect.service.ballots import read_lines

TEXT = "# the board\n12: Anna > Ben > Cleo\n7: Ben > Cleo\n\nCleo > Ben = Anna\n0: Dan\n"


def kept(folder: Path, text: str, name: str = "board.txt") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", ["board.txt", "board", "board.csv"])
def test_counts_ties_remarks_and_candidates_whom_nobody_ranks(tmp_path, name):
    profile = read(kept(tmp_path, TEXT, name))
    assert profile.names == ("Anna", "Ben", "Cleo", "Dan")
    assert profile.ballots() == [
        (12, [[0], [1], [2]]),
        (7, [[1], [2]]),
        (1, [[2], [0, 1]]),
    ]


def test_a_file_says_what_the_same_text_says_to_the_service(tmp_path):
    profile = read(kept(tmp_path, TEXT))
    names = profile.labels
    found = [
        (n, [sorted(names[c] for c in tier) for tier in tiers]) for n, tiers in profile.ballots()
    ]
    sent = [(n, [sorted(tier) for tier in tiers]) for n, tiers in read_lines(TEXT) if n]
    assert found == sent


def test_names_may_hold_commas_where_no_table_is_meant(tmp_path):
    text = "2: Smith, J. > Doe, A.\nDoe, A. > Smith, J.\n"
    assert read(kept(tmp_path, text)).names == ("Smith, J.", "Doe, A.")
    # In a table a comma parts cells, and a name may hold what would be an order here.
    table = read(kept(tmp_path, "x > y,z\nz,x > y\n", "names.csv"))
    assert table.names == ("x > y", "z")


def test_counted_single_names_are_ballots(tmp_path):
    profile = read(kept(tmp_path, "12: Anna\n7: Ben\n"))
    assert profile.ballots() == [(12, [[0]]), (7, [[1]])]


def test_times_of_day_are_names_in_a_table(tmp_path):
    assert read(kept(tmp_path, "10:30,11:00\n11:00,10:30\n")).names == ("10:30", "11:00")
    assert read(kept(tmp_path, "10:30\n11:00\n", "times.csv")).names == ("10:30", "11:00")


def test_a_single_name_a_line_is_still_a_table(tmp_path):
    assert read(kept(tmp_path, "Anna\nBen\nBen\n")).names == ("Anna", "Ben")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ann > Ben\nAnn > > Ben\n", "line 2 lacks a name; write ballots as in"),
        ("3: Ann > Ben > Ann\n", "line 1: the ballot ranks 'Ann' twice"),
        ("0: Ann > Ben\n", "has no ballots"),
        ("# a remark\n", "has no ballots"),
        ("5:\n", "An election"),
        ("Ann > Ben\n-3: Ben > Ann\n", "line 2 begins with '-3', no number of voters"),
        ("1.5: Ann > Ben\n", "line 1 begins with '1.5', no number of voters"),
        ("99999999999999: Ann > Ben\n", "', no number of voters"),
        ("5: Ann > Ben\nAnn, Ben\n", "line 2 has 'Ann, Ben', who is on no other ballot"),
        ("12: 1,2,3\n", "line 1 has '1,2,3', who is on no other ballot; write ballots as in"),
    ],
)
def test_faults_name_the_line_and_the_remedy(tmp_path, text, said):
    with pytest.raises(ElectError, match=said) as caught:
        read(kept(tmp_path, text))
    assert "board.txt" in str(caught.value)
