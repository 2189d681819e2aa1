# SPDX-License-Identifier: MIT
"""`fencepost weaken` on real programs: what it finds is weakest, holds, and can be applied."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from answer import BUILD, ROOT, Weaken, environment, fencepost
from fencepost.cli import main
from fencepost.execution.schema import Exploration
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.explore.stop import Stop
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain
from fencepost.weaken.cases import Case, Cases
from fencepost.weaken.lattice import Value, below
from fencepost.weaken.search import Search

pytestmark = pytest.mark.matrix(5)

TWO_THREADS = """
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  CHECK;
  return 0;
}
"""
HEADERS = (
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#define CHECK (void)0\n"
)

#: A message with a fence that could do what the store does, or the store what the fence does.
MESSAGE = (
    HEADERS
    + """
static int message;
static atomic_int sent;
static void *left(void *unused) {
  message = 1;
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store(&sent, 1);
  return unused;
}
static void *right(void *unused) {
  if (atomic_load(&sent)) assert(message == 1);
  return unused;
}
"""
    + TWO_THREADS
)

#: Needs release and acquire, and seq_cst for store buffering; has neither.
BROKEN = (
    HEADERS.replace("(void)0", "assert(a == 1 || b == 1)")
    + """
static int message;
static atomic_int sent, x, y;
static int a, b;
static void *left(void *unused) {
  message = 1;
  atomic_store_explicit(&sent, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_release);
  a = atomic_load_explicit(&y, memory_order_acquire);
  return unused;
}
static void *right(void *unused) {
  if (atomic_load_explicit(&sent, memory_order_acquire)) assert(message == 1);
  atomic_store_explicit(&y, 1, memory_order_release);
  b = atomic_load_explicit(&x, memory_order_acquire);
  return unused;
}
"""
    + TWO_THREADS
)

LOST_UPDATE = (
    HEADERS.replace("(void)0", "assert(x == 2)")
    + """
