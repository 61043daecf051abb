"""Where the paper's text misleads, as found by simulation while making its tables again."""

ERRATA: dict[str, str] = {
    "Copeland's formula is Borda's": (
        "The printed formula adds up how many voters prefer a candidate to each other one, "
        "and that sum is the Borda score. The tables are of majority wins, with no points for "
        "a pairwise tie; the usual rule gives half a point, and the winners then differ in "
        "some 7 % of elections of these sizes."
    ),
    "The egalitarian sign rewards inequality": (
        "As printed, welfare grows with the distance from the worst off. The tables are "
        "matched by Σ u − λ Σ (u − min u) with λ = ½."
    ),
    "The “Optimal” row is not optimal": (
        "One scoring vector for all numbers of candidates cannot be best, since what a place "
        "is worth depends on how many there are. With a vector for each number the rule "
        "reaches 0.69, 0.68 and 0.70 where the paper prints 0.65, 0.65 and 0.67, and the "
        "networks do not exceed it."
    ),
    "The three cultures have the same rankings": (
        "Voters who share out utility by a symmetric Dirichlet rank candidates uniformly at "
        "random, however uneven the shares are. The networks see the same elections in all "
        "three; only what counts as the best candidate differs. So one stream of rankings can "
        "teach everything at once."
    ),
    "The ceiling can be computed": (
        "Given the rankings, utilities can be drawn again and again, and the candidate who is "
        "best most often is the best possible answer. Figures for welfare say little without "
        "that ceiling beside them."
    ),
    "On Copeland and maximin the networks are no better than Borda": (
        "Answering with the Borda winner agrees with the one Copeland winner in about 0.81 of "
        "elections and with the one maximin winner in about 0.755; the paper's networks have "
        "0.81 to 0.83 and 0.75 to 0.80. A network has learned a rule only where it is above "
        "the best other rule's guess, a row of its own here."
    ),
    "Numbers of candidates can be made not to matter": (
        "A network that reads candidates by number becomes neutral if they are numbered by a "
        "neutral order first. But such an order guesses well by itself: a network is to be "
        "credited only with what it adds to that."
    ),
    "Neutral and anonymous are not at odds": (
        "A network that is invariant over voters and equivariant over candidates is both, and "
        "takes any number of either. `tally` is one."
    ),
    "Kemeny's ties cap the figures": (
        "About 15 % of elections with 3 to 10 candidates have several Kemeny winners. The "
        "paper keeps them and takes whichever its solver returns, which no rule can know: on "
        "such labels even the exact rule is right in 0.92 to 0.94 only."
    ),
}
