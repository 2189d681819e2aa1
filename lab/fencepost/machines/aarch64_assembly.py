# SPDX-License-Identifier: MIT
"""What a statement of inline assembly does, on AArch64: computing and pausing pass, full barriers
and those for loads become calls of the runtime (checker/interface/assembly_aarch64.cpp). What
accesses memory has no model, and a barrier for stores alone has none in C++ either: a release
fence would order more."""

from __future__ import annotations

import re

from fencepost.input_error import Unsupported

# Instructions that compute from registers, immediates and flags alone.
_PURE = re.compile(
    r"mov[zkn]?|mvn|adds?|subs?|adcs?|sbcs?|ngcs?|negs?|ands?|orr|orn|eor|eon|bics?|tst|cmp|cmn"
    r"|ccmp|ccmn|lsl|lsr|asr|ror|lslv|lsrv|asrv|rorv|clz|cls|rbit|rev(?:16|32|64)?|extr"
    r"|[us]bfx|[us]bfi[zm]?|bfi|bfxil|bfm|s?xt[bhw]|[us]xt[bhw]|mul|madd|msub|mneg|[us]mull|[us]mulh"
    r"|[us]m(?:add|sub)l|[us]div|csel|csinc|csinv|csneg|cset|csetm|cinc|cinv|cneg|crc32c?[bhwx]"
)
_JUMP = re.compile(r"b(?:\.?(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le))?|cbn?z|tbn?z")
# hint 0 is nop, hint 1 yield. wfe waits for another core's event: nothing like a pause.
_NOTHING = re.compile(r"nop|yield|hint #?[01]|prfu?m .*")
_OUTSIDE = re.compile(r"wfe|wfet|wfi|svc|hvc|smc|mrs \w+, ?(?:cnt\w+|rndr(?:rs)?)")


_FULL = re.compile(r"d[ms]b (?:ish|osh|sy)")
_LOADS = re.compile(r"d[ms]b (?:ishld|oshld|ld)")


def _fence(name: str) -> list[str]:
    # The call overwrites x30, the stack pointer stays aligned, nothing lies below it.
    call = f"bl fencepost_{name}_fence_by_assembly"
    save, load = "stp x29, x30, [sp, #-16]!", "ldp x29, x30, [sp]"
    return [save, call, load, "stp xzr, xzr, [sp], #16"]


def translate(text: str, live: int, *, first: bool, red_zone: bool) -> list[str] | None:
    """What an instruction becomes, None if it stays as it is. Raises Unsupported, without a place,
    of what has no model."""
    name, _, operands = text.lower().partition(" ")
    if _NOTHING.fullmatch(text.lower()):
        return None
    if _FULL.fullmatch(text.lower()):
        return _fence("full")
    if _LOADS.fullmatch(text.lower()):
        return _fence("load")
    if _OUTSIDE.fullmatch(text.lower()) or _OUTSIDE.fullmatch(name):
        why = "what it gives comes from outside the program (time, chance, the system)"
        raise Unsupported(f"inline assembly is not modelled: '{text}': {why}")
    if _JUMP.fullmatch(name) and re.search(r"(?:^|[ ,])(?:\d+[bf]|\.L\w+)$", text):
        return None
    changes_stack = re.match(r"w?sp\b", operands)
    if _PURE.fullmatch(name) and "[" not in operands and not changes_stack:
        return None
    raise Unsupported(f"inline assembly is not modelled: '{text}'")
