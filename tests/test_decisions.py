"""The sentences say what is true: their numbers are counted again here, on lists."""

import re
from collections import Counter
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from elect.elections import Profiles
from elect.errors import ElectError
from elect.resolve import decide, why
from elect.rules import RULES, winners
from elect.rules import rule as find
from elect.rules.base import DISTANCE, ELIMINATION, PAIRWISE, SCORING, condorcet

NAMES = ["Ann", "Ben", "Cleo", "Dan", "Eve"]
CYCLE = Profiles.from_rankings(
    [["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"], ["Cleo", "Ann", "Ben"]], [4, 3, 2]
)


def elections(count: int, kind: str = "complete", most: int = 9) -> list[tuple[list, list]]:
    """Random elections: names, and ballots best first, in which a list is a tie."""
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(count):
        names = NAMES[: rng.integers(2, 6)]
        ballots = []
        for _ in range(rng.integers(1, most + 1)):
            ballot = rng.permutation(names).tolist()
            if kind == "truncated":
                ballot = ballot[: rng.integers(1, len(names) + 1)]
            if kind == "tied":
                place = rng.integers(0, len(ballot) - 1)
                ballot[place : place + 2] = [ballot[place : place + 2]]
            ballots.append(ballot)
        drawn.append((names, ballots))
    return drawn


def profile_of(names: list[str], ballots: list) -> Profiles:
    return Profiles.from_rankings(ballots, names=names)


