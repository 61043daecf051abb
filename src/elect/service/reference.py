"""The page at /docs: what can be asked for, from the service's own OpenAPI description.

It is written out here, since the usual pages for such descriptions load their scripts from
elsewhere, and this server works where there is no elsewhere.
"""

import json
from html import escape
from typing import Any

Schema = dict[str, Any]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: the service</title>
<link rel="stylesheet" href="/reference/style.css">
<script type="module" src="/reference/script.js"></script>
</head>
<body>
<main>
<h1>{title} {version}: the service</h1>
<p>{summary} <a href="/">The page</a> uses nothing else. Programs find this description at
<a href="/openapi.json">/openapi.json</a>.</p>
<p>Every error is a JSON object with one sentence, such as
<code>{{"error": "Ballot 3 ranks 'Eve', who is not a candidate."}}</code></p>
<h2>What can be asked for</h2>
{operations}
<h2>What is sent and answered</h2>
{schemas}
</main>
</body>
</html>
"""


def render(api: Schema) -> str:
    """The description as a page."""
    known = api["components"]["schemas"]
    operations = [
        _operation(method, path, operation, known)
        for path, methods in api["paths"].items()
        for method, operation in methods.items()
    ]
    return PAGE.format(
        title=escape(api["info"]["title"]),
        version=escape(api["info"]["version"]),
        summary=escape(api["info"]["summary"]),
        operations="\n".join(operations),
        schemas="\n".join(_schema(name, schema) for name, schema in sorted(known.items())),
    )


def _operation(method: str, path: str, operation: Schema, known: dict[str, Schema]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    takes, field = "", ""
    if content:
        name = content["schema"]["$ref"].rpartition("/")[2]
        example = json.dumps(known[name]["examples"][0], indent=2)
        label = f"{method.upper()} {path}"
        takes = f"<p>Takes {_reference(name)}.</p>"
        field = (
            f'<textarea rows="{min(20, example.count(chr(10)) + 2)}" spellcheck="false" '
            f'aria-label="Body of {escape(label)}">{escape(example)}</textarea>'
        )
    answers = "".join(
        f"<tr><td>{status}</td><td>{_answer(answer)}</td></tr>"
        for status, answer in operation["responses"].items()
    )
    return (
        f"<details><summary><code>{method.upper()} {escape(path)}</code> "
        f"{escape(operation['summary'])}</summary>{takes}"
        f'<form data-path="{escape(path)}">{field}<button>Send</button>'
        '<output><pre hidden tabindex="0"></pre></output></form>'
        f"<table><thead><tr><th>Status</th><th>Answer</th></tr></thead>"
        f"<tbody>{answers}</tbody></table></details>"
    )


def _answer(answer: Schema) -> str:
    content = answer.get("content", {})
    kinds = [_type(media["schema"]) for media in content.values() if media.get("schema")]
    said = "" if answer["description"] == "Successful Response" else escape(answer["description"])
    return f"{' or '.join(kinds)} {said}".strip()


def _schema(name: str, schema: Schema) -> str:
    required = schema.get("required", [])
    rows = "".join(
        f"<tr><td><code>{escape(key)}</code>{'' if key in required else ' (optional)'}</td>"
        f"<td>{_type(value)}</td><td>{escape(value.get('description', ''))}</td></tr>"
        for key, value in schema.get("properties", {}).items()
    )
    return (
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code> '
        f"{escape(schema.get('description', ''))}</summary><table>"
        "<thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></details>"
    )


def _type(schema: Schema) -> str:
    """What kind of value it is, in words."""
    if "$ref" in schema:
        return _reference(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema:
        return " or ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    words = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    kind = str(schema.get("type", "anything"))
    return words.get(kind, kind)


def _reference(name: str) -> str:
    return f'<a href="#{escape(name)}"><code>{escape(name)}</code></a>'
