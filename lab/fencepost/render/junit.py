# SPDX-License-Identifier: MIT
"""Results as the XML that CI systems read: a test suite a file, a test a memory model.

What is not known to hold has not passed: a violation is a failure, and whatever ended without a
verdict is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from fencepost.console.input_error import Unsupported
from fencepost.console.shown import shown
from fencepost.explore.outcome import HOLDS, VIOLATED, Outcome, in_unicode
from fencepost.render.outcome_text import outcome_text
from fencepost.render.trace import Paint

#: What XML cannot hold; a program's strings may.
_NO_TEXT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[Outcome]) -> str:
    root = ElementTree.Element("testsuites", name="fencepost")
    by_file: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_file.setdefault(" + ".join(map(str, outcome.files)), []).append(outcome)
    for name, group in by_file.items():
        _suite(root, name, group)
    _count(root, outcomes)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _count(element: ElementTree.Element, outcomes: Sequence[Outcome]) -> None:
    seconds = sum(outcome.exploration.seconds for outcome in outcomes if outcome.exploration)
    failures = sum(outcome.status == VIOLATED for outcome in outcomes)
    passed = sum(outcome.status == HOLDS for outcome in outcomes)
    element.set("tests", str(len(outcomes)))
    element.set("failures", str(failures))
    element.set("errors", str(len(outcomes) - failures - passed))
    element.set("time", f"{seconds:.3f}")


def _suite(root: ElementTree.Element, name: str, outcomes: Sequence[Outcome]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=_text(name))
    _count(suite, outcomes)
    for outcome in outcomes:
        found = outcome.exploration
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_text(name),
            name=_text(_name(outcome)),
            time=f"{found.seconds if found else 0:.3f}",
        )
        text = _text(outcome_text(outcome, Paint(), assumptions=True))
        if outcome.status == HOLDS:
            ElementTree.SubElement(case, "system-out").text = text
            continue
        tag = "failure" if outcome.status == VIOLATED else "error"
        kind, message = _what(outcome)
        told = ElementTree.SubElement(case, tag, type=kind, message=_text(message))
        told.text = text


def _name(outcome: Outcome) -> str:
    case = [outcome.case.name, *outcome.options] if outcome.case else []
    return " ".join([*filter(None, case), outcome.model])


def _what(outcome: Outcome) -> tuple[str, str]:
    if outcome.unlike:
        return "not as annotated", "; ".join(outcome.unlike)
    if outcome.error:
        kind = "inconclusive" if isinstance(outcome.error, Unsupported) else "unusable"
        return kind, str(outcome.error)
    assert outcome.exploration
    violation = outcome.exploration.violation
    if violation:
        return violation.kind, outcome.names().message(violation.message)
    return "inconclusive", outcome.reason()


def _text(text: str) -> str:
    """As text that XML holds, in which letters that do not print are shown as escapes."""
    return shown(_NO_TEXT.sub("�", in_unicode(text)))
