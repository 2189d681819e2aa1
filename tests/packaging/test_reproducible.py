# SPDX-License-Identifier: MIT
"""Whoever builds the Debian packages, wherever and whenever, gets the same bytes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: A builder far away: his files are his own, and his clock and his letters other ones.
ELSEWHERE = {"TZ": "Asia/Kathmandu", "LC_ALL": "POSIX", "HOME": "/nonexistent"}


def run(command: str, folder: Path, umask: int, **environment: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        umask=umask,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def same(first: Path, second: Path) -> None:
    """Every package of the two folders; says what differs."""
    names = sorted(path.name for path in first.glob("*.deb"))
    assert names and names == sorted(path.name for path in second.glob("*.deb"))
    for name in names:
        if (first / name).read_bytes() == (second / name).read_bytes():
            continue
        for place in (first, second):
            run(
                f"dpkg-deb -R {name} unpacked-{name}; dpkg-deb -c {name} >{name}.list", place, 0o022
            )
        unlike = subprocess.run(
            ["diff", "-rq", *(place / f"unpacked-{name}" for place in (first, second))],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        listed = subprocess.run(
            ["diff", *(place / f"{name}.list" for place in (first, second))],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        pytest.fail(f"{name} differs:\n{unlike[:3000]}\n{listed[:3000]}")


def test_packages_are_dated_by_the_commit_whenever_they_are_packed(tmp_path: Path) -> None:
    """A clock gets into those parts of the packages that no compiler makes."""
    places = (tmp_path / "here", tmp_path / "there")
    without = " ".join(
        f"-DFENCEPOST_{what}=OFF" for what in ("C", "ATOMIC", "EXAMPLES", "TESTS", "TOOLS")
    )
    configure = f"cmake -S '{ROOT}' -B . -G Ninja -DCMAKE_INSTALL_PREFIX=/usr {without}"
    for place, umask, surroundings in zip(places, (0o022, 0o077), ({}, ELSEWHERE), strict=True):
        place.mkdir()
        run(f"{configure} && cpack", place, umask, **surroundings)
    same(*(place / "packages" for place in places))
    committed = run("TZ=UTC git log -1 --format=%cd --date=format-local:%F", ROOT, 0o022).strip()
    listed = run("TZ=UTC dpkg-deb -c here/packages/*.deb", tmp_path, 0o022).splitlines()
    assert {line.split()[3] for line in listed} == {committed}


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_packages_of_another_builder_are_the_same(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "far away, with blanks"
    for place in (here, there):
        place.mkdir()
        run(f"git ls-files -z | tar --null -T - -cf - | tar -C '{place}' -xf -", ROOT, 0o022)
    dated = {"SOURCE_DATE_EPOCH": "1700000000"}
    run("make package", here, 0o022, TZ="UTC", LC_ALL="C.UTF-8", **dated)
    run("make package JOBS=1", there, 0o077, **ELSEWHERE, **dated)
    packages = [place / "build" / "package" / "packages" for place in (here, there)]
    assert len(list(packages[0].glob("*.deb"))) == 6
    same(*packages)
    run("lintian --allow-root --fail-on error,warning *.deb", packages[0], 0o022)
