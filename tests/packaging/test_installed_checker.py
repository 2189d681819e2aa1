# SPDX-License-Identifier: MIT
"""The command line where it is installed: it works from any folder, without the source tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from debian_package import debian_package

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()
#: Python with pyelftools, as the launcher looks for it.
PYTHON = Path(sys.executable).parent


def sh(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("FENCEPOST")}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**surroundings, "PATH": f"{PYTHON}:{surroundings['PATH']}"},
    )


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Installed, and then moved."""
    first = tmp_path_factory.mktemp("first") / "prefix"
    for component in ("tools", "development"):
        done = sh("cmake", "--install", BUILD, "--component", component, "--prefix", first)
        if component == "tools":
            assert done.returncode == 0, done.stderr
    moved = tmp_path_factory.mktemp("moved") / "a prefix"
    return Path(shutil.move(first, moved))


def test_a_program_is_checked_from_anywhere(prefix: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "checker" / "both_saw_nothing.c", tmp_path / "mine.c")
    done = sh(prefix / "bin" / "fencepost", "check", "mine.c", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "mine.c: violated under c++20" in done.stdout


def test_orders_are_weakened_from_anywhere(prefix: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "checker" / "too_strong.cpp", tmp_path / "mine.cpp")
    done = sh(prefix / "bin" / "fencepost", "weaken", "--no-costs", "mine.cpp", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "orders can be weaker" in done.stdout


def test_it_says_which_version_and_commit_it_was_installed_from(prefix: Path) -> None:
    done = sh(prefix / "bin" / "fencepost", "--version")
    commit = sh("git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*").stdout.strip()
    assert done.stdout == f"fencepost 0.1.0 ({commit})\n", done.stderr


def test_the_study_stays_in_the_source_tree(prefix: Path) -> None:
    done = sh(prefix / "bin" / "fencepost", "study", "event-mutex")
    assert done.returncode == 3
    assert "commands: check, weaken" in done.stderr
    assert not list(prefix.rglob("commands/study.py"))


def test_results_are_reported_from_anywhere(prefix: Path, tmp_path: Path) -> None:
    command = prefix / "bin" / "fencepost"
    results = ROOT / "docs" / "design" / "findings" / "results.jsonl"
    done = sh(command, "report", results, "--asm", "--html", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ours is" in done.stdout
    assert (tmp_path / "page.html").stat().st_size > 100_000
    refused = sh(command, "report", results, "--full", cwd=tmp_path)
    assert refused.returncode == 3
    assert "the proofs are of the source tree" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        "bench --list",
        "bench server --list",
        "compare --measure true false --rounds 3",
        "run --list",
        "barrierd --help",
        "asm --list",
    ],
)
def test_no_command_misses_a_module(prefix: Path, tmp_path: Path, words: str) -> None:
    done = sh(prefix / "bin" / "fencepost", *words.split(), cwd=tmp_path)
    assert "mistake of Fencepost's own" not in done.stderr, done.stderr


def test_no_installed_script_knows_where_it_was_built(prefix: Path) -> None:
    for path in prefix.rglob("*"):
        if path.is_file() and path.suffix != ".a":
            assert str(ROOT).encode() not in path.read_bytes(), path


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return debian_package("tools", tmp_path_factory.mktemp("package"))


def test_the_package_compiles_its_python_and_leaves_nothing(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)  # of all tests
    database = tmp_path / "var" / "lib" / "dpkg"
    for folder in ("info", "updates", "triggers"):
        (database / folder).mkdir(parents=True)
    (database / "status").touch()

    def dpkg(*words: str | Path) -> None:
        # Its scripts run outside of the folder, which has neither a shell nor what it depends on.
        command = ["dpkg", f"--root={tmp_path}", f"--log={tmp_path}/log", "--force-depends"]
        command += ["--force-not-root", "--force-script-chrootless", "--force-bad-path"]
        done = sh(*([] if os.geteuid() == 0 else ["fakeroot"]), *command, *words)
        assert done.returncode == 0, done.stdout + done.stderr

    dpkg("--install", package)
    (folder,) = tmp_path.glob("usr/**/fencepost/lab")
    sources = list(folder.rglob("*.py"))
    tag = sys.implementation.cache_tag
    compiled = {str(file.parent / "__pycache__" / f"{file.stem}.{tag}.pyc") for file in sources}
    assert sources and {str(file) for file in folder.rglob("*.pyc")} == compiled
    # What they say of themselves does not speak of where they were unpacked.
    assert str(tmp_path).encode() not in Path(min(compiled)).read_bytes()
    dpkg("--remove", "fencepost-tools")
    assert not folder.exists()
