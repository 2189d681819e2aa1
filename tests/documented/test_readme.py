# SPDX-License-Identifier: MIT
"""What else the README shows: its program works, its output is what comes, all links lead on."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from documented_commands import PAGES, ROOT

README = (ROOT / "README.md").read_text()
PAGES_FOUND = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
MOST_BYTES = 7_000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Its program in a file."""
    (program,) = re.findall(r"```cpp\n(.*?)```", README, re.DOTALL)
    source = tmp_path / "program.cpp"
    source.write_text(program)
    return source


def test_its_program_compiles_and_runs(source: Path, tmp_path: Path) -> None:
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-pthread"]
    subprocess.run(["g++", *flags, str(source), "-o", str(tmp_path / "program")], check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout == "42\n"


def test_its_program_holds_in_seconds(source: Path) -> None:
    done = subprocess.run(
        [ROOT / "fencepost", "check", "--model", "sc,c++20,x86", "--timeout", "60", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("holds under") == 3


@pytest.mark.parametrize(
    ("page", "folder"),
    [("README.md", "."), ("docs/checker/first_check.md", "examples/first_check")],
)
def test_the_output_that_it_shows_is_what_comes(page: str, folder: str) -> None:
    text = (ROOT / page).read_text()
    (block,) = re.findall(r"^```\n\$ (.*?)```", text, re.DOTALL | re.MULTILINE)
    command, shown = block.split("\n", 1)
    told = subprocess.run(
        command.split(),
        cwd=ROOT / folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": f"{ROOT}:{os.environ['PATH']}"},
    ).stdout
    timeless = re.compile(r"\d+\.\d\d s")
    assert timeless.sub("", told).startswith(timeless.sub("", shown.rstrip("\n")))


def test_it_is_short() -> None:
    assert len(README.encode()) <= MOST_BYTES


@pytest.mark.parametrize("page", PAGES_FOUND, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)", text):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{page}: {target}"
        if anchor and file.suffix == ".md":
            assert anchor[1:] in anchors_of(file), f"{page}: {target}{anchor}"


def anchors_of(page: Path) -> set[str]:
    """As the usual renderers make them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }
