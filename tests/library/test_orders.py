# SPDX-License-Identifier: MIT
"""Each memory order in the library's headers is needed: a proof that is named for it fails when it
is one step weaker. proofs/README.md says which orders are looked at and how proofs are named.

As a script it takes words, and weakens the orders of headers that have one of them in their names:

    python tests/library/test_orders.py [--list] [--jobs N] [WORD…]     (event_mutex.hpp:120 is one)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "lab")]
from fencepost.build_program import Program  # noqa: E402
from fencepost.input_error import Unsupported, UnusableInput  # noqa: E402
from order_sites import Header, Site  # noqa: E402
from proof_programs import ROOT, Proof, all_proofs, build, explore  # noqa: E402
from weakened_headers import WeakenedHeaders, Weakening  # noqa: E402

INCLUDE = ROOT / "include"

#: The seam to the checker: its functions are what the checker models, not what it explores. And
#: what gives compare-exchanges on riscv64 the orders that they were asked for: it has none of its
#: own, and test_ordered_atomic.py reads its instructions.
NOT_EXPLORED = frozenset({"fencepost/instrumentation.hpp", "fencepost/ordered_atomic.hpp"})

T = TypeVar("T")


class Once:
    """Does things that are asked for by name, each once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done: dict[str, Future[object]] = {}

    def do(self, name: str, work: Callable[[], T]) -> T:
        with self._lock:
            is_ours = name not in self._done
            future = self._done.setdefault(name, Future())
        if is_ours:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
        return future.result()  # type: ignore[return-value]


@dataclass(frozen=True)
class Answer:
    """What became of one weakening: a proof that fails, as it should, or a finding."""

    weakening: Weakening
    place: str
    failed: str = ""
    finding: str = ""


