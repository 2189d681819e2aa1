# SPDX-License-Identifier: MIT
"""The lines that called what was inlined, where binutils does not tell them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from fencepost.asm.listing import Instruction, Listing, read_object
from fencepost.asm.targets import Target
from fencepost.system import tool_process

#: Files that are not the reader's own: what is inlined from them is said of the line that calls it.
SYSTEM = ("/usr/", "/opt/", "/lib/")

_LIBRARY = re.compile(r"_Z(?:N[KVRO]*)?(?:S[tabsiod]|9__gnu_cxx)")


def with_callers(
    listings: list[Listing], made: Path, command: list[str], target: Target
) -> list[Listing]:
    """The same with callers. `command` compiles what the object `made` is of.

    With statement frontiers gcc begins the ranges of an inlined call with an empty one. At the
    start of a section that is 0 to 0, which ends a list in DWARF 4. Where it matters the code is
    compiled again without them; other lines are better with them.
    """
    if target.compiler != "gcc" or not any(map(_has_lost_some, listings)):
        return listings
    again = made.with_suffix(".callers.o")
    if tool_process.run([*command, "-gno-statement-frontiers", "-c", "-o", str(again)]).returncode:
        return listings
    others = {one.symbol: one for one in read_object(again, target)}
    return [
        _completed(one, others[one.symbol]) if _has_lost_some(one) and one.symbol in others else one
        for one in listings
    ]


def _has_lost_some(one: Listing) -> bool:
    return (
        one.start == 0
        and not _LIBRARY.match(one.symbol)
        and any(map(_is_without_caller, one.instructions))
    )


def _is_without_caller(one: Instruction) -> bool:
    return len(one.frames) == 1 and one.frames[0].file.startswith(SYSTEM)


def _completed(one: Listing, other: Listing) -> Listing:
    if [each.text for each in one.instructions] != [each.text for each in other.instructions]:
        return one
    pairs = zip(one.instructions, other.instructions, strict=True)
    return replace(
        one,
        instructions=tuple(
            replace(each, frames=its.frames) if _is_without_caller(each) else each
            for each, its in pairs
        ),
    )
