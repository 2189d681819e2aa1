# SPDX-License-Identifier: MIT
"""The programs of proofs/ hold, and each memory order in the table of locks and in the kinds of
locks is needed by one of them. They are what tests/library/proofs/README.md says of the library's,
about the headers of src/atomics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from proof_programs import Proof, all_cases
from test_orders import weaken
from test_proofs import check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

#: As the runtime itself is built: objects of any type are read as words.
FLAGS = ("-I", str(ROOT / "src"), "-fno-strict-aliasing")
ORDERS = [ROOT / "src" / "atomics" / name for name in ("lock_table/lock_table.hpp", "lock")]
PROOFS = [
    replace(proof, case=replace(proof.case, flags=(*FLAGS, *proof.case.flags)))
    for proof in all_cases(HERE / "proofs")
]


@pytest.mark.matrix(5)
@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_it_holds_or_fails_as_it_says(proof: Proof) -> None:
    complaints = check(proof).complaints
    assert not complaints, "\n".join(complaints)


def test_every_order_is_needed_by_a_proof_that_is_named() -> None:
    done = weaken(ORDERS, HERE / "proofs", *FLAGS)
    assert done.returncode == 0, done.stdout
    assert ": every order is needed" in done.stdout
