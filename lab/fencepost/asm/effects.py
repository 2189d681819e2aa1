# SPDX-License-Identifier: MIT
"""What an instruction does to memory, on each family of processors: whether it reads or writes,
what it orders by itself, what it orders as a fence, and what that costs in words.

Orders between kinds of access are pairs: ("W", "R") is an earlier write and a later read. What the
processor orders anyway is `BASE`. From the manuals: Intel SDM 3A 9.2.3, Arm ARM B2.3,
RISC-V unprivileged ISA 14 (RVWMO), Power ISA II 1.7.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

Pairs = frozenset[tuple[str, str]]

FULL: Pairs = frozenset({("R", "R"), ("R", "W"), ("W", "R"), ("W", "W")})
ACQUIRE: Pairs = frozenset({("R", "R"), ("R", "W")})
RELEASE: Pairs = frozenset({("R", "W"), ("W", "W")})
LIGHT: Pairs = ACQUIRE | RELEASE  # all but a write before a read
NOTHING: Pairs = frozenset()

#: x86 delays writes (the store buffer), and no more.
BASE: dict[str, Pairs] = {"x86": LIGHT, "arm": NOTHING, "riscv": NOTHING, "ppc": NOTHING}


@dataclass(frozen=True)
class Effect:
    #: load, store, update (both, not atomically), rmw, reserve, conditional, fence, call, leave,
    #: jump, branch, unknown or "".
    kind: str = ""
    acquire: bool = False  # annotated so
    release: bool = False
    weak_acquire: bool = False  # may be overtaken by an earlier release store: ldapr
    pairs: Pairs = NOTHING  # what it orders as a fence
    #: A read is complete once a branch depends on it and this follows (isync on Power).
    after_branch: bool = False
    leaves: bool = False  # a branch that may return, or go to another function
    ends: bool = False  # a call in the place of a return
    indirect: bool = False  # a jump to an address in a register or in memory
    library: bool = False  # a call that does the whole operation: libatomic's, outline atomics

    @property
    def reads(self) -> bool:
        return self.kind in ("load", "update", "rmw", "reserve")

    @property
    def writes(self) -> bool:
        return self.kind in ("store", "update", "rmw", "conditional")

    @property
    def accesses(self) -> bool:
        return self.reads or self.writes


_NONE = Effect()
_OUTLINE = re.compile(r"__aarch64_(?:cas|swp|ld\w+?)\d+_(relax|acq|rel|acq_rel|sync)\b")
_LIBRARY = re.compile(r"__(?:atomic|sync)_\w+")


def effect_of(text: str, family: str, local: bool = False) -> Effect:
    """`local`: the instruction branches within its function."""
    if text.startswith((".", "<unknown>", "(bad)")):  # what the disassembler does not know
        return Effect("unknown")
    name, _, operands = text.partition(" ")
    decode = {"x86": _x86, "arm": _arm, "riscv": _riscv, "ppc": _ppc}[family]
    decoded = decode(name, operands, local)
    if library := _called(text, operands):
        return replace(library, ends=decoded.kind == "leave")
    return decoded


def calls_library(text: str) -> bool:
    """Whether it is a call of libatomic or the like, which does the whole operation."""
    return bool(_LIBRARY.search(text))


def _called(text: str, operands: str) -> Effect | None:
    if outline := _OUTLINE.search(operands):
        said = outline[1]
        both = said in ("acq_rel", "sync")
        return Effect(
            "rmw",
            both or said == "acq",
            both or said == "rel",
            library=True,
            pairs=FULL if said == "sync" else NOTHING,
        )
    # It is told the order; what it does is not looked into.
    return Effect("rmw", True, True, pairs=FULL, library=True) if calls_library(text) else None


_X86_PREFIXES = re.compile(r"(?:(?:notrack|bnd|xacquire|xrelease|rep[nz]*|data16|addr32) )+")
_X86_REGISTER = re.compile(r"%\w+(?:\(\d\))?$")  # with a number: of the x87 stack
_X86_SPLIT = re.compile(r",(?![^(]*\))")
#: Instructions that only read their last operand, and those of one operand that write it.
_X86_READERS = re.compile(r"cmp(?!xchg)|v?p?test|bt[wlq]?$|push|v?u?comis")
_X86_WRITERS = re.compile(r"v?p?mov|v?p?extr|set|pop|stos|fn?st|fist|v?stmxcsr|v?compress")
_X86_UPDATERS = re.compile(r"inc|dec|neg|not|s[ah][lr]|ro[lr]|rc[lr]")


def _x86(name: str, operands: str, local: bool) -> Effect:
    if prefixes := _X86_PREFIXES.match(f"{name} {operands}"):
        name, _, operands = f"{name} {operands}"[prefixes.end() :].partition(" ")
    # Without what it is relocated to, and without masks and roundings.
    listed = re.sub(r"\{[^}]*\}", "", operands.partition(" ")[0])
    touched = [_is_memory(one) for one in _X86_SPLIT.split(listed)]
    if name == "lock" or (name.startswith("xchg") and any(touched)):
        return Effect("rmw", True, True, pairs=FULL)
    if name == "mfence":
        return Effect("fence", pairs=FULL)
    if name.startswith("call"):
        return Effect("call")
    if name.startswith(("ret", "ud2")):
        return Effect("leave")
    if name == "jmp" and operands.startswith("*"):
        return Effect("leave", indirect=True)
    if name == "jmp":
        return Effect("jump" if local else "leave")
    if name.startswith("j"):
        return Effect("branch", leaves=not local)
    if not any(touched) or name.startswith(("lea", "nop", "prefetch")) or "(%rsp" in listed:
        return _NONE
    # The last operand is written.
    if not touched[-1] or _X86_READERS.match(name):
        return Effect("load")
    if all(touched) and name.startswith("movs"):
        return Effect("update")
    if _X86_WRITERS.match(name):
        return Effect("store")
    # Of the others with one operand most read it: mul, div, fld.
    single = len(touched) == 1 and not _X86_UPDATERS.match(name)
    return Effect("load" if single else "update")


def _is_memory(operand: str) -> bool:
    """Not a number or a register: with parentheses, of a segment (%fs:0x0), or an address alone."""
    return bool(operand) and not operand.startswith("$") and not _X86_REGISTER.match(operand)


_ARM_RMW = re.compile(
    r"(?:casp?|swpp?|ld(?:add|clrp?|eor|setp?|[su]max|[su]min))(a?)(l?)[bh]?$"  # LSE, LSE128
    r"|st(?:add|clr|eor|set|[su]max|[su]min)(l?)[bh]?$"
)
_ARM_PLAIN = re.compile(r"(?:ld|st)(?:u?r|tr|n?p|[1-4]|[fn][ft]|[2z]*g)")


def _arm(name: str, operands: str, local: bool) -> Effect:
    if rmw := _ARM_RMW.match(name):
        # A read whose result goes to the zero register acquires nothing.
        dropped = name.startswith(("ld", "swp")) and re.match(r"\w+, [wx]zr,", operands)
        return Effect("rmw", bool(rmw[1]) and not dropped, bool(rmw[2] or rmw[3]))
    if name.startswith(("ldaxr", "ldaxp", "ldxr", "ldxp")):
        return Effect("reserve", acquire=name.startswith("lda"))
    if name.startswith(("stlxr", "stlxp", "stxr", "stxp")):
        return Effect("conditional", release=name.startswith("stl"))
    if name.startswith(("ldap", "ldiapp")):  # with an offset: ldapur; of two registers: ldiapp
        return Effect("load", acquire=True, weak_acquire=True)
    if name.startswith("ldar"):
        return Effect("load", acquire=True)
    if name.startswith(("stlr", "stlur", "stl1", "stilp")):
        return Effect("store", release=True)
    if name in ("dmb", "dsb"):
        reach = {"ld": ACQUIRE, "st": frozenset({("W", "W")})}
        return Effect("fence", pairs=reach.get(operands.strip()[-2:], FULL))
    if re.match(r"bl(?:ra?[ab]?z?)?$", name):
        return Effect("call")
    if re.match(r"bra?[ab]?z?$", name):  # br, and with a check of the pointer
        return Effect("leave", indirect=True)
    if name in ("ret", "retaa", "retab", "brk") or (name == "b" and not local):
        return Effect("leave")
    if name == "b":
        return Effect("jump")
    if name.startswith(("b.", "cb", "tb")):
        return Effect("branch", leaves=not local)
    if name.startswith(("ld", "st")) and "[" in operands and "[sp" not in operands:
        if not _ARM_PLAIN.match(name):
            return Effect("unknown")
        return Effect("load" if name.startswith("ld") else "store")
    return _NONE


def _riscv(name: str, operands: str, local: bool) -> Effect:
    bits = name.rpartition(".")[2]
    acquire, release = "aq" in bits, "rl" in bits
    if name.startswith("lr."):
        return Effect("reserve", acquire, release)
    if name.startswith("sc."):
        return Effect("conditional", acquire, release)
    if name.startswith("amo"):
        return Effect("rmw", acquire, release)
    if re.match(r"l[bhwd]\.aq", name):  # Zalasr
        return Effect("load", acquire, release)
    if re.match(r"s[bhwd]\.(?:aq)?rl", name):
        return Effect("store", acquire, release)
    if name == "fence.tso":
        return Effect("fence", pairs=LIGHT)
    if name == "fence":
        before, _, after = (operands.strip() or "rw,rw").partition(",")
        pairs = frozenset((p.upper(), s.upper()) for p in before for s in after)
        return Effect("fence", pairs=pairs & FULL)
    if name in ("jal", "jalr", "call") and not operands.startswith("zero"):
        return Effect("call")
    if name == "jr":
        return Effect("leave", indirect=True)
    if name in ("ret", "tail", "ebreak") or (name == "j" and not local):
        return Effect("leave")
    if name == "j":
        return Effect("jump")
    if re.match(r"b(?:eq|ne|lt|ge|gt|le)", name):
        return Effect("branch", leaves=not local)
    if "(" in operands and "(sp)" not in operands:
        if re.match(r"f?l[bhwd]u?$|fl[wd]$", name):
            return Effect("load")
        if re.match(r"f?s[bhwd]$", name):
            return Effect("store")
    return _NONE


def _ppc(name: str, operands: str, local: bool) -> Effect:
    if re.match(r"l[bhwdq]arx", name):
        return Effect("reserve")
    if re.match(r"st[bhwdq]cx\.", name):
        return Effect("conditional")
    if name in ("hwsync", "sync"):
        return Effect("fence", pairs=FULL)
    if name == "lwsync":
        return Effect("fence", pairs=LIGHT)
    if name == "isync":
        return Effect("fence", after_branch=True)
    if name in ("bl", "bctrl", "blrl"):
        return Effect("call")
    if name == "bctr":
        return Effect("leave", indirect=True)
    if name in ("blr", "trap") or (name == "b" and not local):
        return Effect("leave")
    if name == "b":
        return Effect("jump")
    if re.match(r"b(?:eq|ne|lt|gt|le|ge|dnz|dz|so|ns|f|t|c)", name):
        return Effect("branch", leaves=not local)
    # r1 is the stack, r2 the table of contents.
    if re.search(r"\((?:r?[12])\)", operands):
        return _NONE
    if re.match(r"l(?:bz|hz|ha|wz|wa|d|q|fs|fd|xv)[a-z0-9]*$", name):
        return Effect("load")
    if re.match(r"st(?:b|h|w|d|q|fs|fd|xv)[a-z0-9]*$", name):
        return Effect("store")
    return _NONE


#: The first that fits an instruction is what is said of it, once a listing. In words, for figures
#: are of one machine: `fencepost study` and bench/ measure.
_NOTES: dict[str, tuple[tuple[str, str], ...]] = {
    "x86": (
        (
            "xchg",
            "exchange with memory: locked without being asked; a full barrier, the store "
            "buffer drains first",
        ),
        (
            "lock (?:or|add).*rsp",
            "a locked nothing on the stack: how gcc makes a full barrier; the store buffer drains",
        ),
        (
            "lock",
            "a locked read-modify-write: takes the cache line exclusively; a full barrier in "
            "every order, the store buffer drains first",
        ),
        (
            "mfence",
            "full barrier: the store buffer drains; waits for more than a locked instruction does",
        ),
    ),
    "arm": (
        (
            "ldlar|stllr",
            "acquire or release among limited regions: what it orders is not known here",
        ),
        ("ldap|ldiapp", "load-acquire that may overtake an earlier store-release: not for seq_cst"),
        ("ldar", "load-acquire: what follows waits for it, and it for earlier store-releases"),
        (
            "stl(?:u?r|1)|stilp",
            "store-release: waits for what is before it; later ldar wait for "
            "it, other loads do not",
        ),
        ("ld[a]?x[rp]", "load-exclusive of a retry loop (LL/SC): runs again where the store fails"),
        ("st[l]?x[rp]", "store-exclusive: fails if another processor came between"),
        (
            "cas|swp|ld(?:add|clr|eor|set|smax|smin|umax|umin)|st(?:add|clr|eor|set)",
            "one instruction of LSE, no loop; a for acquire, l for release; may be done where the "
            "line is; no fence for plain accesses beside it",
        ),
        (r"dmb ishld", "fence for earlier loads: later loads and stores wait for them"),
        (r"dmb ishst", "fence among stores"),
        (r"d[ms]b", "full fence, also where release would do: there is no weaker one for it"),
        (
            "bl __aarch64",
            "outline atomics: a call that asks at run time whether there is LSE, then "
            "one instruction or the loop",
        ),
    ),
    "riscv": (
        (r"lr\.", "load-reserved of a retry loop (LR/SC)"),
        (
            r"sc\.[wd]\.aq(?:\s|$)",
            "store-conditional with .aq alone, which the manual promises nothing of",
        ),
        (r"sc\.", "store-conditional: fails if another processor came between"),
        (r"l[bhwd]\.aq", "load-acquire: what follows waits for it"),
        (r"s[bhwd]\.(?:aq)?rl", "store-release: waits for what is before it"),
        (r"amo", "one read-modify-write without a loop; .aq, .rl and .aqrl order it"),
        (r"fence(?:\s*$|\s+(?:i?o?rw),(?:i?o?rw))", "full fence"),
        (r"fence.tso", "fence for all but a write before a read"),
        (r"fence", "fence from the accesses before the comma to those behind it"),
    ),
    "ppc": (
        (r"hwsync|sync", "full fence, heavyweight: waits until earlier writes are seen everywhere"),
        (r"lwsync", "lightweight fence: all but a write before a read"),
        (r"isync", "after a branch on what was loaded: later instructions wait for the load"),
        (r"l[bhwdq]arx", "load-reserve of a retry loop (LL/SC)"),
        (r"st[bhwdq]cx", "store-conditional: fails if another processor came between"),
    ),
}


def note_of(text: str, family: str) -> tuple[str, str] | None:
    """What an instruction costs, in words, and a key that is the same for all that share them."""
    if calls_library(text):
        return "library", "a call of libatomic, with the order as an argument; it may take a lock"
    for pattern, words in _NOTES[family]:
        if re.match(pattern, text):
            return pattern, words
    return None
