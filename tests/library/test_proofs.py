# SPDX-License-Identifier: MIT
"""Every proof of the library holds: proofs/README.md says what a proof is and how it is run.

As a script it takes words, and checks the proofs that have one of them in their names.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from proof_programs import ROOT, SECONDS, Proof, all_proofs


@dataclass(frozen=True)
class Run:
    """One call of `fencepost check`."""

    proof: Proof
    options: tuple[str, ...]

    @property
    def id(self) -> str:
        return " ".join([self.proof.name, *self.options])


@dataclass(frozen=True)
class Answer:
    by_model: dict[str, dict[str, Any]]
    stderr: str


def all_runs() -> list[Run]:
    return [Run(proof, options) for proof in all_proofs() for options in proof.runs]


def check(run: Run) -> Answer:
    command = [str(ROOT / "fencepost"), "check", str(run.proof.path), "--json", *run.options]
    command += ["--model", ",".join(run.proof.models)]
    if "--timeout" not in run.options:
        command += ["--timeout", str(SECONDS)]
    done = subprocess.run(
        [*command, "--", *run.proof.flags], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Answer({one["model"]: one for one in found}, done.stderr.strip())


def complaints(run: Run, answer: Answer) -> Iterator[str]:
    for model in run.proof.models:
        found = answer.by_model.get(model)
        if found is None:
            yield f"{model}: no answer: {answer.stderr}"
        elif found["verdict"] == "violated":
            violation = found["violation"]
            yield f"{model}: {violation['kind']} at {violation['location']}: {violation['message']}"
        elif found["verdict"] != "holds":
            error = found.get("error") or {}
            why = found.get("reason") or f"{error.get('location')}: {error.get('message')}"
            yield f"{model}: no verdict: {why}"
        elif found["executions"] == 0:
            yield f"{model}: no execution is complete, which proves nothing"


class Checks:
    """Checks every run that pytest selected, two at a time, ahead of the tests."""

    def __init__(self, runs: list[Run]) -> None:
        self._pool = ThreadPoolExecutor(2)
        self._answers: dict[str, Future[Answer]] = {
            run.id: self._pool.submit(check, run) for run in runs
        }

    def answer(self, run: Run) -> Answer:
        return self._answers[run.id].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def checks(request: pytest.FixtureRequest) -> Iterator[Checks]:
    selected = []
    for item in request.session.items:
        run = getattr(item, "callspec", None) and item.callspec.params.get("run")
        if isinstance(run, Run) and run.proof.is_due:
            selected.append(run)
    running = Checks(selected)
    yield running
    running.close()


@pytest.mark.parametrize("run", all_runs(), ids=lambda run: run.id)
def test_the_guarantee_holds_in_every_execution(run: Run, checks: Checks) -> None:
    if not run.proof.is_due:
        pytest.skip("slow: set FENCEPOST_SLOW to check it")
    found = list(complaints(run, checks.answer(run)))
    assert not found, "\n".join(found)


def main() -> int:
    words = sys.argv[1:] or [""]
    selected = [
        run for run in all_runs() if run.proof.is_due and any(word in run.id for word in words)
    ]
    wrong = 0
    with ThreadPoolExecutor(2) as pool:
        for run, answer in zip(selected, pool.map(check, selected), strict=True):
            found = list(complaints(run, answer))
            told = [
                f"{model} {one.get('executions')} in {one.get('seconds', 0):.1f} s"
                for model, one in answer.by_model.items()
            ]
            print(f"{'WRONG' if found else 'holds'} {run.id}: {', '.join(told)}", flush=True)
            for line in found:
                print(f"      {line}", flush=True)
            wrong += bool(found)
    print(f"{wrong} of {len(selected)} runs fail" if wrong else f"all {len(selected)} runs hold")
    return wrong > 0 or not selected


if __name__ == "__main__":
    sys.exit(main())
