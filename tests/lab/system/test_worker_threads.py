# SPDX-License-Identifier: MIT
"""A signal that the kernel gives to a worker is handled while the main thread waits for it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from fencepost.system.worker_threads import WorkerThreads, completed, result_of

Waiting = Callable[[WorkerThreads, Callable[[], bool]], bool]


@pytest.fixture
def handled() -> Iterator[threading.Event]:
    seen = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.set())
    yield seen
    signal.signal(signal.SIGUSR1, before)


def _on_shutdown(pool: WorkerThreads, work: Callable[[], bool]) -> bool:
    future = pool.submit(work)
    pool.shutdown()
    return future.result()


@pytest.mark.parametrize(
    "waiting",
    [
        lambda pool, work: result_of(pool.submit(work)),
        lambda pool, work: next(completed([pool.submit(work)])).result(),
        lambda pool, work: next(pool.in_order(lambda _: work(), [0])),
        _on_shutdown,
    ],
    ids=["result", "completed", "in order", "shutdown"],
)
def test_a_signal_that_a_worker_gets_is_handled_at_once(
    waiting: Waiting, handled: threading.Event
) -> None:
    def work() -> bool:
        time.sleep(0.05)  # until the main thread sleeps
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        return handled.wait(5)

    with WorkerThreads(1) as pool:
        assert waiting(pool, work)


def test_what_has_not_begun_is_cancelled_where_one_raises() -> None:
    begun = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 0:
            raise ValueError
        time.sleep(0.1)

    with WorkerThreads(1) as pool, pytest.raises(ValueError):
        next(pool.in_order(work, range(100)))
    assert len(begun) < 100
