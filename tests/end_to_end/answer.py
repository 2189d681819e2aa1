# SPDX-License-Identifier: MIT
"""What `./fencepost check --json` answered, and the surroundings that it is run in."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()


@dataclass(frozen=True)
class Answer:
    status: int
    results: list[dict[str, Any]]
    errors: str

    @property
    def result(self) -> dict[str, Any]:
        assert len(self.results) == 1, self
        return self.results[0]

    @property
    def verdict(self) -> str | None:
        return self.result["verdict"]

    @property
    def text(self) -> str:
        """All that a reader could have been told."""
        return self.errors + json.dumps(self.results)


Check = Callable[..., Answer]
Weaken = Callable[..., tuple[int, dict[str, Any]]]


def fencepost(
    *words: str | Path, cwd: Path = ROOT, **extra: str
) -> subprocess.CompletedProcess[str]:
    """`./fencepost` as a user runs it; `extra`: variables of the environment."""
    done = subprocess.run(
        [str(ROOT / "fencepost"), *map(str, words)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=environment(**extra),
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def environment(**extra: str) -> dict[str, str]:
    return dict(os.environ, FENCEPOST_BUILD_DIR=str(BUILD), **extra)
