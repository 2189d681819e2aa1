# SPDX-License-Identifier: MIT
"""One function out of a larger library: programs linked with code compiled without the checker."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from answer import Check

LIBRARY = Path(__file__).with_name("linked")


def line(file: str, text: str) -> str:
    """`file:line` of what stands in one line of a file of the library."""
    lines = (LIBRARY / file).read_text().splitlines()
    (number,) = [number for number, found in enumerate(lines, 1) if text in found]
    return f"{file}:{number}"


#: Uses the library from two threads; how many takes there were must begin at zero every time.
TWO_VALUES = """\
#include <assert.h>
#include <pthread.h>
#include "slot.h"
static struct slot *s;
static void *put(void *unused) { slot_put(s, 1); slot_put(s, 2); return unused; }
int main(void) {
  assert(slot_takes() == 0);
  s = slot_make();
  pthread_t t;
  pthread_create(&t, 0, put, 0);
  assert(slot_take(s) == 1);
  assert(slot_take(s) == 2);
  pthread_join(t, 0);
  assert(slot_takes() == 2);
}
"""

#: A loop whose bound is kept where the checker sees no write.
COUNTED_ELSEWHERE = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int tries_left(void);
static atomic_int flag;
static void *set(void *unused) { atomic_store(&flag, 1); return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  int seen = 0;
  while (!seen && tries_left()) seen = atomic_load(&flag);
  pthread_join(t, 0);
  assert(seen || !tries_left());
}
"""
TRIES = "static int left = 3; int tries_left(void) { return left > 0 && left-- > 0; }\n"


