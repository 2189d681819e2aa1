# SPDX-License-Identifier: MIT
"""Build directories with programs that stand in for benchmarks, and what was measured with them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scripted import Run

STAND_IN = Path(__file__).with_name("benchmark_stand_in.py")
Behaviour = Mapping[str, float | str]
Built = Callable[..., Path]
FOUR: Behaviour = {
    "increment/fencepost_event_count": 2.0,
    "increment/ck_ec32_many_producers": 4.0,
    "increment/fencepost_two_word_event_count": 3.0,
    "increment/release_store_and_load": 2.5,
}


def build(place: Path, **subjects: Behaviour) -> Path:
    """Puts stand-ins for these subjects into place/build."""
    for name, behaviour in subjects.items():
        # Each in a folder of its own, with what it is to do; the build has a script that calls.
        folder = place / "behaviours" / name
        folder.mkdir(parents=True)
        shutil.copy(STAND_IN, folder / name)
        (folder / "behaviour.json").write_text(json.dumps(behaviour))
        program = place / "build" / "bench" / "library" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {folder / name} "$@"\n')
        program.chmod(0o755)
    return place


def bench(fencepost: Run, *words: str) -> Any:
    return fencepost("bench", "--build-dir", "build", "--others", "1000", *words)


def lines_of(path: Path, kind: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in read if line["kind"] == kind]


def orders_in(path: Path) -> list[tuple[int, str]]:
    return [(line["round"], line["variant"]) for line in lines_of(path, "window")]
