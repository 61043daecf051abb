"""Results as small tables: printed, shown in a notebook, or as rows for pandas."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from elect.errors import ElectError

if TYPE_CHECKING:
    import pandas as pd

# Rows that a notebook shows, and the width of printed notes.
SHOWN, WIDTH = 40, 88

_HTML = """\
<table>
<caption style="text-align: left">{{ heading }}</caption>
<thead><tr>{% for header in headers %}<th>{{ header }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in rows %}\
<tr>{% for cell in row %}<td style="text-align: left">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}\
</tbody>
</table>
{% for note in notes %}<p><small>{{ note }}</small></p>{% endfor %}
"""


class Tabular:
    """A result that prints as a table with a heading above and notes below it."""

    def heading(self) -> str:
        """One line above the table."""
        raise NotImplementedError

    def cells(self) -> list[dict[str, str]]:
        """The rows of the table as text."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Sentences below the table."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """The figures as plain rows, for pandas or a file."""
        raise NotImplementedError

    def to_pandas(self) -> "pd.DataFrame":
        """The figures as a pandas data frame."""
        return to_pandas(self.rows())

    def __str__(self) -> str:
        notes = [fill(note, WIDTH, subsequent_indent="  ") for note in self.notes()]
        return "\n\n".join([self.heading(), text_table(self.cells()), "\n".join(notes)])

    def _repr_html_(self) -> str:
        from jinja2 import Environment

        headers, rows = _filled(self.cells())
        left = len(rows) - SHOWN
        more = [f"{left:,} more rows are in rows()."] if left > 0 else []
        page = Environment(autoescape=True).from_string(_HTML)
        notes = [*more, *self.notes()]
        return page.render(heading=self.heading(), headers=headers, rows=rows[:SHOWN], notes=notes)


def text_table(rows: Sequence[Mapping[str, str]]) -> str:
    """The rows below their headers, without columns that are empty in all of them.

    >>> print(text_table([{"rule": "borda", "": ""}, {"rule": "plurality", "": ""}]))
    rule
    ---------
    borda
    plurality
    """
    headers, lines = _filled(rows)
    widths = [max(map(len, column)) for column in zip(headers, *lines, strict=True)]
    lines = [headers, ["-" * width for width in widths], *lines]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def to_pandas(rows: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """The rows as a pandas data frame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ElectError(
            "pandas is not installed; install it with `pip install pandas`, or use rows()."
        ) from error
    return pd.DataFrame.from_records([dict(row) for row in rows])


def _filled(rows: Sequence[Mapping[str, str]]) -> tuple[list[str], list[list[str]]]:
    """The headers of the columns that are not empty everywhere, and their cells."""
    headers = [header for header in rows[0] if any(row[header] for row in rows)]
    return headers, [[row[header] for header in headers] for row in rows]
