# SPDX-License-Identifier: MIT
"""The action of action.yml, as the workflow in docs/checker/in_your_project.md uses it, in a
project of somebody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from workflow import ROOT, script

STORE_BUFFERING = """\
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y;
int main() {
  int saw = 0, i_saw = 0;
  std::thread other([&] { x.store(1, std::memory_order_release); saw = y.load(); });
  y.store(1, std::memory_order_release);
  i_saw = x.load();
  other.join();
  assert(saw + i_saw > 0);
}
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runner")


def workflow(runner: Path, project: Path) -> subprocess.CompletedProcess[str]:
    surroundings = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    pips = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return subprocess.run(
        # One build of a wheel at a time.
        ["flock", ROOT / "build" / "wheel" / "lock", "bash", "-c", script()],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={
            **surroundings,
            **pips,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "RUNNER_TEMP": str(runner),
            "GITHUB_PATH": str(runner / "path"),
        },
    )


@pytest.mark.lot(8, "ways of installing")
@pytest.mark.timeout(1800)  # of which most is for the compiler
def test_the_workflow_fails_where_a_check_fails_and_leaves_its_reports(
    runner: Path, tmp_path: Path
) -> None:
    (ROOT / "build" / "wheel").mkdir(parents=True, exist_ok=True)
    checks = tmp_path / "checks"
    checks.mkdir()
    shutil.copy(ROOT / "examples" / "checker" / "latch.cpp", checks)
    done = workflow(runner, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checks/latch.cpp: holds under c++20" in done.stdout
    assert "checks/latch.cpp: holds under x86" in done.stdout
    assert (runner / "path").read_text().splitlines()[-1] == str(runner / "fencepost" / "bin")

    (checks / "store_buffering.cpp").write_text(STORE_BUFFERING)
    done = workflow(runner, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    for name in ("fencepost.sarif", "fencepost.xml"):
        assert "store_buffering.cpp" in (tmp_path / name).read_text()
    assert list(tmp_path.glob("fencepost-store_buffering*.html"))
