# SPDX-License-Identifier: MIT
"""A compiler is asked what it is, and one that nobody has tried with the checker is refused."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.toolchain.compilers import Compiler, NoCompiler, compiler_of, for_c, for_cpp

GCC = "{name} (Debian {version}-14+deb12u1) {version}\nCopyright (C) 2022 Free Software Foundation"
CLANG = "Debian clang version {version} (3~deb12u1)\nTarget: x86_64-pc-linux-gnu"


def saying(directory: Path, name: str, answer: str) -> str:
    """A command that answers so to `--version`."""
    script = directory / name
    script.write_text(f'#!/bin/sh\n[ "$*" = --version ] && /bin/cat <<"END"\n{answer}\nEND\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


@pytest.mark.parametrize(
    ("answer", "version", "wanted"),
    [
        (GCC, "12.2.0", Compiler("gcc", 12, 2)),
        (
            "{name} (GCC) {version} 20230508 (R H 12.3.1-1)\n(C) Free Software Foundation, Inc.",
            "12.3.1",
            Compiler("gcc", 12, 3),
        ),
        (CLANG, "14.0.6", Compiler("clang", 14, 0)),
        (CLANG, "19.1.7", Compiler("clang", 19, 1)),
        ("clang version {version} (https://llvm.org 7cbf1a25)", "16.0.6", Compiler("clang", 16, 0)),
    ],
)
@pytest.mark.parametrize("name", ["cc", "gcc-12", "x86_64-linux-gnu-gcc", "clang"])
def test_what_it_is_is_not_taken_from_its_name(
    tmp_path: Path, answer: str, version: str, wanted: Compiler, name: str
) -> None:
    said = answer.format(name=name, version=version)
    assert compiler_of(saying(tmp_path, name, said)) == wanted


@pytest.mark.parametrize(
    ("answer", "version", "is_it", "instead"),
    [
        (GCC, "9.4.0", "gcc 9.4", "gcc-12"),
        (GCC, "11.3.0", "gcc 11.3", "gcc-12"),
        (GCC, "15.1.0", "gcc 15.1", "gcc-12"),
        (CLANG, "13.0.1", "clang 13.0", "clang-14"),
        (CLANG, "21.1.0", "clang 21.1", "clang-19"),
    ],
)
def test_a_version_that_nobody_has_tried_is_refused_and_another_one_named(
    tmp_path: Path, answer: str, version: str, is_it: str, instead: str
) -> None:
    compiler = saying(tmp_path, "cc", answer.format(name="cc", version=version))
    with pytest.raises(UnusableInput, match=rf"cc' is {is_it}, .*--cc {instead}$"):
        compiler_of(compiler)


@pytest.mark.parametrize(
    "answer",
    [
        "tcc version 0.9.27 (x86_64 Linux)",
        "ccache version 4.7.5",
        "cat (GNU coreutils) 9.1\nCopyright (C) 2022 Free Software Foundation, Inc.",
        "Apple clang version 15.0.0 (clang-1500.3.9.4)",
        "Intel(R) oneAPI DPC++/C++ Compiler 2024.0.0 (2024.0.0.20231017)",
        "",
    ],
)
def test_what_is_neither_gcc_nor_llvms_clang_is_refused_by_what_it_says(
    tmp_path: Path, answer: str
) -> None:
    with pytest.raises(UnusableInput, match="neither gcc nor clang") as caught:
        compiler_of(saying(tmp_path, "cc", answer))
    assert f"'{answer.partition(chr(10))[0]}'" in str(caught.value)


def test_what_cannot_be_run_is_no_compiler(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="no compiler"):
        compiler_of(str(tmp_path))
    with pytest.raises(UnusableInput, match="there is no compiler"):
        compiler_of(str(tmp_path / "gcc"))
    with pytest.raises(UnusableInput, match=r"'ccache gcc' here .*without a launcher"):
        compiler_of("ccache gcc")
    with pytest.raises(UnusableInput, match=r"'no-clang-999' here. Use --cc clang-1\d$"):
        compiler_of("no-clang-999")


@pytest.mark.parametrize(
    ("c", "cpp"),
    [
        ("gcc", "g++"),
        ("gcc-12", "g++-12"),
        ("aarch64-linux-gnu-gcc-12", "aarch64-linux-gnu-g++-12"),
        ("clang", "clang++"),
        ("clang-16", "clang++-16"),
        ("cc", "c++"),
    ],
)
def test_each_language_has_its_own(c: str, cpp: str) -> None:
    assert for_c(c) == for_c(cpp) == c
    assert for_cpp(c) == for_cpp(cpp) == cpp


GCC_13 = GCC.format(name="gcc", version="13.2.0")


def test_where_no_other_is_installed_it_says_how_to_install_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = saying(tmp_path, "gcc", GCC_13)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompiler) as refused:
        compiler_of(other)
    assert "is gcc 13.2" in str(refused.value)
    assert "apt-get install g++-12 gcc-12-plugin-dev" in str(refused.value)


def test_where_one_is_installed_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = saying(tmp_path, "gcc", GCC_13)
    saying(tmp_path, "clang-16", CLANG.format(version="16.0.6"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompiler, match="Use --cc clang-16"):
        compiler_of(other)
