# SPDX-License-Identifier: MIT
"""`fencepost run`: what it says of programs that it cannot run, and that it is in nobody's way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def _run(*words: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "fencepost", "run", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
        **options,  # type: ignore[call-overload]
    )


def _refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 3
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def _compiled(folder: Path, *flags: str, compiler: str = "gcc") -> Path:
    source = folder / "program.c"
    source.write_text("#include <pthread.h>\nint main(void) { return pthread_self() == 0; }\n")
    program = folder / "program"
    subprocess.run([compiler, source, "-o", program, *flags], check=True)
    return program


def test_the_program_has_the_library_and_its_own_exit_status() -> None:
    script = "grep -c libfencepost_preload_futex_mutex.so /proc/self/maps; exit 7"
    done = _run("--lock", "futex_mutex", "--", "sh", "-c", script)
    assert done.returncode == 7
    assert int(done.stdout) > 0
    done = _run("--lock", "glibc", "--", "sh", "-c", script)
    assert done.returncode == 7
    assert int(done.stdout) == 0


def test_the_program_gets_the_signals() -> None:
    words = [
        ROOT / "fencepost",
        "run",
        "--lock",
        "mutex",
        "--",
        "sh",
        "-c",
        "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 5


@pytest.mark.parametrize("more", [[], ["--stats"]])
@pytest.mark.parametrize("ignored", ["PIPE", "XFSZ", "INT"])
def test_what_the_caller_ignores_the_program_ignores(ignored: str, more: list[str]) -> None:
    """As of a service of systemd, which has SIGPIPE ignored."""
    shown = ["run", "--lock", "mutex", *more, "--", "grep", "^SigIgn:", "/proc/self/status"]
    for caller in (["env"], ["env", f"--ignore-signal={ignored}"]):
        bare = subprocess.run([*caller, *shown[-3:]], capture_output=True, text=True)
        done = subprocess.run([*caller, ROOT / "fencepost", *shown], capture_output=True, text=True)
        assert done.returncode == 0
        assert done.stdout == bare.stdout


def test_what_cannot_be_written_on_stderr_costs_neither_the_status_nor_the_file(
    tmp_path: Path,
) -> None:
    stats = tmp_path / "of.json"
    words = f"'{ROOT / 'fencepost'}' run --lock glibc --stats='{stats}' -- sh -c 'exit 5'"
    done = subprocess.run(["sh", "-c", f"{words} 2>/dev/full"], timeout=60, check=False)
    assert done.returncode == 5
    assert json.loads(stats.read_text())["lock"] == "glibc"


@pytest.mark.parametrize("option", ["--stats=loop.svg", "--flame=loop.svg"])
def test_a_link_that_leads_in_a_circle_is_refused_before_the_program_runs(
    option: str, tmp_path: Path
) -> None:
    (tmp_path / "loop.svg").symlink_to("loop.svg")
    done = _run("--lock", "glibc", option, "--", "touch", "made", cwd=tmp_path)
    assert "loop.svg: Too many levels of symbolic links" in _refused(done)
    assert not (tmp_path / "made").exists()


def test_the_program_has_its_own_environment() -> None:
    shown = ["run", "--lock", "mutex", "--", "env"]
    for given in ({}, {"PYTHONPATH": "/a:/b"}):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [ROOT / "fencepost", *shown],
            capture_output=True,
            text=True,
            env=environment | given,
        )
        told = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
        assert told.get("PYTHONPATH") == given.get("PYTHONPATH")


def test_what_was_preloaded_stays() -> None:
    done = _run(
        "--lock",
        "mutex",
        "--",
        "sh",
        "-c",
        'echo "$LD_PRELOAD"',
        env={**os.environ, "LD_PRELOAD": "libdl.so.2"},
    )
    first, second = done.stdout.split()
    assert first == "libdl.so.2"
    assert second.endswith("libfencepost_preload_mutex.so")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--lock", "mutx", "--", "true"], "did you mean mutex"),
        (["--lock", "mutex"], "which program?"),
        (["--", "true"], "which lock?"),
        (["--lock", "mutex", "true"], "write -- before the program"),
        (["--lock", "mutex", "--", "no-such-program"], "there is no program 'no-such-program'"),
        (["--lock", "mutex", "--", "./no-such"], "there is no file ./no-such"),
        (["--lock", "mutex", "--", "/usr"], "is a directory"),
    ],
)
def test_wrong_words(words: list[str], said: str) -> None:
    assert said in _refused(_run(*words))


def test_a_static_program_is_refused(tmp_path: Path) -> None:
    assert "linked statically" in _refused(
        _run("--lock", "mutex", "--", _compiled(tmp_path, "-static"))
    )
    assert "linked statically" in _refused(
        _run("--lock", "mutex", "--", _compiled(tmp_path, "-static-pie"))
    )
    assert _run("--lock", "glibc", "--", tmp_path / "program").returncode == 0


def test_a_program_of_musl_is_refused(tmp_path: Path) -> None:
    if shutil.which("musl-gcc") is None:
        pytest.skip("musl-tools is not installed")
    program = _compiled(tmp_path, compiler="musl-gcc")
    assert "uses musl" in _refused(_run("--lock", "mutex", "--", program))


def test_a_program_for_another_processor_is_refused(tmp_path: Path) -> None:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("gcc for AArch64 is not installed")
    program = _compiled(tmp_path, compiler="aarch64-linux-gnu-gcc")
    assert "is for AARCH64" in _refused(_run("--lock", "mutex", "--", program))


def test_a_privileged_program_is_refused(tmp_path: Path) -> None:
    """It is somebody else's and runs as that one: the dynamic linker would say nothing."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a program that is somebody else's")
    program = _compiled(tmp_path)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    assert "is setuid" in _refused(_run("--lock", "mutex", "--", program))
    program.chmod(0o2755)
    assert "is setgid" in _refused(_run("--lock", "mutex", "--", program))
    program.chmod(0o755)
    assert _run("--lock", "mutex", "--", program).returncode == 0


