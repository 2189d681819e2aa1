# SPDX-License-Identifier: MIT
"""With --sandbox a program may compute and nothing else: what it tries is said in words, and those
that try nothing are explored as they are without it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import platform
import select
import signal
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from exploring import HERE
from fencepost.execution.schema import Exploration
from fencepost.explore import run_program, sandbox
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program, Toolchain

ROOT = HERE.parents[1]
FENCEPOST = str(ROOT / "fencepost")

EVERYTHING = Bounds(all=True, sandbox=True)


@pytest.fixture(scope="module")
def attacks(tmp_path_factory: pytest.TempPathFactory) -> Program:
    source = HERE / "search" / "sandbox" / "attacks.c"
    return build_program([source], Toolchain(), tmp_path_factory.mktemp("attacks"))


def explored(program: Program, bounds: Bounds, *arguments: str) -> Exploration:
    return Explorer(replace(program, arguments=arguments), bounds).run()


@pytest.mark.matrix(6)
def test_programs_are_explored_as_without_it(program: Path) -> None:
    built = Program(program, ())
    free = explored(built, replace(EVERYTHING, sandbox=False))
    confined = explored(built, EVERYTHING)
    assert (confined.verdict, confined.executions, confined.blocked, confined.violations) == (
        free.verdict,
        free.executions,
        free.blocked,
        free.violations,
    ), confined.reason
    assert confined.assumptions == free.assumptions


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        ("r", "openat"),
        ("w", "openat"),
        ("s", "socket"),
        ("c", "connect"),
        ("f", "clone"),
        ("x", "execve"),
        ("k", "getppid"),
        ("j", "mmap"),
        ("d", "chdir"),
        ("l", "prlimit64"),
        ("o", "fcntl"),
        ("a", "fcntl"),
        ("n", "memfd_create"),
        ("h", "madvise"),
        ("t", "clock_gettime"),
    ],
)
def test_what_a_program_tries_is_said(
    attacks: Program, attack: str, said: str, tmp_path: Path
) -> None:
    place = tmp_path / "file"
    if attack == "r":
        place.write_text("the user's")
    found = explored(attacks, EVERYTHING, attack, str(place))
    assert found.verdict == "inconclusive"
    assert found.reason == f"the program was stopped by --sandbox: system call {said}"
    assert found.place != 0
    assert place.exists() == (attack == "r")


def test_without_it_a_program_writes_what_it_likes(attacks: Program, tmp_path: Path) -> None:
    """Or the test above would pass whatever the sandbox does."""
    found = explored(attacks, Bounds(), "w", str(tmp_path / "file"))
    assert found.verdict == "holds"
    assert (tmp_path / "file").exists()


EARLY = {
    "reads": ('SYS_openat, AT_FDCWD, "/etc/hostname", O_RDONLY', ""),
    "writes": ('SYS_openat, AT_FDCWD, "made", O_WRONLY | O_CREAT, 0600', "died of SIGSYS"),
    "starts": ('SYS_execve, "/bin/sh", 0, 0', ""),
    "connects": ("SYS_socket, AF_INET, SOCK_STREAM, 0", "died of SIGSYS"),
    "signals": ("SYS_fcntl, 2, F_SETOWN, 1", "died of SIGSYS"),
    "fills": ('SYS_memfd_create, "made", 0', "died of SIGSYS"),
    "opens": ('SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_RDWR', "died of SIGSYS"),
    "names": ('SYS_openat, AT_FDCWD, "/etc", 010000000', "died of SIGSYS"),
    "looks": ('SYS_faccessat, AT_FDCWD, "/etc", 0', ""),
    "follows": ('SYS_readlinkat, AT_FDCWD, "/proc/self/cwd", made, sizeof made', ""),
}


@pytest.mark.matrix(3)
@pytest.mark.parametrize("attack", EARLY)
def test_what_runs_before_the_checker_is_confined_too(attack: str, tmp_path: Path) -> None:
    """It is killed, or the files of others are not there for it."""
    call, said = EARLY[attack]
    toolchain = Toolchain(flags=(f"-DATTACK={call}",))
    built = build_program([HERE / "search" / "sandbox" / "early.c"], toolchain, tmp_path / "built")
    found = explored(built, EVERYTHING)
    if said:
        assert said in found.reason and "--sandbox" in found.reason
    else:
        assert found.verdict == "holds", found.reason
        assert "SIGILL" in explored(built, Bounds()).reason or attack == "starts"


def answer_of(filter: bytes, number: int, *arguments: int) -> int:
    """What the kernel does with a call: classic BPF, as far as filters are made of it here."""
    words = struct.pack("=iIQ6Q", number, sandbox._ARCHITECTURE, 0, *(*arguments, *[0] * 6)[:6])
    code, at, held = list(struct.iter_unpack("=HBBI", filter)), 0, 0
    while True:
        what, yes, no, value = code[at]
        at += 1
        if what == 0x20:
            (held,) = struct.unpack_from("=I", words, value)
        elif what == 0x06:
            return value
        else:
            met = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[what]
            at += yes if met else no


@pytest.mark.parametrize("early", [True, False])
def test_calls_are_let_through_with_the_arguments_that_are_needed(early: bool) -> None:
    column = 0 if platform.machine() == "x86_64" else 1
    filter = sandbox._filter(sandbox._COMPUTES.values(), early=early)

    def let(numbers: tuple[int | None, int | None], place: int, *others: int) -> set[int]:
        """The lower halves of that argument, of many that are tried, that are let through."""
        number = numbers[column]
        assert number is not None
        found = set[int]()
        for value in (*range(2048), *(1 << bit for bit in range(11, 64)), 2**31 - 1, 2**32 - 1):
            arguments = [*others[:place], value, *others[place:]]
            if answer_of(filter, number, *arguments) == sandbox._ALLOW:
                found.add(value & 0xFFFFFFFF)
        return found

    own = os.getpid()
    assert let(sandbox._FCNTL, 1, 2) == {0, 1, 2, 3, 4, 1030}
    flags = let(sandbox._FCNTL, 2, 2, fcntl.F_SETFL)
    assert os.O_NONBLOCK in flags
    assert not any(one & (os.O_ASYNC | os.O_DIRECT | os.O_NOATIME) for one in flags)
    assert let(sandbox._MADVISE, 2, 0, 0) == {*range(5), 8, 14, 15}
    assert max(let(sandbox._CLOCK_GETTIME, 0)) == 15
    assert max(let(sandbox._TGKILL, 2, own, own)) == 31
    assert not let(sandbox._TGKILL, 2, own + 1, own + 1)
    assert let(sandbox._PRLIMIT, 0, 7) == {0}
    number = sandbox._PRLIMIT[column]
    assert number is not None
    assert answer_of(filter, number, 0, 7, 1 << 32) == sandbox._TRAP  # of a pointer both halves
    for numbers in (sandbox._MMAP, sandbox._MPROTECT):
        assert early or not any(one & mmap.PROT_EXEC for one in let(numbers, 2, 0, 4096))
    assert let(sandbox._OPENAT, 2, 0, 0) == ({0, 1, os.O_CLOEXEC} if early else set())
    assert let(sandbox._PRCTL, 0) == ({22} if early else set())


def test_a_program_that_eats_memory_is_stopped(
    attacks: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_program.sandbox, "MOST_MEMORY", 256 << 20)
    found = explored(attacks, EVERYTHING, "m")
    assert found.reason.startswith("the program was stopped by --sandbox")
    assert "more than 256 MiB of memory" in found.reason


def test_tables_of_pages_are_memory_too(attacks: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has 256 MiB of them, and hardly any pages."""
    monkeypatch.setattr(run_program.sandbox, "MOST_MEMORY", 200 << 20)
    found = explored(attacks, EVERYTHING, "p")
    assert "more than 200 MiB of memory" in found.reason


