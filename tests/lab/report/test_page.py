# SPDX-License-Identifier: MIT
"""The page of `fencepost report` in a browser: on a desk, on a phone, on paper, by keyboard."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fencepost.results.schema import Metric
from measured import lines, write_lines
from playwright.sync_api import Browser, Page, expect
from scripted import ROOT

ROUNDS = 9
NOISE = [1 + 0.004 * ((7 * n) % 9 - 4) for n in range(ROUNDS)]
SPEEDS = {
    "fencepost_ring_with_a_very_long_name_indeed": 3.2e7,
    "another": 1.9e7,
    "slowest": 9e6,
    "third": 2.1e7,
}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: speeds over the number of threads, and a time with a distribution."""
    folder = tmp_path_factory.mktemp("report")
    metric = Metric("items_per_second", "items/s", "higher")
    parts = []
    for threads in (1, 2, 8, 32):
        speeds = {who: [v / threads**0.5 * noise for noise in NOISE] for who, v in SPEEDS.items()}
        parts.append(lines(speeds, f"r{threads}", f"full/threads:{threads}", metric))
    latency = lines(
        {"futex": [1000 * n for n in NOISE], "spin": [150 * n for n in NOISE]},
        "l",
        "",
        Metric("median", "ns", "lower"),
    )
    latency[0]["metrics"] = {"latency": latency[0]["metrics"]["rings"]}
    for number, window in enumerate(latency[1:]):
        window["subject"] = "latency"
        start = 190 if window["variant"] == "futex" else 130
        window["figures"].update(
            {f"bin {start + 3 * n + number % 3}": 1000 / 3**n for n in range(7)}
        )
    many = lines(
        {"a": [n % 37 + n % 41 + 50 for n in range(300)], "b": [n % 29 + 60 for n in range(300)]},
        "m",
        "",
    )
    many[0]["metrics"] = {"crowd": many[0]["metrics"]["rings"]}
    for window in many[1:]:
        window["subject"] = "crowd"
    results = write_lines(folder / "results.jsonl", *parts, latency, many)
    subprocess.run([str(ROOT / "fencepost"), "report", str(results)], check=True, timeout=120)
    return folder / "results.html"


