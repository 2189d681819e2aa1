# SPDX-License-Identifier: MIT
"""A command whose compiler hangs can be ended, with the compiler and what that has started; and
what cannot be read as a source file is refused before anybody waits for it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fencepost.system import tool_process
from scripted import ROOT, Run

Write = Callable[[str, str], Path]

EMPTY = "int main(void) { return 0; }\n"

#: Answers questions about itself, then hangs, with a child, and takes no hint.
HANGS = """#!/bin/sh
case "$1" in "$HANGS_AT") ;; --version | -dump* | -print*) exec /usr/bin/$(basename $0) "$@" ;; esac
trap '' HUP INT TERM
sleep 1000 &
echo $$ $! > "$HUNG.part"
mv "$HUNG.part" "$HUNG"
while :; do sleep 1000; done
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # whoever inherits it may take a while to notice


@pytest.mark.matrix(5)
@pytest.mark.parametrize(
    ("number", "arguments", "hangs_at", "status"),
    [
        (signal.SIGINT, ["check", "a.c"], "", 2),
        (signal.SIGTERM, ["check", "--json", "--model", "sc,x86", "-j", "2", "a.c"], "", 2),
        (signal.SIGTERM, ["check", "a.c"], "--version", 2),
        (signal.SIGTERM, ["weaken", "a.c"], "", 2),
        (signal.SIGHUP, ["weaken", "a.c"], "", 2),
        (signal.SIGINT, ["asm", "--target", "x86-64-gcc", "a.c"], "", 130),
        (signal.SIGTERM, ["asm", "--target", "x86-64-gcc", "a.c"], "", 130),
    ],
)
def test_a_compiler_that_hangs_ends_with_the_command(
    number: signal.Signals,
    arguments: list[str],
    hangs_at: str,
    status: int,
    write: Write,
    tmp_path: Path,
) -> None:
    write("a.c", EMPTY)
    scratch, hung, tools = (tmp_path / name for name in ("scratch", "hung", "tools"))
    scratch.mkdir()
    tools.mkdir()
    for name in ("gcc", "g++"):
        (tools / name).write_text(HANGS)
        (tools / name).chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(scratch)}
    environment |= {"HUNG": str(hung), "HANGS_AT": hangs_at}
    process = subprocess.Popen(
        [str(ROOT / "fencepost"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
        env=os.environ | environment,
    )
    deadline = time.monotonic() + 60
    while not hung.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    started = [int(pid) for pid in hung.read_text().split()]
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == status, said
    assert "interrupted" in said and "Traceback" not in said
    assert not [pid for pid in started if is_alive(pid)]
    assert list(scratch.iterdir()) == []


@pytest.mark.matrix(5)
@pytest.mark.parametrize("command", ["check", "weaken", "asm"])
@pytest.mark.parametrize("kind", ["pipe", "directory", "socket"])
def test_what_is_no_file_is_refused_at_once(
    fencepost: Run, command: str, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.c"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    done = fencepost(command, path)
    assert done.returncode == 3
    assert f"a.c: is a {kind}" in done.stderr and "Traceback" not in done.stderr


def test_a_device_is_refused_at_once(fencepost: Run, tmp_path: Path) -> None:
    (tmp_path / "a.c").symlink_to("/dev/zero")
    done = fencepost("check", tmp_path / "a.c")
    assert done.returncode == 3
    assert "a.c: is a device" in done.stderr


def test_input_that_is_no_file_is_refused_with_every_spelling_of_its_name(fencepost: Run) -> None:
    for name in ("/dev/stdin", "/dev/fd/0", "-"):
        done = fencepost("check", "--", name) if name == "-" else fencepost("check", name)
        assert done.returncode == 3 and done.stderr


@pytest.mark.parametrize("place", ["pipe", "/dev/zero"])
def test_lines_of_what_is_no_source_are_not_waited_for(place: str, tmp_path: Path) -> None:
    """What `#line` names is looked up for the counterexample."""
    os.mkfifo(tmp_path / "pipe")
    source = tmp_path / "a.c"
    source.write_text(
        f'#include <assert.h>\n#line 7 "{tmp_path / place}"\nint main(void) {{ assert(0); }}\n'
    )
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", str(source), "--html", "page.html"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"assertion at {place}:7" in done.stdout


def test_a_tool_that_takes_its_time_gets_all_that_it_is_told() -> None:
    told = "x" * (1 << 20)
    done = tool_process.run(["sh", "-c", "sleep 0.3; cat; sleep 0.3; echo '\\351'"], told=told)
    assert done.stdout == f"{told}\udce9\n"
