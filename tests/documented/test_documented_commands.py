# SPDX-License-Identifier: MIT
"""Every command that the README, the pages and --help show works exactly as it stands there.

Each is run by a shell in a directory that looks like the tree, with what it speaks of (your queue,
your results) put there by rules.toml: a sample by `make test`, all by `make test-long`. Of what
takes long, and of what needs what no test has (root, other machines, a server of yours: rules.toml
has the reason), at least the words are looked at.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest import mock

import pytest
from documented_commands import ROOT, Command, all_commands
from fencepost import cli

LONG_SECONDS = 4 * 3600
#: Programs that a page speaks of, and a machine need not have.
NOT_HERE = {
    "fencepost-barrierd",
    "/opt/fencepost/.venv/bin/dask",
    "conan",
    "pip",
    "vcpkg",
    "podman",
}
#: What a command may write without anybody's losing anything.
OWN_FOLDERS = ("docs", "build/bench")


@dataclass(frozen=True)
class Rule:
    """What commands of one pattern need."""

    command: str
    #: What else must be there: name to the file of the tree that it is, or to its text.
    files: Mapping[str, str]
    #: Shell lines before it.
    first: str = ""
    status: int = 0
    #: Words that its output must have.
    says: str = ""
    #: It takes too long for each run of the tests.
    long: bool = False
    #: Why only its words are looked at.
    words_only: str = ""


def _rules() -> list[Rule]:
    with (Path(__file__).with_name("rules.toml")).open("rb") as file:
        return [Rule(**{"files": {}} | rule) for rule in tomllib.load(file)["rule"]]


RULES = _rules()
COMMANDS = all_commands()


def rule_of(command: Command) -> Rule:
    """The first that fits; a command without one runs as it is."""
    fitting = (rule for rule in RULES if re.search(rule.command, command.text))
    return next(fitting, Rule(command.text, {}))


def _make_own(folder: Path, tree: Path) -> None:
    """Have a folder of the tree of links be one of its own, with links in it."""
    for part in reversed([folder, *folder.parents]):
        own, theirs = tree / part, ROOT / part
        if own.is_symlink():
            own.unlink()
        if own.is_dir():
            continue
        own.mkdir()
        for entry in theirs.iterdir() if theirs.is_dir() else ():
            (own / entry.name).symlink_to(entry)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    place = tmp_path / "tree"
    for folder in OWN_FOLDERS:
        _make_own(Path(folder), place)
    return place


def _put(files: Mapping[str, str], tree: Path) -> None:
    for name, what in files.items():
        _make_own(Path(name).parent, tree)
        source, target = ROOT / what, tree / name
        target.unlink(missing_ok=True)
        target.write_bytes(source.read_bytes() if source.is_file() else what.encode())


def _marks(command: Command) -> pytest.MarkDecorator:
    return pytest.mark.slow if rule_of(command).long else pytest.mark.matrix(16)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, id=command.id, marks=_marks(command))
        for command in COMMANDS
        if not rule_of(command).words_only
    ],
)
@pytest.mark.timeout(LONG_SECONDS)
def test_it_does_what_the_page_says(command: Command, tree: Path) -> None:
    rule = rule_of(command)
    _put(rule.files, tree)
    done = subprocess.run(
        ["bash", "-c", f"set -eu\n{rule.first}\n{command.text}"],
        cwd=tree,
        env=os.environ | {"PATH": f"{ROOT}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    shown = f"{command.page}:{command.line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert done.returncode == rule.status, shown
    assert re.search(rule.says, done.stdout), shown


def _understood(words: list[str]) -> str:
    """What fencepost's own parser has against these words, if anything."""
    with redirect_stderr(StringIO()) as said:
        try:
            module = cli._load(words[0])
            with mock.patch.object(module, "run", return_value=0):
                status = cli._run(words)
        except SystemExit as stop:
            status = int(stop.code or 0)
    return "" if status == 0 else said.getvalue()


def _complaint(words: list[str]) -> str:
    """What is wrong with a command of which only the words are looked at."""
    name, *rest = words
    if name.removeprefix("./") == "fencepost":
        return _understood(rest)
    if name == "make":
        return subprocess.run(
            ["make", "-n", *rest], cwd=ROOT, capture_output=True, text=True, check=False
        ).stderr
    if name == ".venv/bin/python":
        script = ROOT / rest[0]
        if rest[:2] == ["-m", "pytest"]:
            return "".join(f"no {file}" for file in rest[2:] if not (ROOT / file).exists())
        if not script.is_file():
            return f"there is no {script}"
        known = subprocess.run(
            [sys.executable, str(script), "--help"],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        ).stdout
        asked = [word for word in rest[1:] if word.startswith("--")]
        return "".join(f"{script} knows no {word}" for word in asked if word not in known)
    if name == "ctest":
        listed = subprocess.run(
            [*words, "-N"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return "" if re.search(r"Total Tests: [1-9]", listed.stdout) else listed.stdout
    known_here = (ROOT / name).is_file() or shutil.which(name) or name in NOT_HERE
    return "" if known_here else f"there is no {name}"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, id=command.id)
        for command in COMMANDS
        if rule_of(command).long or rule_of(command).words_only
    ],
)
def test_its_words_are_known(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = re.sub(r" (?:>|&&|\|).*| &$", "", command.text)
    words = shlex.split(text)
    while re.match(r"[A-Z_]+=", words[0]):
        del words[0]
    assert not _complaint(words), f"{command.page}:{command.line}"


def test_every_rule_is_for_a_command() -> None:
    for rule in RULES:
        assert any(rule_of(command) is rule for command in COMMANDS), rule.command


def test_the_pages_have_commands() -> None:
    assert len(COMMANDS) > 150
    assert Command("README.md", 0, "make demo").text in {command.text for command in COMMANDS}
