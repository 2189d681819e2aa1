# SPDX-License-Identifier: MIT
"""The checker for AArch64, in programs that qemu runs: what it says is what it says on x86-64."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from answer import BUILD, ROOT

CROSS_BUILD = ROOT / "build" / "aarch64"
CROSS_COMPILER = "aarch64-linux-gnu-gcc"
MODELS = ("c++20", "sc", "x86")

MISSING = [name for name in (CROSS_COMPILER, "qemu-aarch64") if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


def _programs() -> ModuleType:
    """The programs of tests/checker/programs, by the reader that knows what they expect."""
    path = ROOT / "tests" / "checker" / "test_programs.py"
    spec = importlib.util.spec_from_file_location("checker_programs", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PROGRAMS = _programs()

#: One program for each thing that the processor or its C library has a part in.
SAME_AS_HERE = [
    "families/readers.c[three_readers]",
    "families/lastzero.c[four]",
    "locks/ticket_lock.c[three_threads]",  # spinning: registers and stacks are compared
    "locks/ticket_lock.c[relaxed_release]",
    "spin/waiting_loops.c[load_with_pause]",
    "spin/waiting_loops.c[bounded]",
    "spin/waiting_loops.c[through_a_function_pointer]",
    "cpp/threads.cpp[joined]",
    "everyday/streams.cpp[standard_output_formatted]",  # the library's data
    "cpp/mutexes.cpp[scoped_lock_of_two]",
    "locals/floating_point_state.cpp[rounded_by_one_thread]",
    "locals/floating_point_state.cpp[of_who_starts_it_and_no_other]",
    "cpp/state_of_main.cpp[how_numbers_are_rounded]",
    "cpp/condition_variable.cpp[predicate]",
    "cpp/condition_variable.cpp[notify_before_a_bare_wait]",
    "cpp/thread_local_objects.cpp[one_a_thread]",
    "cpp/exceptions_in_two_threads.cpp[each_its_own]",  # unwinding of stacks that were made by hand
    "cpp/exceptions.cpp[uncaught_in_one_execution_only]",
    "cpp/statics.cpp[initialised_once]",  # gcc looks at the whole of a guard
    "cpp/atomic_wait.cpp[release_store]",  # calls in the assembly are sent elsewhere
    "pthread/thread_local_storage.c[keyword_and_key]",
    "futex/mutex.c[spins_before_it_sleeps]",
    "futex/mutex.c[unlock_forgets_to_wake]",
    "polling/kept_by_libraries.cpp[place_in_stream]",  # calls that are counted
    "spin/plain_flags.c[main_spins]",  # steps aside in a signal handler
    "everyday/streams.cpp[both_write]",
    "everyday/nodes_of_containers.cpp[one_thread]",
    "hidden/attributes.c[behind_a_macro]",
    "bad_input/crashes.c[null_read]",
    "bad_input/crashes.c[wild_atomic]",
    "bad_input/crashes.c[endless_recursion]",
    "bad_input/crashes.c[trap]",
    "bad_input/reads_input.c[getchar]",  # a call that is sent elsewhere
    "bad_input/calls_that_nobody_makes.cpp[in_one_of_two_executions]",
]
CASES = {PROGRAMS.id_of(case): case for case in PROGRAMS.all_cases()}

STORE_BUFFERING = """\
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *left(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  (void)atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}
static void *right(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  (void)atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
"""

#: Two threads in a function that asks not to be instrumented.
QUIET = """\
#undef no_sanitize_thread
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int x;
__attribute__((no_sanitize_thread, noinline)) void* look(void* p) { (void)(ACCESS); return p; }
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, look, NULL);
  look(NULL);
  return pthread_join(other, NULL);
}
"""


@pytest.fixture(scope="module")
def cross_build() -> Path:
    subprocess.run(
        [str(ROOT / "scripts" / "build.sh"), "aarch64", "fencepost_check"],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=600,
    )
    return CROSS_BUILD


def _check(build: Path, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", "--json", *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=dict(os.environ, FENCEPOST_BUILD_DIR=str(build)),
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def _results(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {found["model"]: found for found in map(json.loads, done.stdout.splitlines())}


def _told(found: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on the processor: all but addresses and seconds."""
    violation = found.get("violation") or {}
    said = {name: found.get(name) for name in ("verdict", "executions", "blocked")}
    said |= {name: violation.get(name) for name in ("kind", "location")}
    said["error"] = (found.get("error") or {}).get("location")
    # Each compiler has the C++ library's headers in a folder of its own.
    folder = r"^/usr/(?:[\w-]+-linux-gnu/)?include/"
    return {name: re.sub(folder, "", v) if isinstance(v, str) else v for name, v in said.items()}