class Workshop:
    """Compiles proofs against copies of the headers, and looks which of them fail."""

    def __init__(
        self,
        include: Path,
        proofs: list[Proof],
        directory: Path,
        left_out: frozenset[str] = NOT_EXPLORED,
        folder: str = "fencepost",
    ) -> None:
        self.headers = WeakenedHeaders(include, directory / "headers", left_out, folder)
        self._folder = include / folder
        self._directory = directory
        self._proofs: dict[str, list[Proof]] = {}
        for proof in proofs:
            self._proofs.setdefault(proof.guarantee, []).append(proof)
        self._once = Once()

    def place(self, header: Path, line: int) -> str:
        return f"{header.relative_to(self._folder)}:{line}"

    def complaints(self, wanted: Callable[[str], bool]) -> list[str]:
        return [
            f"{self.place(one.header, one.line)}: {one.text}"
            for header in self.headers.headers
            for one in header.complaints
            if wanted(self.place(one.header, one.line))
        ]

    def weakenings(self, wanted: Callable[[str], bool]) -> list[Weakening]:
        return [
            one
            for one in self.headers.weakenings
            if wanted(self.place(one.site.header, one.site.line))
        ]

    def named(self, site: Site) -> list[Proof]:
        """The proofs that are named for a site and include its header. Raises ValueError."""
        if not site.proofs:
            raise ValueError(f"{site.what}: no proof is named above it")
        found: list[Proof] = []
        header = site.header.relative_to(self._folder)
        for name in site.proofs:
            guarantee, _, variant = name.rstrip("]").partition("[")
            guarantee = guarantee.replace("/", ".")
            folders = [header.stem, *reversed(header.parent.parts)]
            candidates = [guarantee, *(f"{folder}.{guarantee}" for folder in folders)]
            known = next((self._proofs[one] for one in candidates if one in self._proofs), [])
            chosen = [proof for proof in known if variant in ("", proof.variant)]
            if not chosen:
                raise ValueError(f"{site.what}: no proof is called {name}")
            found += chosen
        of_header = [proof for proof in dict.fromkeys(found) if self._includes(proof, site.header)]
        if not of_header:
            raise ValueError(f"{site.what}: {', '.join(site.proofs)} does not include this header")
        return of_header

    def _includes(self, proof: Proof, header: Path) -> bool:
        found = self._once.do(
            f"headers of {proof.path}", lambda: self.headers.included_by(proof.path)
        )
        return header.resolve() in found

    def _build(self, proof: Proof, copy: Path) -> Program:
        flags = self.headers.flags(copy)
        return build(proof, copy / "programs" / proof.name.replace("[", "-").rstrip("]"), flags)

    def _unharmed(self, proof: Proof) -> Program:
        """The program that weakens whichever order it is told; without being told it does not fail,
        as far as it can be explored in a moment: the whole of it is for test_proofs.py."""

        def make() -> Program:
            program = self._build(proof, self.headers.copy)
            for options in proof.runs:
                found = explore(program, proof.models[0], options, "")
                if found.verdict != "holds":
                    raise ValueError(
                        f"{proof.name} is {found.verdict} as it is: run test_proofs.py"
                    )
            return program

        return self._once.do(f"program of {proof.name}", make)

    def _failing(self, weakening: Weakening, proofs: list[Proof], for_good: bool) -> str:
        """The first run that fails; "" if none does. Raises ValueError if that is not known."""
        undecided: list[str] = []
        for proof in proofs:
            program = (
                self._build(proof, self.headers.weakened_for_good(weakening))
                if for_good
                else self._unharmed(proof)
            )
            for options in proof.runs:
                found = explore(
                    program, proof.models[0], options, "" if for_good else weakening.argument
                )
                told = " ".join([proof.name, f"({proof.models[0]})", *options])
                kind = found.violation.kind if found.violation else ""
                if found.verdict == "violated" and kind != "invalid-order":
                    return f"{told}: {kind}"
                if found.verdict != "holds":
                    undecided.append(f"{told}: {kind or found.reason}")
        if undecided:
            raise ValueError("; ".join(undecided))
        return ""

    def weaken(self, weakening: Weakening) -> Answer:
        answer = Answer(weakening, self.place(weakening.site.header, weakening.site.line))
        try:
            proofs = self.named(weakening.site)
            failed = ""
            for for_good in (False, True):
                failed = failed or self._failing(weakening, proofs, for_good)
        except (ValueError, UnusableInput, Unsupported) as error:
            return replace(answer, finding=f"{weakening.question}? {error}")
        if failed:
            return replace(answer, failed=failed)
        names = ", ".join(proof.name for proof in proofs)
        advice = "weaken it" if weakening.order else "remove it"
        return replace(
            answer,
            finding=f"{weakening.question}: none of {names} fails; {advice}, "
            "or name the proof that needs it",
        )


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(INCLUDE, all_proofs(), tmp_path_factory.mktemp("orders"))


def _headers() -> list[str]:
    found = (INCLUDE / "fencepost").rglob("*.hpp")
    names = {str(path.relative_to(INCLUDE)) for path in found} - NOT_EXPLORED
    return sorted(name.removeprefix("fencepost/") for name in names)


@pytest.mark.parametrize("header", _headers())
def test_every_order_is_needed_by_a_proof_that_is_named(header: str, workshop: Workshop) -> None:
    def mine(place: str) -> bool:
        return place.startswith(f"{header}:")

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(workshop.weaken, workshop.weakenings(mine)))
    findings = [f"{one.place}: {one.finding}" for one in answers if one.finding]
    findings += workshop.complaints(mine)
    assert not findings, "\n" + "\n".join(findings)


