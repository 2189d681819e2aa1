# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from fencepost.execution import fields
from fencepost.explore import arguments
from scripted import ROOT, Run


def test_help_lists_the_commands(fencepost: Run) -> None:
    done = fencepost("--help")
    assert done.returncode == 0
    assert "check" in done.stdout


def test_an_unknown_command_is_answered_with_the_nearest_one(fencepost: Run) -> None:
    done = fencepost("chekc")
    assert done.returncode == 3
    assert "did you mean 'check'?" in done.stderr


def test_bad_usage_is_not_mistaken_for_a_verdict(fencepost: Run) -> None:
    assert fencepost("check").returncode == 3
    assert fencepost("check", "--no-such-option", "a.c").returncode == 3
    assert fencepost("check", "--timeout", "-1", "a.c").returncode == 3


def test_files_may_stand_on_both_sides_of_options(fencepost: Run, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    database = str(tmp_path / "of.db")
    done = fencepost("results", names[0], "--into", database, *names[1:])
    said = fencepost("results", *names, "--into", database)
    assert done.stderr == said.stderr and names[0] in done.stderr
    done = fencepost("check", names[0], "--json", names[1], "--model", "x86", names[2])
    assert [name for name in names if f'"file": "{name}"' in done.stdout] == names


def test_the_help_of_check_explains_the_exit_statuses(fencepost: Run) -> None:
    done = fencepost("check", "--help")
    assert "exit status" in done.stdout and "inconclusive" in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--help", "run --list", "bench --list", "check --help"])
def test_where_the_disk_is_full_every_command_says_so(words: str, unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [str(ROOT / "fencepost"), *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ, PYTHONUNBUFFERED=unbuffered),
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == "fencepost: no space left on the device\n"


@pytest.mark.parametrize(
    "words",
    [
        "check nowhere.c",
        "check holds.c >/dev/full",
        "check",
        "chekc",
        "check --bogus a.c",
        "results nowhere.jsonl",
        "report nowhere.jsonl",
        "run --lock glibc",
        "--help >/dev/full",
    ],
)
def test_where_errors_cannot_be_written_the_exit_status_still_says_what_was_wrong(
    words: str, tmp_path: Path
) -> None:
    (tmp_path / "holds.c").write_text("int main(void) { return 0; }\n")
    shell = ["sh", "-c", f"'{ROOT / 'fencepost'}' {words} 2>/dev/full"]
    assert subprocess.run(shell, cwd=tmp_path, check=False).returncode == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check --bogus a.c", "unrecognized arguments: --bogus\n"),
        ("check --modle=x86 a.c", "unrecognized arguments: --modle=x86; did you mean --model?"),
        ("check -O2 -DX a.c", "the compiler's own stand behind '--': ... -- -O2 -DX"),
        ("weaken -std=c++17 a.cpp", "the compiler's own stand behind '--': ... -- -std=c++17"),
        ("run -O2 true", "unrecognized arguments: -O2\n"),
        ("check --max-events 60001 a.c", "'60001' is no whole number from 1 to 60,000"),
        ("check --max-events 0 a.c", "'0' is no whole number from 1 to 60,000"),
        ("check --jobs 257 a.c", "'257' is no whole number from 1 to 256"),
        ("check --jobs two a.c", "'two' is no whole number from 1 to 256"),
        ("check --timeout 1e30 a.c", "must be at most 1,000,000 seconds (12 days)"),
        ("compare --measure a b --budget 1000001", "must be at most 1,000,000 seconds"),
        ("compare --measure a b --timeout 2147484", "must be at most 1,000,000 seconds"),
        ("bench --program a --timeout 3000000", "must be at most 1,000,000 seconds"),
        ("bench --program a --seconds 1e308", "must be at most 1,000,000 seconds"),
        ("report r.jsonl --timeout 1e7", "must be at most 1,000,000 seconds"),
        ("study event-mutex --stress 1e7", "must be at most 1,000,000 seconds"),
        ("check --timeout 1_0 a.c", "'1_0' is no number"),
        ("check --timeout \u0663 a.c", "'\u0663' is no number"),
        ("compare --rope 1_0% a b", "'1_0%' is no share"),
        ("compare --measure a b --rounds \u0663", "'\u0663' is no whole number from 1 to"),
        ("compare --measure a b --rounds 1_0", "'1_0' is no whole number from 1 to"),
        ("compare --measure a b --seed 1_0", "'1_0' is no whole number"),
        ("bench --seed \u0663", "'\u0663' is no whole number"),
        ("bench --layout minimal --random \u00b2", "'\u00b2' is no whole number from 1 to"),
        ("bench --layout minimal --cycle \u0668", "'\u0668' is no power of two"),
        ("run --top 1_0", "'1_0' is no whole number from 1 to"),
        ("run --dump -1", "'-1' is no whole number from 1 to"),
        ("check --timeout nan a.c", "must be above zero"),
        ("check --max-executions -1 a.c", "'-1' is no whole number from 1 to"),
        ("weaken --budget 1e9 a.c", "must be at most 1,000,000 seconds (12 days)"),
        ("check --trust -lm a.c", "stands behind '=': --trust=-lm"),
    ],
)
def test_words_that_are_out_of_range_are_answered_with_the_commands_usage(
    words: str, said: str
) -> None:
    done = subprocess.run(
        [str(ROOT / "fencepost"), *words.split()], capture_output=True, text=True, check=False
    )
    command = words.split()[0]
    assert done.returncode == 3 and done.stdout == ""
    assert done.stderr.startswith(f"usage: fencepost {command} ") and said in done.stderr


