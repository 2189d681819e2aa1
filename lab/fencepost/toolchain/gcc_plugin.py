# SPDX-License-Identifier: MIT
"""Finds, or builds, the plugin that makes gcc announce what its instrumentation leaves out
(checker/compiler/gcc_plugin.cpp). A plugin fits one gcc: that of the build is built with the
checker, any other's for each check, which takes two seconds."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.system import tool_process
from fencepost.toolchain.compilers import told_by

#: What the plugin refuses begins so, in gcc's own form.
_REFUSED = re.compile(r"^(.*?):(\d+):\d+: error: fencepost: (.*)$", re.MULTILINE)
#: The file that a compiler takes: checker/compiler/CMakeLists.txt gives it the same name.
_NAME = "gcc-{version}-{machine}.so"


def _package(compiler: str) -> str:
    """Debian's package of what a plugin is made of."""
    version = told_by(compiler, "-dumpfullversion").partition(".")[0]
    prefix = re.fullmatch(r"(?:.*/)?([\w-]+-linux-gnu)-gcc(?:-\d+)?", compiler)
    return f"gcc-{version}-plugin-dev" + (f"-{prefix.group(1).replace('_', '-')}" if prefix else "")


def plugin_for(compiler: str, built: Path, source: Path, directory: Path) -> Path:
    """The plugin for a C compiler: one of those in `built`, or made of `source` in `directory`."""
    name = _NAME.format(
        version=told_by(compiler, "-dumpfullversion"), machine=told_by(compiler, "-dumpmachine")
    )
    ready = built / name
    if ready.is_file():
        return ready
    headers = Path(told_by(compiler, "-print-file-name=plugin"), "include")
    if not (headers / "gcc-plugin.h").is_file():
        raise UnusableInput(
            f"the checker makes '{compiler}' announce its accesses by a plugin, and what that is "
            f"built with is not installed: apt-get install {_package(compiler)}"
        )
    made = directory / name
    if shutil.which("g++") is None:
        raise UnusableInput(
            f"the checker's plugin for '{compiler}' is built by g++, which is not installed"
        )
    if not made.is_file():
        command = ["g++", "-std=c++17", "-fno-rtti", "-fPIC", "-shared", "-O1"]
        command += ["-isystem", str(headers), str(source), "-o", str(made)]
        done = tool_process.run(command)
        if done.returncode:
            raise UnusableInput(
                f"the checker's plugin for '{compiler}' cannot be built:\n{done.stderr.rstrip()}"
            )
    return made


def check_refusals(messages: str) -> None:
    """Raises Unsupported at the first thing that the plugin has refused."""
    if match := _REFUSED.search(messages):
        file, line, what = match.groups()
        raise Unsupported(what, f"{file}:{line}")
