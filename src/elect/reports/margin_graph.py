"""An election as a picture: who beats whom, and by how many voters."""

import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from elect.elections import Profiles, Winners
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.storage import make_folder, write_whole

INK, SOFT, PAPER, WON, WON_INK = "#1f2933", "#9aa5b1", "#ffffff", "#0b6e4f", "#ffffff"

# Arrows of more candidates than these would hide behind their own numbers.
NUMBERED = 8

# Pixels between a name, which has a box around it, and the arrows.
GAP = 12


def draw_margin_graph(
    profile: Profiles, path: str | Path, winners: Sequence[int] | Winners = ()
) -> list[Path]:
    """Draw who beats whom head to head, as SVG and as PNG; returns where they are.

    Candidates stand on a circle, those with most victories first, clockwise from the top. An
    arrow leads from the preferred of two to the other, with the margin in voters, and is the
    broader the larger that is; a dashed line is a tie. Needs the extra ``elect[plots]``.

    Args:
        profile: the election, a batch of one.
        path: where to; its extension is replaced by .svg and .png.
        winners: whom to highlight, by number or as a rule's winners.
    """
    path = Path(path)
    make_folder(path.parent)
    targets = [path.with_name(f"{_stem(path)}.{kind}") for kind in ("svg", "png")]
    figure = _draw(profile, winners)
    for target in targets:
        write_whole(target, _rendered(figure, target.suffix[1:]))
    return targets


def margin_graph_svg(profile: Profiles, winners: Sequence[int] | Winners = ()) -> str:
    """The same picture as the text of an SVG element, without a background, to put in a page."""
    return svg_element(_rendered(_draw(profile, winners), "svg").decode())


def svg_element(text: str) -> str:
    """The element in the text of an SVG file, without the names of its groups, which would occur
    twice on a page with two pictures."""
    return re.sub(r'(<g) id="\w+"', r"\1", text[text.index("<svg") :])


def _stem(path: Path) -> str:
    return path.stem if path.suffix.lower() in (".svg", ".png") else path.name


def _draw(profile: Profiles, winners: Sequence[int] | Winners) -> Any:
    if len(profile) != 1:
        raise ElectError(
            f"A picture is of one election, not of {len(profile)}; pick one with profiles[0]."
        )
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ElectError("Pictures need matplotlib; `pip install elect[plots]` has it.") from error
    size = int(profile.num_candidates)
    margins = profile.margins[0, :size, :size].cpu().numpy()
    spots = _spots(margins)
    # The figure grows with the number and length of the names.
    names = [_short(name) for name in profile.labels[:size]]
    width = 4.2 + 0.16 * size + 0.09 * max(map(len, names))
    figure = Figure(figsize=(width, (1.6 + 0.08 * size) * (np.ptp(spots[:, 1]) + 0.5)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-1.35, 1.35)
    axes.set_ylim(spots[:, 1].min() - 0.25, spots[:, 1].max() + 0.25)
    texts = _name(axes, names, spots, _numbers(winners))
    _connect(axes, margins, [text.get_window_extent().padded(GAP) for text in texts])
    return figure


def _numbers(winners: Sequence[int] | Winners) -> set[int]:
    if isinstance(winners, Tensor):
        return set(winners.flatten().nonzero()[:, 0].tolist())
    return set(winners)


def _spots(margins: NDArray) -> NDArray:
    """Points on a circle ``[candidate, 2]``: most victories first, then largest margins."""
    order = np.lexsort((-margins.sum(1), -(margins > 0).sum(1)))
    angles = np.empty(len(order))
    angles[order] = np.pi / 2 - 2 * np.pi * np.arange(len(order)) / len(order)
    return np.stack([np.cos(angles), np.sin(angles)], 1) if len(order) > 1 else np.zeros((1, 2))


def _name(axes: Any, names: list[str], spots: NDArray, won: set[int]) -> list[Any]:
    return [
        axes.text(
            *spot,
            name,
            color=WON_INK if c in won else INK,
            fontsize=12,
            fontweight="bold" if c in won else "normal",
            ha="center",
            va="center",
            zorder=4,
            parse_math=False,
            bbox={
                "boxstyle": "round,pad=0.5",
                "facecolor": WON if c in won else PAPER,
                "edgecolor": WON if c in won else SOFT,
                "linewidth": 1.4,
            },
        )
        for c, (name, spot) in enumerate(zip(names, spots, strict=True))
    ]


def _connect(axes: Any, margins: NDArray, boxes: list[Any]) -> None:
    from matplotlib.patches import FancyArrowPatch

    largest, size = max(1, int(np.abs(margins).max(initial=0))), len(boxes)
    for a, b in ((a, b) for a in range(size) for b in range(size)):
        margin = int(margins[a, b])
        if a == b or margin < 0 or (margin == 0 and a > b):
            continue
        ends = [_edge(boxes[a], boxes[b]), _edge(boxes[b], boxes[a])]
        start, end = axes.transData.inverted().transform(ends)
        weight = margin / largest
        arrow = FancyArrowPatch(
            start,
            end,
            shrinkA=0,
            shrinkB=0,
            arrowstyle="-|>,head_length=7,head_width=3.5" if margin else "-",
            linewidth=1 + 2 * weight,
            linestyle="solid" if margin else (0, (4, 4)),
            color=_shade(weight) if margin else SOFT,
            zorder=2,
            joinstyle="miter",
            capstyle="butt",
        )
        axes.add_patch(arrow)
        if margin and size <= NUMBERED:
            _number(axes, margin, start, end)


def _shade(weight: float) -> tuple[float, ...]:
    """From grey to ink; transparent arrows would show their shafts through their heads."""
    ink = [int(INK[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(1 - (0.45 + 0.55 * weight) * (1 - part) for part in ink)


def _edge(box: Any, other: Any) -> NDArray:
    """Where the line from the middle of a box to that of another leaves the box, in pixels."""
    (x0, y0), (x1, y1) = box.min, box.max
    centre = np.array([x0 + x1, y0 + y1]) / 2
    way = (other.min + other.max) / 2 - centre
    reach = np.array([x1 - x0, y1 - y0]) / 2 / np.maximum(np.abs(way), 1e-9)
    edge: NDArray = centre + way * min(reach.min(), 0.5)
    return edge


def _number(axes: Any, margin: int, start: NDArray, end: NDArray) -> None:
    # Nearer to the tail than to the middle, where arrows cross.
    axes.text(
        *(start + 0.25 * (end - start)),
        f"{margin:,}",
        color=INK,
        fontsize=10,
        ha="center",
        va="center",
        zorder=3,
        bbox={"boxstyle": "round,pad=0.2", "facecolor": PAPER, "edgecolor": "none"},
    )


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"


def _rendered(figure: Any, kind: str) -> bytes:
    from matplotlib import rc_context

    # Keep text as text and omit the date, so that the same election gives the same file.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "elect", "font.family": "sans-serif"}
    about = {"Date": None} if kind == "svg" else {"Software": None}
    buffer = BytesIO()
    with rc_context(settings):
        figure.savefig(buffer, format=kind, dpi=160, metadata=about, transparent=kind == "svg")
    return buffer.getvalue()
