# SPDX-License-Identifier: MIT
"""Which rooms of the checker include which. A model never knows who asks, and nothing that is
explored knows how it is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKER = Path(__file__).resolve().parents[2] / "checker"
#: From below to above: each may include those before it, and those alone where it says so.
ORDER = ("graph", "model", "explore", "machine", "memory", "execution", "sync", "search", "verdict")
ALONE = {
    "compiler": set(),
    "machine": {"graph"},
    "memory": {"graph", "machine"},
    "interface": set(ORDER),
}
BELOW = {room: set(ORDER[:place]) for place, room in enumerate(ORDER)} | ALONE


def _included(room: Path) -> set[str]:
    found = set()
    for path in room.rglob("*"):
        if path.suffix in (".cpp", ".hpp"):
            found |= set(re.findall(r'^#include "(\w+)/', path.read_text(), re.MULTILINE))
    return found - {room.name}


def test_each_room_is_known() -> None:
    assert {path.parent.name for path in CHECKER.glob("*/*.cpp")} == set(BELOW)


@pytest.mark.parametrize("room", sorted(BELOW))
def test_a_room_includes_what_is_below_it(room: str) -> None:
    assert _included(CHECKER / room) <= BELOW[room]