def sh(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def compiled(file: Path, *flags: str, to: Path) -> Path:
    sh("gcc", "-O2", "-g", *flags, "-c", file, "-o", to)
    return to


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    objects = [compiled(file, to=tmp_path / f"{file.stem}.o") for file in LIBRARY.glob("*.c")]
    assert len(objects) == 2
    sh("ar", "rc", tmp_path / "libslot.a", *objects)
    return tmp_path / "libslot.a"


def trusted(answer_assumptions: list[str]) -> list[str]:
    return [text for text in answer_assumptions if "on trust" in text]


@pytest.mark.parametrize(
    "link", [["--trust", "slot.o"], ["--trust", "libslot.a"], ["--trust=-lslot"]]
)
def test_what_is_trusted_is_linked_and_stands_in_the_certificate(
    check: Check, archive: Path, link: list[str]
) -> None:
    answer = check(TWO_VALUES, *link, "--", f"-I{LIBRARY}", "-L.")
    assert (answer.status, answer.verdict) == (0, "holds"), answer.text
    assert answer.result["executions"] > 1
    (said,) = trusted(answer.result["assumptions"])
    name = "slot.o" if "slot.o" in link else "libslot.a (slot.o)"
    assert said.startswith(f"{name} is taken on trust") and "one of its instructions is" in said


def test_waiting_inside_the_library_is_seen(check: Check, tmp_path: Path) -> None:
    compiled(LIBRARY / "slot.c", "-DFORGETS_TO_WAKE", to=tmp_path / "slot.o")
    answer = check(TWO_VALUES, "--trust", "slot.o", "--", f"-I{LIBRARY}")
    assert answer.verdict == "violated"
    assert answer.result["violation"]["kind"] == "lost-wakeup"
    assert "slot.c:" in answer.result["violation"]["location"]


def test_an_instrumented_object_is_explored_event_by_event(check: Check, tmp_path: Path) -> None:
    compiled(LIBRARY / "slot.c", "-fsanitize=thread", "-fno-builtin", to=tmp_path / "slot.o")
    source = TWO_VALUES.replace("assert(slot_takes() == 2);", "assert(slot_takes() == 3);")
    answer = check(source, "--trust", "slot.o", "--", f"-I{LIBRARY}")
    assert answer.verdict == "violated"
    places = {step["location"] for step in answer.result["violation"]["trace"]}
    assert any(place.endswith(line("slot.c", "fetch_add")) for place in places), (
        "the atomic addition is an event"
    )


@pytest.mark.parametrize("how", ["-lslot", "-Wl,libslot.a", "-l:libslot.a"])
def test_whatever_else_is_linked_is_refused_by_name(check: Check, archive: Path, how: str) -> None:
    answer = check(TWO_VALUES, "--", f"-I{LIBRARY}", "-L.", how)
    assert (answer.status, answer.verdict) == (2, "inconclusive")
    assert "libslot.a(slot.o) is linked" in answer.result["reason"]
    assert "1 of them atomic (first 'lock" in answer.result["reason"]
    assert line("slot.c", "fetch_add") in answer.result["reason"]
    assert "--trust=libslot.a" in answer.result["reason"]


def test_of_an_archive_only_what_is_used_is_asked_for_what_is_not_modelled(
    check: Check, archive: Path
) -> None:
    used = TWO_VALUES.replace("assert(slot_takes() == 0);", 'slot_race("true");')
    answer = check(used, "--trust", "libslot.a", "--", f"-I{LIBRARY}")
    assert answer.verdict == "inconclusive"
    assert "race.c:6: 'system()' starts or controls a process" in answer.result["reason"]


def test_what_trusted_code_calls_is_refused_though_the_program_never_calls_it(
    check: Check, archive: Path
) -> None:
    never = 'if (slot_takes() > 3) { slot_race("true"); system("true"); }'
    used = "#include <stdlib.h>\n" + TWO_VALUES.replace("assert(slot_takes() == 0);", never)
    answer = check(used, "--trust", "libslot.a", "--", f"-I{LIBRARY}")
    assert answer.verdict == "inconclusive"
    assert "race.c:6: 'system()' starts or controls a process" in answer.result["reason"]


def test_instructions_that_ask_the_world_outside_are_trusted_to_nobody(
    check: Check, tmp_path: Path
) -> None:
    (tmp_path / "clock.c").write_text("long now(void) { return __builtin_ia32_rdtsc(); }\n")
    compiled(tmp_path / "clock.c", to=tmp_path / "clock.o")
    answer = check("long now(void); int main(void) { return now() == 0; }", "--trust", "clock.o")
    assert answer.verdict == "inconclusive"
    assert "clock.c:1: the instruction 'rdtsc'" in answer.result["reason"]


def test_a_loop_that_changes_something_unseen_is_not_taken_to_repeat_itself(
    check: Check, tmp_path: Path
) -> None:
    (tmp_path / "tries.c").write_text(TRIES)
    compiled(tmp_path / "tries.c", to=tmp_path / "tries.o")
    (tmp_path / "program.c").write_text(COUNTED_ELSEWHERE)
    linked = check(COUNTED_ELSEWHERE, "--trust", "tries.o")
    seen = check({"program.c": COUNTED_ELSEWHERE, "tries.c": TRIES}, "--link")
    assert linked.verdict == seen.verdict == "holds"
    assert linked.result["executions"] == seen.result["executions"] == 4


def test_a_spin_loop_beside_trusted_code_is_still_recognised(check: Check, tmp_path: Path) -> None:
    (tmp_path / "tries.c").write_text(TRIES)
    compiled(tmp_path / "tries.c", to=tmp_path / "tries.o")
    forever = COUNTED_ELSEWHERE.replace("!seen && tries_left()", "!seen").replace(
        "&flag, 1", "&flag, 0"
    )
    answer = check(forever, "--trust", "tries.o")
    assert answer.verdict == "violated"
    assert answer.result["violation"]["kind"] == "non-termination"


def test_a_thin_archive_is_trusted_with_what_it_refers_to(check: Check, tmp_path: Path) -> None:
    compiled(LIBRARY / "slot.c", to=tmp_path / "slot.o")
    sh("ar", "rcT", tmp_path / "libthin.a", tmp_path / "slot.o")
    answer = check(TWO_VALUES, "--trust", "libthin.a", "--", f"-I{LIBRARY}")
    assert answer.verdict == "holds" and len(trusted(answer.result["assumptions"])) == 1


def test_shared_libraries_are_refused(check: Check, tmp_path: Path) -> None:
    sh("gcc", "-shared", "-fPIC", LIBRARY / "slot.c", "-o", tmp_path / "libslot.so")
    answer = check(TWO_VALUES, "--trust", "libslot.so", "--", f"-I{LIBRARY}")
    assert answer.verdict == "inconclusive"
    assert "libslot.so is a shared library" in answer.result["reason"]


def test_what_cannot_be_linked_is_said_to_be_unusable(check: Check, tmp_path: Path) -> None:
    compiled(LIBRARY / "slot.c", to=tmp_path / "slot.o")
    program = "int main(void) { return 0; }"
    missing = check(program, "--trust", "missing.o")
    assert missing.status == 3 and "missing.o: there is no such file" in missing.text
    no_object = check(program, "--trust", "program.c")
    assert no_object.status == 3 and "is no object file and no archive" in no_object.text
    as_source = check(program, "slot.o")
    assert as_source.status == 3 and "--trust=slot.o" in as_source.text


def test_what_is_trusted_could_tell_identical_threads_apart(check: Check, tmp_path: Path) -> None:
    compiled(LIBRARY / "slot.c", to=tmp_path / "slot.o")
    answer = check(TWO_VALUES, "--trust", "slot.o", "--symmetry", "--", f"-I{LIBRARY}")
    assert answer.status == 3 and "leave one of them out" in answer.text


def test_an_object_of_link_time_optimisation_is_refused(check: Check, tmp_path: Path) -> None:
    compiled(LIBRARY / "slot.c", "-flto", to=tmp_path / "slot.o")
    answer = check(TWO_VALUES, "--trust", "slot.o", "--", f"-I{LIBRARY}")
    assert answer.verdict == "inconclusive" and "-flto" in answer.result["reason"]