def test_the_ranges_are_those_of_the_runtime() -> None:
    jobs = (ROOT / "checker" / "execution" / "options.hpp").read_text()
    events = (ROOT / "checker" / "graph" / "event.hpp").read_text()
    assert f"kMostJobs = {arguments.MOST_JOBS};" in jobs
    assert f"kMaxEventsPerThread = {fields.MOST_EVENTS_OF_A_THREAD};" in events
    assert f"kMaxThreads = {fields.MOST_THREADS};" in events


@pytest.mark.parametrize(
    "words",
    [
        "bench event_mutexes --into",
        "compare --measure true false --into",
        "report results.jsonl --html",
        "results results.jsonl --into",
    ],
)
def test_a_file_in_a_folder_that_is_not_there_is_refused_before_anything_is_done(
    fencepost: Run, tmp_path: Path, words: str
) -> None:
    done = fencepost(*words.split(), str(tmp_path / "nowhere" / "file"))
    assert done.returncode == 3
    assert f"there is no folder '{tmp_path / 'nowhere'}'" in done.stderr
    assert not (tmp_path / "nowhere").exists()


_WRITTEN = ["--html", "--svg", "--junit", "--sarif", "--checkpoint"]


@pytest.mark.parametrize("option", _WRITTEN)
def test_no_program_is_checked_where_a_file_beside_it_cannot_be_written(
    fencepost: Run, tmp_path: Path, option: str
) -> None:
    nowhere = tmp_path / "nowhere"
    done = fencepost("check", str(tmp_path / "not_even_there.c"), option, str(nowhere / "file"))
    assert done.returncode == 3
    assert done.stderr.endswith(f"cannot be written: there is no directory {nowhere}\n")
    assert not nowhere.exists()


@pytest.mark.parametrize(
    "words",
    [
        *(f"check a.c {option} loop" for option in _WRITTEN),
        "report r.jsonl --html loop",
        "report r.jsonl --markdown loop",
        "results r.jsonl --into loop",
        "compare --measure true false --into loop",
    ],
)
def test_links_that_lead_in_a_circle_are_named(fencepost: Run, tmp_path: Path, words: str) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "loop").symlink_to("loop")
    done = fencepost(*words.split())
    assert (done.returncode, done.stdout) == (3, "")
    assert "Too many levels of symbolic links" in done.stderr


def test_names_that_are_made_for_several_sources_are_looked_at_before_the_search(
    fencepost: Run, tmp_path: Path
) -> None:
    for option in ("--html", "--svg", "--checkpoint"):
        done = fencepost("check", "no.c", "-m", "sc,x86", option, f"{'x' * 250}.x")
        assert done.returncode == 3
        assert "File name too long" in done.stderr and "no.c" not in done.stderr.split(": ")[0]
        assert done.stdout == ""


def test_a_checkpoint_has_room_for_the_name_it_is_written_under(
    fencepost: Run, tmp_path: Path
) -> None:
    done = fencepost("check", "no.c", "--checkpoint", "x" * 243)
    assert done.returncode == 3
    assert done.stderr.endswith(f"{'x' * 243}: File name too long for --checkpoint\n")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("check a.c", [*_WRITTEN, "--cc", "--cluster", "--keep", "--trust"]),
        ("weaken a.c", ["--only", "--fence", "--cc"]),
        ("report r.jsonl", ["--html", "--markdown", "--figures", "--title", "--subject", "--work"]),
        ("compare a b", ["--metric", "--work", "--results", "--into"]),
        ("bench", ["--program", "--variants", "--into", "--resume", "--build-dir", "--only"]),
        ("results r.jsonl", ["--into"]),
        ("run --lock glibc", ["--stats", "--flame", "--lock"]),
        ("study event-mutex", ["--html", "--protocol"]),
    ],
)
def test_an_empty_value_is_not_taken_for_none(
    fencepost: Run, tmp_path: Path, command: str, options: list[str]
) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    for option in options:
        done = fencepost(*command.split(), f"{option}=")
        assert (done.returncode, done.stdout) == (3, "")
        assert f"{option}: its value is empty" in done.stderr


@pytest.mark.parametrize("option", _WRITTEN)
def test_no_source_is_written_over(fencepost: Run, tmp_path: Path, option: str) -> None:
    for name in ("mine.cpp", "other.c"):
        (tmp_path / name).write_text("int main() {}\n")
    for target in (tmp_path / "other.c", tmp_path / "new.hpp"):
        done = fencepost("check", option, str(target), str(tmp_path / "mine.cpp"))
        assert done.returncode == 3
        assert "is a source, and nothing is written there" in done.stderr
    assert (tmp_path / "other.c").read_text() == "int main() {}\n"
    assert not (tmp_path / "new.hpp").exists()


@pytest.mark.parametrize("words", ["check a.c", "weaken a.c", "asm a.c", "study event-mutex"])
def test_a_working_directory_that_is_gone_is_named_before_anything_is_compiled(
    words: str, tmp_path: Path
) -> None:
    command, file = words.split()
    (tmp_path / "a.c").write_text("int main(void) { does not compile }\n")
    (tmp_path / "gone").mkdir()
    word = file if command == "study" else tmp_path / file
    shell = f"cd '{tmp_path}/gone' && rmdir ../gone && '{ROOT / 'fencepost'}' {command} '{word}'"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith("fencepost: the working directory is gone: change to another one\n")


def test_standard_output_may_be_closed() -> None:
    done = subprocess.run(
        ["bash", "-c", f"'{ROOT / 'fencepost'}' --version >&-"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_no_module_comes_from_where_one_is(compiler: str, tmp_path: Path) -> None:
    """The folder of a program that somebody else wrote may hold files of any name."""
    for name in ("random", "queue", "json", "argparse", "fencepost", "re"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the folder')\n")
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    done = subprocess.run(
        [ROOT / "fencepost", "check", "a.c", "--cc", compiler],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
