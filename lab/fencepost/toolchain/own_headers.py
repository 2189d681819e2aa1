# SPDX-License-Identifier: MIT
"""Where a program finds the library's headers: in its own copy, which may be of another version,
and where it has none in this Fencepost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fencepost import ROOT


def own_headers(flags: Iterable[str]) -> list[str]:
    """What stands behind the user's flags: of two folders the compiler takes the first."""
    words = iter(flags)
    for word in words:
        # These two are searched after all of -I, wherever they stand.
        option = next((one for one in ("-isystem", "-idirafter") if word.startswith(one)), None)
        if option and Path(word[len(option) :] or next(words, ""), "fencepost").is_dir():
            return []
    return ["-I", str(ROOT / "include")]
