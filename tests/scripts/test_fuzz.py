# SPDX-License-Identifier: MIT
"""What scripts/fuzz.sh makes of targets that find something and of those that do not; what the
targets themselves find is tests/fuzz."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from scripted import ROOT

#: In the place of targets: the one says how many inputs it tried, the other what it found.
GOOD = """\
#!/bin/sh
echo "$@" >"$(dirname "$0")/asked"
echo "stat::number_of_executed_units: 4711"
"""
BAD = """\
#!/bin/sh
echo "library.cpp:7: what is expected here does not hold"
echo "noise"
echo "==1== ERROR: libFuzzer: deadly signal"
exit 77
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "fuzz.sh", tmp_path / "scripts")
    programs = {
        "scripts/build.sh": "#!/bin/sh\n",
        "build/fuzz/tests/fuzz/fuzz_good": GOOD,
        "build/fuzz/tests/fuzz/fuzz_bad": BAD,
    }
    for name, text in programs.items():
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    for target in ("good", "bad"):
        (tmp_path / "tests" / "fuzz" / "corpora" / target).mkdir(parents=True)
    return tmp_path


def fuzz(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "scripts" / "fuzz.sh", *words], capture_output=True, text=True, check=False
    )


def test_what_was_found_is_said_and_where_it_is(tree: Path) -> None:
    done = fuzz(tree, "3")
    assert done.returncode == 1
    assert "good: 4711 inputs, nothing found" in done.stdout
    assert "bad: library.cpp:7: what is expected here does not hold" in done.stderr
    assert "build/fuzz/findings" in done.stderr and "noise" not in done.stderr


def test_a_target_alone_makes_inputs_for_so_long_and_keeps_them(tree: Path) -> None:
    done = fuzz(tree, "3", "good")
    assert done.returncode == 0 and done.stderr == ""
    asked = (tree / "build/fuzz/tests/fuzz/asked").read_text().split()
    assert "-max_total_time=3" in asked
    assert asked[-2:] == ["build/fuzz/corpora/good", "tests/fuzz/corpora/good"]
    assert (tree / asked[-2]).is_dir()


@pytest.mark.parametrize("seconds", ["0", "-1", "1.5", "", "an hour"])
def test_no_time_is_refused(tree: Path, seconds: str) -> None:
    done = fuzz(tree, seconds)
    assert done.returncode != 0
    assert "SECONDS" in done.stderr