static atomic_int x;
static void *left(void *unused) {
  int seen = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&x, seen + 1, memory_order_relaxed);
  return unused;
}
#define right left
"""
    + TWO_THREADS
)

#: A lock in a header, used by two functions, and by two programs.
LOCK = """\
#pragma once
#include <atomic>
struct lock {
  void enter() {
    int open = 0;
    while (!word.compare_exchange_weak(open, 1)) open = 0;
  }
  void leave() { word = 0; }
  void leave_unseen() { word.fetch_sub(1); }
  std::atomic<int> word{0};
};
"""
LOCKED = """\
#include <thread>
#include "lock.hpp"
lock l;
int count;
void add() {
  l.enter();
  ++count;
  l.LEAVE();
}
int main() {
  std::thread other(add);
  add();
  other.join();
}
"""


def _changes(solution: dict[str, Any]) -> set[tuple[int, str, str]]:
    return {(one["line"], one["operation"], one["to"]) for one in solution["changes"]}


def test_a_message_needs_release_and_acquire(weaken: Weaken) -> None:
    status, result = weaken({"message.c": MESSAGE}, costs=True)
    assert (status, result["verdict"]) == (0, "weaker")
    (solution,) = result["solutions"]
    assert _changes(solution) == {
        (10, "fence", "none"),
        (11, "store", "release"),
        (15, "load", "acquire"),
    }
    assert [proof["verdict"] for proof in solution["proofs"]] == ["holds"]
    assert {(one["operation"], one["weaker"], one["fails"]) for one in solution["needed"]} == {
        ("store", "relaxed", "data-race"),
        ("load", "relaxed", "data-race"),
    }
    assert result["solutions"][0]["changes"][1]["saves"]["x86-64"]["saved"] == ["xchg"]


def _by_brute_force(cases: Cases) -> set[tuple[Value, ...]]:
    """Every assignment explored; those that hold and have none that holds below them."""
    domains = [cases.sites.all[number].domain for number in cases.varied]
    holding = []
    for values in product(*(domain.values for domain in domains)):
        assignment = dict(zip(cases.varied, values, strict=True))
        if all(cases.explore(case, assignment).verdict == "holds" for case in cases.cases):
            holding.append(values)

    def under(one: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
        return one != other and all(map(below, one, other))

    return {one for one in holding if not any(under(other, one) for other in holding)}


@pytest.mark.parametrize("models", [("c++20",), ("x86",), ("c++20", "sc")])
def test_all_minimal_assignments_are_those_that_brute_force_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: tuple[str, ...]
) -> None:
    monkeypatch.setenv("FENCEPOST_BUILD_DIR", str(BUILD))
    (tmp_path / "message.c").write_text(MESSAGE)
    program = build_program([tmp_path / "message.c"], Toolchain(), tmp_path / "built")
    cases = [Case(0, program, Bounds(model=model)) for model in models]
    searched = Cases(cases, lambda explorer: explorer.run())
    assert searched.ask({}) == "holds"
    found = Search(searched).all_weakest()
    naive = Cases(cases, lambda explorer: explorer.run())
    assert naive.ask({}) == "holds"
    assert naive.varied == searched.varied and len(naive.varied) == 3
    wanted = _by_brute_force(naive)
    everywhere = [tuple(searched.at(one, site) for site in searched.varied) for one in found]
    assert set(everywhere) == wanted and len(everywhere) == len(wanted)
    assert searched.runs < naive.runs


def test_the_smallest_repair_changes_what_it_must(weaken: Weaken) -> None:
    status, result = weaken({"broken.c": BROKEN}, "--strengthen")
    assert (status, result["verdict"]) == (0, "repaired")
    assert _changes(result["solutions"][0]) == {
        (11, "store", "release"),
        (12, "store", "seq_cst"),
        (13, "load", "seq_cst"),
        (18, "store", "seq_cst"),
        (19, "load", "seq_cst"),
    }


def test_what_orders_cannot_repair_is_said_to_be_so(weaken: Weaken) -> None:
    status, result = weaken({"lost.c": LOST_UPDATE}, "--strengthen")
    assert (status, result["verdict"]) == (1, "irreparable")
    assert "seq_cst everywhere" in result["reason"]
    status, result = weaken({"lost.c": LOST_UPDATE})
    assert (status, result["verdict"]) == (1, "violated")
    assert result["violation"]["kind"] == "assertion"


@pytest.mark.parametrize(("source", "option"), [(MESSAGE, "--no-costs"), (BROKEN, "--strengthen")])
def test_the_patch_applies_and_the_program_checks(tmp_path: Path, source: str, option: str) -> None:
    (tmp_path / "program.c").write_text(source)

    printed = fencepost("weaken", "--diff", option, "program.c", cwd=tmp_path)
    assert "the patch: every program holds with it" in printed.stderr
    subprocess.run(["patch", "-p1"], input=printed.stdout, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "program.c").read_text() != source
    assert fencepost("check", "program.c", cwd=tmp_path).returncode == 0
    again = fencepost("weaken", "--json", "program.c", cwd=tmp_path)
    assert json.loads(again.stdout)["verdict"] == "minimal"


def test_the_patch_of_a_source_that_is_not_utf_8_leaves_the_rest_as_it_was(tmp_path: Path) -> None:
    before = MESSAGE.replace("  atomic_", "  /* caf\xe9 */ atomic_").encode("latin-1")
    assert before.count(b"caf\xe9") >= 2
    (tmp_path / "program.c").write_bytes(before)
    with (tmp_path / "patch").open("wb") as patch:
        done = subprocess.run(
            [str(ROOT / "fencepost"), "weaken", "--diff", "--no-costs", "program.c"],
            cwd=tmp_path,
            env=environment(),
            stdout=patch,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert b"the patch: every program holds with it" in done.stderr
    subprocess.run(["patch", "-p1", "-i", "patch"], cwd=tmp_path, check=True)
    after = (tmp_path / "program.c").read_bytes()
    assert after != before and after.count(b"caf\xe9") == before.count(b"caf\xe9")
    changed = [
        two for one, two in zip(before.split(b"\n"), after.split(b"\n"), strict=True) if one != two
    ]
    assert changed and all(b"memory_order" in line for line in changed)


def test_a_header_is_as_weak_as_all_its_programs_allow(weaken: Weaken) -> None:
    files = {"lock.hpp": LOCK, "one.cpp": LOCKED.replace("LEAVE", "leave")}
    status, result = weaken(files, "--diff", "--only", "lock.hpp", "--assert-minimal")
    assert (status, result["verdict"]) == (1, "weaker")
    assert _changes(result["solutions"][0]) == {
        (6, "compare_exchange", "acquire/relaxed"),
        (8, "store", "release"),
    }
    assert {site["calls"] for site in result["sites"]} == {2}, "two inlined copies of each"
    # `word = 0` has no place for an order.
    assert [one["location"] for one in result["not_edited"]] == ["lock.hpp:8:23"]
    assert "(open, 1, std::memory_order_acquire, std::memory_order_relaxed)" in result["patch"]
    assert result["patch_check"] == "every program holds with it"

    files["two.cpp"] = LOCKED.replace("LEAVE", "leave_unseen")
    _, result = weaken(files)
    assert (9, "fetch_sub", "release") in _changes(result["solutions"][0])


def test_orders_that_were_passed_in_are_left_alone(weaken: Weaken) -> None:
    source = MESSAGE.replace(
        "static void *left",
        "static void put(memory_order order)"
        " __attribute__((noinline));\nstatic void put(memory_order order)"
        " { atomic_store_explicit(&sent, 1, order); }\nstatic void *left",
    ).replace("atomic_store(&sent, 1);", "put(memory_order_release);\n  put(memory_order_seq_cst);")
    status, result = weaken({"passed.c": source})
    assert status == 0
    (alone,) = result["left_alone"]
    assert alone["operation"] == "store" and "passed in" in alone["why"]


#: With a weaker order in put(), it is also called with another order.
SURPRISE = (
    HEADERS
    + """
