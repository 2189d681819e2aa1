# SPDX-License-Identifier: MIT
"""What the functions do: against a reference, among threads, across fork() and under signals; with
each kind of lock, on each machine, as gcc and clang call them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from runtimes import (
    BLOCKING,
    BY_CLANG,
    LOCKS,
    MACHINES,
    PROGRAMS,
    SHIPPED,
    Runtime,
    build,
    is_here,
    run,
    sh,
)

pytestmark = pytest.mark.matrix(5)

ALONE = ("any_size.c", "each_size.c")
TOGETHER = ("no_update_is_lost.c", "overlapping_objects.c", "two_mappings.c", "forks.c")


def name_of(runtime: Runtime) -> str:
    return runtime.launcher[-1] if "-cpu" in runtime.launcher else runtime.name


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
@pytest.mark.parametrize("linked", ["static", "shared"])
@pytest.mark.parametrize("source", ALONE)
def test_every_operation_does_what_plain_c_does(
    source: str, linked: str, compiler: str, tmp_path: Path
) -> None:
    run(SHIPPED, build(SHIPPED, tmp_path, source, compiler=compiler, linked=linked))


@pytest.mark.parametrize("linked", ["static", "shared"])
@pytest.mark.parametrize("source", TOGETHER)
def test_objects_are_atomic_among_threads(source: str, linked: str, tmp_path: Path) -> None:
    run(SHIPPED, build(SHIPPED, tmp_path, source, linked=linked))


@pytest.mark.matrix(16)
@pytest.mark.parametrize("source", ["any_size.c", "no_update_is_lost.c", "forks.c"])
@pytest.mark.parametrize("runtime", LOCKS, ids=name_of)
def test_each_kind_of_lock_serves(runtime: Runtime, source: str, tmp_path: Path) -> None:
    run(runtime, build(runtime, tmp_path, source))


@pytest.mark.parametrize("compiler", ["gcc", "musl-gcc"])
def test_a_plain_mtx_of_the_c_library_needs_no_initialiser(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"not installed: {compiler}")
    sh(build(SHIPPED, tmp_path, "mtx.c", compiler=compiler, flags=("-static",)))


@pytest.mark.skipif(shutil.which("clang++-14") is None, reason="needs clang 14")
@pytest.mark.parametrize("source", [*ALONE, "no_update_is_lost.c", "forks.c"])
def test_the_library_that_clang_built_serves(source: str, tmp_path: Path) -> None:
    run(BY_CLANG, build(BY_CLANG, tmp_path, source))


@pytest.mark.matrix(16)
@pytest.mark.parametrize("runtime", MACHINES, ids=name_of)
@pytest.mark.parametrize("source", [*ALONE, "no_update_is_lost.c"])
def test_it_runs_on(runtime: Runtime, source: str, tmp_path: Path) -> None:
    run(runtime, build(runtime, tmp_path, source))


@pytest.mark.parametrize("source", ["signals.c", "forks.c", "no_update_is_lost.c"])
def test_signal_handlers_may_use_what_their_thread_was_using(source: str, tmp_path: Path) -> None:
    """In the build that blocks signals while it holds a lock."""
    run(BLOCKING, build(BLOCKING, tmp_path, source))


def test_constants_can_be_loaded(tmp_path: Path) -> None:
    processor = Path("/proc/cpuinfo").read_text()
    without = is_here("x86_64") and " avx " not in processor
    run(SHIPPED, build(SHIPPED, tmp_path, "read_only.c"), *(["without-16"] if without else []))


@pytest.mark.skipif(not is_here("x86_64"), reason="-mcx16 is x86-64's")
@pytest.mark.parametrize("gccs", ["-mcx16", "-mno-cx16"])
@pytest.mark.parametrize("clangs", ["-mcx16", "-mno-cx16"])
def test_objects_are_shared_with_code_that_inlines_cmpxchg16b(
    gccs: str, clangs: str, tmp_path: Path
) -> None:
    """gcc calls, with either; clang inlines with -mcx16 and calls without."""
    objects = []
    for number, (compiler, flag) in enumerate((("gcc", gccs), ("clang-14", clangs))):
        objects.append(tmp_path / f"{number}.o")
        sh(
            *(compiler, "-std=c11", "-O2", flag, f"-DCOUNT=count_{number}", "-c"),
            *(PROGRAMS / "count_16.c", "-o", objects[-1]),
        )
    calls = [sh("nm", "--undefined-only", path) for path in objects]
    assert ["__atomic" in text for text in calls] == [True, clangs == "-mno-cx16"]
    run(SHIPPED, build(SHIPPED, tmp_path, "counts_16.c", *objects))


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_a_program_whose_compiler_inlines_nothing(compiler: str, tmp_path: Path) -> None:
    """gcc turns every atomic operation, of every size, into a call."""
    source = {"gcc": "stdatomic.c", "g++": "atomic.cpp"}[compiler]
    standard = {"gcc": "-std=c11", "g++": "-std=c++20"}[compiler]
    program = tmp_path / "program"
    command = [compiler, standard, "-O1", "-Wall", "-Wextra", "-Werror", "-fno-inline-atomics"]
    sh(*command, "-pthread", PROGRAMS / source, "-o", program, SHIPPED.archive())
    assert " T __atomic_fetch_add_4" in sh("nm", program)
    sh(program)


@pytest.mark.skipif(shutil.which("ldd") is None, reason="needs ldd")
@pytest.mark.parametrize("how", ["LD_PRELOAD", "LD_LIBRARY_PATH"])
def test_a_program_that_was_linked_to_gccs_library_runs_with_this(how: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    sh("gcc", "-std=c11", "-pthread", PROGRAMS / "forks.c", "-o", program, "-latomic")
    library = SHIPPED.shared()
    environment = {**os.environ, how: str(library if how == "LD_PRELOAD" else library.parent)}
    listed = subprocess.run(["ldd", program], env=environment, capture_output=True, text=True)
    loaded = [line.split(" (")[0].strip() for line in listed.stdout.splitlines()]
    loaded = [line.split(" => ")[-1] for line in loaded if "libatomic" in line]
    assert loaded == [str(library)]
    # With GCC's own library a child of this program waits for ever.
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
