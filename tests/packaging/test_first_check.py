# SPDX-License-Identifier: MIT
"""The project of docs/checker/first_check.md, with Fencepost installed: its test fails, is
repaired by the page's command, and passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()

REPAIR = (
    "fencepost weaken --strengthen --diff queue_check.cpp > repair.patch; patch -p1 < repair.patch"
)


def sh(*command: str | Path, cwd: Path, prefix: Path) -> subprocess.CompletedProcess[str]:
    """With what is installed there before everything else, and Python with pyelftools."""
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("FENCEPOST")}
    path = f"{prefix / 'bin'}:{Path(sys.executable).parent}:{surroundings['PATH']}"
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**surroundings, "PATH": path},
    )


def test_it_fails_and_is_repaired(tmp_path: Path) -> None:
    prefix, project = tmp_path / "prefix", tmp_path / "project"
    for component in ("tools", "runtime", "development"):
        install = ["cmake", "--install", BUILD, "--component", component, "--prefix", prefix]
        done = sh(*install, cwd=tmp_path, prefix=prefix)
        assert done.returncode == 0, done.stderr
    shutil.copytree(ROOT / "examples" / "first_check", project)
    configured = sh(
        "cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=project, prefix=prefix
    )
    assert configured.returncode == 0, configured.stderr
    tested = sh("ctest", "--test-dir", "build", "-L", "fencepost", cwd=project, prefix=prefix)
    assert tested.returncode != 0 and "queue.c++20" in tested.stdout, tested.stdout
    assert REPAIR in (ROOT / "docs" / "checker" / "first_check.md").read_text()
    repaired = sh("bash", "-c", REPAIR, cwd=project, prefix=prefix)
    assert "patching file queue.hpp" in repaired.stdout, repaired.stderr
    tested = sh("ctest", "--test-dir", "build", "-L", "fencepost", cwd=project, prefix=prefix)
    assert tested.returncode == 0, tested.stdout
    assert "100% tests passed" in tested.stdout and "out of 2" in tested.stdout
