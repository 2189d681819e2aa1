# SPDX-License-Identifier: MIT
"""The benchmark's programs run, check what they measure and refuse what cannot be. No test asks how
fast anything is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fencepost.runners.atomics.built import NotBuilt, system_library
from runtimes import INSTRUMENTED, LOCKS, ROOT, SHIPPED, WARNINGS, Runtime, build_directory, sh

SOURCES = ROOT / "bench" / "atomics"

pytestmark = pytest.mark.matrix(5)

#: Says of every compare-exchange that it has been done, and does nothing.
LIES = """// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <string.h>
void load(size_t size, void* object, void* result, int order) __asm__("__atomic_load");
void load(size_t size, void* object, void* result, int order) {
  (void)order;
  memcpy(result, object, size);
}
int lie(size_t size, void* object, void* expected, void* wanted, int order, int other)
    __asm__("__atomic_compare_exchange");
int lie(size_t size, void* object, void* expected, void* wanted, int order, int other) {
  (void)size, (void)object, (void)expected, (void)wanted, (void)order, (void)other;
  return 1;
}
"""


def program(name: str) -> Path:
    path = build_directory() / "bench" / "atomics" / name
    if not path.is_file():
        pytest.skip(f"{path} is not built")
    return path


def system() -> Path:
    try:
        return system_library()
    except NotBuilt as missing:
        pytest.skip(str(missing))


def run(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program(name), *map(str, words)], capture_output=True, text=True, timeout=120, check=False
    )


def figures(name: str, *words: str | Path) -> dict[str, Any]:
    done = run(name, "-l", "-", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def heads() -> list[Any]:
    kinds = [pytest.param("locked", runtime, id=runtime.name) for runtime in (SHIPPED, *LOCKS)]
    return [*kinds, pytest.param("called", SHIPPED, id="called")]


@pytest.mark.matrix(5)
@pytest.mark.parametrize("how, runtime", heads())
def test_a_stack_loses_no_element_with_any_kind_of_lock(how: str, runtime: Runtime) -> None:
    found = figures("lifo", "-t", "3", "-s", "0.02", "-k", how, runtime.shared())
    (measured,) = found["variants"].values()
    assert measured["elements_per_second"] > 0
    assert measured["operations_per_second"] >= 2 * measured["elements_per_second"]


@pytest.mark.parametrize("how", ["inlined", "pthread_mutex"])
def test_a_stack_loses_no_element_without_any_library(how: str) -> None:
    found = figures("lifo", "-t", "2", "-s", "0.02", "-k", how)
    assert found["choice"] == how
    assert found["variants"][how]["elements_per_second"] > 0


def test_more_threads_than_processors_share_a_stack() -> None:
    found = figures("lifo", "-t", "256", "-s", "0.02", SHIPPED.shared())
    assert found["threads"] == 256


@pytest.mark.parametrize("work", ["load_and_compare_exchange", "exchange"])
def test_two_libraries_take_turns_on_an_object_that_threads_share(work: str) -> None:
    ours, theirs = f"ours={SHIPPED.shared()}", f"theirs={system()}"
    found = figures("contended", "-t", "3", "-s", "0.02", "-w", work, theirs, ours)
    assert list(found["variants"]) == ["theirs", "ours"]
    assert all(one["operations_per_second"] > 0 for one in found["variants"].values())


def test_every_function_is_called_and_has_a_name_of_its_own() -> None:
    calls = run("operations", "-w", "list").stdout.splitlines()
    assert len(calls) == len(set(calls))
    listed = sh("nm", "-D", "--defined-only", SHIPPED.shared())
    exported = {line.split()[2].partition("@")[0] for line in listed.splitlines()}
    called = {call.partition("/")[0] for call in calls}
    assert called == {name for name in exported if "atomic" in name and "ATOMIC" not in name}


@pytest.mark.parametrize("call", ["__atomic_load_16/seq_cst", "__atomic_store/24 bytes/release"])
def test_a_function_is_timed_in_turns(call: str) -> None:
    ours, theirs = f"ours={SHIPPED.shared()}", f"theirs={system()}"
    found = figures("operations", "-s", "0.01", "-w", call, ours, theirs)
    assert all(one["nanoseconds"] > 0 for one in found["variants"].values())


def test_who_has_taken_a_mutex_is_descheduled() -> None:
    found = figures("lifo", "-t", "2", "-s", "0.02", "-f", "1", "-k", "pthread_mutex")
    assert found["variants"]["pthread_mutex"]["descheduled"] > 0
    found = figures("contended", "-t", "2", "-s", "0.02", "-f", "1", f"theirs={system()}")
    assert found["variants"]["theirs"]["descheduled"] > 0
    # The instruction has no owner: there it is between load and compare-exchange.
    found = figures("lifo", "-t", "2", "-s", "0.02", "-f", "2", "-k", "inlined")
    assert found["variants"]["inlined"]["descheduled"] > 0


def test_who_has_taken_a_lock_of_ours_is_descheduled() -> None:
    """Where the library is built with code injection: each time with 1, now and then with 100."""
    ours, theirs = f"ours={INSTRUMENTED.shared()}", f"theirs={system()}"
    (measured,) = figures("lifo", "-t", "2", "-s", "0.02", "-f", "1", ours)["variants"].values()
    # A load of ours need not take a lock, but no compare-exchange goes without.
    assert measured["descheduled"] >= measured["elements_per_second"] * 0.02 * 0.5
    work = ("-t", "2", "-s", "0.02", "-w", "exchange")
    found = figures("contended", *work, "-f", "1", theirs, ours)["variants"]
    assert all(one["descheduled"] > 0 for one in found.values())
    seldom = figures("contended", *work, "-f", "100", ours)["variants"]["ours"]
    assert seldom["descheduled"] <= seldom["operations_per_second"] * 0.02


@pytest.mark.parametrize("name", ["lifo", "contended"])
def test_locks_that_do_not_say_when_they_are_taken_cannot_be_descheduled(name: str) -> None:
    done = run(name, "-s", "0.02", "-f", "1", SHIPPED.shared())
    assert done.returncode == 2
    assert "code injection" in done.stderr


@pytest.mark.parametrize(
    "name, complaint", [("lifo", "the stack is broken"), ("contended", "changes of an object")]
)
def test_a_library_that_loses_changes_is_found_out(
    name: str, complaint: str, tmp_path: Path
) -> None:
    source, library = tmp_path / "lies.c", tmp_path / "lies.so"
    source.write_text(LIES)
    sh("gcc", "-shared", "-fPIC", "-O1", source, "-o", library)
    done = run(name, "-s", "0.001", library)  # however short it is
    assert done.returncode == 1
    assert complaint in done.stderr


def test_the_log_gets_a_line_for_each_run(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for threads in ("1", "2"):
        done = run("lifo", "-t", threads, "-s", "0.01", "-k", "inlined", "-l", log)
        assert done.returncode == 0, done.stderr
        assert "elements a second" in done.stdout
    assert [json.loads(line)["threads"] for line in log.read_text().splitlines()] == [1, 2]


@pytest.mark.parametrize(
    "name, words, complaint",
    [
        ("lifo", ["-t", "0", "-k", "inlined"], "-t 0: a number from 1 to 4096"),
        ("lifo", ["-t", "many", "-k", "inlined"], "-t many"),
        ("lifo", ["-t", "1.5", "-k", "inlined"], "a whole number"),
        ("lifo", ["-s", "nan", "-k", "inlined"], "-s nan"),
        ("lifo", ["-s", "1e9", "-k", "inlined"], "-s 1e9"),
        ("lifo", ["-f", "-1", "-k", "inlined"], "-f -1"),
        ("lifo", ["-f"], "-f needs a value"),
        ("lifo", ["-x"], "no option -x"),
        ("lifo", ["-k", "magic"], "it is locked, called, inlined or pthread_mutex"),
        ("lifo", [], "needs one library"),
        ("lifo", ["-k", "inlined", "/lib/libc.so.6"], "needs no library"),
        ("lifo", ["/nowhere/libatomic.so.1"], "cannot open the library"),
        ("lifo", ["-k", "inlined", "-s", "0.01", "-l", "/nowhere/log"], "cannot be written"),
        ("contended", ["-w", "magic"], "it is load_and_compare_exchange or exchange"),
        ("contended", [], "which library?"),
        ("operations", ["-w", "magic"], "no such call; -w list lists them"),
        ("operations", ["-w", "__atomic_load_8/seq_cst", "-t", "2"], "see contended"),
        ("operations", ["-w", "__atomic_load_8/seq_cst"], "which library?"),
    ],
)
def test_what_cannot_be_is_refused(name: str, words: list[str], complaint: str) -> None:
    done = run(name, *words)
    assert done.returncode == 2, done.stdout
    assert complaint in done.stderr


def test_a_library_without_the_function_is_named(tmp_path: Path) -> None:
    source, library = tmp_path / "empty.c", tmp_path / "empty.so"
    source.write_text("// SPDX-License-Identifier: MIT\nint nothing;\n")
    sh("gcc", "-shared", "-fPIC", source, "-o", library)
    done = run("lifo", library)
    assert done.returncode == 2
    assert f"{library} has no function __atomic_load" in done.stderr


def test_the_options_are_explained() -> None:
    for name in ("operations", "contended", "lifo"):
        done = run(name, "-h")
        assert done.returncode == 0
        assert all(f"  -{letter} " in done.stdout for letter in "tsfl")


@pytest.mark.matrix(3)
@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_it_compiles_without_warnings(compiler: str) -> None:
    defined = (
        '-DBENCH_COMPILER=""',
        '-DBENCH_FLAGS=""',
        "-fsyntax-only",
        f"-I{SOURCES.parent}",
        '-DFENCEPOST_ATOMIC_LOCK="lock/mutex.hpp"',
        f"-I{ROOT / 'src' / 'atomics'}",
        f"-I{ROOT / 'include'}",
    )
    for language, sources in (("c", "*.c"), ("c++", "*.cpp")):
        standard = "-std=gnu11" if language == "c" else "-std=c++20"
        sh(compiler, "-x", language, standard, *WARNINGS, *defined, *SOURCES.glob(sources))
