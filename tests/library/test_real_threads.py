# SPDX-License-Identifier: MIT
"""The suite of real threads (tests/library/real) again: watched by ThreadSanitizer, and compiled
for AArch64, there together with the tests of the C library. Both builds are slow and run a share of
the suite's rounds, the first of them all where there is time; ctest runs it as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import samples

pytestmark = pytest.mark.crowd

ROOT = Path(__file__).resolve().parents[2]
SUITE = Path("tests") / "library" / "real" / "real_threads_tests"
C_TESTS = Path("tests") / "library" / "capi_test_c_static"
SHARES = 2


@dataclass(frozen=True)
class Elsewhere:
    """Another build of the suite."""

    preset: str
    percent: int
    percent_in_the_long_run: int
    beside: tuple[Path, ...] = ()
    needs: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


ELSEWHERE = [
    Elsewhere(
        "thread-sanitizer",
        percent=10,
        percent_in_the_long_run=100,
        # The child of a fork() has its parent's threads on its books, and none to join them.
        environment=(("TSAN_OPTIONS", "halt_on_error=1 exitcode=66 report_thread_leaks=0"),),
    ),
    Elsewhere(
        "aarch64",
        percent=4,
        percent_in_the_long_run=10,
        beside=(C_TESTS,),
        needs=("aarch64-linux-gnu-g++", "qemu-aarch64"),
        launcher=(
            str(ROOT / "scripts" / "emulate.sh"),
            "qemu-aarch64",
            "-L",
            "/usr/aarch64-linux-gnu",
        ),
    ),
]


@pytest.mark.sampled
@pytest.mark.timeout(3600)  # of which most is for compilers
@pytest.mark.parametrize("build", ELSEWHERE, ids=lambda build: build.preset)
def test_the_suite_of_real_threads_passes(build: Elsewhere, tmp_path: Path) -> None:
    missing = [name for name in build.needs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    programs = (SUITE, *build.beside)
    subprocess.run(
        [str(ROOT / "scripts" / "build.sh"), build.preset, *(program.name for program in programs)],
        check=True,
        stdout=subprocess.DEVNULL,
    )

    def start(name: str, program: Path, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        with (tmp_path / name).open("w") as told:
            return subprocess.Popen(
                [*build.launcher, str(ROOT / "build" / build.preset / program), *words],
                env={**os.environ, **dict(build.environment), **environment},
                stdout=told,
                stderr=subprocess.STDOUT,
            )

    percent = build.percent_in_the_long_run if samples.is_long else build.percent
    running = {
        f"share-{share}": start(
            f"share-{share}",
            SUITE,
            "--gtest_brief=1",
            FENCEPOST_ROUNDS=str(percent),
            GTEST_TOTAL_SHARDS=str(SHARES),
            GTEST_SHARD_INDEX=str(share),
        )
        for share in range(SHARES)
    }
    running |= {program.name: start(program.name, program) for program in build.beside}
    ended = {name: process.wait() for name, process in running.items()}
    told = "\n".join(
        f"{name} ended with {status}:\n{(tmp_path / name).read_text(errors='replace')[-6000:]}"
        for name, status in ended.items()
        if status != 0
    )
    assert not told, told
