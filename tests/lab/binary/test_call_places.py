# SPDX-License-Identifier: MIT
"""Which calls of atomic operations have a place in the program's own text."""

from __future__ import annotations

import pytest
from fencepost.binary.call_places import Place, is_lost, where_written

LIBRARY = Place("load", "/usr/include/c++/12/bits/atomic_base.h", 488, 31)
OWN = Place("", "/home/somebody/queue.cpp", 12, 7)
#: What LLVM says of a call that it has made of two.
MERGED = Place("", "/home/somebody/queue.cpp", 0, 0)
COUNTS = Place("release", "/usr/include/c++/12/bits/shared_ptr_base.h", 330, 9)


@pytest.mark.parametrize(
    ("chain", "written", "lost"),
    [
        ([LIBRARY, OWN], OWN, False),
        ([OWN], OWN, False),
        ([LIBRARY, COUNTS, OWN], None, False),  # the library chose the order
        ([LIBRARY, MERGED], None, True),
        ([MERGED], None, True),
        ([], None, True),
    ],
)
def test_a_call_without_a_line_is_lost_and_no_librarys(
    chain: list[Place], written: Place | None, lost: bool
) -> None:
    assert where_written(chain) == written
    assert is_lost(chain) == lost
