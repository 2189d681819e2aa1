# SPDX-License-Identifier: MIT
"""--symmetry: of executions that only exchange identical threads one is explored, the verdict is
the same, and threads that are not interchangeable are refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from exploring import build, explore

#: Values that name threads, and choices among them: an exchange changes them.
NAMELESS = {"mutex", "spin-lock", "rwlock", "futex-queue", "condition"}


def exchanged(text: str, names: dict[int, int]) -> str:
    """An execution as `explore` gives it, with other names of its threads."""
    blocked, events, orders = json.loads(text)

    def renamed(event: dict[str, Any]) -> dict[str, Any]:
        event["t"] = names.get(event["t"], event["t"])
        if isinstance(event.get("rf"), list):
            event["rf"][0] = names.get(event["rf"][0], event["rf"][0])
        if event.get("object") in NAMELESS or event.get("what") == "which-waiter":
            event.pop("val")
        if event.get("what") == "barrier-leave":  # in the order of the others' numbers
            event.pop("i")
            event["thread"] = names.get(event["thread"], event["thread"])
        return event

    def ordered(order: dict[str, Any]) -> dict[str, Any]:
        order["order"] = [[names.get(t, t), i] for t, i in order["order"]]
        return order

    return json.dumps(
        [
            blocked,
            sorted(json.dumps(renamed(json.loads(event)), sort_keys=True) for event in events),
            sorted(json.dumps(ordered(json.loads(order)), sort_keys=True) for order in orders),
        ]
    )


def classes(executions: Iterator[str], twins: list[int]) -> list[str]:
    """Canonical form of each complete execution: the same for all that exchanges make of it."""
    renamings = [dict(zip(twins, order, strict=True)) for order in permutations(twins)]
    return [
        min(exchanged(text, names) for names in renamings)
        for text in executions
        if not json.loads(text)[0]
    ]


#: Programs and their identical threads.
SYMMETRIC = {
    "mutex": ("pthread/mutex_counter.c", ("-DTHREADS=3",), [1, 2, 3]),
    "ticket_lock": ("locks/ticket_lock.c", ("-DTHREADS=3",), [1, 2, 3]),
    "ticket_lock_that_fails": (
        "locks/ticket_lock.c",
        ("-DTHREADS=3", "-DRELEASE=relaxed"),
        [1, 2, 3],
    ),
    "readers": ("families/readers.c", ("-DN=4",), [2, 3, 4, 5]),
    "futex_mutex": ("futex/mutex.c", ("-DTHREADS=3",), [1, 2, 3]),
    "sleepers": ("futex/wake_counts.c", ("-DSLEEPERS=2", "-DWAKE=1"), [1, 2]),
    "broadcast": ("pthread/condition_broadcast.c", (), [1, 2]),
    "test_and_set": ("locks/test_and_set.c", (), [1, 2]),
    "test_test_and_set": ("locks/test_test_and_set.cpp", ("-DTHREADS=3",), [1, 2, 3]),
}


#: Every program under C++20, and the quick ones under the other models.
CASES = [(name, "c++20") for name in SYMMETRIC] + [
    (name, model)
    for name in ("mutex", "ticket_lock_that_fails", "readers", "sleepers")
    for model in ("sc", "c++14", "x86")
]


@pytest.mark.matrix(3)
@pytest.mark.parametrize(("name", "model"), CASES, ids=lambda text: text)
def test_one_execution_of_each_class(name: str, model: str, tmp_path: Path) -> None:
    source, flags, twins = SYMMETRIC[name]
    program = build(source, tmp_path, *flags)
    options = f"model={model} all=1 dump=1"
    whole = explore(program, options)
    reduced = explore(program, f"{options} symmetry=1")
    assert reduced.result["verdict"] == whole.result["verdict"]
    every = [text for text in whole.executions if not json.loads(text)[0]]
    for names in ({a: b, b: a} for a, b in pairwise(twins)):
        there_and_back = Counter(exchanged(text, {}) for text in every)
        assert Counter(exchanged(text, names) for text in every) == there_and_back
    found = classes(reduced.executions.elements(), twins)
    assert len(set(found)) == len(found)
    assert set(found) == set(classes(whole.executions.elements(), twins))
    assert reduced.result["stats"]["replays"] < whole.result["stats"]["replays"]
    if whole.result["violation"]:
        assert reduced.result["violation"]["kind"] == whole.result["violation"]["kind"]
    else:
        assert any("identical" in assumption for assumption in reduced.result["assumptions"])


def test_processes_that_share_the_reduced_search_find_the_same(tmp_path: Path) -> None:
    program = build("families/readers.c", tmp_path, "-DN=8")
    alone = explore(program, "all=1 dump=1 symmetry=1")
    shared = explore(program, "all=1 dump=1 symmetry=1 jobs=3 alone=1")
    assert alone.counters == ("holds", 9, 0, 0), "how many readers see the write"
    assert (shared.executions, shared.counters) == (alone.executions, alone.counters)


def test_a_reduced_search_goes_on_as_such(tmp_path: Path) -> None:
    program = build("families/readers.c", tmp_path, "-DN=8")
    checkpoint = tmp_path / "checkpoint"
    explore(program, "symmetry=1 max_executions=4", checkpoint)
    assert "symmetry" in explore(program, "", checkpoint).said
    assert explore(program, "symmetry=1", checkpoint).counters == ("holds", 9, 0, 0)


#: What tells threads apart that were created alike, in pieces of one program.
HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
atomic_int x;
_Atomic(void *) place;
void *plain_place;
__int128 two_words;
int between;
int before(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
BODIES = {
    "asks for its own number": "if (atomic_fetch_add(&x, 1) == 1)"
    " atomic_store(&x, (int)pthread_self());",
    "asks for its number another way": "atomic_fetch_add(&x, 1); (void)gettid();",
    "creates threads": "pthread_t t; pthread_create(&t, 0, nothing, 0); pthread_join(t, 0);",
    "publishes its stack": "int mine; atomic_store(&place, &mine);",
    "publishes its heap": "atomic_store(&place, malloc(4));",
    "publishes its heap in two words": "__int128 own = (__int128)(uintptr_t)malloc(4) << 64;"
    " __atomic_store(&two_words, &own, __ATOMIC_RELAXED);",
    "publishes it plainly": "pthread_mutex_lock(&m); plain_place = malloc(8);"
    " pthread_mutex_unlock(&m);",
    "computes with its address": "int mine;"
    " if ((uintptr_t)&mine >> 16 & 1) atomic_fetch_add(&x, 1);",
    "looks at what main did": "if (atomic_fetch_add(&x, 1) == 1) (void)before();",
    "has a result": "return (void *)(intptr_t)atomic_fetch_add(&x, 1);",
}
MAINS = {
    "joins one and looks": "pthread_join(b, 0); int n = atomic_load(&x);"
    " pthread_join(a, 0); (void)n;",
    "joins one and looks plainly": "pthread_join(b, 0); between = *(volatile int *)&plain_int; "
    "pthread_join(a, 0);",
    "detaches one": "pthread_detach(a); pthread_join(b, 0);",
}


def _program(body: str, joins: str) -> str:
    return f"""{HEAD}
