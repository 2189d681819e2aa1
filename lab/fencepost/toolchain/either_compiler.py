# SPDX-License-Identifier: MIT
"""Where nobody has said which compiler it is to be: gcc, and where that cannot do it, clang.

Each refuses what it would leave unseen, and that is not the same with both. So what one refuses
the other is given before there is no verdict; and where gcc is missing, or is a version that the
checker does not take, another one that is installed compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fencepost.binary.moved_assembly import MAY_BE_MOVED
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.toolchain.compilers import NoCompiler, compiler_of, for_cpp, tried_names

if TYPE_CHECKING:
    from fencepost.toolchain.toolchain import Program, Toolchain


def _usable(toolchain: Toolchain, family: str) -> Iterator[Toolchain]:
    """The compilers of a family that are installed and taken, the plain name's first."""
    for name in (family, *tried_names(family)):
        chosen = replace(toolchain, cc=name, or_another=False)
        try:
            compiler_of(chosen.c_compiler)
            compiler_of(for_cpp(chosen.c_compiler))
        except NoCompiler:
            continue
        yield chosen


def first_usable(toolchain: Toolchain) -> Toolchain:
    """The compiler that is asked first. Raises NoCompiler if there is none."""
    for family in ("gcc", "clang"):
        for chosen in _usable(toolchain, family):
            return chosen
    plain = replace(toolchain, cc="gcc", or_another=False)
    compiler_of(plain.c_compiler)
    compiler_of(for_cpp(plain.c_compiler))
    return plain


def built_by_either(
    toolchain: Toolchain, build: Callable[[Toolchain], Program], warnings: list[str]
) -> Program:
    """What the first compiler builds, or, where it refuses, the other."""
    first = first_usable(toolchain)
    noted = len(warnings)
    try:
        return build(first)
    except Unsupported as error:
        refusal = error
    if MAY_BE_MOVED in refusal.message:  # whatever another compiler makes of it
        raise refusal
    second = None if first.is_clang else next(_usable(toolchain, "clang"), None)
    if second is None:
        raise refusal
    kept = len(warnings)  # of the first one, whose program is no more
    try:
        program = build(second)
    except Unsupported as error:
        if error.message == refusal.message:
            raise refusal from None
        raise _with_both(refusal, f"{second.cc} refuses it too, at {error}") from None
    except UnusableInput as error:
        said = error.message.partition("\n")[0].rstrip(":")
        raise _with_both(refusal, f"with {second.cc} it {said}") from None
    finally:
        del warnings[noted:kept]
    text = f"compiled by {second.cc}, for with {first.cc} it is refused: {refusal}"
    warnings.append(f"fencepost: {text}")
    return replace(program, assumptions=(*program.assumptions, text))


def _with_both(refusal: Unsupported, other: str) -> Unsupported:
    return type(refusal)(f"{refusal.message} ({other})", refusal.location)
