# SPDX-License-Identifier: MIT
"""`make soak`: the program in soak/ on each lock in turns, until the time is over or something is
not as it must be.

    python tests/preload/soak.py --seconds 3600 [--lock NAME]...
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
PROGRAM = BUILD / "tests" / "preload" / "preload_soak"
#: A turn is long enough to meet what is rare, and short enough that each lock has several.
LONGEST_TURN = 60.0


def words_for(lock: str, seconds: float, seed: int) -> list[str]:
    return [
        str(ROOT / "fencepost"),
        "run",
        "--lock",
        lock,
        "--",
        str(PROGRAM),
        "--seconds",
        f"{seconds:.1f}",
        "--seed",
        str(seed),
    ]


def locks() -> list[str]:
    told = subprocess.run(
        [ROOT / "fencepost", "run", "--list"], capture_output=True, text=True, check=True
    ).stdout
    return [line.split()[0] for line in told.split("\n\n")[0].splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, required=True, help="for all locks together")
    parser.add_argument("--lock", action="append", help="these alone; all that there are if none")
    args = parser.parse_args()
    chosen = args.lock or locks()
    turn = min(LONGEST_TURN, args.seconds / len(chosen))
    end = time.monotonic() + args.seconds
    rounds = 0
    # Each lock has as many turns as the others, and at least one.
    while rounds == 0 or time.monotonic() + turn * len(chosen) <= end:
        rounds += 1
        for lock in chosen:
            words = words_for(lock, turn, random.getrandbits(32))
            print(f"{lock}: ", end="", flush=True)
            done = subprocess.run(words, stdin=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                print(f"failed with {done.returncode}:\n    {' '.join(words)}")
                return 1
    print(f"{rounds} times {turn:.1f} s on each of {len(chosen)} locks, nothing amiss")
    return 0


if __name__ == "__main__":
    sys.exit(main())
