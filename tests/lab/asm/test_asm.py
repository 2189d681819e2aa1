# SPDX-License-Identifier: MIT
"""`fencepost asm` with real compilers and disassemblers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fencepost.asm.examined import Examined, Subject, examine
from fencepost.asm.listing import Listing
from fencepost.asm.mapping import judge
from fencepost.asm.parts import judge_functions
from fencepost.asm.subjects import bare, protocol_subjects
from fencepost.asm.targets import TARGETS, Target, chosen_targets, targets_by_id
from fencepost.asm.text import difference
from fencepost.console.input_error import UnusableInput
from scripted import Run

pytestmark = pytest.mark.matrix(5)

Write = Callable[[str, str], Path]

OPERATIONS = """
extern "C" {
int load(int* p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
void store(int* p) { __atomic_store_n(p, 1, __ATOMIC_SEQ_CST); }
int exchange(int* p) { return __atomic_exchange_n(p, 1, __ATOMIC_ACQ_REL); }
int add(int* p) { return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }
void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
bool cas(int* p, int e) {
  return __atomic_compare_exchange_n(p, &e, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
}
"""

SHAPES = """#include <atomic>
namespace queue {
template <class T>
struct ring {
  std::atomic<T> head;
  T pop(T by) { return head.fetch_add(by, std::memory_order_acq_rel); }
};
template int ring<int>::pop(int);
std::atomic<int> flag;
static void hidden() { flag.store(1, std::memory_order_release); }
void push(int) { hidden(); }
void push(long v) {
  while (flag.exchange(1, std::memory_order_acquire)) {}
  flag.store(v, std::memory_order_relaxed);
}
int plain(int a) { return a + 1; }
}  // namespace queue
"""


def _examined(source: Path, target: str) -> dict[str, Examined]:
    (found,) = targets_by_id(target)
    if not found.present:
        pytest.skip(found.missing())
    return {one.function: one for one in examine(Subject(source), found, [])}


def _objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize("target", TARGETS, ids=[target.id for target in TARGETS])
def test_every_operation_is_found_in_the_code_of_every_compiler(
    target: Target, write: Write
) -> None:
    found = _examined(write("operations.cpp", OPERATIONS), target.id)
    kinds = {name: [op.operation.kind for op in one.operations] for name, one in found.items()}
    assert kinds == {
        "load": ["load"],
        "store": ["store"],
        "exchange": ["exchange"],
        "add": ["fetch_add"],
        "fence": ["fence"],
        "cas": ["compare_exchange"],
    }
    assert all(one.memory(one.operations[0]) for one in found.values())


EXPECTED = {
    "x86-64-gcc": ["mov", "xchg", "xchg", "lock xadd", "lock orq", "lock cmpxchg"],
    "x86-64-clang": ["mov", "xchg", "xchg", "lock xadd", "mfence", "lock cmpxchg"],
    "aarch64-gcc": ["ldar", "stlr", "ldaxr; stlxr", "ldaxr; stlxr", "dmb ish", "ldaxr; stlxr"],
    "aarch64-lse-clang": ["ldar", "stlr", "swpal", "ldaddal", "dmb ish", "casal"],
    "ppc64le-gcc": [
        "hwsync; lwz; isync",
        "hwsync; stw",
        "lwsync; lwarx; stwcx.; isync",
        "hwsync; lwarx; stwcx.; isync",
        "hwsync",
        "lwsync; lwarx; stwcx.; isync",
    ],
}


@pytest.mark.parametrize("target", EXPECTED)
def test_the_instructions_are_those_of_the_mapping(target: str, write: Write) -> None:
    found = _examined(write("operations.cpp", OPERATIONS), target)
    said = ["; ".join(one.memory(one.operations[0])) for one in found.values()]
    assert said == EXPECTED[target]
    assert not any(one.faulty for one in found.values())


def _weakened(listing: Listing) -> Listing:
    """Without fences and annotations."""
    made = []
    for one in listing.instructions:
        text = re.sub(r"^(lr|sc|amo\w+)(\.[wd])\.(?:aq|rl|aqrl)\b", r"\1\2", one.text)
        text = re.sub(r"^ldar", "ldr", re.sub(r"^stlr", "str", text))
        text = re.sub(r"^(swp|ldadd|cas)al", r"\1", text)
        text = re.sub(r"^stlxr", "stxr", re.sub(r"^ldaxr", "ldxr", text))
        text = re.sub(r"^(?:fence|dmb|hwsync|lwsync|isync|mfence|lock or).*", "nothing", text)
        text = re.sub(r"^(__aarch64_\w+\d)_(?:acq_rel|sync)", r"\1_relax", text)
        made.append(replace(one, text=re.sub(r"^xchg", "mov", text)))
    return replace(listing, instructions=tuple(made))


@pytest.mark.parametrize("target", [one.id for one in TARGETS if one.family != "x86"])
def test_what_a_compiler_puts_in_for_an_order_is_missed_when_it_is_gone(
    target: str, write: Write
) -> None:
    for name, one in _examined(write("operations.cpp", OPERATIONS), target).items():
        if "outline" in target and name in ("exchange", "add", "cas"):
            continue
        judged = judge(_weakened(one.listing), one.target.family, list(one.operations))
        assert judged[0].faults, name


def test_a_store_that_is_no_exchange_is_missed_on_x86(write: Write) -> None:
    one = _examined(write("operations.cpp", OPERATIONS), "x86-64-gcc")["store"]
    (judged,) = judge(_weakened(one.listing), "x86", list(one.operations))
    assert "not seq_cst" in judged.faults[0]


CAS = """
#include <atomic>
bool cas(std::atomic<int>& x, int e) {{
  return x.compare_exchange_strong(e, 1, std::memory_order_{}, std::memory_order_{});
}}
"""


@pytest.mark.parametrize(
    ("target", "success", "failure", "fault"),
    [
        ("riscv64-gcc", "release", "relaxed", "no release"),
        ("riscv64-gcc", "acq_rel", "relaxed", "no release"),
        ("riscv64-gcc", "acq_rel", "relaxed", "no acquire when it succeeds"),
        ("ppc64le-gcc", "release", "acquire", "no acquire when it fails"),
    ],
)
def test_miscompiled_compare_exchanges_of_gcc_12_are_found_in_its_code(
    target: str, success: str, failure: str, fault: str, write: Write
) -> None:
    (one,) = _examined(write("cas.cpp", CAS.format(success, failure)), target).values()
    version = one.to_json()["compiler"]
    if ") 12." not in version:
        pytest.skip(f"another gcc: {version}")
    assert any(fault in each for each in one.operations[0].faults)
    assert "cas.cpp:4" in one.to_json()["operations"][0]["location"]


@pytest.mark.parametrize("target", ["riscv64-clang", "ppc64le-clang", "aarch64-gcc", "x86-64-gcc"])
@pytest.mark.parametrize(("success", "failure"), [("release", "relaxed"), ("release", "acquire")])
def test_the_same_by_other_compilers_is_not_reported(
    target: str, success: str, failure: str, write: Write
) -> None:
    (one,) = _examined(write("cas.cpp", CAS.format(success, failure)), target).values()
    assert not one.faulty


OFFSETS = """
#include <atomic>
std::atomic<int> words[4];
std::atomic<char> letters[4];
std::atomic<short> halves[4];
void store() { words[1].store(1, std::memory_order_release); }
void seq_cst() { words[2].store(1); }
void letter() { letters[1].store(1, std::memory_order_release); }
int half() { return halves[1].load(std::memory_order_acquire); }
"""


@pytest.mark.parametrize("target", ["aarch64-gcc", "aarch64-clang"])
def test_ordered_accesses_with_an_offset_are_ordered(target: str, write: Write) -> None:
    (found,) = targets_by_id(target)
    if not found.present:
        pytest.skip(found.missing())
    subject = Subject(write("offsets.cpp", OFFSETS))
    for one in examine(subject, found, ["-march=armv8.4-a"]):
        counts = one.counts()
        assert not one.faulty and not one.operations[0].not_judged
        assert counts["ordered_loads"] + counts["ordered_stores"] == 1
        assert one.notes()


PLACES = """
#include <atomic>
thread_local std::atomic<int> own;
void relaxed() { own.store(1, std::memory_order_relaxed); }
void seq_cst() { own.store(1); }
void address() { reinterpret_cast<std::atomic<int>*>(0x1000)->store(1); }
"""


@pytest.mark.parametrize("target", ["x86-64-gcc", "x86-64-clang"])
def test_an_exchange_with_memory_that_needs_no_register_is_seen(target: str, write: Write) -> None:
    everything = _examined(write("places.cpp", PLACES), target)
    relaxed, *ordered = (everything[f"{one}()"] for one in ("relaxed", "seq_cst", "address"))
    assert relaxed.memory(relaxed.operations[0]) == ["movl"]
    for one in ordered:
        assert one.memory(one.operations[0]) == ["xchg"]
        assert one.counts()["read_modify_writes"] == 1
    assert difference(relaxed, ordered[0]) == (["movl"], ["xchg"])


PAIRS = """
#include <atomic>
struct alignas(16) Pair { long a, b; };
std::atomic<Pair> pair;
struct Three { int a, b, c; };
std::atomic<Three> three;
Pair load() { return pair.load(std::memory_order_acquire); }
void store(Pair v) { pair.store(v, std::memory_order_release); }
void store_three(Three v) { three.store(v); }
bool cas(Pair& e, Pair v) {
  return pair.compare_exchange_strong(e, v, std::memory_order_acq_rel, std::memory_order_acquire);
}
"""


@pytest.mark.parametrize("target", ["x86-64-gcc", "x86-64-clang", "riscv64-clang"])
def test_calls_of_libatomic_are_operations_that_are_not_judged(target: str, write: Write) -> None:
    found = _examined(write("pairs.cpp", PAIRS), target)
    assert [one.operations[0].operation.words for one in found.values()] == [
        "load acquire",
        "store release",
        "store seq_cst",
        "compare_exchange acq_rel/acquire",
    ]
    for one in found.values():
        (operation,) = one.operations
        assert re.match(r"call __atomic_\w+$", one.memory(operation)[0])
        assert operation.not_judged == "what the library does is not seen"


MERGED = """
#include <atomic>
std::atomic<char> count;
std::atomic<double> number;
bool last() { return count.fetch_sub(1, std::memory_order_acq_rel) == 1; }
double value() { return number.load(); }
"""


@pytest.mark.parametrize("target", ["x86-64-gcc", "x86-64-clang", "aarch64-clang"])
def test_an_instruction_made_of_an_operation_and_what_is_beside_it_is_found(
    target: str, write: Write
) -> None:
    found = _examined(write("merged.cpp", MERGED), target)
    for one in found.values():
        (operation,) = one.operations
        assert one.memory(operation), one.function
        assert not operation.faults


def test_an_instruction_that_is_not_known_is_named(fencepost: Run, write: Write) -> None:
    source = write(
        "unknown.cpp",
        "void f(int* p) {\n"
        '  asm volatile(".inst 0x19207800" ::: "memory");\n'
        "  __atomic_store_n(p, 1, __ATOMIC_RELEASE);\n"
        "}\n",
    )
    done = fencepost("asm", source, "--target", "aarch64-gcc")
    if "apt install" in done.stderr:
        pytest.skip(done.stderr)
    if ".inst" not in done.stdout:
        pytest.skip("another objdump, which knows it")
    words = "not judged: it is not known what '.inst 0x19207800' does to memory"
    assert f"unknown.cpp:3  [store release] {words}" in done.stdout
    assert done.returncode == 0
    done = fencepost("asm", source, "--target", "aarch64-gcc,aarch64-lse-gcc")
    assert re.search(r"stlr  not judged$", done.stdout, re.MULTILINE)


NOT_FOUND = ("no instruction", "no instruction that does it was found")
BRANCHED = """
#include <atomic>
std::atomic<int> x;
std::atomic<long> y;
int before, words[8];
void throws();
__attribute__((cold)) void rare();
void choose(int k) {
  before = k;
  switch (k) {
    case 0: words[1] = 1; x.store(1, std::memory_order_release); return;
    case 1: words[2] = 3; x.store(4, std::memory_order_release); words[4] = 1; return;
    case 2: words[0] = 5; x.store(9, std::memory_order_release); words[5] = 3; return;
    case 3: words[7] = 7; x.store(7, std::memory_order_release); words[6] = 2; return;
    case 4: words[3] = 8; x.store(2, std::memory_order_release); words[1] = 5; return;
    case 5: words[5] = 4; x.store(5, std::memory_order_release); words[2] = 7; return;
    case 6: words[6] = 2; x.store(3, std::memory_order_release); words[3] = 9; return;
  }
}
void caught() {
  try { throws(); } catch (...) {
    before = 3;
    x.store(1, std::memory_order_release);
  }
}
int split(int e) {
  if (__builtin_expect(e > 5, 0)) {
    rare();
    before = 2;
    x.store(1, std::memory_order_release);
  }
  return before;
}
void choose_label(bool first) {
  void* label = first ? &&one : &&two;
  asm volatile("" : "+r"(label));
  goto* label;
one:
  words[1] = 1;
  x.store(1, std::memory_order_release);
  return;
two:
  words[2] = 2;
  y.store(2, std::memory_order_release);
}
"""


@pytest.mark.parametrize("target", [one.id for one in TARGETS if "-l" not in one.id])
def test_tables_exceptions_labels_and_rare_parts_are_reached(target: str, write: Write) -> None:
    everything = _examined(write("branched.cpp", BRANCHED), target)
    for name in ("choose(int)", "caught()", "split(int)", "choose_label(bool)"):
        parts = [one for key, one in everything.items() if key.split(" ")[0] == name]
        operations = [each for one in parts for each in one.operations]
        assert not any(one.faulty for one in parts)
        # Clang merges what cases end with, and leaves one line of several.
        judged_at_all = [one for one in operations if not one.not_judged]
        assert judged_at_all
        assert {one.not_judged for one in operations} <= {"", *NOT_FOUND}
        if "x86" in target:
            continue
        judged = judge_functions(
            [_weakened(one.listing) for one in parts],
            parts[0].target.family,
            [[replace(each, faults=()) for each in one.operations] for one in parts],
        )
        faulty = [each for one in judged for each in one if each.faults]
        assert len(faulty) == len(judged_at_all), name


def test_a_miscompiled_operation_in_a_switch_is_found(fencepost: Run, write: Write) -> None:
    cas = "x.compare_exchange_strong(e, {0}, std::memory_order_release, std::memory_order_relaxed)"
    case = f"case {{0}}: words[{{0}}] = 1; return {cas};"
    source = write(
        "switch.cpp",
        "#include <atomic>\nstd::atomic<int> x;\nint words[9];\nvoid throws();\n"
        "bool choose(int k, int e) {\n  switch (k) {\n"
        + "\n".join(case.format(number) for number in range(7))
        + "\n  }\n  return false;\n}\n"
        "bool caught(int e) {\n"
        f"  try {{ throws(); }} catch (...) {{ words[0] = 1; return {cas.format(1)}; }}\n"
        "  return false;\n}\n",
    )
    done = fencepost("asm", source, "--target", "riscv64-gcc")
    if "apt install" in done.stderr or "sc.w.rl" in done.stdout:
        pytest.skip("another gcc, or none")
    assert done.returncode == 1
    wrong = set(re.findall(r"WRONG switch.cpp:(\d+)", done.stdout))
    assert wrong == {str(line) for line in (*range(7, 14), 18)}


def test_a_wrong_order_is_printed_and_the_status_is_1(fencepost: Run, write: Write) -> None:
    source = write("cas.cpp", CAS.format("release", "relaxed"))
    done = fencepost("asm", source, "--target", "riscv64-gcc")
    if "apt install" in done.stderr or "sc.w.rl" in done.stdout:
        pytest.skip("another gcc, or none")
    assert done.returncode == 1
    assert "WRONG cas.cpp:4: compare_exchange release/relaxed" in done.stdout
    assert "no release: 'sc.w" in done.stdout


def test_a_listing_has_lines_loops_and_what_was_inlined(fencepost: Run, write: Write) -> None:
    done = fencepost("asm", write("shapes.cpp", SHAPES), "-f", "push", "-t", "x86-64-gcc")
    assert done.returncode == 0
    assert "\033" not in done.stdout  # no colours but on a terminal
    assert "queue::push(int)" in done.stdout and "queue::push(long)" in done.stdout
    assert "shapes.cpp:10  static void hidden()" in done.stdout  # inlined into push(int)
    assert "[exchange acquire]" in done.stdout
    assert re.search(r"│\*.*xchg", done.stdout) and re.search(r"╰.*jne", done.stdout)
    assert re.search(r"xchg +exchange with memory: .* full barrier", done.stdout)


FIRST = """
#include <atomic>
std::atomic<int> word;
bool take(int seen) {
  return word.compare_exchange_strong(seen, 1, std::memory_order_release,
                                      std::memory_order_relaxed);
}
template <class T>
struct box {
  std::atomic<T> value;
  __attribute__((noinline)) bool set(T seen) {
    return value.compare_exchange_strong(seen, 1, std::memory_order_release,
                                         std::memory_order_relaxed);
  }
};
bool set(box<int>& one) { return one.set(3); }
"""


@pytest.mark.parametrize("target", TARGETS, ids=[target.id for target in TARGETS])
def test_an_operation_is_told_of_the_line_that_calls_it_first_in_a_section_too(
    target: Target, write: Write
) -> None:
    everything = _examined(write("first.cpp", FIRST), target.id)
    for function, line in (("take(int)", 5), ("box<int>::set(int)", 12)):
        (one,) = everything[function].operations
        site = everything[function].site_of(one)
        assert site is not None and (Path(site.file).name, site.line) == ("first.cpp", line)


def test_several_targets_are_a_table_of_operations(fencepost: Run, write: Write) -> None:
    source = write("shapes.cpp", SHAPES)
    done = fencepost("asm", source, "-f", "queue::ring<int>::pop", "-t", "aarch64,aarch64-lse")
    if done.returncode == 2:
        pytest.skip(done.stderr)
    assert "AArch64 gcc clang       ldaxr; stlxr" in done.stdout
    assert "AArch64 v8.1 gcc clang  ldaddal" in done.stdout


def test_json_is_an_object_a_function_and_target(fencepost: Run, write: Write) -> None:
    done = fencepost("asm", write("shapes.cpp", SHAPES), "--json", "-t", "x86-64-gcc")
    found = {one["function"]: one for one in _objects(done.stdout)}
    assert set(found) == {"queue::ring<int>::pop(int)", "queue::push(int)", "queue::push(long)"}
    one = found["queue::push(long)"]
    assert one["target"] == "x86-64-gcc" and one["counts"]["read_modify_writes"] == 1
    assert [op["order"] for op in one["operations"]] == ["acquire", "relaxed"]
    (xchg,) = [each for each in one["instructions"] if each["text"].startswith("xchg")]
    assert xchg["orders_memory"] and xchg["operation"] == 0
    assert xchg["location"].endswith("shapes.cpp:13") and len(one["loops"]) == 1


def test_two_functions_and_two_compilers_stand_side_by_side(fencepost: Run, write: Write) -> None:
    source = write("operations.cpp", OPERATIONS)
    done = fencepost("asm", source, "--diff", "load", "store", "-t", "x86-64-gcc")
    assert "x86-64 gcc: only load: mov; only store: xchg" in done.stdout
    assert re.search(r"mov \(%rdi\),%eax +\| ", done.stdout)
    done = fencepost("asm", source, "--diff", "gcc", "clang", "-t", "x86-64", "-f", "fence")
    if done.returncode == 0:
        assert "only x86-64 gcc: lock orq; only x86-64 clang: mfence" in done.stdout


FENCES = """
#include <atomic>
std::atomic<int> flag;
int data;
int none() { flag.store(1, std::memory_order_relaxed); return data; }
int intrinsic() { flag.store(1, std::memory_order_relaxed); FENCE; return data; }
int assembly() {
  flag.store(1, std::memory_order_relaxed);
  asm volatile(TEXT ::: "memory", "cc");
  return data;
}
"""


@pytest.mark.parametrize(
    ("target", "intrinsic", "text", "only"),
    [
        ("x86-64", "__builtin_ia32_mfence()", "lock; addl $0,-4(%%rsp)", ["mfence", "lock addl"]),
        ("aarch64", 'asm volatile("dmb ishld" ::: "memory")', "dmb ish", ["dmb ishld", "dmb ish"]),
    ],
)
def test_a_difference_names_fences_that_are_no_operation(
    target: str, intrinsic: str, text: str, only: list[str], fencepost: Run, write: Write
) -> None:
    source = write("fences.cpp", FENCES.replace("FENCE", intrinsic).replace("TEXT", f'"{text}"'))
    for name, instruction in zip(("intrinsic", "assembly"), only, strict=True):
        asked = ("asm", source, "--diff", "none", name, "-t", f"{target}-gcc")
        done = fencepost(*asked)
        if "apt install" in done.stderr:
            pytest.skip(done.stderr)
        assert f"only {name}: {instruction}\n" in done.stdout
        (pair,) = _objects(fencepost(*asked, "--json").stdout)
        assert pair["only"] == [[], [instruction]]


def test_the_orders_of_the_argument_compile_as_it_says(fencepost: Run) -> None:
    if not protocol_subjects():
        pytest.skip("no study here")
    done = fencepost("asm", "--diff", "exit_old", "exit_optimized", "-c", "gcc", "--json")
    if done.returncode != 0:
        pytest.skip(done.stderr)
    by_target = {one["a"]["target"]: one for one in _objects(done.stdout)}
    assert by_target["x86-64-gcc"]["same"]
    assert by_target["aarch64-gcc"]["only"] == [["dmb ishld"], []]
    done = fencepost("asm", "--diff", "exit_optimized", "exit_proposed", "-c", "gcc", "--json")
    by_target = {one["a"]["target"]: one for one in _objects(done.stdout)}
    assert by_target["aarch64-gcc"]["same"] and not by_target["x86-64-gcc"]["same"]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["shapes.cpp", "-f", "psh"], 3, "did you mean 'push'?"),
        (["shapes.cpp", "-f", "hidden"], 3, "it was inlined, into queue::push(int)"),
        (["shapes.cpp", "-f", "("], 3, "is no regular expression"),
        (["shapes.cpp", "-t", "aarch46"], 3, "did you mean 'aarch64'?"),
        (["shapes.cpp", "--diff", "push", "plain"], 3, "'push' is several functions"),
        (["shapes.cpp", "--diff", "plain", "plane"], 3, "did you mean 'plain'?"),
        (["nowhere.cpp"], 3, "no such file"),
        (["header.hpp"], 3, "not a C or C++ source file"),
        (["broken.cpp"], 3, "error:"),
        (["unused.c"], 3, "__attribute__((used))"),
        (["quiet.c"], 3, "no function has an atomic operation or a fence; there are: one"),
        (["broken.cpp", "shapes.cpp"], 2, "not compiled: broken.cpp"),
        (["shapes.cpp", "-f", "plain", "-f", "absent"], 2, "there is no function 'absent'"),
        (["--protocol", "exit_olt"], 3, "'exit_old'"),
        ([], 3, "nothing to compile"),
    ],
)
def test_bad_input_is_said_in_words(
    arguments: list[str], status: int, words: str, fencepost: Run, write: Write
) -> None:
    write("shapes.cpp", SHAPES)
    write("header.hpp", "int one();\n")
    write("broken.cpp", "int main( {\n")
    write("unused.c", "static inline int one(void) { return 1; }\n")
    write("quiet.c", "int one(void) { return 1; }\n")
    chosen = [] if "-t" in arguments else ["-t", "x86-64-gcc"]
    done = fencepost("asm", *arguments, *chosen)
    assert done.returncode == status
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_what_compilers_say_is_short_where_there_are_several(fencepost: Run, write: Write) -> None:
    write("shapes.cpp", SHAPES)
    write("broken.cpp", "\n".join(f"int n{n}() {{ return absent_{n}; }}" for n in range(100)))
    whole = fencepost("asm", "broken.cpp", "-t", "x86-64-gcc").stderr.splitlines()
    assert len(whole) > 50 and not any("lines more" in line for line in whole)
    several = fencepost("asm", "broken.cpp", "shapes.cpp", "-t", "x86-64-gcc,x86-64-clang")
    assert several.returncode == 2
    lines = several.stderr.splitlines()
    assert len(lines) == 2 * 21
    assert lines[20].endswith("lines more; all: --target x86-64-gcc)")


def test_functions_are_named_in_the_ways_people_name_them() -> None:
    assert bare("queue::push(long)") == "queue::push"
    assert bare("int queue::ring<int>::pop<long>(int) const") == "queue::ring<int>::pop<long>"
    assert bare("f() [clone .cold]") == "f"
    assert bare("main") == "main"


def test_a_target_is_a_processor_or_one_of_its_compilers() -> None:
    assert [one.id for one in chosen_targets(["riscv64"], None)] == ["riscv64-gcc", "riscv64-clang"]
    assert [one.id for one in chosen_targets(["riscv64"], "gcc")] == ["riscv64-gcc"]
    assert [one.id for one in chosen_targets(["riscv64-clang"], None)] == ["riscv64-clang"]
    assert len(chosen_targets([], None)) == len(TARGETS)
    with pytest.raises(UnusableInput):
        chosen_targets(["riscv64-clang"], "gcc")


def test_a_compiler_that_is_not_here_is_named_with_its_package() -> None:
    (target,) = targets_by_id("riscv64-gcc")
    words = replace(target, command=("riscv64-none-g++",)).missing()
    assert words == "riscv64 gcc: no riscv64-none-g++ here; apt install g++-riscv64-linux-gnu"
