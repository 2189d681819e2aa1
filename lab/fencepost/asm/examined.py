# SPDX-License-Identifier: MIT
"""A file's functions as one compiler makes them for one processor: their instructions, the atomic
operations that these came from, and what is wrong with them."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.asm.attribution import Attributed, attribute
from fencepost.asm.callers import SYSTEM, with_callers
from fencepost.asm.effects import Effect, effect_of, note_of
from fencepost.asm.entries import with_entries
from fencepost.asm.listing import (
    Frame,
    Listing,
    compile_command,
    read_library,
    read_object,
    run_compiler,
)
from fencepost.asm.mapping import can_be_of
from fencepost.asm.orders import Operation, gimple_operations, llvm_operations
from fencepost.asm.parts import are_followed, judge_functions
from fencepost.asm.targets import Target, version
from fencepost.console.input_error import UnusableInput
from fencepost.system.worker_threads import WorkerThreads

_HELPER = re.compile(r"\b__aarch64_(?!have)\w+")


@dataclass(frozen=True)
class Subject:
    """What is compiled: a file and the flags that it needs."""

    source: Path
    flags: tuple[str, ...] = ()
    name: str = ""  # of a protocol
    #: The functions that are meant where nobody asks for others.
    functions: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.name or self.source.name


@dataclass(frozen=True)
class Examined:
    """A function."""

    subject: Subject
    target: Target
    listing: Listing
    operations: tuple[Attributed, ...]

    @property
    def source(self) -> Path:
        return self.subject.source

    @property
    def function(self) -> str:
        return self.listing.function

    def effects(self) -> list[Effect]:
        lines = self.listing.instructions
        return [effect_of(one.text, self.target.family, one.target is not None) for one in lines]

    def site(self, number: int) -> Frame | None:
        """The line of an instruction: the innermost one that is not of the system's headers."""
        frames = self.listing.instructions[number].frames
        own = [one for one in frames if not one.file.startswith(SYSTEM)]
        return own[0] if own else (frames[-1] if frames else None)

    def site_of(self, one: Attributed) -> Frame | None:
        """The line of an operation, also of one that took no instruction."""
        if one.instructions:
            return self.site(one.instructions[0])
        frames = [frame for each in self.listing.instructions for frame in each.frames]
        own = {Path(one.file).name: one.file for one in frames if not one.file.startswith(SYSTEM)}
        own.setdefault(self.source.name, str(self.source))
        for file, line in one.operation.places + one.operation.recent:
            if file in own and line:
                return Frame(own[file], line)
        return None

    def memory(self, one: Attributed) -> list[str]:
        """The instructions of an operation that touch memory or order it, without operands that
        say nothing of either."""
        return [self._shown(number) for number in self._concerned(one)]

    def ordering(self) -> list[str]:
        """The same of all operations, and what else orders memory (an intrinsic, inline assembly),
        in order."""
        numbers = {number for one in self.operations for number in self._concerned(one)}
        effects = self.effects()
        numbers |= {
            number
            for number, one in enumerate(self.listing.instructions)
            if one.atomic or effects[number].library
        }
        return [self._shown(number) for number in sorted(numbers)]

    def _concerned(self, one: Attributed) -> list[int]:
        effects = self.effects()
        return [
            number
            for number in one.instructions
            if effects[number].kind == "fence" or can_be_of(one.operation, effects[number])
        ]

    def _shown(self, number: int) -> str:
        text, effect = self.listing.instructions[number].text, self.effects()[number]
        words = text.split(" ")
        if effect.library:
            return f"call {words[-1]}"
        if words[0] in ("lock", "xacquire", "xrelease"):
            return " ".join(words[:2])
        return text if effect.kind == "fence" else words[0]

    def counts(self) -> dict[str, int]:
        """How many instructions there are of what costs something."""
        effects = self.effects()
        kinds = [one.kind for one in effects]
        atomic = [bool(one.atomic) for one in self.listing.instructions]
        return {
            "instructions": len(kinds),
            "fences": kinds.count("fence"),
            "read_modify_writes": kinds.count("rmw"),
            "retry_loops": kinds.count("conditional"),
            "ordered_loads": sum(a and k == "load" for a, k in zip(atomic, kinds, strict=True)),
            "ordered_stores": sum(a and k == "store" for a, k in zip(atomic, kinds, strict=True)),
            "calls": kinds.count("call"),
        }

    def notes(self) -> dict[str, str]:
        """What the instructions cost, in words: by the first of each kind."""
        found: dict[str, tuple[str, str]] = {}
        for one in self.listing.instructions:
            ordering = one.atomic or "__a" in one.text or "__sync" in one.text
            if ordering and (note := note_of(one.text, self.target.family)):
                found.setdefault(note[0], (_head(one.text), note[1]))
        return dict(found.values())

    @property
    def faulty(self) -> bool:
        return any(one.faults for one in self.operations)

    def to_json(self) -> dict[str, Any]:
        owner = {n: at for at, one in enumerate(self.operations) for n in one.instructions}
        effects = self.effects()
        return {
            "file": str(self.source),
            "protocol": self.subject.name or None,
            "function": self.function,
            "symbol": self.listing.symbol,
            "target": self.target.id,
            "processor": self.target.processor,
            "compiler": version(self.target.command[0]),
            "command": list(self.target.compiler_of(self.source)),
            "counts": self.counts(),
            "loops": [
                [self.listing.instructions[a].offset, self.listing.instructions[b].offset]
                for a, b in self.listing.loops()
            ],
            "notes": self.notes(),
            "operations": [
                {
                    "kind": one.operation.kind,
                    "order": one.operation.order,
                    "failure_order": one.operation.failure or None,
                    "order_known": not one.operation.guessed,
                    "location": _location(self.site_of(one)),
                    "instructions": self.memory(one),
                    "faults": list(one.faults),
                    "not_judged": one.not_judged or None,
                }
                for one in self.operations
            ],
            "instructions": [
                {
                    "offset": one.offset,
                    "text": one.text,
                    "location": _location(self.site(number)),
                    "inlined_from": [f"{f.file}:{f.line}" for f in one.frames[:-1]],
                    "orders_memory": one.atomic or effects[number].library,
                    "operation": owner.get(number),
                }
                for number, one in enumerate(self.listing.instructions)
            ],
        }


