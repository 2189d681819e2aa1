# SPDX-License-Identifier: MIT
"""The copyright files of the Debian packages name what the packages link and ship that is not under
the license of everything else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()
NOTES = ROOT / "cmake" / "debian"
#: What the packages are made of.
SHIPPED = ("include", "src", "checker", "lab", "cmake", "fencepost", "docs", "examples")


def notes(component: str) -> str:
    """What the copyright file of its package has besides the license of everything."""
    file = NOTES / component / "copyright"
    return file.read_text() if file.is_file() else ""


def libraries(program: Path) -> list[str]:
    if program.is_symlink() or not program.is_file() or program.suffix in (".a", ".o"):
        return []
    if program.read_bytes()[:4] != b"\x7fELF":
        return []
    dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic.stdout)


@pytest.mark.parametrize("component", ["runtime", "development", "atomic", "tools", "barrierd"])
def test_every_library_that_a_package_is_linked_to_is_named(component: str, tmp_path: Path) -> None:
    install = [
        "cmake",
        "--install",
        str(BUILD),
        "--component",
        component,
        "--prefix",
        str(tmp_path),
    ]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    linked = {name for path in tmp_path.rglob("*") for name in libraries(path)}
    # On another processor the loader has another name.
    unnamed = {name for name in linked if name.partition("-linux")[0] not in notes(component)}
    assert not unnamed
    assert bool(linked) == (component in ("runtime", "tools", "barrierd"))


def test_every_source_under_another_license_is_named() -> None:
    git = [
        "git",
        "grep",
        "-hI",
        "--untracked",
        "-e",
        "SPDX-License-Identifier:",
        "--full-name",
        "-H",
    ]
    found = subprocess.run(
        [*git, "--", *SHIPPED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = [
        re.fullmatch(r"([^:]+):.*SPDX-License-Identifier: ([^*]*?)\s*(\*/)?", line)
        for line in found.stdout.splitlines()
    ]
    others = {line[1] for line in lines if line is not None and line[2] != "MIT"}
    assert "src/barrierd/kernel/interrupt_clock.bpf.c" in others
    said = "".join(file.read_text() for file in NOTES.glob("*/copyright"))
    assert {name for name in others if f" {name}\n" not in said} == set()


def test_every_license_that_is_named_is_given() -> None:
    given = {"Expat"}  # of everything, by cmake/debian/documents.cmake
    for file in NOTES.glob("*/copyright"):
        paragraphs = file.read_text().split("\n\n")
        own = {
            p.splitlines()[0].removeprefix("License: ") for p in paragraphs if p[:8] == "License:"
        }
        named = {
            word
            for p in paragraphs[1:]
            for line in re.findall(r"(?<=\n)License: (.+)", p)
            for word in line.split(" or ")
        }
        assert named - given == own, file
