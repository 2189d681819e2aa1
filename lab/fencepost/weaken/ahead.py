# SPDX-License-Identifier: MIT
"""Explores N at a time: what is asked for, and what will probably be asked for next.

A search asks one question after the other, and what it asks depends on the answers so far. What an
exploration finds does not: it may be begun before anybody asks. Who searches says what is likely to
come (`expect`), and processors that would be idle begin with that. A wrong guess costs their time
and nothing else: it is stopped, nobody hears of it, and the search goes as it would have gone with
one at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from fencepost.execution.schema import Exploration
from fencepost.explore.run_program import Explorer
from fencepost.system.worker_threads import WorkerThreads, result_of

Request = TypeVar("Request", bound=Hashable)


@dataclass(frozen=True)
class _Begun:
    explorer: Explorer
    future: Future[Exploration]


class Ahead(Generic[Request]):
    """Explorations by what is asked for: `make` says how each is done, `run` does it."""

    def __init__(
        self,
        make: Callable[[Request], Explorer],
        run: Callable[[Explorer], Exploration],
        jobs: int = 1,
    ) -> None:
        self._make = make
        self._run = run
        self._jobs = jobs
        # What was stopped takes a moment to end, and is not to be waited for.
        self._pool = WorkerThreads(2 * jobs) if jobs > 1 else None
        self._lock = threading.RLock()
        self._begun: dict[Request, _Begun] = {}
        self._expected: list[Request] = []
        self._awaited: Request | None = None

    def expect(self, requests: Iterable[Request]) -> None:
        """What is likely to be asked for after the next, the likeliest first; what was said before
        counts no more."""
        if self._pool:
            with self._lock:
                self._expected = list(islice(requests, 2 * self._jobs))

    def awaits(self, request: Request) -> bool:
        return self._awaited == request

    def take(self, request: Request) -> Exploration:
        """Explores, or waits for what was begun; once for each time that it is asked for."""
        self._awaited = request
        if self._pool is None:
            return self._run(self._make(request))
        with self._lock:
            self._stop_all_but({request, *self._expected})
            if request not in self._begun:
                self._begin(request)
            awaited = self._begun[request]
            self._begin_expected()
        try:
            return result_of(awaited.future)
        finally:
            with self._lock:
                del self._begun[request]
                self._expected = []

    def close(self) -> None:
        """Stops what was begun, and waits until it has ended."""
        if self._pool:
            with self._lock:
                self._expected = []
                self._stop_all_but(set())
            self._pool.shutdown()

    def _begin(self, request: Request) -> None:
        assert self._pool
        explorer = self._make(request)
        future = self._pool.submit(self._run, explorer)
        self._begun[request] = _Begun(explorer, future)
        future.add_done_callback(lambda _: self._begin_expected())

    def _begin_expected(self) -> None:
        with self._lock:
            running = sum(not begun.future.done() for begun in self._begun.values())
            for request in self._expected:
                if running >= self._jobs:
                    return
                if request not in self._begun:
                    self._begin(request)
                    running += 1

    def _stop_all_but(self, wanted: set[Request]) -> None:
        for request in [one for one in self._begun if one not in wanted]:
            begun = self._begun.pop(request)
            begun.explorer.stop()
            begun.future.cancel()
