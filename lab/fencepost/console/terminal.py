# SPDX-License-Identifier: MIT
"""The terminal that stdout is, if it is one: whether it has colours, and how wide it is."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap


def in_colour() -> bool:
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not unwanted


def columns() -> int | None:
    """The width that text has to fit: COLUMNS, or the terminal's. None: what is read by a program,
    or lands in a file, is never cut."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size().columns
    return None


def wrapped(text: str, width: int | None, indent: str = "    ") -> list[str]:
    """The text as lines that fit, of which all but the first are indented."""
    if width is None or len(text) <= width:
        return [text]
    return textwrap.wrap(
        text,
        max(width, len(indent) + 20),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
