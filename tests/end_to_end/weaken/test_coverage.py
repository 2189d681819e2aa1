# SPDX-License-Identifier: MIT
"""`fencepost weaken` says above its changes what no execution did, and nothing that one did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from answer import ROOT, Weaken, fencepost

pytestmark = pytest.mark.matrix(3)

RING = (ROOT / "examples" / "checker" / "ring_never_reused.cpp").read_text()
REUSED = RING.replace("#define SLOTS 4", "#define SLOTS 1")
TITLE = "not covered by these executions"

HEADERS = "#include <atomic>\n#include <cassert>\n#include <thread>\n"


def two_threads(globals_: str, other: str, own: str) -> str:
    """A C++ program; its globals are on line 4, each thread's statements on a line of their own."""
    return (
        f"{HEADERS}{globals_}\nint main(int argc, char**) {{\n  std::thread other([=] {{\n"
        f"    {other}\n  }});\n  {own}\n  other.join();\n}}\n"
    )


def gaps(result: dict[str, Any]) -> set[tuple[int, str, str]]:
    """Line, operation and what no execution did."""
    return {
        (int(one["location"].split(":")[1]), one["operation"], one["why"])
        for one in result["not_covered"]
    }


def of_program(weaken: Weaken, source: str, *options: str) -> set[tuple[int, str, str]]:
    status, result = weaken({"program.cpp": source}, *options)
    assert status == 0, result
    return gaps(result)


NEVER_REACHED = "no execution comes to it after main has begun"
NOT_OVERWRITTEN = "no execution overwrites what it reads"
LOCK = (
    "std::atomic<int> word; int count;",
    "for (int open = 0; !word.compare_exchange_strong(open, 1);) open = 0; ++count; word = 0;",
    "for (int open = 0; !word.compare_exchange_strong(open, 1);) open = 0; ++count; word = 0;",
)


@pytest.mark.parametrize("cc", ["gcc", "clang-14"])
def test_a_ring_of_which_no_slot_is_reused_says_so(weaken: Weaken, cc: str) -> None:
    line = next(n for n, text in enumerate(RING.splitlines(), 1) if "= slots[from" in text)
    assert of_program(weaken, RING, "--cc", cc) == {(line, "read", NOT_OVERWRITTEN)}
    assert of_program(weaken, REUSED, "--cc", cc) == set()


def test_an_operation_on_a_branch_that_is_never_taken_is_told(weaken: Weaken) -> None:
    source = two_threads("std::atomic<int> x, y;", "if (argc > 5) y.fetch_add(1);", "x.store(1);")
    assert of_program(weaken, source) == {(7, "fetch_add", NEVER_REACHED)}
    assert of_program(weaken, source.replace("argc > 5", "argc > 0")) == set()


def test_a_compare_exchange_that_never_fails_or_never_succeeds_is_told(weaken: Weaken) -> None:
    claim = "int free = {}; claimed.compare_exchange_strong(free, 2);"
    never_fails = two_threads("std::atomic<int> claimed;", claim.format(0), "")
    assert of_program(weaken, never_fails) == {(7, "compare_exchange", "it never fails")}
    never_succeeds = two_threads("std::atomic<int> claimed;", claim.format(1), "")
    assert of_program(weaken, never_succeeds) == {(7, "compare_exchange", "it never succeeds")}
    both = two_threads("std::atomic<int> claimed;", claim.format(0), claim.format(0))
    assert of_program(weaken, both) == set()


def test_a_spin_that_reads_both_values_is_not_said_to_read_one(weaken: Weaken) -> None:
    source = two_threads("std::atomic<int> up;", "up = 1; up = 2;", "while (up.load() == 0) {}")
    assert of_program(weaken, source) == set()


def test_what_static_constructors_do_is_not_said_never_to_be_done(weaken: Weaken) -> None:
    early = "std::atomic<int> x; struct early { early() { x = 1; } ~early() { x = 2; } } e;"
    told = of_program(weaken, two_threads(early, "x = 3;", ""))
    assert {(line, why) for line, _, why in told} == {(4, NEVER_REACHED)} and len(told) == 1


def test_of_copies_that_were_inlined_one_that_fails_is_enough(weaken: Weaken) -> None:
    once = (
        "std::atomic<int> a, b; inline void claim(std::atomic<int>& word, int& free) "
        "{ word.compare_exchange_strong(free, 2); }"
    )
    two_words = two_threads(once, "int f = 0; claim(a, f);", "int f = 1; claim(b, f);")
    assert of_program(weaken, two_words) == set()


