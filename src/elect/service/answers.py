"""What goes back to a client, as it is handed from process to process."""

import json
from typing import Any, NamedTuple

# A sentence may quote what a client has sent.
LONGEST = 400


class Answer(NamedTuple):
    """A status, a body of JSON, or of text with a name if it is a file, and when to come again."""

    status: int
    body: bytes
    filename: str | None = None
    retry_after: int | None = None


def problem(status: int, sentence: str, retry_after: int | None = None) -> Answer:
    """An answer that says what is wrong, in one sentence, and not in one of megabytes."""
    plain = " ".join(sentence.split())
    short = plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"
    return Answer(status, as_json({"error": short}), None, retry_after)


def as_json(value: Any) -> bytes:
    """JSON as everybody reads it: UTF-8, and no NaN or infinity, which are no JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
