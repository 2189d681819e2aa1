# SPDX-License-Identifier: MIT
"""What is said of skipped tests, and that only what is permitted may be skipped."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scripted import ROOT

SCRIPT = ROOT / "scripts" / "skips.py"
PYTEST = """<testsuites><testsuite>
<testcase classname="tests.a" name="runs"/>
<testcase classname="tests.a" name="is_left_out"><skipped message="{}"/></testcase>
{}</testsuite></testsuites>"""
CTEST = """<testsuite><testcase name="fence.global" classname="fence.global" status="notrun">
<skipped message=""/><system-out>[ RUN ] fence.global
/src/fence_test.cpp:81: Skipped
this kernel has no membarrier
[ SKIPPED ] fence.global</system-out></testcase></testsuite>"""
FAILURE = '<testcase classname="tests.a" name="fails"><failure/></testcase>'
PERMITTED = [
    line.removeprefix("unprivileged: ")
    for line in (ROOT / "tests" / "permitted_skips.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def judged(tmp_path: Path, *reports: str) -> subprocess.CompletedProcess[str]:
    paths = [tmp_path / f"{number}.xml" for number, _ in enumerate(reports)]
    for path, report in zip(paths, reports, strict=True):
        path.write_text(report)
    return subprocess.run(
        [sys.executable, SCRIPT, *paths], capture_output=True, text=True, check=False
    )


def test_a_skip_for_what_the_kernel_lacks_is_listed_with_its_reason(tmp_path: Path) -> None:
    done = judged(tmp_path, CTEST, PYTEST.format("this kernel has no nohz_full", ""))
    assert done.returncode == 0, done.stdout
    assert "skipped: this kernel has no membarrier\n  fence.global\n" in done.stdout
    assert "skipped: this kernel has no nohz_full\n  tests.a::is_left_out\n" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed, 2 skipped"


def test_a_skip_for_what_is_not_installed_fails(tmp_path: Path) -> None:
    done = judged(tmp_path, PYTEST.format("redis is not installed", ""))
    assert done.returncode == 1
    assert "skipped, which is not permitted: redis is not installed" in done.stdout


def test_a_failure_fails_and_so_does_a_run_of_nothing(tmp_path: Path) -> None:
    done = judged(tmp_path, PYTEST.format("this kernel has no nohz_full", FAILURE))
    assert done.returncode == 1 and "1 passed, 1 failed, 1 skipped" in done.stdout
    assert judged(tmp_path, "<testsuite/>").returncode == 1


def test_a_report_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    done = judged(tmp_path, "<testsuite>")
    assert done.returncode == 1 and "0.xml" in done.stderr
    missing = [sys.executable, SCRIPT, tmp_path / "missing.xml"]
    assert subprocess.run(missing, capture_output=True, check=False).returncode == 1


def test_the_list_is_short_and_permits_nothing_that_could_be_installed() -> None:
    assert 0 < len(PERMITTED) <= 12
    for one in PERMITTED:
        assert re.compile(one).fullmatch("redis-server is not installed") is None
        assert re.compile(one).fullmatch("not built") is None
