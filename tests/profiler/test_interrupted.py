# SPDX-License-Identifier: MIT
"""What interrupts the recorder while it makes an entry leaves nobody waiting for it."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupted")
    compile_ = ["gcc", "-O1", "-g", "-Wall", "-pthread"]
    library = folder / "libmakes.so"
    source = HERE / "makes_locks_in_children.c"
    subprocess.run([*compile_, "-shared", "-fPIC", "-o", library, source], check=True)
    made = folder / "interrupted"
    words = [*compile_, "-o", made, HERE / "interrupted.c", library, f"-Wl,-rpath,{folder}"]
    subprocess.run(words, check=True)
    return made


def _limit_files() -> None:
    """So that tables are small, and the report is."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))


@pytest.mark.parametrize("lock", ["glibc", "mutex"])
@pytest.mark.parametrize("case", ["jump", "fork"])
def test_an_entry_is_made_or_not(program: Path, case: str, lock: str) -> None:
    done = subprocess.run(
        [ROOT / "fencepost", "run", "--lock", lock, "--stats", os.devnull, "--", program, case],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
        preexec_fn=_limit_files,
    )
    assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr
