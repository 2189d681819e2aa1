# SPDX-License-Identifier: MIT
"""Functions and variables of the program's own that bear the name of something that the checker
brings, or uses itself: `sleep`, `index`, `operator new`. They count for the program; what libraries
and the checker use under the name stays the checker's or the C library's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fencepost.binary.call_scan import REDEFINED_CALLS, demangle
from fencepost.binary.object_symbols import (
    FUNCTION,
    GLOBAL,
    OBJECT,
    THREAD_LOCAL,
    named_by_runtime,
    symbols,
)
from fencepost.console.input_error import Unsupported

_PREFIX = "fencepost_own."
#: Whoever defines one of these sees in the checker's stead.
_SEES_BY = ("__tsan_", "__fencepost_")


def own_names(objects: Iterable[Path], runtime: Path) -> list[str]:
    """Not what several files may define alike, such as a template's: that is one with the
    checker's. Raises Unsupported for what the checker sees by."""
    brought = named_by_runtime(runtime) | set(_redefined())
    own = [
        symbol
        for file in objects
        for symbol in symbols(file)
        if symbol.defined and symbol.kind in (FUNCTION, OBJECT, THREAD_LOCAL)
    ]
    for symbol in own:
        if symbol.kind == FUNCTION and symbol.name.startswith(_SEES_BY):
            raise Unsupported(
                f"the program defines '{symbol.name}', by which the checker would see it"
            )
    defined = {symbol.name for symbol in own if symbol.binding == GLOBAL}
    return sorted((defined & brought) - {"main"})


def _redefined() -> dict[str, str]:
    """The runtime's names for functions of the C library."""
    return dict(line.split() for line in REDEFINED_CALLS.read_text().splitlines())


def new_names(own: Iterable[str]) -> str:
    """What objcopy's --redefine-syms= reads."""
    names = _redefined() | {name: _PREFIX + name for name in own}
    return "".join(f"{old} {new}\n" for old, new in names.items())


def assumption(own: list[str]) -> str:
    """What the certificate says of what the program defines under these names."""
    names = demangle([name for name in own if name.startswith("_Z")])
    listed = ", ".join(names.get(name, name) for name in own)
    return f"no library uses the program's own {listed}, only the program does"
