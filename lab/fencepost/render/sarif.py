# SPDX-License-Identifier: MIT
"""Results as SARIF 2.1.0, which code hosts and editors show at the lines concerned.

Each violation is a result whose code flow is the counterexample: a thread flow for each thread,
`executionOrder` the steps' order among all threads. What ended without a verdict is a warning, and
what could not be compiled a notification of a run that did not succeed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fencepost.binary.source_location import short_path
from fencepost.console.input_error import Unsupported
from fencepost.console.version import version
from fencepost.execution.explain import explanation
from fencepost.execution.needed import needed_steps
from fencepost.execution.steps import Step, why_stuck
from fencepost.explore.outcome import INCONCLUSIVE, UNUSABLE, VIOLATED, Outcome
from fencepost.pages.markup import shown_values

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

RULES = {
    "assertion": "An assertion can fail, or the program can call abort.",
    "data-race": "Two accesses of the same memory, one of them plain and one a write, are not "
    "ordered by happens-before.",
    "lost-wakeup": "A thread can sleep for ever: the wake-up that was meant for it came before.",
    "deadlock": "Threads can wait for each other for ever.",
    "non-termination": "A loop can wait for ever for a value that nobody will write.",
    "memory": "Memory can be used after it was freed, or outside what was allocated.",
    "invalid-order": "An operation is given a memory order that the standard forbids for it.",
    "exit-status": "The program can end with an exit status other than 0.",
    "uncaught": "An exception can leave a thread without being caught.",
    "inconclusive": "Not every execution could be explored: there is no verdict.",
}


def sarif(outcomes: Sequence[Outcome]) -> str:
    results = [
        _violation(one) if one.status == VIOLATED else _no_verdict(one)
        for outcome in outcomes
        for one in (outcome, *outcome.further)
        if one.status in (VIOLATED, INCONCLUSIVE)
    ]
    unusable = [outcome for outcome in outcomes if outcome.status == UNUSABLE]
    used = dict.fromkeys(result["ruleId"] for result in results)
    run = {
        "tool": {
            "driver": {
                "name": "fencepost",
                "version": version(),
                "rules": [_rule(kind) for kind in used],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not unusable,
                "toolExecutionNotifications": [_notification(outcome) for outcome in unusable],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(shown_values(whole), indent=1) + "\n"


def _rule(kind: str) -> dict[str, Any]:
    return {"id": kind, "shortDescription": {"text": RULES.get(kind, kind)}}


def _location(path: str, line: int, text: str = "") -> dict[str, Any]:
    near = short_path(path)
    # As the compiler has written it, whatever the names of this process's files are encoded in.
    uri = quote(near.encode("utf-8", "surrogateescape"))
    if Path(near).is_absolute():
        artifact = {"uri": f"file://{uri}"}
    else:
        artifact = {"uri": uri, "uriBaseId": "%SRCROOT%"}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line, 1)}}
    }
    if text:
        location["message"] = {"text": text}
    return location


def _place(place: str | None, outcome: Outcome, text: str = "") -> dict[str, Any]:
    """The location of `file:line`, the file's beginning where none is known."""
    path, _, line = (place or f"{outcome.file}:1").rpartition(":")
    return _location(path, int(line), text)


def _no_verdict(outcome: Outcome) -> dict[str, Any]:
    if outcome.error:
        place = outcome.error.location if isinstance(outcome.error, Unsupported) else None
    else:
        place, _ = outcome.stopped_at()
    known = place if place and place.rpartition(":")[2].isdecimal() else None
    reason = str(outcome.error) if outcome.error else outcome.reason()
    return {
        "ruleId": "inconclusive",
        "level": "warning",
        "message": {"text": f"Inconclusive under {outcome.model}: {reason}"},
        "locations": [_place(known, outcome)],
    }


def _notification(outcome: Outcome) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": str(outcome.error)},
        "locations": [_place(None, outcome)],
    }


def _violation(outcome: Outcome) -> dict[str, Any]:
    assert outcome.exploration and outcome.exploration.violation
    violation, names = outcome.exploration.violation, outcome.names()
    less, steps = needed_steps(violation, names)
    text = f"{names.message(violation.message)} (under {outcome.model})"
    why = explanation(less.execution, steps, names)
    place = names.place(violation.pc)
    result: dict[str, Any] = {
        "ruleId": violation.kind,
        "level": "error",
        "message": {"text": "\n".join([text, *why])},
        "locations": [_place(place, outcome)],
        "partialFingerprints": {
            "violation/v1": _fingerprint(outcome, violation.kind, names.source(violation.pc))
        },
    }
    ends = [
        _place(names.place(end.pc), outcome, f"{names.thread(end.id)} is blocked: {why_blocked}")
        for end in less.execution.threads
        if (why_blocked := "; ".join(why_stuck(less.execution, end, steps, names)))
    ]
    if ends:
        result["relatedLocations"] = ends
    flows = list(_thread_flows(steps, outcome))
    if flows:
        result["codeFlows"] = [
            {"message": {"text": "the steps that the violation needs"}, "threadFlows": flows}
        ]
    return result


def _fingerprint(outcome: Outcome, kind: str, source: str) -> str:
    """The same for as long as the line is, wherever in the file it stands."""
    text = "\0".join((kind, outcome.model, short_path(str(outcome.file)), source))
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:32]


def _thread_flows(steps: list[Step], outcome: Outcome) -> Iterator[dict[str, Any]]:
    names = outcome.names()
    for thread in sorted({step.thread for step in steps}):
        yield {
            "id": names.thread(thread),
            "locations": [
                {
                    "executionOrder": step.number,
                    "importance": "essential" if step.highlight else "important",
                    "location": _place(step.location, outcome, _told(step)),
                }
                for step in steps
                if step.thread == thread
            ],
        }


def _told(step: Step) -> str:
    remark = f" ({step.remark})" if step.remark else ""
    return f"step {step.number}: {step.action}{remark}"
