# SPDX-License-Identifier: MIT
"""A project of somebody else's that checks its own programs with fencepost_add_check."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from fencepost.explore.arguments import MODELS

pytestmark = pytest.mark.lot(8, "ways of installing")

ROOT = Path(__file__).resolve().parents[2]
CHECKED = ROOT / "tests" / "packaging" / "checked"
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()


def sh(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    surroundings = {k: v for k, v in os.environ.items() if k != "FENCEPOST_BUILD_DIR"}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        env={**surroundings, **environment},
    )


def configure(build: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return sh("cmake", "-S", CHECKED, "-B", build, "-G", "Ninja", *options)


def assert_verdicts(build: Path, **environment: str) -> None:
    done = sh("ctest", "--test-dir", build, "-L", "fencepost", **environment)
    told = dict(re.findall(r"Test +#\d+: (\S+) \.+ *(\**\w+)", done.stdout))
    assert {name: "Passed" in result for name, result in told.items()} == {
        "both.sc": True,
        "both.x86": True,
        "relaxed.x86": True,
        "relaxed.c++20": True,
        "library.c++20": True,
        "should_fail.objects.c++20": False,
        "should_fail.untold.c++20": False,
        "should_fail.weak.c++20": False,
        "should_fail.holds.c++20": False,
        "should_fail.compile.c++20": False,
    }, done.stdout


def test_the_source_tree_as_a_part_of_the_build(tmp_path: Path) -> None:
    done = configure(tmp_path, f"-DFENCEPOST_FROM={ROOT}", "-DFENCEPOST_C=OFF")
    assert done.returncode == 0, done.stderr
    done = sh("cmake", "--build", tmp_path)
    assert done.returncode == 0, done.stdout
    assert_verdicts(tmp_path)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library installed, without the checker."""
    build, prefix = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("prefix")
    off = (f"-DFENCEPOST_{what}=OFF" for what in ("C", "ATOMIC", "EXAMPLES", "TESTS", "TOOLS"))
    done = sh("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *off)
    assert done.returncode == 0, done.stderr
    assert sh("cmake", "--install", build, "--prefix", prefix).returncode == 0
    return prefix


def test_an_installed_library_uses_the_command_that_it_is_told(
    prefix: Path, tmp_path: Path
) -> None:
    done = configure(
        tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DFENCEPOST_COMMAND={ROOT / 'fencepost'}"
    )
    assert done.returncode == 0, done.stderr
    assert sh("cmake", "--build", tmp_path).returncode == 0
    assert_verdicts(tmp_path, FENCEPOST_BUILD_DIR=str(BUILD))


def test_an_installed_library_alone_says_where_the_checker_is_to_be_had(
    prefix: Path, tmp_path: Path
) -> None:
    done = configure(tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode != 0
    assert "there is no command 'fencepost'" in done.stderr
    assert "FENCEPOST_COMMAND" in done.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("NAME some SOURCES some.c MODEL x86", "'MODEL' is no C or C++ source, and none of NAME,"),
        ("NAME some SOURCES some.c MODELS x86 OPTION --all", "'OPTION' is no model (sc, c++20,"),
        ("NAME some SOURCES some.c MODELS arm", "'arm' is no model (sc, c++20, c++14, x86)"),
        ("NAME some", "needs NAME and SOURCES"),
        ("SOME NAME some SOURCES some.c", "not understood: 'SOME'"),
        ("NAME some SOURCES some.c EXPECT hold", "EXPECT is holds or violated, not hold"),
    ],
)
def test_a_mistaken_word_is_told_when_it_is_configured(
    call: str, said: str, prefix: Path, tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(it LANGUAGES C CXX)\n"
        f"find_package(fencepost REQUIRED)\nfencepost_add_check({call})\n"
    )
    command = f"-DFENCEPOST_COMMAND={ROOT / 'fencepost'}"
    done = sh(
        "cmake",
        "-S",
        tmp_path,
        "-B",
        tmp_path / "build",
        "-G",
        "Ninja",
        command,
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    assert done.returncode != 0
    assert said in " ".join(done.stderr.split())


def test_the_models_that_it_knows_are_those_of_the_command() -> None:
    text = (ROOT / "cmake" / "fencepost-check.cmake").read_text()
    assert f"set(known_models {' '.join(MODELS)})" in text


def test_a_source_tree_whose_checker_is_not_wanted_says_so(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(it LANGUAGES C CXX)\n"
        f"add_subdirectory({ROOT} fencepost)\n"
        "fencepost_add_check(NAME some SOURCES some.c)\n"
    )
    done = sh("cmake", "-S", project, "-B", tmp_path / "build", "-G", "Ninja")
    assert done.returncode != 0
    assert "set FENCEPOST_CHECKER=ON" in " ".join(done.stderr.split())
