# SPDX-License-Identifier: MIT
"""What a change of orders saves: the operation with the one and with the other, compiled for each
processor by the compilers that are here, and the instructions that order memory compared.

The operation is compiled by itself, in a function of its own. Around it in a program the compiler
may move and merge other instructions, but it does not merge atomic operations.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.asm.listing import Listing, disassemble
from fencepost.asm.targets import Target, targets_by_id
from fencepost.console.input_error import UnusableInput
from fencepost.weaken.lattice import Value

#: How each processor is called in a sentence, and its compilers, the first that is here is taken.
PROCESSORS: dict[str, tuple[Target, ...]] = {
    "x86-64": targets_by_id("x86-64-gcc", "x86-64-clang"),
    "AArch64": targets_by_id("aarch64-gcc", "aarch64-clang"),
    "AArch64 with LSE": targets_by_id("aarch64-lse-gcc", "aarch64-lse-clang"),
    "riscv64": targets_by_id("riscv64-gcc", "riscv64-clang"),
    "ppc64le": targets_by_id("ppc64le-gcc", "ppc64le-clang"),
}

#: Instructions of which the operands say how much they order.
_WITH_OPERANDS = ("fence", "dmb", "sync")
#: Also as the last thing that a function does.
_CALL = re.compile(r"(?:callq?|jmp|bl?|jalr?|auipc)\s+.*\b(__atomic_\w+|__aarch64_\w+)")

#: The operation with its orders: what is compiled for it once a processor.
Operation = tuple[str, int, Value]


def _function(operation: Operation, name: str) -> str:
    """A function of C++ without headers that does nothing but the operation."""
    what, size, value = operation
    word = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}.get(size, "unsigned long")
    first = _macro(value[0])
    if what in ("fence", "light fence"):
        call = "__atomic_thread_fence" if what == "fence" else "__atomic_signal_fence"
        return f'extern "C" void {name}() {{ {"" if value == ("none",) else f"{call}({first});"} }}'
    bodies = {
        "load": f"return __atomic_load_n(p, {first});",
        "store": f"__atomic_store_n(p, v, {first}); return 0;",
        "exchange": f"return __atomic_exchange_n(p, v, {first});",
        "compare_exchange": "return __atomic_compare_exchange_n("
        f"p, e, v, false, {first}, {_macro(value[-1])});",
    }
    body = bodies.get(what, f"return __atomic_{what}(p, v, {first});")
    return f'extern "C" {word} {name}({word}* p, {word} v, {word}* e) {{ (void)e; {body} }}'


def _macro(order: str) -> str:
    return f"__ATOMIC_{order.upper()}"


def _ordering(listing: Listing, value: Value) -> Counter[str]:
    """The instructions that order memory, by how they read, each with how often it is there. A
    function of libatomic's is told the order; what it makes of it is not looked at."""
    found: Counter[str] = Counter()
    for one in listing.instructions:
        words = one.text.split()
        if call := _CALL.match(one.text):
            told = f" with {'/'.join(value)}" if call[1].startswith("__atomic_") else ""
            found[f"call of {call[1]}{told}"] += 1
        elif words[0] == "lock":
            found[f"lock {words[1].rstrip('bwlq')}"] += 1
        elif one.atomic:
            keep = words[0].startswith(_WITH_OPERANDS) and len(words) > 1
            found[" ".join(words if keep else words[:1])] += 1
    return found


@dataclass(frozen=True)
class Difference:
    """What is no longer there, and what is there instead."""

    saved: tuple[str, ...]
    added: tuple[str, ...]
    fewer: int  # instructions, of any kind

    def __str__(self) -> str:
        if not self.saved and not self.added:
            return "nothing"
        if not self.saved:
            return f"adds {_listed(self.added)}"
        if self.added:
            return f"{_listed(self.saved)} → {_listed(self.added)}"
        return f"saves {_listed(self.saved, articles=True)}"

    def to_json(self) -> dict[str, Any]:
        return {"saved": self.saved, "added": self.added, "fewer_instructions": self.fewer}


def _article(name: str) -> str:
    """Mnemonics are spelt letter by letter, where they are not words."""
    is_word = name.startswith(("fence", "lock", "sync", "call"))
    return "a" if is_word or name[0] not in "aefhilmnorsx" else "an"


def _listed(names: Iterable[str], articles: bool = False) -> str:
    said = []
    for name, count in sorted(Counter(names).items()):
        if count > 1:
            said.append(f"{count} {name}")
        elif articles:
            said.append(f"{_article(name)} {name}")
        else:
            said.append(name)
    return " and ".join(said)


@dataclass
class Costs:
    """The differences that were asked for, by processor."""

    #: What was compiled with what, or why nothing was.
    compilers: dict[str, str] = field(default_factory=dict)
    _listings: dict[str, dict[Operation, Listing]] = field(default_factory=dict)

    def compile(self, operations: Iterable[Operation]) -> None:
        """Compiles every operation for every processor that there is a compiler for."""
        wanted = sorted(set(operations))
        if not wanted:
            return
        text = "\n".join(_function(one, f"f{number}") for number, one in enumerate(wanted))
        with tempfile.TemporaryDirectory(prefix="fencepost-") as directory:
            source = Path(directory) / "operations.cpp"
            source.write_text(text + "\n")
            for processor, targets in PROCESSORS.items():
                target = next((one for one in targets if one.present), None)
                if target is None:
                    tried = " or ".join(one.command[0] for one in targets)
                    self.compilers[processor] = f"no compiler for it is here ({tried})"
                    continue
                try:
                    listings = disassemble(source, target, [])
                except UnusableInput as error:
                    self.compilers[processor] = f"not compiled: {str(error).splitlines()[0]}"
                    continue
                self.compilers[processor] = " ".join(target.command)
                self._listings[processor] = {
                    one: listings[f"f{number}"] for number, one in enumerate(wanted)
                }

    def differences(self, what: str, size: int, old: Value, new: Value) -> dict[str, Difference]:
        """The difference that a change makes on each processor that was compiled for."""
        found = {}
        for processor, listings in self._listings.items():
            before, after = listings[what, size, old], listings[what, size, new]
            had, has = _ordering(before, old), _ordering(after, new)
            found[processor] = Difference(
                tuple(sorted((had - has).elements())),
                tuple(sorted((has - had).elements())),
                before.count - after.count,
            )
        return found


def sentence(differences: dict[str, Difference]) -> str:
    """ "saves an xchg on x86-64; nothing on AArch64 and riscv64", as far as was compiled."""
    groups: dict[str, list[str]] = {}
    for processor, difference in differences.items():
        groups.setdefault(str(difference), []).append(processor)
    said = sorted(groups.items(), key=lambda group: group[0] == "nothing")
    return "; ".join(f"{what} on {_joined(where)}" for what, where in said)


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
