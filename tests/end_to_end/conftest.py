# SPDX-License-Identifier: MIT
"""`./fencepost` as a user runs it: the launcher, the real checker, real programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from answer import ROOT, Answer, Check, environment


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """check({name: source…} or source, option…): the answer of `fencepost check --json`."""

    def check(source: str | dict[str, str], *options: str, name: str = "program.c") -> Answer:
        sources = {name: source} if isinstance(source, str) else source
        for file, text in sources.items():
            (tmp_path / file).write_text(text)
        done = subprocess.run(
            [str(ROOT / "fencepost"), "check", "--json", *sources, *options],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=tmp_path,
            env=environment(),
            timeout=300,
        )
        assert "Traceback" not in done.stderr, done.stderr
        results = [json.loads(line) for line in done.stdout.splitlines()]
        return Answer(done.returncode, results, done.stderr)

    return check
