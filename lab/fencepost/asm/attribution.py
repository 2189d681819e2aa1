# SPDX-License-Identifier: MIT
"""Which instructions are of which atomic operation: by their lines, inlining included."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from fencepost.asm.listing import Listing
from fencepost.asm.orders import Operation, Place

#: An instruction that is a fence and nothing else.
BARRIER = re.compile(r"[mls]?fence|d[ms]b|\w*sync|lock or\w* \$0x0,")


@dataclass(frozen=True)
class Attributed:
    """An operation of the source, the instructions that it became, and what is wrong with them."""

    operation: Operation
    instructions: tuple[int, ...]  # numbers in the listing
    faults: tuple[str, ...] = ()
    doubt: str = ""  # why these may not be its instructions
    not_judged: str = ""  # why nothing is said of its order


def attribute(listing: Listing, operations: list[Operation]) -> list[Attributed]:
    """Finds the instructions of each operation by their lines, inlining included."""
    base = listing.symbol.removesuffix(".cold")
    # A constructor or destructor has two names, of which the object may show the other.
    names = {base, base.replace("C1E", "C2E"), base.replace("D1E", "D2E")}
    groups: dict[tuple[Place, ...], list[int]] = defaultdict(list)
    for number, instruction in enumerate(listing.instructions):
        groups[tuple(frame.place for frame in instruction.frames)].append(number)
    own = [one for one in operations if one.function in names]
    chosen = [_group_of(one, groups) for one in own]
    found = []
    for one, (places, distance) in zip(own, chosen, strict=True):
        # Of several that may be one group's the nearest is; nothing is known of the others.
        rivals = [
            other_distance
            for other, (group, other_distance) in zip(own, chosen, strict=True)
            if group == places and other.places[:1] == one.places[:1] and other.words != one.words
        ]
        is_nearest = all(distance <= rival for rival in rivals)
        numbers = groups[places] if places is not None and is_nearest else []
        doubt = "its instructions may be another operation's" if rivals else ""
        found.append(Attributed(one, tuple(numbers), doubt=doubt))
    _find_moved(listing, groups, found)
    return [one for one in found if one.instructions] if base != listing.symbol else found


def _find_moved(
    listing: Listing, groups: dict[tuple[Place, ...], list[int]], found: list[Attributed]
) -> None:
    """Finds what has another line than the operation, for the compiler made one instruction of it
    and of what is beside it: what orders memory and is nobody's, on the line that called or on
    another of the same inlined call; there also the only plain instruction."""
    claimed = {number for one in found for number in one.instructions}
    candidates: dict[int, tuple[int, ...]] = {}
    for at, one in enumerate(found):
        if one.instructions or one.operation.is_fence or not one.operation.places:
            continue
        beside = one.operation.places[1:] or _caller(one.operation)
        free = [
            number
            for places, numbers in groups.items()
            for number in numbers
            if beside
            and number not in claimed
            and not BARRIER.match(listing.instructions[number].text)
            and (
                (listing.instructions[number].atomic and beside in (places, places[1:]))
                or (
                    one.operation.kind in ("load", "store")
                    and len(places) > 1
                    and places[1:] == beside
                    and numbers == [number]
                )
            )
        ]
        if free:
            candidates[at] = tuple(free)
    wanted = Counter(number for numbers in candidates.values() for number in numbers)
    for at, numbers in candidates.items():
        if all(wanted[number] == 1 for number in numbers):
            found[at] = replace(
                found[at], instructions=numbers, doubt="its instructions are of a line beside it"
            )


def _caller(one: Operation) -> tuple[Place, ...]:
    inlined = one.places[0][0]
    outside = next((place for place in one.recent if place[0] != inlined), None)
    return (outside,) if outside else ()


def _group_of(
    one: Operation, groups: dict[tuple[Place, ...], list[int]]
) -> tuple[tuple[Place, ...] | None, list[int]]:
    """The lines of its instructions, and how many lines ago each of them was begun."""
    if not one.places or one.places in groups:
        return one.places or None, []
    if len(one.places) > 1:  # the compiler knows it exactly
        innermost = one.places[:1]
        return (innermost, []) if innermost in groups else (None, [])
    near = [places for places in groups if places[:1] == one.places]
    if len(near) == 1:
        return near[0], []
    # The one that was inlined from the lines that were begun last.
    last = {place: n for n, place in reversed(list(enumerate(one.recent)))}
    known = [places for places in near if all(place in last for place in places[1:])]
    ranked = sorted(([last[place] for place in places[1:]], places) for places in known)
    if not ranked:
        return None, []
    # Of another the outer lines may not have been begun, but the inner ones later than of this.
    never = len(one.recent)
    latest = min(near, key=lambda places: [last.get(place, never) for place in places[1:]])
    if ranked[0][1] != latest or not _just_begun(one, latest):
        return None, []
    return ranked[0][1], ranked[0][0]


def _just_begun(one: Operation, places: tuple[Place, ...]) -> bool:
    """Whether the operation stands where the line that it was inlined from was the last one begun
    outside of the inlined function's file: another line's instructions are not this operation's."""
    inlined, caller = places[0][0], places[1]
    if caller[0] == inlined:
        return True
    return caller == next((place for place in one.recent if place[0] != inlined), caller)
