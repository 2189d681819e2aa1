# SPDX-License-Identifier: MIT
"""The fuzz targets: a fixed number of inputs of each, made from those that are in corpora, and the
command that looks for more."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPORA = Path(__file__).with_name("corpora")
#: How many inputs: some tenths of a second.
RUNS = {
    "c_api": 1000,
    "deadlines": 5000,
    "hash_map": 150,
    "mpmc_ring": 200,
    "mutexes": 800,
    "readers": 3000,
    "reclamation": 100,
    "spsc_ring": 800,
    "synchronization": 800,
}


def test_each_target_has_inputs_to_begin_with() -> None:
    sources = {path.stem for path in CORPORA.parent.glob("*.cpp")}
    assert sources == set(RUNS) == {path.name for path in CORPORA.iterdir()}
    for target in RUNS:
        assert len(list((CORPORA / target).iterdir())) >= 20


@pytest.fixture(scope="session")
def programs() -> Path:
    subprocess.run([ROOT / "scripts" / "build.sh", "fuzz", "fuzz"], check=True, capture_output=True)
    return ROOT / "build" / "fuzz" / "tests" / "fuzz"


@pytest.mark.parametrize("target", RUNS)
def test_nothing_is_found_in_some_inputs(target: str, programs: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            programs / f"fuzz_{target}",
            f"-runs={RUNS[target]}",
            "-seed=1",
            f"-artifact_prefix={tmp_path}/",
            tmp_path,  # where it puts what it learns
            CORPORA / target,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    (runs,) = re.findall(r"^Done (\d+) runs", done.stderr, re.MULTILINE)
    assert int(runs) >= RUNS[target]


@pytest.mark.slow
def test_the_documented_command_looks_for_a_second_each() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (command,) = re.findall(r"^make fuzz SECONDS=\d+", text, re.MULTILINE)
    words = shlex.split(re.sub(r"\d+$", "1", command))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for target in RUNS:
        assert re.search(rf"{target}: [1-9]\d* inputs, nothing found", done.stdout)
