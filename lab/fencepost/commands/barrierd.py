# SPDX-License-Identifier: MIT
"""Starts, shows, tries and ends the interrupt clock of this machine: the times at which the kernel
last interrupted each processor, in memory that every process may read
(docs/library/barrierd.md)."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from fencepost import ROOT
from fencepost.toolchain.toolchain import build_directory

EPILOG = """\
exit status: 0 done (for status, metrics and self-test: and all is well), 1 it failed or is not,
3 it could not be run
"""

_NAME = "fencepost-barrierd"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    tasks = ["start", "status", "metrics", "stop", "self-test"]
    parser.add_argument(
        "what",
        choices=tasks,
        metavar="WHAT",
        help="start or stop the clock; show its status, or metrics of it; self-test: try it",
    )
    parser.usage = f"fencepost barrierd {'|'.join(tasks)} [OPTION]..."
    parser.add_argument(
        "--directory", metavar="DIR", help="where it is pinned (default /run/fencepost)"
    )
    parser.add_argument(
        "--foreground",
        action="store_true",
        help="start: run until interrupted, instead of leaving the clock to the kernel",
    )
    parser.add_argument("--hooks", help="start: auto, x86 or generic (default auto)")
    parser.add_argument(
        "--seconds", metavar="N", help="status, self-test: how long to watch (default 1)"
    )
    parser.add_argument(
        "--json", action="store_true", help="status: as JSON, see docs/library/barrierd.md"
    )


def _executable() -> Path | None:
    built = build_directory() / "src" / "barrierd" / _NAME
    if built.is_file():
        return built
    # sbin is not on everybody's path. Where both are installed, it lies above this.
    above = [str(folder / "sbin") for folder in ROOT.parents]
    path = os.pathsep.join([os.environ.get("PATH", ""), *above, "/usr/sbin", "/usr/local/sbin"])
    found = shutil.which(_NAME, path=path)
    return Path(found) if found else None


def _words(args: argparse.Namespace) -> list[str]:
    words: list[str] = []
    if args.what == "start":
        words += ["--mount"] if args.foreground else ["--mount", "--once"]
    else:
        words += [f"--{args.what}"]
    for option in ("directory", "hooks", "seconds"):
        if (value := getattr(args, option)) is not None:
            words += [f"--{option}", value]
    return words


def run(args: argparse.Namespace) -> int:
    program = _executable()
    if program is None:
        print(
            f"fencepost: {_NAME} is not built or installed: 'make build' builds it where clang-14, "
            "bpftool and libbpf-dev are installed; the Debian package is fencepost-barrierd",
            file=sys.stderr,
        )
        return 3
    if args.what != "status" or args.json:
        os.execv(program, [_NAME, *_words(args)])
    done = subprocess.run([program, *_words(args)], stdout=subprocess.PIPE, text=True, check=False)
    if done.stdout:
        print(table(json.loads(done.stdout)))
    return done.returncode


def table(status: dict[str, Any]) -> str:
    """What `--status` says, for people."""
    how = f"by process {status['owner']}" if status["owner"] else "pinned in the kernel"
    lines = [
        f"{status['clock']}: {'alive' if status['alive'] else 'DEAD'}, {how}, "
        f"{status['hooks']} events"
        + (", some processors nohz_full" if status["nohz_full"] else ""),
        "",
        f"{'cpu':>4}{'age, ms':>10}{'interrupts/s':>14}{'switches/s':>12}{'seen idle/s':>13}",
    ]
    for cpu in status["cpus"]:
        age = "never" if cpu["age_ns"] is None else f"{cpu['age_ns'] / 1e6:.2f}"
        lines.append(
            f"{cpu['cpu']:>4}{age:>10}{cpu['interrupts_per_s']:>14.0f}"
            f"{cpu['switches_per_s']:>12.0f}{cpu['vouched_per_s']:>13.0f}"
            + ("  nohz_full" if cpu["nohz_full"] else "")
            + ("" if cpu["online"] else "  off")
        )
    if status["programs"] is None:
        return "\n".join([*lines, "", "What it costs is told to root alone."])
    lines += ["", f"{'program':<22}{'runs/s':>8}{'ns a run':>10}{'missed':>8}"]
    for program in status["programs"]:
        took = program.get("ns_per_run")
        lines.append(
            f"{program['program']:<22}{_number(program.get('runs_per_s')):>8}{_number(took):>10}"
            f"{program['missed']:>8}"
        )
    if status["cores"] is not None:
        lines.append(f"together {100 * status['cores']:.3f} % of one processor")
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
