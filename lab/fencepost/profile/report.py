# SPDX-License-Identifier: MIT
"""What is said of a program's locks when it has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from fencepost.console.progress import duration
from fencepost.profile.counts import LOCKS, Counts, quantile
from fencepost.profile.summary import Group, Summary
from fencepost.profile.words import at_most, percent, short, span, table

#: Lines of a table; JSON has all.
MOST = 20

#: Lines of the first table even where nobody waited.
_FEW = 5

#: What `--sort` takes: the larger first.
SORTS: dict[str, Callable[[Counts], float]] = {
    "lost": lambda counts: counts.waited,
    "waits": lambda counts: counts.contended,
    "acquired": lambda counts: counts.taken,
    "held": lambda counts: counts.held,
    "asleep": lambda counts: counts.slept,
    "longest": lambda counts: max(
        (n for n, number in enumerate(counts.waits) if number), default=-1
    ),
    "handovers": lambda counts: counts.handovers,
}

#: Columns that a terminal narrower than this does without.
_WIDE = 100
_SPARED = ("share", "p50 ≤")

_FATES = {
    "running": "still runs; the numbers are up to now",
    "replaced": "then executed another program",
    "killed": "was killed, or left by _exit, or executed a program that recorded nothing; all that "
    "it had recorded is here",
    "ended": "ended",
}


def report(summary: Summary, width: int | None, sort: str = "lost") -> str:
    """The report for a terminal of `width` columns; None: as wide as it gets."""
    return "\n".join(_lines(summary, width, SORTS[sort]))


def _lines(summary: Summary, width: int | None, key: Callable[[Counts], float]) -> Iterator[str]:
    run, locks = summary.run, summary.locks
    program = Path(run.program).name
    if not summary.processes:
        why = "" if summary.unrecorded else ": it used no lock, or it was not what used them"
        yield f"{program} recorded nothing{why}"
        yield from _unrecorded(summary)
        return
    seen = summary.sees_sleeps and locks.sees_sleeps
    asleep = f", {span(locks.slept)} of it asleep" if seen else ""
    lived = summary.thread_seconds
    share = "" if lived is None else f": {percent(locks.waited / 1e9, lived)} of its threads' time"
    yield (
        f"{program} on {run.lock}, {duration(run.seconds)}: {span(locks.waited)} lost to "
        f"locks{asleep}{share}"
    )
    yield (
        f"{summary.waiting_threads:.3g} threads waited at any time; {short(locks.contended)} of "
        f"{short(locks.taken)} acquisitions waited ({percent(locks.contended, locks.taken)})"
    )
    if not seen:
        yield "(sleeping inside the C library's own locks is not seen; waiting is)"
    for kinds, heading, draw in _SECTIONS:
        groups = [group for group in summary.groups if group.kind in kinds]
        yield from _groups(heading, draw, groups, key, width, locks)
    yield from _processes(summary)
    yield from _unrecorded(summary)


def _groups(
    heading: str,
    draw: Callable[[list[Group], Counts], list[list[str]]],
    groups: list[Group],
    key: Callable[[Counts], float],
    width: int | None,
    locks: Counts,
) -> Iterator[str]:
    ordered = sorted(groups, key=lambda group: (-key(group.counts), -group.counts.taken))
    telling = sum(key(group.counts) > 0 for group in ordered)
    shown = ordered[: max(min(telling, MOST), _FEW)] if heading == "" else ordered[:telling][:MOST]
    if not shown:
        return
    yield ""
    if heading:
        yield heading
    yield from table(_narrowed(draw(shown, locks), width), width)
    if rest := ordered[len(shown) :]:
        yield f"and {len(rest)} more places, with {span(sum(one.counts.waited for one in rest))}"


def _narrowed(rows: list[list[str]], width: int | None) -> list[list[str]]:
    """Without what can be spared on a narrow terminal, for names matter more."""
    if width is None or width >= _WIDE:
        return rows
    kept = [n for n, heading in enumerate(rows[0]) if heading not in _SPARED]
    return [[row[n] for n in kept] for row in rows]


def named(group: Group) -> str:
    many = f" ({group.counts.locks:,} locks)" if group.counts.locks > 1 else ""
    return f"{group.name}{many}"


def _locks_table(groups: list[Group], locks: Counts) -> list[list[str]]:
    rows = [["lost", "share", "waits", "of", "p50 ≤", "p99 ≤", "held", "lock"]]
    for group in groups:
        counts = group.counts
        rows.append(
            [
                span(counts.waited),
                percent(counts.waited, locks.waited),
                short(counts.contended),
                short(counts.taken),
                at_most(quantile(counts.waits, 0.5)),
                at_most(quantile(counts.waits, 0.99)),
                span(counts.held) if counts.sees_holds else "-",
                named(group),
            ]
        )
    return rows


def _waits_table(groups: list[Group], _locks: Counts) -> list[list[str]]:
    rows = [["waited", "waits", "timed out", "p50 ≤", "p99 ≤", "what"]]
    for group in groups:
        counts = group.counts
        rows.append(
            [
                span(counts.waited),
                short(counts.contended),
                short(counts.timed_out),
                at_most(quantile(counts.waits, 0.5)),
                at_most(quantile(counts.waits, 0.99)),
                named(group),
            ]
        )
    return rows


#: What stands in which table.
_SECTIONS = (
    (LOCKS, "", _locks_table),
    (
        ("futex",),
        "Words on which the program has the kernel sleep by itself: locks of its own, or idleness:",
        _waits_table,
    ),
    (
        ("condition", "semaphore"),
        "Waits for something to happen, a loss only where there was work to do:",
        _waits_table,
    ),
)


def _unrecorded(summary: Summary) -> Iterator[str]:
    for one in summary.unrecorded:
        many = f"{one.processes:,} processes ran" if one.processes > 1 else "1 process ran"
        yield f"{many} unrecorded: {one.reason}"


def _processes(summary: Summary) -> Iterator[str]:
    """Said where there is something to say: several, or one that did not simply end."""
    told = summary.processes
    if len(told) > 1 or told[0].fate != "ended":
        yield ""
        for process in told[:MOST]:
            recorded = process.recorded
            waited = sum(lock.waited for lock in recorded.locks.values() if lock.kind in LOCKS)
            how_long = process.seconds
            lived = "it is not known how long" if how_long is None else duration(how_long)
            yield (f"process {recorded.pid}: {lived}, {span(waited)} lost; {_FATES[process.fate]}")
        if len(told) > MOST:
            yield f"and {len(told) - MOST} more processes"
    for process in told:
        recorded = process.recorded
        unfinished = [waited for _, lock, waited in process.unfinished if lock.kind in LOCKS]
        if unfinished:
            known = [waited for waited in unfinished if waited is not None]
            of = f", of {span(sum(known))} so far" if len(known) == len(unfinished) else ""
            yield (
                f"process {recorded.pid}: {len(unfinished)} threads were in the middle of waits "
                f"for locks{of}, which are in no number above"
            )
        if recorded.is_confined:
            yield (
                f"process {recorded.pid} restricted its system calls (seccomp): since then its "
                "record has not grown, and what it executed runs unrecorded"
            )
        if recorded.lost_locks != 0:
            many = f"{recorded.lost_locks:,} are" if recorded.lost_locks else "the others are"
            yield (
                f"process {recorded.pid} had more locks than there is room for: {many} counted "
                "together"
            )
        if recorded.lost_threads:
            yield (
                f"process {recorded.pid} had more threads than there is room for: "
                f"{recorded.lost_threads:,} are not counted"
            )
