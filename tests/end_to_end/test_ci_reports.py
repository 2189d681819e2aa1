# SPDX-License-Identifier: MIT
"""What CI systems read: JUnit's XML and SARIF, of files that hold, fail, and do neither."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import pytest
from answer import fencepost
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Schema

RAISE = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int mine, yours;
static int a, b;

static void *left(void *unused) {
  atomic_store_explicit(&mine, 1, memory_order_release);
  a = atomic_load_explicit(&yours, memory_order_acquire);
  return unused;
}

static void *right(void *unused) {
  atomic_store_explicit(&yours, 1, memory_order_release);
  b = atomic_load_explicit(&mine, memory_order_acquire);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert((a || b) && "\\001 <\\u00e9>");
}
"""

SLEEP = """\
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&go, &lock);
}
"""

SOURCES = {
    "src/raise it.c": RAISE,
    "src/sleep.c": SLEEP,
    "src/empty.c": "int main(void) { return 0; }\n",
    "src/asm.c": 'int main(void) {\n  __asm__ volatile("syscall");\n}\n',
    "src/broken.c": "int main(void) { return x; }\n",
}


@dataclass
class Reports:
    status: int
    junit: ElementTree.Element
    sarif: dict[str, Any]

    def case(self, file: str, model: str) -> ElementTree.Element:
        (found,) = self.junit.findall(f".//testcase[@classname='{file}'][@name='{model}']")
        return found

    def results(self, file: str) -> list[dict[str, Any]]:
        return [r for r in self.sarif["runs"][0]["results"] if uri(r["locations"][0]) == file]


def uri(location: dict[str, Any]) -> str:
    artifact = location["physicalLocation"]["artifactLocation"]
    assert artifact["uriBaseId"] == "%SRCROOT%"
    return str(artifact["uri"])


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    folder = tmp_path_factory.mktemp("project")
    (folder / "src").mkdir()
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    reports = ("--junit", "junit.xml", "--sarif", "fencepost.sarif")
    done = fencepost("check", *SOURCES, "--model", "sc,x86", *reports, cwd=folder)
    return Reports(
        done.returncode,
        ElementTree.parse(folder / "junit.xml").getroot(),
        json.loads((folder / "fencepost.sarif").read_text()),
    )


def test_every_file_and_model_is_a_test_and_only_what_holds_has_passed(reports: Reports) -> None:
    assert reports.status == 3
    told = {
        (case.get("classname"), case.get("name")): [
            (child.tag, child.get("type")) for child in case if child.tag != "system-out"
        ]
        for case in reports.junit.iter("testcase")
    }
    assert told == {
        ("src/raise it.c", "sc"): [],
        ("src/raise it.c", "x86"): [("failure", "assertion")],
        **{("src/sleep.c", model): [("failure", "lost-wakeup")] for model in ("sc", "x86")},
        **{("src/empty.c", model): [] for model in ("sc", "x86")},
        **{("src/asm.c", model): [("error", "inconclusive")] for model in ("sc", "x86")},
        **{("src/broken.c", model): [("error", "unusable")] for model in ("sc", "x86")},
    }
    totals = {key: reports.junit.get(key) for key in ("tests", "failures", "errors")}
    assert totals == {"tests": "10", "failures": "3", "errors": "4"}


def test_a_failure_tells_the_whole_counterexample_and_a_pass_its_assumptions(
    reports: Reports,
) -> None:
    (failure,) = reports.case("src/raise it.c", "x86").findall("failure")
    assert "misses the newer 1 of step" in (failure.text or "")
    (output,) = reports.case("src/raise it.c", "sc").findall("system-out")
    assert "assuming:" in (output.text or "")


def test_the_sarif_is_valid(reports: Reports) -> None:
    Schema.model_validate(reports.sarif)
    with pytest.raises(ValueError, match="bogus"):
        Schema.model_validate({**reports.sarif, "bogus": 1})


def test_a_violation_is_a_result_at_its_line_with_the_reason(reports: Reports) -> None:
    (result,) = reports.results("src/raise%20it.c")
    assert (result["ruleId"], result["level"]) == ("assertion", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["region"]["startLine"] == 1 + RAISE.splitlines().index(
        next(line for line in RAISE.splitlines() if "assert(" in line)
    )
    assert "is still in its store buffer when" in result["message"]["text"]
    assert "(under x86)" in result["message"]["text"]
    rules = reports.sarif["runs"][0]["tool"]["driver"]["rules"]
    assert {r["ruleId"] for r in reports.sarif["runs"][0]["results"]} == {r["id"] for r in rules}


def test_the_code_flow_is_the_counterexample_thread_by_thread(reports: Reports) -> None:
    (result,) = reports.results("src/raise%20it.c")
    (flow,) = result["codeFlows"]
    threads = {thread["id"]: thread["locations"] for thread in flow["threadFlows"]}
    assert set(threads) == {"main", "T1", "T2"}
    orders = [at["executionOrder"] for locations in threads.values() for at in locations]
    assert sorted(orders) == list(range(1, len(orders) + 1))
    for name, variable in (("T1", "mine"), ("T2", "yours")):
        told = [at["location"]["message"]["text"] for at in threads[name]]
        assert f"writes {variable} = 1 (release)" in told[0]
        assert all(at["importance"] == "essential" for at in threads[name])
        assert all(uri(at["location"]) == "src/raise%20it.c" for at in threads[name])


def test_who_is_stuck_is_a_related_location(reports: Reports) -> None:
    for result in reports.results("src/sleep.c"):
        (end,) = result["relatedLocations"]
        assert "main is blocked: asleep on go" in end["message"]["text"]
        assert end["physicalLocation"]["region"]["startLine"] == 8
    fingerprints = {
        result["partialFingerprints"]["violation/v1"] for result in reports.results("src/sleep.c")
    }
    assert len(fingerprints) == 2, "one a model"


def test_what_has_no_verdict_is_neither_silent_nor_a_violation(reports: Reports) -> None:
    for result in reports.results("src/asm.c"):
        assert (result["ruleId"], result["level"]) == ("inconclusive", "warning")
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    (invocation,) = reports.sarif["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "does not compile" in invocation["toolExecutionNotifications"][0]["message"]["text"]
