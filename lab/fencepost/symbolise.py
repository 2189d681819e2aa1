# SPDX-License-Identifier: MIT
"""Numbers of one execution turned into what a reader knows them by: lines, variables, threads."""

from __future__ import annotations

from fencepost.build_program import Program
from fencepost.execution import Event, Execution
from fencepost.source_location import Frame, inline_chains, source_text, users_frame
from fencepost.variables import Variables, variables_of

ORDER_NAMES = {
    "na": "plain",
    "rlx": "relaxed",
    "acq": "acquire",
    "rel": "release",
    "acq_rel": "acq_rel",
    "sc": "seq_cst",
}


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
        self._heap = self._heap_blocks()
        self._others: dict[int, str] = {}
        for event in execution.in_steps:
            if event.is_access:
                self.address(event.address)

    def _heap_blocks(self) -> list[tuple[int, int, str]]:
        """Blocks with the names of their order of appearance, the latest at an address first."""
        blocks: list[tuple[int, int, str]] = []
        for event in self._execution.in_steps:
            if event.kind == "alloc" and event.address:
                blocks.append((event.address, event.size, f"heap{len(blocks) + 1}"))
        return blocks[::-1]

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
        name = self._variables.name(address)
        if name:
            return name
        for start, size, block in self._heap:
            if start <= address < start + max(size, 1):
                return block if address == start else f"{block}+{address - start}"
        return self._others.setdefault(address, f"local{len(self._others) + 1}")

    def value(self, event: Event) -> str:
        """The value as a programmer would write it: signed, or the name of what it points to."""
        value, bits = event.value, event.size * 8
        if event.size == 8 and value > 0xFFFF:
            name = self._pointee(value)
            if name:
                return name
        if bits and value >= 1 << (bits - 1) and value < 1 << bits:
            value -= 1 << bits
        return str(value) if abs(value) < 1 << 32 else hex(value)

    def _pointee(self, value: int) -> str | None:
        name = self._variables.name(value)
        if name:
            return f"&{name}"
        for start, size, block in self._heap:
            if start <= value < start + max(size, 1):
                return f"&{block}" if value == start else f"&{block}+{value - start}"
        return None

    def thread(self, number: int) -> str:
        return "main" if number == 0 else f"T{number}"
