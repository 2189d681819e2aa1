# SPDX-License-Identifier: MIT
"""What `fencepost check` tells a reader beside the verdict: why, what is assumed, what to do."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from answer import fencepost
from test_exit_statuses import order

PLAIN_RACE = """\
#include <pthread.h>
static int x;
static void *write(void *unused) { x = 1; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, write, 0);
  x = 2;
  pthread_join(thread, 0);
}
"""
UNGUARDED = """\
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int woken;
static void *work(void *unused) {
  pthread_mutex_lock(&m);
  woken = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&m);
  pthread_create(&thread, 0, work, 0);
  pthread_cond_wait(&c, &m);
  const int seen = woken;
  pthread_mutex_unlock(&m);
  pthread_join(thread, 0);
  return seen != 1;
}
"""


def test_a_counterexample_says_why_and_the_command_it_suggests_mends_it(tmp_path: Path) -> None:
    (tmp_path / "store buffering.c").write_text(order("MINE").replace("memory_order_MINE", "MINE"))
    flags = ["--", "-DMINE=memory_order_relaxed"]
    done = fencepost("check", "store buffering.c", "--model", "x86", *flags, cwd=tmp_path)
    assert done.returncode == 1
    assert "  why: " in done.stdout and "store buffer" in done.stdout
    *_, page, command = done.stdout.splitlines()
    assert page == "  step through it in a browser: add --html FILE"
    about, _, words = command.partition(": ")
    assert about == "  look for stronger orders that mend it"
    own, *rest = shlex.split(words)
    assert own == "fencepost"
    mended = fencepost(*rest, cwd=tmp_path)
    assert mended.returncode == 0 and "holds with stronger orders" in mended.stderr, mended


def test_no_order_is_suggested_where_none_is_weaker(tmp_path: Path) -> None:
    (tmp_path / "race.c").write_text(PLAIN_RACE)
    done = fencepost("check", "race.c", "--html", "race.html", cwd=tmp_path)
    assert done.returncode == 1
    assert "weaken" not in done.stdout and "next:" not in done.stdout
    assert "> marks where it goes wrong" in done.stdout


def test_of_the_assumptions_only_those_of_the_program_are_printed(tmp_path: Path) -> None:
    (tmp_path / "well.c").write_text(order("seq_cst"))
    (tmp_path / "unguarded.c").write_text(UNGUARDED)
    done = fencepost("check", "well.c", cwd=tmp_path)
    assert done.stdout.count("\n") == 2 and "assumptions: --assumptions lists them" in done.stdout
    every = fencepost("check", "well.c", "--assumptions", cwd=tmp_path).stdout
    assert every.count("  assuming: ") == int(done.stdout.splitlines()[1].split()[0])
    told = fencepost("check", "unguarded.c", cwd=tmp_path).stdout
    assert "unguarded.c:16" in told and "more assumptions: --assumptions" in told


def test_several_checks_are_summed_up(tmp_path: Path) -> None:
    (tmp_path / "well.c").write_text(order("seq_cst"))
    (tmp_path / "broken.c").write_text("int main(void) { return x; }\n")
    done = fencepost("check", "--model", "sc,x86", "well.c", "broken.c", cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "4 checks: 2 hold, 2 could not be run"


TIMED = """\
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  const struct timespec soon = {2000000000, 0};
  if (pthread_mutex_timedlock(&m, &soon) == 0) pthread_mutex_unlock(&m);
}
"""
WEAK = """\
#include <stdatomic.h>
static atomic_int x;
int main(void) {
  int expected = 0;
  atomic_compare_exchange_weak(&x, &expected, 1);
}
"""


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            TIMED,
            "timed waits do not time out, but for two in each thread whose limit has passed (see "
            "--timeouts)",
        ),
        (WEAK, "compare_exchange_weak fails only on a different value"),
    ],
)
def test_what_a_program_could_have_met_is_printed_and_of_others_counted(
    tmp_path: Path, source: str, said: str
) -> None:
    (tmp_path / "could.c").write_text(source)
    (tmp_path / "could_not.c").write_text(order("seq_cst"))
    assert f"  assuming: {said}\n" in fencepost("check", "could.c", cwd=tmp_path).stdout
    assert said not in fencepost("check", "could_not.c", cwd=tmp_path).stdout


def test_weaken_counts_what_is_assumed_of_every_program(tmp_path: Path) -> None:
    (tmp_path / "strong.c").write_text(order("seq_cst"))
    words = ("weaken", "--no-costs", "strong.c")
    counted = fencepost(*words, cwd=tmp_path).stdout
    assert re.search(r"^  \d+ assumptions: --assumptions lists them$", counted, re.MULTILINE)
    assert "assuming: " not in counted
    listed = fencepost(*words, "--assumptions", cwd=tmp_path).stdout
    assert "  assuming: repeated states of spin loops" in listed
