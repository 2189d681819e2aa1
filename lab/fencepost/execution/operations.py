# SPDX-License-Identifier: MIT
"""What readers are told that an operation did: the phrases of checker/operations.def."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from fencepost import ROOT

#: Those that make one thread come after another and are no step of their own.
TIES = {"rwlock-readers-left", "barrier-serial", "memory-freed", "memory-given"}
#: To leave a barrier or pass a latch: once for each that arrived there.
LEAVES = {"barrier-leave", "barrier-wait", "latch-pass"}
#: Of no access of the program's own memory.
ONLY_ORDER = TIES | LEAVES | {"membarrier-registered"}

_ENTRY = re.compile(r"^OPERATION(?:_EITHER)?\((.*)\)$", re.MULTILINE)
_TEXT = re.compile(r'"([^"]*)"')


@cache
def _phrases() -> dict[str, str]:
    text = (ROOT / "checker" / "operations.def").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for entry in _ENTRY.findall(text):
        texts = _TEXT.findall(entry)
        for name, phrase in zip(texts[::2], texts[1::2], strict=True):
            found[name] = phrase or found.get(name, "")
    return found


def phrase(what: str) -> str:
    """The phrase for an operation by its name in JSON, with {} in place of the object. Empty where
    the operation is unknown or has none."""
    return _phrases().get(what, "")


def known_operations() -> Collection[str]:
    """Their names in JSON; that of an event which is part of none is empty."""
    return _phrases().keys()
