# SPDX-License-Identifier: MIT
"""The image of the Containerfile. What it takes from the tree is there, and it installs what the
tree's own commands need. `make test-long` makes it as root, by buildah on a root of Debian's
packages in the place of the registry's image, and checks a program in it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Its lines without comments, each with those that it is continued by.
LINES = re.sub(
    r"\\\n\s*", "", re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.MULTILINE)
).splitlines()
BASE = "localhost/fencepost-test-base"
IMAGE = "localhost/fencepost-test"


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


class Buildah:
    """It, with images of its own."""

    def __init__(self, place: Path) -> None:
        store = ["--root", str(place / "root"), "--runroot", str(place / "run")]
        self._command = ["buildah", *store, "--storage-driver", "vfs"]

    def __call__(self, *words: str | Path, status: int = 0) -> str:
        return sh(*self._command, *words, status=status).strip()


@pytest.fixture(scope="module")
def buildah() -> Iterator[Buildah]:
    place = Path(tempfile.mkdtemp(prefix="fencepost_container_"))
    try:
        yield Buildah(place)
    finally:
        shutil.rmtree(place)


@pytest.fixture(scope="module")
def image(buildah: Buildah) -> str:
    lists = [Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d/debian.sources")]
    sources = [file for file in lists if file.is_file() and file.stat().st_size]
    with tempfile.NamedTemporaryFile(suffix=".tar") as root:
        debian = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "bookworm"]
        sh(*debian, root.name, *sources)
        base = buildah("from", "scratch")
        buildah("add", base, root.name, "/")
        buildah("commit", "--rm", base, BASE)
    how = ["--isolation", "chroot", "--network", "host", "--pull=never"]
    buildah("build", *how, "--build-arg", f"BASE={BASE}", "--tag", IMAGE, ".")
    return IMAGE


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: a root of Debian's packages is made")
def test_a_program_that_is_mounted_is_checked_in_it(
    buildah: Buildah, image: str, tmp_path: Path
) -> None:
    examples = ROOT / "examples" / "checker"
    shutil.copy(examples / "missed_signal.c", tmp_path / "mine.c")
    shutil.copy(examples / "latch.cpp", tmp_path / "held.cpp")
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    settings = json.loads(buildah("inspect", "--type", "image", image))["OCIv1"]["config"]
    container = buildah("from", "--pull=never", image)

    def run(*words: str, status: int = 0) -> str:
        how = ["--isolation", "chroot", "--volume", f"{tmp_path}:/work"]
        return buildah("run", *how, container, "--", *words, status=status)

    told = run(*settings["Entrypoint"], "check", "/work/mine.c", status=1)
    assert "violated under c++20" in told and "lost-wakeup" in told
    assert "holds" in run(*settings["Entrypoint"], "check", "--sandbox", "/work/held.cpp")
    commit = sh("git", "describe", "--always", "--dirty", "--exclude=*").strip()
    assert run(*settings["Entrypoint"], "--version") == f"fencepost 0.1.0 ({commit})"
    assert run("id", "--user") == "1000"
    left = ["-name", "partial", "-prune", "-o", "-type", "f", "-not", "-name", "lock", "-print"]
    assert not run("find", "/var/lib/apt/lists", "/var/cache/apt/archives", *left)
