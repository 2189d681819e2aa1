# SPDX-License-Identifier: MIT
"""What is measured: pieces of work, each one run of a program, and the targets of their figures."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.measure.subjects import Subject
from fencepost.report.bench_targets import Target

OURS = "fencepost"
SYSTEM = "libatomic"
#: The processor's own instruction for 16 bytes in a function: the limit of what a library can do.
INSTRUCTION = "instruction"
#: The lock that others are compared with in the stack: the library's own, with this kind.
REFERENCE = "pthread_mutex"

#: Whoever has taken a lock is descheduled once in so many times, where that is forced.
DESCHEDULED = 1000
FEW_THREADS = (1, 2, 8, 32, 256)
STACK_THREADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)

SUBJECTS = {
    "operations": Subject(
        "operations",
        "what does a call cost when nobody else wants its object?",
        "nanoseconds",
        "ns",
        False,
        0.04,
    ),
    "contended": Subject(
        "contended",
        "how fast are operations on 24 bytes, by threads?",
        "operations_per_second",
        "operations/s",
        True,
        0.3,
    ),
    "kinds": Subject(
        "contended",
        "the same, with each kind of lock",
        "operations_per_second",
        "operations/s",
        True,
        0.15,
    ),
    "lifo": Subject(
        "lifo",
        "how fast is a stack with a head of 16 bytes, by threads?",
        "elements_per_second",
        "elements/s",
        True,
        0.2,
    ),
}


@dataclass(frozen=True)
class Piece:
    """One run of a program, which measures one or more variants."""

    subject: str
    work: str
    options: tuple[str, ...]
    #: What each variant is opened from: "NAME=PATH" for those that a program takes in turn.
    libraries: tuple[str, ...]
    #: Where the program does not name the variant itself.
    variant: str = ""

    @property
    def name(self) -> str:
        return f"{self.subject}/{self.work}" + (f"/{self.variant}" if self.variant else "")

    def command(self, program: Path, seconds: float, libraries: Sequence[str]) -> list[str]:
        return [str(program), *self.options, "-s", str(seconds), "-l", "-", *libraries]


@dataclass(frozen=True)
class Built:
    """Where the programs are, and the libraries: ours, ours with each kind of lock, the system's.
    `injecting` are those that say when they have taken a lock: what -f asks for."""

    folder: Path
    ours: Path
    kinds: dict[str, Path]
    injecting: dict[str, Path]
    system: Path
    #: Where the processor has one.
    instruction: Path | None = None


def calls_of(program: Path) -> list[str]:
    """Every function in every order, as the program calls them."""
    listed = subprocess.run([program, "-w", "list"], capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def operations(built: Built) -> Iterator[Piece]:
    libraries = (f"{OURS}={built.ours}", f"{SYSTEM}={built.system}")
    limit = () if built.instruction is None else (f"{INSTRUCTION}={built.instruction}",)
    for call in calls_of(built.folder / "operations"):
        beside = limit if is_one_instruction(call) else ()
        yield Piece("operations", call, ("-w", call), libraries + beside)


def is_one_instruction(call: str) -> bool:
    return call.startswith("__atomic_compare_exchange_16/")


def contended(built: Built) -> Iterator[Piece]:
    for descheduled in (0, DESCHEDULED):
        ours = built.injecting.get("default") if descheduled else built.ours
        if ours is None:
            continue
        libraries = (f"{OURS}={ours}", f"{SYSTEM}={built.system}")
        for work in ("load_and_compare_exchange", "exchange"):
            for threads in FEW_THREADS:
                yield Piece(
                    "contended",
                    work_name(work, threads, descheduled),
                    ("-w", work, *options(threads, descheduled)),
                    libraries,
                )


def kinds(built: Built) -> Iterator[Piece]:
    """Every kind of lock and the system's library, in turns."""
    for descheduled, libraries in ((0, built.kinds), (DESCHEDULED, built.injecting)):
        variants = {kind: path for kind, path in libraries.items() if kind != "default"}
        if not variants:
            continue
        variants[SYSTEM] = built.system
        for threads in FEW_THREADS:
            yield Piece(
                "kinds",
                work_name("exchange", threads, descheduled),
                ("-w", "exchange", *options(threads, descheduled)),
                tuple(f"{name}={path}" for name, path in variants.items()),
            )


def lifo(built: Built) -> Iterator[Piece]:
    for descheduled, counts in ((0, STACK_THREADS), (DESCHEDULED, FEW_THREADS)):
        kinds = built.injecting if descheduled else built.kinds
        variants = {
            **{kind: ("locked", str(path)) for kind, path in kinds.items() if kind != "default"},
            SYSTEM: ("locked", str(built.system)),
            "instruction_called": ("called", str(built.ours)),
            "instruction": ("inlined", ""),
            "bare_pthread_mutex": ("pthread_mutex", ""),
        }
        for threads in counts:
            for variant, (how, library) in variants.items():
                yield Piece(
                    "lifo",
                    work_name("stack", threads, descheduled),
                    ("-k", how, *options(threads, descheduled)),
                    (library,) if library else (),
                    variant,
                )


def options(threads: int, descheduled: int) -> tuple[str, ...]:
    return ("-t", str(threads), *(("-f", str(descheduled)) if descheduled else ()))


def work_name(work: str, threads: int, descheduled: int) -> str:
    return f"{work}/threads:{threads}" + (f"/descheduled:{descheduled}" if descheduled else "")


def all_pieces(built: Built) -> list[Piece]:
    return [*operations(built), *contended(built), *kinds(built), *lifo(built)]


#: Of a time: at most so much of the system's. What is not here is not to be slower.
BOUNDS = {
    "__atomic_store_16/release": 0.6,
    "__atomic_store_16/seq_cst": 0.9,
    "__atomic_compare_exchange_16/seq_cst/succeeds": 0.9,
    "__atomic_compare_exchange_16/seq_cst/fails": 0.9,
    "__atomic_load/24 bytes/relaxed": 0.7,
    "__atomic_load/24 bytes/seq_cst": 0.7,
}


def targets_of(works: Sequence[tuple[str, str]]) -> list[Target]:
    """The target of each (subject, work) that has one."""
    targets = []
    for subject, work in works:
        if subject == "contended":
            few = work.startswith("load_and_compare_exchange/") and (
                "threads:1/" in f"{work}/" or "threads:2/" in f"{work}/"
            )
            targets.append(Target(subject, work, OURS, SYSTEM, 1.3 if few else 1.0, at_least=True))
        elif subject == "operations":
            targets.append(Target(subject, work, OURS, SYSTEM, BOUNDS.get(work, 1.0)))
            if is_one_instruction(work):
                targets.append(Target(subject, work, INSTRUCTION, SYSTEM, BOUNDS[work]))
    return targets
