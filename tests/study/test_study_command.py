# SPDX-License-Identifier: MIT
"""`fencepost study` with wrong words, and stopped while it works."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY = [str(ROOT / "fencepost"), "study", "store-buffering"]


@pytest.mark.parametrize(
    "words, said",
    [
        (["--timeout", "-1"], "must be above zero"),
        (["--timeout", "nan"], "must be above zero"),
        (["--jobs", "0"], "no whole number from 1"),
        (["--stress", "-2"], "must be above zero"),
        (["--cc", "nosuch"], "there is no compiler 'nosuch"),
        (["--model", "c++99"], "there is no model 'c++99'"),
    ],
)
def test_wrong_words_are_told(words: list[str], said: str) -> None:
    done = subprocess.run([*STUDY, *words], capture_output=True, text=True)
    assert done.returncode == 3
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("stage", ["compiling", "checking", "running on real threads"])
def test_who_stops_it_is_told_what_is_known(stage: str, tmp_path: Path) -> None:
    words = [*STUDY, "--stress", "100", "--html", str(tmp_path / "page.html")]
    # It remembers what it has found in the folder of the build: nothing yet.
    built = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).absolute()
    own = tmp_path / "build" / "release"
    own.mkdir(parents=True)
    for one in built.iterdir():
        (own / one.name).symlink_to(one)
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FENCEPOST_BUILD_DIR": str(own)},
        start_new_session=True,
    )
    assert process.stderr is not None
    told = ""
    while stage not in told:
        line = process.stderr.readline()
        assert line, told
        told += line
    time.sleep(0.2)  # at the stage, or behind its beginning
    os.killpg(process.pid, signal.SIGINT)  # as from a terminal
    shown, rest = process.communicate(timeout=120)
    assert process.returncode == 130, told + rest
    assert rest.splitlines()[-1] == "fencepost: interrupted"
    assert "store" in shown and (tmp_path / "page.html").is_file()
