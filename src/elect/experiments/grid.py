"""The trainings that a reproduction needs: a grid of runs, none of which knows of the others.

A run is carried out by `carry_out(run, folder)` alone, which goes on where it was stopped and does
nothing if the run is finished; so runs can be done in any order, anywhere, and even twice at once.
"""

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from elect.checkpoints import CARD, load, read_card
from elect.errors import ElectError
from elect.experiments.attempts import begin, clear
from elect.experiments.budgets import STEPS, Budget
from elect.learned import LearnedRule
from elect.objectives import Objective, mimic, oracle, posterior
from elect.training import Recipe, train
from elect.training.defaults import CANDIDATES, FEW, default_recipe

# The paper's four networks, and the rules it has them mimic. Its Copeland gives no points for a
# pairwise tie.
NETWORKS = ("set_transformer", "gin", "deepsets", "mlp")
RULES = ("plurality", "borda", "copeland:tie=0", "maximin", "kemeny")
WELFARES = ("utilitarian", "egalitarian")
CULTURES = ("uniform", "polarized", "indecisive")

# By what candidates are numbered: as they come, or by a rule that is blind to their names.
ORDERS = (None, "borda")

# Draws of utilities that a label is made of.
SAMPLES = 4

# Below the folder of a reproduction; and in the folder of a run that is finished.
RUNS, DONE = "runs", "finished"


@dataclass(frozen=True)
class Run:
    """One training of the grid.

    Attributes:
        name: of the run and of its folder.
        recipe: the training, which says everything.
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
    As in the paper, tied elections are dropped except for Kemeny, whose winners are found for few
    candidates only. Alone, a welfare is learned from the optimum that happened to be, as in the
    paper; in company from several draws, which say the same with less noise.
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
    """Train, go on training, or find that nothing is left to do; the folder then has the rule.

    It depends on the run and the folder alone, and may be called again at any time, also while
    somebody else is at it.
    """
    if not finished(folder):
        try:
            attempt = begin(folder)
            train(run.recipe, attempt, resume=True, progress=progress)
            # Written last, and never taken back: who sees it need not read the training's state.
            (attempt / DONE).touch()
            attempt.rename(folder)
        except OSError:
            # Somebody else was first, and has removed this attempt, or stands in its way.
            if not finished(folder):
                raise
    clear(folder)
    return folder


def finished(folder: Path) -> bool:
    """Whether the training in the folder has ended."""
    return (folder / DONE).exists() and (folder / CARD).exists()


# Carries out runs below a folder, in whatever order and wherever, and tells each when it is done.
Runner = Callable[[Sequence[Run], Path], Iterator[Run]]


def one_by_one(runs: Sequence[Run], out: Path) -> Iterator[Run]:
    """Carry out the runs here, one after the other."""
    for run in runs:
        carry_out(run, out / RUNS / run.name, progress=sys.stderr.isatty())
        yield run


def trained(runs: Iterable[Run], out: Path) -> dict[str, LearnedRule]:
    """The rules of the runs that are finished, by name."""
    folders = {run.name: out / RUNS / run.name for run in runs}
    return {name: load(folder) for name, folder in folders.items() if finished(folder)}


def check(runs: Iterable[Run], out: Path) -> None:
    """Tell before any training if a folder holds another training than is asked for."""
    for run in runs:
        folder = out / RUNS / run.name
        if (folder / CARD).exists() and read_card(folder / CARD).heads != run.heads:
            raise ElectError(
                f"{folder} holds a training of something else; give another folder with --out."
            )
        if folder.is_dir() and not finished(folder):
            raise ElectError(
                f"{folder} is not a finished run; move it to {folder.name}.attempts/1 to go on "
                "with it, or away."
            )
