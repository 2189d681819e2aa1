# SPDX-License-Identifier: MIT
"""The vcpkg port: it installs what the Conan package has, and programs are built against that and
run. Its portfile is run by vcpkg's own functions where there is a vcpkg, and everywhere by those of
vcpkg_stand_in.cmake, which take the same arguments."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from made_once import made_once

ROOT = Path(__file__).resolve().parents[2]
PORT = ROOT / "packaging" / "vcpkg"
HERE = ROOT / "tests" / "packaging"
WAYS = ["stand-in", *(["vcpkg"] if shutil.which("vcpkg") else [])]
SUM = "sum 500500"

pytestmark = [pytest.mark.timeout(1800), pytest.mark.lot(8, "ways of installing")]


def sh(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def by_vcpkg(folder: Path) -> Path:
    places = [f"--x-{name}-root={folder / name}" for name in ("install", "buildtrees", "packages")]
    documented = ["vcpkg", "install", "fencepost", "--overlay-ports=packaging/vcpkg"]
    told = sh(*documented, "--no-binarycaching", *places, VCPKG_FORCE_SYSTEM_BINARIES="1")
    # What it has against a port it says after the build.
    assert "Performing post-build validation" in told and "warning" not in told, told
    (copyright_file,) = (folder / "install").glob("*/share/fencepost/copyright")
    return copyright_file.parents[2]


def by_stand_in(folder: Path) -> Path:
    sh("cmake", f"-DPORT_DIR={PORT}", f"-DTO={folder}", "-P", HERE / "vcpkg_stand_in.cmake")
    return folder / "packages"


@pytest.fixture(scope="module", params=WAYS)
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    way = request.param

    def make(folder: Path) -> None:
        found = by_vcpkg(folder) if way == "vcpkg" else by_stand_in(folder)
        (folder / "installed").symlink_to(found)

    return (made_once(tmp_path_factory, f"port-{way}", make) / "installed").resolve()


def test_it_has_what_the_conan_package_has() -> None:
    manifest = json.loads((PORT / "vcpkg.json").read_text())
    recipe = (ROOT / "packaging" / "conan" / "conanfile.py").read_text()
    version = re.search(
        r"project\(fencepost VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert version and manifest["version"] == version[1]
    for key in ("name", "license", "description"):
        assert f'"{manifest[key]}"' in recipe, key
    left_out = re.search(r"for what in (\(.*\)):", recipe)
    off = re.findall(r"-DFENCEPOST_(\w+)=OFF", (PORT / "portfile.cmake").read_text())
    assert left_out and sorted(off) == sorted(re.findall(r"\w+", left_out[1]))


def test_everything_is_where_vcpkg_wants_it(installed: Path) -> None:
    share = installed / "share" / "fencepost"
    assert (share / "copyright").read_bytes() == (ROOT / "LICENSE").read_bytes()
    headers = ROOT / "include" / "fencepost"
    for header in headers.rglob("*.h*"):
        assert (installed / "include" / "fencepost" / header.relative_to(headers)).is_file()
    # Of the second build the libraries alone are kept.
    assert [entry.name for entry in (installed / "debug").iterdir()] == ["lib"]
    for folder in (installed / "lib", installed / "debug" / "lib"):
        assert (folder / "libfencepost.so").exists() and (folder / "libfencepost.a").exists()
        assert not (folder / "cmake").exists()


def test_the_targets_that_it_tells_users_of_are_there(installed: Path) -> None:
    share = installed / "share" / "fencepost"
    usage = share / "usage"
    targets = set(re.findall(r"fencepost::\w+", usage.read_text()))
    text = "".join(file.read_text() for file in share.glob("fencepost-*.cmake"))
    assert len(targets) == 3
    assert targets <= set(re.findall(r"add_library\((fencepost::\w+) ", text))


@pytest.mark.parametrize(("config", "folder"), [("Release", "lib"), ("Debug", "debug/lib")])
def test_programs_are_built_against_it(
    installed: Path, tmp_path: Path, config: str, folder: str
) -> None:
    options = [f"-DCMAKE_PREFIX_PATH={installed}", f"-DCMAKE_BUILD_TYPE={config}"]
    sh("cmake", "-S", HERE / "consumer", "-B", tmp_path, "-G", "Ninja", *options)
    sh("cmake", "--build", tmp_path)
    for program in ("consumer", "consumer_c", "consumer_c_static"):
        assert SUM in sh(tmp_path / program)
    assert f"[{installed / folder}]" in sh("readelf", "--dynamic", tmp_path / "consumer_c")


@pytest.mark.parametrize("folder", ["lib", "debug/lib"])
def test_pkg_config_finds_it(installed: Path, tmp_path: Path, folder: str) -> None:
    found = {"PKG_CONFIG_PATH": str(installed / folder / "pkgconfig")}
    flags = sh("pkg-config", "--cflags", "--libs", "fencepost-c", **found).split()
    program = tmp_path / "program"
    sh("gcc", "-std=c11", "-pthread", HERE / "consumer" / "main.c", "-o", program, *flags)
    assert SUM in sh(program, LD_LIBRARY_PATH=str(installed / folder))
