# SPDX-License-Identifier: MIT
"""Builds of the atomics runtime, and programs that are linked to them and run."""

from __future__ import annotations

import fcntl
import platform
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from fencepost.toolchain.toolchain import build_directory

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


def sh(*command: str | Path, timeout: float = 300) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Runtime:
    """A build of src/atomics: what ships, or with other options, or for another machine."""

    name: str
    options: tuple[str, ...] = ()
    target: str = ""  # as compilers call it; empty for this machine
    launcher: tuple[str, ...] = ()

    compiler: str = "g++"
    #: Of the library's sources those that are built, into an archive; none stands for all.
    sources: tuple[str, ...] = ()

    @property
    def tools(self) -> str:
        return f"{self.target}-" if self.target else ""

    def running(self, program: str | Path) -> list[str | Path]:
        """The words that run it."""
        one_processor = [ROOT / "scripts" / "emulate.sh"] if self.launcher else []
        return [*one_processor, *self.launcher, program]

    def needed(self) -> None:
        names = [f"{self.tools}{self.compiler}", *self.launcher[:1]]
        missing = [name for name in names if shutil.which(name) is None]
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")

    def folder(self) -> Path:
        """Where its two libraries are, built if they are not."""
        if not self.options:
            return build_directory() / "src" / "atomics"
        return _built(self.name, self.options, self.target, self.sources)

    def archive(self) -> Path:
        return self.folder() / "libfencepost_atomic.a"

    def shared(self) -> Path:
        return self.folder() / "libatomic.so.1"


@cache
def _built(name: str, options: tuple[str, ...], target: str, sources: tuple[str, ...]) -> Path:
    self_contained = [
        f"-DFENCEPOST_{what}=OFF" for what in ("C", "EXAMPLES", "INSTALL", "TESTS", "TOOLS")
    ]
    cross = []
    if target:
        machine = "ppc64le" if target.startswith("powerpc64le") else target.partition("-")[0]
        cross = [
            "-DCMAKE_SYSTEM_NAME=Linux",
            f"-DCMAKE_SYSTEM_PROCESSOR={machine}",
            f"-DCMAKE_C_COMPILER={target}-gcc",
            f"-DCMAKE_CXX_COMPILER={target}-g++",
        ]
    build = ROOT / "build" / "atomics" / name
    build.mkdir(parents=True, exist_ok=True)
    with (build / "lock").open("w") as lock:  # several workers of pytest want the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        sh(
            *("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *self_contained,
            *cross,
            *options,
        )
        folder = build / "src" / "atomics"
        objects = [f"CMakeFiles/fencepost_atomic_objects.dir/{source}.cpp.o" for source in sources]
        targets = [f"src/atomics/{path}" for path in objects]
        targets = targets or ["fencepost_atomic", "fencepost_atomic_static"]
        sh("cmake", "--build", build, "--target", *targets)
        if objects:
            sh("ar", "rcs", folder / "libfencepost_atomic.a", *(folder / path for path in objects))
    return folder


#: What there is of a kind of lock: enough for programs that call functions for any size alone.
LOCK_PATH = ("generic", "lock_table/fork", "lock_table/injection", "lock_table/statistics")

SHIPPED = Runtime("shipped")
LOCKS = [
    Runtime(kind, (f"-DFENCEPOST_ATOMIC_LOCK={kind}",))
    for kind in (
        "futex_mutex",
        "published_futex",
        "musl_lock",
        "pthread_mutex",
        "mtx",
        "compare_exchange_spin",
        "flag_spin",
    )
]
BY_CLANG = Runtime("by_clang", ("-DCMAKE_C_COMPILER=clang-14", "-DCMAKE_CXX_COMPILER=clang++-14"))
#: Counts what happens at its locks, and calls whoever wants to stop a thread there.
INSTRUMENTATION = ("-DFENCEPOST_ATOMIC_INJECT=ON", "-DFENCEPOST_ATOMIC_STATISTICS=ON")
INSTRUMENTED = Runtime("instrumented_shipped", INSTRUMENTATION)
BLOCKING = Runtime("blocking_signals", ("-DFENCEPOST_ATOMIC_BLOCK_SIGNALS=ON",))
_CROSS = ("-DFENCEPOST_ATOMIC=ON",)
#: AArch64 with neither LSE nor LSE2, with LSE, with both: what the library asks for at run time.
MACHINES = [
    *(
        Runtime("aarch64", _CROSS, "aarch64-linux-gnu", ("qemu-aarch64", "-cpu", processor))
        for processor in ("cortex-a53", "cortex-a76", "max")
    ),
    Runtime("riscv64", _CROSS, "riscv64-linux-gnu", ("qemu-riscv64",)),
    Runtime("ppc64le", _CROSS, "powerpc64le-linux-gnu", ("qemu-ppc64le",)),
]


def has_exchange_of_16_bytes(runtime: Runtime, folder: Path) -> bool:
    """The emulator of ppc64le in qemu 7.2 lets every stqcx. fail."""
    if runtime.name != "ppc64le":
        return True
    program = folder / "probe"
    sh("powerpc64le-linux-gnu-gcc", "-static", PROGRAMS / "stqcx.c", "-o", program)
    return subprocess.run(runtime.running(program)).returncode == 0


def build(
    runtime: Runtime,
    folder: Path,
    *sources: str | Path,
    compiler: str = "gcc",
    flags: tuple[str, ...] = (),
    linked: str = "static",
) -> Path:
    """A program of programs/, linked to the runtime: statically with all that it needs where it is
    to run under an emulator."""
    runtime.needed()
    program = folder / "program"
    library: tuple[str | Path, ...] = (runtime.archive(),)
    if linked == "shared":
        library = (runtime.shared(), f"-Wl,-rpath,{runtime.folder()}")
    if runtime.target:
        flags = (*flags, "-static")
        if not has_exchange_of_16_bytes(runtime, folder):
            flags = (*flags, "-DWITHOUT_16_BYTES")
    paths = [PROGRAMS / source if isinstance(source, str) else source for source in sources]
    sh(
        *(f"{runtime.tools}{compiler}", "-std=c11", "-O1", *WARNINGS, "-pthread", *flags),
        *(*paths, "-o", program, *library),
    )
    return program


def run(runtime: Runtime, program: Path, *words: str) -> None:
    sh(*runtime.running(program), *words)


def is_here(machine: str) -> bool:
    return platform.machine() == machine
