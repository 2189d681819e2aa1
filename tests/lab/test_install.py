# SPDX-License-Identifier: MIT
"""Installing what is missing, with a package manager that only notes what it was asked for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from scripted import ROOT

QUERY = """\
#!/bin/sh
for last; do :; done
case $last in libgtest-dev) exit 1 ;; *) printf installed ;; esac
"""
GET = """\
#!/bin/sh
echo "$*" >>"$ASKED"
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


def install(machine: Path, refuse: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "scripts" / "install_packages.sh")],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=dict(
            os.environ,
            PATH=f"{machine}:{os.environ['PATH']}",
            ASKED=str(machine / "asked"),
            REFUSE=refuse,
        ),
    )


def test_only_what_is_missing_is_installed_and_named(machine: Path) -> None:
    done = install(machine, refuse="nothing")
    assert done.returncode == 0
    assert "Installing Debian packages: libgtest-dev" in done.stdout
    asked = (machine / "asked").read_text().splitlines()
    assert asked[-1].endswith("install -y --no-install-recommends libgtest-dev")


def test_nothing_is_asked_for_where_all_is_there(machine: Path) -> None:
    (machine / "dpkg-query").write_text("#!/bin/sh\nprintf installed\n")
    done = install(machine, refuse="nothing")
    assert (done.returncode, done.stdout) == (0, "")
    assert not (machine / "asked").exists()


def test_a_failed_install_names_the_package_and_what_to_check(machine: Path) -> None:
    done = install(machine, refuse="install")
    assert done.returncode == 1
    assert "could not install: libgtest-dev" in done.stderr and "network" in done.stderr
