# SPDX-License-Identifier: MIT
"""`fencepost check --watch`: what makes it check again, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fencepost.console.watch import Changes, noted_dependencies
from scripted import ROOT

WAITS = "waiting until one of"


class Watching:
    """The command at work in a folder of its own."""

    def __init__(self, folder: Path, build: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [str(ROOT / "fencepost"), "check", "--watch", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            env=dict(os.environ, FENCEPOST_BUILD_DIR=str(build), SCRIPT="h"),
            # Whoever started the tests in the background ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
        )

    def until_it_waits(self) -> str:
        assert self.process.stdout
        told = ""
        for line in self.process.stdout:
            told += line
            if WAITS in line:
                return told
        raise AssertionError(f"it ended: {told}")

    def interrupted(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()


@pytest.fixture
def watch(tmp_path: Path, scripted_build: Path) -> Iterator[Callable[..., Watching]]:
    started: list[Watching] = []

    def watch(*arguments: str) -> Watching:
        started.append(Watching(tmp_path, scripted_build, *arguments))
        return started[-1]

    yield watch
    for one in started:
        one.process.kill()
        one.process.wait()


def test_a_header_that_is_saved_or_replaced_starts_a_new_check(
    tmp_path: Path, watch: Callable[..., Watching]
) -> None:
    header = tmp_path / "with space.h"
    header.write_text("#define RESULT 0\n")
    (tmp_path / "main.c").write_text(
        '#include "with space.h"\n#include <stdlib.h>\nint main(void) { return RESULT; }\n'
    )
    it = watch("main.c")
    told = it.until_it_waits()
    assert "main.c: holds" in told and f"{WAITS} 2 files" in told
    (tmp_path / "of no interest.txt").write_text("")
    header.write_text("no C\n")
    told = it.until_it_waits()
    assert "with space.h changed" in told and "of no interest" not in told
    assert "does not compile" in told
    (tmp_path / "new").write_text("#define RESULT 0\n")
    (tmp_path / "new").rename(header)
    assert "main.c: holds" in it.until_it_waits()
    assert it.interrupted() == 0


def test_a_missing_header_that_appears_starts_a_new_check(
    tmp_path: Path, watch: Callable[..., Watching]
) -> None:
    (tmp_path / "main.c").write_text('#include "later.h"\nint main(void) { return 0; }\n')
    it = watch("main.c")
    assert "later.h" in it.until_it_waits()
    (tmp_path / "later.h").write_text("")
    assert "main.c: holds" in it.until_it_waits()


def test_interrupted_it_ends_with_the_status_of_the_last_check(
    tmp_path: Path, watch: Callable[..., Watching]
) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return x; }\n")
    it = watch("main.c")
    it.until_it_waits()
    assert it.interrupted() == 3


def test_what_the_compiler_notes_is_read_back(tmp_path: Path) -> None:
    notes = tmp_path / "build"
    notes.mkdir()
    (notes / "a.d").write_text(
        f"a.o: /x/a.c /x/with\\ space.h \\\n /x/d$$r/b\\#.h {notes}/made.h\n"
    )
    assert noted_dependencies(notes) == {
        Path("/x/a.c"),
        Path("/x/with space.h"),
        Path("/x/d$r/b#.h"),
    }


def test_only_the_files_that_are_followed_count(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    changes = Changes()
    changes.follow([one])
    other.write_text("")
    one.write_text("")
    assert changes.wait() == {one}
    changes.follow([other])
    one.write_text("again")
    other.unlink()
    assert changes.wait() == {other}
