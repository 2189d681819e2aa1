# SPDX-License-Identifier: MIT
"""What a loop that is cut leaves out, nobody misses: random programs whose loops poll, while others
may see them do so, come to whatever end they come to when every loop goes round a number of times,
seen or not."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import samples
from exploring import CUT, build
from exploring import explore as explore_whole
from spelled import MODELS

SOURCE = str(CUT / "polling_programs.c")
PARTS = 4
PROGRAMS = 8_000 if samples.is_long else 1_000
MOST_EXECUTIONS = 1500
#: Of those with so many rounds, which are many more, so many are looked at.
MOST_WITH_ROUNDS = 150

#: The kinds of the two locks, as polling_programs.c spells them. A loop that locks one in which
#: writers go first is never cut: those are rare.
KINDS = ("mm", "ms", "ss", "me", "rr", "mr", "rs", "em", "sr", "rp")

#: Who polls, and who looks at him meanwhile; a digit is a lock.
POLLS = ("o0", "O0", "i0", "I0", "h0", "n0", "n1", "z0", "Z0", "v0", "y0", "y1", "c0", "w", "W")
#: These write plain variables, and others may look at them.
NOTES = ("s", "e", "m", "D", "E")
OTHER_POLLS = ("j", "d", "k0", "k1", "b", *NOTES)
LOOKS = ("t0", "u0", "t1", "u1", "T0", "l0", "r0", "l1", "C", "k0", "N", "V", "V")
TRIES = ("t0", "u0")
ACCESSES = ("x", "y", "X", "Y", "b", "B", "f", "q", "p", "P", "Q", "T")
AFTERWARDS = ("", "", "b", "B", "t0", "t1", "x", "q", "C", "p", "B", "g0")
#: These try again and again to change a counter.
RETRIES = ("R", "R", "S", "U", "F", "F", "F", "H", "H", "J", "K", "L", "M", "M")
#: What ends a loop.
TOLD_BY = {
    "c": "G0",
    "w": "a",
    "W": "B",
    "z": "a",
    "Z": "A",
    "v": "A",
    "y": "A",
    "j": "A",
    "d": "a",
    "s": "a",
    "e": "a",
    "m": "B",
    "D": "a",
    "E": "a",
}


def _looker(rng: random.Random) -> str:
    if rng.random() < 0.4:  # one that counts how often it finds the lock held
        tries = rng.choice((1, 2, 2))
        return "".join(rng.choice(TRIES) + rng.choice(("", "l0", "")) for _ in range(tries))
    return "".join(rng.choice(LOOKS + ACCESSES) for _ in range(rng.randint(1, 3)))


def _tell(poll: str) -> str:
    return "g1" if poll == "n1" else TOLD_BY.get(poll[0], "g0")


def _retrying(rng: random.Random) -> list[str]:
    return [
        rng.choice(("", "", "x", "t0"))
        + rng.choice(RETRIES)
        + rng.choice(("", "", "R", "F", "M", "b", "y"))
        for _ in range(rng.choice((2, 2, 3)))
    ]


def program(rng: random.Random) -> str:
    kinds = rng.choice(KINDS)
    if rng.random() < 0.25:
        return f"{kinds}:" + "/".join(_retrying(rng))
    poll = rng.choice(POLLS if rng.random() < 0.8 else OTHER_POLLS)
    if poll == "c0" and kinds[0] not in "me":
        poll = "o0"
    tell = _tell(poll)
    poller = rng.choice(("", "", "", "l1", "b", "x")) + poll + rng.choice(AFTERWARDS)
    shape = rng.random()
    if shape < 0.35:  # who looks ends it then
        threads = [poller, _looker(rng) + tell + rng.choice(("", "t0", "W", "y"))]
    elif shape < 0.6:  # somebody else does
        threads = [poller, _looker(rng), tell]
    elif shape < 0.75:
        other = rng.choice(POLLS[:12])
        threads = [poller, other + rng.choice(AFTERWARDS), tell + _tell(other)]
    elif shape < 0.9:  # somebody waits for the poller
        threads = ["W" + rng.choice((*LOOKS, "p", "t0")), poll + "b", _looker(rng) + tell]
    else:  # at times nobody does
        threads = [poller, _looker(rng) + (tell if rng.random() < 0.5 else "")]
    rng.shuffle(threads)
    return f"{kinds}:" + "/".join(threads)


@dataclass
class Found:
    result: dict[str, Any]
    ends: set[int]  # of executions in which nobody is stuck


#: main's only atomic store, of what everybody has found.
_END = re.compile(rb'\{"t":0,"i":\d+,"k":"W",[^{}]*"what":"store",[^{}]*"val":(\d+)')


def explore(executable: Path, text: str, options: str) -> Found:
    reader, writer = os.pipe()
    words = f"fd={writer} progress=0 all=1 dump=1 {options}"
    with subprocess.Popen(
        [str(executable), text],
        env=os.environ | {"FENCEPOST_CHECK": words},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[writer],
    ):
        os.close(writer)
        found = Found({}, set())
        with os.fdopen(reader, "rb") as lines:
            for line in lines:
                if line.startswith(b'{"type":"execution","blocked":false'):
                    found.ends.update(int(end) for end in _END.findall(line))
                elif line.startswith(b'{"type":"begins-anew"'):
                    found.ends.clear()
                elif line.startswith(b'{"type":"result"'):
                    found.result = json.loads(line)
    assert found.result, f"{text} with {options}: no answer"
    return found


@dataclass
class Cuts:
    """A program compared with itself where every loop goes round `rounds` times, seen or not."""

    executable: Path
    most: int = MOST_EXECUTIONS
    most_with_rounds: int = MOST_WITH_ROUNDS
    compared: int = 0
    left_out: int = 0  # without a verdict

    def compare(self, text: str, options: str, rounds: int, where: str) -> None:
        found = explore(self.executable, text, f"{options} max_executions={self.most}")
        if found.result["verdict"] == "inconclusive":
            self.left_out += 1
            return
        words = f"{options} rounds={rounds} max_executions={self.most_with_rounds}"
        more = explore(self.executable, text, words)
        if found.result["violations"]:
            return  # what comes behind a violation is not looked for
        assert more.ends <= found.ends, f"{where}: {text} with {words}"
        assert not more.result["violations"], f"{where}: {text} with {words}"
        self.compared += 1


@pytest.mark.matrix(3)
@pytest.mark.timeout(14400)
@pytest.mark.parametrize("part", range(PARTS))
def test_loops_that_go_round_more_often_come_to_no_other_end(part: int, tmp_path: Path) -> None:
    cuts = Cuts(build(SOURCE, tmp_path))
    rng = random.Random(samples.seed_of(part))
    for number in range(PROGRAMS // PARTS):
        text = program(rng)
        options = f"model={MODELS[number % len(MODELS)]} max_events=400 timeout=5"
        if "T" in text and number % 3 == 0:
            options += " timeouts=1"
        cuts.compare(text, options, 2 + number // 4 % 2, f"seed {part}, program {number}")
    assert cuts.left_out < PROGRAMS / PARTS / 20, "too many programs have no verdict"


@pytest.mark.timeout(3600)
def test_loops_that_write_to_their_own_stack_beside_what_others_read(tmp_path: Path) -> None:
    cuts = Cuts(build(SOURCE, tmp_path, "-DMAIN_IS_FIRST"))
    rng = random.Random(samples.seed_of(PARTS + 1))
    seen = 0
    for number in range(PROGRAMS // 10):
        threads = [rng.choice((*NOTES, "e0")), *(_looker(rng) for _ in range(rng.choice((1, 2))))]
        if threads[0] == "e0":  # each round is seen, so there is no verdict
            threads[1] = "E0" * rng.choice((1, 2, 3))
            seen += 1
        threads[rng.choice((0, 1))] += rng.choice(("", "b", "l0", "x"))
        threads[-1] += _tell(threads[0]) + rng.choice(("", "V", "t0", "y"))
        text = f"{rng.choice(KINDS)}:" + "/".join(threads)
        options = f"model={MODELS[number % len(MODELS)]} max_events=400 timeout=5"
        cuts.compare(text, options, 2 + number // 4 % 2, f"program {number}")
    assert cuts.left_out < seen + PROGRAMS / 200, "too many programs have no verdict"


def test_no_execution_comes_twice(tmp_path: Path) -> None:
    executable = build(SOURCE, tmp_path)
    rng = random.Random(samples.seed_of(PARTS))
    for number in range(PROGRAMS // 20):
        text = program(rng)
        options = f"model={MODELS[number % len(MODELS)]} max_events=400 all=1 dump=1"
        answer = explore_whole(executable, f"{options} max_executions=400", arguments=(text,))
        assert max(answer.executions.values(), default=1) == 1, text
