# SPDX-License-Identifier: MIT
"""Which runs of a file may be taken together: those that measured the same thing in the same way on
the same machine. The others are told apart, for what differs between them is no noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.results.schema import MACHINE_FACTS, Measured, Run

#: What else must be the same where both say it.
_SOURCES = ("commit", "changed_since_commit", "changes")
_BUILT = ("compiler", "flags", "libc")
#: What an experiment says of each subject: its program, and how long its windows are.
_BY_SUBJECT = {"programs": "program", "windows": "length of windows"}


def groups_of(measured: Measured) -> list[Measured]:
    """The windows and failures of runs that belong together, in the order of the first ones."""
    seen = {one.run for one in measured.windows} | {one.run for one in measured.failures}
    groups: list[list[Run]] = []
    for run in measured.runs.values():
        if run.id not in seen:
            continue
        alike = (some for some in groups if not any(differences(run, one) for one in some))
        if (group := next(alike, None)) is None:
            groups.append([run])
        else:
            group.append(run)
    found = []
    for some in groups:
        runs = {run.id: run for run in some}
        found.append(
            Measured(
                runs,
                [one for one in measured.windows if one.run in runs],
                [one for one in measured.failures if one.run in runs],
            )
        )
    return found


def differences(one: Run, other: Run) -> list[str]:
    """What two runs do not have in common, for which they are not taken together."""
    return list(dict.fromkeys(_differences(one, other)))


def _differences(one: Run, other: Run) -> Iterator[str]:
    for fact in MACHINE_FACTS:
        if str(one.facts.get(fact)) != str(other.facts.get(fact)):
            yield fact
    # What says of its programs which ones they are is of one kind with the same ones.
    same_files = one.facts.get("measured") and other.facts.get("measured")
    for fact in ("measured",) if same_files else (*_SOURCES, *_BUILT):
        was, now = one.facts.get(fact), other.facts.get(fact)
        if None not in (was, now) and was != now:
            yield "commit" if fact in _SOURCES else fact
    for subject in one.metrics.keys() & other.metrics.keys():
        ours, theirs = one.metrics[subject], other.metrics[subject]
        known = {metric.figure: metric for metric in theirs}
        both = [(metric, known[metric.figure]) for metric in ours if metric.figure in known]
        if any(mine.unit != its.unit for mine, its in both):
            yield "unit"
        if any(mine.better != its.better for mine, its in both):
            yield "which figures are better"
        if ours and theirs and ours[0].figure != theirs[0].figure:
            yield "figure"
    for key, name in _BY_SUBJECT.items():
        ours_, theirs_ = (_of_experiment(run, key) for run in (one, other))
        if any(ours_[subject] != theirs_[subject] for subject in ours_.keys() & theirs_.keys()):
            yield name


def _of_experiment(run: Run, key: str) -> Mapping[str, Any]:
    experiment = run.facts.get("experiment")
    found = experiment.get(key) if isinstance(experiment, dict) else None
    return found if isinstance(found, dict) else {}


def title(group: Measured) -> str:
    """Which runs these are, where they ran, and of which commit."""
    facts = next(iter(group.runs.values())).facts
    told = [str(facts["machine"])] if facts.get("machine") else []
    if facts.get("commit"):
        changed = ", and sources were changed since" if facts.get("changed_since_commit") else ""
        told.append(f"commit {facts['commit']}{changed}")
    return f"{', '.join(group.runs)}: {', '.join(told)}" if told else ", ".join(group.runs)


def why_apart(groups: list[Measured]) -> str:
    """What the first of several groups and the others differ in."""
    first = next(iter(groups[0].runs.values()))
    found = (
        difference
        for group in groups[1:]
        for run in group.runs.values()
        for one in groups[0].runs.values()
        for difference in differences(one, run)
    )
    return ", ".join(dict.fromkeys(found)) or f"what {first.id} measured"


def only_group(measured: Measured, where: str) -> Measured:
    """What is to be of one kind. Raises UnusableInput."""
    groups = groups_of(measured)
    if len(groups) > 1:
        raise UnusableInput(
            f"{where}: its runs are not to be taken together, for they differ in "
            f"{why_apart(groups)}"
        )
    return groups[0] if groups else Measured(dict(measured.runs))
