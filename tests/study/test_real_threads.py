# SPDX-License-Identifier: MIT
"""The protocols on real threads. Time decides nothing: every run is bounded in rounds, and what
must be seen once is looked for in many more rounds than it ever took."""

import ctypes
import json
import os
import platform
import subprocess
from typing import Any

import pytest
from fencepost.asm.protocols import SUBJECTS
from fencepost.toolchain.toolchain import build_directory

pytestmark = pytest.mark.matrix(3)

LONG = "100000"  # seconds, that is to say no limit
ON_X86 = platform.machine() == "x86_64"
TWO_PROCESSORS = len(os.sched_getaffinity(0)) >= 2

PROTOCOLS = SUBJECTS["event-mutex"].protocols()
SOUND = [p.id for p in PROTOCOLS if p.header.startswith("fencepost/protocol/")]
LATE = ["proposal_1_late_announce", "proposal_2_late_announce"]
LOST_ON_X86 = ["first_patch", "first_patch_valid", *LATE]
WITHOUT_HEAVY = "asymmetric_without_heavy"
NOT_LOST_ON_X86 = [p.id for p in PROTOCOLS if p.id not in [*LOST_ON_X86, WITHOUT_HEAVY]]

MEMBARRIER, REGISTER_PRIVATE_EXPEDITED = 324, 1 << 4  # of x86-64


def _run(subject: str, *arguments: str) -> list[dict[str, Any]]:
    program = build_directory() / SUBJECTS[subject].program
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    except OSError as error:  # of another processor
        pytest.skip(f"{program.name} cannot be run here: {error.strerror}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("protocol", SOUND)
def test_a_sound_protocol_makes_progress_and_loses_no_wake_up(protocol: str, threads: int) -> None:
    rounds = 300_000 if threads == 2 else 3_000
    (line,) = _run(
        "event-mutex",
        *("--protocol", protocol, "--threads", str(threads)),
        *("--rounds", str(rounds), "--seconds", LONG),
    )
    assert line["rounds"] == rounds
    assert line["operations"] == rounds * threads
    assert line["lost"] == 0
    assert line["exclusive"] is True


@pytest.mark.skipif(not ON_X86, reason="what holds on x86 need not hold here")
@pytest.mark.parametrize("protocol", [p for p in NOT_LOST_ON_X86 if p not in SOUND])
def test_what_the_x86_model_allows_loses_no_wake_up_on_x86(protocol: str) -> None:
    (line,) = _run("event-mutex", "--protocol", protocol, "--rounds", "100000", "--seconds", LONG)
    assert (line["lost"], line["exclusive"]) == (0, True)


@pytest.mark.skipif(not ON_X86, reason="the store buffer in question is that of x86")
@pytest.mark.skipif(not TWO_PROCESSORS, reason="a switch of threads empties the store buffer")
@pytest.mark.parametrize("protocol", ["first_patch", "first_patch_valid"])
def test_the_patch_of_7_july_loses_wake_ups_on_x86(protocol: str) -> None:
    (line,) = _run(
        "event-mutex",
        *("--protocol", protocol, "--until-lost", "1"),
        *("--rounds", "200000000", "--seconds", LONG),
    )
    assert line["lost"] >= 1
    assert line["exclusive"] is True


@pytest.mark.skipif(not ON_X86, reason="the store buffer in question is that of x86")
@pytest.mark.skipif(not TWO_PROCESSORS, reason="a switch of threads empties the store buffer")
def test_the_asymmetric_protocol_loses_wake_ups_without_its_heavy_fence() -> None:
    if ctypes.CDLL(None).syscall(MEMBARRIER, REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0:
        pytest.skip("without membarrier a light fence is a full one, which loses nothing")
    (line,) = _run(
        "event-mutex",
        *("--protocol", WITHOUT_HEAVY, "--until-lost", "1"),
        *("--rounds", "200000000", "--seconds", LONG),
    )
    assert line["lost"] >= 1
    assert line["exclusive"] is True


@pytest.mark.parametrize("protocol", LATE)
def test_announcing_after_the_last_try_loses_wake_ups(protocol: str) -> None:
    (line,) = _run(
        "event-mutex",
        *("--protocol", protocol, "--until-lost", "1"),
        *("--rounds", "200000000", "--seconds", LONG),
    )
    assert line["lost"] >= 1


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failure:
        _run("event-mutex", "--protocol", "nonsense")
    assert failure.value.returncode == 3
    assert "solution_1" in failure.value.stderr


@pytest.mark.skipif(not ON_X86, reason="the store buffer in question is that of x86")
@pytest.mark.skipif(not TWO_PROCESSORS, reason="a switch of threads empties the store buffer")
@pytest.mark.parametrize("shape", ["demonstration", "release_acquire"])
def test_the_demonstration_shows_the_weak_outcome_on_x86(shape: str) -> None:
    (line,) = _run(
        "store-buffering",
        *("--protocol", shape, "--until-weak", "1"),
        *("--rounds", "200000000", "--seconds", LONG),
    )
    assert line["weak"] >= 1


def test_the_sequentially_consistent_repair_never_shows_it() -> None:
    (line,) = _run(
        "store-buffering", "--protocol", "seq_cst", "--rounds", "300000", "--seconds", LONG
    )
    assert line["rounds"] >= 300_000
    assert line["weak"] == 0


@pytest.mark.skipif(not ON_X86, reason="what holds on x86 need not hold here")
def test_the_exchange_repair_never_shows_it_on_x86() -> None:
    (line,) = _run(
        "store-buffering", "--protocol", "exchange", "--rounds", "300000", "--seconds", LONG
    )
    assert line["rounds"] >= 300_000
    assert line["weak"] == 0
