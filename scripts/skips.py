#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skips.py REPORT…: what was passed, failed and skipped in these JUnit reports of pytest and ctest,
each skipped test with its reason. Fails where a reason is not in permitted_skips.txt: a skip that
nobody sees is a hole in the tests."""

from __future__ import annotations

import os
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PERMITTED = Path(__file__).parents[1] / "tests" / "permitted_skips.txt"
#: Of one reason so many tests are named.
NAMED = 5


@dataclass(frozen=True)
class Test:
    name: str
    #: "passed", "failed" or "skipped", and then why.
    result: str
    reason: str = ""


#: Before what is permitted to those who are not root.
UNPRIVILEGED = "unprivileged: "


def permitted(text: str, is_root: bool) -> list[re.Pattern[str]]:
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if is_root:
        lines = [line for line in lines if not line.startswith(UNPRIVILEGED)]
    return [re.compile(line.removeprefix(UNPRIVILEGED)) for line in lines]


def tests_of(report: str) -> Iterator[Test]:
    """Those of one JUnit report. Raises ParseError."""
    for case in ET.fromstring(report).iter("testcase"):
        parts = (case.get("classname", ""), case.get("name", ""))
        name = "::".join(dict.fromkeys(part for part in parts if part))
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield Test(name, "failed")
        elif skipped is None:
            yield Test(name, "passed")
        else:
            yield Test(name, "skipped", _reason(skipped, case.findtext("system-out") or ""))


def _reason(skipped: ET.Element, output: str) -> str:
    """pytest has it as the message; of GoogleTest's it is in the output, below the place."""
    said = re.search(r"^\S+:\d+: Skipped\n(.+)$", output, re.MULTILINE)
    if said:
        return said[1].strip()
    return (skipped.get("message") or skipped.text or "no reason").strip()


def judge(tests: Sequence[Test], may_be: Sequence[re.Pattern[str]]) -> tuple[list[str], bool]:
    """What is told of these tests, and whether every skip is permitted."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        if test.result == "skipped":
            by_reason[test.reason].append(test.name)
    told = []
    sound = True
    for reason, names in sorted(by_reason.items()):
        good = any(one.fullmatch(reason) for one in may_be)
        sound = sound and good
        told.append(f"skipped{'' if good else ', which is not permitted'}: {reason}")
        told += [f"  {name}" for name in names[:NAMED]]
        if len(names) > NAMED:
            told.append(f"  and {len(names) - NAMED} more")
    return told, sound


def main(reports: Sequence[str]) -> int:
    tests: list[Test] = []
    for path in reports:
        try:
            tests += tests_of(Path(path).read_text())
        except (OSError, ET.ParseError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    told, sound = judge(tests, permitted(PERMITTED.read_text(), os.geteuid() == 0))
    print("\n".join(told))
    if not sound:
        print(
            "what is missing belongs in the package set 'test' of scripts/package_sets.sh, and "
            f"in {PERMITTED.name} only what the kernel or the processor lacks"
        )
    counts = {
        result: sum(t.result == result for t in tests) for result in ("passed", "failed", "skipped")
    }
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 0 if sound and not counts["failed"] and tests else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
