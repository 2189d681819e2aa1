# SPDX-License-Identifier: MIT
"""A checkpoint that somebody has made up is refused, or what is said of it is true: the checker
neither crashes nor hangs, nor finds a violation that the program does not have."""

from __future__ import annotations

import os
import random
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest
import samples
from exploring import Answer, Exploring, build, explore

BAD_OPTIONS = 3
CASES = 2000 if samples.is_long else 100

#: Programs of several kinds, and after how many executions they are stopped. Where they fail, the
#: violation is in the checkpoint.
PROGRAMS = {
    "revisits": ("families/lastzero.c", ("-DN=5",), 9),
    "sleeping": ("pthread/mutex_counter.c", ("-DTHREADS=3",), 4),
    "heap": ("lockfree/michael_scott_queue.cpp", (), 9),
    "spinning_and_failing": ("locks/reader_writer_lock.cpp", ("-DLEAVE=relaxed",), 40),
    "sizes": ("mixed_sizes/parts_and_whole.cpp", (), 2),
}


@dataclass
class Stopped:
    program: Path
    checkpoint: bytes
    violated: bool


def forged(head: bytes, payload: bytes) -> bytes:
    """With the size and the checksum that belong to it."""
    line = b"bytes %d checksum %08x" % (len(payload), zlib.crc32(payload))
    return b"\n".join([*head.split(b"\n")[:-1], line]) + b"\n\n" + payload


def parts(checkpoint: bytes) -> tuple[bytes, bytes]:
    head, _, payload = checkpoint.partition(b"\n\n")
    return head, payload


INTERESTING = (0, 1, 2, 7, 63, 64, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def changed(payload: bytes, chance: random.Random) -> bytes:
    made = bytearray(payload)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        # The counters take up half of a small file: most changes are of what comes after them.
        first = chance.choice((0, len(made) // 2, len(made) // 2, len(made) * 3 // 4))
        at = chance.randrange(first, len(made) - 8)
        match chance.randrange(6):
            case 0:
                made[at] ^= 1 << chance.randrange(8)
            case 1:
                made[at] = chance.randrange(256)
            case 2:
                struct.pack_into("<I", made, at & ~3, chance.choice(INTERESTING))
            case 3:
                (value,) = struct.unpack_from("<I", made, at & ~3)
                more = chance.choice((-1, 1, 4, -4, 0x10000))
                struct.pack_into("<I", made, at & ~3, (value + more) & 0xFFFFFFFF)
            case 4:
                other = chance.randrange(len(made) - 64)
                size = chance.choice((4, 8, 16, 56))
                made[at : at + size] = made[other : other + size]
            case _:
                size = chance.choice((4, 8, 56))
                if chance.random() < 0.5:
                    del made[at & ~3 : (at & ~3) + size]
                else:
                    made[at & ~3 : at & ~3] = made[at & ~3 : (at & ~3) + size]
    return bytes(made)


@pytest.fixture(scope="module", params=PROGRAMS)
def stopped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    source, flags, runs = PROGRAMS[request.param]
    folder = tmp_path_factory.mktemp("forged")
    program = build(source, folder, *flags)
    answer = explore(program, f"all=1 max_executions={runs}", folder / "checkpoint")
    assert answer.status in (1, 2), answer
    return Stopped(program, (folder / "checkpoint").read_bytes(), answer.status == 1)


def answer_to(stopped: Stopped, checkpoint: Path, content: bytes) -> Answer:
    checkpoint.write_bytes(content)
    exploring = Exploring(stopped.program, "all=1 timeout=20 max_executions=300", checkpoint)
    try:
        return exploring.answer()
    except ValueError as error:
        raise AssertionError(f"a line that is no JSON: {error}") from error


def judge(stopped: Stopped, answer: Answer) -> str:
    """What was said, which must be true."""
    if answer.status == BAD_OPTIONS:
        assert answer.result == {} and answer.said
        return "refused"
    assert answer.status in (0, 1, 2), (answer.status, answer.said)
    verdict: str = answer.result["verdict"]
    assert verdict == ("holds", "violated", "inconclusive")[answer.status]
    if verdict == "violated":
        assert stopped.violated
    if verdict == "holds":
        assert any("the checkpoint" in text for text in answer.result["assumptions"])
    if verdict == "inconclusive":
        assert "the time limit was reached" not in answer.result["reason"], (
            "it had next to nothing to do"
        )
    return verdict


@pytest.mark.matrix(5)
def test_forged_checkpoints_are_refused_or_lead_to_the_truth(
    stopped: Stopped, tmp_path: Path
) -> None:
    head, payload = parts(stopped.checkpoint)
    assert forged(head, payload) == stopped.checkpoint
    unchanged = answer_to(stopped, tmp_path / "checkpoint", stopped.checkpoint)
    assert judge(stopped, unchanged) != "refused"
    assert "cannot be" not in unchanged.result.get("reason", "")
    seed = f"{samples.seed()} {stopped.program.parent.name[:-1]}"
    said: dict[str, int] = {}
    for case in range(CASES):
        content = forged(head, changed(payload, random.Random(f"{seed} {case}")))
        answer = answer_to(stopped, tmp_path / "checkpoint", content)
        try:
            verdict = judge(stopped, answer)
        except (AssertionError, KeyError) as error:
            kept = Path(os.environ.get("FENCEPOST_KEPT", tmp_path)) / f"case-{case}"
            kept.write_bytes(content)
            raise AssertionError(
                f"case {case} of seed '{seed}', kept in {kept}: {error}"
            ) from error
        said[verdict] = said.get(verdict, 0) + 1
    assert stopped.violated or said.get("inconclusive", 0) > CASES // 4, said
