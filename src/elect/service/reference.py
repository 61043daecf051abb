"""The page at /docs: what can be asked for, from the service's own OpenAPI description."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

Schema = dict[str, Any]


def render(api: Schema) -> str:
    """The description as a page."""
    known = api["components"]["schemas"]
    operations = [
        _operation(method, path, operation, known)
        for path, methods in api["paths"].items()
        for method, operation in methods.items()
    ]
    return _template().render(
        info=api["info"], operations=operations, schemas=sorted(known.items()), json=json.dumps
    )


@cache
def _template() -> Template:
    text = (files("elect.service") / "reference.html.jinja").read_text("utf-8")
    # The environment of reports would import torch, which only workers of the service need.
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return made.from_string(text)


def _operation(method: str, path: str, operation: Schema, known: dict[str, Schema]) -> Schema:
    values: Schema = {
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "body": None,
        "answers": {code: _answer(answer) for code, answer in operation["responses"].items()},
    }
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        name = content["schema"]["$ref"].rpartition("/")[2]
        example = json.dumps(known[name]["examples"][0], indent=2)
        rows = min(20, example.count("\n") + 2)
        values |= {"body": name, "example": example, "rows": rows}
    return values


def _answer(answer: Schema) -> Schema:
    content = answer.get("content", {})
    said = answer["description"]
    return {
        "schemas": [media["schema"] for media in content.values() if media.get("schema")],
        "said": "" if said == "Successful Response" else said,
    }
