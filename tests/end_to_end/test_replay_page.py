# SPDX-License-Identifier: MIT
"""The page of a counterexample, opened in Chromium and stepped through as a reader would."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from answer import ROOT, environment
from chromium import running_chromium
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.matrix(3)

PROGRAMS = ROOT / "tests" / "checker" / "programs"
EXAMPLES = ROOT / "examples" / "checker"

#: So many steps that neither graph nor sources fit on a screen.
LONG = """\
#include <assert.h>
#include <pthread.h>
#include <atomic>

static std::atomic<int> turns, scratch, last;

static void* take_turns(void* argument) {
  for (int i = 0; i < 30; i++) {
    turns.fetch_add(1);
    scratch.store(i, std::memory_order_relaxed);
  }
  return argument;
}

int main(void) {
  pthread_t one;
  pthread_create(&one, 0, take_turns, 0);
  while (turns.load() != 30) {
  }
  last.store(1);
  assert(turns.load() != 30);
  pthread_join(one, 0);
}
"""


#: The notifier looks for sleepers while its store may still wait in its buffer.
MONITOR = """\
#include <atomic>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

std::atomic<int> ready, sleepers, wake_ups;

int main() {
  std::thread waiter([] {
    sleepers.store(1, std::memory_order_seq_cst);
    if (!ready.load(std::memory_order_seq_cst)) {
      syscall(SYS_futex, &wake_ups, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
  });
  ready.store(1, std::memory_order_release);
  if (sleepers.load(std::memory_order_relaxed)) {
    wake_ups.store(1, std::memory_order_relaxed);
    syscall(SYS_futex, &wake_ups, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  waiter.join();
}
"""


@dataclass
class Case:
    """A program that is violated, and what its page must say."""

    source: Path | str
    kind: str
    says: str
    model: str = "c++20"
    flags: list[str] = field(default_factory=list)


CASES = {
    "lost-wakeup": Case(
        MONITOR,
        "lost-wakeup",
        "main's store to ready (step 2) is still in its store buffer when T1 reads the old value 0",
        "x86",
    ),
    "data-race": Case(
        PROGRAMS / "lockfree" / "pointer_publication.cpp",
        "data-race",
        "but that is no synchronisation: the write is relaxed",
        flags=["-DSTORE=relaxed"],
    ),
    "assertion": Case(
        EXAMPLES / "both_saw_nothing.c", "assertion", "there is no psc edge between the two"
    ),
    "deadlock": Case(
        PROGRAMS / "pthread" / "mutex_order.c",
        "deadlock",
        "No weak memory is needed for this",
        "sc",
        ["-DOPPOSITE"],
    ),
    "use after free": Case(
        PROGRAMS / "memory" / "use_after_free.c",
        "memory",
        "Nothing orders main's step 2 and T1's step 3",
        flags=["-DTHREAD"],
    ),
    "many steps": Case(
        PROGRAMS / "lockfree" / "treiber_stack.cpp", "assertion", "No weak memory is needed"
    ),
}


def write_page(case: Case, directory: Path) -> Path:
    path, source = directory / "page.html", case.source
    if isinstance(source, str):
        source = directory / "program.cpp"
        source.write_text(str(case.source))
    done = subprocess.run(
        [
            *(str(ROOT / "fencepost"), "check", str(source), "--model", case.model),
            *("--html", str(path), "--", *case.flags),
        ],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert str(path) in done.stdout
    return path


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: write_page(case, tmp_path_factory.mktemp("page")) for name, case in CASES.items()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A page that fails the test if a script fails or anything but the file is asked for."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("request", lambda request: wrong.append(request.url) if request.url != page.url else 0)
    yield page
    page.close()
    assert [text for text in wrong if not text.startswith("file:")] == []


def open_page(tab: Page, path: Path, fragment: str = "") -> None:
    tab.goto(path.as_uri() + fragment)


def rows(tab: Page) -> list[int]:
    shown = tab.locator(".steps-table tbody tr:visible")
    return [int(number) for number in shown.locator(".number").all_text_contents()]


@pytest.mark.matrix(3)
@pytest.mark.parametrize("name", CASES)
def test_the_page_says_what_went_wrong_and_why(
    tab: Page, pages: dict[str, Path], name: str
) -> None:
    open_page(tab, pages[name])
    expect(tab.locator("h1 .kind")).to_have_text(CASES[name].kind)
    expect(tab.locator(".why")).to_contain_text(CASES[name].says)
    expect(tab.locator(".bar:visible .number")).to_have_text("the end")


@pytest.mark.matrix(6)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", CASES)
def test_it_fits_a_telephone(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, name: str, width: int, scheme: str
) -> None:
    tab = browser.new_page(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    open_page(tab, pages[name])
    tab.screenshot(path=tmp_path / f"{width}-{scheme}.png", full_page=True)
    # What is wider scrolls inside itself.
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        tab.evaluate(
            "Math.max(...[...document.querySelectorAll('.bar')].map("
            "(one) => one.getBoundingClientRect().height))"
        )
        < 250
    )
    # No text stands a letter a line.
    narrow = """[...document.querySelectorAll('td, th, p, h1, h2, h3, output, code')]
        .filter((one) => one.innerText.length > 12)
        .filter((one) => one.getBoundingClientRect().height > 0)
        .filter((one) => one.getBoundingClientRect().width < 60)
        .map((one) => one.outerHTML.slice(0, 200))"""
    assert tab.evaluate(narrow) == []
    marked = tab.locator(".steps-table tr.key:visible").count() > 0
    assert tab.locator("p:visible", has_text="▸ marks where it goes wrong").count() == marked
    tab.close()


@pytest.mark.matrix(3)
@pytest.mark.parametrize("name", CASES)
def test_the_arrow_keys_go_through_every_step(tab: Page, pages: dict[str, Path], name: str) -> None:
    open_page(tab, pages[name])
    numbers = rows(tab)
    assert numbers == sorted(numbers) and numbers
    tab.keyboard.press("Home")
    for place, number in enumerate(numbers):
        expect(tab.locator(".bar:visible .number")).to_have_text(f"step {number}")
        current = tab.locator(".steps-table tr.now:visible")
        expect(current.locator(".number")).to_have_text(str(number))
        assert tab.locator(".graph:visible g.now").get_attribute("data-step") == str(number)
        assert tab.locator(".graph:visible g.later").count() == len(numbers) - place - 1
        # The line that is lit for the acting thread is the step's.
        who, where = (current.locator("td").nth(column).inner_text() for column in (1, 2))
        thread = tab.locator("section.thread.acts:visible")
        expect(thread.locator("h3")).to_have_text(who)
        lit = thread.locator(".source .here").get_attribute("data-line") or ""
        assert Path(lit).name == Path(where).name
        assert thread.locator(".source .here").evaluate(
            """line => {
              const own = line.getBoundingClientRect();
              const pane = line.closest(".source").getBoundingClientRect();
              return own.top >= pane.top - 1 && own.bottom <= pane.bottom + 1;
            }"""
        ), "the line can be seen in its pane"
        tab.keyboard.press("ArrowRight")
    expect(tab.locator(".bar:visible .number")).to_have_text("the end")
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator(".bar:visible .number")).to_have_text(f"step {numbers[-1]}")
    tab.keyboard.press("End")
    assert tab.locator(".later:visible").count() == 0


def test_memory_and_buffers_are_those_of_the_step(tab: Page, pages: dict[str, Path]) -> None:
    open_page(tab, pages["lost-wakeup"])
    ready = tab.locator(".memory:visible tr", has=tab.get_by_text("ready", exact=True))
    tab.keyboard.press("Home")
    expect(ready.locator("td")).to_have_text(["0", "", ""])
    while "writes ready" not in tab.locator("output:visible").inner_text():
        tab.keyboard.press("ArrowRight")
    expect(ready.locator("td")).to_have_text(["0", "1", ""])
    assert ready.locator("td.changed").all_text_contents() == ["1"]
    tab.keyboard.press("End")
    expect(ready.locator("td")).to_have_text(["1", "", ""])


def test_slider_buttons_clicks_and_fragments_go_to_a_step(
    tab: Page, pages: dict[str, Path]
) -> None:
    open_page(tab, pages["assertion"], "#step-3")
    number = tab.locator(".bar:visible .number")
    expect(number).to_have_text("step 3")
    tab.locator("input[type=range]:visible").fill("2")
    expect(number).to_have_text("step 2")
    tab.get_by_role("button", name="step forward").click()
    expect(number).to_have_text("step 3")
    tab.get_by_role("button", name="step back").press("Enter")
    expect(number).to_have_text("step 2")
    tab.locator(".graph:visible g[data-step='5']").click()
    expect(number).to_have_text("step 5")
    tab.locator(".source:visible a", has_text=re.compile("^4$")).click()
    expect(number).to_have_text("step 4")


def test_the_slider_has_the_keys_of_a_slider(tab: Page, pages: dict[str, Path]) -> None:
    open_page(tab, pages["assertion"])
    tab.locator("input[type=range]:visible").focus()
    for key, text in (("Home", "step 1"), ("ArrowRight", "step 2"), ("End", "the end")):
        tab.keyboard.press(key)
        expect(tab.locator(".bar:visible .number")).to_have_text(text)


def test_a_switch_shows_what_is_not_needed(tab: Page, pages: dict[str, Path]) -> None:
    open_page(tab, pages["data-race"])
    few = rows(tab)
    told = tab.locator("label[for=all]").inner_text()
    total = int(re.search(r"all (\d+) steps", told)[1])  # type: ignore[index]
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.locator("#all").check()
    many = rows(tab)
    assert set(few) < set(many) and len(many) == total
    expect(tab.locator(".bar:visible .number")).to_have_text(f"step {few[1]}")


def test_a_long_execution_is_followed(tab: Page, tmp_path: Path) -> None:
    open_page(tab, write_page(Case(LONG, "assertion", ""), tmp_path))
    numbers = rows(tab)
    assert 30 < len(numbers) < 61, "without the 30 stores that thread 1 alone uses"
    tab.keyboard.press("Home")
    for _ in numbers[:-2]:
        tab.keyboard.press("ArrowRight")
    box = tab.locator(".graph:visible g.now rect")
    pane = tab.locator(".graph:visible").bounding_box()
    own = box.bounding_box()
    assert pane and own
    assert pane["y"] <= own["y"] and own["y"] + own["height"] <= pane["y"] + pane["height"]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_without_scripts_the_end_is_there_to_read(
    browser: Browser, pages: dict[str, Path], colours: str
) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme=colours)  # type: ignore[arg-type]
    page = context.new_page()
    open_page(page, pages["lost-wakeup"])
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator(".ends")).to_contain_text("no step wakes anybody there")
    expect(page.locator(".memory")).to_contain_text("sleepers on wake_ups")
    assert page.locator(".source .wrong").count() == 2
    assert page.locator("svg:visible").count() == 1
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (colours == "light")
    context.close()


def test_the_page_holds_all_that_it_needs(pages: dict[str, Path]) -> None:
    for path in pages.values():
        text = path.read_text()
        assert not re.search(r"\b(?:src|href)=[\"'](?!#)|@import|url\((?!#)", text)
