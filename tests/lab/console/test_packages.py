# SPDX-License-Identifier: MIT
"""Commands that say how sure figures are need numpy and scipy; the others start without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fencepost import ROOT
from measured import lines, write_lines

WITHOUT = """\
import sys
sys.modules |= dict.fromkeys(("numpy", "scipy"))
from fencepost.cli import main
sys.exit(main(sys.argv[1:]))
"""


def python(program: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "lab")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.jsonl"
    write_lines(path, lines({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}))
    return path


@pytest.mark.parametrize(
    "command",
    [
        "compare a b --results",
        "report",
        "bench --report",
        "bench --layout --report",
        "bench atomics --report",
        "bench claims --report",
        "bench latency --report",
    ],
)
def test_what_is_missing_is_named_with_its_debian_packages(command: str, results: Path) -> None:
    done = python(WITHOUT, *command.split(), results)
    assert done.returncode == 3
    assert done.stderr.startswith("fencepost: ")
    assert done.stderr.endswith(" needs numpy and scipy (Debian: python3-numpy python3-scipy)\n"), (
        done.stderr
    )


@pytest.mark.parametrize("command", ["--help", "bench --help", "check --help", "results"])
def test_other_commands_do_without(command: str, results: Path) -> None:
    done = python(WITHOUT, *command.split(), *([results] if command == "results" else []))
    assert (done.returncode, done.stderr) == (0, "")


def test_no_command_loads_them_before_it_judges_figures() -> None:
    """They take longer to load than all the rest."""
    loaded = python(
        "import sys, importlib, pkgutil, fencepost.commands\n"
        "for one in pkgutil.iter_modules(fencepost.commands.__path__):\n"
        "    importlib.import_module(f'fencepost.commands.{one.name}')\n"
        "print(*sys.modules)"
    ).stdout.split()
    assert "fencepost.commands.bench" in loaded
    assert not [name for name in loaded if name in ("numpy", "scipy")]
