# SPDX-License-Identifier: MIT
"""Who waits for whom, deadlocks, and the live view's lines, of files that were written by the
test."""

from __future__ import annotations

import time
from pathlib import Path

from fencepost.profile.dump import Dump
from fencepost.profile.file import read_lock_file
from fencepost.profile.rates import Interval, Look, Row
from fencepost.profile.screen import KEYS, SORTS, VIEWS, Screen
from fencepost.profile.symbols import PlaceNames
from fencepost.profile.waits import Waits, deadlocks
from written_locks import CONDITION, MUTEX, READ_WRITE, WrittenLocks, histogram

SECOND = 10**9


def _waits(written: WrittenLocks, folder: Path, living: frozenset[int] | None = None) -> Waits:
    return Waits(read_lock_file(written.write(folder)), living)


def _tids(circles: list) -> list[list[int]]:
    return [[wait.thread.tid for wait in circle] for circle in circles]


def _two_that_wait_for_each_other() -> WrittenLocks:
    written = WrittenLocks()
    one, other = written.add_lock(0x10), written.add_lock(0x20)
    at = written.add_site(0xA)
    written.add_thread(1, "a", waits_for=other, waits_at=at, since=50, held=((one, at, 10),))
    written.add_thread(2, "b", waits_for=one, waits_at=at, since=60, held=((other, at, 20),))
    written.add_thread(3, "c", waits_for=one, waits_at=at, since=70)
    return written


def test_a_deadlock_of_two(tmp_path: Path) -> None:
    waits = _waits(_two_that_wait_for_each_other(), tmp_path)
    assert _tids(deadlocks(waits, waits)) == [[1, 2]]
    text = Dump(waits, deadlocks(waits, waits), PlaceNames(), SECOND).text()
    assert "DEADLOCK: 2 threads wait for each other" in text
    assert 'thread 1 "a" waits 1.00 s for mutex 0x20' in text
    assert 'thread 2 "b" has it for 1.00 s, taken at 0xa' in text
    assert 'thread 3 "c" waits' in text
    assert text.count("DEADLOCK") == 1


def test_what_changed_between_two_looks_is_none(tmp_path: Path) -> None:
    first = _waits(_two_that_wait_for_each_other(), tmp_path)
    written = WrittenLocks()
    one, other = written.add_lock(0x10), written.add_lock(0x20)
    written.add_thread(1, waits_for=other, since=50, held=((one, 0, 10),))
    written.add_thread(2, waits_for=one, since=61, held=((other, 0, 20),))  # another wait
    assert not deadlocks(first, _waits(written, tmp_path))
    written.threads[2] = written.threads[1]
    written.threads.pop()
    written.add_thread(2, waits_for=one, since=60, held=((other, 0, 21),))  # taken anew
    assert not deadlocks(first, _waits(written, tmp_path))


def test_threads_that_are_gone_hold_nothing(tmp_path: Path) -> None:
    written = _two_that_wait_for_each_other()
    waits = _waits(written, tmp_path, frozenset({1, 3}))
    assert not waits.cycles()
    assert waits.waits[1].holders == ()
    assert "nobody is seen to have it" in Dump(waits, [], PlaceNames(), SECOND).text()


def test_a_circle_through_the_end_of_a_thread(tmp_path: Path) -> None:
    written = WrittenLocks()
    lock = written.add_lock(0x10)
    written.add_thread(1, "joins", joins=0x77, held=((lock, 0, 10),), handle=0x66)
    written.add_thread(2, "waits", waits_for=lock, since=50, handle=0x77)
    waits = _waits(written, tmp_path)
    assert _tids(deadlocks(waits, waits)) == [[1, 2]]
    text = Dump(waits, deadlocks(waits, waits), PlaceNames(), SECOND).text()
    assert 'thread 1 "joins" waits for the end of thread 2 "waits"' in text


def test_a_thread_that_waits_for_itself(tmp_path: Path) -> None:
    written = WrittenLocks()
    lock = written.add_lock(0x10)
    written.add_thread(1, waits_for=lock, since=50, held=((lock, 0, 10),))
    waits = _waits(written, tmp_path)
    assert _tids(deadlocks(waits, waits)) == [[1]]
    assert "waits for itself" in Dump(waits, waits.cycles(), PlaceNames(), SECOND).text()


def test_one_of_several_readers_is_enough(tmp_path: Path) -> None:
    written = WrittenLocks()
    shared, alone = written.add_lock(0x10, READ_WRITE), written.add_lock(0x20)
    written.add_thread(1, waits_for=shared, since=50, held=((alone, 0, 10),))
    written.add_thread(2, held=((shared, 0, 11),), shared=1)
    written.add_thread(3, waits_for=alone, since=60, held=((shared, 0, 12),), shared=1)
    waits = _waits(written, tmp_path)
    assert len(waits.waits[1].holders) == 2
    assert _tids(waits.cycles()) == [[1, 3]]
    text = Dump(waits, waits.cycles(), PlaceNames(), SECOND).text()
    assert text.count("has it (to read)") == 3


