# SPDX-License-Identifier: MIT
"""What is told of results in words: the same for the page and for Markdown."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fencepost.measure.subjects import SUBJECTS
from fencepost.pages.plot_svg import Panel
from fencepost.report.checked import Verdicts, checked_table
from fencepost.report.content import Machine, Report, Subject
from fencepost.report.figures import panels
from fencepost.report.instructions import Listed, instructions_table
from fencepost.report.parts import Part, parts_of
from fencepost.report.tables import (
    Cell,
    Row,
    Table,
    headlines_tables,
    targets_table,
    variants_table,
)
from fencepost.report.targets import Judged, judge_targets
from fencepost.report.words import count, plain, said, work_words
from fencepost.results.schema import Run
from fencepost.servers.known import server_subject

#: Facts of a run that are told, with their names; others follow as they are called.
_FACTS = {
    "started": "when",
    "machine": "machine",
    "processors": "processors",
    "governor": "frequency governor",
    "kernel": "kernel",
    "libc": "C library",
    "compiler": "compiler",
    "flags": "flags",
    "commit": "commit",
    "load": "load when it began",
    "pinned": "pinned",
    "priority": "priority",
}
_HIDDEN = ("changed_since_commit", "rounds", "from", "seed", "discarded", "layout")
#: Of facts with many parts: what is left out, and how long the rest may be.
_HIDDEN_PARTS = ("programs", "windows", "subjects")
_LONGEST = 240
#: More than these are counted, not listed.
_MOST_FAILURES = 5


@dataclass
class ReportText:
    """A report and everything that is said in it."""

    report: Report
    title: str
    from_where: str
    #: Where the results lie, as the reader would name them.
    files: Sequence[str]
    #: What the checker says and how it is compiled, by part; None where nobody asked.
    verdicts: dict[Part, Verdicts] | None = None
    instructions: Listed | None = None
    #: What went wrong with those.
    troubles: list[str] = field(default_factory=list)
    _judged: dict[int, list[Judged]] = field(default_factory=dict)

    @cached_property
    def notices(self) -> list[str]:
        """What must be known before anything else is read."""
        found = [*self.report.remarks, *self.troubles]
        machines = self.report.machines
        if len(machines) > 1:
            found.append(
                f"These results are of {len(machines)} machines: "
                f"{'; '.join(one.name for one in machines)}. Each is reported by itself, and "
                "nothing is compared across them."
            )
        return found

    def headlines(self, machine: Machine) -> list[Table]:
        return headlines_tables(machine)

    def question(self, subject: Subject) -> str:
        known = SUBJECTS.get(subject.name) or server_subject(subject.name)
        return known.question[:1].upper() + known.question[1:] if known else ""

    def panels(self, subject: Subject) -> list[Panel]:
        return panels(subject)

    def targets(self, subject: Subject) -> list[Judged]:
        if id(subject) not in self._judged:
            judged = judge_targets(subject, self.report.asked.certainty)
            self._judged[id(subject)] = judged
        return self._judged[id(subject)]

    def tables(self, subject: Subject) -> list[Table]:
        found = [variants_table(subject)] if subject.works else []
        targets = self.targets(subject)
        if targets:
            found.append(targets_table(targets))
        parts = parts_of(subject)
        if parts:
            found.append(checked_table(parts, self.verdicts))
        if parts and self.instructions is not None:
            found.append(instructions_table(parts, self.instructions))
        return [table for table in found if table.rows]

    def summary(self, subject: Subject) -> str:
        """The subject in a line: how many variants in how many works."""
        names = {variant.name for work in subject.works for variant in work.variants}
        parts = [f"{count(len(names), 'variant')} in {count(len(subject.works), 'work')}"]
        verdicts = Counter(said(one).words for one in subject.comparisons)
        if verdicts and subject.reference:
            told = ", ".join(f"{number} {words}" for words, number in verdicts.most_common())
            parts.append(f"beside {subject.reference}: {told}")
        targets = Counter(one.verdict for one in self.targets(subject))
        if targets:
            told = ", ".join(f"{number} {words}" for words, number in targets.most_common())
            parts.append(f"targets: {told}")
        if subject.failures:
            parts.append(count(len(subject.failures), "failure"))
        return "; ".join(parts)

    def warnings(self, subject: Subject) -> list[str]:
        """Failures, what was discarded entirely, and what speaks against the comparisons."""
        found = [
            f"Failed: {work_words(f.work)} {f.variant}, round {f.round}: {f.message}"
            for f in subject.failures[:_MOST_FAILURES]
        ]
        if len(subject.failures) > _MOST_FAILURES:
            found.append(f"and {len(subject.failures) - _MOST_FAILURES} more failed")
        for work in subject.works:
            for variant in work.variants:
                if not variant.windows:
                    found.append(
                        f"{work_words(work.name)} {variant.name}: every window was disturbed and "
                        "discarded"
                    )
        asked = self.report.asked.reference
        if asked is not None and subject.reference is None:
            found.append(f"{asked} was not measured here: nothing is compared.")
        number = len(subject.comparisons)
        for note, times in subject.notes.items():
            found.append(f"{note} ({times} of {count(number, 'comparison')})")
        return found

    def explanations(self, subject: Subject) -> list[str]:
        """How the verdicts were found."""
        if not subject.comparisons:
            return []
        asked = self.report.asked
        where = ", FILE having the results of this machine alone" if self._has_machines else ""
        return [
            f"Verdicts are of each variant beside {subject.reference}: by more than {asked.rope} "
            f"or within it; {count(len(subject.comparisons), 'question')}, held to Holm's bound, "
            f"so that all answers are right together with {100 * asked.certainty:g} %. Targets and "
            "the lines at the top ask less: each by itself, and whether there is any difference. "
            f"One comparison with its probabilities{where}:"
        ]

    @property
    def _has_machines(self) -> bool:
        """Several, of which compare mixes no figures."""
        return len(self.report.machines) > 1

    def command(self, subject: Subject) -> str:
        """What prints one of the comparisons by itself."""
        if not subject.comparisons:
            return ""
        files = ["FILE"] if self._has_machines else self.files
        # Names come out of the results, which others may have written.
        words = ["--results", *files, "--work", f"^{re.escape(subject.name)}/"]
        words.append(f"--metric={subject.metric.figure}")
        sides = ["VARIANT", str(subject.reference)]
        is_option = sides[1].startswith("-")
        words = [*words, "--", *sides] if is_option else [*sides, *words]
        return shlex.join(["fencepost", "compare", *words])

    def reading(self) -> dict[str, str]:
        """What the words and signs mean."""
        return {
            "window": "one repetition of one variant, in a process of its own; each is a dot in "
            "the figures. Of more than 120 the density is drawn.",
            "disturbed": "windows in which others used the processors are discarded and repeated; "
            "how many is told in the tables.",
            "95 % interval": "where the typical value lies with a probability of 95 %, given "
            "noise that may have heavy tails and hang together from one round to the next "
            "(docs/lab/compare.md); figures and tables have the same.",
            "targets and best peers": "as fencepost bench judges them, each by itself "
            "(docs/lab/measurement_method.md). Verdicts ask for more: that two differ by more than "
            "a share, with all of a subject answered rightly together.",
            "× reference": "the typical ratio of the variant's figure to the reference's, round "
            "by round where they were measured in turns.",
            "verdicts": "▲ faster or better, ▼ slower or worse, ≈ practically equal, "
            "? not distinguishable by these windows, ● the reference.",
            "axes": "begin at zero, or say that they are logarithmic.",
        }


def run_facts(machine: Machine, run: Run) -> dict[str, str]:
    """What is known of one run, and how many windows it has."""
    found = {"run": run.id}
    for key, name in _FACTS.items():
        value = run.facts.get(key)
        if value not in (None, ""):
            found[name] = _fact(key, value)
    if run.facts.get("changed_since_commit"):
        found["commit"] = f"{found.get('commit', 'unknown')}, and the sources were changed since"
    for key, value in run.facts.items():
        if key not in _FACTS and key not in _HIDDEN and value not in (None, ""):
            found[plain(key)] = _fact(key, value)
    windows = [one for one in machine.measured.windows if one.run == run.id]
    kept = sum(one.kept for one in windows)
    # Results may be kept without the windows that were discarded, but with their number.
    discarded = len(windows) - kept + int(run.facts.get("discarded") or 0)
    failed = sum(one.run == run.id for one in machine.measured.failures)
    found["windows"] = f"{kept} kept, {discarded} discarded, {failed} failed"
    if not run.interleaved:
        found["order"] = "not measured in turns"
    return found


def _fact(key: str, value: object) -> str:
    if key == "load" and isinstance(value, float):
        return f"{value:.2f}"
    if key == "started" and str(value).endswith("+00:00"):
        return f"{str(value)[:16].replace('T', ' ')} UTC"
    if isinstance(value, bool):
        return "yes" if value else "no"
    told = str(value)
    if isinstance(value, dict):
        parts = {name: one for name, one in value.items() if name not in _HIDDEN_PARTS}
        told = ", ".join(f"{plain(name)}: {one}" for name, one in parts.items() if one is not None)
    elif isinstance(value, list):
        told = "; ".join(map(str, value))
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"


def told_of_runs(machine: Machine) -> tuple[dict[str, str], Table | None]:
    """What all runs on a machine have in common, and a table of what they have not."""
    runs = [run_facts(machine, run) for run in machine.runs]
    common = {
        key: value
        for key, value in runs[0].items()
        if all(facts.get(key) == value for facts in runs)
    }
    if len(runs) == 1:
        return common, None
    names = list(dict.fromkeys(key for facts in runs for key in facts if key not in common))
    names.sort(key=lambda name: {"run": 0, "when": 1, "windows": 2}.get(name, 3))
    rows = [Row(tuple(Cell(facts.get(name, "")) for name in names)) for facts in runs]
    return common, Table("runs", tuple(Cell(name) for name in names), tuple(rows))
