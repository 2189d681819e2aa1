# SPDX-License-Identifier: MIT
"""Text of others in HTML, SVG and Markdown: whatever it says, it is text there."""

from __future__ import annotations

import html
import re
from typing import Any

from fencepost.console.shown import shown

#: What Markdown, or a dialect of it, gives a meaning to.
_SIGNS = re.compile(r"[\\`*_#|<>\[\]&~$]")
#: What means something at the beginning of a line alone: items of lists, and rules below headings.
_BEGINNING = re.compile(r"([-+=]|\d+(?=[.)]))")


def escape(text: str) -> str:
    """Escape text and attributes of HTML and SVG. What does not print is shown, for a page
    must not be turned around by a name, and XML has no control characters."""
    return html.escape(shown(text))


def shown_values(value: Any) -> Any:
    """The same data with each text shown, for a script that puts it into the page."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {name: shown_values(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [shown_values(one) for one in value]
    return value


def markdown(words: str) -> str:
    """Escape a line of Markdown, a cell of a table or a heading: nothing in it is a sign."""
    words = _SIGNS.sub(r"\\\g<0>", _line(words))
    return _BEGINNING.sub(_behind_backslash, words, count=1) if _BEGINNING.match(words) else words


def _behind_backslash(found: re.Match[str]) -> str:
    sign = found[0]
    return f"{sign}\\" if sign.isdigit() else f"\\{sign}"


def markdown_code(words: str) -> str:
    """Mark a line or a cell of Markdown as code: it ends where no backtick of its own does."""
    words = _line(words)
    if not words:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", words)), default=0))
    # A blank beside a backtick is not shown.
    pad = " " if words[0] in " `" or words[-1] in " `" else ""
    return f"{fence}{pad}{words}{pad}{fence}"


def markdown_code_cell(words: str) -> str:
    """A table is cut into cells before anything else is looked at."""
    return markdown_code(words).replace("|", "\\|")


def _line(words: str) -> str:
    return shown(" ".join(words.split("\n")).strip(), kept="")
