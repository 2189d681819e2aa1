# SPDX-License-Identifier: MIT
"""Input that cannot be judged gets a clear error that names the place, and no verdict."""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from answer import ROOT, Check, environment, fencepost

THREADS = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
"""

TWO_THREADS = """
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
"""


def test_source_that_does_not_compile(check: Check) -> None:
    answer = check("int main(void) {\n  return absent;\n}\n")
    assert (answer.status, answer.verdict) == (3, None)
    assert "program.c:2" in answer.errors and "undeclared" in answer.errors


def test_no_main(check: Check) -> None:
    answer = check("int f(void) { return 0; }\n")
    assert (answer.status, answer.verdict) == (3, None)
    assert "no main" in answer.errors


@pytest.mark.parametrize(
    ("header", "call", "name"),
    [
        ("unistd.h", "read(0, buffer, 1)", "'read()'"),
        ("stdio.h", "fgets(buffer, 2, stdin)", "'stdin'"),
        ("unistd.h", "fork()", "'fork()'"),
        ("stdlib.h", 'system("true")', "'system()'"),
    ],
)
def test_reading_input_or_spawning_a_process(
    check: Check, header: str, call: str, name: str
) -> None:
    answer = check(
        f"#include <{header}>\nstatic char buffer[64];\nint main(void) {{\n"
        f"  return {call} != 0 && buffer[0];\n}}\n"
    )
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert name in answer.result["reason"]
    assert "program.c:4" in answer.result["reason"]


def test_inline_assembly(check: Check) -> None:
    answer = check(
        'int main(void) {\n  __asm__ volatile("syscall" ::: "memory");\n  return 0;\n}\n'
    )
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert "syscall" in answer.result["reason"] and "program.c:2" in answer.result["reason"]


MIXED = (
    THREADS
    + """
static union { _Atomic unsigned whole; _Atomic unsigned char part[4]; } word;
static void *left(void *unused) {
  atomic_store(&word.part[0], 1);
  return unused;
}
static void *right(void *unused) {
  assert(CONDITION);
  return unused;
}
"""
    + TWO_THREADS
)


def test_mixed_sizes_are_supported_or_refused_but_never_wrong(check: Check) -> None:
    true = check(MIXED.replace("CONDITION", "atomic_load(&word.whole) <= 1"))
    assert true.verdict in ("holds", "inconclusive")
    false = check(MIXED.replace("CONDITION", "atomic_load(&word.whole) == 0"))
    assert false.verdict in ("violated", "inconclusive")
    for answer in (true, false):
        if answer.verdict == "inconclusive":
            assert "program.c:" in answer.result["reason"]


def test_a_thread_that_runs_for_ever_without_touching_shared_memory(check: Check) -> None:
    answer = check(
        "int main(void) {\n  volatile int spin = 0;\n  for (;;) spin = spin + 1;\n}\n",
        "--timeout",
        "2",
    )
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert answer.result["reason"]


def test_a_thread_that_counts_for_ever(check: Check) -> None:
    answer = check(
        THREADS
        + "static atomic_uint n;\nint main(void) {\n  for (;;)\n    atomic_fetch_add(&n, 1);\n}\n"
    )
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert "program.c:8" in answer.result["reason"]


def test_a_spin_loop_that_can_never_end_is_a_violation(check: Check) -> None:
    answer = check(
        THREADS
        + "static atomic_int flag;\nint main(void) {\n  while (!atomic_load(&flag))\n    ;\n}\n"
    )
    assert (answer.status, answer.verdict) == (1, "violated")
    assert answer.result["violation"]["kind"] == "non-termination"
    assert answer.result["violation"]["location"] == "program.c:7"


@pytest.mark.parametrize(
    ("statement", "line"),
    [("*(volatile int *)where = 1;", 4), ("return 7 / (int)(long)where;", 4)],
)
def test_a_crash_inside_the_program(check: Check, statement: str, line: int) -> None:
    answer = check(
        f"static void *volatile nowhere;\nint main(void) {{\n  void *where = nowhere;\n"
        f"  {statement}\n}}\n"
    )
    assert answer.verdict in ("violated", "inconclusive")
    assert answer.status in (1, 2)
    assert f"program.c:{line}" in answer.text


def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text("int main(void) { return 0; }\n")
    small = tmp_path / "small"
    small.mkdir()
    mount = ["unshare", "--user", "--map-root-user", "--mount"]
    script = f"mount -t tmpfs -o size=8k none {small} && exec {ROOT}/fencepost check program.c"
    if subprocess.run([*mount, "true"], capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    done = subprocess.run(
        [*mount, "sh", "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(TMPDIR=str(small)),
    )
    assert done.returncode == 3
    assert "no space left" in done.stderr and str(small) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file(check: Check, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", "absent.c"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
    )
    assert done.returncode == 3
    assert "absent.c" in done.stderr and "No such file" in done.stderr


def test_atomics_that_take_a_lock_are_refused(check: Check) -> None:
    answer = check(
        "struct large { char bytes[24]; };\nstatic _Atomic struct large wide;\n"
        "int main(void) {\n  struct large now = wide;\n  return now.bytes[0];\n}\n"
    )
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert "not lock-free" in answer.result["reason"]
    assert "program.c:4" in answer.result["reason"]


#: A file's name, and what its source holds, that is text in no encoding.
NO_TEXT = os.fsdecode(b"a\xff\x1b[2J.c")
SOURCES = {
    1: b'#include <assert.h>\nint main(void) { int x = 0; /* \xfe\x1b */ assert(x && "\xfe"); }\n',
    3: b"int main(void) { return \xfe\x1b[2J; }\n",
    2: b"#include <stdio.h>\nint main(void) { return getchar(); /* \xfe */ }\n",
}


@pytest.mark.parametrize("status", SOURCES)
def test_a_name_and_a_source_that_are_no_text_are_shown_in_every_form(
    status: int, tmp_path: Path
) -> None:
    (tmp_path / NO_TEXT).write_bytes(SOURCES[status])
    drawn = {"--html": "a.html", "--svg": "a.svg", "--junit": "a.xml", "--sarif": "a.sarif"}
    words = [word for pair in drawn.items() for word in pair]
    done = fencepost("check", NO_TEXT, *words, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert r"a\udcff\x1b[2J.c" in done.stdout + done.stderr
    ElementTree.parse(tmp_path / "a.xml")
    sarif = json.loads((tmp_path / "a.sarif").read_text())
    told = json.dumps(sarif, ensure_ascii=False).encode().decode()
    assert "a%FF%1B%5B2J.c" in told and "\x1b" not in told
    if status == 1:
        ElementTree.parse(tmp_path / "a.svg")
        assert "\x1b" not in (tmp_path / "a.html").read_bytes().decode()
