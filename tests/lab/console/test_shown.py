# SPDX-License-Identifier: MIT
"""What names, paths and messages of others may do to a terminal: nothing. And what is said where
something goes wrong that nobody foresaw."""

from __future__ import annotations

import argparse
import io
import json
import os
import pty
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fencepost import cli
from fencepost.commands import results
from fencepost.console.shown import CLEAR_LINE, Shown, print_exactly, shown
from fencepost.render.trace import Paint
from fencepost.results.schema import Metric
from hostile import Answer
from hostile import answer as answer  # a fixture
from measured import FACTS, lines, write_lines
from scripted import ROOT, Run

#: Clears the screen, names the window, reverses the line, goes back, ends a line elsewhere.
HOSTILE = "\x1b[2J\x1b]0;me\x07\u202e\u2066\x9b31m\r\u2028\x7f"
SHOWN = r"\x1b[2J\x1b]0;me\x07\u202e\u2066\x9b31m\r\u2028\x7f"


def unprintable(text: str) -> list[str]:
    return [letter for letter in text if not letter.isprintable() and letter not in "\t\n"]


def test_only_letters_that_print_are_left() -> None:
    assert shown(HOSTILE) == SHOWN
    assert shown("µs → ×\n\tü") == "µs → ×\n\tü"
    assert shown("a\tb\nc", kept="") == r"a\tb\nc"
    assert shown("\udcff \U000e0041") == r"\udcff \U000e0041"


def test_of_all_letters_none_is_left_that_does_not_print() -> None:
    ends = (range(0x3100), range(0xD700, 0x10100), range(0xE0000, 0xE0200))
    letters = "".join(map(chr, (number for some in ends for number in some)))
    assert unprintable(letters)
    assert not unprintable(shown(letters))


def test_our_own_sequences_are_obeyed_and_those_of_others_are_not() -> None:
    stream = Shown(io.StringIO())
    stream.write(f"{CLEAR_LINE}{Paint(True)(f'red {HOSTILE}', 31)}")
    assert stream.stream.getvalue() == f"\x1b[G\x1b[K\x1b[31mred {SHOWN}\x1b[0m"


def test_what_an_encoding_lacks_is_shown_with_what_it_has() -> None:
    words = "● 1.5 ± 0.1 ≤ 3 … größe → ✗ 漢"
    plainly = "fencepost-plainly"
    assert words.encode("ascii", plainly) == rb"* 1.5 +/- 0.1 <= 3 ~ gr\xf6\xdfe > x \u6f22"
    assert words.encode("iso-8859-1", plainly).startswith(b"* 1.5 \xb1 0.1 <= 3 ~ gr\xf6\xdfe > x ")
    assert words.encode("utf-8", plainly).decode() == words


@pytest.fixture
def hostile_results(tmp_path: Path) -> Path:
    """A file of results whose every name and fact is hostile."""
    figures = {f"a{HOSTILE}": [1.0, 2.0, 3.0], f"b{HOSTILE}": [4.0, 5.0, 6.0]}
    metric = Metric("speed", f"items{HOSTILE}", "higher")
    facts = {name: f"{name} {HOSTILE}" for name in ("started", "machine", "compiler", "commit")}
    facts |= {"kernel": HOSTILE, f"fact{HOSTILE}": HOSTILE, "from": HOSTILE, "question": HOSTILE}
    written = lines(figures, f"run{HOSTILE}", f"work{HOSTILE}", metric, subject=f"s{HOSTILE}")
    failed = {**written[1], "kind": "failure", "message": HOSTILE, "round": 9}
    return write_lines(
        tmp_path / f"r{HOSTILE}.jsonl", [{**written[0], **FACTS, **facts}], written[1:], [failed]
    )


