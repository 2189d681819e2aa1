#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for a program of Google Benchmark's: takes its options, writes its JSON, and measures
nothing.

Beside it lies behaviour.json: by benchmark's name what is to become of it: "crash", "hang",
"error", "silent", "garbled", "preempted", "crash after N", or a number, which is its figure;
"pinned" is whether it could pin its threads. `calls.txt` there lists what was run."""

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

HERE = Path(sys.argv[0]).resolve().parent
BEHAVIOUR = json.loads((HERE / "behaviour.json").read_text())
PINNED = BEHAVIOUR.pop("pinned", "yes")


def option(name: str) -> str:
    start = f"--benchmark_{name}="
    return next((word[len(start) :] for word in sys.argv[1:] if word.startswith(start)), "")


def main() -> int:
    if "--benchmark_list_tests" in sys.argv or option("list_tests") == "true":
        print("\n".join(BEHAVIOUR))
        return 0
    rows = []
    for name, what in BEHAVIOUR.items():
        if not re.search(option("filter"), name):
            continue
        with (HERE / "calls.txt").open("a") as calls:
            calls.write(f"{name} {option('min_time')}\n")
        if isinstance(what, str) and what.startswith("crash after"):
            earlier = (HERE / "calls.txt").read_text().splitlines()
            often = sum(line.startswith(f"{name} ") for line in earlier)
            what = "crash" if often > int(what.split()[-1]) else 1.0
        if what == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "hang":
            time.sleep(3600)
        if what == "garbled":
            Path(option("out")).write_text('{"context": {')
            return 0
        row = {"name": name, "run_type": "iteration", "time_unit": "ns", "iterations": 10}
        if what == "error":
            rows.append({**row, "error_occurred": True, "error_message": "no such thing here"})
        elif what == "preempted":
            rows.append({**row, "real_time": 2.0, "cpu_time": 1.0, "one_thread": 1})
        elif what != "silent":
            rows.append({**row, "real_time": what, "cpu_time": what, "one_thread": 1})
    context = {
        "compiler": "stand-in 1",
        "flags": "-O9",
        "pinned": PINNED,
        "executable": sys.argv[0],
    }
    Path(option("out")).write_text(json.dumps({"context": context, "benchmarks": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
