# SPDX-License-Identifier: MIT
"""What is said of a compiler that the checker does not take."""

from __future__ import annotations

from pathlib import Path

import pytest
from fencepost.compilers import NoCompiler, compiler_of

GCC_13 = "gcc (Ubuntu 13.2.0-23ubuntu4) 13.2.0\\nCopyright (C) 2023 Free Software Foundation, Inc."


def told(folder: Path, name: str, answer: str) -> str:
    """A compiler that says that it is another."""
    script = folder / name
    script.write_text(f'#!/bin/sh\nprintf "{answer}\\n"\n')
    script.chmod(0o755)
    return str(script)


def test_where_no_other_is_installed_it_says_how_to_install_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = told(tmp_path, "gcc", GCC_13)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompiler) as refused:
        compiler_of(other)
    assert "is gcc 13.2" in str(refused.value)
    assert "apt-get install g++-12 gcc-12-plugin-dev" in str(refused.value)


def test_where_one_is_installed_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = told(tmp_path, "gcc", GCC_13)
    told(tmp_path, "clang-16", "Debian clang version 16.0.6")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompiler, match="Use --cc clang-16"):
        compiler_of(other)
