# SPDX-License-Identifier: MIT
"""A Debian package of a component of the build that is tested."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()


def debian_package(component: str, where: Path) -> Path:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg is not installed")
    command = ["cpack", "--config", BUILD / "CPackConfig.cmake", "-B", where]
    command += ["-D", f"CPACK_COMPONENTS_ALL={component}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = where.glob("*.deb")  # and where it was put together
    return made
