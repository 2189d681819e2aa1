# SPDX-License-Identifier: MIT
"""The clock in the kernel: who may read it, who may not write it, and what readers make of one that
has ended, was never there, or is no clock."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import tempfile
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


def test_without_a_bpf_file_system_it_says_how_to_get_one(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain")
    done = place.run(DAEMON, "--directory", elsewhere)
    assert done.returncode == 1
    assert "mount -t bpf" in done.stderr and "--mount" in done.stderr


def test_nothing_is_mounted_over_files(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    used = tmp_path_factory.mktemp("used")
    (used / "file").touch()
    done = place.run(DAEMON, "--once", "--mount", "--directory", used)
    assert done.returncode == 1
    assert f"{used} is not empty" in done.stderr
    assert place.run("ls", used).stdout == "file\n"


def test_two_that_mount_at_once_agree_on_one(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain") / "made"
    words = (DAEMON, "--mount", "--directory", elsewhere)
    both = [place.start(*words), place.start(*words)]
    ended = None
    while ended is None:
        ended = next((one for one in both if one.poll() is not None), None)
    (left,) = [one for one in both if one is not ended]
    assert ended.stderr is not None and left.stdout is not None
    assert "another fencepost-barrierd runs" in ended.stderr.read()
    assert "generation" in left.stdout.readline()
    mounts = place.run("grep", "-c", f" {elsewhere} ", "/proc/mounts").stdout
    assert mounts.strip() == "1"
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0
    assert left.wait() == 0


def test_mount_makes_the_file_system_and_stop_removes_it(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain") / "made"
    assert place.run(DAEMON, "--once", "--mount", "--directory", elsewhere).returncode == 0
    assert place.run(READER, "open", elsewhere / "interrupt_clock").stdout == "alive\n"
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0
    assert not elsewhere.exists()


def test_stop_removes_the_file_system_by_any_of_its_names(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    real = tmp_path_factory.mktemp("plain")
    (real / "link").symlink_to(real)
    for name in (real / "link" / "made", real / ".." / real.name / "made"):
        assert place.run(DAEMON, "--once", "--mount", "--directory", name).returncode == 0
        assert place.run(DAEMON, "--stop", "--directory", name).returncode == 0
        assert not (real / "made").exists()


def test_nobody_holds_up_who_mounts(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("plain")
    for folder in (elsewhere, elsewhere.parent):
        folder.chmod(0o755)
    words = ("flock", elsewhere, "sh", "-c", "echo locked && exec cat")
    holder = place.start(*words, user=NOBODY)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    done = place.run(DAEMON, "--once", "--mount", "--directory", elsewhere)
    assert done.returncode == 1
    assert f"somebody else keeps {elsewhere} locked" in done.stderr
    holder.communicate("")
    assert place.run(DAEMON, "--once", "--mount", "--directory", elsewhere).returncode == 0
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0


def test_status_shows_ages_rates_and_costs(place: Place) -> None:
    place.serve()
    shown = json.loads(place.barrierd("--status", "--seconds", "0.3").stdout)
    assert shown["alive"] and shown["hooks"] in ("x86", "generic")
    assert shown["programs"]
    assert all(program["missed"] >= 0 for program in shown["programs"])
    assert sum(cpu["interrupts_per_s"] for cpu in shown["cpus"]) > 0
    assert shown["cores"] > 0
    done = place.run(
        DAEMON, "--directory", place.folder, "--status", "--seconds", "0.01", user=NOBODY
    )
    seen_by_nobody = json.loads(done.stdout)
    assert seen_by_nobody["programs"] is None and seen_by_nobody["cores"] is None


def test_status_is_json_whatever_the_folder_is_called(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    strange = tmp_path_factory.mktemp("plain") / 'a "b" \\ c\n'
    assert place.run(DAEMON, "--once", "--mount", "--directory", f"{strange}/").returncode == 0
    shown = place.run(DAEMON, "--status", "--seconds", "0.01", "--directory", strange)
    assert json.loads(shown.stdout)["clock"] == f"{strange}/interrupt_clock"
    assert place.run(DAEMON, "--stop", "--directory", strange).returncode == 0
    assert not strange.exists()


def test_status_is_json_also_where_the_folder_is_no_text(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = tmp_path_factory.mktemp("plain")
    no_text = b"\xc3\xa4 \xff \xc0\x80 \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82"
    strange = os.fsdecode(bytes(plain) + b"/" + no_text)
    once = (DAEMON, "--once", "--mount", "--directory", strange)
    assert place.run("sh", "-c", '"$@" > /dev/null', "sh", *once).returncode == 0
    shown = place.run(DAEMON, "--status", "--seconds", "0.01", "--directory", strange)
    wrong = "\N{REPLACEMENT CHARACTER}"
    umlaut, face = "\N{LATIN SMALL LETTER A WITH DIAERESIS}", "\N{GRINNING FACE}"
    name = f"{umlaut} {wrong} {wrong * 2} {wrong * 3} {face} {wrong * 2}"
    assert json.loads(shown.stdout)["clock"] == f"{plain}/{name}/interrupt_clock"
    assert place.run(DAEMON, "--stop", "--directory", strange).returncode == 0


@pytest.mark.parametrize("task", ["--status", "--metrics", "--self-test"])
def test_output_of_a_clock_that_is_lost_is_an_error(place: Place, task: str) -> None:
    place.serve()
    words = f"exec {DAEMON} --directory {place.folder} {task} --seconds 0.1 > /dev/full"
    done = place.run("sh", "-c", words)
    assert done.returncode == 1
    assert "cannot write the standard output" in done.stderr


def test_the_self_test_is_as_long_as_it_has_to_be(place: Place) -> None:
    place.serve()
    done = place.barrierd("--self-test", "--seconds", "1e-300")
    assert done.returncode == 0, done.stdout
    assert [line[:4] for line in done.stdout.splitlines()] == ["ok  "] * 7
    assert " 0 rounds" not in done.stdout and " 0 times" not in done.stdout


def test_the_self_test_says_that_it_may_start_no_thread(place: Place) -> None:
    place.serve()
    with tempfile.TemporaryDirectory() as folder:
        # The tree may be where that user cannot come to it.
        Path(folder).chmod(0o755)
        daemon = shutil.copy(DAEMON, folder)
        words = ("prlimit", "--nproc=1", daemon, "--directory", place.folder)
        done = place.run(*words, "--self-test", "--seconds", "0.1", user=NOBODY)
    assert done.returncode == 1
    assert "cannot start a thread: Resource temporarily unavailable" in done.stderr


def test_the_self_test_finds_all_well(place: Place) -> None:
    place.serve()
    done = place.barrierd("--self-test", "--seconds", "0.4")
    assert done.returncode == 0, done.stdout
    assert [line[:4] for line in done.stdout.splitlines()] == ["ok  "] * 7
    assert " 0 violations (without waiting: " in done.stdout


def test_the_self_test_of_a_dead_clock_fails(place: Place) -> None:
    assert place.run(FALSE_CLOCK, place.clock, "good").returncode == 0
    place.run("mkdir", f"{place.folder}/private")
    done = place.barrierd("--self-test", "--seconds", "0.4")
    assert done.returncode == 1
    assert "FAIL  the clock is alive" in done.stdout


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


def metrics(place: Place) -> tuple[int, dict[str, float]]:
    done = place.barrierd("--metrics")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    return done.returncode, {line.split()[0]: float(line.split()[1]) for line in lines}


def test_metrics_are_what_prometheus_reads(place: Place) -> None:
    place.serve()
    status, first = metrics(place)
    assert status == 0
    assert first["fencepost_interrupt_clock_alive"] == 1
    cpus = [name for name in first if name.startswith("fencepost_interrupt_clock_age_seconds{cpu=")]
    assert len(cpus) >= 1 and all(first[name] >= 0 for name in cpus)
    assert any("program_missed_total{program=" in name for name in first)
    assert place.run(READER, "wait", place.clock, "3").stdout == "passed 3\n"
    _, second = metrics(place)
    counters = [name for name in first if "_total" in name]
    assert all(second[name] >= first[name] for name in counters)
    assert any(second[name] > first[name] for name in counters)
    # Each metric is described once, before its numbers.
    text = place.barrierd("--metrics").stdout
    described = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(described) == len(set(described))
    assert {name.split("{")[0] for name in first} == set(described)


def test_metrics_say_that_a_clock_is_dead_or_missing(place: Place) -> None:
    assert metrics(place) == (1, {"fencepost_interrupt_clock_alive": 0})
    daemon = place.serve()
    daemon.kill()
    daemon.wait()
    place.wait_for("dead")
    status, found = metrics(place)
    assert (status, found["fencepost_interrupt_clock_alive"]) == (1, 0)


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
