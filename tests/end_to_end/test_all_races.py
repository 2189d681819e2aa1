# SPDX-License-Identifier: MIT
"""--all-races: each data race of a program, in one run, in every form of output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answer import Check

#: Two threads race for a, and behind that for b.
TWO_RACES = """\
#include <pthread.h>
#include <stdatomic.h>
static int a, b, c;
static atomic_int flag;
static void *work(void *unused) {
  a++;  // first
  atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  b = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  a++;
  if (atomic_load_explicit(&flag, memory_order_relaxed)) c = b;  // second
  pthread_join(t, 0);
  return c > 5;
}
"""

FIRST, SECOND = "program.c:6", "program.c:15"


@pytest.mark.parametrize("model", ["c++20", "c++14", "x86", "sc"])
def test_a_race_behind_another_is_found(check: Check, model: str) -> None:
    answer = check(TWO_RACES, "--model", model, "--all-races")
    assert answer.status == 1
    assert answer.result["violation"]["location"] == FIRST
    assert [one["location"] for one in answer.result["further"]] == [SECOND]
    assert {one["kind"] for one in answer.result["further"]} == {"data-race"}
    assert "unfinished" not in answer.result


def test_only_the_first_is_told_where_nobody_asks_for_more(check: Check) -> None:
    answer = check(TWO_RACES)
    assert answer.result["violation"]["location"] == FIRST
    assert "further" not in answer.result


def test_every_file_carries_them_all(check: Check, tmp_path: Path) -> None:
    answer = check(TWO_RACES, "--all-races", "--sarif", "r.sarif", "--html", "r.html")
    (run,) = json.loads((tmp_path / "r.sarif").read_text())["runs"]
    lines = [
        result["locations"][0]["physicalLocation"]["region"]["startLine"]
        for result in run["results"]
    ]
    assert lines == [6, 15]
    assert answer.result["violation"]["html"] == "r.html"
    assert [one["html"] for one in answer.result["further"]] == ["r-2.html"]
    assert "(b, other at" in (tmp_path / "r-2.html").read_text()
    assert "(b, other at" not in (tmp_path / "r.html").read_text()


def test_a_program_without_races_holds_all_the_same(check: Check) -> None:
    answer = check(TWO_RACES.replace("a++;", "").replace("b = 1;", ""), "--all-races")
    assert answer.verdict == "holds"


def test_what_is_no_race_ends_the_search_and_that_is_said(check: Check) -> None:
    failing = TWO_RACES.replace("pthread_join(t, 0);", "pthread_join(t, 0); assert(!flag);")
    answer = check("#include <assert.h>\n" + failing, "--all-races")
    kinds = [one["kind"] for one in answer.result["further"]]
    assert kinds[-1] == "assertion"
    assert "no race" in answer.result["unfinished"]


def test_what_it_does_not_go_with_is_refused(check: Check) -> None:
    answer = check(TWO_RACES, "--all-races", "--all")
    assert answer.status == 3
    assert "--all-races searches once for each race" in answer.errors
