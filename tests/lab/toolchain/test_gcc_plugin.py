# SPDX-License-Identifier: MIT
"""The plugin for a gcc is found, or built, or it is said what is missing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.toolchain.compile_source import GCC_PLUGIN
from fencepost.toolchain.gcc_plugin import check_refusals, plugin_for


def compiler_that_says(directory: Path, name: str, plugin: str) -> str:
    """A compiler that is asked for nothing but what it is."""
    script = directory / name
    script.write_text(
        "#!/bin/sh\ncase $1 in\n-dumpfullversion) echo 11.3.0 ;;\n-dumpmachine) echo"
        f" x86_64-linux-gnu ;;\n-print-file-name=plugin) echo {plugin} ;;\nesac\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_one_that_is_built_is_taken(tmp_path: Path) -> None:
    built = tmp_path / "built"
    built.mkdir()
    ready = built / "gcc-11.3.0-x86_64-linux-gnu.so"
    ready.touch()
    gcc = compiler_that_says(tmp_path, "gcc-11", "plugin")
    assert plugin_for(gcc, built, GCC_PLUGIN, tmp_path) == ready


def test_that_of_another_gcc_is_built_where_the_check_is(tmp_path: Path) -> None:
    made = plugin_for("gcc", tmp_path / "nothing", GCC_PLUGIN, tmp_path)
    assert made.parent == tmp_path and made.read_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("gcc-11", "gcc-11-plugin-dev"),
        ("aarch64-linux-gnu-gcc-11", "gcc-11-plugin-dev-aarch64-linux-gnu"),
    ],
)
def test_without_its_headers_the_package_is_named(tmp_path: Path, name: str, package: str) -> None:
    gcc = compiler_that_says(tmp_path, name, "plugin")
    with pytest.raises(UnusableInput, match=rf"apt-get install {package}$"):
        plugin_for(gcc, tmp_path, GCC_PLUGIN, tmp_path)


def test_without_what_builds_it_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = tmp_path / "plugin" / "include"
    headers.mkdir(parents=True)
    (headers / "gcc-plugin.h").touch()
    gcc = compiler_that_says(tmp_path, "gcc-11", str(tmp_path / "plugin"))
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UnusableInput, match=r"built by g\+\+, which is not installed"):
        plugin_for(gcc, tmp_path, GCC_PLUGIN, tmp_path)


def test_headers_that_do_not_fit_are_an_error(tmp_path: Path) -> None:
    headers = tmp_path / "plugin" / "include"
    headers.mkdir(parents=True)
    (headers / "gcc-plugin.h").write_text("#error not these\n")
    gcc = compiler_that_says(tmp_path, "gcc-11", str(tmp_path / "plugin"))
    with pytest.raises(UnusableInput, match="cannot be built"):
        plugin_for(gcc, tmp_path, GCC_PLUGIN, tmp_path)


def test_what_it_refuses_has_its_place() -> None:
    check_refusals("one.c: In function 'main':\none.c:3:5: error: expected ';'\n")
    with pytest.raises(Unsupported, match=r"vectors") as caught:
        check_refusals("one.c:7:3: error: fencepost: vectors are moved\n")
    assert caught.value.location == "one.c:7"
