# SPDX-License-Identifier: MIT
"""What mkdocs is told of this tree: the README is a page, and what lies outside of docs/ has none,
so that a link to it becomes its path, and a picture goes along."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
#: What the README is called here, for index.md is the list of pages.
README = "readme.md"
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    files.append(File.generated(config, README, abs_src_path=str(ROOT / "README.md")))
    api = Path(config.site_dir) / "api" / "index.html"  # doxygen's, which is there already
    files.append(File.generated(config, "api/index.html", abs_src_path=str(api)))
    for picture in (ROOT / "bench").rglob("results/*.svg"):
        name = str(picture.relative_to(ROOT))
        files.append(File.generated(config, name, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    here = (ROOT / "docs" / page.file.src_uri).parent  # in the site
    folder = ROOT if page.file.src_uri == README else here

    def from_here(path: Path) -> str:
        return os.path.relpath(ROOT / "docs" / path, here)

    def led_on(link: re.Match[str]) -> str:
        mark, text, target = link.groups()
        path, hash_sign, anchor = target.partition("#")
        if "://" in target or not path:
            return link[0]
        there = Path(os.path.normpath(folder / path))
        if not there.exists():
            raise PluginError(f"{page.file.src_uri}: there is no {target}")
        if there == ROOT / "README.md":
            return f"{mark}[{text}]({from_here(Path(README))}{hash_sign}{anchor})"
        if there.is_relative_to(ROOT / "docs"):
            path = from_here(there.relative_to(ROOT / "docs"))
            return f"{mark}[{text}]({path}{hash_sign}{anchor})"
        if mark:
            return f"![{text}]({from_here(there.relative_to(ROOT))})"
        name = f"`{there.relative_to(ROOT)}`"
        return name if text.strip("`") in name else f"{text} ({name})"

    return _LINK.sub(led_on, markdown)