def test_what_a_program_prints_is_kept_all_the_same() -> None:
    program = HERE / "programs" / "process_end" / "prints.cpp"
    told = [
        subprocess.run(
            [FENCEPOST, "check", "--json", *options, str(program)], capture_output=True, text=True
        )
        for options in ([], ["--sandbox"])
    ]
    output = [json.loads(one.stdout)["violation"]["output"] for one in told]
    assert output[0] == output[1] != ""


WATCHES = f"""
import sys
sys.path.insert(0, {str(ROOT / "lab")!r})
from pathlib import Path
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.toolchain import Program
children = Path("/proc/self/task").glob("*/children")
def begun(_):
    print(*(one.read_text() for one in children), flush=True)
Explorer(Program(Path(sys.argv[1]), ()), Bounds(sandbox=True), on_progress=begun).run()
"""


@pytest.fixture(scope="module")
def stays(tmp_path_factory: pytest.TempPathFactory) -> Program:
    source = HERE / "search" / "sandbox" / "stays.c"
    return build_program([source], Toolchain(), tmp_path_factory.mktemp("stays"))


def test_a_program_ends_with_who_watches_it(stays: Program) -> None:
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCHES, str(stays.executable)], stdout=subprocess.PIPE, text=True
    )
    assert watcher.stdout
    child = int(watcher.stdout.readline())
    handle = os.pidfd_open(child)
    try:
        assert Path(f"/proc/{child}/cwd").readlink() == Path("/")
        watcher.kill()
        assert watcher.wait() == -signal.SIGKILL
        ended, _, _ = select.select([handle], [], [], 100)
        assert ended, "it goes on"
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)
        watcher.stdout.close()


