"""From the names of tables and figures to a folder with all of them and a report."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from elect.errors import ElectError, Unwritable
from elect.experiments import printed, report
from elect.experiments.budgets import BUDGETS, Budget
from elect.experiments.budgets import budget as make_budget
from elect.experiments.chapters import Chapter
from elect.experiments.contenders import networks
from elect.experiments.drawing import draw
from elect.experiments.grid import Run, Runner, check, grid, one_by_one
from elect.experiments.machine import machine
from elect.experiments.study import Study
from elect.storage import OLD, delete_drafts, make_folder, require_writable, write_whole

TABLES = tuple(f"table-{number}" for number in range(1, 9))
FIGURES = tuple(f"figure-{number}" for number in range(1, 4))
NAMES = (*TABLES, *FIGURES, "beyond")

REPORT = "report.html"

# Called with what is being done, and the share of everything that is.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Reproduction:
    """What was made, and where it is.

    Attributes:
        out: the folder.
        about: the budget, the seed, the machine, the minutes, the trainings.
        chapters: the tables and figures.
        files: those of each chapter.
    """

    out: Path
    about: dict[str, Any]
    chapters: list[Chapter] = field(default_factory=list)
    files: dict[str, list[Path]] = field(default_factory=dict)

    @property
    def report(self) -> Path:
        return self.out / REPORT

    def to_json(self) -> dict[str, Any]:
        """Where everything is, and what it took."""
        files = {name: [str(path) for path in paths] for name, paths in self.files.items()}
        return {"out": str(self.out), "report": str(self.report), "files": files, **self.about}


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

    Killed at any moment and called again, it goes on: no finished training and no finished
    measurement is repeated.

    Args:
        names: `NAMES`, or ``all``.
        budget: ``minutes``, ``hours`` or ``paper``, or one of one's own.
        out: the folder for everything; what it holds already is not done again.
        seed: of trainings and elections.
        runner: who carries out the trainings.
        progress: called with what is being done, and the share of everything that is.
    """
    wanted, means, folder = chosen(names), make_budget(budget), ready(out)
    say = progress or (lambda what, share: None)
    runs = grid(means, seed, {head for name in wanted for head in _module(name).HEADS})
    check(runs, folder)
    for number, run in enumerate(runner(runs, folder), 1):
        say(f"{run.name} is trained", number / len(runs))
    study = Study(means, seed, folder, networks(runs, folder))
    about = _about(names, study, runs)
    made = Reproduction(folder, about)
    for number, name in enumerate(wanted):
        study.say = _part(say, name, number, len(wanted))
        chapter = _chapter(study, name)
        about["minutes"] = round(study.seconds / 60, 2)
        # Drawn first: a chapter whose pictures cannot be drawn says so.
        pictures = _drawn(chapter, folder)
        made.files[name] = chapter.write(folder, about) + pictures
        made.chapters.append(chapter)
        # After each chapter, so that whoever stops here has a whole report of what there is.
        write_whole(made.report, report.page(made.chapters, about, folder))
    say("done", 1.0)
    return made


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
    try:
        make_folder(folder)
        require_writable(folder)
    except Unwritable as error:
        reason = error.__cause__ and getattr(error.__cause__, "strerror", None)
        raise ElectError(
            f"Nothing can be written to {folder} ({reason}); give another folder with --out."
        ) from error
    # Several reproductions may share the folder, so only what is old is certainly left over.
    delete_drafts(folder, OLD)
    return folder


def _module(name: str) -> Any:
    """The file of a table or figure: HEADS, which networks must have, and `chapter`."""
    return import_module(f"elect.experiments.{name.replace('-', '_')}")


def _chapter(study: Study, name: str) -> Chapter:
    seconds, before = study.seconds, len(study.seen)
    made: Chapter = _module(name).chapter(study)
    cost = {"seconds": round(study.seconds - seconds, 1), "measurements": len(study.seen) - before}
    return made.costing(cost)


def _drawn(chapter: Chapter, folder: Path) -> list[Path]:
    """The files of a chapter's pictures; where they cannot be drawn, the chapter says so."""
    try:
        return [path for picture in chapter.pictures for path in draw(picture, folder)]
    except ElectError as error:
        chapter.notes.append(str(error))
        return []


def _part(say: Progress, name: str, number: int, count: int) -> Progress:
    return lambda what, share: say(f"{name}: {what}", (number + share) / count)


def _about(names: Sequence[str], study: Study, runs: Sequence[Run]) -> dict[str, Any]:
    budget = study.budget
    command = ["elect", "reproduce", *names, "--budget", budget.name, "--seed", str(study.seed)]
    usual = BUDGETS.get(budget.name, budget).minutes
    if budget.minutes != usual and budget.minutes is not None:
        command += ["--minutes", f"{budget.minutes:g}"]
    trainings = {
        run.name: study.networks[key].cost
        for run in runs
        if (key := (run.network, run.order, run.heads[0])) in study.networks
    }
    return {
        "command": shlex.join(command),
        "budget": budget.name,
        "told": budget.told,
        "seed": study.seed,
        "version": version("elect"),
        "machine": machine(),
        "minutes": 0.0,
        "trainings": [{"name": name, **cost} for name, cost in trainings.items()],
        "paper_cost": printed.COST,
    }