@pytest.mark.parametrize("lock", ["mutex", "glibc"])
def test_a_pipe_is_no_program_and_is_not_waited_for(lock: str, tmp_path: Path) -> None:
    pipe, script = tmp_path / "pipe", tmp_path / "script"
    os.mkfifo(pipe, 0o755)
    script.write_text(f"#!{pipe}\n")
    script.chmod(0o755)
    said = f"{pipe} is no file, and cannot be executed"
    assert said in _refused(_run("--lock", lock, "--", pipe))
    assert (said if lock == "mutex" else "cannot be executed") in _refused(
        _run("--lock", lock, "--", script)
    )


def test_what_executes_a_script_is_looked_at(tmp_path: Path) -> None:
    static = _compiled(tmp_path, "-static")
    script = tmp_path / "script"
    script.write_text(f"#!{static}\n")
    script.chmod(0o755)
    assert "linked statically" in _refused(_run("--lock", "mutex", "--", script))
    script.write_text("#!/usr/bin/env -S sh -e\nexit 4\n")
    assert _run("--lock", "mutex", "--", script).returncode == 4


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program\n")
    assert "may not be executed" in _refused(_run("--lock", "mutex", "--", text))
    text.chmod(0o755)
    assert "no program that can be looked into" in _refused(_run("--lock", "mutex", "--", text))


def test_a_place_that_the_linker_cannot_name_is_refused(tmp_path: Path) -> None:
    from fencepost.commands.run import preloaded
    from fencepost.console.input_error import UnusableInput

    with pytest.raises(UnusableInput, match="space or a colon"):
        preloaded([tmp_path / "two words" / "lock.so"], None)
    ours = Path("/a/libfencepost_preload_mutex.so")
    assert preloaded([ours], "b.so:c.so") == f"b.so c.so {ours}"
    outer = "/a/libfencepost_preload_spin_mutex.so"
    assert preloaded([ours], f"b.so {outer}") == f"b.so {ours} {outer}"
    assert preloaded([ours], "/d/libasan.so.8", ["libasan.so.8"]) == f"/d/libasan.so.8 {ours}"
    assert preloaded([ours], None, ["libasan.so.8"]) == f"libasan.so.8 {ours}"


def test_a_killed_program_leaves_nothing(tmp_path: Path) -> None:
    """There is nothing of ours beside the program: killed, it is gone."""
    words = [
        ROOT / "fencepost",
        "run",
        "--lock",
        "mutex",
        "--",
        "sh",
        "-c",
        "echo $$; exec sleep 60",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        process.kill()
        assert process.wait(timeout=30) == -signal.SIGKILL
    deadline = time.monotonic() + 30
    while Path(f"/proc/{process.pid}").exists():
        assert time.monotonic() < deadline
