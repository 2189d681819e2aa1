# SPDX-License-Identifier: MIT
"""How long a search that leaves rounds out may take: what the one before it has left."""

from __future__ import annotations

import pytest
from fencepost.execution.schema import Exploration
from fencepost.explore.passed_spins import SUGGESTED, with_second_try
from fencepost.explore.run_program import Bounds


@pytest.mark.parametrize(
    ("allowed", "taken", "left"), [(0.0, 9.0, [0.0]), (5.0, 2.0, [3.0]), (5.0, 5.5, [])]
)
def test_it_has_the_time_that_is_left(allowed: float, taken: float, left: list[float]) -> None:
    given: list[float] = []

    def explore(bounds: Bounds) -> Exploration:
        assert bounds.bounded_spins
        given.append(bounds.timeout)
        return Exploration("c++20", "holds", 1, 0, 0.0)

    found = Exploration("c++20", "inconclusive", 1, 0, taken, reason=f"a loop {SUGGESTED}")
    again = with_second_try(Bounds(timeout=allowed), found, explore)
    assert given == left
    assert again.verdict == "inconclusive"
    assert again.reason.endswith("with --bounded-spins it holds") == bool(left)
