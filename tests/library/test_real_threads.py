# SPDX-License-Identifier: MIT
"""The suite of real threads (tests/library/real) again: watched by ThreadSanitizer, and compiled
for AArch64. Both are slow and run a share of the rounds; ctest runs the suite as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITE = Path("tests") / "library" / "real" / "real_threads_tests"
SHARES = 2


@dataclass(frozen=True)
class Elsewhere:
    """Another build of the suite."""

    preset: str
    percent: int
    needs: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


ELSEWHERE = [
    Elsewhere(
        "thread-sanitizer",
        percent=10,
        # The child of a fork() has its parent's threads on its books, and none to join them.
        environment=(("TSAN_OPTIONS", "halt_on_error=1 exitcode=66 report_thread_leaks=0"),),
    ),
    Elsewhere(
        "aarch64",
        percent=4,
        needs=("aarch64-linux-gnu-g++", "qemu-aarch64"),
        launcher=("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
    ),
]


@pytest.mark.timeout(1800)  # of which most is for compilers
@pytest.mark.parametrize("build", ELSEWHERE, ids=lambda build: build.preset)
def test_the_suite_of_real_threads_passes(build: Elsewhere, tmp_path: Path) -> None:
    missing = [name for name in build.needs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    subprocess.run(
        [str(ROOT / "scripts" / "build.sh"), build.preset, SUITE.name],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    command = [*build.launcher, str(ROOT / "build" / build.preset / SUITE), "--gtest_brief=1"]
    running = []
    for share in range(SHARES):
        environment = {
            **os.environ,
            **dict(build.environment),
            "FENCEPOST_ROUNDS": str(build.percent),
            "GTEST_TOTAL_SHARDS": str(SHARES),
            "GTEST_SHARD_INDEX": str(share),
        }
        with (tmp_path / f"share-{share}").open("w") as told:
            running.append(
                subprocess.Popen(command, env=environment, stdout=told, stderr=subprocess.STDOUT)
            )
    statuses = [process.wait() for process in running]
    told = "\n".join(
        (tmp_path / f"share-{share}").read_text(errors="replace")[-6000:]
        for share, status in enumerate(statuses)
        if status
    )
    assert statuses == [0] * SHARES, told