def test_attempts_that_never_fail_and_waits_that_never_sleep_are_told(weaken: Weaken) -> None:
    includes = "#include <linux/futex.h>\n#include <mutex>\n#include <sys/syscall.h>\n"
    more = includes + "#include <semaphore.h>\n#include <unistd.h>\n"
    objects = "std::mutex one, two; int word = 1; sem_t s;"
    attempt = "if ({0}.try_lock()) {0}.unlock();"
    wait = " syscall(SYS_futex, &word, FUTEX_WAIT, {}, 0, 0, 0);"
    source = more + two_threads(
        objects,
        attempt.format("one") + wait.format(0),
        attempt.format("one") + "\n sem_init(&s, 0, 1); sem_trywait(&s);\n" + attempt.format("two"),
    )
    assert of_program(weaken, source) == {
        (12, "wait", "nobody ever sleeps there"),
        (15, "try_wait", "it never fails"),
        (16, "try_lock", "it never fails"),
    }
    sleeps = more + two_threads(
        "std::atomic<int> word;",
        "syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);",
        "word.store(1); syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);",
    )
    assert of_program(weaken, sleeps) == set()


def test_a_load_that_always_reads_the_same_is_told(weaken: Weaken) -> None:
    source = two_threads("std::atomic<int> full, x;", "if (full.load()) x = 1;", "x.store(2);")
    assert (7, "load", "it always reads 0") in of_program(weaken, source)
    changed = source.replace("x.store(2);", "full.store(1);")
    assert (7, "load", NOT_OVERWRITTEN) in of_program(weaken, changed)
    again = source.replace("x.store(2);", "full.store(1); full.store(0);")
    assert not any(operation == "load" for _, operation, _ in of_program(weaken, again))


@pytest.mark.parametrize("cc", ["gcc", "clang-14"])
def test_where_everything_is_covered_nothing_is_said(tmp_path: Path, cc: str) -> None:
    source = two_threads(*LOCK).replace("join();", "join(); assert(count == 2 && word == 0);")
    (tmp_path / "lock.cpp").write_text(source)
    done = fencepost("weaken", "--no-costs", "--cc", cc, "lock.cpp", cwd=tmp_path)
    assert done.returncode == 0 and "proven: lock.cpp" in done.stdout
    assert TITLE not in done.stdout and "no execution comes" not in done.stdout


def test_what_was_there_before_the_thread_is_no_message(weaken: Weaken) -> None:
    source = two_threads("int setting; std::atomic<int> x;", "x = setting;", "x = 1;")
    assert of_program(weaken, source.replace("  std::thread", "setting = 3; std::thread")) == set()


def test_a_message_that_is_given_back_is_not_told(weaken: Weaken) -> None:
    taken = "if (int* got = box.exchange(nullptr)) {{ assert(*got == 1);{} }}"
    globals_ = "std::atomic<int*> box; std::atomic<int> x;"
    given = "box.store(new int(1));"
    kept = two_threads(globals_, taken.format(""), given)
    assert of_program(weaken, kept) == {(7, "read", NOT_OVERWRITTEN)}
    freed = two_threads(globals_, taken.format(" delete got;"), given)
    assert of_program(weaken, freed) == set()


def test_the_list_is_short_and_stands_above_the_changes(tmp_path: Path) -> None:
    never = "".join(f"if (argc > {n}) y.fetch_add({n});\n" for n in range(5, 18))
    source = two_threads("std::atomic<int> x, y;", never, "x.store(1);")
    (tmp_path / "many.cpp").write_text(source)
    done = fencepost("weaken", "--no-costs", "many.cpp", cwd=tmp_path)
    lines = done.stdout.splitlines()
    (title,) = (n for n, line in enumerate(lines) if TITLE in line)
    assert all("no execution comes to it" in line for line in lines[title + 1 : title + 11])
    assert lines[title + 11].strip() == "and 3 more"
    assert title + 11 < next(n for n, line in enumerate(lines) if "→" in line)
    assert sum("no execution comes" in line for line in lines) == 10


def test_where_the_program_was_not_explored_as_a_whole_it_is_null(weaken: Weaken) -> None:
    _, result = weaken({"program.cpp": REUSED}, "--needed")
    assert (result["verdict"], result["not_covered"]) == ("needed", None)


@pytest.mark.parametrize("example", ["too_strong", "ring_never_reused"])
def test_the_documented_output_is_what_is_printed(example: str) -> None:
    command = f"./fencepost weaken examples/checker/{example}.cpp\n"
    page = (ROOT / "docs" / "checker" / "weaken.md").read_text()
    shown = page.split(command, 1)[1].split("```")[2]
    done = fencepost("weaken", "--no-costs", f"examples/checker/{example}.cpp")
    rest = done.stdout
    for line in (line.strip() for line in shown.splitlines()):
        if line in ("", "…") or line.startswith("saves"):  # which compilers are here
            continue
        before, found, rest = rest.partition(line)
        assert found, f"no {line!r} in {before!r}"
