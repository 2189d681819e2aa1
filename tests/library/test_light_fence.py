# SPDX-License-Identifier: MIT
"""What a light fence is compiled to, where the build promises that some strategy works."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

INCLUDE = Path(__file__).resolve().parents[2] / "include"
SOURCE = """
#include <fencepost/asymmetric_fence.hpp>
extern "C" void fenced() { fencepost::asymmetric_thread_fence_light(); }
"""


def instructions(compiler: str, *flags: str) -> list[str]:
    command = [compiler, "-std=c++20", "-O2", f"-I{INCLUDE}", *flags, "-S", "-xc++", "-", "-o", "-"]
    text = subprocess.run(command, input=SOURCE, capture_output=True, text=True, check=True).stdout
    body = text.partition("\nfenced:")[2].partition("\n\t.size\tfenced")[0]
    lines = (re.sub(r"#.*", "", line).strip() for line in body.splitlines())
    return [line for line in lines if line and not re.match(r"\.|[\w.]+:|endbr64", line)]


@pytest.mark.parametrize("compiler", ["g++", "clang++-14"])
def test_a_light_fence_that_is_promised_to_be_free_is_no_instruction(compiler: str) -> None:
    assert instructions(compiler, "-DFENCEPOST_LIGHT_FENCES_ARE_FREE") in (["ret"], ["retq"])
    assert len(instructions(compiler)) > 1