@pytest.mark.matrix(12)
@pytest.mark.parametrize("name", SAME_AS_HERE)
def test_a_program_gets_the_same_verdict_and_counts(name: str, cross_build: Path) -> None:
    case = CASES[name]
    options = [str(case.path.relative_to(ROOT)), *PROGRAMS.options_of(case)]
    options += ["--model", ",".join(case.expected)]
    there = _check(cross_build, *options, "--cc", CROSS_COMPILER, "--", *case.flags)
    here = _check(BUILD, *options, "--", *case.flags)
    answer = PROGRAMS.Answer(_results(there), there.returncode, there.stderr)
    assert list(PROGRAMS.complaints(case, answer)) == []
    told_there = {model: _told(found) for model, found in _results(there).items()}
    assert told_there == {model: _told(found) for model, found in _results(here).items()}


def _counts(build: Path, cc: str, *arguments: str, cwd: Path = ROOT) -> dict[str, int]:
    found = _results(_check(build, "--cc", cc, *arguments, cwd=cwd))
    assert {result["verdict"] for result in found.values()} == {"holds"}, found
    return {model: result["executions"] for model, result in found.items()}


@pytest.mark.parametrize("cc", [CROSS_COMPILER, "gcc", "clang-14"])
def test_store_buffering_has_four_executions_and_three_under_sc(
    cc: str, cross_build: Path, tmp_path: Path
) -> None:
    if shutil.which(cc) is None:
        pytest.skip(f"not installed: {cc}")
    (tmp_path / "sb.c").write_text(STORE_BUFFERING)
    counts = _counts(cross_build, cc, "--model", ",".join(MODELS), "sb.c", cwd=tmp_path)
    assert counts == {"c++20": 4, "sc": 3, "x86": 4}


