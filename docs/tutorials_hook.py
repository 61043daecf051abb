"""Show the notebooks of `tutorials/` as pages of the site, with what they printed."""

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each notebook."""
    for path in sorted((Path(config["docs_dir"]) / "tutorials").glob("*.ipynb")):
        content = as_markdown(json.loads(path.read_text("utf-8")))
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=content))
    return files


def as_markdown(notebook: dict[str, Any]) -> str:
    """The cells one after the other: text as it is, code and outputs between fences."""
    return "\n\n".join(_cell(cell) for cell in notebook["cells"]) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        return f"![The picture that this code draws](data:image/png;base64,{data['image/png']})"
    text = "".join(output.get("text", data.get("text/plain", [])))
    return f"```text\n{text.rstrip()}\n```"
