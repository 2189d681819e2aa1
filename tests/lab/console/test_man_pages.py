# SPDX-License-Identifier: MIT
"""The manual's pages: everything that a command's help says is in its page, and roff takes it."""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

import pytest
from fencepost.cli import SUBCOMMANDS, parsers

ROOT = Path(__file__).resolve().parents[3]
SPIN_LOCK = "examples/checker/spin_lock.cpp"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual") / "man1"
    subprocess.run([ROOT / "fencepost", "--man-pages", folder], check=True)
    return folder


def shown(page: Path) -> str:
    """As a terminal shows it, in one line."""
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-rLL=10000n", "-P-c", "-P-bou", page],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return " ".join(done.stdout.split())


def words(text: str) -> str:
    return " ".join(text.split())


def test_each_command_has_a_page(folder: Path) -> None:
    assert {page.name for page in folder.iterdir()} == {
        "fencepost.1",
        *(f"fencepost-{name}.1" for name in SUBCOMMANDS),
    }


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_page_has_every_option_with_its_help_and_the_examples(folder: Path, name: str) -> None:
    page = shown(folder / f"fencepost-{name}.1")
    parser = parsers([name])[1][name]
    formatter = parser._get_formatter()
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        assert words(formatter._format_action_invocation(action)) in page
        assert words(formatter._expand_help(action)) in page if action.help else True
    for line in (parser.epilog or "").splitlines():
        assert words(line).rstrip(":").upper() in page.upper()
    assert re.search(r"SEE ALSO fencepost\(1\)", page)


def test_the_page_of_all_names_the_commands(folder: Path) -> None:
    page = shown(folder / "fencepost.1")
    for name, does in SUBCOMMANDS.items():
        assert f"{name} {words(does)}" in page and f"fencepost-{name}(1)" in page
    commands, options = page.index(" COMMANDS "), page.index(" OPTIONS ")
    assert commands < page.index(words(SUBCOMMANDS["check"])) < options
    assert "COMMANDS" not in shown(folder / "fencepost-check.1")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_page_says_what_each_argument_is(name: str) -> None:
    parser = parsers([name])[1][name]
    assert [one.dest for one in parser._actions if not one.help] == []


def test_a_page_has_what_is_said_of_a_group_of_options(folder: Path) -> None:
    assert "P-queue-cpp20.html of queue.cpp under c++20" in shown(folder / "fencepost-check.1")


def test_pages_go_to_no_folder_that_lies_nowhere(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for given, why in (("nowhere/man1", "no folder 'nowhere'"), ("file", "'file' is no folder")):
        done = subprocess.run(
            [ROOT / "fencepost", "--man-pages", given],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 3 and why in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    done = subprocess.run(
        [ROOT / "fencepost", "--completion", shell], capture_output=True, text=True, check=True
    )
    assert "fencepost" in done.stdout and "_ARGCOMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fencepost check --tim", {"--timeout", "--timeouts"}),
        ("fencepost check --model x", {"x86"}),
        ("fencepost weaken --cc clang-1", {"clang-14", "clang-15", "clang-16", "clang-19"}),
        ("fencepost run --lock event_mutex-seq", {"event_mutex-seq_cst-test_and_set"}),
        ("fencepost asm --target risc", {"riscv64"}),
        ("fencepost check examples/checker/latch.cpp examples/checker/spin", {SPIN_LOCK}),
        (
            "fencepost check examples/checker/latch.cpp --timeout 5 examples/checker/spin",
            {SPIN_LOCK},
        ),
        ("fencepost check examples/checker/latch.cpp --all examples/checker/spin", {SPIN_LOCK}),
    ],
)
def test_bash_completes(line: str, words: set[str]) -> None:
    script = f'''
        eval "$(./fencepost --completion bash)"
        PATH="$PWD:$PATH" COMP_WORDS=({line}) COMP_LINE="{line}" COMP_POINT={len(line)} COMP_TYPE=9
        _python_argcomplete fencepost
        printf '%s\\n' "${{COMPREPLY[@]}}"
    '''
    done = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = {word.strip() for word in done.stdout.split()}
    assert words <= found and all(word.startswith(line.split()[-1]) for word in found)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("fencepost che", "fencepost check "),
        ("fencepost check --mod", "fencepost check --model "),
        ("fencepost check --all examples/checker/spin", f"fencepost check --all {SPIN_LOCK} "),
        (f"fencepost check {SPIN_LOCK} --model x", f"fencepost check {SPIN_LOCK} --model x86 "),
        (
            f"fencepost check {SPIN_LOCK} --all examples/checker/latch",
            f"fencepost check {SPIN_LOCK} --all examples/checker/latch.cpp ",
        ),
    ],
)
def test_zsh_completes(line: str, whole: str) -> None:
    """At a terminal, for it completes nowhere else; Ctrl-X shows the line as it has become."""
    script = f"""
        zmodload zsh/zpty
        zpty shell 'PS1= PROMPT_EOL_MARK= zsh -f -i'
        zpty -w shell 'PS1= PS2=; autoload -Uz compinit; compinit -u -D; PATH=$PWD:$PATH'
        zpty -w shell 'eval "$(fencepost --completion zsh)"'
        zpty -w shell 'shown() {{ print -r -- "<<<$BUFFER>>>" }}; zle -N shown; bindkey "^X" shown'
        zpty -w shell 'echo r""eady'
        zpty -r shell text '*ready*'
        zpty -w -n shell '{line}'$'\\t\\C-x'
        zpty -r shell text '*<<<*>>>*'
        print -r -- "$text"
    """
    done = subprocess.run(
        ["zsh", "-f", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    (found,) = re.findall(r"<<<(.*?)>>>", done.stdout)
    assert found == whole
