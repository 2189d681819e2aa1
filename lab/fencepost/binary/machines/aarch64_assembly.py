# SPDX-License-Identifier: MIT
"""What a statement of inline assembly does, on AArch64: computing and pausing pass. Full barriers
and those for loads become calls of the runtime, and so does what accesses memory
(checker/interface/instrumentation/assembly_aarch64.cpp). A barrier for stores alone has no model,
for a release fence would order more."""

from __future__ import annotations

import re

from fencepost.console.input_error import UnsupportedInstruction

# Instructions that compute from registers, immediates and flags alone.
_PURE = re.compile(
    r"mov[zkn]?|mvn|adds?|subs?|adcs?|sbcs?|ngcs?|negs?|ands?|orr|orn|eor|eon|bics?|tst|cmp|cmn"
    r"|ccmp|ccmn|lsl|lsr|asr|ror|lslv|lsrv|asrv|rorv|clz|cls|rbit|rev(?:16|32|64)?|extr"
    r"|[us]bfx|[us]bfi[zm]?|bfi|bfxil|bfm|s?xt[bhw]|[us]xt[bhw]|mul|madd|msub|mneg|[us]mull|[us]mulh"
    r"|[us]m(?:add|sub)l|[us]div|csel|csinc|csinv|csneg|cset|csetm|cinc|cinv|cneg|crc32c?[bhwx]"
)
_JUMP = re.compile(r"b(?:\.?(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le))?|cbn?z|tbn?z")
# Hints 0 to 5 are nop, yield, wfe, wfi, sev and sevl. wfe may end at any time, and the kernel sees
# to it that it ends soon. isb orders no accesses unless a branch that depends on one comes before
# it, which C++ cannot say either. What is aligned is filled with `nop`.
_NOTHING = re.compile(
    r"nop|yield|wfe|sevl?|isb(?: sy)?|clrex|hint #?[01245]|prfu?m .*"
    r"|\.(?:p2|b)?align \d+(?:, ?, ?\d+)?"
)
_OUTSIDE = re.compile(r"wfet|wfi|svc|hvc|smc|mrs \w+, ?(?:cnt\w+|rndr(?:rs)?)")


_FULL = re.compile(r"d[ms]b (?:ish|osh|sy)")
_LOADS = re.compile(r"d[ms]b (?:ishld|oshld|ld)")


def _fence(name: str) -> list[str]:
    # The call overwrites x30, the stack pointer stays aligned, nothing lies below it.
    call = f"bl fencepost_{name}_fence_by_assembly"
    save, load = "stp x29, x30, [sp, #-16]!", "ldp x29, x30, [sp]"
    return [save, call, load, "stp xzr, xzr, [sp], #16"]


_ACCESS = re.compile(
    r"(?:ldapr|ldar|stlr|lda?xr|stl?xr)[bh]?|lda?xp|stl?xp"
    r"|ldu?rs?[bh]?|ldu?rsw|stu?r[bh]?|caspa?l?|(?:cas|swp)a?l?[bh]?"
    r"|ld(?:add|clr|eor|set|[su]max|[su]min)a?l?[bh]?|st(?:add|clr|eor|set|[su]max|[su]min)l?[bh]?"
)
_REGISTERS = re.compile(r"[wx](?:\d+|zr)(?:, ?[wx](?:\d+|zr))*, ?(\[[^\]]*\])")


def _extension(text: str) -> str:
    # clang leaves out what a statement says of it.
    if text.startswith("ldapr"):
        return "rcpc"
    return "lse" if re.match(r"cas|swp|(?:ld|st)(?:add|clr|eor|set|[su]max|[su]min)", text) else ""


def _access(text: str, live: int, *, flags: bool) -> list[str]:
    # The instruction is data for the runtime, which goes on behind the two words.
    save, load = "stp x29, x30, [sp, #-16]!", "ldp x29, x30, [sp]"
    call = "bl fencepost_access_by_assembly"
    words = f".inst {live & 0xFFFFFFFF}, {int(flags)}"
    extension = [f".arch_extension {_extension(text)}"] if _extension(text) else []
    return [save, call, *extension, text, words, load, "stp xzr, xzr, [sp], #16"]


def translate(text: str, live: int, *, first: bool, red_zone: bool) -> list[str] | None:
    """What an instruction becomes, None if it stays as it is. Raises Unsupported, without a place,
    of what has no model."""
    name, _, operands = text.lower().partition(" ")
    if _NOTHING.fullmatch(text.lower()):
        return None
    if re.fullmatch(r"\.(?:arch|arch_extension|cpu)", name):
        return None
    if _FULL.fullmatch(text.lower()):
        return _fence("full")
    if _LOADS.fullmatch(text.lower()):
        return _fence("load")
    if _OUTSIDE.fullmatch(text.lower()) or _OUTSIDE.fullmatch(name):
        why = "what it gives comes from outside the program (time, chance, the system)"
        raise UnsupportedInstruction(f"inline assembly is not modelled: '{text}': {why}")
    if _JUMP.fullmatch(name) and re.search(r"(?:^|[ ,])(?:\d+[bf]|\.L\w+)$", text):
        return None
    if _ACCESS.fullmatch(name) and _REGISTERS.fullmatch(operands):
        return _access(text.lower(), live, flags=not first)
    changes_stack = re.match(r"w?sp\b", operands)
    if _PURE.fullmatch(name) and "[" not in operands and not changes_stack:
        return None
    raise UnsupportedInstruction(f"inline assembly is not modelled: '{text}'")
