# SPDX-License-Identifier: MIT
"""Instructions as text: listings, tables of operations and two listings side by side."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from fencepost import ROOT
from fencepost.asm.attribution import Attributed
from fencepost.asm.examined import Examined
from fencepost.asm.listing import Frame, Instruction
from fencepost.console.shown import OWN
from fencepost.console.terminal import in_colour

_WIDTH = 100
_BOLD, _RED, _DIM, _PLAIN = (f"{OWN}[{codes}m" for codes in ("1;36", "1;31", "2", "0"))


def _painted(text: str, colour: str) -> str:
    return f"{colour}{text}{_PLAIN}" if in_colour() else text


@cache
def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(errors="replace").splitlines()
    except OSError:
        return []


def _source(place: Frame | None) -> str:
    lines = _lines(place.file) if place else []
    text = lines[place.line - 1].strip() if place and 0 < place.line <= len(lines) else ""
    return text if len(text) <= 70 else f"{text[:69]}…"


def _short(place: Frame | None) -> str:
    if place is None:
        return "no line"
    path = Path(place.file)
    for base in (Path.cwd(), ROOT):
        if path.is_relative_to(base):
            return f"{path.relative_to(base)}:{place.line}"
    return f"{place.file}:{place.line}"


def _counted(one: Examined) -> str:
    names = {
        "fences": ("fence", "fences"),
        "read_modify_writes": ("read-modify-write", "read-modify-writes"),
        "retry_loops": ("retry loop", "retry loops"),
        "ordered_loads": ("ordered load", "ordered loads"),
        "ordered_stores": ("ordered store", "ordered stores"),
        "calls": ("call", "calls"),
    }
    counts = one.counts()
    said = [f"{counts['instructions']} instructions"]
    said += [f"{n} {names[k][n != 1]}" for k, n in counts.items() if n and k in names]
    return ", ".join(said)


def listing(one: Examined) -> Iterator[str]:
    """A function with the lines that its instructions are of, loops drawn at the left."""
    yield _painted(f"{one.function}  {one.target.name}  ({_counted(one)})", _BOLD)
    lines = one.listing.instructions
    gutter = _gutter(len(lines), one.listing.loops())
    owner = {n: op for op in one.operations for n in op.instructions}
    effects = one.effects()
    last: tuple[Frame | None, int] | None = None
    for number, instruction in enumerate(lines):
        site, operation = one.site(number), owner.get(number)
        heading = (site and Frame(site.file, site.line), id(operation))
        if heading != last and (site or operation or last):
            again = last is not None and heading[0] == last[0]
            source = "" if again else f"  {_painted(_source(site), _DIM)}"
            words = f"  [{operation.operation.words}]" if operation else ""
            yield f"  {_short(site)}{source}{words}"
            last = heading
        orders = instruction.atomic or effects[number].library
        mark = "*" if orders else "+" if operation and effects[number].accesses else " "
        text = f"{instruction.offset:6x}  {instruction.text}"
        yield f"  {gutter[number]}{mark} {_painted(text, _BOLD) if orders else text}"
    for operation in one.operations:
        yield from _faults(one, operation)
        if reason := operation.not_judged:
            said = reason if not operation.instructions else f"not judged: {reason}"
            yield f"  {_short(one.site_of(operation))}  [{operation.operation.words}] {said}"
    notes = one.notes()
    wide = max(map(len, notes), default=0)
    for name, words in notes.items():
        yield f"    {name:{wide}}  {words}"


def _faults(one: Examined, operation: Attributed) -> Iterator[str]:
    for fault in operation.faults:
        place = _short(one.site_of(operation))
        said = f"WRONG {place}: {operation.operation.words} by {one.target.name}: {fault}"
        yield f"  {_painted(said, _RED)}"


def _gutter(count: int, loops: list[tuple[int, int]]) -> list[str]:
    """A column a loop, at most three; the shortest loop is nearest to the instructions."""
    columns = [[" "] * count for _ in range(min(len(loops), 3))]
    shortest = sorted(loops, key=lambda loop: loop[1] - loop[0])[:3]
    for column, (start, end) in zip(reversed(columns), shortest, strict=True):
        for at in range(start, end + 1):
            column[at] = "│"
        column[start], column[end] = ("╭", "╰") if start != end else ("⟲", "⟲")
    return ["".join(column[at] for column in columns) for at in range(count)]


Key = tuple[str, int, str, int]


def _keyed(one: Examined) -> Iterator[tuple[Key, Attributed]]:
    """Operations by where they are in the source, the same for all targets."""
    seen: Counter[tuple[str, int, str]] = Counter()
    for operation in one.operations:
        site = one.site_of(operation)
        place = (site.file, site.line) if site else ("", 0)
        words = operation.operation.words
        yield (*place, words, seen[*place, words]), operation
        seen[*place, words] += 1


def table(functions: list[Examined]) -> Iterator[str]:
    """Yield a table of what each operation of a function becomes on each target. `functions` are
    the same one for several targets."""
    yield _painted(functions[0].function, _BOLD)
    rows: dict[Key, list[tuple[Examined, Attributed]]] = {}
    for one in functions:
        for key, operation in _keyed(one):
            rows.setdefault(key, []).append((one, operation))
    if not rows:
        yield "  no atomic operation and no fence"
    for (file, line, words, _), found in sorted(rows.items(), key=lambda row: row[0][:2]):
        place = Frame(file, line) if file else None
        yield f"  {_short(place)}  {_painted(_source(place), _DIM)}  [{words}]"
        merged: dict[tuple[str, str], list[Examined]] = {}
        for one, operation in found:
            text = "; ".join(one.memory(operation)) or "no instruction"
            verdict = _verdict(operation) if one.memory(operation) else ""
            merged.setdefault((text, verdict), []).append(one)
        named = {key: _targets(ones) for key, ones in merged.items()}
        wide = max(map(len, named.values()))
        for (text, verdict), name in named.items():
            yield f"    {name:{wide}}  {text}{verdict}"
    for one in functions:
        for operation in one.operations:
            yield from _faults(one, operation)


def _verdict(operation: Attributed) -> str:
    if operation.faults:
        return _painted("  WRONG", _RED)
    return "  not judged" if operation.not_judged and operation.instructions else ""


def _targets(ones: Iterable[Examined]) -> str:
    by_processor: dict[str, list[str]] = {}
    for one in ones:
        by_processor.setdefault(one.target.processor, []).append(one.target.compiler)
    both = {name: " ".join(dict.fromkeys(compilers)) for name, compilers in by_processor.items()}
    return ", ".join(f"{name} {compilers}" for name, compilers in both.items())


def _compared(one: Instruction) -> str:
    """The text without what moves when instructions in front of it come or go."""
    return re.sub(r"\b0x[0-9a-f]+$", "→", one.text) if one.target is not None else one.text


def is_same(a: Examined, b: Examined) -> bool:
    left, right = a.listing.instructions, b.listing.instructions
    return list(map(_compared, left)) == list(map(_compared, right))


def difference(a: Examined, b: Examined) -> tuple[list[str], list[str]]:
    """What does atomic operations or orders memory, of which one has more than the other."""
    had, has = (Counter(one.ordering()) for one in (a, b))
    return sorted((had - has).elements()), sorted((has - had).elements())


def difference_words(a: Examined, b: Examined, names: tuple[str, str]) -> str:
    if is_same(a, b):
        return "the same instructions"
    only_a, only_b = difference(a, b)
    if not only_a and not only_b:
        left, right = ("; ".join(one.ordering()) for one in (a, b))
        if left == right:
            return "the same of atomic operations and fences, otherwise different"
        return f"the same of atomic operations and fences in another order: {left} | {right}"
    said = [
        f"only {name}: {', '.join(only)}"
        for name, only in zip(names, (only_a, only_b), strict=True)
        if only
    ]
    return "; ".join(said)


def side_by_side(a: Examined, b: Examined, names: tuple[str, str]) -> Iterator[str]:
    """Both, the same instructions on the same line; | differs, < and > are of one alone."""
    wide = (_WIDTH - 5) // 2
    yield f"  {_painted(f'{names[0]:{wide}}', _BOLD)}   {_painted(names[1], _BOLD)}"
    left, right = a.listing.instructions, b.listing.instructions
    matcher = difflib.SequenceMatcher(
        None, list(map(_compared, left)), list(map(_compared, right)), autojunk=False
    )
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        for at in range(max(a1 - a0, b1 - b0)):
            one = left[a0 + at] if a0 + at < a1 else None
            two = right[b0 + at] if b0 + at < b1 else None
            middle = " " if tag == "equal" else "|" if one and two else "<" if one else ">"
            yield f"  {_cell(one, wide)} {middle} {_cell(two, wide)}".rstrip()


def _cell(one: Instruction | None, wide: int) -> str:
    if one is None:
        return " " * wide
    text = f"{'*' if one.atomic else ' '} {one.offset:4x}  {one.text}"
    shown = f"{text if len(text) <= wide else text[: wide - 1] + '…':{wide}}"
    return _painted(shown, _BOLD) if one.atomic else shown
