# SPDX-License-Identifier: MIT
"""AArch64."""

from __future__ import annotations

import re

from fencepost.binary.machines.aarch64_assembly import translate
from fencepost.binary.machines.aarch64_exclusives import require_retried
from fencepost.binary.machines.aarch64_registers import live_registers
from fencepost.binary.machines.machine import Machine

AARCH64 = Machine(
    title="AArch64",
    names=frozenset({"aarch64", "arm64"}),
    elf_number=183,
    triplet="aarch64-linux-gnu",
    emulator="qemu-aarch64",
    comment="//",
    translate=translate,
    require_modelled=require_retried,
    live_registers=live_registers,
    prefixes=frozenset(),
    below_stack=None,
    not_kept=None,
    fences=frozenset({"dmb ish", "dmb ishld", "dmb sy", "dmb ld", "dsb ish", "dsb sy"}),
    # A load into the zero register is what clang leaves behind of one that it has instrumented.
    unseen=re.compile(
        r"^(?!ldar[bh]?\s+[wx]zr,)(?:lda?x[rp][bh]?|stl?x[rp][bh]?"  # exclusive pairs
        r"|ldl?ar[bh]?|ldapu?r(?:s?[bh]|sw)?|stl(?:l|u)?r[bh]?"  # acquire and release
        r"|casp?a?l?[bh]?|swpa?l?[bh]?|(?:ld|st)(?:add|clr|eor|set|[su]max|[su]min)a?l?[bh]?"
        r"|[ls][dt]np|dmb|dsb|isb|wfe|wfet|sevl?|svc|dc"
        r"|mrs\s+x\d+,\s*(?:cnt\w+|rndr(?:rs)?))(?:\s|$)"
    ),
    asks_outside=re.compile(r"^(?:wfe|wfet|svc|mrs\s+x\d+,\s*(?:cnt\w+|rndr(?:rs)?))(?:\s|$)"),
    calls=("bl",),
    # x15 to x17 belong to nobody at a call.
    counted_call="adrp x16, COUNT\n"
    "ldr w17, [x16, :lo12:COUNT]\n"
    "add w15, w17, #1\n"
    "str w15, [x16, :lo12:COUNT]\n"
    "and w17, w17, #15\n"
    "adrp x16, CALLS\n"
    "add x16, x16, :lo12:CALLS\n"
    "add x16, x16, x17, lsl #4\n"
    "KEEP"
    "str x30, [x16, #8]\n"
    "b NAME\n",
    keeps_object="add x15, OBJECT, #PLUS\nstr x15, [x16]\n",
    first_argument="x0",
    object_behind_result="x0",
    call_with_text="adrp x0, TEXT\nadd x0, x0, :lo12:TEXT\nb NAME\n",
    ends_at=("bl LABEL",),
    keeps_nothing="str xzr, [x16]\n",
)
