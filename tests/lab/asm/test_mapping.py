# SPDX-License-Identifier: MIT
"""Instructions that give an order, and instructions that do not, on each family of processors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fencepost.asm.attribution import Attributed, attribute
from fencepost.asm.effects import effect_of
from fencepost.asm.listing import Instruction, Listing, parse_listings
from fencepost.asm.mapping import judge
from fencepost.asm.orders import Operation
from fencepost.asm.parts import judge_functions


def _parsed(code: str, kind: str, order: str, failure: str = "") -> tuple[Listing, Operation]:
    """A function that does one operation, whose instructions are `code`; those that begin with a
    dot are of a line beside it."""
    lines, text = [one.strip() for one in code.split(";")], "0000000000000000 <f>:\nf():\n"
    for number, one in enumerate(lines):
        text += (
            f"/t/a.c:{2 if one.startswith('.') else 1}\n {4 * number:x}:\t{one.removeprefix('.')}\n"
        )
    (listing,) = parse_listings(text)
    return listing, Operation("f", kind, order, failure, (("a.c", 1),))


def _judged(family: str, code: str, kind: str, order: str, failure: str = "") -> Attributed:
    listing, operation = _parsed(code, kind, order, failure)
    (judged,) = judge(listing, family, attribute(listing, [operation]))
    return judged


def _faults(family: str, code: str, kind: str, order: str, failure: str = "") -> list[str]:
    """What is wrong with it."""
    judged = _judged(family, code, kind, order, failure)
    return [fault.partition(":")[0] for fault in judged.faults]


RIGHT = [
    ("x86", "xchg %al,(%rdi); .ret", "store", "seq_cst", ""),
    ("x86", "xchg %eax,%fs:0x0 busy; .ret", "store", "seq_cst", ""),
    ("x86", "xchg %eax,0x1000; .ret", "store", "seq_cst", ""),
    ("x86", "xchg %eax,0x0 word; .ret", "store", "seq_cst", ""),
    ("x86", "xrelease xchg %eax,(%rdi); .ret", "store", "seq_cst", ""),
    ("x86", "mov %al,(%rdi); .rep stos %al,%es:(%rdi); mfence; .ret", "store", "seq_cst", ""),
    ("x86", "mov %al,(%rdi); mfence; .ret", "store", "seq_cst", ""),
    ("x86", "mov %al,(%rdi); lock orq $0x0,(%rsp); .ret", "store", "seq_cst", ""),
    ("x86", "mov %al,(%rdi); .ret", "store", "release", ""),
    ("x86", "mov (%rdi),%al; .ret", "load", "seq_cst", ""),
    ("x86", "lock cmpxchg %cl,(%rdi); .ret", "compare_exchange", "seq_cst", "seq_cst"),
    ("arm", "stlr w1, [x0]; .ret", "store", "seq_cst", ""),
    ("arm", "ldar w0, [x0]; .ret", "load", "seq_cst", ""),
    ("arm", "ldapr w0, [x0]; .ret", "load", "acquire", ""),
    ("arm", "ldapurb w0, [x0, #4]; .ret", "load", "acquire", ""),
    ("arm", "ldapursh w0, [x0, #-2]; .ret", "load", "acquire", ""),
    ("arm", "stlur w1, [x0, #4]; .ret", "store", "seq_cst", ""),
    ("arm", "stlurh w1, [x0, #4]; .ret", "store", "release", ""),
    ("arm", "stilp x1, x2, [x0]; .ret", "store", "release", ""),
    ("arm", "ldiapp x1, x2, [x0]; .ret", "load", "acquire", ""),
    ("arm", "swppal x1, x2, [x0]; .ret", "exchange", "seq_cst", ""),
    ("arm", "ldsetpl x1, x2, [x0]; .ret", "fetch_or", "release", ""),
    ("arm", "casa wzr, w1, [x0]; .ret", "compare_exchange", "acquire", "acquire"),
    ("arm", "ldr w0, [x0]; dmb ishld; .ret", "load", "acquire", ""),
    ("arm", "dmb ish; str w1, [x0]; .ret", "store", "release", ""),
    ("arm", "swpal w1, w0, [x0]; .ret", "exchange", "seq_cst", ""),
    (
        "arm",
        "ldxr w1, [x0]; stlxr w2, w3, [x0]; cbnz w2, 0 <f>; dmb ish; .ret",
        "exchange",
        "seq_cst",
        "",
    ),
    ("arm", "bl __aarch64_swp4_acq_rel; .ret", "exchange", "acq_rel", ""),
    ("arm", "b __aarch64_swp4_acq_rel; .ret", "exchange", "acq_rel", ""),
    # What is behind a call in the place of a return is another path's.
    (
        "arm",
        ".dmb ish; .cbz x1, c <f+0xc>; .b __aarch64_swp4_relax; str w1, [x0]; .ret",
        "store",
        "release",
        "",
    ),
    ("riscv", "fence rw,w; sw a1,0(a0); .ret", "store", "release", ""),
    ("riscv", "fence; lw a0,0(a0); fence r,rw; .ret", "load", "seq_cst", ""),
    ("riscv", "amoswap.w.aqrl a0,a1,(a0); .ret", "exchange", "seq_cst", ""),
    ("riscv", "amoswap.b.aqrl a0,a1,(a0); .ret", "exchange", "seq_cst", ""),
    ("riscv", "amocas.q.aqrl a0,a2,(a4); .ret", "compare_exchange", "seq_cst", "seq_cst"),
    ("riscv", "lw.aq a0,(a0); .ret", "load", "seq_cst", ""),
    ("riscv", "sb.rl a1,(a0); .ret", "store", "seq_cst", ""),
    ("riscv", "fence iorw,ow; amoswap.w.aq a0,a1,(a0); .ret", "exchange", "seq_cst", ""),
    (
        "riscv",
        "lr.w.aqrl a3,(a0); bne a3,a1,10 <f+0x10>; sc.w.rl a4,a2,(a0); bnez a4,0 <f>; .ret",
        "compare_exchange",
        "seq_cst",
        "seq_cst",
    ),
    (
        "riscv",
        "lr.w.aq a3,(a0); bne a3,a1,10 <f+0x10>; sc.w a4,a2,(a0); bnez a4,0 <f>; .ret",
        "compare_exchange",
        "acquire",
        "acquire",
    ),
    (
        "riscv",
        "lr.w a3,(a0); bne a3,a1,14 <f+0x14>; sc.w a4,a2,(a0); bnez a4,0 <f>; fence r,rw; .ret",
        "compare_exchange",
        "acquire",
        "relaxed",
    ),
    ("ppc", "lwz r3,0(r3); cmpw r3,r3; bne- c <f+0xc>; isync; .blr", "load", "acquire", ""),
    # The end of the sequence is of another line: it was merged with that of another load.
    (
        "ppc",
        "lwz r3,0(r3); .b 8 <f+0x8>; .cmpw cr7,r3,r3; .bne- cr7,10 <f+0x10>; .isync; .blr",
        "load",
        "acquire",
        "",
    ),
    ("ppc", "hwsync; stw r4,0(r3); .blr", "store", "seq_cst", ""),
    (
        "ppc",
        "lwsync; lwarx r9,0,r3; stwcx. r4,0,r3; bne 4 <f+0x4>; isync; .blr",
        "exchange",
        "acq_rel",
        "",
    ),
    (
        "ppc",
        "lwarx r9,0,r3; cmpw r9,r4; bne 18 <f+0x18>; stwcx. r5,0,r3; bne 0 <f>; isync; .blr",
        "compare_exchange",
        "acquire",
        "relaxed",
    ),
    # Where it fails it ends with a stwcx. that it shares with other operations, of another line.
    (
        "ppc",
        "hwsync; lwarx r4,0,r3; cmpw r6,r4; bne 1c <f+0x1c>; stwcx. r5,0,r3; bne 4 <f+0x4>; "
        "b 20 <f+0x20>; .stwcx. r4,0,r3; lwsync; .blr",
        "compare_exchange",
        "seq_cst",
        "seq_cst",
    ),
    # Whoever leaves behind 1c has made the store: the flag is that of the comparison or of stwcx.
    (
        "ppc",
        "lwsync; lwarx r9,0,r3; cmpw r9,r4; bne 14 <f+0x14>; stwcx. r5,0,r3; mr r4,r9; "
        "beq 20 <f+0x20>; lwsync; .blr",
        "compare_exchange",
        "release",
        "acquire",
    ),
]

WRONG = [
    ("x86", "mov %al,(%rdi); .ret", "store", "seq_cst", "", ["not seq_cst"]),
    (
        "x86",
        "mov %al,(%rdi); .mov (%rsi),%al; mfence; .ret",
        "store",
        "seq_cst",
        "",
        ["not seq_cst"],
    ),
    ("x86", "mov %eax,%fs:0x0 busy; .ret", "store", "seq_cst", "", ["not seq_cst"]),
    ("x86", "mov %eax,0x1000; .ret", "store", "seq_cst", "", ["not seq_cst"]),
    (
        "x86",
        "mov %al,(%rdi); .mov 0x1000,%al; mfence; .ret",
        "store",
        "seq_cst",
        "",
        ["not seq_cst"],
    ),
    (
        "x86",
        "mov %al,(%rdi); .rep movsq %ds:(%rsi),%es:(%rdi); mfence; .ret",
        "store",
        "seq_cst",
        "",
        ["not seq_cst"],
    ),
    ("x86", "mov %al,(%rdi); .repz ret", "store", "seq_cst", "", ["not seq_cst"]),
    ("arm", "str w1, [x0]; .ret", "store", "release", "", ["no release"]),
    ("arm", "dmb ishst; str w1, [x0]; .ret", "store", "release", "", ["no release"]),
    ("arm", "dmb ish; .ldr w3, [x4]; str w1, [x0]; .ret", "store", "release", "", ["no release"]),
    ("arm", "ldr w0, [x0]; .ldr w1, [x1]; dmb ishld; .ret", "load", "acquire", "", ["no acquire"]),
    ("arm", "ldapr w0, [x0]; .ret", "load", "seq_cst", "", ["not seq_cst"]),
    ("arm", "ldapur w0, [x0, #4]; .ret", "load", "seq_cst", "", ["not seq_cst"]),
    ("arm", "stur w1, [x0, #4]; .ret", "store", "release", "", ["no release"]),
    ("arm", "swppa x1, x2, [x0]; .ret", "exchange", "acq_rel", "", ["no release"]),
    ("arm", "ldaddal w1, wzr, [x0]; .ret", "fetch_add", "acq_rel", "", ["no acquire"]),
    ("arm", "swpl w1, w0, [x0]; .ret", "exchange", "acq_rel", "", ["no acquire"]),
    ("arm", "bl __aarch64_swp4_acq; .ret", "exchange", "acq_rel", "", ["no release"]),
    ("arm", "b __aarch64_swp4_rel", "exchange", "acq_rel", "", ["no acquire"]),
    (
        "riscv",
        "lr.w a3,(a0); bne a3,a1,10 <f+0x10>; sc.w a4,a2,(a0); bnez a4,0 <f>; .ret",
        "compare_exchange",
        "release",
        "relaxed",
        ["no release"],
    ),
    (
        "riscv",
        "lr.w a3,(a0); bne a3,a1,10 <f+0x10>; sc.w.aq a4,a2,(a0); bnez a4,0 <f>; .ret",
        "compare_exchange",
        "acq_rel",
        "relaxed",
        ["no release", "no acquire when it succeeds"],
    ),
    (
        "riscv",
        "fence iorw,ow; lr.w.aq a3,(a0); bne a3,a1,14 <f+0x14>; sc.w.aq a4,a2,(a0); "
        "bnez a4,4 <f+0x4>; .ret",
        "compare_exchange",
        "seq_cst",
        "seq_cst",
        ["not seq_cst"],
    ),
    ("riscv", "fence w,w; sw a1,0(a0); .ret", "store", "release", "", ["no release"]),
    ("riscv", "fence.i; sw a1,0(a0); .ret", "store", "release", "", ["no release"]),
    (
        "riscv",
        "amocas.w.rl a0,a2,(a4); .ret",
        "compare_exchange",
        "acq_rel",
        "acquire",
        ["no acquire when it succeeds"],
    ),
    ("riscv", "fence rw,w; lw a0,0(a0); fence r,rw; .ret", "load", "seq_cst", "", ["not seq_cst"]),
    ("ppc", "lwz r3,0(r3); isync; .blr", "load", "acquire", "", ["no acquire"]),
    (
        "ppc",
        "lwz r3,0(r3); .cmpw cr7,r4,r4; .bne- cr7,c <f+0xc>; .isync; .blr",
        "load",
        "acquire",
        "",
        ["no acquire"],
    ),
    ("ppc", "lwsync; stw r4,0(r3); .blr", "store", "seq_cst", "", ["not seq_cst"]),
    (
        "ppc",
        "lwsync; lwarx r9,0,r3; cmpw r9,r4; bne 18 <f+0x18>; stwcx. r5,0,r3; bne 4 <f+0x4>; .blr",
        "compare_exchange",
        "release",
        "acquire",
        ["no acquire when it fails"],
    ),
    (
        "ppc",
        "lwsync; lwarx r9,0,r3; cmpw cr7,r9,r4; bne cr7,14 <f+0x14>; stwcx. r5,0,r3; "
        "mr r4,r9; beq 20 <f+0x20>; lwsync; .blr",
        "compare_exchange",
        "release",
        "acquire",
        ["no acquire when it fails"],
    ),
    ("ppc", "lwsync; .blr", "fence", "seq_cst", "", ["the fence is too weak"]),
    ("riscv", "fence rw,w; .ret", "fence", "acquire", "", ["the fence is too weak"]),
    ("arm", "dmb ishld; .ret", "fence", "release", "", ["the fence is too weak"]),
]


@pytest.mark.parametrize(("family", "code", "kind", "order", "failure"), RIGHT)
def test_what_gives_the_order_is_not_reported(
    family: str, code: str, kind: str, order: str, failure: str
) -> None:
    assert _faults(family, code, kind, order, failure) == []


@pytest.mark.parametrize(("family", "code", "kind", "order", "failure", "faults"), WRONG)
def test_what_does_not_give_the_order_is_reported(
    family: str, code: str, kind: str, order: str, failure: str, faults: list[str]
) -> None:
    assert _faults(family, code, kind, order, failure) == faults


@pytest.mark.parametrize(
    ("code", "faults", "not_judged"),
    [
        ("mov w6, #0x4; .dmb ish; .ret", [], "its fence stands on another line"),
        ("mov w6, #0x4; .dmb ishld; .ret", ["the fence is too weak"], ""),
        ("dmb ishld; .dmb ish; .ret", ["the fence is too weak"], ""),
        ("mov w6, #0x4; .ret", ["the fence is too weak"], ""),
    ],
)
def test_a_fence_may_stand_on_another_line(code: str, faults: list[str], not_judged: str) -> None:
    judged = _judged("arm", code, "fence", "seq_cst")
    assert [fault.partition(":")[0] for fault in judged.faults] == faults
    assert judged.not_judged == not_judged


CASES = {
    "x86": ".notrack jmp *%rax; mov %al,(%rdi); .ret",
    "arm": ".br x1; str w1, [x0]; .ret",
    "riscv": ".jr a4; sw a1,0(a0); .ret",
    "ppc": ".bctr; stw r4,0(r3); .blr",
}


@pytest.mark.parametrize("family", CASES)
def test_what_follows_an_indirect_jump_is_judged_by_what_is_before_the_jump(family: str) -> None:
    order = "seq_cst" if family == "x86" else "release"
    (listing, operation) = _parsed(CASES[family], "store", order)
    attributed = attribute(listing, [operation])
    (unreached,) = judge(listing, family, attributed)
    assert unreached.not_judged == "no path to its instructions was found"
    (judged,) = judge(replace(listing, jumped=(4,)), family, attributed)
    assert len(judged.faults) == 1 and not judged.not_judged


def test_a_fence_before_an_indirect_jump_is_one_for_all_cases() -> None:
    listing, operation = _parsed("dmb ish; .br x1; str w1, [x0]; .ret", "store", "release")
    listing = replace(listing, jumped=(8,))
    (judged,) = judge(listing, "arm", attribute(listing, [operation]))
    assert not judged.faults and not judged.not_judged


def test_a_call_that_ends_a_function_of_riscv_is_no_jump_to_its_cases() -> None:
    code = ".jr a4; fence rw,w; sw a1,0(a0); .auipc t1,0x0 other; .jr t1"
    listing, operation = _parsed(code, "store", "release")
    for cases, faults in (((4,), 0), ((8,), 1)):
        (judged,) = judge(replace(listing, jumped=cases), "riscv", attribute(listing, [operation]))
        assert len(judged.faults) == faults


def test_what_catches_an_exception_is_judged_as_behind_a_call() -> None:
    listing, operation = _parsed(".bl g; .ret; str w1, [x0]; .ret", "store", "release")
    listing = replace(listing, landings=(8,))
    (judged,) = judge(listing, "arm", attribute(listing, [operation]))
    assert len(judged.faults) == 1


@pytest.mark.parametrize(
    ("family", "code"),
    [
        ("ppc", "lwz r3,0(r3); .beqlr; cmpw r3,r3; bne- 10 <f+0x10>; isync; .blr"),
        ("arm", "ldr w0, [x0]; .cbz w1, g; dmb ishld; .ret"),
        ("arm", "ldr w0, [x0]; .cbz w1, 10 <f+0x10>; dmb ishld; .ret; .retaa"),
    ],
)
def test_an_acquire_that_comes_behind_a_way_out_is_none(family: str, code: str) -> None:
    assert _faults(family, code, "load", "acquire") == ["no acquire"]


PARTS = """
Disassembly of section .text:
0000000000000010 <f>:
f():
/t/a.c:2
 10:\tcbz w1, 0 <f>