def test_circles_that_share_nothing_are_each_told(tmp_path: Path) -> None:
    written = WrittenLocks()
    locks = [written.add_lock(16 * n) for n in range(1, 7)]
    for start in (0, 3):
        for n in range(3):
            written.add_thread(
                start + n + 1,
                waits_for=locks[start + (n + 1) % 3],
                since=5,
                held=((locks[start + n], 0, 1),),
            )
    written.add_thread(9, waits_for=locks[0], since=5)
    assert _tids(_waits(written, tmp_path).cycles()) == [[1, 2, 3], [4, 5, 6]]


def test_long_chains_are_followed(tmp_path: Path) -> None:
    """As many threads as a busy server has, each waiting for the next."""
    written = WrittenLocks()
    locks = [written.add_lock(16 * n) for n in range(1, 2001)]
    for n, lock in enumerate(locks):
        following = locks[n + 1] if n + 1 < len(locks) else 0
        written.add_thread(n + 1, waits_for=following, since=5, held=((lock, 0, 1),))
    waits = _waits(written, tmp_path)
    assert waits.cycles() == [] and len(waits.waits) == 1999


def test_who_has_a_lock_beyond_those_that_are_told_apart(tmp_path: Path) -> None:
    written = WrittenLocks()
    lock = written.add_lock(0x10, last=1, beyond=7)
    written.add_thread(7, "many", more_held=1)
    written.add_thread(2, waits_for=lock, since=5)
    waits = _waits(written, tmp_path)
    assert [one.thread.tid for one in waits.waits[2].holders] == [7]
    written.threads[1] = bytes(512)
    written.add_thread(7, "few")
    assert _waits(written, tmp_path).waits[2].holders == ()


def test_who_had_it_last_is_no_holder(tmp_path: Path) -> None:
    written = WrittenLocks()
    lock = written.add_lock(0x10, READ_WRITE, last=1)
    written.add_thread(1, "wrote once", waits_for=lock, since=5, more_held=1)
    waits = _waits(written, tmp_path)
    assert waits.waits[1].holders == () and not waits.cycles()


def test_no_deadlock_is_named_where_two_seem_to_have_a_lock_alone(tmp_path: Path) -> None:
    """One took it and another released it: the first seems to have it still."""
    written = WrittenLocks()
    lock = written.add_lock(0x10)
    written.add_thread(1, waits_for=lock, since=50, held=((lock, 0, 10),))
    written.add_thread(2, held=((lock, 0, 20),))
    waits = _waits(written, tmp_path)
    assert len(waits.waits[1].holders) == 2 and not waits.cycles()


def test_no_reader_is_certain_to_wait_for_readers(tmp_path: Path) -> None:
    written = WrittenLocks()
    shared, alone = written.add_lock(0x10, READ_WRITE), written.add_lock(0x20)
    written.add_thread(1, waits_for=shared, waits_shared=1, since=50, held=((alone, 0, 10),))
    written.add_thread(2, waits_for=alone, since=60, held=((shared, 0, 12),), shared=1)
    assert not _waits(written, tmp_path).cycles()


def test_nobody_is_taken_for_the_holder_of_a_lock_that_found_no_room(tmp_path: Path) -> None:
    """A thread has one of them and waits for another: both have the same number."""
    written = WrittenLocks()
    many = written.without_room(MUTEX, acquisitions=5)
    written.add_thread(1, waits_for=many, since=50, held=((many, 0, 10),))
    waits = _waits(written, tmp_path)
    assert waits.waits[1].counts_as_lost and not waits.cycles()
    text = Dump(waits, [], PlaceNames(), SECOND).text()
    assert "mutex (all that found no room in the table)" in text
    assert "these may be several: who has which is not recorded" in text


def test_a_circle_through_the_mutex_of_a_condition_variable(tmp_path: Path) -> None:
    """Whether it is notified or not."""
    written = WrittenLocks()
    outer, inner = written.add_lock(0x10), written.add_lock(0x20)
    condition = written.add_lock(0x30, CONDITION)
    written.add_thread(
        1, "waits", waits_for=condition, since=50, held=((outer, 0, 10),), retakes=inner
    )
    written.add_thread(2, "notifies", waits_for=outer, since=60, held=((inner, 0, 20),))
    waits = _waits(written, tmp_path)
    assert _tids(deadlocks(waits, waits)) == [[1, 2]]
    text = Dump(waits, waits.cycles(), PlaceNames(), SECOND).text()
    first = text[text.index("DEADLOCK") :].splitlines()[1:4]
    assert 'thread 1 "waits" waits 1.00 s for condition 0x30' in first[0]
    assert "and then needs mutex 0x20" in first[1]
    assert 'thread 2 "notifies" has it' in first[2]


def test_what_waited_for_a_condition_variable_needs_its_mutex_no_more(tmp_path: Path) -> None:
    written = WrittenLocks()
    outer, inner, other = (written.add_lock(16 * n) for n in (1, 2, 3))
    written.add_thread(1, waits_for=other, since=50, held=((outer, 0, 10),), retakes=inner)
    written.add_thread(2, waits_for=outer, since=60, held=((inner, 0, 20),))
    assert not _waits(written, tmp_path).cycles()


