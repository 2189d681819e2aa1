# SPDX-License-Identifier: MIT
"""Who builds where somebody else is building waits."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from scripted import ROOT

#: In the place of cmake: says so where another one is at work.
ALONE = """\
#!/bin/sh
mkdir busy || { echo somebody else is building; exit 1; }
sleep 0.2
rmdir busy
touch build/usual/build.ninja
"""


def test_two_builds_of_one_preset_do_not_meet(tmp_path: Path) -> None:
    for folder in ("scripts", "programs"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "scripts" / "build.sh", tmp_path / "scripts")
    cmake = tmp_path / "programs" / "cmake"
    cmake.write_text(ALONE)
    cmake.chmod(0o755)
    environment = {**os.environ, "PATH": f"{cmake.parent}:{os.environ['PATH']}"}
    builds = [
        subprocess.Popen(
            [tmp_path / "scripts" / "build.sh", "usual"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(3)
    ]
    for build in builds:
        said = build.communicate()[0]
        assert build.returncode == 0, said
