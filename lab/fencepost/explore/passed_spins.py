# SPDX-License-Identifier: MIT
"""Whether a program fails whose spins have too many rounds to be explored one by one.

A loop that looks at an object until a counter runs out has as many outcomes as rounds, unless it is
proved that nobody can tell them apart. Where a search ends without a verdict and has met such a
loop, the program is explored again with --bounded-spins, which leaves out rounds in the middle. A
violation that this finds is one: each execution is the program's own. That it finds none is said,
and is no verdict, for what the counter holds when the loop ends in between was not explored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fencepost.execution.schema import Exploration
from fencepost.explore.run_program import Bounds

#: What the checker says of it (checker/verdict/verdict.cpp).
SUGGESTED = "(see --bounded-spins)"


def with_second_try(
    bounds: Bounds, found: Exploration, explore: Callable[[Bounds], Exploration]
) -> Exploration:
    """With what is found when rounds are left out, if the search has come to no verdict."""
    if found.verdict != "inconclusive" or SUGGESTED not in found.reason:
        return found
    if bounds.bounded_spins or bounds.no_bounded_spins or bounds.symmetry or bounds.checkpoint:
        return found  # it was asked for, or refused, or changes nothing
    left = max(0.0, bounds.timeout - found.seconds)
    if bounds.timeout and not left:
        return found
    again = explore(replace(bounds, bounded_spins=True, timeout=left))
    if again.verdict == "violated":
        return again
    said = "it holds" if again.verdict == "holds" else "there is no verdict either"
    return replace(found, reason=f"{found.reason}; with --bounded-spins {said}")
