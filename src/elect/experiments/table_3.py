"""Table 3: how often the candidate of highest welfare is elected."""

from elect.experiments.chapters import Chapter
from elect.experiments.grid import WELFARES
from elect.experiments.study import Study
from elect.experiments.welfare import HEADS, welfare_table

__all__ = ["HEADS", "chapter"]


def chapter(study: Study) -> Chapter:
    """Two welfares in three cultures, 2 to 99 voters, 2 to 29 candidates."""
    return Chapter(
        "table-3",
        "Table 3: electing for welfare",
        "Voters rank candidates by utilities that nobody sees. How often does a rule that sees the "
        "rankings elect the candidate of highest welfare? And how often could any rule?",
        [welfare_table(study, welfare, number) for number, welfare in enumerate(WELFARES)],
        notes=[
            "Egalitarian welfare is (1 − λ) Σ u + λ n min u with λ = ½, which is what the paper's "
            "figures are of. The paper's “Optimal” is one scoring vector for all numbers of "
            "candidates; the best vector depends on their number. Given rankings, the utilities "
            "behind them can be drawn again and again: the ceiling is how often the candidate who "
            "is best most often is the best one.",
        ],
    )
