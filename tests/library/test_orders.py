# SPDX-License-Identifier: MIT
"""Each memory order and each asymmetric fence in the library's headers is needed: a proof that is
named for it fails when it is a step weaker. proofs/README.md says how proofs are named.

It is `fencepost weaken` that asks. By hand, of all headers or of those that have a word in their
paths:

    python tests/library/test_orders.py [WORD…]
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from fencepost.binary.fence_calls import ASYMMETRIC
from fencepost.weaken.written_orders import files_below, orders_written

ROOT = Path(__file__).resolve().parents[2]

LIBRARY = ROOT / "include" / "fencepost"
PROOFS = ROOT / "tests" / "library" / "proofs"


def weaken(
    headers: Iterable[Path], proofs: Path, *flags: str, jobs: int = 1
) -> subprocess.CompletedProcess[str]:
    """`fencepost weaken` on headers and the proofs that their comments name."""
    only = [word for header in headers for word in ("--only", str(header))]
    options = ["--needed", "--named", "--as-annotated", "--assert-minimal", "--no-costs"]
    programs = [str(path) for path in sorted(proofs.rglob("*.cpp"))]
    words = [*options, "--jobs", str(jobs), *only, *programs, "--", *flags]
    return subprocess.run(
        [str(ROOT / "fencepost"), "weaken", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        check=False,
    )


def _groups() -> dict[str, list[Path]]:
    """A header with what lies in the folder called as it is, or a header of detail/; and together
    what one set of proofs is about: the parts that an event mutex is made of."""
    groups = defaultdict(list)
    for file in files_below([str(LIBRARY)]):
        if any(orders_written(file, ASYMMETRIC)):
            folder, *below = file.relative_to(LIBRARY).parts
            name = (below[0] if folder == "detail" else folder).removesuffix(".hpp")
            groups["protocol" if name == "try_lock" else name].append(file)
    return groups


GROUPS = _groups()


@pytest.mark.matrix(15)
@pytest.mark.parametrize("group", GROUPS)
def test_every_order_is_needed_by_a_proof_that_is_named(group: str) -> None:
    done = weaken(GROUPS[group], PROOFS)
    assert done.returncode == 0, done.stdout
    assert ": every order is needed" in done.stdout


def main() -> int:
    words = sys.argv[1:]
    headers = [file for group in GROUPS.values() for file in group]
    chosen = [one for one in headers if any(word in str(one.relative_to(ROOT)) for word in words)]
    if words and not chosen:
        print(f"no header above relaxed has any of these in its path: {' '.join(words)}")
        return 3
    done = weaken(chosen or [LIBRARY], PROOFS, jobs=2)
    print(done.stdout, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
