# SPDX-License-Identifier: MIT
"""What a statement of inline assembly does, on AArch64: computing and pausing pass, whatever
touches or orders memory has no model."""

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


def translate(text: str, live: int, *, first: bool, red_zone: bool) -> list[str] | None:
    """None, for what stays as it is; raises Unsupported, without a place, otherwise."""
    name, _, operands = text.lower().partition(" ")
    if _NOTHING.fullmatch(text.lower()):
        return None
    if _OUTSIDE.fullmatch(text.lower()) or _OUTSIDE.fullmatch(name):
        why = "what it gives comes from outside the program (time, chance, the system)"
        raise Unsupported(f"inline assembly is not modelled: '{text}': {why}")
    if _JUMP.fullmatch(name) and re.search(r"(?:^|[ ,])(?:\d+[bf]|\.L\w+)$", text):
        return None
    changes_stack = re.match(r"w?sp\b", operands)
    if _PURE.fullmatch(name) and "[" not in operands and not changes_stack:
        return None
    raise Unsupported(f"inline assembly is not modelled: '{text}'")
