# SPDX-License-Identifier: MIT
"""What stands in the box of a step, in the room that there is."""

from __future__ import annotations

from fencepost.execution.steps import Step

TEXT_LIMIT = 48
NAME_KEEPS = 12  # characters of an object's name that are never cut


def clipped(text: str, limit: int = TEXT_LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def box_title(step: Step) -> str:
    """The step in one line. What is too long loses the front of the object's name; what then still
    is widens the box if a memory order stands at its end, which is what a reader looks for."""
    text = f"{step.number}  {step.action}".replace("compare-exchange fails", "cas fails")
    excess = len(text) - TEXT_LIMIT
    if excess > 0 and step.object:
        shorter = _tail(step.object, len(step.object) - excess)
        text = text.replace(f" {step.object}", f" {shorter}", 1)
    return text if text.endswith(")") else clipped(text)


def _tail(name: str, room: int) -> str:
    """The end of a name, by whole members if the last of them has room."""
    room = max(room, NAME_KEEPS + 1)
    if len(name) <= room:
        return name
    end = name[len(name) - room + 1 :]
    member = end.find(".")
    return "…" + (end[member:] if 0 <= member < len(end) - 1 else end)


def place_text(step: Step) -> str:
    where = f"{step.location}  " if step.location else ""
    return clipped(where.rpartition("/")[2] + step.code, TEXT_LIMIT + 4)
