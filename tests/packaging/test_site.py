# SPDX-License-Identifier: MIT
"""The site of the documentation: `make docs` makes it, nothing in it comes from elsewhere, and a
link that leads nowhere, or a page that is in no shelf, is refused."""

from __future__ import annotations

import fcntl
import functools
import html.parser
import http.server
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import running_chromium
from made_once import made_once

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"

pytestmark = [pytest.mark.timeout(900), pytest.mark.lot(8, "ways of installing")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: a test may make the site anew meanwhile."""

    def make(copy: Path) -> None:
        with (ROOT / "build" / "site-lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            done = subprocess.run(
                ["make", "--silent", "docs"], cwd=ROOT, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            shutil.copytree(SITE, copy, dirs_exist_ok=True)

    return made_once(tmp_path_factory, "site", make)


def test_the_site_is_there_while_it_is_made_anew(site: Path) -> None:
    index = SITE / "index.html"
    with (ROOT / "build" / "site-lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        before = index.stat().st_ino
        made = ROOT / "build" / "site-made" / "api" / "index.html"
        shutil.rmtree(ROOT / "build" / "site-made", ignore_errors=True)
        making = subprocess.Popen(
            ["make", "--silent", "docs"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        while making.poll() is None and not made.exists():
            time.sleep(0.01)
        assert made.exists()
        assert index.stat().st_ino == before
        os.killpg(making.pid, signal.SIGKILL)
        making.wait()
        assert index.stat().st_ino == before


class _Loaded(html.parser.HTMLParser):
    """What a page makes a browser fetch, and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag in ("script", "img", "iframe", "source"):
            self.fetched += [has.get("src") or ""]
        elif tag == "link" and has.get("rel") in ("stylesheet", "icon", "preload"):
            self.fetched += [has.get("href") or ""]
        elif tag == "a" and has.get("href"):
            self.links += [has["href"] or ""]


def loaded(page: Path) -> _Loaded:
    found = _Loaded()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def test_all_pages_and_headers_are_there(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page
    for header in (ROOT / "include" / "fencepost").glob("*.h*"):
        name = header.name.replace("_", "__").replace(".", "_8")
        assert (site / "api" / f"{name}.html").is_file(), header
    # What a header says at its head and of its functions, and not just their names.
    said = (site / "api" / "mutex_8hpp.html").read_text()
    assert "The mutex to use where nothing special is asked for" in said
    said = (site / "api" / "classfencepost_1_1basic__spin__mutex.html").read_text()
    assert "Takes the mutex, spinning for as long as that takes" in said


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    quiet = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_pages_are_found_by_their_words(address: str) -> None:
    with running_chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/index.html")
        query = page.locator("input[name=query]")
        query.click()
        # The search is a worker of the browser's, which says when it has read its index.
        ready = page.locator(".md-search-result__meta", has_text="Type to start searching")
        ready.wait_for(timeout=120_000)
        query.press_sequentially("memory that nobody has written")
        found = page.locator(".md-search-result__link[href*='checker/check.html']").first
        found.wait_for(timeout=120_000)
        found.click()
        page.wait_for_url("**/checker/check.html*", timeout=120_000)
        assert [one for one in asked if not one.startswith(address)] == []


def test_pages_fit_a_phone(address: str) -> None:
    with running_chromium() as browser:
        page = browser.new_page(viewport={"width": 400, "height": 800})
        for name in ("index", "readme", "checker/check", "lab/figures", "checker/limits"):
            page.goto(f"{address}/{name}.html")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 400, f"{name}: {width} px"


def pages(site: Path) -> Iterator[Path]:
    yield from (page for page in site.glob("*.html") if page.name != "404.html")
    for room in (ROOT / "docs").glob("*/*.md"):
        yield (site / room.relative_to(ROOT / "docs")).with_suffix(".html")


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in pages(site):
        for address in loaded(page).fetched:
            assert "//" not in address, f"{page.name}: {address}"


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    for page in pages(site):
        for link in loaded(page).links:
            path = link.partition("#")[0]
            if path and "//" not in path and not path.startswith(("mailto:", "javascript:")):
                assert (page.parent / path).exists(), f"{page.name}: {link}"


@pytest.mark.parametrize(
    ("page", "text", "said"),
    [
        ("library/mutex.md", "[nothing](nowhere.md)", "there is no nowhere.md"),
        ("library/mutex.md", "[nothing](../checker/check.md#no-such-part)", "no-such-part"),
        ("in_no_shelf.md", "# A page", "in_no_shelf.md"),
    ],
)
def test_what_leads_nowhere_is_refused(
    site: Path, tmp_path: Path, page: str, text: str, said: str
) -> None:
    for name in ("docs", "packaging/site"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for there in ROOT.iterdir():
        if there.name not in ("docs", "packaging", "build"):
            (tmp_path / there.name).symlink_to(there)
    (tmp_path / "build" / "site" / "api").mkdir(parents=True)
    shutil.copy(site / "api" / "index.html", tmp_path / "build" / "site" / "api")
    with (tmp_path / "docs" / page).open("a") as file:
        file.write(f"\n{text}\n")
    done = subprocess.run(
        [
            ROOT / "build/site-tools/bin/mkdocs",
            "build",
            "--dirty",
            "-f",
            tmp_path / "packaging/site/mkdocs.yml",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert said in done.stderr