@pytest.fixture
def tab(browser: Browser, page_file: Path) -> Iterator[Page]:
    """The page; fails the test if a script fails or anything but the file is asked for."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("request", lambda request: wrong.append(request.url) if request.url != page.url else 0)
    page.goto(page_file.as_uri())
    yield page
    page.close()
    assert [text for text in wrong if not text.startswith("file:")] == []


def column(tab: Page, number: int) -> list[str]:
    table = tab.locator(".subject table.sorts").first
    return table.locator(f"tbody tr td:nth-child({number})").all_text_contents()


def test_tables_sort_by_click_and_back(tab: Page) -> None:
    table = tab.locator(".subject table.sorts").first
    heading = table.locator("th", has_text="items per second")
    first = column(tab, 2)
    expect(heading).to_have_attribute("aria-sort", "none")
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    cells = table.locator("tbody tr td:nth-child(3)")
    values = [float(v) for v in cells.evaluate_all("all => all.map(one => one.dataset.value)")]
    assert values == sorted(values) and len(set(values)) == 16
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    values = [float(v) for v in cells.evaluate_all("all => all.map(one => one.dataset.value)")]
    assert values == sorted(values, reverse=True)
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "none")
    assert column(tab, 2) == first


def test_tables_sort_by_keyboard(tab: Page) -> None:
    table = tab.locator(".subject table.sorts").first
    heading = table.locator("th", has_text="variant")
    heading.get_by_role("button").focus()
    for key, order in (("Enter", "ascending"), ("Space", "descending")):
        tab.keyboard.press(key)
        expect(heading).to_have_attribute("aria-sort", order)
        names = column(tab, 2)
        assert names == sorted(names, reverse=order == "descending") and len(set(names)) == 4
    tab.keyboard.press("Tab")
    focused = tab.evaluate("document.activeElement.closest('th').textContent")
    assert focused == "items per second"


def test_rows_without_a_number_come_last_both_ways(tab: Page) -> None:
    heading = tab.locator(".subject table.sorts").first.locator("th", has_text="×")
    for _ in range(2):
        heading.get_by_role("button").click()
        ratios = column(tab, 4)
        assert "" not in ratios[:12] and ratios[12:] == [""] * 4


def test_works_sort_by_the_numbers_in_their_names(tab: Page) -> None:
    heading = tab.locator(".subject table.sorts").first.locator("th", has_text="work")
    heading.get_by_role("button").click()
    assert list(dict.fromkeys(column(tab, 1))) == [f"full, threads {n}" for n in (1, 2, 8, 32)]


def test_figures_are_there_and_every_window_is_seen(tab: Page) -> None:
    plots = tab.locator("svg.plot")
    boxes = plots.evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    assert len(boxes) == 1 + 4 + 2 + 1
    assert all(box["width"] > 300 and box["height"] > 80 for box in boxes)
    strips = tab.locator("svg[aria-label='full, threads 8']")
    assert strips.locator("circle").count() == ROUNDS * len(SPEEDS)
    lines_ = tab.locator("svg[aria-label='full, by threads']")
    assert lines_.locator("polyline.line").count() == len(SPEEDS)
    assert lines_.locator("circle.faint").count() == ROUNDS * len(SPEEDS) * 4
    crowd = tab.locator("section[id*=crowd] svg.plot")
    assert crowd.locator("polygon.density").count() == 2 and crowd.locator("circle").count() == 0
    tails = tab.locator("section[id*=latency] svg.plot").first
    assert tails.locator("polyline.thin").count() == 2 * ROUNDS


def test_every_axis_has_a_unit_and_no_text_leaves_its_figure(tab: Page) -> None:
    for words in ("M items/s", "threads, logarithmic", "median in ns", "time in ns"):
        assert tab.locator("svg.plot text", has_text=re.compile(f"^{words}")).count() > 0, words
    outside = tab.evaluate(
        """() => [...document.querySelectorAll("svg.plot")].flatMap(plot => {
          const frame = plot.getBoundingClientRect();
          return [...plot.querySelectorAll("text")].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < frame.left - 1 || box.right > frame.right + 1
                || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
          }).map(text => text.textContent);
        })"""
    )
    assert outside == []


def test_long_names_are_not_cut(tab: Page) -> None:
    names = tab.locator("svg[aria-label='full, threads 8'] text.name").all_text_contents()
    assert any(name.endswith("fencepost_ring_with_a_very_long_name_indeed") for name in names)


def test_names_and_numbers_of_a_row_do_not_overlap(tab: Page) -> None:
    overlapping = tab.evaluate(
        """() => [...document.querySelectorAll("svg.plot g")].filter(row => {
          const [name, number] = ["name", "number"].map(kind =>
            row.querySelector(`text.${kind}`)?.getBoundingClientRect());
          return name && number && name.right > number.left && name.bottom > number.top + 3;
        }).map(row => row.textContent)"""
    )
    assert overlapping == []


@pytest.mark.parametrize("width", [320, 375])
def test_a_phone_does_not_scroll_sideways(browser: Browser, page_file: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll("svg.plot")].map(plot =>
          11 * plot.getBoundingClientRect().width / plot.viewBox.baseVal.width))"""
    )
    assert smallest > 8, "letters of figures, in pixels"
    page.close()


def test_paper_has_everything_and_is_not_dark(browser: Browser, page_file: Path) -> None:
    context = browser.new_context(color_scheme="dark", viewport={"width": 700, "height": 1000})
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    cut = page.locator(".table").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert cut == 0
    assert page.locator("svg.plot:visible").count() == 8
    assert page.locator(".subject tbody tr:visible").count() == 16 + 2 + 2
    assert len(page.pdf(format="A4")) > 20_000
    context.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_without_scripts_everything_can_be_read(
    browser: Browser, page_file: Path, colours: str
) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme=colours)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert page.locator("th button").count() == 0
    assert page.locator(".subject tbody tr:visible").count() == 16 + 2 + 2
    text, paper = (
        page.locator("svg.plot text.number").first.evaluate(f"one => getComputedStyle(one).{what}")
        for what in ("fill", "stroke")
    )
    assert (text == "rgb(31, 35, 40)") == (colours == "light")
    assert (paper == "rgb(255, 255, 255)") == (colours == "light")
    context.close()


def test_the_page_holds_all_that_it_needs(page_file: Path) -> None:
    text = page_file.read_text()
    assert not re.search(r"\b(?:src|href)=[\"'](?!#)|@import|url\((?!#)", text)
