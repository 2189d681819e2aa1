# SPDX-License-Identifier: MIT
"""Ends explorations and tools that are running when somebody has had enough."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from fencepost.execution.schema import Exploration
from fencepost.explore.run_program import Explorer
from fencepost.system import tool_process


class Stop:
    """Ctrl-C and a polite kill end what is running, start nothing new, and still tell results."""

    def __init__(self) -> None:
        self._running: set[Explorer] = set()
        self.asked = False
        tool_process.begin()

    def ask(self) -> None:
        self.asked = True
        tool_process.end_all()
        for explorer in list(self._running):
            explorer.stop()

    @contextmanager
    def handled(self) -> Iterator[None]:
        def ask(_number: int, _frame: FrameType | None) -> None:
            self.ask()

        previous = {
            number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def run(self, explorer: Explorer) -> Exploration:
        self._running.add(explorer)
        if self.asked:
            explorer.stop()
        try:
            return explorer.run()
        finally:
            self._running.discard(explorer)
