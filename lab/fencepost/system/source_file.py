# SPDX-License-Identifier: MIT
"""Reads source files. Their names may come out of a file, too: debug information has what `#line`
says."""

from __future__ import annotations

from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system.regular_file import regular_bytes

#: Longer than any source that somebody reads.
MOST_BYTES = 1 << 26


def as_argument(path: Path) -> str:
    """Its name as a compiler takes it: what begins so would be an option, or a file of options."""
    return f"./{path}" if str(path).startswith(("-", "@")) else str(path)


def source_bytes(path: Path) -> bytes:
    """Raises OSError or UnusableInput at once, and never waits."""
    return regular_bytes(path, MOST_BYTES, "source file")


def source_text_of(path: Path) -> str:
    """The same as text, whatever its bytes are."""
    return source_bytes(path).decode(errors="replace")


def editable_text_of(path: Path) -> str:
    """The same, so that `as_bytes` gives back what is not changed, in whatever encoding it is."""
    return source_bytes(path).decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def check_source(path: Path) -> None:
    """Raises UnusableInput where a compiler could not read it, or would wait."""
    if "\n" in str(path):
        raise UnusableInput(
            "has the end of a line in its name, which assemblers do not take", str(path)
        )
    if path.suffix == ".json":
        raise UnusableInput(
            "is no source; --json takes no file, it writes to the standard output: --json > FILE",
            str(path),
        )
    try:
        source_bytes(path)
    except OSError as error:
        raise UnusableInput(error.strerror or str(error), str(path)) from None
