# SPDX-License-Identifier: MIT
"""Installing what is missing, with a package manager that only notes what it was asked for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from fencepost.servers.known import SERVERS
from fencepost.toolchain.compilers import TRIED
from scripted import ROOT

QUERY = """\
#!/bin/sh
for last; do :; done
case $last in libgtest-dev) exit 1 ;; *) printf installed ;; esac
"""
GET = """\
#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in *update*) exit 0 ;; esac
[ -x "$POLICY_RC_D" ] || echo "services would be started" >>"$ASKED"
case "$*" in *"$REFUSE"*) echo "E: Unable to fetch" >&2; exit 100 ;; esac
"""
SUDO = '#!/bin/sh\nexec "$@"\n'


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Tools of a machine on which one package is missing."""
    for name, text in {"dpkg-query": QUERY, "apt-get": GET, "sudo": SUDO}.items():
        tool = tmp_path / name
        tool.write_text(text)
        tool.chmod(0o755)
    return tmp_path


def install(machine: Path, *words: str, refuse: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "scripts" / "install_packages.sh"), *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=dict(
            os.environ,
            PATH=f"{machine}:{os.environ['PATH']}",
            ASKED=str(machine / "asked"),
            REFUSE=refuse,
            POLICY_RC_D=str(machine / "policy-rc.d"),
        ),
    )


def test_only_what_is_missing_is_installed_and_named(machine: Path) -> None:
    done = install(machine, "build", refuse="nothing")
    assert done.returncode == 0
    assert "Installing Debian packages (build): libgtest-dev" in done.stdout
    asked = (machine / "asked").read_text().splitlines()
    assert asked[-1].endswith("install -y --no-install-recommends libgtest-dev")
    assert not (machine / "policy-rc.d").exists()


def test_nothing_is_asked_for_where_all_is_there(machine: Path) -> None:
    (machine / "dpkg-query").write_text("#!/bin/sh\nprintf installed\n")
    done = install(machine, "build", refuse="nothing")
    assert (done.returncode, done.stdout) == (0, "")
    assert not (machine / "asked").exists()


def test_a_failed_install_names_the_package_and_what_to_check(machine: Path) -> None:
    done = install(machine, "build", refuse="install")
    assert done.returncode == 1
    assert "could not install: libgtest-dev" in done.stderr and "network" in done.stderr


def test_what_is_fetched_twice_is_installed_though_another_apt_took_it_away(machine: Path) -> None:
    (machine / "apt-get").write_text(
        '#!/bin/sh\necho "$*" >>"$ASKED"\n'
        'case "$*" in *update*) exit 0 ;; esac\n[ "$(grep -c install "$ASKED")" -gt 1 ]\n'
    )
    done = install(machine, "build", refuse="nothing")
    assert done.returncode == 0 and "installed 1 packages" in done.stdout


def test_a_list_installs_nothing(machine: Path) -> None:
    done = install(machine, "--list", "test", refuse="nothing")
    assert (done.returncode, done.stdout) == (0, "libgtest-dev\n")
    assert not (machine / "asked").exists()


@pytest.mark.parametrize("words", [(), ("nonsense",), ("build", "nonsense")])
def test_a_set_that_is_not_there_is_answered_with_those_that_are(
    machine: Path, words: tuple[str, ...]
) -> None:
    done = install(machine, *words, refuse="nothing")
    assert done.returncode != 0
    assert "build install docs fuzz test long servers bench fresh" in done.stderr
    assert not (machine / "asked").exists()


def packages(*sets: str) -> set[str]:
    source = f"source {ROOT}/scripts/package_sets.sh; packages_of {' '.join(sets)}"
    done = subprocess.run(["bash", "-c", source], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_what_is_tested_includes_what_is_built_and_every_server() -> None:
    servers = {tool.package for server in SERVERS.values() for tool in server.tools}
    assert servers <= packages("servers") <= packages("test") & packages("bench")
    assert packages("build") < packages("test") < packages("long")


def test_the_long_run_has_every_compiler_that_the_checker_takes() -> None:
    assert {f"clang-{major}" for major in TRIED["clang"]} <= packages("long")
    assert f"clang-{max(TRIED['clang'])}" in packages("test")


def test_each_target_installs_its_own_set() -> None:
    makefile = (ROOT / "Makefile").read_text()
    sets = {"install": "install", "package": "install", "test": "test", "test-long": "long"}
    for target, wanted in sets.items():
        assert f"\n{target}: packages-{wanted} " in makefile
