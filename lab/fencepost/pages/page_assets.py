# SPDX-License-Identifier: MIT
"""The style sheets and scripts that pages carry with them: files of their own beside this one; and
the beginning of a page that has nothing else obeyed."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from fencepost.pages.markup import escape


def asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def beginning(title: str, style: str, script: str = "", styles_within: Sequence[str] = ()) -> str:
    """Up to the page's text: with its style, and its policy, by which a browser obeys this style,
    those of figures within the page and the script that ends it; no other, no attribute with code
    or style, and asks for nothing from anywhere. Should a name ever become markup, it does nothing.
    """
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    allowed.append(f"style-src {' '.join(map(_hash, (style, *styles_within)))}")
    if script:
        allowed.append(f"script-src {_hash(script)}")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(allowed)}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
