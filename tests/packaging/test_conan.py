# SPDX-License-Identifier: MIT
"""The Conan package: made by the documented command, in a cache of its own, and programs are built
against it and run (packaging/conan/test_package)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "packaging" / "conan" / "requirements.txt"

pytestmark = [pytest.mark.timeout(1800), pytest.mark.lot(8, "ways of installing")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """In which `conan` is found, with an empty cache."""
    folder = tmp_path_factory.mktemp("conan")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    done = subprocess.run(
        [*pip, "--require-hashes", "-r", PINNED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (folder / "tmp").mkdir()
    path = f"{folder / 'venv' / 'bin'}:{os.environ['PATH']}"
    return os.environ | {
        "PATH": path,
        "CONAN_HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
    }


def conan(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["conan", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_programs_are_built_against_the_package(environment: dict[str, str]) -> None:
    assert conan(environment, "profile", "detect").returncode == 0
    done = conan(environment, "create", "packaging/conan")
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout + done.stderr
    assert told.count("sum 500500") == 3
    other = conan(environment, "install", "--requires=fencepost/0.1.0", "-s", "os=Windows")
    assert other.returncode != 0 and "needs Linux" in other.stdout + other.stderr
