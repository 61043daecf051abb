"""Reports: self-contained HTML pages.

All templates extend ``base.html.jinja`` and share ``report.css``. Jinja2 escapes all values, so
names may contain any characters.

Example:
    >>> print(render("summary.html.jinja", title="<Ann>", heads=["rule"], rows=[["Borda"]]))
    <table><caption>&lt;Ann&gt;</caption>
    <thead><tr><th>rule</th></tr></thead>
    <tbody>
    <tr><th>Borda</th></tr>
    </tbody></table>
"""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from elect.reports import charts, numbers

__all__ = ["environment", "render"]


@cache
def environment() -> Environment:
    """Jinja2 with our templates, filters and charts; a name that a template misspells raises."""
    made = Environment(
        loader=PackageLoader("elect.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "amount": numbers.amount,
        "and_list": numbers.and_list,
        "code_split": numbers.code_split,
        "count": numbers.count,
        "first_upper": numbers.first_upper,
        "percent": numbers.percent,
        "signed": numbers.signed,
        "span": numbers.span,
        "times": numbers.times,
    }
    made.globals |= {"charts": charts, "sizes": numbers.sizes}
    return made


def render(template: str, **values: Any) -> str:
    """A template filled in."""
    return environment().get_template(template).render(**values)