static atomic_int message, sent;
__attribute__((noinline)) static void put(memory_order order) {
  atomic_store_explicit(&sent, 1, order);
}
static void *left(void *unused) {
  atomic_store_explicit(&message, 1, memory_order_relaxed);
  put(memory_order_release);
  return unused;
}
static void *right(void *unused) {
  if (atomic_load_explicit(&sent, memory_order_acquire)) {
    if (atomic_load_explicit(&message, memory_order_relaxed) == 0) put(memory_order_seq_cst);
  }
  return unused;
}
"""
    + TWO_THREADS
)


def test_an_order_that_turns_out_to_be_passed_in_is_left_alone(weaken: Weaken) -> None:
    status, result = weaken({"surprise.c": SURPRISE})
    assert (status, result["verdict"]) == (0, "weaker")
    assert [one["location"] for one in result["left_alone"]] == ["surprise.c:8:3"]
    assert _changes(result["solutions"][0]) == {(16, "load", "relaxed")}


#: More executions than anyone waits for.
ENDLESS = MESSAGE.replace(
    "  return unused;",
    "".join(f"  atomic_store(&sent, {n});\n  atomic_load(&sent);\n" for n in range(2, 12))
    + "  return unused;",
)


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seconds(one) for key, one in value.items() if key != "seconds"}
    return list(map(_without_seconds, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("option", ["--all", "--needed", "--strengthen"])
def test_with_jobs_the_answer_is_the_same(weaken: Weaken, option: str) -> None:
    files = {"broken.c": BROKEN} if option == "--strengthen" else {"message.c": MESSAGE}
    models = ("--model", "c++20,x86", option)
    one_at_a_time = weaken(files, *models)
    assert one_at_a_time[1]["checks"] > 3
    assert _without_seconds(weaken(files, *models, "--jobs", "3")) == _without_seconds(
        one_at_a_time
    )


def test_a_budget_that_is_spent_is_no_result(weaken: Weaken) -> None:
    status, result = weaken({"many.c": ENDLESS}, "--budget", "1")
    assert (status, result["verdict"]) == (2, "inconclusive")
    assert "budget" in result["reason"]
    # How far it came in a second is the machine's affair.
    unseen = [one["why"] for one in result["left_alone"]]
    assert set(unseen) <= {"no execution that was explored comes to it"}
    assert len(unseen) + len(result["sites"]) > 20


def is_explored(directory: Path) -> bool:
    """Whether a program that was made there runs."""
    for executable in Path("/proc").glob("[0-9]*/exe"):
        with contextlib.suppress(OSError):
            if executable.readlink().is_relative_to(directory):
                return True
    return False


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_is_inconclusive(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "many.c").write_text(ENDLESS)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [str(ROOT / "fencepost"), "weaken", "--json", "--jobs", jobs, "many.c"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(TMPDIR=str(scratch)),
    )
    while not is_explored(scratch):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate()
    result = json.loads(text)
    assert (process.returncode, result["verdict"]) == (2, "inconclusive")
    assert result["reason"] == "interrupted"
    assert list(scratch.iterdir()) == []


def test_what_is_known_is_told_when_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class StopsAfterThree(Stop):
        runs = 0

        def run(self, explorer: Explorer) -> Exploration:
            self.runs += 1
            if self.runs <= 3:
                return super().run(explorer)
            self.asked = True
            return Exploration("c++20", "inconclusive", 0, 0, 0.0, reason="interrupted")

    monkeypatch.setenv("FENCEPOST_BUILD_DIR", str(BUILD))
    monkeypatch.setattr("fencepost.commands.weaken.Stop", StopsAfterThree)
    (tmp_path / "message.c").write_text(MESSAGE)
    status = main(["weaken", "--json", str(tmp_path / "message.c")])
    result = json.loads(capsys.readouterr().out)
    assert (status, result["verdict"]) == (2, "inconclusive")
    assert result["reason"].startswith("interrupted; what follows is known to hold")
    (solution,) = result["solutions"]
    # Of the three sites one is done by then.
    assert _changes(solution) == {(10, "fence", "none")}


def test_an_order_that_is_not_needed_is_found(weaken: Weaken) -> None:
    status, result = weaken({"message.c": MESSAGE}, "--needed", "--assert-minimal")
    assert (status, result["verdict"]) == (1, "weaker")
    assert _changes(result["solutions"][0]) == {(10, "fence", "acq_rel")}
    assert [proof["verdict"] for proof in result["solutions"][0]["proofs"]] == ["holds"]


def test_bad_input_is_named(weaken: Weaken) -> None:
    status, result = weaken({"bad.c": "int main(void) { return absent; }\n"})
    assert status == 3 and "undeclared" in result["error"]
    status, result = weaken({"message.c": MESSAGE}, "--only", "nowhere")
    assert status == 3 and "nowhere" in result["error"]
    status, result = weaken({"message.c": MESSAGE}, "--model", "arm")
    assert status == 3 and "no model 'arm'" in result["error"]
