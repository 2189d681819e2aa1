# SPDX-License-Identifier: MIT
"""A counterexample that does not agree with itself is noticed when it is performed again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from fencepost.execution.schema import Violation
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain
from replayed import Json, mistakes

STORE_BUFFERING = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z;
static int first, second;
static void *one(void *p) {
  atomic_store_explicit(&z, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_release);
  first = atomic_load_explicit(&y, memory_order_acquire);
  return p;
}
static void *two(void *p) {
  atomic_store_explicit(&y, 1, memory_order_release);
  atomic_fetch_add_explicit(&z, 1, memory_order_relaxed);
  second = atomic_load_explicit(&x, memory_order_acquire);
  return p;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, one, 0);
  pthread_create(&t[1], 0, two, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(first || second);
}
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """The violation of each model as the program reports it."""
    folder = tmp_path_factory.mktemp("replayed")
    source = Path(folder, "store_buffering.c")
    source.write_text(STORE_BUFFERING)
    program = build_program([source], Toolchain(), folder / "built")
    found: dict[str, Json] = {}
    from_json = Violation.from_json

    def kept(data: dict[str, Any], model: str = "") -> Violation:
        found[model] = data
        return from_json(data, model)

    with mock.patch.object(Violation, "from_json", kept):
        for model in ("x86", "c++20"):
            Explorer(program, Bounds(model=model)).run()
    return found


@pytest.mark.parametrize("model", ["x86", "c++20"])
def test_what_the_checker_tells_agrees_with_itself(model: str, told: dict[str, Json]) -> None:
    assert list(mistakes(told[model], model)) == []


def late(data: Json) -> Json:
    """The first event while which a store waits."""
    return next(event for event in data["events"] if event.get("waiting"))


def not_waiting(data: Json) -> None:
    for event in data["events"]:
        event.pop("waiting", None)


def again_in_its_buffer(data: Json) -> None:
    waiting = late(data)["waiting"]
    data["events"][-1]["waiting"] = waiting


def left_out_once(data: Json) -> None:
    del late(data)["waiting"]


def all_wait(data: Json) -> None:
    """A read-modify-write waits until its buffer is empty."""
    waiting: list[list[int]] = []
    for event in data["events"]:
        if event["k"] == "W":
            waiting = [*waiting, [event["t"], event["i"]]]
        event["waiting"] = waiting


def another_source(data: Json) -> None:
    read = next(e for e in data["events"] if e["k"] == "R" and e["rf"] == "init")
    (order,) = [one["order"] for one in data["mo"] if one["loc"] == read["loc"]]
    read["rf"] = order[0]


def the_other_order(data: Json) -> None:
    for one in data["mo"]:
        one["order"].reverse()


def told_too_early(data: Json) -> None:
    data["events"].insert(1, data["events"].pop())


def two_exchanged(data: Json) -> None:
    own = [n for n, event in enumerate(data["events"]) if event["t"] == 1]
    a, b = own[1], own[2]
    events = data["events"]
    events[a], events[b] = events[b], events[a]


def knows_too_much(data: Json) -> None:
    """All that the others ever do happens before the first event of T2."""
    own = [event for event in data["events"] if event["t"] == 2]
    for event in own:
        event["hb"][1] = 4


def forgets(data: Json) -> None:
    data["events"][-1]["hb"][1] = 0


def counts_itself_wrongly(data: Json) -> None:
    data["events"][3]["hb"][data["events"][3]["t"]] += 1


@pytest.mark.parametrize(
    "tamper",
    [
        not_waiting,
        again_in_its_buffer,
        left_out_once,
        all_wait,
        another_source,
        the_other_order,
        told_too_early,
        two_exchanged,
        knows_too_much,
        forgets,
        counts_itself_wrongly,
    ],
)
def test_what_does_not_is_noticed(tamper: Callable[[Json], None], told: dict[str, Json]) -> None:
    data = copy.deepcopy(told["x86"])
    tamper(data)
    assert data != told["x86"]
    assert list(mistakes(data, "x86"))


def test_a_counterexample_without_a_schedule_is_no_result(told: dict[str, Json]) -> None:
    with pytest.raises(ValueError, match="no schedule of x86"):
        Violation.from_json({**told["x86"], "scheduled": False}, "x86")
