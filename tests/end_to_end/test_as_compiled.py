# SPDX-License-Identifier: MIT
"""`--as-compiled` judges what gcc's optimiser has left; without it, what is written is judged."""

from __future__ import annotations

import pytest
from answer import Check

#: Each thread's access leaves no trace in what gcc makes of it.
IN_VAIN = {
    "a load in vain": "int copy = x; copy = 3; return copy - 3",
    "stored back": "x = x; return 0",
    "overwritten": "y = 1; y = 2; int copy = x; (void)copy; return 0",
}


@pytest.fixture(params=IN_VAIN)
def program(request: pytest.FixtureRequest) -> str:
    return (
        "#include <pthread.h>\n"
        "static int x, y;\n"
        "static void* worker(void* p) { x = 1; return p; }\n"
        "static int look(void) { (void)y; " + IN_VAIN[request.param] + "; }\n"
        "int main(void) {\n  pthread_t t;\n  pthread_create(&t, NULL, worker, NULL);\n"
        "  const int seen = look();\n  pthread_join(t, NULL);\n  return seen;\n}\n"
    )


def test_what_gcc_leaves_out_does_not_race(check: Check, program: str) -> None:
    found = check(program, "--as-compiled").result
    assert found["verdict"] == "holds"
    assert any("as compiled: accesses that gcc leaves out" in s for s in found["assumptions"])


def test_without_it_what_is_written_races(check: Check, program: str) -> None:
    found = check(program).result
    assert found["verdict"] == "violated"
    assert found["violation"]["kind"] == "data-race"


def test_what_is_not_optimised_races_all_the_same(check: Check, program: str) -> None:
    found = check(program, "--as-compiled", "--", "-O0").result
    assert found["verdict"] == "violated"


def test_a_race_that_is_left_is_found(check: Check) -> None:
    source = (
        "#include <pthread.h>\nint x;\n"
        "static void* worker(void* p) { x = 1; return p; }\n"
        "int main(void) {\n  pthread_t t;\n  pthread_create(&t, NULL, worker, NULL);\n"
        "  const int seen = x;\n  pthread_join(t, NULL);\n  return seen * 0 + x - 1;\n}\n"
    )
    for level in ("-O1", "-O3"):
        found = check(source, "--as-compiled", "--any-exit-status", "--", level).result
        assert found["verdict"] == "holds", "the product is folded, and its operand with it"
    source = source.replace("seen * 0 + x - 1", "seen")
    for level in ("-O1", "-O3"):
        found = check(source, "--as-compiled", "--any-exit-status", "--", level).result
        assert found["verdict"] == "violated"
        assert found["violation"]["location"].startswith("program.c:")


def test_with_clang_there_is_no_such_view(check: Check, program: str) -> None:
    answer = check(program, "--as-compiled", "--cc", "clang-14")
    assert answer.status == 3
    assert "--as-compiled is for gcc" in answer.text
