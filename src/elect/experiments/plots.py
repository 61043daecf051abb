"""Pictures, drawn to PNG and SVG."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from elect.errors import ElectError
from elect.experiments.chapters import Picture
from elect.experiments.sources import Source
from elect.experiments.tables import CEILING, OURS, TRAINED
from elect.experiments.welfare_histograms import SHOWN
from elect.storage import write_whole

MISSING = 'Pictures need matplotlib; `pip install "elect[plots]"` brings it.'

# Shares of elections below which a line is not drawn.
LEAST = 2e-4


def draw(picture: Picture, folder: Path) -> list[Path]:
    """Write a picture as PNG and SVG."""
    try:
        import matplotlib
    except ImportError as error:
        raise ElectError(MISSING) from error
    matplotlib.use("Agg")
    # Without dates and random names, so that the same figures give the same file.
    style: Any = {"svg.hashsalt": picture.name, "svg.fonttype": "none", "font.size": 9}
    with matplotlib.rc_context(style):
        figure: Any = _PICTURES[picture.name.split("-")[0]](picture.data)
        paths = []
        kinds: dict[str, dict[str, Any]] = {
            "png": {"dpi": 150},
            "svg": {"metadata": {"Date": None}},
        }
        for kind, options in kinds.items():
            content = BytesIO()
            figure.savefig(content, format=kind, bbox_inches="tight", **options)
            paths.append(folder / f"{picture.name}.{kind}")
            write_whole(paths[-1], content.getvalue())
    return paths


def _panels(count: int) -> Any:
    # Without pyplot, which would keep every figure alive.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * count + 1.6, 3.5))
    panels = figure.subplots(1, count, sharey=True, squeeze=False)[0]
    for axes in panels:
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _ratios(data: dict[str, Any]) -> Any:
    """A line for each rule, utilitarian beside egalitarian."""
    figure, panels = _panels(len(data))
    looks: dict[str, dict[str, Any]] = {
        OURS: {"lw": 2.4, "zorder": 5},
        CEILING: {"lw": 1.4, "color": "black", "ls": ":"},
    }
    for axes, (welfare, rules) in zip(panels, data.items(), strict=True):
        low = 1.0
        for key, ratio in rules.items():
            (label, kind), histogram = SHOWN[key], ratio["histogram"]
            total, bins = sum(histogram), len(histogram)
            shares = [count / total for count in histogram]
            look = looks.get(kind, {"lw": 1.2, "ls": "--" if kind == TRAINED else "-"})
            ends = [number / bins for number in range(bins + 1)]
            axes.stairs(shares, ends, label=_legend(label, ratio), baseline=None, **look)
            seen = [number for number, share in enumerate(shares) if share > LEAST]
            low = min(low, ends[seen[0]])
        axes.set(title=welfare, xlabel="share of the highest welfare", yscale="log")
        axes.set(xlim=(low, 1), ylim=(LEAST, 1.2))
    panels[0].set_ylabel("share of elections")
    panels[-1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _curves(data: dict[str, Any]) -> Any:
    """Accuracy against minutes of training, a panel for each rule, a line for each network."""
    figure, panels = _panels(len(data))
    colors: dict[str, str] = {}
    for axes, (rule, lines) in zip(panels, data.items(), strict=True):
        for label, line in lines.items():
            name = label.split(",")[0]
            color = colors.setdefault(name, f"C{len(colors)}")
            ours = name == "tally"
            axes.plot(
                *zip(*line["points"], strict=True),
                "--" if "Borda" in label else "-",
                color=color,
                lw=2.4 if ours else 1.3,
                label=_legend(label, line),
            )
        axes.set(xlabel="minutes of training", title=rule, xscale="log")
        _plain_minutes(axes)
    panels[0].set_ylabel("accuracy on held-out elections")
    panels[-1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _legend(label: str, line: dict[str, Any]) -> str:
    """The label of a line, marked if its figures were recorded earlier."""
    mark = Source.from_json(line["source"]).label
    return f"{label} ({mark})" if mark else label


def _plain_minutes(axes: Any) -> None:
    """Ticks in minutes rather than in powers of ten."""
    low, high = axes.get_xlim()
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)


# By the first word of a picture's name.
_PICTURES: dict[str, Callable[[dict[str, Any]], Any]] = {"figure": _ratios, "curves": _curves}
