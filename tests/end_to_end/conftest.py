# SPDX-License-Identifier: MIT
"""`./fencepost` as a user runs it: the launcher, the real checker, real programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answer import Answer, Check, Weaken, fencepost


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """check({name: source…} or source, option…): the answer of `fencepost check --json`."""

    def check(source: str | dict[str, str], *options: str, name: str = "program.c") -> Answer:
        sources = {name: source} if isinstance(source, str) else source
        for file, text in sources.items():
            (tmp_path / file).write_text(text)
        done = fencepost("check", "--json", *sources, *options, cwd=tmp_path)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        return Answer(done.returncode, results, done.stderr)

    return check


@pytest.fixture
def weaken(tmp_path: Path) -> Weaken:
    """weaken({name: source…}, option…): exit status and what `fencepost weaken --json` printed."""

    def weaken(
        sources: dict[str, str], *options: str, costs: bool = False
    ) -> tuple[int, dict[str, Any]]:
        options = options if costs else (*options, "--no-costs")
        for name, text in sources.items():
            (tmp_path / name).write_text(text)
        programs = [name for name in sources if not name.endswith(".hpp")]
        done = fencepost("weaken", "--json", *programs, *options, cwd=tmp_path)
        return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}

    return weaken
