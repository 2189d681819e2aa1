# SPDX-License-Identifier: MIT
"""A BPF file system in a mount namespace of its own: whatever is pinned there is gone when the last
process of the namespace is, also if a test is killed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
DAEMON = BUILD / "src" / "barrierd" / "fencepost-barrierd"
READER = BUILD / "tests" / "barrierd" / "clock_reader"
READER_IN_C = BUILD / "tests" / "barrierd" / "clock_reader_in_c"
FALSE_CLOCK = BUILD / "tests" / "barrierd" / "false_clock"
TWO_FOLDERS = BUILD / "tests" / "barrierd" / "two_folders"
CAP_SYS_ADMIN = 21
WITHOUT_CALL = (sys.executable, Path(__file__).with_name("without_call.py"))


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Place:
    """The namespace, and the folder with the file system in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = folder / "interrupt_clock"
        self._daemons: list[subprocess.Popen[str]] = []
        mount = f"mount -t bpf -o mode=0755 bpf {folder} && echo mounted && exec cat"
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "mounted\n"

    def command(self, *words: str | Path, user: str | None = None) -> list[str]:
        entered = ["nsenter", "-t", str(self._holder.pid), "--mount", "--"]
        if user is not None:
            entered += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        return [*entered, *map(str, words)]

    def run(
        self, *words: str | Path, user: str | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words, user=user),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )

    def barrierd(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return self.run(DAEMON, "--directory", self.folder, *words)

    def start(
        self, *words: str | Path, user: str | None = None, **environment: str
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words, user=user),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            preexec_fn=_end_with_parent,
        )

    @contextlib.contextmanager
    def spinning(self) -> Iterator[tuple[str, ...]]:
        """A real-time thread that never leaves its processor; yields the words that start others on
        another one. The test is skipped where there is no such thing."""
        processors = sorted(os.sched_getaffinity(0))
        if len(processors) < 2:
            pytest.skip("needs two processors")
        spin = "echo spinning; while :; do :; done"
        words = ("taskset", "-c", str(processors[-1]), "chrt", "--fifo", "1", "sh", "-c", spin)
        thread = self.start(*words)
        try:
            assert thread.stdout is not None
            if thread.stdout.readline() != "spinning\n":
                pytest.skip("may not start a thread of real-time priority")
            yield "taskset", "-c", str(processors[0])
        finally:
            thread.kill()
            thread.wait()

    def serve(self, *words: str | Path) -> subprocess.Popen[str]:
        """A daemon that has begun."""
        daemon = self.start(DAEMON, "--directory", self.folder, *words)
        self._daemons.append(daemon)
        assert daemon.stdout is not None
        line = daemon.stdout.readline()
        if "generation" not in line:
            assert daemon.stderr is not None
            pytest.fail(f"the daemon did not start: {line}{daemon.stderr.read()}")
        return daemon

    def state(self, user: str | None = None) -> str:
        return self.run(READER, "open", self.clock, user=user).stdout.strip()

    def wait_for(self, state: str) -> None:
        while self.state() != state:
            pass

    def entries(self) -> set[str]:
        listed = self.run("find", self.folder, "-mindepth", "1", "-printf", "%P\\n").stdout
        return {name for name in listed.split() if not name.endswith(".debug")}

    def close(self) -> None:
        for daemon in self._daemons:
            daemon.kill()
            daemon.wait()
        self.barrierd("--stop")  # and what killed ones leave outside the file system
        assert self._holder.stdin is not None
        self._holder.stdin.close()
        self._holder.wait()


def why_not() -> str | None:
    """What is missing to run a daemon here."""
    if not DAEMON.is_file():
        return "fencepost-barrierd is not built: clang, bpftool or libbpf is missing"
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff"))
    if not int(effective.split()[1], 16) >> CAP_SYS_ADMIN & 1:
        return "needs root: it mounts a BPF file system, and loads a program into the kernel"
    if not Path("/sys/kernel/btf/vmlinux").exists():
        return "this kernel has no BTF"
    return None
