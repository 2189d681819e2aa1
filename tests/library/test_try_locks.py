# SPDX-License-Identifier: MIT
"""A protocol of the event mutex compiles with the try-locks that are proved, and no other."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPILERS = [name for name in ("g++", "clang++-14") if shutil.which(name)]
TRY_LOCKS = ("test_and_set", "compare_exchange_seq_cst", "compare_exchange_acquire")
REFUSED = {
    ("seq_cst", "compare_exchange_acquire"): "must be seq_cst also when it fails",
    ("lock_exchange", "compare_exchange_seq_cst"): "must write also when it fails",
    ("lock_exchange", "compare_exchange_acquire"): "must write also when it fails",
}


def _compile(compiler: str, protocol: str, try_lock: str) -> subprocess.CompletedProcess[str]:
    source = f"""
        #include "fencepost/event_mutex.hpp"
        #include "fencepost/protocol/{protocol}.hpp"
        #include "fencepost/try_lock/{try_lock}.hpp"
        using order = fencepost::protocol::basic_{protocol}<fencepost::try_lock::{try_lock}>;
        fencepost::event_mutex<order> mutex;
    """
    return subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "-x", "c++", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.matrix(5)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("try_lock", TRY_LOCKS)
@pytest.mark.parametrize("protocol", ["seq_cst", "exchange", "lock_exchange", "asymmetric"])
def test_a_protocol_takes_the_try_locks_that_keep_its_promise(
    protocol: str, try_lock: str, compiler: str
) -> None:
    done = _compile(compiler, protocol, try_lock)
    why = REFUSED.get((protocol, try_lock))
    if why is None:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode != 0
        assert why in done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_mutex_between_processes_refuses_fences_within_one(compiler: str) -> None:
    source = """
        #include "fencepost/event_mutex.hpp"
        #include "fencepost/protocol/asymmetric.hpp"
        fencepost::interprocess_event_mutex<fencepost::protocol::asymmetric> mutex;
    """
    done = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "-x", "c++", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "interprocess_asymmetric" in done.stderr
