# SPDX-License-Identifier: MIT
"""Programs of this folder as executables that explore themselves, run without the command line."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
#: What loops that are cut are compared with.
CUT = HERE / "cuts" / "programs"

#: What is told of disturbed.c in the end, however it was disturbed.
DISTURBED = ("holds", 5040, 0, 0)

#: Programs of every kind: those that revisit, lock, sleep, spin, choose, free, fail, and wait in
#: libraries.
KINDS = {
    "revisits": ("families/lastzero.c", ("-DN=6",)),
    "read_modify_writes": ("families/fib.c", ("-DN=3", "-DLIMIT=21")),
    "spinning": ("locks/reader_writer_lock.cpp", ()),
    "spinning_and_failing": ("locks/reader_writer_lock.cpp", ("-DLEAVE=relaxed",)),
    "mutexes": ("pthread/mutex_counter.c", ("-DTHREADS=3",)),
    "sleeping": ("pthread/bounded_buffer.c", ("-DWAKE=pthread_cond_signal",)),
    "futex": ("futex/semaphore.c", ("-DORDERING=memory_order_acq_rel",)),
    "heap": ("lockfree/michael_scott_queue.cpp", ()),
    "the_librarys_own_code": ("cpp/stop_tokens.cpp", ()),
}

#: What the long program of the tests (conftest.py) has: verdict, executions, blocked, violations.
LONG = ("holds", 32_768, 0, 0)

#: What comes last in some executions is a system call that is not modelled.
LATE = """
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int x;
void *f(void *a) {
  if (atomic_fetch_add(&x, 1) == 3) syscall(SYS_getcwd);
  return a;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
}
"""


@dataclass
class Answer:
    """What one run of an executable wrote."""

    executions: Counter[str]
    result: dict[str, Any]
    said: str
    status: int

    @property
    def counters(self) -> tuple[str, int, int, int]:
        found = self.result
        return found["verdict"], found["executions"], found["blocked"], found["violations"]


class Exploring:
    """One executable being run; `options` are words of FENCEPOST_CHECK."""

    def __init__(
        self,
        executable: Path,
        options: str = "",
        checkpoint: Path | None = None,
        environment: dict[str, str] | None = None,
        arguments: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        reader, writer = os.pipe()
        environment = os.environ | (environment or {})
        environment["FENCEPOST_CHECK"] = f"fd={writer} {options}"
        if checkpoint:
            environment["FENCEPOST_CHECKPOINT"] = str(checkpoint)
        self.process = subprocess.Popen(
            [str(executable), *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writer],
            **more,
        )
        os.close(writer)
        self.lines = os.fdopen(reader)

    def until_progress(self) -> None:
        """Waits until something has been explored, and something is left."""
        for line in self.lines:
            message = json.loads(line)
            assert message["type"] == "progress", "it was over too soon"
            if message["executions"]:
                return

    def workers(self) -> list[int]:
        pid = self.process.pid
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def answer(self) -> Answer:
        executions: Counter[str] = Counter()
        result: dict[str, Any] = {}
        with self.lines:
            for line in self.lines:
                message = json.loads(line)
                if message["type"] == "execution":
                    executions[as_text(message)] += 1
                elif message["type"] == "begins-anew":
                    executions.clear()
                elif message["type"] == "result":
                    result = message
        _, said = self.process.communicate()
        return Answer(executions, result, said, self.process.returncode)


def as_text(execution: dict[str, Any]) -> str:
    """The execution, whatever order its events are told in."""
    events = sorted(
        json.dumps({key: value for key, value in event.items() if key != "step"}, sort_keys=True)
        for event in execution["events"]
    )
    orders = sorted(json.dumps(order, sort_keys=True) for order in execution["mo"])
    return json.dumps([execution["blocked"], events, orders])


def explore(
    executable: Path,
    options: str = "",
    checkpoint: Path | None = None,
    environment: dict[str, str] | None = None,
    arguments: tuple[str, ...] = (),
) -> Answer:
    return Exploring(executable, options, checkpoint, environment, arguments).answer()


def build(source: str, directory: Path, *flags: str, turns: bool = False) -> Path:
    """The executable of one of the programs here; `turns`: for what bounds its loops."""
    toolchain = Toolchain("gcc", flags, announces_turns=turns)
    return build_program([PROGRAMS / source], toolchain, directory).executable


def build_random(source: str, part: int, loops: str, directory: Path) -> Path:
    """The executable of one of them with random loops, at a level of optimisation of theirs."""
    where = directory / str(part)
    where.mkdir()
    (where / "loops.h").write_text(loops)
    return build(source, where, f"-O{part % 4}", f'-DLOOPS="{where / "loops.h"}"')


def build_disturbed(directory: Path) -> Path:
    """disturbed.c, whose signals would be refused."""
    with mock.patch("fencepost.toolchain.build_program.refused_symbols", return_value=[]):
        return build(str(HERE / "disturbed.c"), directory)


def disturb(how: str, folder: Path) -> dict[str, str]:
    """The environment in which disturbed.c does that once."""
    folder.mkdir(exist_ok=True)
    (folder / how).touch()
    return {"DISTURB": str(folder)}
