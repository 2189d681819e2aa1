# SPDX-License-Identifier: MIT
"""The clock in the kernel: who may read it, who may not write it, and what readers make of one that
has ended, was never there, or is no clock."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import time
from pathlib import Path

import pytest
from clock_place import DAEMON, FALSE_CLOCK, READER, READER_IN_C, WITHOUT_CALL, Place

NOBODY = "65534"
WITHOUT_BPF = (*WITHOUT_CALL, "bpf")


def test_every_processor_passes_again_and_again(place: Place) -> None:
    place.serve()
    done = place.run(READER, "wait", place.clock, "20")
    assert done.stdout == "passed 20\n"


def test_every_processor_passes_by_the_virtual_clock(place: Place) -> None:
    place.serve()
    assert place.run(READER, "virtual", place.clock, "20").stdout == "passed 20\n"


def test_the_generic_hooks_do_as_well(place: Place) -> None:
    place.serve("--hooks", "generic")
    assert place.run(READER, "wait", place.clock, "20").stdout == "passed 20\n"


def test_a_processor_that_a_realtime_thread_spins_on_passes(place: Place) -> None:
    place.serve()
    with place.spinning() as elsewhere:
        done = place.run(*elsewhere, READER, "wait", place.clock, "3")
    assert done.stdout == "passed 3\n"


def test_idle_processors_are_vouched_for(place: Place) -> None:
    place.serve()
    for _ in range(40):
        shown = json.loads(place.barrierd("--status", "--seconds", "0.05").stdout)
        if any(cpu["vouched_per_s"] for cpu in shown["cpus"]):
            return
    pytest.skip("no processor of this machine idled")


@pytest.mark.skipif(not READER_IN_C.is_file(), reason="the C library is not built")
def test_programs_in_c_wait_for_it(place: Place) -> None:
    place.serve()
    done = place.run(READER_IN_C, "3", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    assert done.stdout == "passed 3\n"


def test_nobody_may_read_it(place: Place) -> None:
    place.serve()
    assert place.state(user=NOBODY) == "alive"
    assert place.run(READER, "wait", place.clock, "3", user=NOBODY).stdout == "passed 3\n"


def test_nobody_may_write_it(place: Place) -> None:
    place.serve()
    done = place.run(READER, "write", place.clock, user=NOBODY)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_map_that_anybody_may_write_is_told_from_it(place: Place) -> None:
    assert place.run(FALSE_CLOCK, place.clock, "writable").returncode == 0
    assert "updated" in place.run(READER, "write", place.clock).stdout
    place.run("rm", "-f", place.clock, f"{place.clock}_")
    assert place.run(FALSE_CLOCK, place.clock, "writable").returncode == 0
    assert place.state() == "the map is not frozen, so others could write to it"


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("foreign", "not an interrupt clock"),
        ("other_version", "an interrupt clock of another version"),
        ("other_boot", "of another boot than this one"),
        ("too_short", "an interrupt clock whose header contradicts itself"),
        ("unmappable", "it cannot be mapped"),
        ("good", "dead"),
    ],
)
def test_maps_that_are_no_clock_of_ours_are_refused(place: Place, kind: str, answer: str) -> None:
    assert place.run(FALSE_CLOCK, place.clock, kind).returncode == 0
    assert place.state().startswith(answer)
    # And another user's reader gives the same answer, or may not look at all.
    assert place.state(user=NOBODY) == (
        "this process may not open it: a sandbox that forbids bpf(2), or the file's permissions"
    )


def test_a_killed_daemon_leaves_a_dead_clock_that_the_next_one_replaces(place: Place) -> None:
    daemon = place.serve()
    assert place.state() == "alive"
    daemon.kill()
    daemon.wait()
    place.wait_for("dead")
    assert "interrupt_clock" in place.entries()
    place.serve()
    assert place.state() == "alive"


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_daemon_that_is_asked_to_end_leaves_nothing_pinned(
    place: Place, end: signal.Signals
) -> None:
    daemon = place.serve()
    daemon.send_signal(end)
    assert daemon.wait() == 0
    assert place.entries() == {"private"}
    assert place.state().startswith("there is no such file")


def test_a_daemon_goes_on_whose_terminal_and_reader_are_gone(place: Place) -> None:
    words = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh", DAEMON, "--directory", place.folder)
    daemon = place.start(*words)
    assert daemon.stdout is not None
    daemon.stdout.close()
    place.wait_for("alive")
    daemon.send_signal(signal.SIGHUP)
    assert place.run(READER, "wait", place.clock, "20").stdout == "passed 20\n"
    assert daemon.poll() is None
    daemon.terminate()
    assert daemon.wait() == 0


def test_two_daemons_refuse_each_other(place: Place) -> None:
    place.serve()
    for second in ([], ["--once"]):
        done = place.barrierd(*second)
        assert done.returncode == 1
        assert "another fencepost-barrierd runs at this directory" in done.stderr
    assert place.state() == "alive"


def test_once_needs_no_process_and_ends_with_stop(place: Place) -> None:
    assert place.barrierd("--once").returncode == 0
    assert place.run(READER, "wait", place.clock, "3").stdout == "passed 3\n"
    assert place.barrierd("--stop").returncode == 0
    assert place.entries() <= {"private"}


def test_once_again_takes_the_place_of_the_clock_before(place: Place) -> None:
    assert place.barrierd("--once").returncode == 0
    before = place.entries()
    old = json.loads(place.barrierd("--status", "--seconds", "0.01").stdout)
    assert place.barrierd("--once").returncode == 0
    new = json.loads(place.barrierd("--status", "--seconds", "0.01").stdout)
    assert new["generation"] > old["generation"] and new["alive"]
    assert place.entries() == before
    # A daemon takes over as well, and keeps the links itself.
    place.serve()
    assert not any("link_" in name for name in place.entries())
    assert place.state() == "alive"


def test_what_the_clock_before_had_is_gone_whatever_its_hooks(place: Place) -> None:
    assert place.barrierd("--once").returncode == 0
    before = place.entries()
    assert place.barrierd("--once", "--hooks", "generic").returncode == 0
    assert place.barrierd("--once").returncode == 0
    assert place.entries() == before
    daemon = place.serve("--hooks", "generic")
    daemon.kill()
    daemon.wait()
    place.serve()
    assert place.entries() - {"wakeups"} == {name for name in before if "link_" not in name}


def test_stop_where_no_clock_was_started_says_so(place: Place) -> None:
    done = place.barrierd("--stop")
    assert done.returncode == 1
    assert f"No clock was started at {place.folder}" in done.stderr
    place.serve()
    done = place.run(DAEMON, "--directory", place.folder, "--stop", user=NOBODY)
    assert done.returncode == 1
    assert "it belongs to another user" in done.stderr
    assert place.state() == "alive"


def test_stop_ends_a_daemon(place: Place) -> None:
    daemon = place.serve()
    assert place.barrierd("--stop").returncode == 0
    assert daemon.wait() == 0
    assert place.entries() <= {"private"}


def test_stop_ends_a_daemon_that_is_about_to_start(place: Place) -> None:
    before = place.serve()
    before.kill()
    before.wait()
    daemon = place.start(DAEMON, "--directory", place.folder)
    # It has the folder locked before it loads its program.
    while "bpf" not in place.run("ls", "-l", f"/proc/{daemon.pid}/fd").stdout:
        assert daemon.poll() is None
    daemon.send_signal(signal.SIGSTOP)
    stop = place.start(DAEMON, "--directory", place.folder, "--stop")
    time.sleep(0.3)
    daemon.send_signal(signal.SIGCONT)
    _, errors = stop.communicate()
    assert (stop.returncode, errors) == (0, "")
    assert daemon.wait() == 0
    assert place.entries() <= {"private"}


def test_times_stand_still_when_links_are_detached(place: Place) -> None:
    assert place.barrierd("--once").returncode == 0
    assert place.state() == "alive"
    place.run("sh", "-c", f"rm {place.folder}/private/link_*")
    place.wait_for("dead")
    old = json.loads(place.barrierd("--status", "--seconds", "0.05").stdout)
    new = json.loads(place.barrierd("--status", "--seconds", "0.05").stdout)
    assert not new["alive"]
    for before, after in zip(old["cpus"], new["cpus"], strict=True):
        assert after["age_ns"] > before["age_ns"]
        assert after["interrupts_per_s"] == after["switches_per_s"] == 0


def test_a_process_follows_when_clocks_come_and_go(place: Place) -> None:
    daemon = place.serve()
    path = str(place.clock)
    follower = place.start(READER, "follow", FENCEPOST_INTERRUPT_CLOCK=path)
    assert follower.stdout is not None and follower.stdin is not None
    first = follower.stdout.readline()
    assert first.startswith("clock ")
    place.run("rm", place.clock)  # unpinned: whoever has mapped it reads on
    assert place.run(READER, "open", place.clock).stdout.startswith("there is no such file")
    daemon.kill()
    assert follower.stdout.readline() == "none\n"
    place.serve()
    second = follower.stdout.readline()
    assert second.startswith("clock ") and second != first
    follower.stdin.close()
    assert follower.wait() == 0


def test_the_daemon_keeps_no_capability(place: Place) -> None:
    daemon = place.serve()
    found = place.run("cat", f"/proc/{daemon.pid}/status").stdout
    fields = dict(line.split(":\t", 1) for line in found.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0, name
    assert fields["NoNewPrivs"].strip() == "1"


AS_NOBODY_WITH_BOTH = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    "--inh-caps=-all,+bpf,+perfmon",
    "--ambient-caps=-all,+bpf,+perfmon",
    "--bounding-set=-all,+bpf,+perfmon",
)


def test_two_capabilities_are_enough_for_nobody(place: Place) -> None:
    place.run("chown", NOBODY, place.folder)
    daemon = place.start(*AS_NOBODY_WITH_BOTH, DAEMON, "--directory", place.folder)
    assert daemon.stdout is not None
    assert "generation" in daemon.stdout.readline()
    assert place.state() == "alive"
    daemon.terminate()
    assert daemon.wait() == 0


def test_a_folder_of_somebody_else_leaves_no_file_behind(place: Place) -> None:
    assert place.run("mount", "-t", "tmpfs", "tmpfs", "/dev/shm").returncode == 0
    private = place.folder / "private"
    place.run("install", "-d", "-m", "0700", "-o", NOBODY, private)
    done = place.run(*AS_NOBODY_WITH_BOTH, DAEMON, "--directory", place.folder)
    assert done.returncode == 1
    assert "Permission denied" in done.stderr
    assert place.run("ls", "/dev/shm").stdout == ""


@pytest.mark.parametrize("lacking", ["bpf", "perfmon"])
def test_a_missing_capability_is_named(place: Place, lacking: str) -> None:
    kept = "perfmon" if lacking == "bpf" else "bpf"
    words = ["setpriv", f"--inh-caps=-all,+{kept}", f"--bounding-set=-all,+{kept}"]
    done = place.run(*words, DAEMON, "--directory", place.folder)
    assert done.returncode == 1
    assert f"missing capabilities: CAP_{lacking.upper()}" in done.stderr
    assert place.entries() == set()


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS])
def test_a_sandbox_that_forbids_bpf_is_named(place: Place, error: int) -> None:
    done = place.run(*WITHOUT_BPF, str(error), DAEMON, "--directory", place.folder)
    assert done.returncode == 1
    assert "sandbox that forbids bpf(2)" in done.stderr
    assert place.entries() <= {"private"}
    place.serve()
    done = place.run(*WITHOUT_BPF, str(error), READER, "open", place.clock)
    assert done.stdout.startswith("this process may not open it: a sandbox that forbids bpf(2)")


def test_a_daemon_that_may_not_give_up_its_rights_leaves_nothing(place: Place) -> None:
    assert place.run("mount", "-t", "tmpfs", "tmpfs", "/dev/shm").returncode == 0
    words = (*WITHOUT_CALL, "capset", str(errno.EPERM), DAEMON, "--directory", place.folder)
    done = place.run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert "capset: Operation not permitted" in done.stderr
    assert place.entries() <= {"private"}
    assert place.run("ls", "/dev/shm").stdout == ""


def test_a_sandbox_that_kills_spares_who_has_no_clock(place: Place) -> None:
    done = place.run(*WITHOUT_BPF, "0", READER, "open", place.clock)
    assert (done.returncode, done.stdout[:21]) == (0, "there is no such file")
    place.serve()
    done = place.run(*WITHOUT_BPF, "0", READER, "open", place.clock)
    assert done.returncode != 0  # or the sandbox is none


def test_a_supervisor_is_told_when_it_is_ready(place: Place, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        address = f"/tmp/fencepost-{tmp_path.parent.name}-{tmp_path.name}"[:100]
        Path(address).unlink(missing_ok=True)
        supervisor.bind(address)
        daemon = place.start(DAEMON, "--directory", place.folder, NOTIFY_SOCKET=address)
        assert supervisor.recv(100) == b"READY=1"
        assert place.state() == "alive"
        daemon.terminate()
        assert supervisor.recv(100) == b"STOPPING=1"
        assert daemon.wait() == 0
        Path(address).unlink()


def test_a_supervisor_that_does_not_listen_holds_up_nobody(place: Place, tmp_path: Path) -> None:
    kind = socket.SOCK_DGRAM | socket.SOCK_NONBLOCK
    with (
        socket.socket(socket.AF_UNIX, kind) as supervisor,
        socket.socket(socket.AF_UNIX, kind) as other,
    ):
        address = f"/tmp/fencepost-{tmp_path.parent.name}-{tmp_path.name}"[:100]
        Path(address).unlink(missing_ok=True)
        supervisor.bind(address)
        with contextlib.suppress(BlockingIOError):
            while True:
                other.sendto(b"something", address)
        daemon = place.start(DAEMON, "--directory", place.folder, NOTIFY_SOCKET=address)
        assert daemon.stdout is not None
        assert "generation" in daemon.stdout.readline()
        daemon.terminate()
        assert daemon.wait(timeout=30) == 0
        Path(address).unlink()


def test_processors_that_may_go_without_interrupts_are_named(place: Place, tmp_path: Path) -> None:
    listed = Path("/sys/devices/system/cpu/nohz_full")
    if not listed.exists():
        pytest.skip("this kernel has no nohz_full")
    last = max(os.sched_getaffinity(0))
    (tmp_path / "list").write_text(f"{last}\n")
    assert place.run("mount", "--bind", tmp_path / "list", listed).returncode == 0
    place.serve()
    shown = json.loads(place.barrierd("--status", "--seconds", "0.01").stdout)
    assert shown["nohz_full"]
    assert [cpu["cpu"] for cpu in shown["cpus"] if cpu["nohz_full"]] == [last]


def test_a_processor_that_is_off_holds_nobody_up(place: Place, tmp_path: Path) -> None:
    # There is one more than the machine has, and the clock, which never sees it, has a slot for it.
    possible = Path("/sys/devices/system/cpu/possible")
    first, _, last = possible.read_text().strip().partition("-")
    (tmp_path / "list").write_text(f"0-{int(last or first) + 1}\n")
    assert place.run("mount", "--bind", tmp_path / "list", possible).returncode == 0
    place.serve()
    shown = json.loads(place.barrierd("--status", "--seconds", "0.01").stdout)
    assert shown["cpus"][-1]["age_ns"] is None
    assert place.run(READER, "wait", place.clock, "5").stdout == "passed 5\n"


def test_a_list_of_processors_that_is_not_the_kernels_is_not_believed(
    place: Place, tmp_path: Path
) -> None:
    # As LXCFS shows a container: not the processors that are on, but so many as it may use.
    online = Path("/sys/devices/system/cpu/online")
    if online.read_text() == "0\n":
        pytest.skip("needs two processors")
    (tmp_path / "list").write_text("0\n")
    assert place.run("mount", "--bind", tmp_path / "list", online).returncode == 0
    place.serve()
    shown = json.loads(place.barrierd("--status", "--seconds", "0.01").stdout)
    assert all(cpu["online"] for cpu in shown["cpus"])
