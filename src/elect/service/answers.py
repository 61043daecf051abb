"""Responses, as they are passed from process to process."""

import json
from typing import Any, NamedTuple

# An error message may quote the request.
LONGEST = 400


class Answer(NamedTuple):
    """A response: a status, a body (JSON, or text with a file name), and Retry-After."""

    status: int
    body: bytes
    filename: str | None = None
    retry_after: int | None = None


def problem(status: int, sentence: str, retry_after: int | None = None) -> Answer:
    """An error response with one sentence, which is cut if it is too long."""
    plain = " ".join(sentence.split())
    short = plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"
    return Answer(status, as_json({"error": short}), None, retry_after)


def as_json(value: Any) -> bytes:
    """UTF-8 encoded JSON; NaN and infinity raise an error."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
