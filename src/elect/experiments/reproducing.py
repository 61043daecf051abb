"""From the names of tables and figures to a folder with all of them and a report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elect.errors import ElectError
from elect.experiments.budgets import Budget
from elect.experiments.budgets import budget as make_budget
from elect.experiments.grid import Runner, check, grid, one_by_one

TABLES = tuple(f"table-{number}" for number in range(1, 9))
FIGURES = tuple(f"figure-{number}" for number in range(1, 4))
NAMES = (*TABLES, *FIGURES, "beyond")

# Called with what is being done, and the share of it that is.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Reproduction:
    """What was made, and where it is."""

    out: Path
    budget: Budget
    seed: int
    files: dict[str, list[Path]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        files = {name: [str(path) for path in paths] for name, paths in self.files.items()}
        return {"out": str(self.out), "budget": self.budget.name, "seed": self.seed, "files": files}


def reproduce(
    names: Sequence[str] = ("all",),
    budget: str | Budget = "minutes",
    out: str | Path = "reproduction",
    seed: int = 0,
    *,
    runner: Runner = one_by_one,
    progress: Progress | None = None,
) -> Reproduction:
    """Make tables and figures of the paper again.

    Args:
        names: `NAMES`, or ``all``.
        budget: ``minutes``, ``hours`` or ``paper``, or one of one's own.
        out: the folder for everything; what it holds already is not done again.
        seed: of trainings and elections.
        runner: who carries out the trainings.
        progress: called with what is being done, and the share of it that is.
    """
    wanted, means, folder = chosen(names), make_budget(budget), ready(out)
    runs = grid(means, seed)
    check(runs, folder)
    for number, run in enumerate(runner(runs, folder), 1):
        if progress is not None:
            progress(f"{run.name} is trained", number / len(runs))
    return Reproduction(folder, means, seed, {name: [] for name in wanted})


def chosen(names: Sequence[str]) -> list[str]:
    """The tables and figures that are asked for, in the paper's order."""
    plain = [name.strip().lower().replace("_", "-").replace(" ", "-") for name in names]
    for name in plain:
        if name not in (*NAMES, "all"):
            raise ElectError(
                f"There is no '{name}' to reproduce; there are table-1 to table-8, figure-1 to "
                "figure-3, beyond, and all."
            )
    return [name for name in NAMES if name in plain or "all" in plain]


def ready(out: str | Path) -> Path:
    """The folder, made if need be, and tried: nobody should wait hours to hear it is read-only."""
    folder = Path(out)
    trial = folder / ".trial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise ElectError(
            f"Nothing can be written to {folder} ({error.strerror}); give another folder with "
            "--out."
        ) from error
    return folder
