"""From the names of tables and figures to a folder with all of them and a report."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from markupsafe import Markup

from elect.errors import ElectError, Unwritable
from elect.experiments import report
from elect.experiments.budgets import BUDGETS, Budget, find_budget
from elect.experiments.chapter_list import CHAPTERS
from elect.experiments.chapters import Chapter
from elect.experiments.contenders import networks
from elect.experiments.plots import draw
from elect.experiments.ray_cluster import on_ray
from elect.experiments.runs import Run, Runner, check, grid, one_by_one
from elect.experiments.sources import COST
from elect.experiments.study import Study
from elect.experiments.summary import cell_rows, summary
from elect.storage import OLD, delete_drafts, make_folder, require_writable, write_whole

NAMES = tuple(CHAPTERS)
REPORT = "report.html"

# Called with what is being done and the share of everything that is done.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Reproduction:
    """A reproduction: its tables and figures, and the folder that holds them.

    Attributes:
        out: the folder.
        about: the command, budget, seed, commit, machine, date, minutes and trainings.
        chapters: the tables and figures.
        files: the files of each chapter.
    """

    out: Path
    about: dict[str, Any] = field(repr=False)
    chapters: list[Chapter] = field(default_factory=list, repr=False)
    files: dict[str, list[Path]] = field(default_factory=dict, repr=False)

    @property
    def report(self) -> Path:
        return self.out / REPORT

    def __str__(self) -> str:
        return summary(self.chapters, self.report)

    def _repr_html_(self) -> str:
        return str(Markup("<pre>{}</pre>").format(self))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each figure: its table, row, column, value, interval and source."""
        return cell_rows(self.chapters)

    def to_pandas(self) -> Any:
        """The rows as a DataFrame, if pandas is installed."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise ElectError("to_pandas() needs pandas: run `pip install pandas`.") from error
        return pandas.DataFrame(self.rows())

    def to_json(self) -> dict[str, Any]:
        """The paths of all files, and facts about the reproduction."""
        files = {name: [str(path) for path in paths] for name, paths in self.files.items()}
        return {"out": str(self.out), "report": str(self.report), "files": files, **self.about}


def reproduce(
    names: str | Sequence[str] = "all",
    budget: str | Budget = "minutes",
    out: str | Path = "reproduction",
    *,
    minutes: float | None = None,
    seed: int = 0,
    ray: str | None = None,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Reproduce tables and figures of "Learning to Elect" beside the printed figures.

    If it is interrupted, the same call resumes: finished trainings and measurements in the folder
    are not repeated.

    Args:
        names: ``table-1`` to ``table-8``, ``figure-1`` to ``figure-3``, ``beyond``, or ``all``.
        budget: ``minutes`` measures trained rules and shows recorded figures of the paper's
            networks, ``hours`` trains these at small size, ``paper`` at the paper's size.
        out: the folder for all files.
        minutes: how long ``hours`` trains each network. Default: 10.
        seed: the seed of trainings and elections.
        ray: the address of a Ray cluster to train on, as ``HOST:PORT``, or ``auto``.
        runner: your own function that carries out the trainings.
        progress: called with what is being done and the share of everything that is done.
    """
    wanted, means = choose_names(names), _budget(budget, minutes)
    runner = runner or (one_by_one if ray is None else on_ray(ray))
    folder, say = prepare_folder(out), progress or (lambda what, share: None)
    runs = grid(means, seed, {head for name in wanted for head in CHAPTERS[name].heads})
    check(runs, folder)
    for number, run in enumerate(runner(runs, folder), 1):
        say(f"{run.name} is trained", number / len(runs))
    study = Study(means, seed, folder, networks(runs, folder), _command(names, means, seed))
    about = _about(study, runs)
    made = Reproduction(folder, about)
    for number, name in enumerate(wanted):
        study.say = _part(say, name, number, len(wanted))
        chapter = _chapter(study, name)
        about["minutes"] = round(study.seconds / 60, 2)
        # Drawn before the chapter is written, since it notes if its pictures cannot be drawn.
        pictures = _drawn(chapter, folder)
        made.files[name] = chapter.write(folder, about) + pictures
        made.chapters.append(chapter)
        # After each chapter, so that an interrupted reproduction has a report of what is done.
        write_whole(made.report, report.page(made.chapters, about, folder))
    say("done", 1.0)
    return made


def choose_names(names: str | Sequence[str]) -> list[str]:
    """The tables and figures that are asked for, in the paper's order."""
    several = [names] if isinstance(names, str) else names
    plain = [name.strip().lower().replace("_", "-").replace(" ", "-") for name in several]
    for name in plain:
        if name not in (*NAMES, "all"):
            raise ElectError(
                f"There is no '{name}' to reproduce; there are table-1 to table-8, figure-1 to "
                "figure-3, beyond, and all."
            )
    return [name for name in NAMES if name in plain or "all" in plain]


def prepare_folder(out: str | Path) -> Path:
    """Create the folder and check that it can be written to, before anything takes time."""
    folder = Path(out)
    try:
        make_folder(folder)
        require_writable(folder)
    except Unwritable as error:
        reason = error.__cause__ and getattr(error.__cause__, "strerror", None)
        raise ElectError(
            f"Nothing can be written to {folder} ({reason}); give another folder with --out."
        ) from error
    # Several reproductions may share the folder, so only old drafts are certainly left over.
    delete_drafts(folder, OLD)
    return folder


def _budget(budget: str | Budget, minutes: float | None) -> Budget:
    means = find_budget(budget)
    if minutes is None:
        return means
    if means.name != "hours" or minutes <= 0:
        raise ElectError(
            "minutes sets how long the budget hours trains each network; it must be above 0."
        )
    return replace(means, minutes=minutes)


def _chapter(study: Study, name: str) -> Chapter:
    seconds, before = study.seconds, len(study.seen)
    made = CHAPTERS[name].make(study)
    cost = {"seconds": round(study.seconds - seconds, 1), "measurements": len(study.seen) - before}
    return replace(made, cost=cost)


def _drawn(chapter: Chapter, folder: Path) -> list[Path]:
    """The files of a chapter's pictures; if they cannot be drawn, the chapter notes why."""
    try:
        return [path for picture in chapter.pictures for path in draw(picture, folder)]
    except ElectError as error:
        chapter.notes.append(str(error))
        return []


def _part(say: Progress, name: str, number: int, count: int) -> Progress:
    return lambda what, share: say(f"{name}: {what}", (number + share) / count)


def _command(names: str | Sequence[str], budget: Budget, seed: int) -> str:
    """The command that does the same."""
    several = [names] if isinstance(names, str) else names
    command = ["elect", "reproduce", *several, "--budget", budget.name, "--seed", str(seed)]
    usual = BUDGETS.get(budget.name, budget).minutes
    if budget.minutes != usual and budget.minutes is not None:
        command += ["--minutes", f"{budget.minutes:g}"]
    return shlex.join(command)


def _about(study: Study, runs: Sequence[Run]) -> dict[str, Any]:
    trainings = {
        run.name: study.networks[key].cost
        for run in runs
        if (key := (run.network, run.order, run.heads[0])) in study.networks
    }
    return {
        **{key: value for key, value in study.source.to_json().items() if key != "kind"},
        "budget": study.budget.name,
        "told": study.budget.told,
        "version": version("elect"),
        "minutes": 0.0,
        "trainings": [{"name": name, **cost} for name, cost in trainings.items()],
        "paper_cost": COST,
    }