@pytest.mark.parametrize(
    "words",
    [
        ["results", "FILE"],
        ["results", "FILE", "--into", f"{HOSTILE}.db"],
        ["compare", "*", "--all-pairs", "--results", "FILE"],
        ["compare", "*", "--all-pairs", "--results", "FILE", "--json"],
        ["compare", "a*", "none", "--results", "FILE"],
        ["compare", "a", "b", "--results", f"none{HOSTILE}"],
        ["report", "FILE"],
        ["report", "FILE", "--markdown", "-"],
        ["report", "FILE", "--subject", f"none{HOSTILE}"],
        ["bench", f"none{HOSTILE}"],
        ["bench", "--resume", "FILE"],
        ["check", f"none{HOSTILE}.c"],
        ["check", "--model", HOSTILE, "program.c"],
        ["check", "program.c"],
        ["check", "program.c", "--json"],
        ["check", "program.c", "--trust", f"none{HOSTILE}.o"],
        ["weaken", "program.c"],
        ["asm", "program.c"],
        ["asm", f"none{HOSTILE}.c"],
        ["asm", "--protocol", HOSTILE],
        ["run", "--lock", "mutex", "--", f"none{HOSTILE}"],
        ["run", "--lock", HOSTILE, "--", "true"],
        ["run", "--stats", f"--flame={HOSTILE}/x.svg", "--lock", "mutex", "--", "true"],
        ["study", HOSTILE],
        [HOSTILE],
        ["results", "--option" + HOSTILE],
    ],
    ids=lambda words: " ".join(words).replace(HOSTILE, "…"),
)
def test_no_command_prints_what_a_terminal_obeys(
    words: Sequence[str],
    hostile_results: Path,
    fencepost: Run,
    answer: Answer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "program.c").write_text(f"int wrong = \u202e\x1b[2J; /* {HOSTILE} */")
    words = [hostile_results.name if word == "FILE" else word for word in words]
    if words[0] in ("check", "weaken", "asm", "run"):  # which start others
        done = fencepost(*words)
        status, said, complained = done.returncode, done.stdout, done.stderr
    else:
        monkeypatch.chdir(tmp_path)
        status, said, complained = answer(*words)
    assert said + complained
    assert not unprintable(said) and not unprintable(complained)
    assert "Traceback" not in complained and status in (0, 2, 3)
    if "--json" in words:
        assert all(json.loads(line) for line in said.splitlines())


def on_a_terminal(words: Sequence[str], folder: Path) -> str:
    """What the command writes to one, which has colours."""
    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.pop("NO_COLOR", None)
        os.environ["TERM"] = "xterm"
        os.execv(ROOT / "fencepost", [str(ROOT / "fencepost"), *words])
    said = b""
    try:
        while part := os.read(descriptor, 1 << 16):
            said += part
    except OSError:
        pass  # the terminal is gone with the last who held it
    finally:
        os.close(descriptor)
        os.waitpid(child, 0)
    return said.decode()


def test_on_a_terminal_our_colours_are_left_and_nothing_of_a_name(tmp_path: Path) -> None:
    said = on_a_terminal(["check", f"none{HOSTILE}.c"], tmp_path)
    assert said.replace("\r\n", "\n").startswith(f"none{SHOWN}.c: \x1b[1;31merror\x1b[0m: ")


def test_what_another_program_reads_is_exact_but_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch = f"+a\x0cb\r\n {HOSTILE}\udce9\n"
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr("sys.stdout", Shown(pipe))
    print_exactly(patch)
    assert pipe.buffer.getvalue() == patch.encode("utf-8", "surrogateescape")  # type: ignore[attr-defined]
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", Shown(terminal))
    print_exactly(patch)
    assert not unprintable(terminal.getvalue())


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_an_encoding_that_lacks_a_letter_stops_nothing(encoding: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", "none→\u4e00.c"],
        cwd=tmp_path,
        capture_output=True,
        env=dict(os.environ, PYTHONIOENCODING=encoding),
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.decode(encoding).startswith(r"none>\u4e00.c: error: ")


Raises = Callable[[BaseException], tuple[int, str]]


@pytest.fixture
def answer_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Raises:
    """Exit status and stderr of a command that raises this."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def answer(error: BaseException) -> tuple[int, str]:
        def fail(_: argparse.Namespace) -> int:
            raise error

        monkeypatch.setattr(results, "run", fail)
        return cli.main(["results", f"secret name{HOSTILE}"]), capsys.readouterr().err

    return answer


@pytest.mark.parametrize(
    "error",
    [
        RecursionError("too deep"),
        ValueError("odd\nlines"),
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
        AssertionError(),
        KeyError(HOSTILE),
    ],
)
def test_what_nobody_foresaw_is_told_with_the_place_where_all_of_it_is_kept(
    error: Exception, answer_of: Raises, tmp_path: Path
) -> None:
    status, told = answer_of(error)
    assert status == 70
    assert "Traceback" not in told and len(told.splitlines()) == 2 and not unprintable(told)
    (kept,) = tmp_path.glob("fencepost-mistake.*.txt")
    assert str(kept) in told and "report it" in told
    assert kept.stat().st_mode & 0o777 == 0o600
    text = kept.read_text()
    assert "secret name" in text and "Traceback" in text and type(error).__name__ in text


def test_where_nothing_can_be_kept_all_of_it_is_told(
    answer_of: Raises, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nonexistent")
    status, told = answer_of(RuntimeError("odd"))
    assert status == 70 and "Traceback" in told and "RuntimeError: odd" in told


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 130, "fencepost: interrupted\n"),
        (BrokenPipeError(), 3, ""),
        (MemoryError(), 3, "fencepost: there is not enough memory for this\n"),
        (IsADirectoryError(21, "Is a directory", "a"), 3, "fencepost: a: Is a directory\n"),
    ],
)
def test_what_is_no_mistake_of_ours_is_none(
    error: BaseException,
    status: int,
    words: str,
    answer_of: Raises,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "_drop_output", lambda: None)
    assert answer_of(error) == (status, words)
    assert not list(tmp_path.iterdir())
