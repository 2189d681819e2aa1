# SPDX-License-Identifier: MIT
"""Shows the instructions that real compilers make of atomic operations: of the functions of C and
C++ files, or of a protocol of the study, by gcc and clang for x86-64, AArch64 (without and with LSE
and by outline atomics), riscv64 and ppc64le. What orders memory is marked, lines and loops are
shown, two variants stand side by side, and an order that the instructions do not give is reported.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Any

from fencepost.asm.examined import Examined, Subject, called_helpers, examine_all
from fencepost.asm.subjects import (
    file_subject,
    nearest,
    not_found,
    protocol_subject,
    protocol_subjects,
    select,
)
from fencepost.asm.targets import TARGETS, Target, chosen_targets, processors
from fencepost.asm.text import difference, difference_words, is_same, listing, side_by_side, table
from fencepost.console.arguments import completed
from fencepost.console.input_error import UnusableInput
from fencepost.console.version import labelled
from fencepost.system import tool_process

PASSES_ON = True
EPILOG = """examples:
  fencepost asm queue.cpp                            each atomic operation, for every target
  fencepost asm queue.cpp --function push --target aarch64-gcc      a listing with lines and loops
  fencepost asm queue.cpp --diff push push_relaxed   where two functions differ
  fencepost asm queue.cpp --diff gcc clang --target riscv64         two compilers
  fencepost asm --diff exit_old exit_proposed        two protocols of the study
  fencepost asm queue.c --target x86-64 -- -mcx16  other flags: they come last

A target is a processor or one of its compilers, as in aarch64-lse or aarch64-lse-clang. Flags
behind -- reach every compiler as they are. See docs/lab/asm.md.

