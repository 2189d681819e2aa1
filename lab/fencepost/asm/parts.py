# SPDX-License-Identifier: MIT
"""Functions that a compiler has put into two places: what is rarely run stands elsewhere, under the
name with .cold behind it. Paths are followed through both."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from fencepost.asm.attribution import Attributed
from fencepost.asm.listing import Instruction, Listing
from fencepost.asm.mapping import is_followed, judge

_COLD = ".cold"
#: Between the parts, so that no offset of one is another's.
_GAP = 16


@dataclass(frozen=True)
class _Part:
    listing: Listing
    base: int  # what its offsets begin at in the whole
    first: int  # the number of its first instruction there

    def find(self, name: str, addend: int) -> int | None:
        """The offset in the whole of a place that a relocation names, by section or function."""
        offset = addend - self.listing.start if name == self.listing.section else addend
        known = name in (self.listing.section, self.listing.function)
        inside = known and offset in {one.offset for one in self.listing.instructions}
        return self.base + offset if inside else None


def judge_functions(
    listings: list[Listing], family: str, attributed: list[list[Attributed]]
) -> list[list[Attributed]]:
    """What is wrong with the operations of each listing."""
    judged: dict[int, list[Attributed]] = {}
    for numbers in _functions(listings):
        parts, found = [listings[n] for n in numbers], [attributed[n] for n in numbers]
        judged.update(zip(numbers, _judge_parts(parts, family, found), strict=True))
    return [judged[number] for number in range(len(listings))]


def are_followed(listings: list[Listing], family: str, attributed: list[list[Attributed]]) -> bool:
    """Whether branches alone lead everywhere in the functions that have operations."""
    return all(
        is_followed(_whole(_laid_out([listings[n] for n in numbers])), family)
        for numbers in _functions(listings)
        if any(attributed[n] for n in numbers)
    )


def _functions(listings: list[Listing]) -> list[list[int]]:
    """The parts of each, by number; what is entered from outside comes first."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, listing in enumerate(listings):
        found[listing.symbol.removesuffix(_COLD)].append(number)
    return [sorted(one, key=lambda n: listings[n].symbol.endswith(_COLD)) for one in found.values()]


def _judge_parts(
    listings: list[Listing], family: str, attributed: list[list[Attributed]]
) -> list[list[Attributed]]:
    if len(listings) == 1:
        return [judge(listings[0], family, attributed[0])]
    parts = _laid_out(listings)
    together: dict[int, Attributed] = {}
    for part, found in zip(parts, attributed, strict=True):
        for one in found:
            numbers = tuple(part.first + n for n in one.instructions)
            known = together.get(id(one.operation), replace(one, instructions=()))
            together[id(one.operation)] = replace(
                known, instructions=known.instructions + numbers, doubt=known.doubt or one.doubt
            )
    judged = judge(_whole(parts), family, list(together.values()))
    verdicts = dict(zip(together, judged, strict=True))
    return [
        [
            replace(one, faults=verdict.faults, not_judged=verdict.not_judged)
            for one in found
            for verdict in [verdicts[id(one.operation)]]
            # It is an operation of the parts that have its instructions.
            if one.instructions or not verdict.instructions
        ]
        for found in attributed
    ]


def _laid_out(listings: list[Listing]) -> list[_Part]:
    parts: list[_Part] = []
    base = first = 0
    for listing in listings:
        parts.append(_Part(listing, base, first))
        base += max((one.offset for one in listing.instructions), default=0) + _GAP
        first += len(listing.instructions)
    return parts


def _whole(parts: list[_Part]) -> Listing:
    hot = parts[0].listing
    return Listing(
        hot.function,
        tuple(_moved(one, part, parts) for part in parts for one in part.listing.instructions),
        hot.symbol,
        jumped=tuple(part.base + offset for part in parts for offset in part.listing.jumped),
        landings=tuple(part.base + offset for part in parts for offset in part.listing.landings),
        ends=tuple(part.first - 1 for part in parts[1:]),
    )


def _moved(one: Instruction, part: _Part, parts: list[_Part]) -> Instruction:
    target = None if one.target is None else part.base + one.target
    if one.away:
        found = (other.find(*one.away) for other in parts)
        target = next((place for place in found if place is not None), None)
    return replace(one, offset=part.base + one.offset, target=target)
