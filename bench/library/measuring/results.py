# SPDX-License-Identifier: MIT
"""The windows of a run, and the file of JSON Lines that keeps them."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from measuring.window import Outcome, Variant

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = 1
#: What the programs that are measured are made of.
SOURCES = ("include", "src", "bench")


@dataclass
class Windows:
    """The kept windows of one run or of several: figures by (subject, work, variant) and round."""

    figures: dict[tuple[str, str, str], dict[int, dict[str, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    discarded: int = 0

    def add(self, window: dict[str, Any]) -> None:
        if not window["kept"]:
            self.discarded += 1
            return
        key = (window["subject"], window["work"], window["variant"])
        rounds = self.figures[key]
        rounds[len(rounds)] = window["figures"]

    def values(self, subject: str, work: str, variant: str, figure: str) -> list[float]:
        rounds = self.figures.get((subject, work, variant), {})
        return [figures[figure] for figures in rounds.values() if figure in figures]


def git(*arguments: str) -> str:
    try:
        found = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


def processor_model() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "CPU part")):
                return line.partition(":")[2].strip()
    return platform.machine()


class Results:
    """Appends to the file of JSON Lines: a line about the run, then one for each window."""

    def __init__(self, path: Path, more: Mapping[str, Any] | None = None) -> None:
        """`more` is what else the line about the run says."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.file: TextIO = path.open("a")
        self.run = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
        self.described = False
        self.more = dict(more or {})

    def describe(self, context: dict[str, Any]) -> None:
        if self.described:
            return
        self.described = True
        self.write(
            {
                "kind": "run",
                "schema": SCHEMA,
                "run": self.run,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "machine": f"{platform.machine()}, {processor_model()}",
                "processors": len(os.sched_getaffinity(0)),
                "pinned": context.get("pinned"),
                "kernel": platform.release(),
                "libc": " ".join(platform.libc_ver()),
                "compiler": context.get("compiler"),
                "flags": context.get("flags"),
                "commit": git("rev-parse", "--short=12", "HEAD"),
                "changed_since_commit": bool(git("status", "--porcelain", *SOURCES)),
                "load": os.getloadavg()[0],
                "priority": -os.getpriority(os.PRIO_PROCESS, 0),
                **self.more,
            }
        )

    def window(self, variant: Variant, number: int, outcome: Outcome, kept: bool) -> dict[str, Any]:
        self.describe(outcome.context)
        line = {
            "kind": "window",
            "run": self.run,
            "subject": variant.subject,
            "work": variant.work,
            "variant": variant.variant,
            "round": number,
            "kept": kept,
            "elapsed": round(outcome.elapsed, 4),
            "others_cpu": round(outcome.others, 4),
            "figures": outcome.figures,
        }
        self.write(line)
        return line

    def write(self, line: dict[str, Any]) -> None:
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def read_results(path: Path) -> Windows:
    windows = Windows()
    with path.open() as lines:
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text)
                if line["kind"] == "window":
                    windows.add(line)
                elif line["schema"] != SCHEMA:
                    raise SystemExit(f"{path}:{number}: schema {line['schema']}, not {SCHEMA}")
            except (ValueError, KeyError) as problem:
                raise SystemExit(f"{path}:{number}: not a line of results: {problem}") from None
    return windows