#: The barrier also stands in a leaf, whose arguments are in registers that calls do not preserve.
BARRIERS = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int word[2];
static int seen[2];
static __attribute__((noinline)) long keeps(long a, long b, long c, long d, double x) {
  __asm__ volatile(BARRIER);
  return a + 2 * b + 3 * c + 4 * d + (long)x;
}
static void *work(void *which) {
  const int me = which != 0;
  atomic_store_explicit(&word[me], 1, memory_order_relaxed);
  __asm__ volatile(BARRIER ::: "memory");
  seen[me] = atomic_load_explicit(&word[!me], memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t other;
  assert(keeps(1, 2, 3, 4, 5.0) == 35);
  pthread_create(&other, 0, work, &other);
  work(0);
  pthread_join(other, 0);
  assert(seen[0] || seen[1]);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("barrier", "verdict"),
    [
        ("dmb ish", "holds"),
        ("dsb sy", "holds"),
        ("dmb ishld", "violated"),
        ("yield", "violated"),
        ("dmb ishst", "inconclusive"),
        ("isb", "violated"),
        ("sev", "violated"),
    ],
)
def test_a_barrier_in_inline_assembly_is_a_fence(
    barrier: str, verdict: str, cross_build: Path, tmp_path: Path
) -> None:
    (tmp_path / "sb.c").write_text(BARRIERS)
    flags = ["--cc", CROSS_COMPILER, "sb.c", "--", f'-DBARRIER="{barrier}"']
    found = _results(_check(cross_build, *flags, cwd=tmp_path))["c++20"]
    assert found["verdict"] == verdict
    assert (found.get("violation") or {"kind": "assertion"})["kind"] == "assertion"


def test_a_ticket_lock_admits_four_threads_in_each_of_their_orders(cross_build: Path) -> None:
    ticket_lock = "tests/checker/programs/locks/ticket_lock.c"
    counts = _counts(cross_build, CROSS_COMPILER, ticket_lock, "--", "-DTHREADS=4")
    assert counts == {"c++20": 24}


@pytest.mark.parametrize(
    ("flags", "executions"),
    [
        (["-DACCESS=atomic_load(&x)"], 1),
        (["-DACCESS=atomic_fetch_add(&x,1)"], 2),
        (["-DACCESS=atomic_fetch_add(&x,1)", "-mno-outline-atomics"], 2),
        (["-DACCESS=atomic_exchange(&x,1)", "-march=armv8.1-a"], 2),
    ],
)
def test_no_attribute_hides_an_access(
    flags: list[str], executions: int, cross_build: Path, tmp_path: Path
) -> None:
    (tmp_path / "look.c").write_text(QUIET)
    counts = _counts(cross_build, CROSS_COMPILER, "look.c", "--", *flags, cwd=tmp_path)
    assert counts == {"c++20": executions}


def test_a_compiler_for_another_processor_than_the_checker_is_refused(
    cross_build: Path, tmp_path: Path
) -> None:
    (tmp_path / "sb.c").write_text(STORE_BUFFERING)
    done = _check(cross_build, "--cc", shutil.which("gcc") or "gcc", "sb.c", cwd=tmp_path)
    assert done.returncode == 3
    assert "built for AArch64" in done.stderr


ASSEMBLY = ROOT / "tests" / "end_to_end" / "aarch64"


@pytest.mark.matrix(10)
@pytest.mark.parametrize("cc", [CROSS_COMPILER, "clang-14"])
@pytest.mark.parametrize(
    ("file", "flags", "verdict"),
    [
        ("results.c", [], "holds"),
        ("results.c", ["-O0"], "holds"),
        ("counter.c", ["-DEXCLUSIVE"], "holds"),
        ("counter.c", ["-DLSE"], "holds"),
        ("counter.c", ["-DLOAD_AND_STORE"], "violated"),
        ("counter.c", ["-DMAXIMUM"], "holds"),
        ("spin_lock.c", [], "holds"),
        ("spin_lock.c", ["-DRELAXED_UNLOCK"], "violated"),
        ("spin_lock.c", ["-DRELAXED_LOCK"], "violated"),
        ("spin_lock.c", ["-DCOUNTS"], "violated"),
        ("message.c", ['-DPUT="stlr"', '-DGET="ldar"'], "holds"),
        ("message.c", ['-DPUT="stlr"', '-DGET="ldapr"'], "holds"),
        ("message.c", ['-DPUT="str"', '-DGET="ldar"'], "violated"),
        ("message.c", ['-DPUT="stlr"', '-DGET="ldr"'], "violated"),
        ("both_wait.c", ["-DORDERED"], "holds"),
        ("both_wait.c", ["-DPROCESSOR"], "violated"),
        ("both_wait.c", ["-DEXCLUSIVE"], "violated"),
        ("both_wait.c", ["-DEXCLUSIVE", "-DBARRIER"], "holds"),
        ("refused.c", ['-DTEXT="dmb ishst"'], "inconclusive"),
        ("refused.c", ['-DTEXT="mrs x9, cntvct_el0"'], "inconclusive"),
        ("refused.c", ['-DTEXT="ldp x9, x10, [%0]"'], "inconclusive"),
        ("refused.c", ['-DTEXT="ldr x9, [%0], #8"'], "inconclusive"),
        ("refused.c", ['-DTEXT="ldxr x9, [%0]; stxr w10, x9, [%0]"'], "inconclusive"),
        (
            "refused.c",
            ['-DTEXT="1: ldxr x9, [%0]; 2: stxr w10, x9, [%0]; cbnz w10, 1b"'],
            "inconclusive",
        ),
        (
            "refused.c",
            ['-DTEXT="1: ldxr w9, [%0]; stxr w10, x9, [%0]; cbnz w10, 1b"'],
            "inconclusive",
        ),
        (
            "refused.c",
            ['-DTEXT="1: ldxr x9, [%0]; ldr x10, [%0]; stxr w10, x9, [%0]; cbnz w10, 1b"'],
            "inconclusive",
        ),
        ("refused.c", ['-DTEXT="stadd x9, [%0]; dmb ishld"'], "inconclusive"),
        ("refused.c", ['-DTEXT="stadd x9, [%0]; dmb ish"'], "holds"),
        ("refused.c", ['-DTEXT="1: ldxr x9, [%0]; stxr w10, x9, [%0]; cbnz w10, 1b"'], "holds"),
    ],
)
def test_inline_assembly_that_accesses_memory(
    file: str, flags: list[str], verdict: str, cc: str, cross_build: Path
) -> None:
    if shutil.which(cc) is None:
        pytest.skip(f"not installed: {cc}")
    done = _check(
        cross_build, "--cc", cc, str(ASSEMBLY / file), "--", "-march=armv8.2-a+rcpc", *flags
    )
    found = _results(done)["c++20"]
    assert found["verdict"] == verdict, found
