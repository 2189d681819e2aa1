# SPDX-License-Identifier: MIT
"""A lock that looks ten thousand times before it sleeps, as many have it: more rounds than are
explored one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from answer import fencepost

SLEEPY = """\
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static atomic_int count = 1;
static sem_t sleepers;
static int taken;
static void enter(void) {
  for (int spin = 10000; spin-- > 0;) {
    int seen = atomic_load_explicit(&count, memory_order_relaxed);
    if (seen > 0 && atomic_compare_exchange_strong(&count, &seen, seen - 1)) return;
  }
  if (atomic_fetch_sub(&count, 1) <= 0) sem_wait(&sleepers);
}
static void leave(void) {
  if (atomic_fetch_add(&count, 1) < 0) POST;
}
static void *work(void *nothing) {
  enter();
  taken++;
  leave();
  return nothing;
}
int main(void) {
  pthread_t thread;
  sem_init(&sleepers, 0, 0);
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  return taken != 2;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "sleepy.c"
    path.write_text(SLEEPY)
    return path


def test_a_violation_behind_many_rounds_is_found(source: Path) -> None:
    done = fencepost("check", source, "--", "-DPOST=(void)0")
    assert done.returncode == 1, done.stdout
    assert "deadlock at" in done.stdout
    assert "sem_wait" in done.stdout


def test_that_none_is_found_is_no_verdict(source: Path) -> None:
    done = fencepost("check", source, "--", "-DPOST=sem_post(&sleepers)")
    assert done.returncode == 2, done.stdout
    assert "with --bounded-spins it holds" in done.stdout


@pytest.mark.parametrize("option", ["--no-bounded-spins", "--symmetry"])
def test_it_is_not_tried_where_it_is_refused_or_changes_nothing(source: Path, option: str) -> None:
    done = fencepost("check", option, source, "--", "-DPOST=(void)0")
    assert done.returncode == 2, done.stdout
    assert "with --bounded-spins" not in done.stdout
