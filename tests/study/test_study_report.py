# SPDX-License-Identifier: MIT
"""What is made of findings: tables that fit a terminal and a page that stands alone."""

import re
from html.parser import HTMLParser

import pytest
from fencepost.asm.listing import Instruction, Listing
from fencepost.asm.protocols import SUBJECTS
from fencepost.render.trace import Paint
from fencepost.study.findings import Checked, Finding
from fencepost.study.page import page
from fencepost.study.table import WIDTH, report

SUBJECT = SUBJECTS["event-mutex"]
MODELS = ("sc", "c++20", "x86")
VOID = {"meta", "br"}
OPTIONAL = {"td", "th", "tr", "html"}


def _finding(protocol_id: str, c20: str = "holds") -> Finding:
    (protocol,) = [p for p in SUBJECT.protocols() if p.id == protocol_id]
    kind = {"violated": "lost-wakeup"}.get(c20, "")
    checked = [Checked("pair", model, "holds", executions=1234) for model in ("sc", "x86")]
    text = " step 1 <main> x = 1\n"
    checked.append(
        Checked("pair", "c++20", c20, 5, 2, 0.1, kind, "thread 1 <sleeps>", 9, text, "<svg></svg>")
    )
    listing = Listing("leave", (Instruction(0, "xchg %al,(%rdi)"), Instruction(2, "ret")))
    return Finding(
        protocol,
        checked,
        {"x86-64-gcc": {"enter": listing, "leave": listing}},
        {"lost": 3, "seconds": 0.5},
    )


def _plain(findings: list[Finding]) -> str:
    return report(SUBJECT, findings, MODELS, Paint())


def test_a_row_tells_the_verdicts_and_how_the_claims_fared() -> None:
    text = _plain([_finding("proposal_3", "violated")])
    row = next(line for line in text.splitlines() if line.startswith("proposal_3"))
    assert re.split(r"\s{2,}", row) == [
        *("proposal_3", "16 Jul", "holds", "lost wake-up", "holds", "2,475", "3", "1 falls")
    ]


def test_a_claim_that_falls_is_named_with_who_when_and_why() -> None:
    text = _plain([_finding("proposal_3", "violated"), _finding("solution_1")])
    _, _, fallen = text.partition("Claims that do not survive")
    assert "proposal_3, reviewer, 16 Jul 10:49: correct (c++20)" in fallen
    assert "c++20: lost wake-up" in fallen
    assert "solution_1, " not in fallen


def test_what_is_inconclusive_is_never_told_as_holding() -> None:
    text = _plain([_finding("solution_1", "inconclusive")])
    row = next(line for line in text.splitlines() if line.startswith("solution_1"))
    assert "inconclusive" in row
    assert "Inconclusive" in text


def test_the_tables_fit_a_terminal() -> None:
    findings = [
        _finding(protocol.id, c20)
        for protocol in SUBJECT.protocols()
        for c20 in ("holds", "violated", "inconclusive")
    ]
    assert max(map(len, _plain(findings).splitlines())) <= WIDTH + 10


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID | OPTIONAL:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("href", "src") and value:
                self.targets.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID | OPTIONAL:
            assert self.open.pop() == tag


@pytest.mark.parametrize("c20", ["holds", "violated", "inconclusive"])
def test_the_page_stands_alone_and_its_links_lead_somewhere(c20: str) -> None:
    html = page(SUBJECT, [_finding("proposal_3", c20), _finding("solution_2")], MODELS)
    tags = _Tags()
    tags.feed(html)
    assert tags.open == []
    assert all(target.startswith("#") and target[1:] in tags.ids for target in tags.targets)


def test_the_page_shows_the_counterexample_as_graph_and_as_text() -> None:
    html = page(SUBJECT, [_finding("proposal_3", "violated")], MODELS)
    assert "<svg></svg>" in html
    assert "step 1 &lt;main&gt; x = 1" in html
    assert "thread 1 &lt;sleeps&gt;" in html