def numbers(text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


def margin(ballots, a: str, b: str) -> int:
    return sum((ballot.index(a) < ballot.index(b)) * 2 - 1 for ballot in ballots)


# ---------------------------------------------------------------------- every rule


@pytest.mark.parametrize("record", RULES.values(), ids=RULES.keys())
def test_every_rule_has_a_complete_record(record):
    assert record.family in (SCORING, PAIRWISE, ELIMINATION, DISTANCE)
    assert re.fullmatch(r"[A-Z][^.]+[.?]", record.reads)
    assert re.fullmatch(r"[a-z].+[^.]", record.counting)
    assert record.title[0].isupper()
    assert record.simplicity.words


def test_names_and_aliases_are_distinct():
    names = [name for record in RULES.values() for name in (record.name, *record.aliases)]
    assert len(set(names)) == len(names)
    assert all(find(name).name in RULES for name in names if name != "scoring")


@pytest.mark.parametrize("kind", ["complete", "truncated", "tied"])
def test_sentences_are_sentences_about_the_winners(kind):
    spoken = Counter()
    for names, ballots in elections(60, kind):
        profile = profile_of(names, ballots)
        for rule in RULES:
            spec = (
                f"scoring:vector={'/'.join('97310'[: len(names)])}" if rule == "scoring" else rule
            )
            try:
                won = winners(spec, profile)[0].tolist()
            except ElectError:
                continue
            said = why(spec, profile)
            assert re.fullmatch(r"[^.](?:[^.]|\.\d)*\.", said), said
            assert not re.search(
                r"  | ,|\bnan\b|\binf\b|\[|None| 1 (vote|voter|point|other)s\b", said
            )
            if sum(won) < 4 and said != "No pair of candidates has a majority, so nobody is ahead.":
                assert all(name in said for name, wins in zip(names, won, strict=True) if wins), (
                    said
                )
            spoken[rule] += 1
    assert len(spoken) >= 15


def test_a_single_candidate_needs_no_reason():
    alone = Profiles.from_rankings([["Ann"]])
    assert {why(rule, alone) for rule in RULES if rule != "scoring"} == {
        "Ann is the only candidate."
    }


def test_a_decision_has_plain_numbers_and_names():
    decision = decide("schulze", CYCLE)
    assert (decision.rule.name, decision.rule.spec, decision.settings) == (
        "beat_path",
        "schulze",
        {},
    )
    assert (decision.elected, decision.losers, decision.points) == ([0], [1, 2], [0, -1, -2])
    assert all(type(score) is int for score in decision.points)
    assert decision.winners == ["Ann"]
    assert decision.scores == {"Ann": 0, "Ben": -1, "Cleo": -2}
    assert decision.ranking == [["Ann"], ["Ben"], ["Cleo"]]
    assert [row["place"] for row in decision.rows()] == [1, 2, 3]
    assert str(decision) == f"Schulze elects Ann: {decision.why}"
    half = decide("copeland:tie=0.25", Profiles.from_rankings([[0, 1], [1, 0]]))
    assert (half.points, half.elected, half.settings) == ([0.25, 0.25], [0, 1], {"tie": 0.25})
    assert str(half).startswith("Copeland (tie=0.25) elects 0, 1 (a tie): ")


@pytest.mark.parametrize(
    "spec", ["copeland:tie=x", "copeland:tie=nan", "scoring:vector=a/b/c", "scoring:vector=3"]
)
def test_settings_that_make_no_sense_are_told(spec):
    with pytest.raises(ElectError, match=r"setting|number|vector"):
        why(spec, CYCLE)


def test_one_election_at_a_time():
    with pytest.raises(ElectError, match="one election"):
        why("borda", Profiles.concat([CYCLE, CYCLE]))


# ---------------------------------------------------------------------- what they say, word by word


def test_sentences_of_a_cycle():
    # Ann beats Ben 6 to 3, Ben beats Cleo 7 to 2, Cleo beats Ann 5 to 4.
    said = {
        "plurality": "Ann is the first choice of 4 of 9 voters; next is Ben with 3.",
        "anti_plurality": "Ben is the last choice of only 2 of 9 voters; next is Ann with 3.",
        "k_approval": "Ben is among the first 2 choices of 7 of 9 voters; next is Ann with 6.",
        "borda": "Ann and Ben each get 10 points (one for each candidate below on each ballot); "
        "next is Cleo with 7.",
        "scoring:vector=5/2/0": "Ann gets 24 points for places worth 5, 2 and 0; "
        "next is Ben with 23.",
        "copeland": "Ann, Ben and Cleo each beat 1 of 2 others head to head.",
        "llull": "Ann, Ben and Cleo each beat or tie 1 of 2 others head to head.",
        "maximin": "The worst loss of Ann head to head is to Cleo by 1 vote; "
        "everyone else loses a pair by 3 or more.",
        "beat_path": "Ann has a stronger chain of majorities to everyone else than leads back, "
        "with Ben the closest: 3 to 1 vote.",
        "ranked_pairs": "With majorities locked in from the largest down, nobody ends up above "
        "Ann: the win of Cleo comes too late and would close a cycle.",
        "split_cycle": "Every loss of Ann is the weakest link of a cycle and excused; the largest, "
        "to Cleo by 1 vote, by a chain back of 3.",
        "slater": "Rankings headed by Ann, Ben and Cleo agree with 2 of 3 majorities.",
        "kemeny": "The ranking Ann > Ben > Cleo agrees with 17 of the voters' 27 judgements of "
        "pairs, more than any other.",
        "instant_runoff": "Cleo leaves with the fewest first choices; then Ann beats Ben by "
        "6 to 3.",
        "coombs": "Cleo leaves as last most often; then Ann is the first choice of 6 of 9 voters, "
        "a majority.",
        "baldwin": "Cleo leaves with the lowest Borda score; then Ann beats Ben by 3 votes.",
        "bucklin": "It takes the first 2 choices for a majority: Ben has 7 of 9 voters; "
        "next is Ann with 6.",
        "dodgson": "Ann would beat everyone else head to head after 1 swap of neighbours on "
        "ballots; next is Ben with 2.",
        "young": "Ann would lose to nobody head to head with 1 of 9 voters set aside; "
        "next is Ben with 3.",
    }
    for spec, sentence in said.items():
        assert why(spec, CYCLE) == sentence


def test_sentences_of_a_condorcet_winner():
    profile = Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Cleo", "Ben", "Ann"], ["Ben"]])
    assert condorcet(profile) == 1
    assert why("maximin", profile) == (
        "Ben wins every pair, the closest by 1 vote; everyone else loses a pair."
    )
    assert why("young", profile) == "Ben loses to nobody head to head with all 3 voters kept."
    for rule in ("blacks", "beat_path", "ranked_pairs", "split_cycle"):
        assert why(rule, profile).startswith("Ben beats everyone else head to head")


def test_names_are_taken_as_they_are():
    profile = Profiles.from_rankings([["Tom and Sue", "{x}"], ["{x}", "Tom and Sue"]])
    assert why("slater", profile) == "No pair of candidates has a majority, so nobody is ahead."
    assert why("beat_path", profile) == (
        "Nobody has a stronger chain of majorities to Tom and Sue or {x} than leads back."
    )
    assert "{x}" in why("kemeny", profile)


# ---------------------------------------------------------------------- counted again


@pytest.mark.parametrize(("rule", "places"), [("plurality", 1), ("k_approval", 2)])
def test_first_places(rule, places):
    for names, ballots in elections(40):
        counts = Counter(name for ballot in ballots for name in ballot[:places])
        told = numbers(why(rule, profile_of(names, ballots)).split(";")[0])
        assert told[-2:] == [max(counts.values()), len(ballots)]


def test_borda_points_and_runner_up():
    for names, ballots in elections(40):
        points = Counter(dict.fromkeys(names, 0))
        for ballot in ballots:
            points.update({name: len(names) - 1 - i for i, name in enumerate(ballot)})
        said = why("borda", profile_of(names, ballots))
        assert numbers(said)[0] == max(points.values())
        rest = sorted(set(points.values()))[:-1]
        assert ("next" in said or "follows" in said) == bool(rest)
        if rest:
            assert numbers(said)[-1] == rest[-1]


def test_worst_losses():
    for names, ballots in elections(60):
        worst = {a: min(margin(ballots, a, b) for b in names if a != b) for a in names}
        best = max(worst.values())
        said = why("maximin", profile_of(names, ballots))
        if best > 0:
            assert f"the closest by {best} vote" in said
        elif best < 0:
            assert f"by {-best} vote" in said
            others = [value for value in worst.values() if value < best]
            assert not others or f"by {-max(others)} or more" in said
        else:
            assert "at worst" in said


def test_elimination_runs_as_told():
    for names, ballots in elections(60):
        left, gone = list(names), []
        while True:
            votes = dict.fromkeys(left, 0)
            for ballot in ballots:
                votes[next(c for c in ballot if c in left)] += 1
            fewest = min(votes.values())
            leaving = [c for c in left if votes[c] == fewest]
            if len(leaving) == len(left):
                break
            gone.append((leaving, votes))
            left = [c for c in left if c not in leaving]
        said = why("instant_runoff", profile_of(names, ballots))
        if len(left) > 1:
            assert f"tie at {votes[left[0]]} vote" in said
            continue
        last, votes = gone.pop()
        assert f"{left[0]} beats {' and '.join(last[-2:])}" in said or len(last) > 2
        assert f"by {votes[left[0]]} to {votes[last[0]]}" in said
        order = ", then ".join(
            ", ".join([*group[:-2], " and ".join(group[-2:])]) for group, _ in gone
        )
        assert said.startswith(order)


def test_the_best_ranking_and_its_agreements():
    for names, ballots in elections(40):

        def agreements(ranking, ballots=ballots):
            pairs = list(combinations(ranking, 2))
            return sum(b.index(x) < b.index(y) for b in ballots for x, y in pairs)

        scores = {ranking: agreements(ranking) for ranking in permutations(names)}
        best = [ranking for ranking, score in scores.items() if score == max(scores.values())]
        said = why("kemeny", profile_of(names, ballots))
        pairs = len(ballots) * len(names) * (len(names) - 1) // 2
        assert numbers(said) == [max(scores.values()), pairs]
        if len({ranking[0] for ranking in best}) == 1:
            assert said.removeprefix("The ranking ").split(" agrees")[0] in map(" > ".join, best)
            assert ("more than any other" in said) == (len(best) == 1)


def test_chains_of_majorities():
    checked = 0
    for names, ballots in elections(400):

        def strength(a, b, names=names, ballots=ballots):
            others = [c for c in names if c not in (a, b)]
            paths = ((a, *way, b) for k in range(len(names) - 1) for way in permutations(others, k))
            weakest = [min(margin(ballots, x, y) for x, y in pairwise(p)) for p in paths]
            return max(0, *weakest)

        said = why("beat_path", profile_of(names, ballots))
        if found := re.match(
            r"(\w+) has a stronger .* with (\w+) the closest: (\d+) to (\d+)", said
        ):
            winner, rival, there, back = found.groups()
            gaps = {c: strength(winner, c) - strength(c, winner) for c in names if c != winner}
            assert min(gaps.values()) == gaps[rival] > 0
            assert (strength(winner, rival), strength(rival, winner)) == (int(there), int(back))
            checked += 1
        said = why("split_cycle", profile_of(names, ballots))
        if found := re.match(r".* of (\w+) is .* to (\w+) by (\d+) votes?, .* of (\d+)\.", said):
            winner, rival, loss, back = found.groups()
            assert max(margin(ballots, c, winner) for c in names if c != winner) == int(loss)
            assert margin(ballots, rival, winner) == int(loss) <= int(back)
            assert strength(winner, rival) == int(back)
            checked += 1
    assert checked > 10


def test_voters_set_aside():
    for names, ballots in elections(25, most=7):

        def most_kept(c, names=names, ballots=ballots):
            return max(
                size
                for size in range(len(ballots) + 1)
                for kept in combinations(ballots, size)
                if all(margin(kept, c, d) >= 0 for d in names if c != d)
            )

        gone = min(len(ballots) - most_kept(c) for c in names)
        said = why("young", profile_of(names, ballots))
        assert ("all" in said) if gone == 0 else f"with {gone} of {len(ballots)} voter" in said


def test_majorities_of_bucklin_and_coombs():
    for names, ballots in elections(60):
        profile = profile_of(names, ballots)
        for choices in range(1, len(names) + 1):
            counts = Counter(c for ballot in ballots for c in ballot[:choices])
            if 2 * max(counts.values()) > len(ballots):
                break
        said = why("bucklin", profile)
        assert f"{max(counts.values())} of {len(ballots)} voter" in said
        assert ("first choices alone" in said) == (choices == 1)
        assert choices == 1 or f"the first {choices} choices" in said
        said = why("coombs", profile)
        if found := re.search(r"first choice of (\d+) of (\d+) voters?, a majority", said):
            assert 2 * int(found[1]) > int(found[2]) == len(ballots)
        else:
            assert "is left." in said or "are last equally often." in said


# ---------------------------------------------------------------------- what the rules are


def test_definitions_are_the_bold_sentences():
    assert RULES["maximin"].definition == "The candidate's worst margin."
    assert RULES["copeland"].definition == "Majority wins, plus tie for each pairwise tie."
    assert all(re.fullmatch(r"[A-Z][^*`\n]+\.", rule.definition) for rule in RULES.values())


# Ballots of four candidates, among whom an approval ballot is one that ties.
SAMPLES = {
    "complete": [[[0, 1, 2, 3]]],
    "truncated": [[[0, 1]], [[2]]],
    "tied": [[[0, [1, 2], 3]], [[[0, 1], 2, 3]], [[[0, 1], [2, 3]]]],
}


@pytest.mark.parametrize("record", RULES.values(), ids=RULES.keys())
def test_rules_read_the_ballots_that_their_record_says(record):
    def reads(ballots):
        try:
            record(Profiles.from_rankings(ballots, num_candidates=4), **record.needs)
        except ElectError:
            return False
        return True

    for kind, samples in SAMPLES.items():
        taken = [reads(ballots) for ballots in samples]
        assert record.ballots[kind] == ("yes" if all(taken) else "some" if any(taken) else "no")
