# SPDX-License-Identifier: MIT
"""Exclusive pairs in inline assembly: `ldxr`, computing, `stxr`, and again if that failed.

The store becomes a compare-exchange with what was loaded
(checker/interface/instrumentation/access_aarch64.hpp). That is what the processor does only if
nothing but registers is computed with in between, and if a failure, which may have no reason, is
tried again.
"""

from __future__ import annotations

import re

from fencepost.console.input_error import UnsupportedInstruction

_LOAD = re.compile(r"lda?x([rp][bh]?) (.*), ?\[(\w+)(?:, ?#?0)?\]$")
_STORE = re.compile(r"stl?x([rp][bh]?) (\w+), ?(.*), ?\[(\w+)(?:, ?#?0)?\]$")
_LABEL = re.compile(r"([\w.$]+):$")


def _number(register: str) -> str:
    return register.lstrip("wx")


def _kind(form: str, registers: str) -> tuple[str, str]:
    return form, registers[:1]


def require_retried(statement: list[str]) -> None:
    """Raises UnsupportedInstruction, without a place, of an exclusive store in the instructions and
    labels of a statement that is not part of a loop as above."""
    for at, text in enumerate(statement):
        if not text.startswith("stx") and not text.startswith("stlx"):
            continue
        match = _STORE.match(text)
        begin = _loaded_by(statement, at, match) if match else None
        if match is None or begin is None:
            raise UnsupportedInstruction(
                f"inline assembly is not modelled: '{text}': it does not follow the load-exclusive "
                "of the same word with nothing but computing in between"
            )
        if not _again(statement, begin, at, match[2]):
            raise UnsupportedInstruction(
                f"inline assembly is not modelled: '{text}': it may fail without a reason, and is "
                "not tried again at once"
            )


def _loaded_by(statement: list[str], at: int, store: re.Match[str]) -> int | None:
    base = store[4]
    for number in range(at - 1, -1, -1):
        text = statement[number]
        if load := _LOAD.match(text):
            same = _kind(load[1], load[2]) == _kind(store[1], store[3]) and load[3] == base
            overwritten = base in {one.strip() for one in load[2].replace("w", "x").split(",")}
            return number if same and not overwritten else None
        if _LABEL.match(text) or "[" in text or re.match(r"clrex|d[ms]b|isb", text):
            return None
        first = text.partition(" ")[2].split(",")[0].strip()
        if _number(first) == _number(base) and not re.match(r"cmp|cmn|tst|ccm|[ct]bn?z", text):
            return None
    return None


def _again(statement: list[str], begin: int, at: int, status: str) -> bool:
    """Does what follows jump back to the load, or before it, if the status is not 0?"""
    after = "; ".join(statement[at + 1 : at + 3])
    number = _number(status)
    match = re.match(rf"cbnz [wx]{number}, ?(\S+?)(?:;|$)", after)
    match = match or re.match(rf"cmp [wx]{number}, ?#?0; b\.?ne (\S+)$", after)
    if match is None:
        return False
    label = re.sub(r"^(\d+)b$", r"\1", match[1])
    return f"{label}:" in statement[: begin + 1]
