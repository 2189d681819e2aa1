# SPDX-License-Identifier: MIT
"""make test runs its tests once: in a tree of its own, with stages that only say that they ran."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from scripted import ROOT

STAGE = '#!/bin/sh\necho "${0##*/}" >>ran\n'
#: The stages that run Python, and the summary of the tests.
PYTHON = """\
#!/bin/sh
case $* in
"-m pytest"*) echo pytest >>ran; [ ! -e failing ] ;;
*) echo "7 passed, 0 failed, 0 skipped" ;;
esac
"""


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    for name in ("build", "build_bench", "build_elsewhere", "lint"):
        script(tree / "scripts" / f"{name}.sh", STAGE)
    shutil.copy(ROOT / "scripts" / "test.sh", tree / "scripts")
    script(tree / ".venv" / "bin" / "python", PYTHON)
    script(tmp_path / "tools" / "ctest", "#!/bin/sh\n")
    (tree / ".gitignore").write_text("/build/\n/.venv\n/ran\n")
    (tree / "source").write_text("one\n")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "-C", str(tree)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        subprocess.run([*git, *words], check=True)
    return tree


def run(tree: Path, *flags: str, **environment: str) -> tuple[int, str, int]:
    """The status, what was said, and how many stages ran."""
    path = f"{tree.parent / 'tools'}:{os.environ['PATH']}"
    around = {name: value for name, value in os.environ.items() if name != "AGAIN"}
    (tree / "ran").unlink(missing_ok=True)
    done = subprocess.run(
        [tree / "scripts" / "test.sh", "release", "1", *flags],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**around, "PATH": path, **environment},
    )
    ran = (tree / "ran").read_text().split() if (tree / "ran").exists() else []
    return done.returncode, done.stdout, len(ran)


def test_a_second_time_it_says_what_came_of_the_first(tree: Path) -> None:
    status, said, ran = run(tree)
    assert (status, ran) == (0, 5) and "7 passed" in said
    status, said, ran = run(tree)
    assert (status, ran) == (0, 0)
    assert "Nothing has changed since all tests passed" in said and "7 passed" in said


@pytest.mark.parametrize("change", ["edited", "new", "committed", "flags", "variable", "asked"])
def test_whatever_changes_they_run_again(tree: Path, change: str) -> None:
    assert run(tree)[2] == 5
    if change in ("edited", "committed"):
        (tree / "source").write_text("two\n")
    if change == "new":
        (tree / "another").write_text("")
    if change == "committed":
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "-C", str(tree)]
        subprocess.run([*git, "commit", "-qam", "Two"], check=True)
    flags = ["-x"] if change == "flags" else []
    environment = {"variable": {"FENCEPOST_SEED": "3"}, "asked": {"AGAIN": "1"}}.get(change, {})
    assert run(tree, *flags, **environment)[2] == 5


def test_after_a_failure_they_run_again(tree: Path) -> None:
    assert run(tree)[0] == 0
    (tree / "failing").write_text("")
    assert run(tree)[::2] == (1, 5)
    assert run(tree)[::2] == (1, 5)
    (tree / "failing").unlink()
    assert run(tree)[::2] == (0, 5), "what failed last was not what passed before"


def test_what_is_no_repository_is_tested_each_time(tree: Path) -> None:
    shutil.rmtree(tree / ".git")
    assert [run(tree)[::2] for _ in range(2)] == [(0, 5), (0, 5)]
