# SPDX-License-Identifier: MIT
"""Tables that can be read as text and pasted as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table in Markdown, its columns aligned."""
    widths = [max(len(row[n]) for row in [header, *rows]) for n in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "| " + " | ".join(cells) + " |"
