# SPDX-License-Identifier: MIT
"""How many processors each of several checks has."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Processors:
    """Shares the processors among the checks: while there are enough checks one each, and the last
    ones take what the others have left."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._lock = threading.Lock()
        self._free = jobs
        self.checks = 0  # that have not begun to explore

    @property
    def checks_at_a_time(self) -> int:
        return max(1, min(self._jobs, self.checks))

    def not_needed(self) -> None:
        """One of the checks will explore nothing."""
        with self._lock:
            self.checks -= 1

    @contextmanager
    def for_a_check(self) -> Iterator[int]:
        with self._lock:
            share = max(1, self._free // min(max(1, self.checks), max(1, self._free)))
            self.checks -= 1
            self._free -= share
        try:
            yield share
        finally:
            with self._lock:
                self._free += share
