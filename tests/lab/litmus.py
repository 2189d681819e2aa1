# SPDX-License-Identifier: MIT
"""Litmus tests as C programs, and the counterexamples that the checker finds in them."""

from __future__ import annotations

import atexit
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fencepost.execution.explain import explanation
from fencepost.execution.schema import Execution
from fencepost.execution.steps import Step, steps_of
from fencepost.execution.symbolise import Names
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.render.replay import Replay, replay
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain

_PROGRAM = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define LOAD(object, order) atomic_load_explicit(&object, memory_order_##order)
#define STORE(object, value, order) atomic_store_explicit(&object, value, memory_order_##order)
#define ADD(object, value, order) atomic_fetch_add_explicit(&object, value, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)
static atomic_int x, y, z;
static int data, r[8];
static pthread_barrier_t both;
#define THREAD(name, ...) static void *name(void *unused) { __VA_ARGS__; return unused; }
"""


_BARRIER = "  pthread_barrier_init(&both, 0, 2);\n"


@cache
def _folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix="fencepost-litmus.")
    atexit.register(folder.cleanup)
    return folder.name


@dataclass(frozen=True)
class Found:
    """A counterexample, and how it is told."""

    execution: Execution
    steps: list[Step]
    names: Names

    def table(self) -> Replay:
        return replay(self.execution, self.steps, self.names)

    def told(self) -> list[str]:
        return explanation(self.execution, self.steps, self.names)

    def step(self, thread: int, number: int) -> int:
        """The number of the thread's step of that number, from 1."""
        own = [step.number for step in self.steps if step.thread == thread]
        return own[number - 1]

    def cell(self, at: int, name: str, thread: int | None = None) -> str:
        """At that step: what memory holds, or what stands in the thread's column."""
        shown = self.table()
        column = 0 if thread is None else 1 + shown.threads.index(thread)
        return shown.states[at - 1][shown.names.index(name) * shown.width + column]


@cache
def counterexample(model: str, never: str, *threads: str) -> Found:
    """What makes `never` true when the threads, T1, T2 and so on, are over."""
    numbers = range(1, len(threads) + 1)
    text = _PROGRAM + "".join(f"THREAD(f{n}, {threads[n - 1]})\n" for n in numbers)
    starts = "".join(f"  pthread_create(&t[{n}], 0, f{n}, 0);\n" for n in numbers)
    joins = "".join(f"  pthread_join(t[{n}], 0);\n" for n in numbers)
    text += "int main(void) {\n  pthread_t t[9];\n" + _BARRIER + starts + joins
    text += f"  assert(!({never}));\n}}\n"
    folder = Path(tempfile.mkdtemp(dir=_folder()))
    source = folder / "litmus.c"
    source.write_text(text)
    program = build_program([source], Toolchain(), folder / "built")
    violation = Explorer(program, Bounds(model=model)).run().violation
    assert violation is not None, f"{model} has no such execution"
    names = Names(program, violation.execution)
    return Found(violation.execution, steps_of(violation.execution, names), names)
