# SPDX-License-Identifier: MIT
"""`fencepost bench server`: real servers, where they are installed, for a second each; and that
nothing of them is left behind, whatever becomes of them or of the one who started them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from fencepost.measure.watched import Failed
from fencepost.servers.known import SERVERS
from fencepost.servers.memcached import _latencies
from fencepost.servers.sysbench import latencies

pytestmark = [pytest.mark.crowd, pytest.mark.matrix(5)]

ROOT = Path(__file__).resolve().parents[3]
ZIPFIAN = ROOT / "lab" / "fencepost" / "servers" / "zipfian.lua"
#: No window is thrown away: what is tested here is not how long anything takes.
ALWAYS = ("--others", "1000", "--rounds", "1")
LOCKS = ("glibc", "mutex")


@pytest.fixture
def place() -> Iterator[Path]:
    """For the servers' data: with a name that is short enough for the addresses of sockets."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _words(*words: str) -> list[str]:
    return [str(ROOT / "fencepost"), "bench", *words]


def _environment(place: Path) -> dict[str, str]:
    build = os.environ.get("FENCEPOST_BUILD_DIR", str(ROOT / "build" / "release"))
    return dict(os.environ, TMPDIR=str(place), FENCEPOST_BUILD_DIR=build)


def _bench(place: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _words(*words),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        env=_environment(place) | more,
        cwd=place,
    )


def _lines(file: Path, kind: str) -> list[dict[str, object]]:
    return [one for one in map(json.loads, file.read_text().splitlines()) if one["kind"] == kind]


def _at_work_in(place: Path) -> list[str]:
    """The programs that work in this folder or below."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            at = str((process / "cwd").readlink())
            name = (process / "comm").read_text().strip()
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if at.startswith(f"{place}/fencepost-server-") and state not in "ZX":
            found.append(name)
    return found


def _until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def _folders(place: Path) -> list[str]:
    return [one.name for one in place.glob("fencepost-server-*")]


def _nothing_is_left(place: Path) -> None:
    _until(lambda: not _at_work_in(place))
    assert _folders(place) == []


def _needs(name: str) -> None:
    lacking = [tool.package for tool in SERVERS[name]().lacking()]
    assert not lacking, f"scripts/install_packages.sh test installs {lacking}"


@pytest.mark.matrix(5)
@pytest.mark.parametrize("name", SERVERS)
def test_a_server_is_measured_on_two_locks_and_has_kept_its_data_whole(
    name: str, place: Path
) -> None:
    _needs(name)
    workload = SERVERS[name].usual[-1]
    done = _bench(
        place,
        "server",
        "--servers",
        name,
        "--locks",
        ",".join(LOCKS),
        "--seconds",
        "1",
        "--threads",
        "3",
        "--workloads",
        workload,
        "--into",
        "r.jsonl",
        *ALWAYS,
    )
    assert done.returncode == 0, done.stderr
    windows = _lines(place / "r.jsonl", "window")
    subjects = f"server_{name}", f"server_{name}_locks"
    measured = sorted((str(one["subject"]), str(one["variant"])) for one in windows)
    assert measured == sorted((one, lock) for one in subjects for lock in LOCKS)
    (run,) = _lines(place / "r.jsonl", "run")
    for window in windows:
        assert window["work"] == f"{workload}/threads:3"
        figures = window["figures"]
        assert isinstance(figures, dict)
        told = {one["figure"] for one in run["metrics"][window["subject"]]}  # type: ignore[index]
        if window["subject"] == subjects[0]:
            assert figures["server_cpu_seconds"] > 0
        else:
            assert figures["acquisitions_each"] > 0
            assert figures["contended_each"] <= figures["acquisitions_each"]
            # glibc's own locks sleep unseen.
            told -= {"sleeps_each"} if window["variant"] == "glibc" else set()
            # Before a fork() jemalloc takes more locks than are measured.
            told -= {"held_ns_each"} if name == "allocations" else set()
        assert set(figures) == told
        assert all(figure >= 0 for figure in figures.values())
    assert name in run["servers"]  # type: ignore[operator]
    _nothing_is_left(place)


@pytest.mark.matrix(5)
@pytest.mark.parametrize("distribution", ["pareto", "zipfian"])
def test_rows_of_mariadb_are_chosen_by_each_distribution(distribution: str, place: Path) -> None:
    _needs("mariadb")
    done = _bench(
        place,
        "server",
        "--servers",
        "mariadb",
        "--locks",
        "futex_mutex",
        "--seconds",
        "1",
        "--threads",
        "2",
        "--workloads",
        f"oltp_update_index/{distribution}",
        "--into",
        "r.jsonl",
        *ALWAYS,
    )
    assert done.returncode == 0, done.stderr
    _nothing_is_left(place)


def test_what_was_measured_is_compared_and_reported(place: Path) -> None:
    _needs("lock_heavy")
    words = (
        "server",
        "--servers",
        "lock_heavy",
        "--locks",
        "glibc,mutex,futex_mutex",
        "--seconds",
        "0.01",
        "--threads",
        "2,4",
        "--into",
        "r.jsonl",
        "--others",
        "1000",
    )
    assert _bench(place, *words, "--rounds", "3", "--seed", "5").returncode == 0
    more = _bench(place, "--resume", "r.jsonl", "--rounds", "4")
    assert more.returncode == 0, more.stderr
    windows = _lines(place / "r.jsonl", "window")
    assert len(windows) == 4 * 2 * 2 * 3
    compared = subprocess.run(
        [ROOT / "fencepost", "compare", "mutex", "glibc", "--results", place / "r.jsonl"],
        capture_output=True,
        text=True,
    )
    assert "mutex" in compared.stdout and compared.returncode in (0, 2)
    page = place / "page.html"
    reported = subprocess.run(
        [ROOT / "fencepost", "report", place / "r.jsonl", "--html", page],
        capture_output=True,
        text=True,
        cwd=place,
    )
    assert reported.returncode == 0, reported.stderr
    _nothing_is_left(place)


@pytest.fixture
def begin(place: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Begins windows that would last for long, and ends them with the test."""
    begun: list[subprocess.Popen[str]] = []

    def begin(name: str, ends: str = "") -> subprocess.Popen[str]:
        begun.append(_begun(place, name, ends))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.communicate()
    _until(lambda: not _at_work_in(place))


