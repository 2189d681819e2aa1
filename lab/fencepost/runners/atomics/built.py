# SPDX-License-Identifier: MIT
"""What a build directory holds of the benchmark, and the system's library beside it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from fencepost.runners.atomics.pieces import Built


class NotBuilt(Exception):
    """What is missing, and what to do."""


def build(directory: Path) -> None:
    """Build the programs and the libraries, where the directory is configured."""
    if not (directory / "CMakeCache.txt").is_file():
        raise NotBuilt(f"{directory} is no build directory: `make build` makes build/release")
    done = subprocess.run(
        ["cmake", "--build", str(directory), "--target", "bench_atomics"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise NotBuilt(f"the benchmark could not be built in {directory}:\n{last}")


def system_library() -> Path:
    """GCC's libatomic, where the compiler or the loader finds it."""
    for compiler in ("gcc", "cc"):
        if shutil.which(compiler) is None:
            continue
        for name in ("libatomic.so.1", "libatomic.so"):
            said = subprocess.run(
                [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False
            ).stdout.strip()
            if Path(said).is_absolute() and Path(said).is_file():
                return Path(said).resolve()
    raise NotBuilt(
        "GCC's libatomic.so.1 is not here (Debian: apt install libatomic1); "
        "--system says where another is"
    )


def listed(path: Path) -> dict[str, Path]:
    """NAME=PATH, a line each; those that are there."""
    if not path.is_file():
        return {}
    pairs = (line.partition("=") for line in path.read_text().splitlines() if line)
    return {name: Path(where) for name, _, where in pairs if Path(where).is_file()}


def find(directory: Path, system: Path | None) -> Built:
    folder = directory / "bench" / "atomics"
    kinds = listed(folder / "kinds.txt")
    missing = [
        name for name in ("operations", "contended", "lifo") if not (folder / name).is_file()
    ]
    if missing or "default" not in kinds:
        raise NotBuilt(
            f"{', '.join(missing) or 'the library'} is not built in {directory}: "
            "build the target bench_atomics, or leave --no-build out"
        )
    if system is not None and not system.is_file():
        raise NotBuilt(f"--system {system}: no such file")
    instruction = folder / "libbench_instruction.so"
    return Built(
        folder,
        kinds["default"],
        kinds,
        listed(folder / "injecting_kinds.txt"),
        system or system_library(),
        instruction if instruction.is_file() else None,
    )


def identity(built: Built) -> dict[str, str]:
    """What each measured file is, so that results of different ones are not mixed."""
    files = {
        **built.kinds,
        **{f"{kind}, injecting": path for kind, path in built.injecting.items()},
        "libatomic": built.system,
        **({"instruction": built.instruction} if built.instruction is not None else {}),
        **{name: built.folder / name for name in ("operations", "contended", "lifo")},
    }
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for name, path in sorted(files.items())
    }
