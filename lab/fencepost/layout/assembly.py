# SPDX-License-Identifier: MIT
"""Assembly as a compiler wrote it, and the same code at another place: padding before a function,
at its entry or before one of its loops, and functions in another order. No instruction that the
compiler chose is changed; what the moved code needs besides is said where it is added.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fencepost.asm.subjects import nearest
from fencepost.console.input_error import UnusableInput

#: Where padding goes: before the function, so that it is never executed; behind its first
#: instructions, where it is executed with every call; or before a loop, jumped over.
FUNCTION, ENTRY, LOOP = PLACES = ("function", "entry", "loop")

#: A symbol of the executable, at what was moved.
MARK = "fencepost.layout.here"

_LABEL = re.compile(r"^([^\s:#/.][^\s:]*|\.L[\w$.]+):")
_TYPE = re.compile(r"^\s*\.type\s+([^\s,]+),\s*[@%]function\b")
_SIZE = re.compile(r"^\s*\.size\s+([^\s,]+),")
_ALIGNMENT = re.compile(r"^\s*\.(?:p2align|balign|align)\b")
_SECTION = re.compile(r"^\s*\.(?:section|text|data|bss|pushsection|popsection|previous)\b")
_CODE_SECTION = re.compile(r"^(\s*\.section\s+)(\.text[\w$.]*)(.*)$")
_SECTION_NAME = re.compile(r"\.section\s+([^\s,]+)|(\.text)\b")
_JUMP = re.compile(r"^\s+(?:j\w+|b[\w.]*|cbn?z|tbn?z)\s+(?:.*,\s*)?(\.L[\w$.]+)\s*(?:[#/@].*)?$")
_ENDS = re.compile(r"^\s+(?:jmp|b|br|ret\w*|ud2|hlt|brk)\b(?!\.)")
#: What must stay where a call or an exception expects it: landing pads and unwinding.
_FIRST = re.compile(
    r"\s*(?:\.cfi_(?:startproc|personality|lsda)|endbr64|bti\b|paciasp|\.loc\b|\.file\b)"
    r"|\.L(?:FB|func_begin|VL)\d+:"
)
_REMARK = re.compile(r"\s*[#/@].*$")


@dataclass(frozen=True)
class Machine:
    """What the padding is made of."""

    name: str
    #: The bytes of its shortest instruction that does nothing: paddings are multiples of it.
    nop: int
    jump: str

    def padding(self, size: int) -> list[str]:
        """Instructions that do nothing, as few as there can be."""
        if size == 0:
            return []
        if self.nop == 1:
            return [f"\t.nops {size}"]
        return [f"\t.rept {size // self.nop}", "\tnop", "\t.endr"]


MACHINES = {
    "x86_64": Machine("x86-64", 1, "jmp"),
    "aarch64": Machine("AArch64", 4, "b"),
}


@dataclass(frozen=True)
class Loop:
    """A loop, from its label to the last jump back there, by line numbers."""

    label: str
    first: int
    last: int


@dataclass(frozen=True)
class Function:
    symbol: str
    label: int
    end: int
    loops: tuple[Loop, ...]


@dataclass(frozen=True)
class Padding:
    """So many bytes at a place of a function; `loop` counts from 1 in the order of the code, 0 is
    the longest. `cycle` is what the place is a multiple of when `size` is 0."""

    at: str
    function: str
    size: int
    cycle: int
    loop: int = 0


class Assembly:
    """One file of a compiler's output."""

    def __init__(self, text: str, machine: Machine) -> None:
        self.lines = text.splitlines()
        self.machine = machine

    @cached_property
    def functions(self) -> dict[str, Function]:
        typed = {match[1] for line in self.lines if (match := _TYPE.match(line))}
        labels: dict[str, int] = {}
        for number, line in enumerate(self.lines):
            if (match := _LABEL.match(line)) and match[1] in typed:
                labels.setdefault(match[1], number)
        ends = {match[1]: n for n, line in enumerate(self.lines) if (match := _SIZE.match(line))}
        return {
            symbol: Function(symbol, label, ends[symbol], tuple(self._loops(label, ends[symbol])))
            for symbol, label in labels.items()
            if ends.get(symbol, -1) > label
        }

    def _body(self, start: int, end: int) -> Iterator[int]:
        """The lines that lie in the section that the function begins in."""
        inside = True
        for number in range(start, end):
            line = self.lines[number]
            if _SECTION.match(line):
                # Its cold part, or a table of jumps, and then back.
                inside = _section_name(line) == self._section_of(start)
            elif inside:
                yield number

    def _section_of(self, start: int) -> str:
        for number in range(start, -1, -1):
            if _SECTION.match(self.lines[number]):
                return _section_name(self.lines[number])
        return ".text"

    def _loops(self, start: int, end: int) -> Iterator[Loop]:
        body = list(self._body(start + 1, end))
        labels = {
            match[1]: number
            for number in body
            if (match := _LABEL.match(self.lines[number])) and match[1].startswith(".L")
        }
        last: dict[str, int] = {}
        for number in body:
            jump = _JUMP.match(self.lines[number])
            # A block that is rarely needed stands at the end and jumps back, and is no loop.
            back = jump is not None and labels.get(jump[1], number) < number
            if jump and back and self._reaches(labels[jump[1]], number, body, labels):
                last[jump[1]] = number
        for label, first in labels.items():
            if label in last:
                yield Loop(label, first, last[label])

    def _reaches(self, first: int, last: int, body: list[int], labels: dict[str, int]) -> bool:
        """Whether what runs from line `first` on can come to line `last`."""
        following = dict(pairwise(body))
        seen: set[int] = set()
        left = [first]
        while left:
            at: int | None = left.pop()
            while at is not None and at not in seen:
                seen.add(at)
                if at == last:
                    return True
                line = self.lines[at]
                if (jump := _JUMP.match(line)) and jump[1] in labels:
                    left.append(labels[jump[1]])
                at = None if _ENDS.match(line) else following.get(at)
        return False

    def padded(self, padding: Padding) -> str:
        """With the place at `padding.size` bytes behind a multiple of `padding.cycle`. Behind it,
        the function's own alignments are left out, lest they swallow the shift."""
        function = self.functions[padding.function]
        place = function.label if padding.at != LOOP else self._loop(function, padding.loop).first
        dropped = {
            number
            for number in self._body(function.label, function.end)
            if number > place and _ALIGNMENT.match(self.lines[number])
        }
        lines = [line if n not in dropped else "" for n, line in enumerate(self.lines)]
        nops = self.machine.padding(padding.size)
        alignment = [f"\t.balign {padding.cycle}"]
        mark = [f"{MARK}:"]
        if padding.at == FUNCTION:
            lines[place:place] = [*alignment, *nops, *mark]
        elif padding.at == ENTRY:
            behind = place + 1
            while _is_first(lines[behind]):
                behind += 1
            lines[behind:behind] = [*nops, *mark]
            lines[place:place] = alignment
        else:
            # The compiler's own alignment of the loop stands before its label.
            while place > function.label and _ALIGNMENT.match(lines[place - 1]):
                place -= 1
                lines.pop(place)
            label = _LABEL.match(lines[place])
            assert label
            jump = [f"\t{self.machine.jump}\t{label[1]}"]
            lines[place:place] = [*jump, *alignment, *nops, *mark]
        return "\n".join(lines) + "\n"

    def _loop(self, function: Function, number: int) -> Loop:
        loops = function.loops
        if not loops:
            raise UnusableInput(f"{function.symbol} has no loop")
        if number > len(loops):
            raise UnusableInput(
                f"{function.symbol} has {len(loops)} loops, and there is no loop {number}"
            )
        return loops[number - 1] if number else max(loops, key=lambda one: one.last - one.first)

    def shuffled(self, lot: random.Random, cycle: int) -> str:
        """Every function behind a padding of its own, and in a section whose name, which a lot
        decides, is what the linker sorts by (`.text.sorted.*`, binutils 2.36). Expects code that
        was compiled with -ffunction-sections."""
        lines: list[str] = []
        starts = {function.label for function in self.functions.values()}
        for number, line in enumerate(self.lines):
            if number in starts:
                size = lot.randrange(0, cycle, self.machine.nop)
                lines += [f"\t.balign {cycle}", *self.machine.padding(size)]
            lines.append(line)
        keys: dict[str, str] = {}
        for number, line in enumerate(lines):
            if match := _CODE_SECTION.match(line):
                name = match[2]
                key = keys.setdefault(name, f"{lot.getrandbits(32):08x}")
                lines[number] = f"{match[1]}.text.sorted.{key}{name}{match[3]}"
        return "\n".join(lines) + "\n"


def _section_name(line: str) -> str:
    match = _SECTION_NAME.search(line)
    return (match[1] or match[2]) if match else ""


def _is_first(line: str) -> bool:
    return bool(_FIRST.match(line) or not _REMARK.sub("", line).strip())


def find_function(sources: Sequence[Assembly], name: str, names: dict[str, str]) -> tuple[int, str]:
    """In which of the sources, and under which symbol; `names` are symbols as people write them.
    Raises UnusableInput with the names that are near."""
    found = [
        (number, symbol)
        for number, source in enumerate(sources)
        for symbol in source.functions
        if name in (symbol, names[symbol]) or names[symbol].endswith(f"::{name}")
    ]
    if len(found) == 1:
        return found[0]
    if found:
        told = ", ".join(sorted({symbol for _, symbol in found})[:6])
        raise UnusableInput(f"there are {len(found)} functions '{name}': {told}; name one of them")
    known = sorted({names[symbol] for source in sources for symbol in source.functions})
    told = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    raise UnusableInput(
        f"there is no function '{name}'{nearest(name, known)}; those that were compiled are "
        f"{told or 'none'} (what was inlined is none: __attribute__((noinline)) keeps it)"
    )