def _location(frame: Frame | None) -> str | None:
    return f"{frame.file}:{frame.line}" if frame else None


def _head(text: str) -> str:
    words = text.split()
    if words[0] in ("lock", "bl", "fence", "dmb", "dsb", "call"):
        return " ".join(words[:2])
    return words[0]


def examine(subject: Subject, target: Target, flags: list[str]) -> list[Examined]:
    """Compiles a subject for a target. clang says what it was asked for in a run of its own."""
    with tempfile.TemporaryDirectory(prefix="fencepost-") as directory:
        made, said = Path(directory) / "made.o", Path(directory) / "made.dump"
        command = compile_command(subject.source, target, [*subject.flags, *flags])
        dumping = [f"-fdump-tree-optimized-lineno={said}"] if target.compiler == "gcc" else []
        run_compiler([*command, *dumping, "-c", "-o", str(made)], target)
        operations: list[Operation]
        if target.compiler == "gcc":
            # Nothing is written of a file in which no function is left.
            dump = said.read_text(errors="replace") if said.exists() else ""
            operations = gimple_operations(dump)
        else:
            run_compiler([*command, "-S", "-emit-llvm", "-o", str(said)], target)
            operations = llvm_operations(said.read_text(errors="replace"))
        listings = with_callers(read_object(made, target), made, command, target)
        attributed = [attribute(listing, operations) for listing in listings]
        if not are_followed(listings, target.family, attributed):
            listings = with_entries(listings, made, command, target, flags)
    judged = judge_functions(listings, target.family, attributed)
    return [
        Examined(subject, target, listing, tuple(found))
        for listing, found in zip(listings, judged, strict=True)
    ]


def called_helpers(functions: list[Examined]) -> list[Examined]:
    """The functions of outline atomics that these call, as they are in the compiler's library."""
    found: dict[tuple[Target, str], Examined] = {}
    for one in functions:
        for instruction in one.listing.instructions:
            called = _HELPER.search(instruction.text)
            if called is None or (one.target, called[0]) in found:
                continue
            if listing := read_library(one.target, called[0]):
                library = Subject(Path("libgcc.a"))
                found[one.target, called[0]] = Examined(library, one.target, listing, ())
    return list(found.values())


def examine_all(
    pairs: list[tuple[Subject, Target]], flags: list[str]
) -> list[list[Examined] | UnusableInput]:
    """Each of them, two at a time, in order; or why it could not be compiled."""

    def one(pair: tuple[Subject, Target]) -> list[Examined] | UnusableInput:
        try:
            return examine(*pair, flags)
        except UnusableInput as error:
            return error

    with WorkerThreads(max_workers=2) as pool:
        return list(pool.in_order(one, pairs))