exit status: 0 shown, 1 an operation does not have the order that it was asked for, 2 a part of what
was asked for could not be shown, 3 nothing could be."""

WRONG, INCOMPLETE, UNUSABLE = 1, 2, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="C or C++ source")
    parser.add_argument(
        "-f",
        "--function",
        action="append",
        default=[],
        metavar="NAME",
        help="by its name, with or without namespace and arguments, or a regular expression; may "
        "be repeated (default: those with atomic operations)",
    )
    parser.add_argument(
        "-p",
        "--protocol",
        action="append",
        default=[],
        metavar="NAME",
        help="a protocol of the study in place of a file; may be repeated",
    )
    target = parser.add_argument(
        "-t",
        "--target",
        action="append",
        default=[],
        metavar="TARGET",
        help=f"of {', '.join(processors())}; may be repeated (default: all)",
    )
    completed(target, processors)
    parser.add_argument("-c", "--compiler", choices=("gcc", "clang"), help="only this one")
    parser.add_argument(
        "-d",
        "--diff",
        nargs=2,
        metavar=("A", "B"),
        help="two functions, protocols, targets or compilers, side by side",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="listings for several targets, too, in place of the table of operations",
    )
    parser.add_argument("--json", action="store_true", help="one object a function and target")
    parser.add_argument("--list", action="store_true", help="targets and protocols")


#: What a compiler says of a file is cut where there are several: each says it in its own words.
_MOST_LINES = 20


@dataclass(frozen=True)
class _Pair:
    """Two functions to compare, and what they are called in it."""

    a: Examined
    b: Examined
    names: tuple[str, str]


def run(args: argparse.Namespace) -> int:
    if args.list:
        return _list()
    try:
        with tool_process.interruptible():
            return _Command(args).run()
    except UnusableInput as error:
        print(f"fencepost asm: {error}", file=sys.stderr)
        return UNUSABLE


def _list() -> int:
    print("targets:")
    for target in TARGETS:
        there = " ".join(target.command) if target.present else target.missing()
        print(f"  {target.id:22} {there}")
    print("protocols (--protocol, --diff):")
    for name in protocol_subjects():
        print(f"  {name}")
    return 0


class _Command:
    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._status = 0
        self._targets = self._present(self._wanted_targets())
        self._subjects = [file_subject(one) for one in args.files]
        self._subjects += [protocol_subject(one) for one in args.protocol]
        if args.diff and not self._subjects:
            self._subjects = [protocol_subject(one) for one in args.diff]
        if not self._subjects:
            raise UnusableInput("nothing to compile: name a FILE or a --protocol (--list)")

    def run(self) -> int:
        found = self._examine()
        if self._args.diff:
            self._show_pairs(self._pairs(found))
        else:
            chosen = self._selected(found, self._args.function)
            if self._args.full or self._args.json or len(self._targets) == 1:
                chosen += [[one] for one in called_helpers([e for each in chosen for e in each])]
            self._show(chosen)
        return self._status

    def _wanted_targets(self) -> list[Target]:
        wanted = [name for one in self._args.target for name in one.split(",")]
        if self._args.diff and not wanted:
            known = {*processors(), *(one.id for one in TARGETS)}
            wanted = [name for name in self._args.diff if name in known]
        return chosen_targets(wanted, self._args.compiler)

    def _present(self, targets: list[Target]) -> list[Target]:
        for target in targets:
            if not target.present:
                print(f"fencepost asm: {target.missing()}", file=sys.stderr)
                self._status = INCOMPLETE if self._args.target else self._status
        present = [target for target in targets if target.present]
        if not present:
            raise UnusableInput("none of the compilers that are needed is here")
        return present

    def _examine(self) -> dict[tuple[Subject, Target], list[Examined]]:
        """What cannot be compiled for one target may be for another: then that is said, and the
        others are shown."""
        pairs = [(subject, target) for subject in self._subjects for target in self._targets]
        found: dict[tuple[Subject, Target], list[Examined]] = {}
        refused: dict[str, list[str]] = {}
        for pair, result in zip(pairs, examine_all(pairs, self._args.passed_on), strict=True):
            if isinstance(result, UnusableInput):
                place = f"{pair[0].source}\n{result}"
                refused.setdefault(place, []).append(pair[1].id)
            else:
                found[pair] = result
        for words, targets in refused.items():
            lines = words.splitlines()
            more = len(lines) - _MOST_LINES if len(self._targets) > 1 else 0
            if more > 1:
                lines[_MOST_LINES:] = [f"({more} lines more; all: --target {targets[0]})"]
            print("fencepost asm: not compiled:", "\n".join(lines), file=sys.stderr)
            self._status = INCOMPLETE
            if not found:
                raise UnusableInput("nothing could be compiled")
        return found

    def _selected(
        self, found: dict[tuple[Subject, Target], list[Examined]], wanted: list[str]
    ) -> list[list[Examined]]:
        """Each function once, with its targets."""
        chosen: dict[tuple[Subject, str], list[Examined]] = {}
        everything = [one for functions in found.values() for one in functions]
        for name in wanted:
            if not select(everything, [name]):
                self._status = INCOMPLETE
                print(f"fencepost asm: {not_found(name, everything)}", file=sys.stderr)
        for (subject, _), functions in found.items():
            names = wanted or list(subject.functions)
            several = [one for one in functions if one.operations or one.listing.atomics]
            for one in select(functions, names) if names else several:
                chosen.setdefault((subject, one.function), []).append(one)
        if not chosen and wanted:
            raise UnusableInput("none of the functions is there")
        if not chosen:
            names = list(dict.fromkeys(one.function for one in everything))
            if not names:
                raise UnusableInput(not_found("", everything))
            raise UnusableInput(
                f"no function has an atomic operation or a fence; there are: {', '.join(names)}\n"
                "(--function shows one all the same)"
            )
        return list(chosen.values())

    def _show(self, functions: list[list[Examined]]) -> None:
        full = self._args.full or len(self._targets) == 1
        last = ""
        for number, targets in enumerate(functions):
            self._note_faults(targets)
            if self._args.json:
                for one in targets:
                    print(json.dumps(labelled("asm", one.to_json())))
                continue
            title = self._title(targets[0])
            if number:
                print()
            if title != last and len(self._subjects) > 1:
                print(f"== {title}")
            last = title
            for text in table(targets) if not full else ():
                print(text)
            for at, one in enumerate(targets) if full else ():
                print("\n" * bool(at) + "\n".join(listing(one)))

    def _title(self, one: Examined) -> str:
        return one.subject.title

    def _note_faults(self, functions: list[Examined]) -> None:
        if any(one.faulty for one in functions):
            self._status = WRONG

    def _pairs(self, found: dict[tuple[Subject, Target], list[Examined]]) -> list[_Pair]:
        a, b = self._args.diff
        if not self._args.files and not self._args.protocol:
            return self._of_protocols(found)
        everything = [one for functions in found.values() for one in functions]
        if {a, b} <= {"gcc", "clang"} or all(self._is_target(name) for name in (a, b)):
            return self._of_targets(found, a, b)
        sides = []
        for name in (a, b):
            chosen = select(everything, [name])
            if not chosen:
                raise UnusableInput(
                    f"--diff: {not_found(name, everything)}{nearest(name, processors())}"
                )
            if len({one.function for one in chosen}) > 1:
                names = ", ".join(dict.fromkeys(one.function for one in chosen))
                raise UnusableInput(f"--diff: '{name}' is several functions: {names}")
            sides.append({one.target: one for one in chosen})
        return [
            _Pair(sides[0][target], sides[1][target], (a, b))
            for target in self._targets
            if target in sides[0] and target in sides[1]
        ]

    def _of_protocols(self, found: dict[tuple[Subject, Target], list[Examined]]) -> list[_Pair]:
        one, two = self._subjects
        wanted = self._args.function
        if not wanted:
            wanted = [name for name in one.functions if name in two.functions]
        pairs = []
        for target in self._targets:
            left = select(found.get((one, target), []), wanted)
            right = {each.function: each for each in select(found.get((two, target), []), wanted)}
            pairs += [
                _Pair(each, right[each.function], (one.title, two.title))
                for each in left
                if each.function in right
            ]
        if not pairs:
            raise UnusableInput(f"--diff: {one.title} and {two.title} have no function in common")
        return pairs

    def _is_target(self, name: str) -> bool:
        return any(name in (one.id, one.id.rpartition("-")[0]) for one in self._targets)

    def _of_targets(
        self, found: dict[tuple[Subject, Target], list[Examined]], a: str, b: str
    ) -> list[_Pair]:
        """The pairs of each function; of processors gcc is compared with gcc, and clang with
        clang."""

        def is_meant(target: Target, name: str) -> bool:
            return name in (target.id, target.id.rpartition("-")[0], target.compiler)

        compilers = {a, b} <= {"gcc", "clang"}
        pairs = []
        for functions in self._selected(found, self._args.function):
            for one in functions:
                for two in functions:
                    same = (
                        one.target.processor == two.target.processor
                        if compilers
                        else one.target.compiler == two.target.compiler
                        or a.endswith(("-gcc", "-clang"))
                    )
                    if same and is_meant(one.target, a) and is_meant(two.target, b):
                        pairs.append(_Pair(one, two, (one.target.name, two.target.name)))
        if not pairs:
            raise UnusableInput(f"--diff: there is nothing of both '{a}' and '{b}' to compare")
        return pairs

    def _show_pairs(self, pairs: list[_Pair]) -> None:
        full = self._args.full or len({pair.a.target for pair in pairs}) == 1
        heading = ""
        for pair in pairs:
            self._note_faults([pair.a, pair.b])
            if self._args.json:
                print(json.dumps(labelled("asm", _pair_json(pair))))
                continue
            same_function = pair.a.function == pair.b.function
            title = pair.a.function if same_function else f"{pair.a.function} | {pair.b.function}"
            if title != heading:
                print(("\n" if heading else "") + title)
                heading = title
            same_target = pair.a.target == pair.b.target
            where = pair.a.target.name if same_target else " | ".join(pair.names)
            print(f"  {where}: {difference_words(pair.a, pair.b, pair.names)}")
            if full:
                print("\n".join(side_by_side(pair.a, pair.b, pair.names)))


def _pair_json(pair: _Pair) -> dict[str, Any]:
    only_a, only_b = difference(pair.a, pair.b)
    return {
        "diff": list(pair.names),
        "same": is_same(pair.a, pair.b),
        "only": [only_a, only_b],
        "fewer_instructions": pair.a.listing.count - pair.b.listing.count,
        "a": pair.a.to_json(),
        "b": pair.b.to_json(),
    }
