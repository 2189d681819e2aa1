# SPDX-License-Identifier: MIT
"""Waiters that sleep until the daemon wakes them: that it does, that nothing depends on it, and
what others can do to them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from clock_place import BUILD, DAEMON, READER, Place

HOLDER = BUILD / "tests" / "barrierd" / "ticket_holder"
NOBODY = "65534"


def wait_for_tickets(place: Place, times: int, user: str | None = None) -> str:
    clock = str(place.clock)
    done = place.run(HOLDER, "wait", str(times), user=user, FENCEPOST_INTERRUPT_CLOCK=clock)
    return done.stdout


def file_of_words(place: Place) -> Path:
    return Path(place.run("readlink", place.folder / "wakeups").stdout.strip())


def words(place: Place) -> bytes:
    return file_of_words(place).read_bytes()


def test_who_waits_is_woken(place: Place) -> None:
    place.serve()
    assert not any(words(place)), "nobody has waited yet"
    assert wait_for_tickets(place, 20) == "by the clock 20\n"
    assert any(words(place))


def test_nobody_waits_as_well_and_may_not_write_the_words(place: Place) -> None:
    place.serve()
    assert wait_for_tickets(place, 20, user=NOBODY) == "by the clock 20\n"
    assert any(words(place))
    file = place.folder / "wakeups"
    for attempt in (f"echo >> {file}", f"truncate -s 0 {file}", f"rm {file}"):
        assert place.run("sh", "-c", attempt, user=NOBODY).returncode != 0, attempt
    assert len(words(place)) == 4096


def test_who_says_that_it_waits_for_ever_is_not_believed_for_long(place: Place) -> None:
    place.serve()
    said = place.run(READER, "say_waiting", place.folder / "waiters", user=NOBODY)
    assert said.stdout == "written\n"
    assert wait_for_tickets(place, 20) == "by the clock 20\n"
    while True:  # the daemon takes it back, and then is not woken any more
        before = words(place)
        place.run("sleep", "1.5")
        if words(place) == before:
            break


def sleeps_of(process: int) -> int:
    """How often it went to sleep, and so was woken."""
    status = Path(f"/proc/{process}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("voluntary_ctxt"))
    return int(line.split()[1])


def calls(place: Place) -> int:
    text = place.barrierd("--metrics").stdout
    (line,) = (line for line in text.splitlines() if "_calls_total " in line and line[0] != "#")
    return int(line.split()[1])


def test_who_only_says_that_it_waits_has_the_daemon_woken_a_hundred_times_a_second(
    place: Place,
) -> None:
    daemon = place.serve()
    begun, before = time.monotonic(), sleeps_of(daemon.pid)
    assert calls(place) == 0
    liar = place.start(READER, "keep_saying", place.folder / "waiters", user=NOBODY)
    assert liar.stdout is not None
    assert liar.stdout.readline() == "written\n"
    while time.monotonic() - begun < 2 or calls(place) == 0:
        time.sleep(0.1)
    woken, seconds = sleeps_of(daemon.pid) - before, time.monotonic() - begun
    # 256 at once, one each hundredth of a second from then on; it sleeps for other reasons, too.
    # Without a limit it would be thousands each second.
    assert 0 < woken <= 2 * (256 + 100 * seconds)
    # Who waits in earnest is not kept waiting by that.
    assert wait_for_tickets(place, 20, user=NOBODY) == "by the clock 20\n"
    liar.communicate("")
    assert wait_for_tickets(place, 20) == "by the clock 20\n"


@pytest.mark.parametrize("lost", ["wakeups", "waiters"])
def test_tickets_are_over_where_nobody_wakes(place: Place, lost: str) -> None:
    place.serve()
    file_of_words(place).unlink()
    place.run("rm", place.folder / lost)
    assert wait_for_tickets(place, 20) == "by the clock 20\n"


def test_a_file_of_another_user_is_not_mapped(place: Place, tmp_path: Path) -> None:
    place.serve()
    file_of_words(place).unlink()
    file = tmp_path / "words"
    file.write_bytes(bytes(4096))
    os.chown(file, int(NOBODY), int(NOBODY))
    place.run("ln", "-sfn", file, place.folder / "wakeups")
    assert wait_for_tickets(place, 5) == "by the clock 5\n"
    place.run("ln", "-sfn", "/etc/passwd", place.folder / "wakeups")
    assert place.barrierd("--stop").returncode == 0
    assert Path("/etc/passwd").exists(), "no file is removed that is not the daemon's"


def test_what_a_killed_daemon_left_the_next_one_removes(place: Place) -> None:
    daemon = place.serve()
    left = file_of_words(place)
    daemon.kill()
    daemon.wait()
    assert left.exists()
    second = place.serve()
    assert not left.exists()
    made = file_of_words(place)
    assert made.exists()
    second.terminate()
    assert second.wait() == 0
    assert not made.exists()


def fill(place: Place) -> None:
    """Has nothing more fit into its /dev/shm, which is one of its own."""
    place.run("sh", "-c", "cat /dev/zero > /dev/shm/full")


def small_shared_memory(place: Place) -> None:
    mounted = place.run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/dev/shm")
    assert mounted.returncode == 0, mounted.stderr


def test_nobody_dies_of_shared_memory_that_others_have_filled(place: Place) -> None:
    small_shared_memory(place)
    place.serve()
    fill(place)
    assert wait_for_tickets(place, 20) == "by the clock 20\n"
    assert place.barrierd("--stop").returncode == 0


def begun_without_words(place: Place, *before: str) -> str:
    """What a daemon says that can make no file for them; it serves all the same."""
    daemon = place.start(*before, DAEMON, "--directory", place.folder)
    assert daemon.stdout is not None and daemon.stderr is not None
    assert "generation" in daemon.stdout.readline()
    assert "wakeups" not in place.entries()
    status = json.loads(place.barrierd("--status", "--seconds", "0.01").stdout)
    assert (status["alive"], status["wakes"]) == (True, False)
    assert wait_for_tickets(place, 20) == "by the clock 20\n"
    assert place.barrierd("--stop").returncode == 0
    assert daemon.wait() == 0
    return daemon.stderr.read()


def test_shared_memory_that_others_have_filled_keeps_no_daemon_from_beginning(place: Place) -> None:
    small_shared_memory(place)
    fill(place)
    said = begun_without_words(place)
    assert "No space left on device" in said and "Nobody is woken" in said
    assert place.run("ls", "/dev/shm").stdout == "full\n"


def test_a_daemon_that_may_write_no_file_begins_and_says_so(place: Place) -> None:
    small_shared_memory(place)
    assert "File too large" in begun_without_words(place, "prlimit", "--fsize=0")
    assert place.run("ls", "/dev/shm").stdout == ""


def test_a_clock_without_a_daemon_leaves_waiters_to_themselves(place: Place) -> None:
    place.serve()
    assert place.barrierd("--stop").returncode == 0
    assert place.barrierd("--once").returncode == 0
    assert "wakeups" not in place.entries()
    assert wait_for_tickets(place, 20) == "by the clock 20\n"
