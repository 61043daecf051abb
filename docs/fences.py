"""Examples in docstrings as Markdown: griffe hands them on as they are, and to Markdown a line that
begins with `>>>` is a quotation of a quotation of a quotation."""

import re
from typing import Any

from griffe import Extension, Object

# A prompt, and all lines down to the next empty one, however deep they stand.
EXAMPLE = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)


class FencedExamples(Extension):
    """Put examples between fences."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(r"\1```pycon\n\g<0>\n\1```", obj.docstring.value)
