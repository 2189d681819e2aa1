# SPDX-License-Identifier: MIT
"""`fencepost run --stats` and its like with real programs: counts that are known, deadlocks that
are named, and nobody in anybody's way."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from fencepost.profile.directory import prefix, sweep
from fencepost.toolchain.toolchain import build_directory

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "tests/lab/lock_user.c"
LOCKS = ("mutex", "glibc")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lock_user") / "lock_user"
    subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", made, SOURCE], check=True)
    return made


@pytest.fixture(autouse=True)
def own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def _line(mark: str) -> int:
    lines = SOURCE.read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if f"here: {mark}" in line)


def _words(*words: str | Path) -> list[str | Path]:
    return [ROOT / "fencepost", "run", *words]


def _run(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _words(*words),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
        **options,
    )


@contextmanager
def _running(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A run whose program has said that it is ready. No signal is ignored in it, as `nohup` has it,
    and it can be stopped, which the process group of a session's leader cannot."""
    heard = ("env", "--default-signal")
    with subprocess.Popen(
        [*heard, *_words(*words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            if process.poll() is None:
                for child in psutil.Process(process.pid).children():
                    child.kill()
                process.kill()


def _child_of(pid: int) -> int:
    return psutil.Process(pid).children()[0].pid


def _until(told: Callable[[], str], expected: str) -> str:
    """What is said when it holds what is expected; the test's time limit ends it otherwise."""
    while expected not in (said := told()):
        time.sleep(0.05)
    return said


def _locks(told: dict[str, Any], **wanted: object) -> list[dict[str, Any]]:
    return [
        lock
        for process in told["processes"]
        for lock in process["locks"]
        if all(lock[name] == value for name, value in wanted.items())
    ]


def _runs_left() -> list[Path]:
    return list(Path("/dev/shm").glob("fencepost-locks.*"))


@pytest.mark.parametrize("lock", LOCKS)
def test_what_was_counted(program: Path, tmp_path: Path, lock: str) -> None:
    file = tmp_path / "locks.json"
    done = _run("--lock", lock, "--stats", file, "--", program, "count")
    assert done.returncode == 7, done.stderr
    told = json.loads(file.read_text())
    assert (told["lock"], told["status"], told["signal"]) == (lock, 7, None)
    (counted,) = _locks(told, acquisitions=4000)
    site = counted["site"]
    assert (site["function"], Path(site["file"]).name, site["line"]) == (
        "initialise",
        "lock_user.c",
        _line("counted"),
    )
    assert counted["initialised"] and counted["kind"] == "mutex"
    assert sum(counted["holds_histogram"]) == 4000
    assert sum(counted["waits_histogram"]) == counted["contended"]
    (shared,) = _locks(told, kind="read_write")
    assert (shared["shared"], shared["acquisitions"]) == (3, 0)
    (tried,) = _locks(told, refused=2)
    assert tried["acquisitions"] == 1 and not tried["initialised"]
    assert f"lock_user on {lock}" in done.stderr
    assert "mutex initialise" in done.stderr
    assert (counted["slept_ns"] is None) == (lock == "glibc")


@pytest.mark.parametrize("lock", LOCKS)
def test_time_that_was_waited(program: Path, tmp_path: Path, lock: str) -> None:
    """A thread waits until somebody has seen it wait for 0.1 s."""
    file, flame = tmp_path / "locks.json", tmp_path / "waits.folded"
    words = ("--lock", lock, "--stats", file, "--flame", flame, "--", program, "wait")
    with _running(*words) as process:
        child = str(_child_of(process.pid))
        _until(lambda: _run("--dump", child).stdout, "waits 1")
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait() == 0
    (waited,) = _locks(json.loads(file.read_text()), contended=1)
    assert waited["waited_ns"] > 10**8 and sum(waited["waits_histogram"]) == 1
    (line,) = [line for line in flame.read_text().splitlines() if "wait_once" in line]
    assert re.search(r"wait_once;\[mutex initialise .*lock_user\.c:\d+\] \d+$", line)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_deadlock_is_named(program: Path, lock: str) -> None:
    with _running("--lock", lock, "--stats", "--", program, "deadlock") as process:
        child = _child_of(process.pid)
        said = _until(lambda: _run("--dump", str(child)).stdout, "DEADLOCK")
        assert "DEADLOCK: 2 threads wait for each other" in said
        assert re.search(r'"forwards" waits .* for mutex', said)
        assert re.search(
            r'"backwards" has it for .*, taken at second_then_first .*lock_user.c', said
        )
        # The number of `fencepost run` itself will do; so will a picture of the threads.
        assert "DEADLOCK" in _run("--dump", str(process.pid)).stdout
        assert "DEADLOCK of threads" in _run("--top", str(child), "--once").stdout
        process.send_signal(signal.SIGUSR1)
        assert process.stderr is not None
        _until(process.stderr.readline, "DEADLOCK")
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT
        _, _, left = process.stderr.read().partition("DEADLOCK")  # behind what SIGUSR1 asked for
        circle, _, report = left.partition("fencepost run: ")
        assert re.search(r'"forwards" waits .* for mutex', circle)
        assert "2 threads were in the middle of waits for locks" in report


@pytest.mark.parametrize("lock", LOCKS)
def test_a_circle_through_join_is_named(program: Path, lock: str) -> None:
    with _running("--lock", lock, "--stats", "--", program, "join") as process:
        child = _child_of(process.pid)
        said = _until(lambda: _run("--dump", str(child)).stdout, "DEADLOCK")
        assert "waits for the end of thread" in said
        assert "has it (to read)" in said


def test_processes_are_kept_apart(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "locks.json"
    assert _run("--lock", "mutex", "--stats", file, "--", program, "fork").returncode == 0
    told = json.loads(file.read_text())
    parent, child = told["processes"]
    assert child["parent"] == parent["pid"] and {parent["fate"], child["fate"]} == {"ended"}
    counted = {
        one["pid"]: sum(
            lock["acquisitions"]
            for lock in one["locks"]
            if lock["site"]["line"] == _line("counted")
        )
        for one in told["processes"]
    }
    assert counted == {parent["pid"]: 30, child["pid"]: 20}


def test_it_ends_as_the_program_ended(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "locks.json"
    done = _run("--lock", "mutex", "--stats", file, "--", program, "die")
    assert done.returncode == -signal.SIGABRT
    told = json.loads(file.read_text())
    assert told["signal"] == "SIGABRT" and told["processes"][0]["fate"] == "killed"
    assert _locks(told, acquisitions=100)
    assert "was killed" in done.stderr
    done = _run("--lock", "mutex", "--stats", "--", "sh", "-c", "kill -KILL $$")
    assert done.returncode == -signal.SIGKILL


def test_the_program_gets_the_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR2):
        script = f"trap 'exit 5' {number.name.removeprefix('SIG')}; echo ready; " + (
            "while :; do sleep 0.01; done"
        )
        with _running("--lock", "mutex", "--stats", "--", "sh", "-c", script) as process:
            process.send_signal(number)
            assert process.wait() == 5, number


def test_it_stops_with_the_program_and_goes_on_with_it(program: Path) -> None:
    with _running("--lock", "mutex", "--stats", "--", program, "stand") as process:
        child = _child_of(process.pid)
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        state = Path(f"/proc/{child}/stat")
        assert state.read_text().rpartition(")")[2].split()[0] == "T"
        process.send_signal(signal.SIGCONT)
        _until(lambda: state.read_text().rpartition(")")[2].split()[0], "S")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM


def test_what_another_version_writes_is_left_while_somebody_writes_it(tmp_path: Path) -> None:
    """Whose format we cannot read."""
    name = prefix(999_999_999)
    outer = Path("/dev/shm") / f"{name}other"
    try:
        (outer / "inner").mkdir(parents=True)
        file = outer / "inner" / f"{os.getpid()}-1.locks"
        file.write_bytes(b"FPLOCK99" + bytes(4096))
        time.sleep(1.1)  # what is younger may still be in the making
        sweep()
        assert file.is_file()
        file.rename(file.with_name("999999998-1.locks"))
        sweep()
        assert not outer.exists()
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def test_what_runs_in_the_background_is_told_and_may_be_looked_at(program: Path) -> None:
    done = _run("--lock", "mutex", "--stats", "--", program, "background")
    assert done.returncode == 0
    child = int(done.stdout)
    try:
        assert f"process {child}" in done.stderr and "still runs" in done.stderr
        assert "use" in _run("--dump", str(child)).stdout
        assert any(list(run.rglob(f"{child}-*")) for run in _runs_left())
    finally:
        os.kill(child, signal.SIGKILL)
    # The next run takes away what it has left, as soon as it is gone and a second has passed.
    while any(list(run.rglob(f"{child}-*")) for run in _runs_left()):
        assert _run("--lock", "mutex", "--stats", "--", "true").returncode == 0


def test_a_run_that_was_killed_is_cleared_away(program: Path) -> None:
    with _running("--lock", "mutex", "--stats", "--", program, "stand") as process:
        child = _child_of(process.pid)
        process.kill()
        process.wait()
        # The program dies with it, and what it left is gone after the next run.
        while any(list(run.rglob(f"{child}-*")) for run in _runs_left()):
            assert _run("--lock", "mutex", "--stats", "--", "true").returncode == 0


def test_what_a_program_left_in_its_directory_holds_up_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that became another user may have put anything there."""
    monkeypatch.setattr("fencepost.profile.directory.places", lambda: [tmp_path])
    outer = tmp_path / f"{prefix(999_999_998)}x"
    (outer / "inner").mkdir(parents=True)
    # A name that says that a process writes there which lives, but is not that user's.
    if os.geteuid() == 0:
        (outer / "inner" / "1-1.locks").touch()
        os.chown(outer / "inner" / "1-1.locks", 65534, 65534)
    (outer / "inner" / ("9" * 200 + "-1.locks")).touch()
    place = os.open(outer / "inner", os.O_PATH)
    for _ in range(1500):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_PATH, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 10)  # younger ones are never swept
    sweep()
    assert not outer.exists()


def test_nothing_is_left_behind(program: Path) -> None:
    before = set(_runs_left())
    with _running("--lock", "mutex", "--stats", "--", program, "stand") as process:
        (own,) = [run for run in _runs_left() if f".{process.pid}-" in run.name]
        assert own not in before
        process.send_signal(signal.SIGTERM)
        process.wait()
        assert not own.exists()


def test_a_run_in_another_container_is_left_alone(program: Path) -> None:
    """Which shares /dev/shm, but has process numbers of its own: there none of ours is alive."""
    mine = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    elsewhere = ["unshare", *mine, "--pid", "--fork", "--mount-proc"]
    with _running("--lock", "mutex", "--stats", "--", program, "deadlock") as process:
        child = str(_child_of(process.pid))
        _until(lambda: _run("--dump", child).stdout, "DEADLOCK")
        time.sleep(1.1)  # younger ones are never swept
        done = subprocess.run(
            [*elsewhere, *_words("--lock", "mutex", "--stats", "--", "true")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "DEADLOCK" in _run("--dump", child).stdout
        listed = subprocess.run(
            [*elsewhere, *_words("--top", "--once")], capture_output=True, text=True, check=False
        )
        assert listed.returncode == 3 and "no program runs with --stats" in listed.stderr


def test_no_other_user_writes_into_roots_records(program: Path) -> None:
    """Nor does anybody's word make a process of root's one of theirs."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody else")
    with _running("--lock", "mutex", "--stats", "--", program, "stand") as process:
        child = _child_of(process.pid)
        (own,) = [run for run in _runs_left() if f".{process.pid}-" in run.name]
        (record,) = own.rglob(f"{child}-*")
        nobody = ["setpriv", "--reuid", "65534", "--clear-groups"]
        listed = subprocess.run([*nobody, "ls", own], capture_output=True, check=False)
        assert listed.returncode != 0 and record.parent.name.encode() not in listed.stdout
        planted = Path(tempfile.mkdtemp(prefix=prefix(process.pid), dir="/dev/shm"))
        try:
            copy = planted / "inner" / record.name
            copy.parent.mkdir()
            shutil.copy(record, copy)
            for path in (copy, copy.parent, planted):
                os.chown(path, 65534, 65534)
            record.rename(record.with_suffix(".hidden"))
            done = _run("--dump", str(child))
            assert done.returncode == 3 and "with --stats" in done.stderr
        finally:
            shutil.rmtree(planted)


def test_what_cannot_be_written_is_said_before_the_program_starts(tmp_path: Path) -> None:
    done = _run("--lock", "mutex", "--stats", tmp_path / "no" / "x.json", "--", "echo", "started")
    assert done.returncode == 3 and done.stdout == ""
    assert "there is no directory" in done.stderr


def test_a_full_disk_is_said(program: Path) -> None:
    done = _run("--lock", "mutex", "--stats", "/dev/full", "--", program, "fork")
    assert done.returncode == 3
    assert "/dev/full: No space left on device" in done.stderr


def test_a_program_that_is_not_there_leaves_nothing() -> None:
    done = _run("--lock", "mutex", "--stats", "--", "/no/such/program")
    assert done.returncode == 3 and "there is no file" in done.stderr


def test_programs_that_cannot_be_looked_at() -> None:
    done = _run("--dump", "1")
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert "--stats" in done.stderr


def test_a_program_that_becomes_somebody_else_and_another_program(
    program: Path, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody else")
    temporary = Path(tempfile.gettempdir())
    for folder in (tmp_path, *tmp_path.parents, *program.parents):
        if temporary in folder.parents:
            folder.chmod(0o755)
    # Where others may read it: this tree may be in a home that is closed to them, as root's is.
    preload = tmp_path / "build" / "preload"
    preload.mkdir(parents=True)
    for name in ("libfencepost_preload_mutex.so", "libfencepost_profiler.so"):
        shutil.copy2(build_directory() / "preload" / name, preload)
    file = tmp_path / "locks.json"
    words = ("setpriv", "--reuid", "65534", "--clear-groups", program, "fork")
    environment = {**os.environ, "FENCEPOST_BUILD_DIR": str(preload.parent)}
    done = _run("--lock", "mutex", "--stats", file, "--", *words, env=environment)
    assert done.returncode == 0, done.stderr
    told = json.loads(file.read_text())
    assert len([one for one in told["processes"] if one["locks"]]) >= 2


class _Terminal:
    """A command in a terminal of 80 × 24."""

    def __init__(self, *words: str | Path) -> None:
        self.said = ""
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LINES="24", COLUMNS="80")
            del os.environ["LINES"], os.environ["COLUMNS"]
            command = [str(word) for word in _words(*words)]
            os.execv(command[0], command)
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def until(self, expected: str) -> None:
        while expected not in self.said:
            assert select.select([self._descriptor], [], [], 60)[0], self.said
            self.said += os.read(self._descriptor, 65536).decode(errors="replace")

    def press(self, keys: str) -> None:
        self.said = ""
        os.write(self._descriptor, keys.encode())

    def end(self) -> int:
        with suppress(OSError):  # its end is told as an error
            while data := os.read(self._descriptor, 65536):
                self.said += data.decode(errors="replace")
        os.close(self._descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_the_live_view(program: Path) -> None:
    with _running("--lock", "mutex", "--stats", "--", program, "deadlock") as process:
        child = _child_of(process.pid)
        _until(lambda: _run("--dump", str(child)).stdout, "DEADLOCK")
        terminal = _Terminal("--top", str(child))
        terminal.until("DEADLOCK of threads")
        terminal.press("t")
        terminal.until("forwards")
        terminal.press("w")
        terminal.until("wait for each other")
        terminal.press("q")
        assert terminal.end() == 0
        assert process.poll() is None


def test_the_live_view_of_a_program_that_it_starts(program: Path) -> None:
    terminal = _Terminal("--top", "--lock", "mutex", "--", program, "stand")
    terminal.until("locks taken a second")
    terminal.press("\x03")  # Ctrl-C is the program's
    assert terminal.end() == -signal.SIGINT
    named = re.search(r"what the program says is in (\S+) and (\S+)", terminal.said)
    assert named is not None and Path(named[1]).read_text() == "ready\n"


def test_an_interrupt_from_the_terminal_is_the_programs(program: Path) -> None:
    """What it does with it is its own affair, and the report comes when it has ended."""
    terminal = _Terminal("--lock", "mutex", "--stats", "--", program, "interrupts")
    terminal.until("ready")
    terminal.press("\x03")
    terminal.until("interrupted")
    os.kill(terminal.pid, signal.SIGUSR2)
    assert terminal.end() == 41
    assert "lock_user on mutex" in terminal.said
