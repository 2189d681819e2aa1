# SPDX-License-Identifier: MIT
"""Explorations that are begun before anybody asks: which run, and that nobody can tell."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.execution.schema import Exploration
from fencepost.weaken.ahead import Ahead

PATIENCE = 60.0


class Scripted:
    """Stands in for an Explorer; ends when it is told to, or stopped."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.was_stopped = False

    def stop(self) -> None:
        self.was_stopped = True
        self.may_end.set()


class Laboratory:
    """Makes explorers by name, and keeps count of those that run."""

    def __init__(self) -> None:
        self.made: list[Scripted] = []
        self.lock = threading.Lock()
        self.begun = threading.Condition(self.lock)
        self.running = 0
        self.most_running = 0

    def make(self, name: str) -> Scripted:
        with self.lock:
            self.made.append(Scripted(name))
            return self.made[-1]

    def run(self, explorer: Scripted) -> Exploration:
        with self.begun:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            explorer.begun.set()
            self.begun.notify_all()
        assert explorer.may_end.wait(PATIENCE)
        with self.lock:
            self.running -= 1
        if explorer.name == "unusable":
            raise UnusableInput("as it was written")
        return Exploration(explorer.name, "holds", 1, 0, 0.0)

    def wait_for(self, name: str, times: int = 1) -> Scripted:
        """The last one of that name, once so many have begun."""

        def of_name() -> list[Scripted]:
            return [one for one in self.made if one.name == name and one.begun.is_set()]

        with self.begun:
            assert self.begun.wait_for(lambda: len(of_name()) == times, PATIENCE)
            return of_name()[-1]

    def names(self) -> list[str]:
        return [one.name for one in self.made]


@pytest.fixture
def laboratory() -> Laboratory:
    return Laboratory()


@pytest.fixture
def ahead(laboratory: Laboratory) -> Iterator[Ahead[str]]:
    ahead: Ahead[str] = Ahead(laboratory.make, laboratory.run, 2)  # type: ignore[arg-type]
    yield ahead
    ahead.close()


@pytest.fixture
def asker() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def test_what_is_expected_runs_while_another_is_waited_for(
    ahead: Ahead[str], laboratory: Laboratory, asker: ThreadPoolExecutor
) -> None:
    ahead.expect(["b", "c"])
    answer = asker.submit(ahead.take, "a")
    laboratory.wait_for("b").may_end.set()  # which leaves a processor idle
    laboratory.wait_for("c")
    laboratory.wait_for("a").may_end.set()
    assert answer.result().model == "a"
    assert laboratory.most_running == 2
    laboratory.wait_for("c").may_end.set()
    ahead.expect(["c"])
    assert ahead.take("b").model == "b"
    assert ahead.take("c").model == "c"
    assert laboratory.names() == ["a", "b", "c"], "each was explored once"


def test_what_was_expected_in_vain_is_stopped(
    ahead: Ahead[str], laboratory: Laboratory, asker: ThreadPoolExecutor
) -> None:
    ahead.expect(["b"])
    answer = asker.submit(ahead.take, "a")
    in_vain = laboratory.wait_for("b")
    laboratory.wait_for("a").may_end.set()
    answer.result()
    answer = asker.submit(ahead.take, "d")
    laboratory.wait_for("d").may_end.set()
    assert answer.result().model == "d"
    assert in_vain.was_stopped


def test_what_is_asked_for_again_is_explored_again(
    ahead: Ahead[str], laboratory: Laboratory, asker: ThreadPoolExecutor
) -> None:
    for times in (1, 2):
        answer = asker.submit(ahead.take, "a")
        laboratory.wait_for("a", times).may_end.set()
        answer.result()
    assert laboratory.names() == ["a", "a"]


def test_only_who_asks_hears_that_it_went_wrong(
    ahead: Ahead[str], laboratory: Laboratory, asker: ThreadPoolExecutor
) -> None:
    ahead.expect(["unusable"])
    answer = asker.submit(ahead.take, "a")
    laboratory.wait_for("unusable").may_end.set()
    laboratory.wait_for("a").may_end.set()
    assert answer.result().verdict == "holds"
    ahead.expect(["unusable"])
    with pytest.raises(UnusableInput):
        ahead.take("unusable")


def test_in_the_end_nothing_runs(
    ahead: Ahead[str], laboratory: Laboratory, asker: ThreadPoolExecutor
) -> None:
    ahead.expect(["b", "c"])
    answer = asker.submit(ahead.take, "a")
    laboratory.wait_for("b")
    laboratory.wait_for("a").may_end.set()
    answer.result()
    ahead.close()
    assert laboratory.running == 0


def test_one_at_a_time_begins_nothing_ahead(laboratory: Laboratory) -> None:
    def run(explorer: Scripted) -> Exploration:
        return Exploration(explorer.name, "holds", 1, 0, 0.0)

    ahead: Ahead[str] = Ahead(laboratory.make, run, 1)  # type: ignore[arg-type]
    ahead.expect(["b"])
    ahead.take("a")
    assert laboratory.names() == ["a"]
