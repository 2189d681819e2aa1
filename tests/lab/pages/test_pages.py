# SPDX-License-Identifier: MIT
"""Pages, figures and Markdown of names that are markup: they stay names. And a browser would not
obey them if they did not."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import pytest
from fake_names import FakeNames
from fencepost.asm.protocols import SUBJECTS
from fencepost.console.shown import shown
from fencepost.execution.schema import Event, Exploration, Violation
from fencepost.pages.markup import escape, markdown, markdown_code, markdown_code_cell
from fencepost.profile.flame import folded, svg
from fencepost.render.graph_svg import draw
from fencepost.render.replay_page import page as replay_page
from fencepost.results.schema import Metric
from fencepost.study.findings import Checked, Finding
from fencepost.study.page import page as study_page
from markdown_it import MarkdownIt
from measured import FACTS, lines, write_lines
from playwright.sync_api import Browser
from scripted import ROOT

#: What would run, load or hide something, in every place that a name may stand.
MARKUP = (
    "\"'><script>ran=1</script><img src=x onerror=ran=1><style>*{color:red}</style>"
    "]]></title></svg><p style=color:red>&lt;x&amp;`|` ``\\|**\x1b\u202e\udcff</script>"
)


class HostileNames(FakeNames):
    def address(self, address: int) -> str:
        return f"{super().address(address)}{MARKUP}"

    def source(self, pc: int) -> str:
        return f"{super().source(pc)}{MARKUP}"

    def value(self, event: Event) -> str:
        return f"{event.value}{MARKUP}"

    def place(self, pc: int) -> str | None:
        return f"{MARKUP}:{pc}"

    def message(self, text: str) -> str:
        return f"{text}{MARKUP}"

    def thread(self, number: int) -> str:
        return f"{super().thread(number)}{MARKUP}"

    def frame(self, pc: int) -> None:
        return None


def report(folder: Path) -> tuple[str, list[str]]:
    """The page, and the figures beside it."""
    figures = {f"a{MARKUP}": [1.0, 2.0, 3.0], f"b{MARKUP}": [4.0, 5.0, 6.0]}
    metric = Metric(f"speed{MARKUP}", f"items{MARKUP}", "higher")
    facts = {name: f"{name}{MARKUP}" for name in ("started", "machine", "compiler", "flags")}
    parts = [
        lines(figures, "r", f"{MARKUP}/threads:{threads}", metric, subject=f"s{MARKUP}")
        for threads in (1, 2, 4)
    ]
    parts[0][0] |= FACTS | facts
    failed = {**parts[0][1], "kind": "failure", "message": MARKUP, "round": 9}
    results = write_lines(folder / "r.jsonl", parts[0][:1], *(p[1:] for p in parts), [failed])
    command = [
        str(ROOT / "fencepost"),
        "report",
        str(results),
        "--figures",
        str(folder / "f"),
        "--html",
        str(folder / "r.html"),
    ]
    subprocess.run([*command, "--title", MARKUP.replace("\udcff", "")], check=True, timeout=120)
    drawn = [one.read_text() for one in (folder / "f").glob("*.svg")]
    assert drawn
    return (folder / "r.html").read_text(), drawn


def study() -> str:
    subject = SUBJECTS["event-mutex"]
    (protocol,) = [one for one in subject.protocols() if one.id == "proposal_3"]
    graph = draw(violation(), HostileNames(), MARKUP)
    checked = Checked(
        "pair", "c++20", "violated", 5, 2, 0.1, "lost-wakeup", MARKUP, 9, MARKUP, graph, (MARKUP,)
    )
    return study_page(subject, [Finding(protocol, [checked], {}, {"lost": 3})], ["c++20"])


def violation() -> Violation:
    text = (Path(__file__).parents[1] / "lost_wakeup.json").read_text()
    return Violation.from_json(json.loads(text))


def replay() -> str:
    found = Exploration(
        "c++20", "violated", 1, 0, 0.1, violation=violation(), assumptions=(MARKUP,)
    )
    return replay_page(found, HostileNames(), MARKUP)  # type: ignore[arg-type]


def test_names_stay_names_in_a_flame_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [(f"outer{MARKUP}\n", MARKUP), (f"[mutex {MARKUP}]", "")]
    monkeypatch.setattr("fencepost.profile.flame.stacks", lambda *_: iter([(frames, 5000, 2)]))
    summary = mock.Mock()
    summary.locks.waited, summary.run.program, summary.run.lock = 5000, f"/a/{MARKUP}", MARKUP
    drawn = svg(summary, mock.Mock())
    tags = [element.tag.rpartition("}")[2] for element in ElementTree.fromstring(drawn).iter()]
    assert tags.count("script") == 1 and not {"img", "p"} & set(tags)
    (line,) = folded(summary, mock.Mock()).splitlines()
    assert line.endswith(" 5") and "\x1b" not in line and line.count(";") == 1


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    return report(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def pages(reported: tuple[str, list[str]]) -> dict[str, str]:
    return {"report": reported[0], "replay": replay(), "study": study()}


class _Code(HTMLParser):
    """Attributes of a page that are code or style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [name for name, _ in attrs if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("name", ["report", "replay", "study"])
def test_names_stay_names_in_a_page(name: str, pages: dict[str, str]) -> None:
    text = pages[name]
    assert "ran=1" in text, "they are there"
    assert "<script>ran" not in text and "<img" not in text and "<style>*" not in text
    assert "\x1b" not in text and "\u202e" not in text
    assert _Code(text).found == []
    text.encode()


def test_names_stay_names_in_figures(reported: tuple[str, list[str]]) -> None:
    for text in [*reported[1], draw(violation(), HostileNames(), MARKUP)]:
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
        assert not tags & {"script", "img", "p"}
        assert text.count("<style>") == 1 and "ran=1" in text


def opened(browser: Browser, file: Path, text: str) -> tuple[list[str], bool, str]:
    """What the page's policy kept from it, whether a name ran, and a heading's colour."""
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.add_init_script(
        "window.kept = []; document.addEventListener('securitypolicyviolation',"
        "event => kept.push(event.effectiveDirective))"
    )
    page.goto(file.as_uri())
    kept, ran = page.evaluate("kept"), page.evaluate("'ran' in window")
    colour = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    page.close()
    return sorted(set(kept)), ran, colour


@pytest.mark.parametrize("name", ["report", "replay", "study"])
def test_a_page_needs_nothing_that_its_policy_keeps_from_it_and_markup_would_do_nothing(
    name: str, pages: dict[str, str], browser: Browser, tmp_path: Path
) -> None:
    text = pages[name]
    kept, ran, colour = opened(browser, tmp_path / "page.html", text)
    assert kept == [] and not ran
    injected = MARKUP.replace("\udcff", "").replace("*{", "h1{")
    spoiled = re.sub("(<h1>.*?</h1>)", lambda found: found[0] + injected, text, count=1)
    assert spoiled != text
    kept, ran, still = opened(browser, tmp_path / "spoiled.html", spoiled)
    assert {"script-src-elem", "style-src-elem", "style-src-attr", "img-src"} <= set(kept)
    assert not ran and still == colour


WORDS = [
    MARKUP,
    "- item",
    "1. item",
    "12) item",
    "+ a",
    "=====",
    "    code",
    "# no",
    "a `code` b",
    "``",
    "`",
    " `a` ",
    "a\\",
    "\\",
    "a|b",
    "~~x~~ $x$ &amp; <b>",
    "[a](b) ![c](d) <https://x.y>",
    "two\nlines\n\n# of it",
    "| a | b |",
    "***",
    "_a_ *b*",
]


@pytest.mark.parametrize("words", WORDS)
def test_names_stay_names_in_markdown(words: str) -> None:
    """As a parser of Markdown's reads them."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    plain = shown(" ".join(words.split("\n")).strip(), kept="")
    one, many = escape(plain).replace("&#x27;", "'"), r"\s+"

    def text(html: str) -> str:
        return re.sub(many, " ", html).strip()

    def same(html: str, around: str) -> None:
        assert text(html) == text(around.replace("WORDS", one))

    same(parser.render(markdown(words)), "<p>WORDS</p>" if one else "")
    same(parser.render(f"### {markdown(words)}"), "<h3>WORDS</h3>")
    same(
        parser.render(f"* **{markdown(words)}**: x"),
        "<ul> <li><strong>WORDS</strong>: x</li> </ul>",
    )
    same(parser.render(f"x {markdown_code(words)}"), "<p>x <code>WORDS</code></p>")
    table = f"| a | b |\n| --- | --- |\n| {markdown(words)} | {markdown_code_cell(words)} |"
    cells = re.findall("<td>(.*?)</td>", parser.render(table), re.DOTALL)
    assert list(map(text, cells)) == [text(one), text(f"<code>{one}</code>")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_study_fits_a_telephone(browser: Browser, tmp_path: Path, scheme: str) -> None:
    subject = SUBJECTS["event-mutex"]
    graph = draw(violation(), FakeNames(), "a lost wake-up")  # type: ignore[arg-type]
    checked = Checked(
        "pair",
        "c++20",
        "violated",
        5,
        2,
        0.1,
        "lost-wakeup",
        "T1 sleeps",
        9,
        "mutex.cpp:9",
        graph,
        (),
    )
    findings = [Finding(one, [checked], {}, {"lost": 3}) for one in subject.protocols()]
    page = tmp_path / "study.html"
    page.write_text(study_page(subject, findings, ["c++20", "x86", "sc"]))
    tab = browser.new_page(
        viewport={"width": 400, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    tab.goto(page.as_uri())
    tab.screenshot(path=tmp_path / f"study-{scheme}.png", full_page=True)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    tab.close()
