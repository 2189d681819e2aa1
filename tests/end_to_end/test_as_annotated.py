# SPDX-License-Identifier: MIT
"""`fencepost check --as-annotated`: files that say themselves what is expected of them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from answer import fencepost

COUNT = """\
// Two threads count.
//
{cases}
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;
static void *count(void *unused) {{
#ifdef LOCK
  pthread_mutex_lock(&mutex);
#endif
#ifdef NONSENSE
  nonsense
#endif
  ++number;  // @COUNTS
#ifdef LOCK
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}}
int main(void) {{
  pthread_t other;
  pthread_create(&other, 0, count, 0);
  count(0);
  pthread_join(other, 0);
  return 0;
}}
"""
LOCKED = "// case: locked -DLOCK\n// expect: all=holds executions=2"
BARE = "// case: bare\n// expect: c++20=data-race at=COUNTS"


def _run(tmp_path: Path, cases: str, *words: str) -> tuple[int, list[str], str]:
    (tmp_path / "count.c").write_text(COUNT.format(cases=cases))
    done = fencepost("check", "--as-annotated", *words, "count.c", cwd=tmp_path)
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_all_is_well_where_each_comes_as_expected(tmp_path: Path) -> None:
    status, lines, _ = _run(tmp_path, f"{LOCKED}\n{BARE}")
    assert status == 0 and len(lines) == 5, lines
    starts = [f"count.c[locked]: holds under {model}, as ann" for model in ("c++20", "x86", "sc")]
    starts.append("count.c[bare]: violated (data-race) under c++20, as annotated: ")
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=False)), lines
    assert lines[4] == "4 checks: 4 as annotated"


@pytest.mark.parametrize(
    ("case", "status", "told"),
    [
        ("wrong\n// expect: sc=holds", 1, "expected holds, got violated:data-race"),
        ("wrong -DLOCK\n// expect: sc=violated", 1, "expected violated, got holds"),
        ("wrong -DLOCK\n// expect: sc=holds executions=3", 1, "expected 3 executions, got 2"),
        ("wrong\n// expect: sc=violated at=NOBODY", 1, "expected line marked @NOBODY, which none"),
        (
            "wrong -DLOCK\n// expect: sc=holds\n// options: --max-executions 1",
            *(2, "expected holds, got inconclusive"),
        ),
        ("wrong -DNONSENSE\n// expect: sc=holds", 3, "expected holds, got error"),
    ],
)
def test_what_comes_otherwise_is_told_in_full(
    tmp_path: Path, case: str, status: int, told: str
) -> None:
    got, lines, errors = _run(tmp_path, f"{LOCKED}\n// case: {case}", "--model", "sc")
    assert got == status
    assert any(f"  not as annotated: {told}" in line for line in [*lines, *errors.splitlines()])
    assert lines[0].startswith("count.c[locked]: holds under sc, as annotated")
    assert lines[-1] == "2 checks: 1 as annotated, 1 not"


def test_what_does_not_compile_may_be_expected(tmp_path: Path) -> None:
    status, lines, errors = _run(tmp_path, "// case: no -DNONSENSE\n// expect: sc=error")
    assert (status, errors) == (0, "")
    assert lines == ["count.c[no]: refused under sc, as annotated: count.c: does not compile"]


def test_each_line_of_options_is_a_run_and_json_has_what_was_expected(tmp_path: Path) -> None:
    runs = "// options:\n// options: --leaks --jobs 2\n"
    status, lines, _ = _run(tmp_path, f"{runs}{LOCKED}", "--model", "x86", "--json")
    results = [json.loads(line) for line in lines]
    assert status == 0 and [one["verdict"] for one in results] == ["holds", "holds"]
    case = {"name": "locked", "flags": ["-DLOCK"], "expected": "holds", "unlike": []}
    assert [one["case"] for one in results] == [
        {**case, "options": []},
        {**case, "options": ["--leaks", "--jobs", "2"]},
    ]


def test_junit_has_a_test_for_each_run(tmp_path: Path) -> None:
    wrong = "// case: wrong\n// expect: sc=holds"
    status, _, _ = _run(tmp_path, f"{BARE}\n{wrong}", "--junit", "found.xml")
    suite = ElementTree.parse(tmp_path / "found.xml").getroot()[0]
    assert status == 1 and (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [one.get("name") for one in suite] == ["bare c++20", "wrong sc"]
    (failure,) = suite[1]
    assert failure.get("message") == "expected holds, got violated:data-race"


@pytest.mark.parametrize(
    ("cases", "words", "complaint"),
    [
        ("// expects: all=holds", [], "count.c:3: 'expects:' is not understood"),
        ("// options: --json", [], "count.c: options: unrecognized arguments: --json"),
        (BARE, ["--model", "sc"], "these files expect nothing under sc"),
        (BARE, ["--link"], "leave --link out"),
        (BARE, ["--all-races", "--html", "p.html"], "leave --all-races, --html out"),
    ],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, cases: str, words: list[str], complaint: str
) -> None:
    status, lines, errors = _run(tmp_path, cases, *words)
    assert (status, lines) == (3, []) and complaint in errors, errors


def test_weaken_takes_the_cases_that_hold_under_the_models_that_are_asked_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "count.c").write_text(COUNT.format(cases=f"{LOCKED}\n{BARE}"))
    words = ("weaken", "--as-annotated", "--json", "--no-costs", "count.c")
    for asked, models in (((), ["c++20", "x86", "sc"]), (("--model", "sc,c++14"), ["sc"])):
        done = fencepost(*words, *asked, cwd=tmp_path)
        proofs = json.loads(done.stdout)["solutions"][0]["proofs"]
        assert [one["case"] for one in proofs] == [f"count.c[locked] ({one})" for one in models]


def test_weaken_leaves_out_what_is_to_fail(tmp_path: Path) -> None:
    (tmp_path / "count.c").write_text(COUNT.format(cases=BARE))
    done = fencepost("weaken", "--as-annotated", "count.c", cwd=tmp_path)
    assert done.returncode == 3
    assert "no case of these files is to hold under a model" in done.stderr
