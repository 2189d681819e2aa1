# SPDX-License-Identifier: MIT
"""The Python packages of requirements.txt: each is pinned by hashes, another file of that name is
refused, and the hashes are renewed by a script."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from scripted import ROOT

PINNED = re.compile(r"[\w.-]+==[\w.+!-]+( --hash=sha256:[0-9a-f]{64})+")


@pytest.fixture
def renew() -> ModuleType:
    spec = importlib.util.spec_from_file_location("renew", ROOT / "scripts" / "renew_hashes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("file", "least"),
    [
        ("requirements.txt", 40),
        ("packaging/conan/requirements.txt", 10),
        ("packaging/site/requirements.txt", 25),
    ],
)
def test_every_package_has_a_version_and_hashes(file: str, least: int) -> None:
    text = (ROOT / file).read_text()
    lines = [
        re.sub(r"\s+", " ", line)
        for line in text.replace("\\\n", " ").splitlines()
        if not line.startswith("#")
    ]
    assert lines.pop(0) == "--only-binary :all:"
    assert len(lines) > least
    assert [line for line in lines if not PINNED.fullmatch(line)] == []


def test_every_cargo_project_has_a_lock_file_and_is_built_with_it() -> None:
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*Cargo.toml"]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert listed
    for name in listed.splitlines():
        lock = ROOT / Path(name).parent / "Cargo.lock"
        assert lock.is_file(), f"{name} has no Cargo.lock"
        tracked = ["git", "ls-files", "--error-unmatch", str(lock)]
        assert subprocess.run(tracked, cwd=ROOT, capture_output=True, check=False).returncode == 0
    calls = ["git", "grep", "-nE", r"(\bcargo|\{CARGO\}) +(build|fetch|run|test|install)\b"]
    found = subprocess.run(
        [*calls, "--", "scripts", "*CMakeLists.txt", "*.cmake", "*.py", "Makefile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    assert len(found) >= 4
    assert [line for line in found if "--locked" not in line] == []


def wheel(folder: Path) -> str:
    """Makes a package of one empty module; its hash."""
    path = folder / "harmless-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("harmless.py", "")
        described = {
            "METADATA": "Metadata-Version: 2.1\nName: harmless\nVersion: 1.0\n",
            "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": "",
        }
        for name, text in described.items():
            archive.writestr(f"harmless-1.0.dist-info/{name}", text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def required(folder: Path, kind: str) -> str:
    """Writes requirements.txt; the hash of the package that it names."""
    digest = wheel(folder)
    digests = {"its hash": digest, "another hash": hashlib.sha256(b"").hexdigest()}
    option = f" --hash=sha256:{digests[kind]}" if kind in digests else ""
    (folder / "requirements.txt").write_text(f"harmless==1.0{option}\n")
    return digest


def offline(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs it where pip finds packages in that folder and nowhere else."""
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_a_package_with_another_hash_is_refused(tmp_path: Path) -> None:
    assert '--require-hashes -r "$file"' in (ROOT / "scripts" / "create_venv.sh").read_text()
    options = ["--require-hashes", "-r", "requirements.txt"]
    digest = required(tmp_path, "another hash")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", "taken"]
    done = offline(tmp_path, *pip, *options)
    assert done.returncode == 1 and digest in done.stderr
    assert not list(tmp_path.glob("taken/*"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["its hash", "another hash", "no hash"])
def test_an_environment_is_made_of_packages_with_their_hashes(kind: str, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "create_venv.sh", tmp_path / "scripts")
    required(tmp_path, kind)
    done = offline(tmp_path, tmp_path / "scripts" / "create_venv.sh")
    assert done.returncode == (0 if kind == "its hash" else 1), done.stderr
    assert (tmp_path / ".venv" / "installed").exists() == (kind == "its hash")
    assert ("do not use it" in done.stderr) == (kind != "its hash")


def test_hashes_are_renewed_where_a_version_has_changed(
    renew: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("# words\nb==2 \\\n    --hash=sha256:old \\\n    --hash=sha256:older\nA==1\n")
    monkeypatch.setattr(renew, "ROOT", tmp_path)
    monkeypatch.setattr(renew, "FILES", {file: "this"})
    monkeypatch.setattr(renew.venv, "create", lambda *_, **__: None)
    monkeypatch.setattr(
        renew,
        "hashes",
        lambda _, pinned, python, machine: {
            pin: f"{pin}-{machine}" if pin == "b==2" else "everywhere" for pin in pinned
        },
    )
    assert renew.main() == 0
    once = file.read_text()
    assert once == renew.HEADER.format("this") + (
        "A==1 \\\n    --hash=sha256:everywhere\n"
        "b==2 \\\n    --hash=sha256:b==2-aarch64 \\\n    --hash=sha256:b==2-x86_64\n"
    )
    assert renew.main() == 0 and file.read_text() == once


@pytest.mark.parametrize("line", ["a", "a>=1", "a==1 ; python_version > '3'", "-r other.txt"])
def test_a_line_that_pins_nothing_is_named(renew: ModuleType, line: str) -> None:
    with pytest.raises(ValueError, match="not NAME==VERSION: "):
        renew.pins(f"b==2\n{line}\n")