def _interval(folder: Path) -> Interval:
    written = WrittenLocks()
    made = written.add_site(0x500)
    lock = written.add_lock(0x10, site=made, acquisitions=100, contended=10, waited=1000)
    idle = written.add_lock(0x20, CONDITION, site=made)
    written.add_thread(1, "runs", held=((lock, made, 5),))
    before = read_lock_file(written.write(folder))
    written.locks[lock] = b""
    now = time.monotonic_ns()
    written.locks = written.locks[:lock]
    written.add_lock(
        0x10,
        site=made,
        acquisitions=300,
        contended=20,
        waited=1000 + SECOND // 2,
        held=SECOND,
        waits=histogram(b20=10),
    )
    written.add_lock(0x20, CONDITION, site=made)
    written.add_thread(2, "waits", waits_for=lock, since=now - SECOND)
    written.add_thread(3, "rests", waits_for=idle, since=now - SECOND)
    after = read_lock_file(written.write(folder))
    return Interval(
        Look(before, Waits(before, None), now - 2 * SECOND),
        Look(after, Waits(after, None), now),
        PlaceNames(),
    )


def test_rates_are_of_the_time_between(tmp_path: Path) -> None:
    interval = _interval(tmp_path)
    mutex = next(row for row in interval.locks() if row.address == 0x10)
    assert (mutex.counts.acquisitions, mutex.counts.contended) == (200, 10)
    # Half a second in waits that have ended, and one in a wait that goes on.
    assert mutex.lost == SECOND * 3 // 2 and mutex.waiting == 1
    waits, rests = interval.threads()[1:]
    assert waits.lost == SECOND and rests.lost == 0


def test_what_is_still_held_was_held_in_the_time_between(tmp_path: Path) -> None:
    """The lock was held for five seconds, of which the last one lies between the two looks."""
    now = time.monotonic_ns()
    written = WrittenLocks(began=now - 6 * SECOND)
    lock = written.add_lock(0x10, acquisitions=1)
    written.add_thread(1, held=((lock, 0, now - 5 * SECOND),))
    before = read_lock_file(written.write(tmp_path))
    look = Look(before, Waits(before, None), now - SECOND)

    def row(second: Look) -> Row:
        return next(row for row in Interval(look, second, PlaceNames()).locks() if row.address)

    assert row(Look(before, Waits(before, None), now)).held == SECOND
    written.locks.pop()
    written.threads.pop()
    written.add_lock(0x10, acquisitions=1, held=5 * SECOND)
    written.add_thread(1)
    after = read_lock_file(written.write(tmp_path))
    assert row(Look(after, Waits(after, None), now)).held == SECOND


def test_pictures_fit_the_terminal(tmp_path: Path) -> None:
    interval = _interval(tmp_path)
    for view in VIEWS:
        for width, height in ((80, 24), (200, 60), (40, 8), (10, 3), (1, 1)):
            lines = Screen(view).lines(interval, PlaceNames(), width, height)
            assert len(lines) <= height
            assert all(len(line) <= max(width, 1) for line in lines), (view, width)
    lines = Screen("sites").lines(interval, PlaceNames(), 80, 24)
    assert len(lines) == 24 and lines[-1] == KEYS[:80]
    row = next(line for line in lines if "mutex 0x500" in line)
    assert row.split()[:3] == ["0.75", "5", "100"]
    threads = Screen("threads").lines(interval, PlaceNames(), 80, 24)
    assert any("waits: 1.00 s for mutex 0x500, held by 1" in line for line in threads)
    assert any("has it" in line for line in Screen("waits").lines(interval, PlaceNames(), 80, 24))


def test_sleeps_that_were_not_seen_are_no_number(tmp_path: Path) -> None:
    for sees, shown in ((1, ["8", "-"]), (0, ["-", "-"])):
        written = WrittenLocks(sees_sleeps=sees)
        written.add_thread(1, "seen", sleeps=16)
        written.add_thread(2, "unseen", sleeps=16, unseen=1)
        recorded = read_lock_file(written.write(tmp_path))
        look = Look(recorded, Waits(recorded, None), recorded.began + 2 * SECOND)
        lines = Screen("threads").lines(Interval(None, look, PlaceNames()), PlaceNames(), 80, 24)
        rows = [line.split() for line in lines if line.split()[-1:] in (["seen"], ["unseen"])]
        assert [row[3] for row in rows] == shown, lines


def test_keys(tmp_path: Path) -> None:
    screen = Screen()
    for view in VIEWS:
        assert screen.press(view[0]) and screen.view == view
    for _ in SORTS:
        screen.press(">")
    assert screen.sort == next(iter(SORTS))
    screen.press("<")
    assert screen.sort == list(SORTS)[-1]
    screen.press("page down")
    screen.lines(_interval(tmp_path), PlaceNames(), 80, 24)
    assert screen.top_line == 0  # all of it is shown
    assert screen.press("p") and screen.paused
    assert screen.press("?") and not screen.press("q")
