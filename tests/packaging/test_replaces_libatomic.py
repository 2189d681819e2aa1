# SPDX-License-Identifier: MIT
"""The package that takes the place of GCC's libatomic: installed, upgraded, interrupted and removed
by dpkg, in a folder that is a system of its own, with a program that is linked to libatomic."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from made_once import made_once

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).resolve().parent / "whose_libatomic.c"
NAMES = ("libatomic.so.1", "libatomic.so.1.2.0")
OURS = "libatomic1-fencepost"
NEEDED = ("cpack", "dpkg", "dpkg-deb", "dpkg-divert", "dpkg-shlibdeps", "unshare")
#: What dpkg and the loader's cache need is not in everybody's PATH. The date is that of changelogs,
#: which are alike for all architectures.
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
    "LC_ALL": "C",
    "SOURCE_DATE_EPOCH": "1000000000",
}

pytestmark = [
    pytest.mark.lot(8, "ways of installing"),
    pytest.mark.skipif(
        any(shutil.which(name) is None for name in NEEDED), reason=f"needs {', '.join(NEEDED)}"
    ),
]


def run(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, env=ENVIRONMENT
    )


def sh(*command: str | Path, cwd: Path | None = None) -> str:
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(folder: Path, *options: str) -> None:
    sh(
        *("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        "-DCMAKE_INSTALL_PREFIX=/usr",
        *(f"-DFENCEPOST_{what}=OFF" for what in ("C", "EXAMPLES", "TESTS", "TOOLS")),
        *options,
    )
    sh("cmake", "--build", folder)
    sh("cpack", cwd=folder)


def packages_of(folder: Path, architecture: str) -> dict[str, Path]:
    """By name."""
    suffix = f"_0.1.0_{architecture}.deb"
    return {
        path.name.removesuffix(suffix): path for path in (folder / "packages").glob(f"*{suffix}")
    }


@pytest.fixture(scope="module")
def architecture() -> str:
    return sh("dpkg", "--print-architecture").strip()


@pytest.fixture(scope="module")
def triplet() -> str:
    return sh("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory, architecture: str) -> dict[str, Path]:
    return packages_of(made_once(tmp_path_factory, "libatomic", build), architecture)


def package(folder: Path, name: str, version: str, architecture: str) -> Path:
    """Build a Debian package of everything that lies in the folder."""
    (folder / "DEBIAN").mkdir(parents=True)
    (folder / "DEBIAN" / "control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMulti-Arch: same\n"
        "Maintainer: nobody <nobody@example.org>\nDescription: stands in for one of Debian's\n"
    )
    archive = folder.parent / f"{folder.name}.deb"
    sh("dpkg-deb", "--root-owner-group", "--build", folder, archive)
    return archive


class System:
    """A folder with a database of packages, GCC's library, and what a program needs besides."""

    def __init__(self, root: Path, triplet: str, architecture: str) -> None:
        self.root = root
        self.library = root / "usr" / "lib" / triplet
        database = root / "var" / "lib" / "dpkg"
        for folder in (database / "info", database / "updates", database / "triggers"):
            folder.mkdir(parents=True)
        (database / "status").touch()
        (root / "etc").mkdir()
        self.archives = root.parent / "archives"
        self.architecture = architecture
        self.dpkg("--install", self.gccs("12.2.0"))
        self.program = root / "program"
        sh("gcc", "-std=c11", PROGRAM, "-o", self.program, "-pthread", "-latomic")
        for path in re.findall(r"(/\S+) \(0x", sh("ldd", self.program)):
            if "libatomic" not in path:
                to = root / Path(path).relative_to("/")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)
        self.before = self.state()

    def gccs(self, version: str) -> Path:
        """GCC's library, as in Debian's package of it; a later version has a byte more."""
        folder = self.archives / f"libatomic1_{version}"
        library = folder / self.library.relative_to(self.root)
        library.mkdir(parents=True)
        real = Path(sh("gcc", "-print-file-name=libatomic.so.1").strip()).resolve()
        if not real.is_file():
            pytest.skip("GCC's own library is not installed")
        (library / NAMES[1]).write_bytes(
            real.read_bytes() + (b"" if version == "12.2.0" else b"\n")
        )
        (library / NAMES[0]).symlink_to(NAMES[1])
        return package(folder, "libatomic1", version, self.architecture)

    def dpkg(self, *words: str | Path, fails: bool = False) -> str:
        command = ["dpkg", f"--root={self.root}", f"--log={self.root}/dpkg.log"]
        command += ["--force-not-root", "--force-script-chrootless"]
        if os.geteuid() != 0:
            command.insert(0, "fakeroot")
        done = run(*command, *words)
        assert (done.returncode != 0) == fails, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def state(self) -> dict[str, str]:
        """What there is of either library, and who gave up a name."""
        found = {}
        for path in sorted(self.library.glob("*libatomic.so*")):
            found[path.name] = str(path.readlink()) if path.is_symlink() else "a library"
        diverted = sh("dpkg-divert", f"--root={self.root}", "--list")
        found["diversions"] = "".join(line for line in diverted.splitlines() if OURS in line)
        return found

    def whose(self) -> str:
        """Runs the program in this system, with a new cache of the loader."""
        enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]
        cache = ["ldconfig", "-r"] if os.geteuid() == 0 else ["unshare", "-r", "ldconfig", "-r"]
        sh(*cache, self.root)
        return sh(*enter, self.root, "/program").strip()


