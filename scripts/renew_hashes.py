#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""renew_hashes.py: writes each of FILES anew with the hashes of the packages that it names, as the
registry has them now. To take another version of a package, change its line and run this. Where
a package needs one that has no line, `make build` refuses it and names that one.

Each package gets the hash of every wheel that a Python of PYTHONS takes on a machine of MACHINES.
Only wheels: what is built from source runs code of packages that nobody has pinned."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Each file, and what installs it.
FILES = {
    ROOT / "requirements.txt": "`make build` installs into .venv",
    ROOT / "packaging/conan/requirements.txt": "tests/packaging/test_conan.py installs",
    ROOT / "packaging/site/requirements.txt": "`make docs` installs into build/site-tools",
}
HEADER = """\
# What {}: every version pinned, dependencies included, each with the
# hashes of its wheels for Python 3.11 to 3.14 on x86-64 and AArch64. Written by
# scripts/renew_hashes.py, which is to be run after each change of a version.
--only-binary :all:
"""
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
#: The second number of Debian 12's glibc, and of the oldest for which there are wheels.
GLIBC, OLDEST_GLIBC = 36, 17


def pins(text: str) -> list[str]:
    """NAME==VERSION of each package, in the order of names. Raises ValueError for a line that pins
    nothing."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if not line or line.startswith("--"):
            continue
        pin, _, rest = line.partition(" ")
        if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", pin) or re.sub(r"--hash=\S+", "", rest).strip():
            raise ValueError(f"not NAME==VERSION: {line}")
        found.append(pin)
    return sorted(found, key=str.lower)


def platforms(machine: str) -> list[str]:
    newest_first = range(GLIBC, OLDEST_GLIBC - 1, -1)
    return [
        *(f"manylinux_2_{minor}_{machine}" for minor in newest_first),
        f"manylinux2014_{machine}",
    ]


def hashes(pip: list[str], pinned: list[str], python: str, machine: str) -> dict[str, str]:
    """What this Python takes on this machine: the hash of each package's wheel."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [
                *pip,
                "install",
                "--quiet",
                "--dry-run",
                "--ignore-installed",
                "--no-deps",
                "--no-input",
                "--only-binary=:all:",
                f"--python-version={python}",
                *(f"--platform={name}" for name in platforms(machine)),
                f"--target={folder}/nowhere",
                f"--report={report}",
                *pinned,
            ],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        taken = json.loads(report.read_text())["install"]
    by_name = {
        normal(item["metadata"]["name"]): item["download_info"]["archive_info"]["hashes"]["sha256"]
        for item in taken
    }
    return {pin: by_name[normal(pin.partition("==")[0])] for pin in pinned}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def written(what: str, hashes_of: dict[str, set[str]]) -> str:
    lines = [
        " \\\n    ".join([pin, *(f"--hash=sha256:{digest}" for digest in sorted(digests))])
        for pin, digests in hashes_of.items()
    ]
    return HEADER.format(what) + "".join(f"{line}\n" for line in lines)


def main() -> int:
    try:
        pinned = {file: pins(file.read_text()) for file in FILES}
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        for file, what in FILES.items():
            hashes_of: dict[str, set[str]] = {pin: set() for pin in pinned[file]}
            for python in PYTHONS:
                for machine in MACHINES:
                    print(
                        f"== {file.relative_to(ROOT)}: the wheels of Python {python} on {machine}"
                    )
                    for pin, digest in hashes(pip, pinned[file], python, machine).items():
                        hashes_of[pin].add(digest)
            file.write_text(written(what, hashes_of))
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(f"usage: {sys.argv[0]}\n{__doc__}")
    sys.exit(main())
