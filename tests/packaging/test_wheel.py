# SPDX-License-Identifier: MIT
"""The Python wheel: it is installed in an empty virtual environment, and the command there does all
that it does from the source tree, which it knows nothing of."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from made_once import made_once

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Of the time most is for the compiler.
pytestmark = [pytest.mark.timeout(1800), pytest.mark.lot(8, "ways of installing")]


def sh(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """As somebody runs it who has never seen the source tree."""
    surroundings = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**surroundings, "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )


def built(*command: str) -> Path:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        (folder / "wheel").symlink_to(built("make", "--silent", "wheel"))

    return (made_once(tmp_path_factory, "wheel", make) / "wheel").resolve()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        pins = re.findall(r"^[\w.-]+==\S+", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(pins) + "\n")
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet"]
        done = subprocess.run(
            [*pip, "--constraint", constraints, wheel], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "wheel-environment", make) / "venv"


@pytest.fixture
def fencepost(environment: Path) -> Path:
    return environment / "bin" / "fencepost"


def test_its_name_says_which_systems_it_is_for(wheel: Path) -> None:
    machine = os.uname().machine
    assert wheel.name == f"fencepost-0.1.0-py3-none-manylinux_2_36_{machine}.whl"


def test_nothing_in_it_knows_where_it_was_built(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            assert str(ROOT).encode() not in archive.read(name), name


def test_its_description_names_commands_as_they_are_installed(wheel: Path, fencepost: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        told = archive.read(name).decode()
    assert "./fencepost" not in told
    (block,) = re.findall(r"^```\n(.*?)```", told, re.DOTALL | re.MULTILINE)
    for command, *words in (line.split("#")[0].split() for line in block.splitlines()):
        assert command == "fencepost"
        known = sh(fencepost, words[0], "--help").stdout
        assert all(word in known for word in words if word.startswith("--") and word != "--")


def test_it_says_its_version_and_commit(fencepost: Path) -> None:
    here = subprocess.run([ROOT / "fencepost", "--version"], capture_output=True, text=True)
    assert sh(fencepost, "--version").stdout == here.stdout


def test_a_program_is_checked(fencepost: Path, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "checker" / "missed_signal.c", tmp_path)
    done = sh(fencepost, "check", "missed_signal.c", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "missed_signal.c: violated under c++20" in done.stdout


def test_the_headers_are_in_it(fencepost: Path, tmp_path: Path) -> None:
    program = tmp_path / "mine.cpp"
    program.write_text(
        "#include <cassert>\n#include <mutex>\n#include <thread>\n#include <fencepost/mutex.hpp>\n"
        "int main() {\n  fencepost::mutex m;\n  int n = 0;\n"
        "  auto add = [&] { std::scoped_lock hold(m); ++n; };\n"
        "  std::thread t(add);\n  add();\n  t.join();\n  assert(n == 2);\n}\n"
    )
    done = sh(fencepost, "check", program)
    assert done.returncode == 0, done.stdout + done.stderr


def test_orders_are_weakened(fencepost: Path, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "checker" / "too_strong.cpp", tmp_path)
    done = sh(fencepost, "weaken", "--no-costs", "too_strong.cpp", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "orders can be weaker" in done.stdout


def test_instructions_are_shown(fencepost: Path) -> None:
    done = sh(fencepost, "asm", EXAMPLES / "asm" / "compare_exchange.cpp", "--target", "x86-64")
    assert done.returncode == 0, done.stderr
    assert "cmpxchg" in done.stdout


def test_a_program_runs_on_its_locks(fencepost: Path, tmp_path: Path) -> None:
    assert "mutex" in sh(fencepost, "run", "--list").stdout
    said = tmp_path / "said.json"
    done = sh(
        fencepost,
        "run",
        "--lock",
        "mutex",
        "--stats",
        said,
        "--",
        sys.executable,
        "-c",
        "import threading; threading.Thread(target=print).start()",
    )
    assert done.returncode == 0, done.stderr
    assert '"lock": "mutex"' in said.read_text()


def test_figures_are_compared(fencepost: Path, tmp_path: Path) -> None:
    done = sh(
        fencepost,
        "compare",
        "--measure",
        "sleep 0.01",
        "sleep 0.03",
        "--rounds",
        "8",
        "--into",
        tmp_path / "figures",
    )
    assert done.returncode in (0, 2), done.stderr
    assert "sleep 0.03" in done.stdout


def test_it_has_the_pages_of_the_manual(environment: Path) -> None:
    pages = {path.name for path in (environment / "share" / "man" / "man1").iterdir()}
    assert {"fencepost.1", "fencepost-check.1"} <= pages


@pytest.mark.slow
def test_one_for_aarch64_is_made_here(tmp_path: Path) -> None:
    wheel = built("scripts/build_wheel.sh", "aarch64")
    assert wheel.name == "fencepost-0.1.0-py3-none-manylinux_2_36_aarch64.whl"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    libraries = sorted(tmp_path.rglob("*.so"))
    assert len(libraries) > 10
    for library in libraries:
        header = subprocess.run(["readelf", "-h", library], capture_output=True, text=True)
        assert "AArch64" in header.stdout, library