@pytest.fixture
def system(tmp_path: Path, triplet: str, architecture: str) -> System:
    system = System(tmp_path / "root", triplet, architecture)
    assert system.whose() == "gcc"
    return system


def replaced(system: System) -> bool:
    state = system.state()
    assert not state["diversions"] or state["diversions"].count("diversion of") == len(NAMES)
    links = {state.get(name) for name in NAMES}
    return bool(state["diversions"]) and links == {"fencepost-atomic/libatomic.so.1"}


def install(system: System, packages: dict[str, Path]) -> None:
    system.dpkg("--install", packages["libfencepost-atomic"])
    assert system.state() == system.before  # alone it replaces nothing
    system.dpkg("--install", packages[OURS])
    assert replaced(system)


def test_programs_run_with_it_and_after_its_removal_with_gccs(
    system: System, packages: dict[str, Path]
) -> None:
    install(system, packages)
    # The loader's cache is made anew: GCC's file, of the same SONAME, must not be found by it.
    assert system.whose() == "fencepost" and replaced(system)
    assert system.state()[f"gcc-{NAMES[1]}"] == "a library"
    system.dpkg("--remove", OURS)
    assert system.state() == system.before and system.whose() == "gcc"
    system.dpkg("--install", packages[OURS])
    system.dpkg("--purge", OURS)
    assert system.state() == system.before


def test_both_can_be_upgraded_beside_each_other(system: System, packages: dict[str, Path]) -> None:
    install(system, packages)
    system.dpkg("--install", packages[OURS])
    assert replaced(system)
    newer = system.gccs("12.3.0")
    system.dpkg("--install", newer)
    assert replaced(system) and system.whose() == "fencepost"
    system.dpkg("--remove", OURS)
    assert system.state() == system.before
    assert (system.library / NAMES[1]).read_bytes().endswith(b"\n")


def test_gccs_can_be_removed_and_come_back(system: System, packages: dict[str, Path]) -> None:
    install(system, packages)
    system.dpkg("--remove", "libatomic1")
    assert replaced(system) and system.whose() == "fencepost"
    system.dpkg("--install", system.archives / "libatomic1_12.2.0.deb")
    assert replaced(system)
    system.dpkg("--remove", "libatomic1")
    system.dpkg("--remove", OURS)
    assert system.state() == {"diversions": ""}


def test_the_links_come_after_what_they_lead_to(system: System, packages: dict[str, Path]) -> None:
    said = system.dpkg("--install", packages[OURS], fails=True)
    assert "pre-dependency problem" in said
    assert system.state() == system.before
    install(system, packages)
    said = system.dpkg("--remove", "libfencepost-atomic", fails=True)
    assert "dependency problems prevent removal" in said
    assert replaced(system)


