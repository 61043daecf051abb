"""The trainings that a reproduction needs: a grid of independent runs.

`carry_out(run, folder)` resumes a run where it was stopped and does nothing if the run is finished.
So runs can be carried out in any order, on any machine, and even twice at the same time.
"""

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from elect.checkpoints import CARD, read_card
from elect.errors import ElectError
from elect.experiments.budgets import STEPS, Budget
from elect.experiments.run_attempts import begin, clear
from elect.experiments.sources import NETWORKS
from elect.objectives import Objective, mimic, oracle, posterior
from elect.training import Recipe, train
from elect.training.defaults import CANDIDATES, FEW, default_recipe

# The rules that the paper's networks mimic. Its Copeland gives no points for a pairwise tie.
RULES = ("plurality", "borda", "copeland:tie=0", "maximin", "kemeny")
WELFARES = ("utilitarian", "egalitarian")
CULTURES = ("uniform", "polarized", "indecisive")

# How candidates are numbered: as they come, or by a neutral rule.
ORDERS = (None, "borda")

# Draws of utilities for each label.
SAMPLES = 4

# The folder of runs in that of a reproduction, and the file that marks a finished run.
RUNS, DONE = "runs", "finished"


@dataclass(frozen=True)
class Run:
    """One training of the grid.

    Attributes:
        name: of the run and of its folder.
        recipe: all settings of the training.
    """

    name: str
    recipe: Recipe

    @property
    def network(self) -> str:
        return self.recipe.network

    @property
    def order(self) -> str | None:
        return self.recipe.neutral

    @property
    def heads(self) -> list[str]:
        """What it learns."""
        return [objective.name for objective in self.recipe.objectives]


def objectives(together: bool = True) -> list[Objective]:
    """All that the paper's networks learn: five rules, two welfares in three cultures.

    All three cultures have the same rankings, so that one stream of elections teaches everything.
    As in the paper, tied elections are dropped except for Kemeny, whose winners are computed for
    few candidates only. A network that learns one welfare alone is shown the best candidate, as in
    the paper. One that learns everything at once is shown several draws, which are less noisy.
    """
    rules = [mimic(rule, ties="drop") for rule in RULES[:-1]]
    kemeny = mimic("kemeny", max_candidates=FEW[1])
    optimum = partial(posterior, samples=SAMPLES) if together else oracle
    welfares = [optimum(welfare, culture) for culture in CULTURES for welfare in WELFARES]
    return [*rules, kemeny, *welfares]


def grid(budget: Budget, seed: int = 0, heads: Container[str] | None = None) -> list[Run]:
    """The runs of a budget that learn any of these heads, the quickest networks last."""
    if not budget.trains:
        return []
    wanted = [o for o in objectives(budget.together) if heads is None or o.name in heads]
    lessons = [objectives()] if budget.together and wanted else [[one] for one in wanted]
    return [
        _run(budget, network, order, lesson, seed)
        for network in NETWORKS
        for order in ORDERS
        for lesson in lessons
    ]


def _run(
    budget: Budget, network: str, order: str | None, lesson: list[Objective], seed: int
) -> Run:
    recipe = default_recipe(
        lesson,
        network,
        budget.size,
        neutral=order,
        # Alone, Kemeny is learned from the elections that the paper has for it.
        candidates=FEW if [one.of for one in lesson] == ["kemeny"] else CANDIDATES,
        minutes=budget.minutes,
        steps=None if budget.minutes else STEPS[network],
        seed=seed,
    )
    words = [network] + ([f"by-{order}"] if order else [])
    words += [lesson[0].name] if len(lesson) == 1 else []
    return Run("-".join(words).replace("_", "-").replace(":tie=0", "").replace("@", "-"), recipe)


def carry_out(run: Run, folder: Path, progress: bool = False) -> Path:
    """Train, resume, or do nothing if the run is finished; afterwards the folder holds the rule.

    It depends on the run and the folder alone and may be called at any time, even while another
    process carries out the same run.
    """
    if not finished(folder):
        try:
            attempt = begin(folder)
            train(run.recipe, attempt, resume=True, progress=progress)
            # Written last and never removed, so that nobody needs to read the training's state.
            (attempt / DONE).touch()
            attempt.rename(folder)
        except OSError:
            # Another process finished first, and has removed this attempt or taken its place.
            if not finished(folder):
                raise
    clear(folder)
    return folder


def finished(folder: Path) -> bool:
    """Whether the training in the folder has ended."""
    return (folder / DONE).exists() and (folder / CARD).exists()


# Carries out runs below a folder, in any order, and yields each when it is finished.
Runner = Callable[[Sequence[Run], Path], Iterator[Run]]


def one_by_one(runs: Sequence[Run], out: Path) -> Iterator[Run]:
    """Carry out the runs in this process, one after the other."""
    for run in runs:
        carry_out(run, out / RUNS / run.name, progress=sys.stderr.isatty())
        yield run


def check(runs: Iterable[Run], out: Path) -> None:
    """Raise an error before any training if a folder holds another training."""
    for run in runs:
        folder = out / RUNS / run.name
        if (folder / CARD).exists() and read_card(folder / CARD).heads != run.heads:
            raise ElectError(
                f"{folder} holds a training of something else; give another folder with --out."
            )
        if folder.is_dir() and not finished(folder):
            raise ElectError(
                f"{folder} is not a finished run; move it to {folder.name}.attempts/1 to resume "
                "it, or delete it."
            )
