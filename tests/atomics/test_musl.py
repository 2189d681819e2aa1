# SPDX-License-Identifier: MIT
"""Programs whose C library is musl: with the runtime that ships, which knows no C library, and with
one that musl-gcc has built, of the kinds of locks that look different there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from runtimes import LOCK_PATH, ROOT, SHIPPED, Runtime, build, run, sh

pytestmark = pytest.mark.skipif(shutil.which("musl-gcc") is None, reason="needs musl-gcc")


def by_musl(kind: str, sources: tuple[str, ...] = ()) -> Runtime:
    options = (f"-DFENCEPOST_ATOMIC_LOCK={kind}", f"--toolchain={ROOT}/cmake/musl.cmake")
    return Runtime(f"musl_{kind}", options, compiler="gcc", sources=sources)


BUILT_BY_MUSL = [
    by_musl("mutex"),
    by_musl("musl_lock", LOCK_PATH),
    by_musl("pthread_mutex", LOCK_PATH),
    by_musl("mtx", LOCK_PATH),
]
#: musl has pthread_atfork() in an archive, where a name that is weak does not find it.
ASKS_FOR_FORK = ("-static", "-Wl,-u,pthread_atfork")
PROGRAMS = ("any_size.c", "no_update_is_lost.c", "forks.c", "overlapping_objects.c")


@pytest.mark.parametrize("source", [*PROGRAMS, "each_size.c", "read_only.c", "two_mappings.c"])
def test_the_library_that_ships_serves_a_program_with_musl(source: str, tmp_path: Path) -> None:
    program = build(SHIPPED, tmp_path, source, compiler="musl-gcc", flags=ASKS_FOR_FORK)
    assert "musl" in sh("strings", program) and "glibc" not in sh("strings", program).lower()
    run(SHIPPED, program)


@pytest.mark.matrix(5)
@pytest.mark.parametrize("source", PROGRAMS)
@pytest.mark.parametrize("runtime", BUILT_BY_MUSL, ids=lambda runtime: runtime.name)
def test_the_library_that_musl_built_serves(runtime: Runtime, source: str, tmp_path: Path) -> None:
    run(runtime, build(runtime, tmp_path, source, compiler="musl-gcc", flags=("-static",)))


def test_a_program_that_is_linked_to_musl_and_the_shared_library(tmp_path: Path) -> None:
    runtime = BUILT_BY_MUSL[0]
    program = build(runtime, tmp_path, "forks.c", compiler="musl-gcc", linked="shared")
    interpreter = re.search(r"interpreter: (\S+)\]", sh("readelf", "--program-headers", program))
    assert interpreter and "musl" in interpreter[1]
    if not Path(interpreter[1]).exists():
        pytest.skip("musl's loader is not installed")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(runtime.folder())}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
