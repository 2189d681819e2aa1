# SPDX-License-Identifier: MIT
"""The files that `fencepost check` is asked for: what is in them, and what cannot be written."""

from __future__ import annotations

import html
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from answer import Check, fencepost
from test_exit_statuses import ENDLESSLY_MANY, order

#: Everything that can be asked for, with its name.
FILES = {"--svg": "a.svg", "--html": "a.html", "--junit": "a.xml", "--sarif": "a.sarif"}
ASKED = [word for both in FILES.items() for word in both]


def test_the_graph_is_drawn_on_request(check: Check, tmp_path: Path) -> None:
    answer = check(order("relaxed"), "--svg", "graph.svg")
    assert answer.result["violation"]["svg"] == "graph.svg"
    root = ElementTree.parse(tmp_path / "graph.svg").getroot()
    text = "".join(root.itertext())
    assert "writes x = 1" in text and "program.c:9" in text


def test_nothing_stays_of_a_violation_when_the_program_holds(check: Check, tmp_path: Path) -> None:
    check(order("relaxed"), *ASKED)
    before = {name: (tmp_path / name).read_text() for name in FILES.values()}
    assert all("assertion" in text for text in before.values())
    answer = check(order("seq_cst"), *ASKED)
    assert answer.status == 0
    assert answer.result["html"] == "a.html" and answer.result["svg"] == "a.svg"
    for name in FILES.values():
        assert "assertion" not in (tmp_path / name).read_text(), name
    page = html.unescape((tmp_path / "a.html").read_text())
    assert "holds under c++20: 3 executions" in page
    assert all(text in page for text in answer.result["assumptions"])
    drawn = "".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert "holds under c++20: 3 executions" in drawn


def test_a_page_says_what_an_inconclusive_search_did_not_explore(
    check: Check, tmp_path: Path
) -> None:
    answer = check(ENDLESSLY_MANY, "--max-executions", "5", "--html", "a.html")
    assert answer.status == 2
    page = (tmp_path / "a.html").read_text()
    assert "inconclusive" in page and answer.result["reason"] in page


@pytest.mark.parametrize("asked", FILES)
def test_what_cannot_be_written_is_said_before_the_search(check: Check, asked: str) -> None:
    answer = check("int main(void) { does not compile }", asked, "nowhere/file")
    assert (answer.status, answer.results) == (3, [])
    assert answer.errors.startswith("fencepost: nowhere/file cannot be written: ")
    assert "compile" not in answer.errors


@pytest.mark.parametrize("asked", FILES)
def test_a_verdict_is_told_though_a_file_cannot_be_written(check: Check, asked: str) -> None:
    answer = check(order("relaxed"), asked, "/dev/full")
    assert (answer.status, answer.verdict) == (1, "violated")
    assert answer.result["violation"]["trace"]
    assert answer.errors.startswith("fencepost: /dev/full: No space left on device")
    answer = check(order("seq_cst"), asked, "/dev/full")
    assert (answer.status, answer.verdict) == (3, "holds"), "what is missing is not passed over"
    assert answer.errors.startswith("fencepost: /dev/full: No space left on device")


@pytest.mark.parametrize("place", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_pages_and_terminals_where_the_locale_has_ascii_only(
    tmp_path: Path, place: dict[str, str]
) -> None:
    source = order("relaxed").replace("a = atomic", "a = /*ä*/atomic")
    (tmp_path / "größe.c").write_text(source, encoding="utf-8")
    done = fencepost("check", "größe.c", *ASKED, cwd=tmp_path, **place)
    assert done.returncode == 1, done.stderr
    for name in FILES.values():
        written = (tmp_path / name).read_bytes().decode("utf-8")
        assert ("gr%C3%B6%C3%9Fe.c" if name == "a.sarif" else "größe.c") in written, name
    assert "/*ä*/atomic" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert done.stdout.isascii() and "gr\\xf6\\xdfe.c: violated" in done.stdout
    assert "   *" in done.stdout, "who makes a step"
    assert "/*\\xe4*/atomic" in done.stdout, "sources are read as they are written"


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_no_file_is_made_that_nobody_has_asked_for(
    check: Check, tmp_path: Path, compiler: str
) -> None:
    flags = ["-gsplit-dwarf", "-MD", "-fstack-usage"]
    assert check(order("relaxed"), "--cc", compiler, "--", *flags).status == 1
    assert [file.name for file in tmp_path.iterdir()] == ["program.c"]
