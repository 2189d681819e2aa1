# SPDX-License-Identifier: MIT
"""`fencepost check` around an exploration: building, refusing, running, reporting, exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fencepost.explore.arguments import with_counts
from scripted import ROOT, Run

Write = Callable[[str, str], Path]

EMPTY = "int main(void) { return 0; }\n"
FAILS = "#include <assert.h>\nint main(void) { assert(0); }\n"


def test_a_program_that_holds_exits_with_0_and_says_under_which_assumptions(
    fencepost: Run, write: Write
) -> None:
    done = fencepost("check", write("a.c", EMPTY))
    assert done.returncode == 0
    assert "holds" in done.stdout and "4 executions" in done.stdout
    assert "assuming: it is so" in done.stdout


def test_what_reads_debug_information_is_not_loaded_before_it_is_needed() -> None:
    """It takes as long to load as a third of all the rest."""
    names = "import sys, fencepost.commands.check; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", names],
        env=os.environ | {"PYTHONPATH": str(ROOT / "lab")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "fencepost.execution.memory_objects" in loaded
    assert not [name for name in loaded if name.startswith(("elftools", "numpy"))]


def test_json_has_one_object_a_file_and_model(fencepost: Run, write: Write) -> None:
    files = [write("a.c", EMPTY), write("b.c", EMPTY)]
    done = fencepost("check", "--json", "--model", "sc,x86", *files)
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(Path(o["file"]).name, o["model"]) for o in objects] == [
        ("a.c", "sc"),
        ("a.c", "x86"),
        ("b.c", "sc"),
        ("b.c", "x86"),
    ]
    wanted = {"verdict", "executions", "blocked", "seconds", "violation", "assumptions"}
    assert all(wanted <= set(o) for o in objects)


def test_the_gravest_status_of_several_files_is_the_exit_status(
    fencepost: Run, write: Write
) -> None:
    good, bad = write("good.c", EMPTY), write("bad.c", "int main(void) { return x; }\n")
    done = fencepost("check", bad, good)
    assert done.returncode == 3
    assert "holds" in done.stdout, "the other file is checked all the same"


def test_source_that_does_not_compile_shows_the_compilers_message(
    fencepost: Run, write: Write
) -> None:
    done = fencepost("check", write("bad.c", "int main(void) {\n  return missing_thing;\n}\n"))
    assert done.returncode == 3
    assert "bad.c:2" in done.stderr and "missing_thing" in done.stderr
    assert done.stdout == ""


def test_a_file_without_main_is_said_to_have_none(fencepost: Run, write: Write) -> None:
    done = fencepost("check", write("lib.c", "int f(void) { return 1; }\n"))
    assert done.returncode == 3
    assert "no main" in done.stderr


def test_an_undefined_function_is_the_linkers_complaint(fencepost: Run, write: Write) -> None:
    done = fencepost("check", write("a.c", "int g(void);\nint main(void) { return g(); }\n"))
    assert done.returncode == 3
    assert "undefined reference to `g'" in done.stderr


def test_linked_files_are_one_program(fencepost: Run, write: Write) -> None:
    main = write("a.c", "int g(void);\nint main(void) { return g(); }\n")
    part = write("g.c", "int g(void) { return 0; }\n")
    assert fencepost("check", "--link", main, part).returncode == 0


def test_c_and_cpp_files_link_together(fencepost: Run, write: Write) -> None:
    main = write("a.c", "int g(void);\nint main(void) { return g(); }\n")
    part = write("g.cpp", 'extern "C" int g() { return 0; }\n')
    assert fencepost("check", "--link", main, part).returncode == 0


def test_flags_after_two_dashes_reach_the_compiler(fencepost: Run, write: Write) -> None:
    source = write("a.c", "int main(void) { return VALUE; }\n")
    assert fencepost("check", source).returncode == 3
    assert fencepost("check", source, "--", "-DVALUE=0").returncode == 0


@pytest.mark.parametrize("name", ["missing.c", "."])
def test_a_file_that_cannot_be_read_is_named(fencepost: Run, name: str) -> None:
    done = fencepost("check", name)
    assert done.returncode == 3
    assert name in done.stderr and "Traceback" not in done.stderr


def test_an_unknown_kind_of_file_is_refused(fencepost: Run, write: Write) -> None:
    done = fencepost("check", write("a.rs", "fn main() {}\n"))
    assert done.returncode == 3
    assert "not a C or C++ source file" in done.stderr


def test_an_unknown_compiler_is_named(fencepost: Run, write: Write) -> None:
    done = fencepost("check", "--cc", "tcc-99", write("a.c", EMPTY))
    assert done.returncode == 3
    assert "tcc-99" in done.stderr


def compiler_says(directory: Path, name: str, answer: str) -> str:
    """A wrapper of gcc that says of itself that it is something else."""
    script = directory / name
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{answer}"; else exec g++ "$@"; fi\n'
    )
    script.chmod(0o755)
    return str(script)


def test_a_compiler_that_nobody_has_tried_is_refused_before_anything_is_compiled(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    source = write("bad.c", "this is no program\n")
    cc = compiler_says(tmp_path, "clang-13", "Debian clang version 13.0.1-11+b2")
    done = fencepost("check", "--cc", cc, source)
    assert done.returncode == 3
    assert "clang 13.0" in done.stderr and "Use --cc clang-14" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_compiler_for_cpp_that_goes_with_it_nothing_is_linked(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    cc = tmp_path / "own-gcc"
    cc.symlink_to("/usr/bin/gcc")
    done = fencepost("check", "--cc", str(cc), write("a.cpp", EMPTY))
    assert done.returncode == 3
    assert "there is no compiler" in done.stderr and "own-g++" in done.stderr


@pytest.mark.parametrize("name", ["cc", "/usr/bin/gcc"])
def test_a_compiler_may_have_any_name(fencepost: Run, write: Write, name: str) -> None:
    done = fencepost("check", "--cc", name, write("a.c", EMPTY), write("b.cpp", EMPTY))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["gcc", "mygcc"])
def test_a_compiler_in_this_folder_is_not_looked_for_in_path(
    fencepost: Run, write: Write, tmp_path: Path, name: str
) -> None:
    for language in (name, name.replace("gcc", "g++")):
        write(language, f'#!/bin/sh\ntouch used\nexec {language[-3:]} "$@"\n').chmod(0o755)
    done = fencepost("check", "--cc", f"./{name}", write("a.cpp", EMPTY))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "used").exists()


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_an_instruction_without_a_model_is_left_to_who_comes_to_it(
    fencepost: Run, write: Write, compiler: str
) -> None:
    text = (
        'int main(void) {\n  __asm__("pause");\n  __asm__ volatile("cpuid");\n'
        "  return __builtin_ia32_rdtsc() == 1;\n}\n"
    )
    done = fencepost("check", "--json", "--cc", compiler, write("clock.c", text))
    assert done.returncode == 0, done.stderr
    instructions = "'cpuid' at clock.c:3, 'rdtsc' at clock.c:4"
    said = f"no execution comes to {instructions}, which would end without a verdict"
    assert said in json.loads(done.stdout)["assumptions"]


def test_what_is_compiled_again_for_an_instruction_warns_once(fencepost: Run, write: Write) -> None:
    text = 'static int idle;\nint main(void) {\n  __asm__ volatile("cpuid");\n}\n'
    for compiler in ([], ["--cc", "gcc"]):
        done = fencepost("check", *compiler, write("a.c", text), "--", "-Wunused-variable")
        assert done.returncode == 0
        assert done.stderr.count("[-Wunused-variable]") == 1


def test_a_directive_is_refused_with_its_line(fencepost: Run, write: Write) -> None:
    text = 'int main(void) {\n  __asm__ volatile(".byte 0x90");\n}\n'
    done = fencepost("check", write("a.c", text))
    assert done.returncode == 2
    assert "a.c:2" in done.stdout and ".byte" in done.stdout


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_the_pauses_of_spin_loops_are_allowed(fencepost: Run, write: Write, compiler: str) -> None:
    text = (
        "#include <immintrin.h>\n"
        'int main(void) { __asm__ volatile("pause"); __asm__ volatile("" ::: "memory");\n'
        '__asm__ volatile("rep; nop"); _mm_pause(); return 0; }\n'
    )
    assert fencepost("check", "--cc", compiler, write("a.c", text)).returncode == 0


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_intrinsic_that_stores_under_a_mask_is_refused_with_its_line(
    fencepost: Run, write: Write, level: str
) -> None:
    text = (
        "#include <immintrin.h>\nint cells[8];\nint main(void) {\n"
        "  __m256i all = _mm256_set1_epi32(-1);\n"
        "  _mm256_maskstore_epi32(cells, all, all);\n  return 0;\n}\n"
    )
    done = fencepost("check", "--cc", "clang-14", write("a.c", text), "--", "-mavx2", level)
    assert done.returncode == 2
    assert "a.c:5" in done.stdout and "maskstore" in done.stdout


def test_an_order_that_is_forbidden_and_constant_is_refused_where_clang_says_so(
    fencepost: Run, write: Write
) -> None:
    text = "int x;\nint main(void) {\n  __atomic_store_n(&x, 1, __ATOMIC_ACQUIRE);\n}\n"
    done = fencepost("check", "--cc", "clang-14", write("a.c", text))
    assert done.returncode == 3
    assert "a.c:3" in done.stderr and "memory order" in done.stderr


@pytest.mark.parametrize(
    ("call", "header"),
    [
        ("read(0, &c, 1)", "unistd.h"),
        ('system("true")', "stdlib.h"),
        ("fork()", "unistd.h"),
        ("seed48((unsigned short*)c)", "stdlib.h"),
    ],
)
def test_a_call_without_a_model_is_left_to_who_comes_to_it(
    fencepost: Run, write: Write, call: str, header: str
) -> None:
    text = f"#include <{header}>\nlong c[8];\nint main(void) {{\n  (void)!{call};\n}}\n"
    done = fencepost("check", "--json", write("a.c", text))
    assert done.returncode == 0, done.stderr
    name = call.partition("(")[0]
    said = f"no execution calls {name}, which would end without a verdict"
    assert said in json.loads(done.stdout)["assumptions"]


def test_a_variable_without_a_model_is_refused_with_its_line(fencepost: Run, write: Write) -> None:
    text = "extern char** environ;\nint main(void) {\n  return environ[0] != 0;\n}\n"
    done = fencepost("check", "--json", write("a.c", text))
    found = json.loads(done.stdout)
    assert done.returncode == 2 and found["verdict"] == "inconclusive"
    assert found["error"]["location"] == "a.c:3"
    assert found["reason"] == "a.c:3: 'environ' is not modelled"


def test_reading_from_cin_is_refused(fencepost: Run, write: Write) -> None:
    text = "#include <iostream>\nint main() { int i; std::cin >> i; }\n"
    done = fencepost("check", write("a.cpp", text))
    assert done.returncode == 2
    assert "std::cin" in done.stdout and "reads input" in done.stdout


def test_printing_is_allowed(fencepost: Run, write: Write) -> None:
    text = '#include <stdio.h>\nint main(void) { printf("%d\\n", 1); puts("x"); return 0; }\n'
    assert fencepost("check", write("a.c", text)).returncode == 0


def test_a_program_that_dies_is_inconclusive_and_says_of_what(fencepost: Run, write: Write) -> None:
    done = fencepost("check", "--json", write("a.c", EMPTY), script="epgs")
    found = json.loads(done.stdout)
    assert done.returncode == 2
    assert "SIGSEGV" in found["reason"] and "last words" in found["reason"]
    assert (found["executions"], found["blocked"]) == (5, 2), "what was covered is told"


def test_a_program_that_ends_without_a_result_is_inconclusive(fencepost: Run, write: Write) -> None:
    done = fencepost("check", write("a.c", EMPTY), script="")
    assert done.returncode == 2
    assert "before the exploration did" in done.stdout


def test_options_that_the_runtime_refuses_are_an_error(fencepost: Run, write: Write) -> None:
    done = fencepost("check", write("a.c", EMPTY), script="o")
    assert done.returncode == 3
    assert "unknown option" in done.stderr


@pytest.mark.parametrize("script", ["Iw", pytest.param("w", marks=pytest.mark.slow)])
def test_a_time_limit_ends_a_program_that_does_not_answer(
    fencepost: Run, write: Write, script: str
) -> None:
    started = time.monotonic()
    done = fencepost("check", "--timeout", "0.2", write("a.c", EMPTY), script=script)
    assert done.returncode == 2
    assert "time limit" in done.stdout
    assert time.monotonic() - started < 30


def _interrupted(
    build: Path, tmp_path: Path, number: signal.Signals, *words: str | Path
) -> tuple[int, dict[str, Any]]:
    """By a signal when it has begun to explore; nothing is left behind."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [str(ROOT / "fencepost"), "check", "--json", *map(str, words)],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(
            os.environ,
            FENCEPOST_BUILD_DIR=str(build),
            SCRIPT="ipmw",
            MARK=str(tmp_path / "mark"),
            TMPDIR=str(scratch),
        ),
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "mark").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    text, _ = process.communicate(timeout=60)
    assert list(scratch.iterdir()) == []
    return process.returncode, json.loads(text)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_tells_what_was_covered_and_leaves_nothing_behind(
    scripted_build: Path, write: Write, tmp_path: Path, number: signal.Signals
) -> None:
    status, found = _interrupted(scripted_build, tmp_path, number, write("a.c", EMPTY))
    assert status == 2
    assert (found["verdict"], found["executions"]) == ("inconclusive", 7)


