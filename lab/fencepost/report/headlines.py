# SPDX-License-Identifier: MIT
"""Ten lines that say most: of each question one work, ours beside the best of its peers that was
measured. `fencepost bench` ends with them and `fencepost report` begins with them.

Which peer is the best is found out from the same windows, so that the interval is of the ratio to
the best of them, whichever that is. With one peer it is that of the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fencepost.compare.ratios import Ratio, ratio_to_best
from fencepost.measure.results import Round
from fencepost.measure.subjects import SUBJECTS
from fencepost.report.bench_targets import PEER_MAPS, PEER_SCHEMES, PEER_SHARED_LOCKS, RING_PEERS
from fencepost.report.bench_words import plain
from fencepost.results.schema import Window

PEER_LOCKS = (
    "parking_lot",
    "pthread_mutex",
    "std_mutex",
    "rust_std_mutex",
    "abseil_mutex",
    "nsync_mu",
)


@dataclass(frozen=True)
class Headline:
    subject: str
    work: str
    ours: str
    peers: tuple[str, ...]


HEADLINES = (
    Headline("locks_uncontended", "lock_and_unlock", "fencepost_mutex", PEER_LOCKS),
    Headline("locks_contended", "short_section/threads:2", "fencepost_mutex", PEER_LOCKS),
    Headline("locks_contended", "short_section/threads:8", "fencepost_mutex", PEER_LOCKS),
    Headline("shared_locks", "reads_95/threads:2", "fencepost_shared_mutex", PEER_SHARED_LOCKS),
    Headline("event_counts", "increment", "fencepost_event_count", ("ck_ec32_many_producers",)),
    Headline(
        "sleep_and_wake",
        "round_trip_two_processors",
        "fencepost_condition_variable",
        ("pthread_cond", "std_atomic_wait"),
    ),
    Headline("rings", "full_speed", "fencepost_spsc_ring", RING_PEERS),
    Headline("protected_reads", "read", "fencepost_hazard_pointer", PEER_SCHEMES),
    Headline("replaced_objects", "replace_alone", "fencepost_rcu", PEER_SCHEMES),
    Headline("hash_maps", "lookups_95/threads:4", "fencepost_concurrent_hash_map", PEER_MAPS),
)

CAPTION = "ours beside the best peer that was measured"
HEADER = ("question", "ours", "best peer", "ratio [95 % interval]", "ours is")

#: Of subject, work, variant and figure what each round had.
Rounds = Callable[[str, str, str, str], Mapping[Round, float]]


def headlines(rounds_of: Rounds) -> list[list[str]]:
    """Those of which ours and a peer were measured."""
    return [row for one in HEADLINES if (row := _row(one, rounds_of)) is not None]


def of_windows(windows: Iterable[Window]) -> list[list[str]]:
    found: dict[tuple[str, str, str], dict[Round, Mapping[str, float]]] = {}
    for one in windows:
        if one.kept:
            rounds = found.setdefault((one.subject, one.work, one.variant), {})
            rounds[one.run, one.round] = one.figures

    def rounds_of(subject: str, work: str, variant: str, figure: str) -> Mapping[Round, float]:
        rounds = found.get((subject, work, variant), {})
        return {one: figures[figure] for one, figures in rounds.items() if figure in figures}

    return headlines(rounds_of)


def _row(line: Headline, rounds_of: Rounds) -> list[str] | None:
    subject = SUBJECTS[line.subject]

    def of(variant: str) -> Mapping[Round, float]:
        return rounds_of(line.subject, line.work, variant, subject.figure)

    peers = {name: rounds for name in line.peers if (rounds := of(name))}
    found = ratio_to_best(of(line.ours), peers, subject.more_is_better)
    if found is None:
        return None
    peer, ratio = found
    return [
        f"{plain(line.subject)}: {plain(line.work)}",
        plain(line.ours),
        plain(peer),
        ratio.words(unit=" ×"),
        _verdict(ratio, subject.more_is_better),
    ]


def _verdict(ratio: Ratio, more_is_better: bool) -> str:
    if ratio.interval is None:
        return "not known: too few rounds"
    if ratio.is_open:
        return "not known"
    if ratio.low <= 1 <= ratio.high:
        return "not distinguishable"
    return "better" if (ratio.low > 1) == more_is_better else "worse"
