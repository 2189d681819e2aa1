# SPDX-License-Identifier: MIT
"""What `fencepost check` answers for programs that hold, are violated, or are cut short."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from answer import ROOT, Check, environment, fencepost

STORE_BUFFERING = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *left(void *unused) {
  atomic_store_explicit(&x, 1, ORDER);
  a = atomic_load_explicit(&y, ORDER);
  return unused;
}

static void *right(void *unused) {
  atomic_store_explicit(&y, 1, ORDER);
  b = atomic_load_explicit(&x, ORDER);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(a == 1 || b == 1);
  return 0;
}
"""

#: Four threads with four stores each: far more executions than anyone waits for.
ENDLESSLY_MANY = """\
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *work(void *unused) {
  for (int i = 0; i < 6; ++i) {
    atomic_store_explicit(&x, i, memory_order_relaxed);
    atomic_load_explicit(&x, memory_order_relaxed);
  }
  return unused;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
}
"""


def order(name: str) -> str:
    return STORE_BUFFERING.replace("ORDER", f"memory_order_{name}")


def test_a_program_that_holds_exits_with_0_and_states_its_assumptions(check: Check) -> None:
    answer = check(order("seq_cst"))
    assert (answer.status, answer.verdict) == (0, "holds")
    assert answer.result["executions"] == 3
    assert answer.result["violation"] is None
    assert answer.result["assumptions"]


def test_a_violated_program_exits_with_1_and_shows_the_execution(check: Check) -> None:
    answer = check(order("relaxed"))
    assert (answer.status, answer.verdict) == (1, "violated")
    violation = answer.result["violation"]
    assert violation["kind"] == "assertion"
    assert violation["location"] == "program.c:26"
    actions = [step["action"] for step in violation["trace"]]
    assert "writes x = 1 (relaxed)" in actions and "reads y = 0 (relaxed)" in actions
    sources = {step["source"] for step in violation["trace"]}
    assert "atomic_store_explicit(&x, 1, memory_order_relaxed);" in sources


def test_all_goes_on_and_counts(check: Check) -> None:
    answer = check(order("relaxed"), "--all")
    assert answer.status == 1
    assert answer.result["violations"] == 1
    assert answer.result["executions"] >= 3, "the other three were explored, too"


def test_models_differ_and_the_gravest_verdict_is_the_exit_status(check: Check) -> None:
    answer = check(
        order("release")
        .replace("y, memory_order_release", "y, memory_order_acquire")
        .replace("x, memory_order_release", "x, memory_order_acquire"),
        "--model",
        "sc,c++20",
        "--model",
        "x86",
    )
    assert [r["verdict"] for r in answer.results] == ["holds", "violated", "violated"]
    assert answer.status == 1


def test_the_text_names_lines_variables_and_sources_of_values(tmp_path: Path) -> None:
    (tmp_path / "sb.c").write_text(order("relaxed"))
    done = fencepost("check", "sb.c", cwd=tmp_path)
    assert done.returncode == 1
    assert "violated under c++20" in done.stdout
    assert "assertion at sb.c:26" in done.stdout
    assert "reads y = 0 (relaxed)" in done.stdout
    assert "initial value" in done.stdout
    assert "\033" not in done.stdout, "no colours where nobody looks"


@pytest.mark.parametrize("most", [1000, 20_000])
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_max_executions_is_inconclusive_and_says_what_was_covered(
    check: Check, most: int, jobs: int
) -> None:
    answer = check(ENDLESSLY_MANY, "--max-executions", str(most), "--jobs", str(jobs))
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert answer.result["executions"] + answer.result["blocked"] == most
    assert answer.result["reason"]


def test_why_there_is_no_verdict_is_told_by_names(check: Check) -> None:
    answer = check(ENDLESSLY_MANY, "--max-events", "5")
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert answer.result["reason"].startswith("program.c:")
    assert "main has more than 5 events" in answer.result["reason"]


def test_a_time_limit_is_inconclusive_and_says_what_was_covered(check: Check) -> None:
    started = time.monotonic()
    answer = check(ENDLESSLY_MANY, "--timeout", "1")
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert answer.result["executions"] > 0
    assert time.monotonic() - started < 30


def explored_seconds(scratch: Path) -> float:
    """The processor time of a program that was compiled there."""
    longest = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if not str((process / "exe").readlink()).startswith(str(scratch)):
                continue
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        ticks = int(fields[11]) + int(fields[12])
        longest = max(longest, ticks / os.sysconf("SC_CLK_TCK"))
    return longest


def test_ctrl_c_is_inconclusive_and_says_what_was_covered(tmp_path: Path) -> None:
    (tmp_path / "many.c").write_text(ENDLESSLY_MANY)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [str(ROOT / "fencepost"), "check", "--json", "many.c"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(TMPDIR=str(scratch)),
    )
    deadline = time.monotonic() + 60
    while explored_seconds(scratch) < 0.3 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    result = json.loads(text)
    assert (process.returncode, result["verdict"]) == (2, "inconclusive")
    assert result["executions"] > 0
    assert "interrupt" in result["reason"]
    assert list(scratch.iterdir()) == []


def test_several_files_are_one_program_with_link_alone(check: Check) -> None:
    files = {
        "main.c": "int part(void);\nint main(void) { return part(); }\n",
        "part.c": "int part(void) { return 0; }\n",
    }
    assert check(files, "--link").status == 0
    apart = check(files)
    assert apart.status == 3
    assert [r["verdict"] for r in apart.results] == [None, None]


def test_clang_gives_the_same_answers(check: Check) -> None:
    assert check(order("seq_cst"), "--cc", "clang-14").result["executions"] == 3
    assert check(order("relaxed"), "--cc", "clang-14").status == 1
