# SPDX-License-Identifier: MIT
"""Every proof of the library holds, or fails where it says so: proofs/README.md says what a proof
is and how it is run.

As a script it takes words, and checks the proofs that have one of them in their names.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fencepost.console.input_error import Unsupported, UnusableInput
from proof_programs import Proof, all_cases, build, explore

HERE = Path(__file__).resolve().parent


@dataclass
class Answer:
    """What became of one case of a program, in all of its runs."""

    told: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def check(proof: Proof) -> Answer:
    answer = Answer()
    try:
        with tempfile.TemporaryDirectory(prefix="fencepost-proof-") as directory:
            program = build(proof.case, Path(directory))
            for options in proof.case.runs:
                for model in proof.models:
                    found = explore(program, proof.case, model, options)
                    run = " ".join([model, *options])
                    answer.told.append(f"{run}: {found.executions} in {found.seconds:.1f} s")
                    if proof.fails:
                        if not found.violation:
                            answer.complaints.append(f"{run}: {found.verdict}, but should fail")
                    elif found.violation:
                        violation = found.violation
                        answer.complaints.append(f"{run}: {violation.kind}: {violation.message}")
                    elif found.verdict != "holds":
                        answer.complaints.append(f"{run}: no verdict: {found.reason}")
                    elif not found.executions:
                        answer.complaints.append(f"{run}: no execution is complete")
    except (ValueError, UnusableInput, Unsupported) as error:
        answer.complaints.append(str(error))
    return answer


def each(fails: bool) -> pytest.MarkDecorator:
    slow = (pytest.mark.slow, pytest.mark.timeout(7200))
    chosen = [
        pytest.param(proof, id=proof.name, marks=slow if proof.slow else pytest.mark.matrix(20))
        for proof in all_cases()
        if proof.fails == fails
    ]
    return pytest.mark.parametrize("proof", chosen)


def of_a_run(proof: Proof, seed: int, is_long: bool) -> Proof:
    """With all of its models, or in a usual run with one, drawn by lot."""
    if is_long:
        return proof
    lot = random.Random(f"{seed} {proof.name}")
    return replace(proof, models=(lot.choice(proof.models),))


def must_answer(proof: Proof) -> None:
    complaints = check(proof).complaints
    assert not complaints, "\n".join(complaints)


@each(fails=False)
def test_the_guarantee_holds_in_every_execution(proof: Proof, seed: int, is_long: bool) -> None:
    must_answer(of_a_run(proof, seed, is_long))


@pytest.mark.timeout(1200)
def test_a_slow_guarantee_drawn_by_lot_holds_under_a_model_drawn_by_lot(
    seed: int, is_long: bool
) -> None:
    rng = random.Random(seed)
    # Of the one that takes a minute a model, and not three.
    drawn = rng.choice([one for one in all_cases() if one.guarantee == "mutex.no_lost_wakeup"])
    must_answer(of_a_run(drawn, seed, is_long))


@each(fails=True)
def test_without_what_it_rests_on_the_guarantee_fails(
    proof: Proof, seed: int, is_long: bool
) -> None:
    must_answer(of_a_run(proof, seed, is_long))


UNGUARDED = """\
// SPDX-License-Identifier: MIT
// expect: sc=holds
// case: racing -DBOTH
// case: alone
// case: both -DBOTH
// expect: sc=violated
// case: one
// expect: sc=violated
#include <thread>
int count;
int main() {
  std::thread other([] {
#ifdef BOTH
    ++count;
#endif
  });
  ++count;
  other.join();
}
"""


@pytest.fixture
def unguarded(tmp_path: Path) -> Callable[[str], Proof]:
    (tmp_path / "unguarded.cpp").write_text(UNGUARDED)
    found = {proof.name: proof for proof in all_cases(tmp_path)}
    return lambda case: found[f"unguarded[{case}]"]


def test_a_program_that_fails_is_no_proof(unguarded: Callable[[str], Proof]) -> None:
    assert check(unguarded("alone")).complaints == []
    (complaint,) = check(unguarded("racing")).complaints
    assert "sc: data-race" in complaint


def test_a_program_that_holds_where_it_should_fail_shows_nothing(
    unguarded: Callable[[str], Proof],
) -> None:
    assert check(unguarded("both")).complaints == []
    assert check(unguarded("one")).complaints == ["sc: holds, but should fail"]


def test_this_is_a_program_that_takes_the_names_of_proofs() -> None:
    words = [sys.executable, __file__, "no such name"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "all 0 are as said\n"), done.stderr


def main() -> int:
    words = sys.argv[1:] or [""]
    selected = [
        proof
        for proof in all_cases()
        if not proof.slow and any(word in proof.name for word in words)
    ]
    wrong = 0
    with ThreadPoolExecutor(2) as pool:
        for proof, answer in zip(selected, pool.map(check, selected), strict=True):
            told = ", ".join(answer.told)
            as_said = "fails" if proof.fails else "holds"
            print(f"{'WRONG' if answer.complaints else as_said} {proof.name}: {told}", flush=True)
            for line in answer.complaints:
                print(f"      {line}", flush=True)
            wrong += bool(answer.complaints)
    print(f"{wrong} of {len(selected)} are wrong" if wrong else f"all {len(selected)} are as said")
    return wrong > 0 or not selected


if __name__ == "__main__":
    sys.exit(main())
