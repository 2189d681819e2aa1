# SPDX-License-Identifier: MIT
"""The estimate of how many executions there are is within a factor of three, for families from the
literature and for programs that spin. What is drawn depends on the seed alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exploring import PROGRAMS, Exploring, explore
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain

RUNS = 20_000

CASES = {
    "lastzero": ("families/lastzero.c", "-DN=15", 147_456),
    "indexer": ("families/indexer.c", "-DN=15", 4_096),
    "fib": ("families/fib.c", "-DN=5 -DLIMIT=144", 525_630),
    "readers": ("families/readers.c", "-DN=16", 65_536),
    "ticket_lock": ("locks/ticket_lock.c", "-DTHREADS=6", 720),
    "test_test_and_set": ("locks/test_test_and_set.cpp", "-DTHREADS=5", 120),
    "mcs_lock": ("locks/mcs_lock.cpp", "-DTHREADS=5", 23_640),
    "michael_scott_queue": ("lockfree/michael_scott_queue.cpp", "-DEACH=3", 14_040),
}


#: Five threads that write a word, then add to a byte of it: the bytes' writes come in the order
#: of 10! / 2^5 merges of five sequences of two.
BYTES = """
#include <pthread.h>
#include <stdint.h>
static union { uint32_t word; uint8_t bytes[4]; } x;
static void *f(void *a) {
  __atomic_store_n(&x.word, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&x.bytes[1], 1, __ATOMIC_RELAXED);
  return a;
}
int main(void) {
  pthread_t t[5];
  for (int i = 0; i < 5; ++i) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 5; ++i) pthread_join(t[i], 0);
}
"""

#: One thread reads a word a thousand times, another one writes it as often.
MANY_EVENTS = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *reads(void *a) {
  for (volatile int i = 0; i < EACH; i = i + 1) atomic_load_explicit(&x, memory_order_relaxed);
  return a;
}
static void *writes(void *a) {
  for (int i = 0; i < EACH; ++i) atomic_store_explicit(&x, i, memory_order_relaxed);
  return a;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, reads, 0);
  pthread_create(&other, 0, writes, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
}
"""


def _within_three(source: Path, flags: str, executions: int, directory: Path) -> None:
    program = build_program([source], Toolchain("gcc", tuple(flags.split())), directory)
    for seed in (1, 2):
        exploring = Exploring(
            program.executable, f"model=c++20 probe_runs={RUNS} max_executions=1 seed={seed}"
        )
        estimate = json.loads(exploring.lines.readline())["estimate"]
        exploring.process.communicate()
        exploring.lines.close()
        assert executions / 3 <= estimate <= executions * 3, f"seed {seed}"


@pytest.mark.parametrize("name", CASES)
def test_it_is_within_a_factor_of_three(name: str, tmp_path: Path) -> None:
    source, flags, executions = CASES[name]
    _within_three(PROGRAMS / source, flags, executions, tmp_path)


def test_it_is_where_parts_and_wholes_are_accessed(tmp_path: Path) -> None:
    source = tmp_path / "bytes.c"
    source.write_text(BYTES)
    _within_three(source, "", 113_400, tmp_path)


def test_it_needs_little_memory_however_many_events_there_are(tmp_path: Path) -> None:
    source = tmp_path / "many_events.c"
    source.write_text(MANY_EVENTS)
    peaks = []
    for each in (10, 1000):
        directory = tmp_path / str(each)
        directory.mkdir()
        program = build_program([source], Toolchain(flags=(f"-DEACH={each}",)), directory)
        answer = explore(program.executable, "model=c++20 probe_runs=40 max_executions=1")
        assert answer.result["stats"]["max_events"] > 2 * each
        peaks.append(answer.result["stats"]["peak_rss_kb"])
    # A process takes over the peak of the one that has started it, so that few events tell it.
    assert peaks[1] < peaks[0] + 100_000