\t\t\t10: R_AARCH64_CONDBR19\t.text.unlikely+0x8
/t/a.c:2
 14:\tret
Disassembly of section .text.unlikely:
0000000000000000 <other.cold>:
other.cold():
/t/a.c:5
 0:\tret
 4:\tret
0000000000000008 <f.cold>:
f.cold():
/t/a.c:2
 8:\tFENCE
/t/a.c:3
 c:\tstr w1, [x0]
/t/a.c:2
 10:\tb 14 <f.cold+0xc>
\t\t\t10: R_AARCH64_JUMP26\t.text+0x14
"""


@pytest.mark.parametrize(("fence", "faults"), [("dmb ish", 0), ("nop1", 1)])
def test_the_path_into_the_part_that_is_rarely_run_is_followed(fence: str, faults: int) -> None:
    listings = parse_listings(PARTS.replace("FENCE", fence))
    release = Operation("f", "store", "release", "", (("a.c", 3),))
    found = [attribute(one, [release]) for one in listings]
    hot, other, cold = judge_functions(listings, "arm", found)
    assert hot == [] and other == []
    assert [len(one.faults) for one in cold] == [faults]
    assert not cold[0].not_judged


def test_a_label_in_another_section_is_not_looked_for_in_this_one() -> None:
    text = "Disassembly of section .text:\n0000000000000000 <f>:\n 0:\tli a0,1\n"
    text += " 2:\tj 0 <f>\n\t\t\t2: R_RISCV_JAL\t.L4\n"
    (near,) = parse_listings(text, labels={".L4": (".text", 0)})
    (away,) = parse_listings(text, labels={".L4": (".text.unlikely", 8)})
    assert near.instructions[1].target == 0
    assert away.instructions[1].target is None
    assert away.instructions[1].away == (".text.unlikely", 8)


@pytest.mark.parametrize(
    ("family", "code", "order"),
    [
        ("arm", "..inst 0x19207800; str w1, [x0]; .ret", "release"),
        ("arm", ".<unknown>; str w1, [x0]; .ret", "release"),
        ("arm", ".ldtset w1, w2, [x3]; str w1, [x0]; .ret", "release"),
        ("arm", "stllr w1, [x0]; .ret", "release"),  # of regions that the system has set up
        ("riscv", "..word 0x3405a52f; sw a1,0(a0); .ret", "release"),
        ("ppc", "..long 0x7c0004ff; stw r4,0(r3); .blr", "release"),
        ("x86", ".(bad); mov %al,(%rdi); .ret", "seq_cst"),
    ],
)
def test_a_function_with_an_instruction_that_is_not_known_is_not_judged(
    family: str, code: str, order: str
) -> None:
    one = _judged(family, code, "store", order)
    assert one.faults == ()
    assert one.not_judged.startswith("it is not known what '")


def test_what_is_not_known_behind_the_last_instruction_is_no_reason() -> None:
    one = _judged("ppc", "stw r4,0(r3); .blr; ..long 0x0; ..long 0x1000000", "store", "release")
    assert one.faults and not one.not_judged


def test_an_order_that_only_some_paths_give_is_none() -> None:
    """A branch leads past the fence."""
    code = ".beqz a2,8 <f+0x8>; .fence rw,w; sw a1,0(a0); .ret"
    assert _faults("riscv", code, "store", "release") == ["no release"]


def test_instructions_are_found_where_an_operation_was_inlined_twice() -> None:
    (listing,) = parse_listings(
        "0000000000000000 <f>:\n"
        "store():\n/usr/include/atomic:9\ninlined by /t/a.cpp:3 (f)\n   0:\tstr w1, [x0]\n"
        "inlined by /t/a.cpp:4 (f)\n   4:\tstlr w1, [x0]\n"
        "f():\n/t/a.cpp:5\n   8:\tret\n"
    )
    relaxed, release = (
        Operation("f", "store", order, "", (("atomic", 9),), (("atomic", 8), ("a.cpp", line)))
        for order, line in (("relaxed", 3), ("release", 4))
    )
    found = judge(listing, "arm", attribute(listing, [relaxed, release]))
    assert [one.instructions for one in found] == [(0,), (1,)]
    assert not any(one.faults for one in found)


def test_instructions_of_another_line_are_not_taken_for_an_operations_own() -> None:
    """The one of line 4, the last line begun before it, has been merged with something else; there
    are others of lines 2 and 3."""
    (listing,) = parse_listings(
        "0000000000000000 <f>:\n"
        "store():\n/usr/include/atomic:9\ninlined by /t/a.cpp:2 (f)\n   0:\tstr w1, [x0]\n"
        "inlined by /t/a.cpp:3 (f)\n   4:\tstr w1, [x0]\n"
        "f():\n/t/a.cpp:5\n   8:\tret\n"
    )
    recent = (("atomic", 8), ("a.cpp", 4), ("a.cpp", 3), ("a.cpp", 2))
    release = Operation("f", "store", "release", "", (("atomic", 9),), recent)
    (found,) = judge(listing, "arm", attribute(listing, [release]))
    assert found.instructions == ()
    assert found.faults == ()


def test_instructions_whose_inner_lines_were_begun_long_ago_are_not_an_operations_own() -> None:
    """One was inlined from line 4 of b, by a call at line 9 that is told of at line 8; those of
    line 2 of c were inlined by lines that all have been begun, earlier."""
    (listing,) = parse_listings(
        "0000000000000000 <f>:\n"
        "load():\n/usr/include/atomic:9\ninlined by /usr/include/base:5 (g)\n"
        "inlined by /t/c.cpp:2 (g)\ninlined by /t/a.cpp:3 (f)\n   0:\tldr w1, [x0]\n"
        "inlined by /usr/include/base:5 (h)\ninlined by /t/b.cpp:4 (h)\n"
        "inlined by /t/a.cpp:9 (f)\n   4:\tldar w1, [x0]\n"
        "f():\n/t/a.cpp:5\n   8:\tret\n"
    )
    recent = (("base", 5), ("b.cpp", 4), ("a.cpp", 8), ("c.cpp", 2), ("a.cpp", 3))
    acquire = Operation("f", "load", "acquire", "", (("atomic", 9),), recent)
    assert attribute(listing, [acquire])[0].instructions == ()
    begun = replace(acquire, order="relaxed", recent=(("base", 5), ("c.cpp", 2), ("a.cpp", 3)))
    assert attribute(listing, [begun])[0].instructions == (0,)


CALLED = "0000000000000000 <f>:\nf():\n/t/a.cpp:3\n   0:\tlock subb $0x1,(%rdi)\n   4:\tret\n"


def test_an_instruction_of_the_line_that_called_is_the_only_operations_that_has_none() -> None:
    (listing,) = parse_listings(CALLED)
    one = Operation("f", "fetch_sub", "acq_rel", "", (("atomic", 9),), (("a.cpp", 3),))
    (found,) = judge(listing, "x86", attribute(listing, [one]))
    assert found.instructions == (0,)
    assert found.not_judged == "its instructions are of a line beside it"
    other = replace(one, kind="fetch_add", places=(("atomic", 8),))
    assert [each.instructions for each in attribute(listing, [one, other])] == [(), ()]
    elsewhere = replace(one, recent=(("a.cpp", 4),))
    assert attribute(listing, [elsewhere])[0].instructions == ()


def test_a_plain_instruction_of_the_line_that_called_is_no_operations() -> None:
    (listing,) = parse_listings(CALLED.replace("lock subb $0x1,(%rdi)", "mov (%rdi),%eax"))
    one = Operation("f", "load", "acquire", "", (("atomic", 9),), (("a.cpp", 3),))
    assert attribute(listing, [one])[0].instructions == ()


@pytest.mark.parametrize(
    ("family", "text", "kind"),
    [
        ("x86", "xchg %ax,%ax", ""),
        ("x86", "lea 0x8(%rdi),%rax", ""),
        ("x86", "lea %fs:0x0,%rax", ""),
        ("x86", "xchg %rax,%rbx", ""),
        ("x86", "xchg %al,%fs:0x0 flag", "rmw"),
        ("x86", "mov %eax,%fs:0x0 flag", "store"),
        ("x86", "mov %fs:0x28,%rax", "load"),
        ("x86", "mov $0x1,%eax", ""),
        ("x86", "movabs %al,0x123456789abcdef0", "store"),
        ("x86", "movabs 0x123456789abcdef0,%al", "load"),
        ("x86", "movq $0x0,0x10(%rax,%rbx,8)", "store"),
        ("x86", "movsd (%rdi),%xmm0", "load"),
        ("x86", "movups (%rax,%rbx,8),%xmm0", "load"),
        ("x86", "vmovdqu32 %zmm0,(%rdi){%k1}", "store"),
        ("x86", "vpextrd $0x1,%xmm0,(%rdi)", "store"),
        ("x86", "add %eax,(%rdi)", "update"),
        ("x86", "incl 0x0(%rip) count", "update"),
        ("x86", "imul (%rdi),%eax", "load"),
        ("x86", "mulq (%rdi)", "load"),
        ("x86", "fstpt (%rdi)", "store"),
        ("x86", "fxch %st(1)", ""),
        ("x86", "notrack jmp *%rax", "leave"),
        ("x86", "cmp %eax,(%rdi)", "load"),
        ("x86", "mov %eax,0x8(%rsp)", ""),
        ("x86", "movzbl 0x1(%rdi),%eax", "load"),
        ("x86", "lock addl $0x1,(%rdi)", "rmw"),
        ("arm", "stp x29, x30, [sp, #-32]!", ""),
        ("arm", "staddl w1, [x0]", "rmw"),
        ("arm", "ldadd w1, w0, [x0]", "rmw"),
        ("arm", "ldursw x0, [x1, #4]", "load"),
        ("arm", "ldtrb w0, [x1]", "load"),
        ("arm", "ldnf1b {z0.b}, p0/z, [x1]", "load"),
        ("arm", "st2g x0, [x1]", "store"),
        ("arm", "ldp x0, x1, [x2]", "load"),
        ("riscv", "sext.w a0,a0", ""),
        ("riscv", "sd ra,8(sp)", ""),
        ("riscv", "sb zero,0(a5)", "store"),
        ("riscv", "amoor.w.aq a0,a1,(a2)", "rmw"),
        ("ppc", "li r8,1", ""),
        ("ppc", "ld r9,0(r2)", ""),
        ("ppc", "lbz r9,1(r3)", "load"),
        ("ppc", "stdcx. r5,0,r3", "conditional"),
    ],
)
def test_it_is_told_what_an_instruction_does_to_memory(family: str, text: str, kind: str) -> None:
    assert effect_of(text, family).kind == kind


@pytest.mark.parametrize(
    ("text", "atomic"),
    [
        ("xchg %eax,%fs:0x0 t", True),
        ("xchg %eax,0x1000", True),
        ("xchg %eax,0x0 word", True),
        ("xchg %eax,(%rdi)", True),
        ("xacquire lock cmpxchg %ecx,(%rdi)", True),
        ("xchg %rax,%rbx", False),
        ("xchg %al,%ah", False),
        ("stlur w0, [x1, #4]", True),
        ("stlurb w0, [x1, #4]", True),
        ("ldapursw x0, [x1, #4]", True),
        ("ldapurh w0, [x1, #4]", True),
        ("ldlarb w0, [x1]", True),
        ("stllr w0, [x1]", True),
        ("ldiapp x0, x1, [x2]", True),
        ("swppal x0, x1, [x2]", True),
        ("caspal x0, x1, x2, x3, [x4]", True),
        ("amoadd.h.aq a0,a1,(a2)", True),
        ("amocas.q.aqrl a0,a2,(a4)", True),
        ("ld.aq a0,(a1)", True),
        ("sw.aqrl a0,(a1)", True),
        ("stur w0, [x1, #4]", False),
        ("ldursw x0, [x1, #4]", False),
        ("sd ra,8(sp)", False),
        ("fence.i", False),
    ],
)
def test_what_orders_memory_is_marked(text: str, atomic: bool) -> None:
    assert Instruction(0, text).atomic == atomic