def test_an_installation_that_fails_leaves_gccs_where_it_was(
    system: System, packages: dict[str, Path]
) -> None:
    system.dpkg("--install", packages["libfencepost-atomic"])
    # While its files are unpacked: another package owns one of them.
    other = system.archives / "other"
    copyright_file = other / "usr" / "share" / "doc" / OURS / "copyright"
    copyright_file.parent.mkdir(parents=True)
    copyright_file.write_text("another's\n")
    system.dpkg("--install", package(other, "other", "1", system.architecture))
    said = system.dpkg("--install", packages[OURS], fails=True)
    assert "trying to overwrite" in said
    assert system.state() == system.before and system.whose() == "gcc"
    system.dpkg("--remove", "other")
    # Before: a file of somebody's has the name that GCC's library would get, the first or the last.
    for name in NAMES:
        obstacle = system.library / f"gcc-{name}"
        obstacle.write_text("somebody's\n")
        said = system.dpkg("--install", packages[OURS], fails=True)
        assert "overwriting" in said
        assert obstacle.read_text() == "somebody's\n"
        obstacle.unlink()
        assert system.state() == system.before
    install(system, packages)


def test_the_diversion_of_another_package_stays(system: System, packages: dict[str, Path]) -> None:
    system.dpkg("--install", packages["libfencepost-atomic"])
    divert = ["dpkg-divert", f"--root={system.root}", "--package", "another"]
    last = system.library / NAMES[1]
    path = f"/{last.relative_to(system.root)}"
    sh(*divert, "--add", "--rename", "--divert", f"{path}.another", path)
    said = system.dpkg("--install", packages[OURS], fails=True)
    assert "clashes" in said
    # The first of the two names was given up already, and is given back.
    assert system.state()["diversions"] == ""
    assert (system.library / NAMES[0]).readlink() == Path(NAMES[1])
    assert sh("dpkg-divert", f"--root={system.root}", "--listpackage", path).strip() == "another"


def test_packages_that_are_built_meanwhile_depend_on_libatomic1(
    system: System, packages: dict[str, Path], tmp_path: Path
) -> None:
    """For they run with either."""
    install(system, packages)
    (tmp_path / "debian").mkdir()
    (tmp_path / "debian" / "control").write_text("Source: p\n\nPackage: p\nArchitecture: any\n")
    said = sh(
        *("dpkg-shlibdeps", f"--admindir={system.root}/var/lib/dpkg", f"-l{system.library}"),
        *("-O", "--ignore-missing-info", system.program),
        cwd=tmp_path,
    )
    assert said == "shlibs:Depends=libatomic1 (>= 4.8)\n"


@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-g++") is None, reason="needs a cross compiler")
def test_two_architectures_are_installed_beside_each_other(
    system: System,
    packages: dict[str, Path],
    tmp_path: Path,
) -> None:
    if system.architecture == "arm64":
        pytest.skip("the other architecture is this one")
    other = "aarch64-linux-gnu"
    build(
        tmp_path / "other",
        *("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"),
        *(f"-DCMAKE_C_COMPILER={other}-gcc", f"-DCMAKE_CXX_COMPILER={other}-g++"),
        *(f"-DCMAKE_INSTALL_LIBDIR=lib/{other}", "-DCPACK_DEBIAN_PACKAGE_ARCHITECTURE=arm64"),
    )
    theirs = packages_of(tmp_path / "other", "arm64")
    install(system, packages)
    system.dpkg("--add-architecture", "arm64")
    for name in ("libfencepost-atomic", OURS):
        system.dpkg("--install", theirs[name])
    link = system.root / "usr" / "lib" / other / NAMES[0]
    header = sh("readelf", "--file-header", link.resolve())
    assert "AArch64" in header
    system.dpkg("--remove", f"{OURS}:arm64")
    assert not link.is_symlink()
    assert replaced(system) and system.whose() == "fencepost"