def test_nothing_is_started_that_nobody_waits_for(tmp_path: Path) -> None:
    made = tmp_path / "made"
    words = [str(os.getpid() + 1), "0", "touch", "/usr/bin/touch", str(made)]
    done = subprocess.run(
        [sys.executable, "-I", sandbox.__file__, *words], capture_output=True, text=True
    )
    assert done.returncode == sandbox.EXIT_REFUSED
    assert "nobody waits" in done.stderr
    assert not made.exists()


def test_processor_time_has_a_limit_where_time_has(stays: Program) -> None:
    limits = set[str]()

    def begun(_: object) -> None:
        for process in Path("/proc/self/task").glob("*/children"):
            for child in process.read_text().split():
                text = Path(f"/proc/{child}/limits").read_text()
                limits.update(line for line in text.splitlines() if "cpu time" in line)
        explorer.stop()

    explorer = Explorer(stays, replace(EVERYTHING, timeout=1000.5), on_progress=begun)
    explorer.run()
    (line,) = limits
    assert line.split()[3:5] == ["1061", "1061"]


def test_who_closes_where_results_go_is_watched_all_the_same(tmp_path: Path) -> None:
    toolchain = Toolchain(flags=("-DCLOSES",))
    built = build_program([HERE / "search" / "sandbox" / "stays.c"], toolchain, tmp_path / "built")
    explorer = Explorer(built, EVERYTHING, on_progress=lambda _: explorer.stop())
    assert explorer.run().reason == "interrupted"


def test_a_counterexample_that_is_too_long_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "fails.c"
    source.write_text("#include <assert.h>\nint main(void) { assert(!1); }\n")
    program = build_program([source], Toolchain(), tmp_path)
    assert explored(program, Bounds(sandbox=True)).verdict == "violated"
    monkeypatch.setattr(run_program, "MOST_EVENTS_CONFINED", 0)
    found = explored(program, Bounds(sandbox=True))
    assert found.verdict == "inconclusive"
    assert found.reason == (
        "there is a counterexample of more than 0 events, which is not read with --sandbox"
    )


@pytest.mark.parametrize("fails_at", ["prctl", "syscall"])
def test_what_the_kernel_lacks_is_said_and_nothing_is_started(
    fails_at: str, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(sandbox.__file__).parent)!r})
import sandbox
class Kernel:
    def prctl(self, *_): return {-1 if fails_at == "prctl" else 0}
    def syscall(self, *_): return {-1 if fails_at == "syscall" else 1}
sandbox._C = Kernel()
sandbox.start([str(os.getppid()), "0", "touch", "/usr/bin/touch", {str(made)!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == sandbox.EXIT_REFUSED
    assert "this kernel" in done.stderr and "nothing was started" in done.stderr
    assert not made.exists()


@pytest.mark.parametrize("option", ["--checkpoint=left", "--cluster=tcp://127.0.0.1:1"])
def test_what_it_does_not_go_with_is_refused(option: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [FENCEPOST, "check", "--sandbox", option, str(HERE / "search" / "sandbox" / "early.c")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 3
    assert "--sandbox" in done.stderr


def test_the_command_line_says_where(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    text = (HERE / "search" / "sandbox" / "attacks.c").read_text().replace("argv[1][0]", "'s'")
    source.write_text(text.replace('"reach.h"', f'"{HERE / "search" / "sandbox" / "reach.h"}"'))
    done = subprocess.run(
        [FENCEPOST, "check", "--sandbox", str(source)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 2, done.stderr
    line = 1 + text[: text.index("call(SYS_socket")].count("\n")
    assert f"a.c:{line}: the program was stopped by --sandbox: system call socket" in done.stdout


@pytest.mark.slow
def test_weaken_explores_so_as_well() -> None:
    program = HERE / "programs" / "families" / "lastzero.c"
    told = [
        subprocess.run(
            [FENCEPOST, "weaken", "--no-costs", *options, str(program), "--", "-DN=3"],
            capture_output=True,
            text=True,
        )
        for options in ([], ["--sandbox"])
    ]
    assert told[0].returncode == told[1].returncode == 0, told[1].stdout + told[1].stderr
    assert [line for line in told[0].stdout.splitlines() if " s" not in line] == [
        line for line in told[1].stdout.splitlines() if " s" not in line
    ]
