# SPDX-License-Identifier: MIT
"""The image of the Containerfile. What it takes from the tree is there, and it installs what the
tree's own commands need. `make test-long` makes it and checks programs in it, as root, by the lines
of the page, with a root of Debian's packages in the place of the registry's image."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Its lines without comments, each with those that it is continued by.
LINES = re.sub(
    r"\\\n\s*", "", re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.MULTILINE)
).splitlines()
PAGE = ROOT / "docs" / "checker" / "in_your_project.md"
#: What podman is told of a machine where containers are tests: no limits and cgroups of their own.
SETTINGS = """
[containers]
cgroups = "disabled"
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
events_logger = "file"
"""
#: crun refuses to look at both kinds of cgroups at once, which it does not use here.
ALONE = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec sh -c "$1"'


def of_kind(word: str) -> list[str]:
    return [line.removeprefix(f"{word} ") for line in LINES if line.startswith(f"{word} ")]


def sh(*command: str | Path, status: int = 0) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, f"{command}\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    return done.stdout


def test_what_it_copies_is_in_the_tree_and_sent_to_the_build() -> None:
    tracked = sh("git", "ls-files").splitlines()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in ignored if line and not line.startswith("#")]
    assert {"build", ".venv"} <= set(patterns)
    for pattern in patterns:
        kept_out = [
            file
            for file in tracked
            for place in (Path(file), *Path(file).parents)
            if fnmatch(str(place), pattern)
        ]
        assert not kept_out, pattern
    copied = [word for line in of_kind("COPY") for word in line.split()[:-1]]
    assert "." in copied
    for source in copied:
        assert (ROOT / source).exists(), source


def test_it_makes_and_installs_by_the_commands_of_the_tree() -> None:
    commands = [
        shlex.split(command)
        for line in of_kind("RUN")
        for command in re.sub(r"^--mount=\S+\s+", "", line).split("&&")
    ]
    targets = [command[1] for command in commands if command[0] == "make"]
    sets = [command[1] for command in commands if command[0] == "scripts/install_packages.sh"]
    assert targets == ["package"]
    sh("make", "-n", *targets)
    # The set of packages that is installed before is the one that this target wants.
    makefile = (ROOT / "Makefile").read_text()
    assert sets == re.findall(r"^package: packages-(\w+)", makefile, re.MULTILINE)
    # It installs the package with the command, from the folder that the target leaves it in.
    (mount,) = re.findall(r"source=/fencepost/(\S+),target=/packages", "\n".join(LINES))
    assert f"in {mount}\n" in sh("make", "help") + "\n"
    (file,) = [word for command in commands for word in command if word.endswith(".deb")]
    named = (ROOT / "cmake" / "package.cmake").read_text()
    name = Path(file).name.removesuffix("_*.deb")
    assert re.search(rf"_TOOLS_PACKAGE_NAME {name}\)", named)


def test_programs_are_not_run_as_root_and_no_lists_are_left() -> None:
    stages = "\n".join(LINES).split("FROM ")
    final = stages[-1]
    (user,) = re.findall(r"^USER (\w+)$", final, re.MULTILINE)
    assert user != "root" and f"useradd --uid 1000 --create-home {user}" in final
    assert final.index("apt-get install") < final.index("rm -rf /var/lib/apt/lists/*")
    assert 'ENTRYPOINT ["fencepost"]' in final


@pytest.fixture(scope="module")
def container_store() -> Iterator[dict[str, str]]:
    """What podman has to be told in its environment to keep its images in a folder of ours."""
    place = Path(tempfile.mkdtemp(prefix="fencepost_container_"))
    (place / "containers.conf").write_text(SETTINGS)
    folders = f'runroot = "{place / "run"}"\ngraphroot = "{place / "root"}"\n'
    (place / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\n{folders}')
    try:
        yield {
            "CONTAINERS_CONF": str(place / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(place / "storage.conf"),
            "BUILDAH_ISOLATION": "chroot",
        }
    finally:
        shutil.rmtree(place)


@dataclass(frozen=True)
class Podman:
    environment: dict[str, str]

    def __call__(self, line: str, folder: Path = ROOT, status: int = 0) -> str:
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", ALONE, "sh", line],
            cwd=folder,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, f"{line}\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
        return done.stdout.strip()


def documented(begins: str) -> str:
    (line,) = re.findall(rf"^{begins}.*$", PAGE.read_text(), re.MULTILINE)
    return str(line)


@pytest.fixture(scope="module")
def podman(container_store: dict[str, str]) -> Podman:
    """It, with the image."""
    podman = Podman(container_store)
    (base,) = [line.removeprefix("BASE=") for line in of_kind("ARG")]
    lists = [Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d/debian.sources")]
    sources = [file for file in lists if file.is_file() and file.stat().st_size]
    with tempfile.NamedTemporaryFile(suffix=".tar") as root:
        debian = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "bookworm"]
        sh(*debian, root.name, *sources)
        podman(f"podman import {root.name} {base}")
    podman(documented("podman build "))
    return podman


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: a root of Debian's packages is made")
def test_a_program_that_is_mounted_is_checked_in_it(podman: Podman, tmp_path: Path) -> None:
    line = documented("podman run ")
    examples = ROOT / "examples" / "checker"
    shutil.copy(examples / "latch.cpp", tmp_path / "queue.cpp")
    shutil.copy(examples / "missed_signal.c", tmp_path / "mine.c")
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    assert "holds under c++20" in podman(line, tmp_path)
    told = podman(line.replace("queue.cpp", "/work/mine.c"), tmp_path, status=1)
    assert "violated under c++20" in told and "lost-wakeup" in told
    sandboxed = line.replace("check", "check --sandbox")
    assert "holds under c++20" in podman(sandboxed, tmp_path)
    podman(line.replace("queue", "none"), tmp_path, status=3)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: a root of Debian's packages is made")
def test_it_says_which_commit_it_is_of_and_has_no_caches(podman: Podman) -> None:
    commit = sh("git", "describe", "--always", "--dirty", "--exclude=*").strip()
    said = podman("podman run --rm fencepost --version")
    assert said == f"fencepost 0.1.0 ({commit})"
    inside = "podman run --rm --entrypoint /usr/bin/env fencepost"
    assert podman(f"{inside} id --user") == "1000"
    left = "-name partial -prune -o -type f -not -name lock -print"
    assert not podman(f"{inside} find /var/lib/apt/lists /var/cache/apt/archives {left}")
