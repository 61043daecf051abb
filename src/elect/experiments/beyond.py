"""Beyond the paper: more candidates, more voters, more cultures, every rule, and other papers."""

from elect.experiments.beyond_learning import curves, objectives
from elect.experiments.beyond_rules import every_rule, large_kemeny, other_papers
from elect.experiments.beyond_sizes import by_candidates, by_culture, by_number_of_voters
from elect.experiments.chapters import Chapter
from elect.experiments.study import Study

# Nothing here needs the paper's networks.
HEADS: tuple[str, ...] = ()


def chapter(study: Study) -> Chapter:
    """Our own tables: where `tally` holds, and where it does not."""
    makers = (by_candidates, by_number_of_voters, by_culture, every_rule, large_kemeny)
    pictures = [picture for picture in [curves()] if picture is not None]
    return Chapter(
        "beyond",
        "Beyond the paper",
        "One network for any number of voters and candidates: how far does it go beyond what it "
        "was trained on (2 to 999 voters; 2 to 29 candidates, for some rules 3 to 10), where does "
        "it fail, and how does it compare with what others print?",
        [
            *(make(study) for make in makers),
            *other_papers(study),
            *objectives(),
        ],
        pictures,
        [] if pictures else ["Learning curves are drawn once `--budget hours` has recorded them."],
    )
