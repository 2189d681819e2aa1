# SPDX-License-Identifier: MIT
"""A cluster that is not there, and workers that cannot take part, are named as such."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from exploring import LONG, build
from fencepost.console.input_error import UnusableInput
from fencepost.explore import cluster as cluster_module
from fencepost.explore import cluster_task
from fencepost.explore.cluster import Cluster, check_address, mismatch
from on_cluster import Shared, Small, Started, counters, scheduler, worker

ROOT = Path(__file__).resolve().parents[3]
LASTZERO = ROOT / "tests" / "checker" / "programs" / "families" / "lastzero.c"
UNUSABLE = 3


@pytest.fixture(scope="module")
def bare() -> Iterator[Started]:
    """A scheduler, and no workers."""
    with scheduler() as it:
        yield it


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("families/lastzero.c", tmp_path_factory.mktemp("small"), "-DN=3")


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "host",
            "tcp://",
            "tcp://host",
            "tcp://host:port",
            "tcp://host:0",
            "tcp://host:65536",
        ),
        *("http://host:8786", "tcp://host:8786/path", "tcp://one two:8786", "tcp://::1:8786"),
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_done(address: str) -> None:
    with pytest.raises(UnusableInput, match="no scheduler's address"):
        Cluster(address)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.1:8786", "tls://host.example:1", "localhost:8786", "tcp://[::1]:8786"]
)
def test_what_is_an_address_is_none_of_our_business(address: str) -> None:
    check_address(address)


def test_nobody_at_the_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE_SECONDS", 0.5)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(UnusableInput, match="no Dask scheduler answers"), Cluster(address):
            pass


def test_somebody_else_at_the_address_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UnusableInput, match="no Dask scheduler answers"), Cluster(address):
            pass


def test_a_worker_is_no_scheduler(bare: Started, tmp_path: Path) -> None:
    with (
        worker(bare.address, tmp_path) as it,
        pytest.raises(UnusableInput, match="a Worker of Dask's and not its scheduler"),
        Cluster(it.address),
    ):
        pass


def test_without_dask_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnusableInput, match="pip install"), Cluster("tcp://127.0.0.1:8786"):
        pass


def test_a_cluster_without_workers_is_said_to_have_none(
    bare: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE_SECONDS", 0.5)
    with pytest.raises(UnusableInput, match="dask worker"), Cluster(bare.address):
        pass


def test_workers_of_another_version_are_left_out_by_name(
    bare: Started,
    small: Path,
    long: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with worker(bare.address, tmp_path / "old", version="1999.1") as old:
        with Cluster(bare.address) as cluster:
            says = "no worker .* distributed is 1999.1 there"
            with pytest.raises(UnusableInput, match=says):
                Shared(cluster, small, Small()).found()
            with worker(bare.address, tmp_path / "new") as new:
                search = Shared(cluster, long, Small(runs=5000))
                assert counters(search.found()) == LONG
                assert search.describe().startswith("1 worker,"), new.address
        said = capfd.readouterr().err
        assert said.count(f"worker {old.address} is left out") == 1


def test_a_cluster_that_has_vanished_since_the_last_search_is_said_to_have(
    small: Path, tmp_path: Path
) -> None:
    with scheduler() as it, worker(it.address, tmp_path), Cluster(it.address) as cluster:
        assert Shared(cluster, small, Small()).found().verdict == "holds"
        it.process.kill()
        it.process.wait()
        with pytest.raises(UnusableInput, match="has vanished"):
            Shared(cluster, small, Small()).found()


def own_versions() -> dict[str, dict[str, str]]:
    return {
        "host": {"python": "3.11.2.final.0", "machine": "x86_64"},
        "packages": {"dask": "2026.8.0", "distributed": "2026.8.0", "cloudpickle": "3.1.2"},
    }


@pytest.mark.parametrize(
    ("where", "name", "theirs", "says"),
    [
        ("host", "python", "3.12.2.final.0", "Python is 3.12 there and 3.11 here"),
        ("host", "machine", "aarch64", "aarch64 there and x86_64 here"),
        ("packages", "dask", "2025.1.0", "dask is 2025.1.0 there"),
        ("packages", "cloudpickle", "2.0", "cloudpickle is 2.0 there"),
    ],
)
def test_what_differs_is_said(where: str, name: str, theirs: str, says: str) -> None:
    other = own_versions()
    other[where][name] = theirs
    assert says in mismatch(other, own_versions())


def test_another_python_of_the_same_kind_will_do() -> None:
    other = own_versions()
    other["host"]["python"] = "3.11.9.final.0"
    assert mismatch(other, own_versions()) == ""


def identity_of(program: Path) -> str:
    done = subprocess.run(
        [program], env={"FENCEPOST_CHECK": "identify=1"}, capture_output=True, text=True, check=True
    )
    return done.stdout


def asked(program: Path, **environment: str) -> tuple[int, str]:
    """What a process says that is to take part in a search."""
    job = cluster_task.Job("", "", environment, ())
    status, _, said = cluster_task.run(program, job, "", None)
    return status, said


def other_processor(text: str) -> str:
    return text.replace("features ", "features 1", 1)


def other_library(text: str) -> str:
    return text.replace("library libc.so.6, build ", "library libc.so.6, build 00", 1)


def other_addresses(text: str) -> str:
    return text.replace(", at 7", ", at 6", 1)


def other_version(text: str) -> str:
    return text.replace("\nversion ", "\nversion 0.0.9-", 1)


def other_program(text: str) -> str:
    return text.replace("\nprogram ", "\nprogram 0", 1)


def other_rules(text: str) -> str:
    return text.replace("leaks=0", "leaks=1", 1)


def test_a_process_in_the_same_surroundings_takes_part(small: Path) -> None:
    assert asked(small, FENCEPOST_IDENTITY=identity_of(small)) == (0, "")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (other_processor, "features 1"),
        (other_library, "libc.so.6, build 00"),
        (other_addresses, ", at 6"),
        (other_version, "version 0.0.9-"),
        (other_program, "program 0"),
        (other_rules, "leaks=1"),
    ],
)
def test_a_process_in_other_surroundings_is_refused(
    small: Path, change: Callable[[str], str], says: str
) -> None:
    own = identity_of(small)
    assert change(own) != own
    status, said = asked(small, FENCEPOST_IDENTITY=change(own))
    assert status == UNUSABLE
    assert says in said.partition("there")[2]


def test_where_addresses_cannot_be_fixed_is_said(small: Path) -> None:
    # As after the attempt to fix them.
    status, said = asked(small, FENCEPOST_FIXED_ADDRESSES="1")
    assert status == UNUSABLE
    assert "personality" in said and "seccomp" in said


def check(*options: str) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "fencepost"), "check", str(LASTZERO), *options, "--", "-DN=7"]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command_line_shares_a_search(bare: Started, tmp_path: Path) -> None:
    with worker(bare.address, tmp_path):
        done = check("--cluster", bare.address)
    assert done.returncode == 0, done.stderr
    assert "holds" in done.stdout and "320 executions" in done.stdout
    assert done.stderr == ""


def test_the_command_line_refuses_what_makes_no_sense() -> None:
    bad = check("--cluster", "nowhere")
    assert bad.returncode == UNUSABLE and "no scheduler's address" in bad.stderr
    both = check("--cluster", "tcp://127.0.0.1:8786", "--jobs", "2")
    assert both.returncode == UNUSABLE and "--jobs" in both.stderr
