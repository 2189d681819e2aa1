# SPDX-License-Identifier: MIT
"""Functions of the program's own that bear the name of one that the checker brings: `sleep`,
`remove`, `operator new`. They count for the program; what libraries call under the name stays the
checker's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fencepost.binary.call_scan import REDEFINED_CALLS, demangle
from fencepost.binary.object_symbols import FUNCTION, GLOBAL, defined_by_runtime, symbols
from fencepost.console.input_error import Unsupported

_PREFIX = "fencepost_own."
#: Whoever defines one of these sees in the checker's stead.
_SEES_BY = ("__tsan_", "__fencepost_")


def own_functions(objects: Iterable[Path], runtime: Path) -> list[str]:
    """Not what several files may define alike, such as a template's: that is one with the
    checker's. Raises Unsupported for what the checker sees by."""
    brought = defined_by_runtime(runtime) | set(_redefined())
    functions = [
        symbol
        for file in objects
        for symbol in symbols(file)
        if symbol.defined and symbol.kind == FUNCTION
    ]
    for symbol in functions:
        if symbol.name.startswith(_SEES_BY):
            raise Unsupported(
                f"the program defines '{symbol.name}', by which the checker would see it"
            )
    defined = {symbol.name for symbol in functions if symbol.binding == GLOBAL}
    return sorted((defined & brought) - {"main"})


def _redefined() -> dict[str, str]:
    """The runtime's names for functions of the C library."""
    return dict(line.split() for line in REDEFINED_CALLS.read_text().splitlines())


def new_names(own: Iterable[str]) -> str:
    """What objcopy's --redefine-syms= reads."""
    names = _redefined() | {name: _PREFIX + name for name in own}
    return "".join(f"{old} {new}\n" for old, new in names.items())


def assumption(own: list[str]) -> str:
    """What the certificate says of the program's own functions of these names."""
    names = demangle([name for name in own if name.startswith("_Z")])
    listed = ", ".join(names.get(name, name) for name in own)
    return f"no library calls the program's own {listed}, only the program does"
