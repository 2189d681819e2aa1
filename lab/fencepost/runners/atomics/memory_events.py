# SPDX-License-Identifier: MIT
"""What instructions mean to memory: each becomes a word, or nothing where it is none of memory's
business. Accesses of the stack are left out.

    load store                      plain accesses
    full acquire release            fences: of everything, of earlier loads, of later stores
    light                           lwsync of ppc64le: a fence of all but stores before loads
    locked                          x86-64: a read-modify-write, which is a full fence
    ldar stlr ldxr ldaxr stxr stlxr AArch64's accesses with an order, and exclusive ones, of any
    casp caspa caspl caspal cas swp size or of pairs
    amo lr sc (.aq .rl .aqrl)       riscv64
    reserve conditional             ppc64le's pair
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def _x86_64(name: str, operands: str) -> str:
    if name == "lock" or (name.startswith("xchg") and "(" in operands):
        return "locked"
    if name == "mfence":
        return "full"
    accesses = re.match(r"v?mov|cmp|test|add|sub|and|or|xor|vpinsr|vpextr", name)
    if "(" not in operands or "(%rsp" in operands or "(%rip" in operands or not accesses:
        return ""
    is_store = name.startswith(("mov", "vmov")) and operands.rstrip().endswith(")")
    return "store" if is_store else "load"


def _aarch64(name: str, operands: str) -> str:
    if name == "dmb":
        return {"ish": "full", "ishld": "acquire"}.get(operands, "release")
    if "[sp" in operands:
        return ""
    if name.startswith(("cas", "swp")):
        return name
    if ordered := re.match(r"(ldar|stlr|ldaxr|ldxr|stlxr|stxr)[bh]?$", name):
        return ordered[1]
    if pair := re.match(r"(lda?x|stl?x)p$", name):
        return f"{pair[1]}r"
    return {"ld": "load", "st": "store"}.get(name[:2], "")


def _riscv64(name: str, operands: str) -> str:
    if name == "fence":
        before, _, after = (operands or "iorw,iorw").partition(",")
        if "rw" in after:
            return "full" if "rw" in before else "acquire" if "r" in before else ""
        return "release" if "rw" in before and "w" in after else ""
    if re.match(r"(lr|sc|amo\w+)\.", name):
        kind, _, rest = name.partition(".")
        marks = rest[1:]
        return ("amo" if kind.startswith("amo") else kind) + marks
    if "(sp)" in operands:
        return ""
    if re.match(r"l[bhwd]u?$", name):
        return "load"
    return "store" if re.match(r"s[bhwd]$", name) else ""


def _ppc64le(name: str, operands: str) -> str:
    if fence := {"hwsync": "full", "sync": "full", "lwsync": "light", "isync": "acquire"}.get(name):
        return fence
    if re.match(r"l[bhwdq]arx$", name):
        return "reserve"
    if re.match(r"st[bhwdq]cx\.$", name):
        return "conditional"
    if "(r1)" in operands:
        return ""
    if re.match(r"l(bz|hz|ha|wz|wa|d|q)(br)?u?x?$", name):
        return "load"
    return "store" if re.match(r"st[bhwdq](br)?u?x?$", name) else ""


_READERS = {"x86_64": _x86_64, "aarch64": _aarch64, "riscv64": _riscv64, "ppc64le": _ppc64le}


def memory_event(machine: str, instruction: str) -> str:
    """The word for one instruction; empty for those that are none of memory's business."""
    name, _, operands = re.sub(r"\s*(//|#|<).*", "", instruction).partition("\t")
    name, _, more = name.partition(" ")
    return _READERS[machine](name.strip(), f"{more} {operands}".strip())


def memory_events(machine: str, instructions: Iterable[str]) -> str:
    """A word for each instruction that matters, in their order, with blanks between."""
    words = (memory_event(machine, instruction) for instruction in instructions)
    return " ".join(word for word in words if word)
