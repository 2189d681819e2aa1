# SPDX-License-Identifier: MIT
"""With --sandbox a program may compute and nothing else: what it tries is said in words, and those
that try nothing are explored as they are without it."""

from __future__ import annotations

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
    source = HERE / "sandbox" / "attacks.c"
    return build_program([source], Toolchain(), tmp_path_factory.mktemp("attacks"))


def explored(program: Program, bounds: Bounds, *arguments: str) -> Exploration:
    return Explorer(replace(program, arguments=arguments), bounds).run()


@pytest.mark.matrix(4)
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
}


@pytest.mark.matrix(2)
@pytest.mark.parametrize("attack", EARLY)
def test_what_runs_before_the_checker_is_confined_too(attack: str, tmp_path: Path) -> None:
    """It is killed, or the files of others are not there for it."""
    call, said = EARLY[attack]
    toolchain = Toolchain(flags=(f"-DATTACK={call}",))
    built = build_program([HERE / "sandbox" / "early.c"], toolchain, tmp_path / "built")
    found = explored(built, EVERYTHING)
    if said:
        assert said in found.reason and "--sandbox" in found.reason
    else:
        assert found.verdict == "holds", found.reason
        assert "SIGILL" in explored(built, Bounds()).reason or attack == "starts"


def test_a_program_that_eats_memory_is_stopped(
    attacks: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_program.sandbox, "MOST_MEMORY", 256 << 20)
    found = explored(attacks, EVERYTHING, "m")
    assert found.reason.startswith("the program was stopped by --sandbox")
    assert "more than 256 MiB of memory" in found.reason


@pytest.mark.parametrize("fails_at", ["prctl", "syscall"])
def test_what_the_kernel_lacks_is_said_and_nothing_is_started(
    fails_at: str, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    code = f"""
import sys
sys.path.insert(0, {str(Path(sandbox.__file__).parent)!r})
import sandbox
class Kernel:
    def prctl(self, *_): return {-1 if fails_at == "prctl" else 0}
    def syscall(self, *_): return {-1 if fails_at == "syscall" else 1}
sandbox._C = Kernel()
sandbox.start(["touch", "/usr/bin/touch", {str(made)!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == sandbox.EXIT_REFUSED
    assert "this kernel" in done.stderr and "nothing was started" in done.stderr
    assert not made.exists()


@pytest.mark.parametrize("option", ["--checkpoint=left", "--cluster=tcp://127.0.0.1:1"])
def test_what_it_does_not_go_with_is_refused(option: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [FENCEPOST, "check", "--sandbox", option, str(HERE / "sandbox" / "early.c")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 3
    assert "--sandbox" in done.stderr


def test_the_command_line_says_where(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    text = (HERE / "sandbox" / "attacks.c").read_text().replace("argv[1][0]", "'s'")
    source.write_text(text.replace('"reach.h"', f'"{HERE / "sandbox" / "reach.h"}"'))
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