def _begun(place: Path, name: str, ends: str) -> subprocess.Popen[str]:
    """A runner with a server at work; of the subject of this name with that end."""
    process = subprocess.Popen(
        _words(
            f"server_{name}{ends}",
            "--locks",
            "mutex",
            "--seconds",
            "300",
            "--into",
            "r.jsonl",
            *ALWAYS,
        ),
        env=_environment(place),
        cwd=place,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    tools = {tool.program for tool in SERVERS[name].tools[:2]}
    _until(lambda: tools <= set(_at_work_in(place)) or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    return process


Begin = Callable[..., subprocess.Popen[str]]


@pytest.mark.parametrize(("name", "ends"), [("redis", ""), ("memcached", ""), ("redis", "_locks")])
def test_interrupted_it_ends_what_it_started(
    name: str, ends: str, place: Path, begin: Begin
) -> None:
    _needs(name)
    process = begin(name, ends)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    _nothing_is_left(place)


@pytest.mark.parametrize("ends", ["", "_locks"])
def test_what_a_killed_runner_left_dies_with_it_and_is_swept_by_the_next(
    ends: str, place: Path, begin: Begin
) -> None:
    _needs("redis")
    process = begin("redis", ends)
    process.kill()
    process.communicate(timeout=60)
    _until(lambda: not _at_work_in(place))
    assert len(_folders(place)) == 1
    # The folder of one who lives is not touched.
    if not SERVERS["lock_heavy"]().lacking():
        living = begin("redis")
        other = _bench(
            place,
            "server",
            "--servers",
            "lock_heavy",
            "--locks",
            "glibc",
            "--seconds",
            "0.01",
            "--into",
            "other.jsonl",
            *ALWAYS,
        )
        assert other.returncode == 0, other.stderr
        assert len(_folders(place)) == 1 and "redis-server" in _at_work_in(place)
        living.send_signal(signal.SIGTERM)
        living.communicate(timeout=60)
        _nothing_is_left(place)


@pytest.mark.parametrize(
    ("victim", "ends"),
    [("redis-server", ""), ("redis-benchmark", ""), ("redis-server", "_locks")],
)
def test_who_dies_in_a_window_is_named(victim: str, ends: str, place: Path, begin: Begin) -> None:
    _needs("redis")
    process = begin("redis", ends)
    for one in Path("/proc").glob("[0-9]*"):
        try:
            ours = str((one / "cwd").readlink()).startswith(f"{place}/")
            if ours and (one / "comm").read_text().strip() == victim:
                os.kill(int(one.name), signal.SIGKILL)
        except OSError:
            continue
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert victim in said and "SIGKILL" in said
    (failure,) = _lines(place / "r.jsonl", "failure")
    assert victim in str(failure["message"])
    _nothing_is_left(place)


def _path_without(place: Path, programs: Sequence[str]) -> str:
    """A PATH on which these are not."""
    folder = place / "bin"
    folder.mkdir()
    for directory in os.environ["PATH"].split(os.pathsep):
        for program in Path(directory).glob("*"):
            link = folder / program.name
            if program.name not in programs and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def test_servers_that_are_not_installed_are_named_and_the_others_go_on(place: Path) -> None:
    _needs("lock_heavy")
    path = _path_without(place, ["mariadbd", "redis-server", "memcaslap", "stress-ng"])
    done = _bench(
        place,
        "server",
        "--locks",
        "glibc",
        "--seconds",
        "0.01",
        "--into",
        "r.jsonl",
        *ALWAYS,
        PATH=path,
    )
    assert done.returncode == 0, done.stderr
    for name, program in (
        ("mariadb", "mariadbd"),
        ("redis", "redis-server"),
        ("memcached", "memcaslap"),
        ("allocations", "stress-ng"),
    ):
        assert re.search(f"{name} is left out: .*{program}", done.stderr)
    subjects = {one["subject"] for one in _lines(place / "r.jsonl", "window")}
    assert subjects == {"server_lock_heavy", "server_lock_heavy_locks"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("server", "--servers", "mariabd"), "no server 'mariabd'; did you mean mariadb"),
        (("server", "--locks", "mutx"), "no lock 'mutx'; did you mean mutex"),
        (("server", "--workloads", "oltp_reed"), "no load is called oltp_reed"),
        (("server", "rings"), "measured by itself, not with rings"),
        (("rings", "--servers", "redis"), "--servers is for 'fencepost bench server'"),
        (("serve",), "did you mean server"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is_nearest(
    words: tuple[str, ...], said: str, place: Path
) -> None:
    done = _bench(place, *words, *ALWAYS)
    assert done.returncode == 3
    assert said in done.stderr and "Traceback" not in done.stderr
    assert _folders(place) == []


def test_what_there_is_is_listed(place: Path) -> None:
    told = _bench(place, "--list", "server").stdout
    for server in SERVERS.values():
        assert f"server_{server.name}: {server.question}" in told
        assert all(workload in told for workload in server.workloads)
    assert "not installed" not in told


def test_what_is_not_installed_is_listed_with_how_to_install_it(place: Path) -> None:
    only_python = place / "bin"
    only_python.mkdir()
    for tool in ("sh", "readlink", "dirname", "python3", "git", "id"):
        (only_python / tool).symlink_to(str(shutil.which(tool)))
    for words in (("--list", "server"), ("--list", "server", "--servers", "redis")):
        told = _bench(place, *words, PATH=str(only_python)).stdout
        assert f"server_redis: {SERVERS['redis'].question}" in told
        assert "not installed: apt-get install redis-server redis-tools" in told
    everything = _bench(place, "--list", PATH=str(only_python)).stdout
    assert "  redis: not installed: apt-get install redis-server redis-tools" in everything
    assert "  memcached: not installed: apt-get install memcached libmemcached-tools" in everything
    assert "not installed" not in _bench(place, "--list", "server").stdout


def test_percentiles_come_from_the_histogram_of_sysbench() -> None:
    output = "Latency histogram (values are in milliseconds)\n" + "".join(
        f"       {value:.3f} |{'*' * (count // 10):40} {count}\n"
        for value, count in ((0.1, 900), (0.2, 60), (0.5, 35), (4.0, 5))
    )
    assert latencies(output, (0.5, 0.95, 0.99, 1.0)) == [0.1, 0.2, 0.5, 4.0]
    with pytest.raises(Failed, match="no histogram"):
        latencies("transactions: 5", (0.95,))


def test_percentiles_come_from_the_histogram_of_memaslap() -> None:
    output = (
        "Total Statistics (1000 events)\n   Min: 12\n   Log2 Dist:\n"
        "       4:      900        0        0       60\n       8:       40\n\ncmd_get: 5\n"
    )
    # 8 to 16 µs have 900 of them, 64 to 128 µs 60, 128 to 256 µs 40.
    p95, p99 = _latencies(output)
    assert p95 == pytest.approx(0.064 + 0.064 * 50 / 60)
    assert p99 == pytest.approx(0.128 + 0.128 * 30 / 40)


def test_the_zipfian_choice_follows_its_law(tmp_path: Path) -> None:
    if shutil.which("sysbench") is None:
        pytest.skip("sysbench is not installed")
    rows, draws = 20, 100_000
    (tmp_path / "counted.lua").write_text(f"""
        local counts = {{}}
        function event()
           for _ = 1, {draws} do
              local k = sysbench.rand.default(1, {rows})
              counts[k] = (counts[k] or 0) + 1
           end
        end
        function thread_done()
           for k, count in pairs(counts) do print("row " .. k .. " " .. count) end
        end
    """)
    done = subprocess.run(
        ["sysbench", str(ZIPFIAN), "--threads=1", "--events=1", "--time=0", "--rand-seed=7", "run"],
        capture_output=True,
        text=True,
        env=dict(os.environ, FENCEPOST_OLTP="counted", LUA_PATH=f"{tmp_path}/?.lua;;"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {int(k): int(n) for k, n in re.findall(r"^row (\d+) (\d+)", done.stdout, re.MULTILINE)}
    assert sum(counts.values()) == draws and set(counts) == set(range(1, rows + 1))
    weights = {k: k**-0.8 for k in range(1, rows + 1)}
    whole = sum(weights.values())
    for k, weight in weights.items():
        assert counts[k] / draws == pytest.approx(weight / whole, rel=0.06)
