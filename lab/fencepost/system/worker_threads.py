# SPDX-License-Identifier: MIT
"""Threads that work while the main thread waits for them.

Python handles a signal in the main thread. Where the kernel delivers it to another one, as it may
when two come together, a main thread that sleeps is not woken. So here it looks up now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

#: Between two looks whether there was a signal.
LOOK_SECONDS = 0.2

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerThreads(ThreadPoolExecutor):
    """An executor that can be waited for in such a way. Use `in_order` in the place of `map`."""

    def in_order(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """What the function returns of each; what has not begun is cancelled if one raises."""
        futures = [self.submit(function, item) for item in items]
        try:
            for future in futures:
                yield result_of(future)
        finally:
            for future in futures:
                future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)
        for thread in list(self._threads) if wait else ():
            while thread.is_alive():
                thread.join(LOOK_SECONDS)


def completed(futures: Iterable[Future[Result]]) -> Iterator[Future[Result]]:
    """The futures as they are done."""
    left = set(futures)
    while left:
        done, left = wait(left, LOOK_SECONDS, FIRST_COMPLETED)
        yield from done


def result_of(future: Future[Result]) -> Result:
    for _ in completed([future]):
        pass
    return future.result()
