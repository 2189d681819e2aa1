# SPDX-License-Identifier: MIT
"""Where control comes to in a function besides what follows and what branches name: the cases of a
switch with a table, labels whose address is taken, and what catches exceptions.

Disassemblers do not say it. The compiler's assembly text does, by labels; and an object in which
the assembler has kept these says where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from fencepost.asm.listing import Listing
from fencepost.asm.object import code_sizes, local_labels
from fencepost.asm.targets import Target
from fencepost.system import tool_process

_SECTION = re.compile(r"\.(?:push)?section\s+([^,\s]+)|(\.(?:text|data|bss))(?:\s|$)")
_DATA = re.compile(
    r"\.(?:byte|[248]byte|short|hword|half|[xd]?word|long|int|quad|uleb128|tc)\s+(.*)"
)
_NAMED = re.compile(r"(?<![\w.-])\.L[\w$.]+")
_TAKEN_AWAY = re.compile(r"-\(?(\.L[\w$.]+)")
#: Instructions that make an address.
_ADDRESS = re.compile(r"(?:lea|mov|adr|add|ldr?|ll?a|lui|auipc)\w*\s")
_NO_CODE = re.compile(r"\.(?:debug|z?debug|eh_frame|stab|comment)")
#: Of a call that may throw: where it begins in the function, how long it is, and where that lands.
_THROWS = re.compile(r"(\.L[\w$.]+)-\S+ \.L[\w$.]+-\1 (\.L[\w$.]+)-")


@dataclass
class Labels:
    """Labels in a compiler's assembly text that indirect jumps and caught exceptions go to."""

    jumped: set[str] = field(default_factory=set)  # an indirect jump may go to
    landings: set[str] = field(default_factory=set)  # an exception that is caught goes to


def labels_of(text: str) -> Labels:
    found, bases = Labels(), set[str]()
    addresses = set[str]()
    section, calls = "", list[str]()
    for line in text.splitlines():
        code = re.sub(r"\s*(?:#|//).*", "", line.strip())
        if at := _SECTION.match(code):
            section = at[1] or at[2]
        elif data := _DATA.match(code):
            said = data[1].replace(" ", "")
            if section.startswith(".gcc_except_table"):
                calls.append(said)
            elif not _NO_CODE.match(section):
                found.jumped.update(_NAMED.findall(said))
                bases.update(_TAKEN_AWAY.findall(said))
        elif _ADDRESS.match(code) and "%pcrel_lo(" not in code:
            addresses.update(_NAMED.findall(code))
    found.jumped |= addresses - bases
    found.landings |= {match[2] for match in _THROWS.finditer(" ".join(calls))}
    return found


def with_entries(
    listings: list[Listing], made: Path, command: list[str], target: Target, flags: list[str]
) -> list[Listing]:
    """The same with where control comes to. `command` compiles what the object `made` is of."""
    text, labelled = made.with_suffix(".s"), made.with_suffix(".labels.o")
    machine = [one for one in flags if one.startswith(("-m", "-Wa,"))]
    assemble = [target.command[0], *target.command[1:], *machine]
    for one in (
        [*command, "-S", "-o", str(text)],
        [*assemble, "-c", "-Wa,-L", "-o", str(labelled), str(text)],
    ):
        if tool_process.run(one).returncode != 0:
            return listings
    if code_sizes(made) != code_sizes(labelled):
        return listings  # then its places are not these
    labels = labels_of(text.read_text(errors="replace"))
    places = local_labels(labelled)
    jumped = {places[label] for label in labels.jumped if label in places}
    landings = {places[label] for label in labels.landings if label in places}
    return [
        replace(one, jumped=_inside(one, jumped), landings=_inside(one, landings))
        for one in listings
    ]


def _inside(one: Listing, places: set[tuple[str, int]]) -> tuple[int, ...]:
    offsets = {value - one.start for section, value in places if section == one.section}
    return tuple(sorted(offsets & {each.offset for each in one.instructions}))