def test_what_is_interrupted_is_not_as_annotated_whatever_is_expected(
    scripted_build: Path, write: Write, tmp_path: Path
) -> None:
    source = write("a.c", f"// expect: c++20=inconclusive\n{EMPTY}")
    words = ("--as-annotated", source)
    status, found = _interrupted(scripted_build, tmp_path, signal.SIGINT, *words)
    assert (status, found["verdict"]) == (2, "inconclusive")
    assert found["case"]["unlike"] == ["interrupted"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(("source", "status"), [(EMPTY, 3), (FAILS, 1)])
def test_a_full_disk_is_named_when_the_result_cannot_be_written(
    write: Write, tmp_path: Path, source: str, status: int, unbuffered: str
) -> None:
    own = {"PYTHONUNBUFFERED": unbuffered}
    report = tmp_path / "report.xml"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [ROOT / "fencepost", "check", "--junit", report, write("a.c", source)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | own,
            check=False,
        )
    assert done.returncode == status
    assert done.stderr == "fencepost: no space left on the device\n"
    assert report.read_text().endswith("</testsuites>\n")


@pytest.mark.parametrize(("source", "status"), [(EMPTY, 0), (FAILS, 1)])
def test_a_reader_who_leaves_changes_no_verdict(
    write: Write, tmp_path: Path, source: str, status: int
) -> None:
    report = tmp_path / "report.xml"
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run(
        [ROOT / "fencepost", "check", "--junit", report, write("a.c", source), write("b.c", EMPTY)],
        stdout=written,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(written)
    assert (done.returncode, done.stderr) == (status, "")
    assert report.read_text().count("<testcase ") == 2


def test_a_checker_that_is_not_built_is_said_to_be_so(write: Write, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", str(write("a.c", EMPTY))],
        capture_output=True,
        text=True,
        env=dict(os.environ, FENCEPOST_BUILD_DIR=str(tmp_path)),
    )
    assert done.returncode == 3
    assert "make build" in done.stderr


def test_an_unknown_model_names_the_known_ones(fencepost: Run, write: Write) -> None:
    done = fencepost("check", "--model", "power", write("a.c", EMPTY))
    assert done.returncode == 3
    assert "c++20" in done.stderr and "x86" in done.stderr


def test_what_was_compiled_is_kept_on_request(fencepost: Run, write: Write, tmp_path: Path) -> None:
    assert fencepost("check", "--keep", "kept", write("a.c", EMPTY)).returncode == 0
    assert (tmp_path / "kept" / "a" / "program").is_file()


def test_what_cannot_be_kept_is_said_before_the_search(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    source = write("a.c", "int main(void) { does not compile }")
    for given, why in (("nowhere/kept", "no folder 'nowhere'"), ("a.c", "'a.c' is no folder")):
        done = fencepost("check", "--keep", given, source)
        assert done.returncode == 3 and why in done.stderr and "compile" not in done.stderr
    assert not (tmp_path / "nowhere").exists()


def test_sources_of_one_name_have_files_of_their_own(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.c").write_text(EMPTY)
    sources = ("one/a.c", "other/a.c", str(tmp_path / "one" / "a.c"), write("b.c", EMPTY))
    done = fencepost("check", *sources, "--html", "p.html", "--keep", "kept", "-m", "sc,c++20")
    assert done.returncode == 0
    long = "-".join(Path(sources[2]).parts[1:])
    names = {"one-a.c", "other-a.c", long, "b"}
    assert {page.name for page in tmp_path.glob("*.html")} == {
        f"p-{name}-{model}.html" for name in names for model in ("sc", "cpp20")
    }
    assert {folder.name for folder in (tmp_path / "kept").iterdir()} == names


def test_nothing_is_kept_outside_the_folder(fencepost: Run, write: Write, tmp_path: Path) -> None:
    for name in ("...c", "..c", ".c.c", "..c.c"):
        write(name, EMPTY)
    done = fencepost("check", "./...c", "./..c", "./.c.c", "./..c.c", "--keep", "kept")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {"...c", "..c", ".c", "..c.c"}
    assert not (tmp_path / "program").exists()


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_a_source_may_be_called_like_an_option(fencepost: Run, write: Write, compiler: str) -> None:
    for name in ("-a.c", "@a.c", "-b.cpp"):
        write(name, EMPTY)
    done = fencepost("check", "--cc", compiler, "./-a.c", "./@a.c", "./-b.cpp")
    assert done.returncode == 0, done.stderr


def test_two_options_do_not_write_the_same_file(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    done = fencepost("check", write("a.c", EMPTY), "--junit", "out", "--sarif", "./out")
    assert done.returncode == 3
    assert done.stderr == "fencepost: ./out: --junit and --sarif name the same file\n"
    assert not (tmp_path / "out").exists()


def test_options_that_may_have_a_number_take_no_file_for_it(tmp_path: Path) -> None:
    words = ["--timeouts", "one.c", "--spurious=3", "--weak-cas"]
    assert with_counts(words) == ["--timeouts=1", "one.c", "--spurious=3", "--weak-cas=1"]
    for number in ("0", "11", "-1", "x", "", "²"):
        done = subprocess.run(
            [ROOT / "fencepost", "check", f"--spurious={number}", "nothing.c"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 3
        assert f"'{number}' is no whole number from 1 to 10" in done.stderr


def test_a_file_after_json_is_none_of_its(
    fencepost: Run, write: Callable[[str, str], Path]
) -> None:
    """Other programs' --json takes one."""
    done = fencepost("check", "--json", "found.json", write("a.c", "int main(void) {}\n"))
    assert done.returncode == 3
    assert "--json > FILE" in done.stdout
    assert not Path("found.json").exists()
