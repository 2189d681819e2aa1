# SPDX-License-Identifier: MIT
"""The page of a program in which no violation was found: what was explored, and what was assumed.
It stands where that of a counterexample would."""

from __future__ import annotations

from fencepost.explore.outcome import Outcome
from fencepost.pages.markup import escape
from fencepost.pages.page_assets import asset, beginning


def explored_page(outcome: Outcome) -> str:
    """The page's text."""
    found = outcome.exploration
    assert found
    parts = [
        beginning(f"{outcome.title}: {found.verdict}", asset("page.css") + asset("replay.css")),
        f'<h1><span class="kind {found.verdict}">{escape(found.verdict)}</span> '
        f"{escape(outcome.title)}</h1>",
        f"<p>{escape(outcome.summary())}.</p>",
    ]
    if found.verdict == "inconclusive":
        parts.append(
            f'<p class="message">No violation was found, but {escape(outcome.reason())}</p>'
        )
    if found.assumptions:
        parts.append("<h2>Assuming</h2><ul>")
        parts += [f"<li>{escape(text)}</li>" for text in found.assumptions]
        parts.append("</ul>")
    return "\n".join(parts) + "</html>\n"
