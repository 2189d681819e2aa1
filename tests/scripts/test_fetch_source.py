# SPDX-License-Identifier: MIT
"""Debian's source of a package, with an apt that knows three versions, and only makes a folder of
the version's name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from scripted import ROOT

POLICY = """\
Package files:
 100 /var/lib/dpkg/status
 500 file:/mirror/security bookworm-security/main amd64 Packages
 500 file:/mirror bookworm/contrib amd64 Packages
 500 file:/mirror bookworm/main amd64 Packages
"""
CACHE = """\
#!/bin/sh
case "$*" in
*showsrc*) printf 'Package: some\\nVersion: %s\\n\\n' 1.0-2 1.0-10 1.0-9 ;;
*) cat {policy} ;;
esac
"""
GET = """\
#!/bin/sh
for last; do :; done
case "$*" in *" source "*)
  echo "asked for $last"
  case " {absent} " in *" $last "*) mkdir some-part; exit 100 ;; esac
  mkdir some-1.0 && touch some-1.0/file
esac
"""


def fetch(tmp_path: Path, policy: str, absent: str = "") -> subprocess.CompletedProcess[str]:
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    (tmp_path / "policy").write_text(policy)
    get, cache = GET.format(absent=absent), CACHE.format(policy=tmp_path / "policy")
    for name, text in {"apt-get": get, "apt-cache": cache}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    return subprocess.run(
        [ROOT / "scripts" / "fetch_source.sh", "some", "into"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
    )


def test_a_source_is_fetched_from_where_the_packages_come_from(tmp_path: Path) -> None:
    (tmp_path / "into" / "some").mkdir(parents=True)
    (tmp_path / "into" / "some" / "old").touch()
    done = fetch(tmp_path, POLICY)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "into" / "sources.list").read_text().splitlines()
    asked = [" ".join(word for word in line.split() if word[0] != "[") for line in lines]
    assert asked == [
        "deb-src file:/mirror bookworm main",
        "deb-src file:/mirror/security bookworm-security main",
    ]
    assert [path.name for path in (tmp_path / "into" / "some").iterdir()] == ["file"]


@pytest.mark.parametrize("policy", ["", "Package files:\n 100 /var/lib/dpkg/status\n"])
def test_where_apt_knows_of_no_archive_it_says_so(tmp_path: Path, policy: str) -> None:
    done = fetch(tmp_path, policy)
    assert done.returncode == 1 and "run apt-get update" in done.stderr


def test_where_the_newest_version_is_not_there_the_one_before_it_is_fetched(tmp_path: Path) -> None:
    done = fetch(tmp_path, POLICY, absent="some some=1.0-9")
    assert done.returncode == 0, done.stderr
    asked = [line for line in done.stdout.splitlines() if line.startswith("asked")]
    assert asked == ["asked for some", "asked for some=1.0-9", "asked for some=1.0-2"]
    assert [path.name for path in (tmp_path / "into" / "some").iterdir()] == ["file"]


def test_where_no_version_is_there_it_says_so(tmp_path: Path) -> None:
    done = fetch(tmp_path, POLICY, absent="some some=1.0-9 some=1.0-2")
    assert done.returncode == 1 and "no version of Debian's source package" in done.stderr
    assert not (tmp_path / "into" / "some").exists()
