# SPDX-License-Identifier: MIT
"""Numbers of one execution turned into what a reader knows them by: lines, variables, threads."""

from __future__ import annotations

import re
from typing import Any

from fencepost.binary.source_location import Frame, inline_chains, source_text, users_frame
from fencepost.binary.variables import Variables, variables_of
from fencepost.execution.memory_objects import MemoryObjects
from fencepost.execution.schema import Event, Execution
from fencepost.toolchain.toolchain import Program

ORDER_NAMES = {
    "na": "plain",
    "rlx": "relaxed",
    "acq": "acquire",
    "rel": "release",
    "acq_rel": "acq_rel",
    "sc": "seq_cst",
}


#: Where the checker puts a program's stacks and heap. No debug information names what lies there.
FIRST_UNNAMED = 0x200000000000
LAST_UNNAMED = 0x300000000000


#: Below minus this a number is more likely bits than a count.
FAR_BELOW_ZERO = 1 << 16


class Names:
    """Names every pc, address, value and thread of one execution of one program."""

    def __init__(
        self, program: Program, execution: Execution, extra_pcs: tuple[int, ...] = ()
    ) -> None:
        self._execution = execution
        self._variables: Variables = variables_of(program.executable, program.sources)
        pcs = {event.pc for event in execution.events} | {end.pc for end in execution.threads}
        # A pc is a return address: the call itself ends one byte before it.
        wanted = {pc: pc - 1 for pc in pcs | set(extra_pcs) if pc > 0}
        chains = inline_chains(program.executable, wanted.values())
        self._frames = {pc: users_frame(chains[call]) for pc, call in wanted.items()}
        self._executable = program.executable
        self._objects = MemoryObjects(program, execution.objects, self._variables)
        self._others: dict[int, str] = {}
        for event in execution.events:
            if event.is_access or event.kind == "plain":
                self.address(event.address)
                self.value(event)

    def frame(self, pc: int) -> Frame | None:
        return self._frames.get(pc)

    def place(self, pc: int) -> str | None:
        """`file:line`, None where nothing is known of the pc."""
        frame = self.frame(pc)
        return frame.place if frame else None

    def source(self, pc: int) -> str:
        frame = self.frame(pc)
        return source_text(frame) if frame else ""

    def address(self, address: int) -> str:
        name = self._variables.name(address) or self._objects.name(address)
        if name:
            return name
        return self._others.setdefault(address, f"memory{len(self._others) + 1}")

    def accessed(self, event: Event) -> str:
        """What an event accesses; how much of it, where that differs from one to the next."""
        name = self.address(event.address)
        if not event.pieces:
            return name
        return f"{name} ({event.size} byte{'s' if event.size > 1 else ''})"

    def value(self, event: Event) -> str:
        """The value as a programmer would write it: signed, or the name of what it points to."""
        value, bits = event.value, event.size * 8
        if event.size == 8 and value > 0xFFFF:
            name = self._pointee(value)
            if name:
                return name
        below_zero = min(FAR_BELOW_ZERO, 1 << bits >> 1)
        if (1 << bits) - below_zero <= value < 1 << bits:
            value -= 1 << bits
        elif bits == 32 and value >> 31:
            return hex(value)  # a flag in the highest bit
        return str(value) if abs(value) < 1 << 32 else hex(value)

    def _pointee(self, value: int) -> str | None:
        if FIRST_UNNAMED <= value < LAST_UNNAMED:
            return f"&{self._objects.pointee(value) or self.address(value)}"
        name = self._variables.name(value)
        return f"&{name}" if name else None

    def message(self, text: str) -> str:
        """A sentence of the checker's with its numbers named; what the program asserts stays."""
        asserted = re.match(r"assertion `.*' failed", text, re.DOTALL)
        said = asserted.end() if asserted else 0
        return text[:said] + self._named(text[said:])

    def _named(self, text: str) -> str:
        text = re.sub(r"\b(?:at )?pc 0x([0-9a-f]{1,16})\b", lambda m: self._at(int(m[1], 16)), text)
        text = re.sub(r"\bthread (\d{1,9})\b", lambda m: self.thread(int(m[1])), text)
        return re.sub(
            r"(?:\b(?:at|address) )?\b0x([0-9a-f]{1,16})\b",
            lambda m: self.address(int(m[1], 16)),
            text,
        )

    def objects(self) -> list[str]:
        """What the objects are that the source has no name for."""
        return list(self._objects.told(self.thread))

    def objects_json(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "bytes": of.size, "thread": self.thread(of.thread), "location": location}
            for name, of, location in self._objects.met()
        ]

    def _at(self, pc: int) -> str:
        frame = users_frame(inline_chains(self._executable, [pc - 1])[pc - 1])
        return f"at {frame.place}: {source_text(frame)}" if frame else "at an unknown place"

    def thread(self, number: int) -> str:
        return "main" if number == 0 else f"T{number}"