HANDED_OVER = """\
#pragma once
#include <atomic>
struct handed_over {
  // release, acquire: what was written before comes along. Proof: handed_over.once.
  void put() { there.store(true, std::memory_order_release); }
  // seq_cst: nobody needs that much. Proof: once.
  bool is_there() const { return there.load(std::memory_order_seq_cst); }
  // Proof: twice.
  void take() { there.store(false, std::memory_order_release); }

  constexpr static auto late = std::memory_order_release;  // Proof: once.
  void put_late() { there.store(true, late); }
  std::atomic<bool> there{false};
};
"""
ONCE = """\
// SPDX-License-Identifier: MIT
#include <cassert>
#include <thread>
#include "fencepost/handed_over.hpp"
handed_over early, late;
int first, second;
int main() {
  std::thread giver([] {
    first = 1;
    early.put();
    second = 1;
    late.put_late();
  });
  if (early.is_there()) assert(first == 1);
  if (late.is_there()) assert(second == 1);
  giver.join();
}
"""


def test_an_order_that_no_proof_needs_is_found(tmp_path: Path) -> None:
    for name, text in {"include/handed_over.hpp": HANDED_OVER, "proofs/once.cpp": ONCE}.items():
        top, file = name.split("/")
        folder = tmp_path / top / ("fencepost" if top == "include" else "handed_over")
        folder.mkdir(parents=True)
        (folder / file).write_text(text)
    proofs = all_proofs(tmp_path / "proofs")
    workshop = Workshop(tmp_path / "include", proofs, tmp_path / "work")
    answers = {one.site.line: workshop.weaken(one) for one in workshop.weakenings(lambda _: True)}
    assert [line for line, answer in answers.items() if answer.finding] == [7, 9]
    assert "seq_cst could be acquire: none of handed_over.once fails" in answers[7].finding
    assert "no proof is called twice" in answers[9].finding
    assert "data-race" in answers[5].failed
    assert "data-race" in answers[11].failed


UNWRITTEN = """\
struct counter {
  void up() { ++count; }
  void down() { count -= 1; }
  bool any() const { return flag.load(); }
  bool none() const { if (!flag) return true; return count.load(std::memory_order_relaxed) == 0; }
  void put(int n) { last.exchange(n).store(n, std::memory_order_relaxed); }
  // ++count; flag.store(true);
  bool first() { return &count == text(") count = 1;"); }
  std::atomic<unsigned> count{0};
  std::atomic<bool> flag = false;
};
"""


def test_orders_that_are_not_written_are_found() -> None:
    header = Header(Path("counter.hpp"), UNWRITTEN)
    assert sorted(one.line for one in header.complaints) == [2, 3, 4, 5, 6]
    assert header.sites == []


def _tell(workshop: Workshop, chosen: list[Weakening], jobs: int) -> Iterator[Answer]:
    with ThreadPoolExecutor(jobs) as pool:
        for answer in pool.map(workshop.weaken, chosen):
            change = f"{answer.weakening.site.what} → {answer.weakening.order or 'none'}"
            if answer.finding:
                print(f"FOUND {answer.place}: {answer.finding}", flush=True)
            else:
                print(f"ok    {answer.place}: {change}: {answer.failed}", flush=True)
            yield answer


def main() -> int:
    parser = argparse.ArgumentParser(description="Weakens each memory order, and looks who minds.")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--list", action="store_true", help="the orders and their proofs; run none")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    args = parser.parse_args()

    def wanted(place: str) -> bool:
        return any(word in place for word in args.words or [""])

    with tempfile.TemporaryDirectory(prefix="fencepost-orders-") as directory:
        workshop = Workshop(INCLUDE, all_proofs(), Path(directory))
        chosen = workshop.weakenings(wanted)
        complaints = workshop.complaints(wanted)
        if args.list:
            for one in chosen:
                place = workshop.place(one.site.header, one.site.line)
                proofs = ", ".join(one.site.proofs) or "NONE"
                print(f"{place}: {one.site.what} → {one.order or 'none'}: {proofs}")
        for text in complaints:
            print(f"FOUND {text}")
        if args.list:
            return bool(complaints)
        began = time.monotonic()
        answers = list(_tell(workshop, chosen, args.jobs))
    found = sum(bool(one.finding) for one in answers) + len(complaints)
    print(f"{len(answers)} weaker orders in {time.monotonic() - began:.0f} s: {found} findings")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
