# SPDX-License-Identifier: MIT
"""The daemon of the interrupt clock where it is installed: its units start what was installed, and
`fencepost barrierd` finds it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from debian_package import debian_package

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()
UNITS = ("fencepost-barrierd.service", "run-fencepost.mount")

pytestmark = pytest.mark.skipif(
    not (BUILD / "src" / "barrierd" / "fencepost-barrierd").is_file(),
    reason="fencepost-barrierd is not built",
)


def sh(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("prefix")
    done = sh("cmake", "--install", BUILD, "--component", "barrierd", "--prefix", where)
    assert done.returncode == 0, done.stderr
    return where


def test_the_unit_starts_what_was_installed(prefix: Path) -> None:
    service = (prefix / "lib" / "systemd" / "system" / UNITS[0]).read_text()
    assert f"ExecStart={prefix}/sbin/fencepost-barrierd\n" in service
    assert "AmbientCapabilities=CAP_BPF CAP_PERFMON\n" in service
    assert sh(prefix / "sbin" / "fencepost-barrierd", "--version").returncode == 0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_units(prefix: Path) -> None:
    units = [prefix / "lib" / "systemd" / "system" / name for name in UNITS]
    done = sh("systemd-analyze", "verify", "--man=no", *units)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    # Of ten points, as systemd counts what an attacker could reach.
    done = sh("systemd-analyze", "security", "--offline=true", "--threshold=15", units[0])
    assert done.returncode == 0, done.stdout


def test_the_installed_command_line_finds_it(prefix: Path, tmp_path: Path) -> None:
    done = sh("cmake", "--install", BUILD, "--component", "tools", "--prefix", prefix)
    if done.returncode != 0 or not (prefix / "bin" / "fencepost").exists():
        pytest.skip("the checker is not built, and the command line comes with it")
    python = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    words = ["barrierd", "status", "--directory", str(tmp_path)]
    done = sh(prefix / "bin" / "fencepost", *words, PATH=python, FENCEPOST_BUILD_DIR=str(tmp_path))
    assert done.returncode == 1
    assert f"fencepost-barrierd: {tmp_path} is not on a BPF file system" in done.stderr


def test_the_command_line_of_the_tree_finds_it(prefix: Path, tmp_path: Path) -> None:
    nowhere = str(tmp_path)
    path = f"{prefix}/sbin:{os.environ['PATH']}"
    words = ["barrierd", "status", "--directory", nowhere]
    done = sh(ROOT / "fencepost", *words, PATH=path, FENCEPOST_BUILD_DIR=nowhere)
    assert done.returncode == 1
    assert f"fencepost-barrierd: {nowhere} is not on a BPF file system" in done.stderr


def test_where_it_is_missing_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    done = sh(ROOT / "fencepost", "barrierd", "status", FENCEPOST_BUILD_DIR=str(tmp_path))
    if (shutil.which("fencepost-barrierd", path="/usr/sbin:/usr/local/sbin")) is not None:
        pytest.skip("it is installed on this machine")
    assert done.returncode == 3
    assert "libbpf-dev" in done.stderr and "make build" in done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return debian_package("barrierd", tmp_path_factory.mktemp("package"))


def test_the_package_holds_what_its_unit_starts(package: Path, tmp_path: Path) -> None:
    assert sh("dpkg-deb", "--extract", package, tmp_path).returncode == 0
    (service,) = tmp_path.rglob(UNITS[0])
    (start,) = (line for line in service.read_text().splitlines() if line.startswith("ExecStart="))
    daemon = Path(f"{tmp_path}{start.removeprefix('ExecStart=')}")
    assert sh(daemon, "--version").stdout.startswith("fencepost-barrierd ")
    assert list(tmp_path.rglob(UNITS[1])) and list(tmp_path.rglob("fencepost-barrierd.8.gz"))
    (user,) = tmp_path.rglob("fencepost-barrierd.conf")
    assert "u fencepost-barrierd " in user.read_text()


def test_the_package_depends_on_what_it_needs_and_its_scripts_are_whole(
    package: Path, tmp_path: Path
) -> None:
    field = sh("dpkg-deb", "--field", package).stdout
    for needed in ("libbpf", "libc6", "systemd"):
        assert needed in next(line for line in field.splitlines() if line.startswith("Depends:"))
    assert sh("dpkg-deb", "--control", package, tmp_path).returncode == 0
    for script in ("postinst", "prerm"):
        assert os.access(tmp_path / script, os.X_OK)
        assert sh("sh", "-n", tmp_path / script).returncode == 0
        # What it calls on is not there, and not asked for: neither installs nor removes.
        assert sh("sh", tmp_path / script, "abort-upgrade").returncode == 0
