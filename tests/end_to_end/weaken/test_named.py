# SPDX-License-Identifier: MIT
"""`fencepost weaken --needed --named`: a header whose comments name the programs that need each
order. And what a site is where orders are handed in, or a function is a fence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answer import Weaken, fencepost

pytestmark = pytest.mark.matrix(3)

HANDED_OVER = """\
#pragma once
#include <atomic>
struct handed_over {
  // release, acquire: what was written before comes along. Proof: once.
  void put() { there.store(true, std::memory_order_release); }
  // seq_cst: nobody needs that much. Proof: once.
  bool is_there() const { return there.load(std::memory_order_seq_cst); }
  // Proof: twice.
  void take() { there.store(false, std::memory_order_release); }
  // Proof: once.
  void again() { there.store(true, std::memory_order_release); }
  void forgotten() { there.store(false, std::memory_order_release); }
  // Proof: none; it is for another machine.
  void elsewhere() { there.store(false, std::memory_order_release); }

  // Proof: once.
  void plainly() { seen = true; }
  void in_a_constant() { seen.store(true, late); }
  static constexpr auto late = std::memory_order_release;

  std::atomic<bool> there{false}, seen{false};
};
"""
ONCE = """\
// expect: c++20,sc=holds
// options: --spurious
// case: plain -DALSO=(void)0
// case: waiting -DWAITING "-DALSO=given.plainly(), given.in_a_constant()"
// case: racing -DRACING
// expect: c++20,sc=violated
#include <cassert>
#include <thread>
#include "handed_over.hpp"
handed_over given;
int what;
int main() {
  std::thread giver([] {
    what = 1;
    given.put();
    ALSO;
  });
#ifndef WAITING
  if (given.is_there()) assert(what == 1);
#endif
#ifdef RACING
  what = 2;
#endif
  giver.join();
}
"""


def _named(directory: Path, *words: str) -> tuple[int, dict[str, Any]]:
    done = fencepost(
        *("weaken", "--needed", "--named", "--as-annotated", "--assert-minimal", "--json"),
        *("--no-costs", "--only", "handed_over.hpp", "once.cpp", *words),
        cwd=directory,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def test_each_order_is_asked_of_the_programs_that_its_comment_names(tmp_path: Path) -> None:
    (tmp_path / "handed_over.hpp").write_text(HANDED_OVER)
    (tmp_path / "once.cpp").write_text(ONCE)
    status, result = _named(tmp_path)
    assert (status, result["verdict"]) == (1, "weaker")
    changed = [one["changes"][0] for one in result["solutions"]]
    assert [(one["line"], one["from"], one["to"]) for one in changed] == [
        (7, "seq_cst", "acquire"),
        (17, "seq_cst", "release"),
    ]
    assert {
        one["location"].partition(":")[2].partition(":")[0]: one["why"]
        for one in result["unproven"]
    } == {
        "9": "release: no proof is called twice",
        "11": "release: once.cpp[plain], once.cpp[waiting] does not come to it",
        "12": "release: no proof is named for it",
        "17": "store: no order is written there",
        "18": "no proof is named for it",
    }


def test_a_header_whose_orders_are_all_needed_passes(tmp_path: Path) -> None:
    lines = HANDED_OVER.splitlines(keepends=True)
    text = "".join(lines[:7] + lines[12:]).replace("seq_cst", "acquire")
    (tmp_path / "handed_over.hpp").write_text(text)
    (tmp_path / "once.cpp").write_text(ONCE)
    status, result = _named(tmp_path)
    assert (status, result["verdict"]) == (0, "needed")
    (solution,) = result["solutions"]
    assert [(one["operation"], one["weaker"], one["fails"]) for one in solution["needed"]] == [
        ("store", "relaxed", "data-race"),
        ("load", "relaxed", "data-race"),
    ]
    assert {one["case"] for one in solution["needed"]} == {"once.cpp[plain] (c++20)"}

    (tmp_path / "once.cpp").write_text(ONCE.replace("--spurious", "--spuriously"))
    status, result = _named(tmp_path)
    assert status == 3 and "once.cpp: options: unrecognized arguments" in result["error"]
    (tmp_path / "once.cpp").write_text(ONCE.replace("case: waiting -", "case: plain -"))
    status, result = _named(tmp_path)
    assert status == 3 and "once.cpp:4: two cases are called plain" in result["error"]


#: Two calls of a function that is a fence: one orders what the other thread does with a heavy one,
#: one is good for nothing. And a function that is handed an order, inlined.
FENCES = """\
#include <linux/membarrier.h>
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int x, y, ready;
static int a, b, message;
__attribute__((noinline)) static void barrier(void) {
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}
static inline void heavy(void) { barrier(); }
__attribute__((noinline)) static void far(void) { barrier(); }
static inline void set(atomic_int *p, memory_order order) { atomic_store_explicit(p, 1, order); }
static void *rare(void *unused) {
  set(&x, memory_order_relaxed);
  FENCE();
  a = atomic_load_explicit(&y, memory_order_relaxed);
  FENCE();
  message = 1;
  set(&ready, memory_order_release);
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, rare, 0);
  set(&y, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  if (atomic_load_explicit(&ready, memory_order_acquire)) assert(message == 1);
  pthread_join(other, 0);
  assert(a == 1 || b == 1);
}
"""


@pytest.mark.parametrize("name", ["heavy", "far"])
def test_a_call_of_a_fence_is_a_site_and_so_is_the_place_that_hands_an_order_in(
    weaken: Weaken, name: str
) -> None:
    files = {"fences.c": FENCES.replace("FENCE", name)}
    status, result = weaken(files, "--fence", name)
    assert (status, result["verdict"]) == (0, "weaker")
    (solution,) = result["solutions"]
    call = f"call of {name}"
    changes = [(one["line"], one["operation"], one["to"]) for one in solution["changes"]]
    assert changes == [(19, call, "none")]
    needed = {
        (int(one["location"].split(":")[1]), one["operation"]): one["fails"]
        for one in solution["needed"]
    }
    assert needed == {
        (17, call): "assertion",
        (21, "store"): "data-race",
        (28, "light fence"): "assertion",
        (30, "load"): "data-race",
    }


def test_named_is_asked_for_with_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "once.cpp").write_text(ONCE)
    for words, complaint in {
        ("--named",): "--named goes with --needed and --only",
        ("--as-annotated", "--link"): "--as-annotated is of each file",
    }.items():
        done = fencepost("weaken", *words, "once.cpp", cwd=tmp_path)
        assert done.returncode == 3 and complaint in done.stderr


def test_a_fence_that_nobody_calls_is_told(tmp_path: Path) -> None:
    (tmp_path / "fences.c").write_text(FENCES.replace("FENCE", "heavy"))
    done = fencepost("weaken", "--no-costs", "--fence", "ful", "fences.c", cwd=tmp_path)
    assert done.returncode == 3
    assert "--fence ful: nothing calls a function of that name" in done.stderr
