# SPDX-License-Identifier: MIT
"""The C++ tests again, watched by the sanitizers of addresses and of undefined behaviour: of the
library, of the C library, on real threads, and of the checker's own parts. It takes minutes to
compile them: `make test` takes some suites and some files of each, drawn anew with each commit, and
`make test-long` all of them. What is put into programs, the lock profiler among it, is compiled so
that undefined behaviour traps, for a sanitizer's library cannot be put there with it."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import samples

ROOT = Path(__file__).resolve().parents[2]
RELEASE = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()
SANITIZED = ROOT / "build" / "sanitize"
RECORDER = ROOT / "build" / "undefined" / "preload" / "libfencepost_profiler.so"


@dataclass(frozen=True)
class Suite:
    """An executable of tests, of which some files, and what is no test, make one as well."""

    target: str
    folder: str
    #: So many files are in the sample.
    files: int
    #: Targets that are linked to it, and programs that a file's tests start.
    libraries: tuple[str, ...] = ()
    starts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def objects(self) -> list[str]:
        """Those of its files, as the build calls them, in the order of their names."""
        commands = json.loads((SANITIZED / "compile_commands.json").read_text())
        outputs = [re.search(r" -o (\S+\.o) ", entry["command"]) for entry in commands]
        inside = f"{self.folder}/CMakeFiles/{self.target}.dir/"
        return sorted(found[1] for found in outputs if found and found[1].startswith(inside))


SUITES = [
    Suite(
        "library_tests",
        "tests/library",
        2,
        starts={"asymmetric_fence_test": ("asymmetric_fence_process", "asymmetric_fence_promised")},
    ),
    Suite("real_threads_tests", "tests/library/real", 2),
    Suite("checker_tests", "tests/checker", 2, libraries=("checker_parts",)),
    Suite(
        "reference_models_test",
        "tests/checker/reference",
        1,
        libraries=("reference_models", "litmus"),
    ),
]


def build(preset: str, *targets: str) -> None:
    command = [str(ROOT / "scripts" / "build.sh"), preset, *targets]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


def run(*command: str | Path, **environment: str) -> None:
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


@pytest.mark.crowd
@pytest.mark.sampled
@pytest.mark.lot(3, "sanitizers")
@pytest.mark.matrix(6)
@pytest.mark.timeout(3600)  # of which most is for the compiler
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.target)
def test_a_suite_passes_under_the_sanitizers(suite: Suite, tmp_path: Path) -> None:
    build("sanitize", "help")  # configures it
    objects = suite.objects()
    tests = [name for name in objects if name.endswith("_test.cpp.o")]
    assert len(tests) > 2
    if not samples.is_long:
        kept = random.Random(f"{samples.seed()} {suite.target}").sample(tests, suite.files)
        objects = [name for name in objects if name in kept or name not in tests]
    started = [p for name in suite.starts if name in " ".join(objects) for p in suite.starts[name]]
    build("sanitize", *objects, *suite.libraries, *started)
    program = tmp_path / suite.target
    archives = [f"{suite.folder}/lib{name}.a" for name in suite.libraries]
    linked = [SANITIZED / name for name in (*objects, *archives)]
    run("g++", "-fsanitize=address,undefined", *linked, "-lgtest_main", "-lgtest", "-o", program)
    run(program, "--gtest_brief=1", FENCEPOST_ROUNDS="25" if samples.is_long else "2")


@pytest.mark.lot(3, "sanitizers")
@pytest.mark.matrix(5)
@pytest.mark.parametrize("library", ["c", "c_static"])
def test_the_c_library_passes_under_the_sanitizers(library: str) -> None:
    build("sanitize", f"capi_test_{library}")
    run(SANITIZED / "tests" / "library" / f"capi_test_{library}")


def conforms(folder: Path, *libraries: Path) -> None:
    """Runs what the standards say of locks on these."""
    run(
        RELEASE / "tests" / "preload" / "preload_conformance",
        LD_PRELOAD=" ".join(map(str, libraries)),
        FENCEPOST_PROFILER=str(folder),
    )


def traps(library: Path) -> int:
    listed = subprocess.run(["objdump", "-d", library], capture_output=True, text=True, check=True)
    return len(re.findall(r"\t(?:ud2|brk\t#0x3e8)", listed.stdout))


@pytest.mark.lot(3, "sanitizers")
def test_the_profiler_does_nothing_undefined(tmp_path: Path) -> None:
    build("undefined", RECORDER.stem.removeprefix("lib"))
    assert traps(RECORDER) > 50
    conforms(tmp_path, RECORDER)


@pytest.mark.slow
@pytest.mark.crowd
@pytest.mark.timeout(3600)
def test_no_lock_that_is_put_into_programs_does_anything_undefined(tmp_path: Path) -> None:
    build("undefined", "fencepost_preload")
    locks = sorted(RECORDER.parent.glob("libfencepost_preload_*.so"))
    assert len(locks) > 10
    for lock in locks:
        assert traps(lock) > 10
        conforms(tmp_path, lock)
        conforms(tmp_path, RECORDER, lock)
