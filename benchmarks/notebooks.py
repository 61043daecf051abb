"""Run the tutorials and write what they print into them.

    pip install -c constraints.txt -e ".[test]"
    python benchmarks/notebooks.py            # all tutorials, about a minute

A tutorial is a notebook in `docs/tutorials/`. No Jupyter is needed to run it here: the code of its
cells is run from top to bottom in one namespace.
"""

import ast
import base64
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")
TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("*.ipynb"))

Cell = dict[str, Any]


def main() -> None:
    for path in TUTORIALS:
        notebook = json.loads(path.read_text("utf-8"))
        run(notebook)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(path.name)


def run(notebook: dict[str, Any]) -> None:
    """Run all cells in a new folder and put their outputs into them."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate(code_cells(notebook), 1):
                cell["execution_count"], cell["outputs"] = number, outputs(cell, namespace)
        finally:
            os.chdir(before)


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(cell: Cell, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell prints, the value of its last expression, and its pictures."""
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    found += pictures()
    if value is not None and not found_picture(found):
        data = {"text/plain": lines(repr(value))}
        found.append(
            {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}
        )
    return found


def found_picture(found: list[dict[str, Any]]) -> bool:
    return any("image/png" in one.get("data", {}) for one in found)


def pictures() -> list[dict[str, Any]]:
    """The figures that the cell has drawn."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    import matplotlib.pyplot as plt

    found = []
    for number in plt.get_fignums():
        content = io.BytesIO()
        plt.figure(number).savefig(content, format="png", dpi=80, bbox_inches="tight")
        data = {"image/png": base64.b64encode(content.getvalue()).decode()}
        found.append({"output_type": "display_data", "metadata": {}, "data": data})
    plt.close("all")
    return found


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    main()
