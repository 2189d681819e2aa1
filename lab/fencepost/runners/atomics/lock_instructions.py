# SPDX-License-Identifier: MIT
"""Which instructions of memory it takes to lock and to unlock, when nobody else wants the lock: of
each kind, on each processor, from what the compiled lock executes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path

from fencepost import ROOT
from fencepost.report.text_table import table
from fencepost.runners.atomics.built import NotBuilt, listed
from fencepost.runners.atomics.executed import disassembled, executed_by, symbols_of
from fencepost.runners.atomics.memory_events import memory_event

TARGET = "bench_atomics_lock_instructions"


@dataclass(frozen=True)
class Machine:
    """A processor: how its tools' names begin, and what emulates it."""

    name: str
    triple: str
    emulator: str

    def missing(self) -> list[str]:
        tools = [f"{self.triple}-{tool}" for tool in ("g++", "objdump", "nm")]
        return [name for name in (*tools, self.emulator) if shutil.which(name) is None]


MACHINES = (
    Machine("x86_64", "x86_64-linux-gnu", "qemu-x86_64"),
    Machine("aarch64", "aarch64-linux-gnu", "qemu-aarch64"),
    Machine("riscv64", "riscv64-linux-gnu", "qemu-riscv64"),
    Machine("ppc64le", "powerpc64le-linux-gnu", "qemu-ppc64le"),
)


@dataclass(frozen=True)
class Locking:
    """What one kind of lock executes on one processor."""

    machine: str
    kind: str
    lock: tuple[str, ...]
    unlock: tuple[str, ...]


def built_for(machine: Machine, root: Path) -> dict[str, Path]:
    """A program for each kind that takes its lock and releases it."""
    folder = root / machine.name
    configured = subprocess.run(
        [
            "cmake",
            "-S",
            str(ROOT),
            "-B",
            str(folder),
            "-G",
            "Ninja",
            "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_SYSTEM_NAME=Linux",
            f"-DCMAKE_SYSTEM_PROCESSOR={machine.name}",
            f"-DCMAKE_C_COMPILER={machine.triple}-gcc",
            f"-DCMAKE_CXX_COMPILER={machine.triple}-g++",
            "-DFENCEPOST_ATOMIC=ON",
            *(f"-DFENCEPOST_{what}=OFF" for what in ("C", "EXAMPLES", "INSTALL", "TESTS")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    done = configured
    if configured.returncode == 0:
        done = subprocess.run(
            ["cmake", "--build", str(folder), "--target", TARGET],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise NotBuilt(f"the locks could not be built for {machine.name}:\n{last}")
    return listed(folder / "bench" / "atomics" / "lock_once.txt")


def said(machine: str, instructions: Iterable[str]) -> Iterator[str]:
    """Those that touch memory other than the stack, or order it, without their operands."""
    for instruction in instructions:
        if not memory_event(machine, instruction):
            continue
        words = re.sub(r"\s+", " ", instruction).split(" ")
        yield " ".join(words[:2]) if words[0] == "lock" else words[0]


def locking(machine: Machine, kind: str, program: Path) -> Locking:
    """Traces the second time that the lock is taken and released."""
    log = program.with_suffix(".executed")
    try:
        places = executed_by((machine.emulator,), program, log)
    finally:
        log.unlink(missing_ok=True)
    symbols = symbols_of(program, f"{machine.triple}-")
    text = disassembled(f"{machine.triple}-", program)
    caller = symbols["main"]

    def executed(function: str) -> tuple[str, ...]:
        """From the function's last call until it is back in main(). A call may enter it behind its
        first instructions, as on ppc64le."""
        begin, end = symbols[function]
        start = max(
            n
            for n, (before, place) in enumerate(pairwise(places), 1)
            if begin <= place < end and caller[0] <= before < caller[1]
        )
        inside = takewhile(lambda place: not caller[0] <= place < caller[1], places[start:])
        return tuple(said(machine.name, (text[place] for place in inside)))

    return Locking(machine.name, kind, executed("bench_lock"), executed("bench_unlock"))


def say(found: Iterable[Locking]) -> list[str]:
    rows = [
        [
            one.machine,
            one.kind,
            *(", ".join(f"`{i}`" for i in part) for part in (one.lock, one.unlock)),
        ]
        for one in found
    ]
    return list(table(("processor", "kind", "lock", "unlock"), rows))
