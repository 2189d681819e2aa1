# SPDX-License-Identifier: MIT
"""What is known of each processor: which instructions the checker is blind to, how programs run."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import pytest
from fencepost.binary.assembly_scan import Endings, model_assembly
from fencepost.binary.machines import known_by, machine_of, machines
from fencepost.binary.machines.aarch64 import AARCH64
from fencepost.binary.machines.machine import Machine
from fencepost.binary.machines.x86_64 import X86_64
from fencepost.console.input_error import Unsupported, UnusableInput


def _scan(tmp_path: Path, machine: Machine, text: str) -> None:
    assembly = tmp_path / "program.s"
    assembly.write_text(text)
    model_assembly(assembly, machine)


def _refused(tmp_path: Path, machine: Machine, text: str) -> str | None:
    try:
        _scan(tmp_path, machine, text)
    except Unsupported as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    "instruction",
    [
        "ldaxr\tw1, [x0]",
        "stlxrb\tw2, w1, [x0]",
        "ldar\tx0, [x0]",
        "ldapr\tw0, [x1]",
        "stlr\twzr, [x0]",
        "casal\tw0, w1, [x2]",
        "swpl\tx0, x1, [x2]",
        "ldaddalh\tw0, w1, [x2]",
        "stset\tw0, [x1]",
        "dmb\tishst",
        "dsb\tishst",
        "svc\t#0",
        "mrs\tx0, cntvct_el0",
    ],
)
def test_what_aarch64_does_unseen_is_refused(instruction: str, tmp_path: Path) -> None:
    assert _refused(tmp_path, AARCH64, f"\t{instruction}\n") is not None


@pytest.mark.parametrize(
    "instruction",
    [
        "ldr\tw0, [x1]",
        "stp\tx29, x30, [sp, -32]!",
        "ldrb\tw0, [x1]",
        "mrs\tx0, tpidr_el0",
        "hint\t7 // xpaclri",
        "bl\t__tsan_atomic32_load",
        "csel\tw0, w1, w2, eq",
        "ldarb\twzr, [x19]",  # what clang leaves of a load that it has instrumented
        "casting:",
        "dc:",
        "svc_label:",
    ],
)
def test_what_aarch64_compilers_write_everywhere_passes(instruction: str, tmp_path: Path) -> None:
    assert _refused(tmp_path, AARCH64, f"\t{instruction}\n") is None


@pytest.mark.parametrize(
    ("machine", "text", "passes"),
    [
        (AARCH64, "yield", True),
        (AARCH64, "nop // a remark", True),
        (AARCH64, "hint #1", True),
        (AARCH64, "isb", True),
        (AARCH64, "dmb ish // a remark", True),
        (AARCH64, "dmb ishst", False),
        (AARCH64, ".p2align 4,,10", True),
        (AARCH64, ".balign 64, 0x90", False),
        (X86_64, "pause # a remark", True),
        (X86_64, "mfence", True),
        (X86_64, ".p2align 4,,10", True),
        (X86_64, ".p2align 6, 0x90, 10", True),
        (X86_64, ".balign 64,0x90", True),
        (X86_64, ".balign 64, 0xf0", False),
        (X86_64, "lock; .balign 64; incl (%rax)", False),
        (X86_64, "bsrl %eax, %ecx", True),
        (X86_64, "movl (%rax), %ecx", True),
        (X86_64, "lock; negl (%rax)", False),
        (X86_64, "lock btsb $1, (%rax)", False),
        (X86_64, "movl (%rax), %esp", False),
        (X86_64, "xchgq %rsp, (%rax)", False),
        (X86_64, "addl %ah, (%rax)", False),
        (X86_64, "jmp *%rax", False),
        (X86_64, "call function", False),
        (X86_64, "fildl (%rax)", False),
        (X86_64, "vaddps %ymm0, %ymm1, %ymm2", False),
        (AARCH64, "clz w0, w1", True),
        (AARCH64, "rev x0, x1", True),
        (AARCH64, "ldr w0, [x1]", True),
        (AARCH64, "ldr w0, [x1], #4", False),
        (AARCH64, "ldr q0, [x1]", False),
        (AARCH64, "ldp x0, x1, [x2]", False),
        (AARCH64, "ldaxr w0, [x1]", True),
        (AARCH64, "stxr w0, w1, [x2]", False),
        (AARCH64, "casal x0, x1, [x2]", True),
        (X86_64, '.pushsection .note.mine, "a"; .long 1; .popsection', True),
        (X86_64, '.section .note.mine, "aG", @progbits, tag, comdat; .quad 1; .previous', True),
        (X86_64, '.section .note.mine, "ax"; .long 1; .previous', False),
        (X86_64, ".section .text.mine; .long 1; .previous", False),
        (X86_64, '.pushsection .note.mine, "a"; .long 1', False),
        (X86_64, ".long 1", False),
        (AARCH64, "add sp, sp, #16", False),
        (AARCH64, "mrs x0, cntvct_el0", False),
        (AARCH64, "b function", False),
    ],
)
def test_inline_assembly_may_only_do_what_has_a_model(
    machine: Machine, text: str, passes: bool, tmp_path: Path
) -> None:
    sign = machine.comment
    program = f'#APP\n{sign} 7 "lock.c" 1\n\t{text}\n{sign} 0 "" 2\n#NO_APP\n'
    refused = _refused(tmp_path, machine, program)
    assert passes == (refused is None)
    assert refused is None or "lock.c:7" in refused


@pytest.mark.parametrize("instruction", ["serialize", "xgetbv", "tpause\t%eax", "rdtsc"])
def test_what_x86_64_does_unseen_is_refused(instruction: str, tmp_path: Path) -> None:
    assert _refused(tmp_path, X86_64, f"\t{instruction}\n") is not None


@pytest.mark.parametrize(
    ("before", "passes"),
    [
        ("movaps %xmm0, %xmm15", True),
        ("vmovdqa32 %xmm0, %xmm16", False),
        ("vmovdqa32 %xmm31, %xmm0", False),
        ("vmovaps %ymm0, %ymm1", False),
        ("movd %eax, %mm0", False),
        ("fldt (%rdi)", False),
        ("fld1", False),
    ],
)
def test_assembly_stands_beside_no_register_that_is_not_kept(
    before: str, passes: bool, tmp_path: Path
) -> None:
    statement = '#APP\n# 7 "lock.c" 1\n\tlock; incl x(%rip)\n# 0 "" 2\n#NO_APP\n'
    function = f"\t.type f, @function\nf:\n\t{before}\n{statement}\t.size f, .-f\n"
    refused = _refused(tmp_path, X86_64, function)
    assert passes == (refused is None)
    assert refused is None or "in a function that uses" in refused


@pytest.mark.parametrize("machine", [AARCH64, X86_64])
def test_an_instruction_without_a_model_in_a_function_may_end_the_execution(
    machine: Machine, tmp_path: Path
) -> None:
    sign, unknown = machine.comment, "svc #0" if machine is AARCH64 else "syscall"
    statement = f'#APP\n{sign} 7 "lock.c" 1\n\t{unknown}\n{sign} 0 "" 2\n#NO_APP\n'
    function = f"\t.type f, %function\nf: {sign} @f\n{statement}\t.size f, .-f\n"
    assembly, endings = tmp_path / "program.s", Endings()
    assembly.write_text(function)
    model_assembly(assembly, machine, endings)
    assert unknown not in assembly.read_text().partition(".size")[0]
    assert endings.said == [f"'{unknown}' at lock.c:7"]
    for elsewhere in (statement, function + statement, statement.replace(unknown, ".long 1")):
        assembly.write_text(elsewhere)
        with pytest.raises(Unsupported, match=r"lock\.c:7"):
            model_assembly(assembly, machine, Endings())


def test_without_an_emulator_a_foreign_program_is_refused_with_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert X86_64.launcher() == []
    with pytest.raises(UnusableInput, match=r"qemu-aarch64 .*qemu-user"):
        AARCH64.launcher()


def test_machines_are_known_by_what_compilers_call_them() -> None:
    assert known_by("aarch64-linux-gnu") is AARCH64
    assert known_by("x86_64-pc-linux-gnu") is X86_64
    assert known_by("riscv64-linux-gnu") is None
    assert len({machine.elf_number for machine in machines()}) == len(list(machines()))


def test_a_file_that_is_no_program_is_of_no_machine(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "script").write_text("#!/bin/sh\n")
    assert machine_of(tmp_path / "empty") is None
    assert machine_of(tmp_path / "script") is None
