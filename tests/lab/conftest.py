# SPDX-License-Identifier: MIT
"""Programs and a scripted runtime for the tests of the command line itself."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmarks_built import Built, build
from chromium import running_chromium
from fencepost.execution.schema import Violation
from playwright.sync_api import Browser
from scripted import HERE, ROOT, Run


@pytest.fixture(scope="session")
def scripted_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build directory whose checker is the scripted runtime."""
    checker = tmp_path_factory.mktemp("scripted") / "checker"
    checker.mkdir()
    objects = checker / "runtime.o"
    subprocess.run(["gcc", "-c", str(HERE / "scripted_runtime.c"), "-o", str(objects)], check=True)
    subprocess.run(["ar", "rcs", str(checker / "libfencepost_check.a"), str(objects)], check=True)
    # It need not be built at each check; what builds it is tested in test_gcc_plugin.py.
    build = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
    for plugin in (build / "checker").glob("gcc-*.so"):
        (checker / plugin.name).symlink_to(plugin)
    return checker.parent


@pytest.fixture
def fencepost(scripted_build: Path, tmp_path: Path) -> Run:
    """Runs the launcher with the scripted runtime; `script` says what the runtime does."""

    def run(*arguments: str | Path, script: str = "h") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(ROOT / "fencepost"), *map(str, arguments)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=tmp_path,
            env=dict(os.environ, FENCEPOST_BUILD_DIR=str(scripted_build), SCRIPT=script),
            timeout=120,
        )

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def lost_wakeup() -> Violation:
    return Violation.from_json(json.loads((HERE / "lost_wakeup.json").read_text()))


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Puts stand-ins for subjects into a build directory."""
    return lambda **subjects: build(tmp_path, **subjects)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser
