# SPDX-License-Identifier: MIT
"""What happens to programs from outside, while their threads wait for each lock: they are killed,
and stopped and continued."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from soak import PROGRAM
from test_locks import LOCKS, PROGRAMS, ROOT

HERE = Path(__file__).resolve().parent


def _start(lock: str, folder: Path, *words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [ROOT / "fencepost", "run", "--lock", lock, "--", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _states(process: subprocess.Popen[str]) -> list[str]:
    """State of each thread, as the kernel has it: S sleeps, R runs or could."""
    stats = Path(f"/proc/{process.pid}/task").glob("*/stat")
    return [path.read_text().rpartition(")")[2].split()[0] for path in stats]


def _left_behind(process: subprocess.Popen[str], folder: Path) -> list[str]:
    # The whole number: others' names have longer ones.
    in_memory = [
        path.name
        for path in Path("/dev/shm").iterdir()
        if str(process.pid) in re.findall(r"\d+", path.name)
    ]
    running = [str(path) for path in [Path(f"/proc/{process.pid}")] if path.exists()]
    return [*map(str, folder.iterdir()), *in_memory, *running]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_program_killed_while_its_threads_sleep_leaves_nothing(lock: str, tmp_path: Path) -> None:
    with _start(lock, tmp_path, PROGRAMS / "preload_sleepers") as process:
        threads = int(_line(process).split()[0])
        # All but those of a lock that never sleeps.
        spinning = 2 if lock == "spin_mutex" else 0
        while _states(process).count("S") < threads + 1 - spinning:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert _left_behind(process, tmp_path) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_program_killed_at_work_leaves_nothing(lock: str, tmp_path: Path) -> None:
    for _ in range(3):
        with _start(lock, tmp_path, PROGRAM, "--until-told") as process:
            assert _line(process) == "works\n"
            process.kill()
            assert process.wait() == -signal.SIGKILL
        assert _left_behind(process, tmp_path) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_program_stopped_and_continued_all_the_time_does_its_work(
    lock: str, tmp_path: Path
) -> None:
    """At each stop its threads are somewhere else: in a lock, in a timed wait, about to sleep."""
    with _start(lock, tmp_path, PROGRAM, "--until-told") as process:
        assert _line(process) == "works\n"
        for _ in range(100):
            process.send_signal(signal.SIGSTOP)
            told = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            assert told is not None and told.si_code == os.CLD_STOPPED
            process.send_signal(signal.SIGCONT)
        output, errors = process.communicate(timeout=1800)
    assert process.returncode == 0, errors
    assert "pieces of work by 8 threads" in output
