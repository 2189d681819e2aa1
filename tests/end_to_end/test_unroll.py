# SPDX-License-Identifier: MIT
"""Loops that may turn only so often: what a user of --unroll is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from answer import Check, fencepost

#: Two threads that count for as long as nobody stops them.
COUNTING = """\
#include <pthread.h>
#include <stdatomic.h>
static atomic_int count, stop;
static void *work(void *unused) {
  while (!stop) count++;
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  stop = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return count > MOST;
}
"""
BEYOND = "a loop turns at most 2 times whenever it is begun"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "counting.c"
    path.write_text(COUNTING)
    return path


@pytest.mark.parametrize("more", [[], ["--symmetry"], ["--jobs", "2"], ["--model", "x86"]])
def test_what_goes_wrong_in_so_many_rounds_is_found(check: Check, more: list[str]) -> None:
    words = [*more, "--unroll", "2"]
    found = check(COUNTING, *words, "--", "-DMOST=3")
    assert found.status == 1 and found.verdict == "violated"

    none = check(COUNTING, *words, "--", "-DMOST=4")
    assert none.status == 2 and none.verdict == "inconclusive"
    assert "program.c:5: no violation where no loop turns more than 2 times" in none.text

    enough = check(COUNTING, "--within-bounds", *words, "--", "-DMOST=4")
    assert enough.status == 0 and enough.verdict == "holds"
    assert any(BEYOND in one for one in enough.result["assumptions"])
    assert enough.result["executions"] == none.result["executions"]


def test_more_rounds_are_more_executions(check: Check) -> None:
    def executions(rounds: int) -> int:
        words = ("--within-bounds", "--unroll", str(rounds), "--", "-DMOST=99")
        return int(check(COUNTING, *words).result["executions"])

    assert executions(1) < executions(2) < executions(3)


def test_a_bound_that_no_loop_comes_to_is_not_mentioned(check: Check) -> None:
    twice = COUNTING.replace("!stop", "count < 2")
    found = check(twice, "--unroll", "3", "--model", "sc", "--", "-DMOST=3")
    assert found.verdict == "holds" and "--unroll" not in found.text


def test_the_certificate_names_the_bound(source: Path) -> None:
    done = fencepost("check", "--unroll", "1", "--within-bounds", source, "--", "-DMOST=9")
    assert done.returncode == 0
    assert "assuming: a loop turns at most 1 time whenever it is begun" in done.stdout


def test_what_was_kept_for_one_bound_is_not_gone_on_with_for_another(
    source: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    words = ("check", source, "--checkpoint", kept)
    begun = fencepost(*words, "--unroll", "3", "--max-executions", "9", "--", "-DMOST=99")
    assert begun.returncode == 2 and kept.exists()
    other = fencepost(*words, "--unroll", "4", "--", "-DMOST=99")
    assert other.returncode == 3 and "kept" in other.stderr
    same = fencepost(*words, "--unroll", "3", "--within-bounds", "--", "-DMOST=99")
    assert same.returncode == 0, same.stdout + same.stderr


def test_weaken_within_bounds(source: Path) -> None:
    words = ("weaken", "--unroll", "1", source)
    done = fencepost(*words, "--within-bounds", "--", "-DMOST=2")
    assert done.returncode == 0 and "can be weaker" in done.stdout, done.stdout
    assert "assuming: a loop turns at most 1 time" in done.stdout
    assert "inconclusive" in fencepost(*words, "--", "-DMOST=2").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--unroll", "0"], "'0' is no whole number from 1 to 60,000"),
        (["--unroll", "often"], "'often' is no whole number"),
        (["--within-bounds"], "Bound the loops by --unroll N"),
        (["--unroll", "2", "--cc", "clang-14"], "leave --cc out, or --unroll"),
    ],
)
def test_what_cannot_be_asked_for(source: Path, words: list[str], says: str) -> None:
    done = fencepost("check", *words, source, "--", "-DMOST=9")
    assert done.returncode == 3 and says in done.stderr, done.stderr


def test_who_has_too_many_events_is_told_of_it(source: Path) -> None:
    done = fencepost("check", "--max-events", "60", source, "--", "-DMOST=9999")
    assert done.returncode == 2 and "bound rounds by --unroll" in done.stdout, done.stdout
