# SPDX-License-Identifier: MIT
"""The gallery of real bugs is complete: each is told, linked, and has its repair beside it. The
verdicts themselves are asked in test_programs.py."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from fencepost.explore.annotated import cases_of
from test_programs import GALLERY, ROOT

PAGE = (ROOT / "docs" / "checker" / "gallery.md").read_text()
BUGS = sorted(GALLERY.iterdir())


@pytest.mark.parametrize("bug", BUGS, ids=lambda path: path.stem)
def test_a_bug_is_found_as_it_was_and_its_repair_holds(bug: Path) -> None:
    cases = {case.name: case for case in cases_of(bug)}
    assert any(
        verdict.startswith("violated:")
        for expected in cases["broken"].expected.values()
        for verdict in expected.verdicts
    )
    assert cases["broken"].flags == ()
    assert cases["repaired"].flags == ("-DREPAIRED",)
    assert cases["repaired"].holds_under == tuple(cases["repaired"].expected)


@pytest.mark.parametrize("bug", BUGS, ids=lambda path: path.stem)
def test_a_bug_is_told_with_the_links_that_its_program_names(bug: Path) -> None:
    section = re.search(rf"^## {bug.stem}$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert section, f"docs/checker/gallery.md has no section '{bug.stem}'"
    head = bug.read_text().partition("\n#include")[0]
    links = re.findall(r"https://[^\s,;]+", head)
    assert links
    assert [link for link in links if link not in section[1]] == []


def test_the_table_gives_the_verdicts_of_the_programs() -> None:
    names = {"lost-wakeup": "lost wake-up", "data-race": "data race"}
    for bug in BUGS:
        broken = next(case for case in cases_of(bug) if case.name == "broken")
        told = []
        for model in ("c++20", "x86", "sc"):
            kind = broken.expected[model].verdicts[0].removeprefix("violated:")
            told.append(names.get(kind, kind))
        assert f"| [`{bug.stem}`](#{bug.stem}) | {' | '.join(told)} |" in PAGE


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("bun_thread_pool", [r"fetch_add: release → acq_rel", r"exchange: acquire → acq_rel"]),
        ("libcxx_atomic_wait", [r"no assignment of orders holds"]),
    ],
)
def test_the_smallest_repair_is_the_one_that_is_told(name: str, found: list[str]) -> None:
    command = [str(ROOT / "fencepost"), "weaken", "--strengthen", "--no-costs"]
    done = subprocess.run(
        [*command, str(GALLERY / f"{name}.cpp")], capture_output=True, text=True, check=False
    )
    assert [line for line in found if not re.search(line, done.stdout)] == []
    changes = re.findall(r"^\s+\S+:\d+:\d+: \w+: .* → ", done.stdout, re.M)
    assert len(changes) == sum("→" in line for line in found)