int plain_int;
int before(void) {{ return *(volatile int *)&between; }}
void *nothing(void *a) {{ return a; }}
void *f(void *a) {{ {body} return a; }}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  between = 1;
  pthread_create(&b, 0, f, 0);
  {joins}
}}
"""


@pytest.mark.parametrize("why", BODIES)
def test_threads_that_tell_themselves_apart_are_refused(why: str, tmp_path: Path) -> None:
    source = tmp_path / "apart.c"
    joins = "pthread_join(a, 0); pthread_join(b, 0);"
    if why == "has a result":
        joins = "void *r, *s; pthread_join(a, &r); pthread_join(b, &s);"
    source.write_text("#define _GNU_SOURCE\n" + _program(BODIES[why], joins))
    program = build(str(source), tmp_path)
    assert explore(program, "all=1").result["verdict"] in ("holds", "violated")
    answer = explore(program, "all=1 symmetry=1")
    assert answer.status == 2
    assert "not interchangeable" in answer.result["reason"]


@pytest.mark.parametrize("why", MAINS)
def test_threads_that_main_tells_apart_are_refused(why: str, tmp_path: Path) -> None:
    source = tmp_path / "apart.c"
    body = (
        "atomic_fetch_add(&x, 1); pthread_mutex_lock(&m); plain_int = 1; pthread_mutex_unlock(&m);"
    )
    text = _program(body, MAINS[why]).replace("between = 1;", "")
    source.write_text("#define _GNU_SOURCE\n" + text)
    answer = explore(build(str(source), tmp_path), "all=1 symmetry=1")
    assert answer.status == 2
    assert "not interchangeable" in answer.result["reason"]


#: Three threads that set a byte each of one word, in one way or another.
BYTES = """
#include <pthread.h>
#include <stdint.h>
static union { uint32_t word; uint8_t bytes[4]; } x;
static void *f(void *a) {
  %s
  return a;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
  (void)__atomic_load_n(&x.word, __ATOMIC_RELAXED);
}
"""
ADD_TO_A_BYTE = "__atomic_fetch_add(&x.bytes[1], 1, __ATOMIC_RELAXED);"
SET_THE_WORD = "__atomic_store_n(&x.word, 1, __ATOMIC_RELAXED);"
#: What the threads do, and how many executions there are without and with --symmetry.
MIXED = {
    "a byte": (ADD_TO_A_BYTE, 6, 1),
    "the word": (SET_THE_WORD, 6, 1),
    "the word, then a byte": (SET_THE_WORD + ADD_TO_A_BYTE, 90, 15),
    "and pthread_exit": (ADD_TO_A_BYTE + "pthread_exit(0);", 6, 1),
}


@pytest.mark.parametrize("what", MIXED)
def test_threads_that_access_parts_and_wholes_are_exchanged(what: str, tmp_path: Path) -> None:
    body, every, classes = MIXED[what]
    source = tmp_path / "bytes.c"
    source.write_text(BYTES % body)
    program = build(str(source), tmp_path)
    assert explore(program, "all=1").counters == ("holds", every, 0, 0)
    assert explore(program, "all=1 symmetry=1").counters == ("holds", classes, 0, 0)


def test_objects_of_std_thread_are_compared(tmp_path: Path) -> None:
    source = tmp_path / "alike.cpp"
    source.write_text("""
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> x;
int main() {
  int by = 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back([&x = x, by] { x.fetch_add(by); });
  for (auto& t : threads) t.join();
  return by - 1;
}
""")
    program = build(str(source), tmp_path, "-std=c++20")
    assert explore(program, "all=1").counters == ("holds", 24, 0, 0)
    assert explore(program, "all=1 symmetry=1").counters == ("holds", 1, 0, 0)
    source.write_text(source.read_text().replace("[&x = x, by]", "[&x = x, by = by + i]"))
    other = build(str(source), tmp_path / "other", "-std=c++20")
    assert explore(other, "all=1 symmetry=1").counters == ("holds", 24, 0, 0)
