# SPDX-License-Identifier: MIT
"""Every function executes the instructions that its order needs, on each machine: an emulator on a
strongly ordered processor shows results and atomicity, but no barrier that is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from all_calls import all_calls
from fencepost.runners.atomics.executed import disassembled, symbols_of
from fencepost.runners.atomics.memory_events import memory_events
from needed_barriers import complaint
from runtimes import MACHINES, PROGRAMS, Runtime, has_exchange_of_16_bytes, is_here, sh
from test_symbols import exported
from traced_calls import Call, instructions_of

#: They touch no memory of others, or only the compiler is to stay put.
WITHOUT_ORDER = {"__atomic_is_lock_free", "__atomic_feraiseexcept", "atomic_signal_fence"}


@dataclass(frozen=True)
class Variant:
    """A machine, and which of the library's ways it goes: what the processor is said to be able to
    do, None where the library does not ask."""

    machine: str
    name: str
    runtime: Runtime
    features: int | None = None
    locks_16: bool = False

    def needed(self) -> None:
        if self.machine == "x86_64" and not is_here("x86_64"):
            pytest.skip("this machine's own library is not for x86-64")
        self.runtime.needed()


_X86_64 = Runtime("shipped", launcher=("qemu-x86_64", "-cpu", "max"))
_CROSS = {runtime.name: runtime for runtime in MACHINES}
VARIANTS = [
    Variant("x86_64", "with AVX", _X86_64, features=7),
    Variant("x86_64", "with cmpxchg16b", _X86_64, features=3),
    Variant("x86_64", "without", _X86_64, features=1, locks_16=True),
    Variant("aarch64", "with LSE2", _CROSS["aarch64"], features=7),
    Variant("aarch64", "with LSE", _CROSS["aarch64"], features=3),
    Variant("aarch64", "without", _CROSS["aarch64"], features=1),
    Variant("riscv64", "", _CROSS["riscv64"], locks_16=True),
    Variant("ppc64le", "", _CROSS["ppc64le"]),
]


def name_of(variant: Variant) -> str:
    return f"{variant.machine} {variant.name}".strip()


def complaints(variant: Variant, calls: Sequence[Call], folder: Path, library: Path) -> list[str]:
    found = []
    features = variant.features if library == variant.runtime.archive() else None
    for call, executed in instructions_of(variant.runtime, calls, folder, library, features):
        locked = call.size == 24 or (call.size == 16 and variant.locks_16)
        events = memory_events(variant.machine, executed)
        found.append(complaint(variant.machine, call, events, locked))
    return [text for text in found if text]


@pytest.mark.matrix(3)
@pytest.mark.parametrize("variant", VARIANTS, ids=name_of)
def test_each_function_executes_what_its_order_needs(variant: Variant, tmp_path: Path) -> None:
    variant.needed()
    runs_16 = has_exchange_of_16_bytes(variant.runtime, tmp_path)
    calls = [
        call
        for call in all_calls()
        if runs_16 or call.size != 16 or call.operation in ("load", "store")
    ]
    found = complaints(variant, calls, tmp_path, variant.runtime.archive())
    assert not found, f"{len(found)} of {len(calls)} calls:\n" + "\n".join(found[:40])


EACH_MACHINE = list({variant.machine: variant for variant in VARIANTS}.values())


def machine_of(variant: Variant) -> str:
    return variant.machine


@pytest.mark.parametrize("variant", EACH_MACHINE, ids=machine_of)
def test_no_exported_function_is_left_out(variant: Variant) -> None:
    variant.needed()
    library = variant.runtime.shared()
    functions = {name.partition("@")[0] for name in exported(library, variant.runtime.tools)}
    assert functions == {call.function for call in all_calls()} | WITHOUT_ORDER


@pytest.mark.parametrize("variant", EACH_MACHINE, ids=machine_of)
def test_a_function_that_ignores_its_order_is_found(variant: Variant, tmp_path: Path) -> None:
    variant.needed()
    weak = tmp_path / "weak.o"
    compiler = f"{variant.runtime.tools}gcc"
    flags = ("-mno-outline-atomics",) if variant.machine == "aarch64" else ()
    sh(compiler, "-std=c11", "-O2", *flags, "-c", PROGRAMS / "weak_orders.c", "-o", weak)
    defined = symbols_of(weak, variant.runtime.tools)
    calls = [call for call in all_calls() if call.function in defined]
    found = complaints(variant, calls, tmp_path, weak)

    if variant.machine == "x86_64":  # the only instructions that are not strong anyhow
        wanted = {"__atomic_store_4(4 bytes, seq_cst)", "atomic_thread_fence(0 bytes, seq_cst)"}
        assert {text.partition(":")[0] for text in found} == wanted
        return
    # A failed compare-exchange needs its own order only.
    wanted = {
        str(call)
        for call in calls
        if (call.order != "relaxed" or call.failure not in ("", "relaxed"))
        and not (call.fails and call.failure == "relaxed")
    }
    assert {text.partition(": ")[0] for text in found} == wanted


def test_what_cannot_be_run_has_the_instructions() -> None:
    """Read the instructions for 16 bytes on ppc64le, where the emulator cannot exchange them. They
    must have an exchange with the fences of each order."""
    runtime = _CROSS["ppc64le"]
    runtime.needed()
    text = disassembled(runtime.tools, runtime.shared())
    symbols = symbols_of(runtime.shared(), runtime.tools)
    changes = {call.function: call for call in all_calls() if call.function.endswith("_16")}
    for function, call in changes.items():
        begin, end = symbols[function]
        instructions = [text[place] for place in range(begin, end, 4) if place in text]
        events = memory_events("ppc64le", instructions)
        if call.operation in ("fetch", "compare_exchange", "exchange"):
            assert re.search(r"full (load |store )*reserve", events), (function, events)
            assert re.search(r"light (load |store )*reserve", events), (function, events)
            assert re.search(r"(^|load |store |conditional )reserve", events), (function, events)
            assert "conditional acquire" in events, (function, events)
