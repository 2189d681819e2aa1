# SPDX-License-Identifier: MIT
"""All claims that are put to the test by comparisons, in the order of the page."""

from __future__ import annotations

from fencepost.runners.claims.lock_free import EVENT_COUNTS, LIFO
from fencepost.runners.claims.mysql import LSE, PROTOCOLS, SERVERS, TRY_LOCKS
from fencepost.runners.claims.operations import OPERATIONS

GROUPS = (PROTOCOLS, OPERATIONS, TRY_LOCKS, LSE, SERVERS, LIFO, EVENT_COUNTS)
#: Those that `fencepost bench` measures here.
MEASURED = tuple(
    group for group in GROUPS if group.command and any(claim.tests for claim in group.claims)
)
