"""Ballots of a board election as files hold them, and what they mean."""

BOARD = "count,1st,2nd,3rd\n4,Ann,Ben,Cleo\n3,Ben,Cleo,Ann\n2,Cleo,Ann,Ben\n"

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


def shown(ballots, first="{}: {}"):
    def tier(candidates):
        text = ",".join(str(c + 1) for c in candidates)
        return f"{{{text}}}" if len(candidates) != 1 else text

    return "".join(first.format(n, ",".join(map(tier, tiers))) + "\n" for n, tiers in ballots)


def header(kind, voters, lines):
    return HEADER.format(kind=kind, voters=voters, lines=lines)


def board(ballots, kind="soc"):
    return header(kind, sum(n for n, _ in ballots), len(ballots)) + shown(ballots)


def contents(profile):
    """The election as a mapping from ballots to voters."""
    found = {}
    for count, tiers in profile.ballots():
        key = tuple(tuple(tier) for tier in tiers)
        found[key] = found.get(key, 0) + count
    return found
