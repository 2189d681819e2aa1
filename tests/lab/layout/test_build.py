# SPDX-License-Identifier: MIT
"""Code that was moved lies where it was to lie: read from the executables, which still do what they
did."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from fencepost.binary.object_symbols import symbols
from fencepost.console.input_error import UnusableInput
from fencepost.layout.assembly import LOOP, MACHINES, MARK, PLACES, Assembly, Padding
from fencepost.layout.build import Builder, Built, Layout, Program, address_of, check_moved

#: A loop within a loop; gcc puts the rare part at the end, from where it jumps back.
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) long moved(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    if (__builtin_expect(i == 7, 0)) printf("seven\\n");
    for (long j = 0; j < i; ++j) { sum += j ^ i; __asm__ volatile("" : "+r"(sum)); }
  }
  return sum;
}
__attribute__((noinline)) long other(long n) { return n * 3 + 1; }
int main(void) { printf("%ld\\n", moved(20) + other(1)); }
"""

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason="not here"))
    for name in ("g++", "clang++-14", "aarch64-linux-gnu-g++")
]

Write = Callable[[str, str], Path]


def workshop(tmp_path: Path, write: Write, compiler: str = "g++", *flags: str) -> Builder:
    program = Program("program", (write("program.c", SOURCE),), flags, compiler)
    return Builder(program, tmp_path / "built")


def output(built: Built) -> str:
    done = subprocess.run(
        [str(built.executable)], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_padding_moves_the_place_by_so_many_bytes(
    tmp_path: Path, write: Write, compiler: str, at: str
) -> None:
    shop = workshop(tmp_path, write, compiler)
    layouts = [Layout(Padding(at, "moved", size, 128)) for size in (0, 4, 60, 64, 124)]
    shop.prepare(layouts)
    built = [shop.build(layout) for layout in layouts]
    check_moved(built)
    places = [one.address % 128 for one in built if one.address is not None]
    assert [(place - places[0]) % 128 for place in places] == [0, 4, 60, 64, 124]
    if at != LOOP:
        # By the function's own symbol, too: the mark is not all that moved.
        functions = [address_of(one.executable, "moved") for one in built]
        assert None not in functions
        if at == "function":
            assert [one.address for one in built] == functions
        else:
            assert {f % 128 for f in functions if f is not None} == {0}
    if "aarch64" not in compiler:
        assert len({output(one) for one in built}) == 1


def test_all_of_a_function_moves_with_its_entry(tmp_path: Path, write: Write) -> None:
    """The compiler's alignment of loops would swallow the shift; read from the disassembly."""

    def instructions(size: int) -> dict[int, str]:
        layout = Layout(Padding("entry", "moved", size, 128))
        shop.prepare([layout])
        made = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", str(shop.build(layout).executable)],
            capture_output=True,
            text=True,
            check=True,
        )
        body = made.stdout.partition(f"<{MARK}>:")[2].partition("\n\n")[0]
        lines = [line.split(":", 1) for line in body.splitlines() if ":" in line]
        # What follows the function's end does not belong to it.
        last = max(n for n, (_, text) in enumerate(lines) if text.split()[0] in ("ret", "jmp"))
        return {int(at, 16): text.split()[0] for at, text in lines[: last + 1]}

    shop = workshop(tmp_path, write)
    here, further = instructions(4), instructions(12)
    assert len(here) > 10
    assert further == {at + 8: name for at, name in here.items()}


def test_a_loop_can_be_chosen(tmp_path: Path, write: Write) -> None:
    shop = workshop(tmp_path, write)
    count = len(shop.assemblies[0].functions["moved"].loops)
    assert count >= 2
    bodies = set()
    for number in (1, 2):
        layout = Layout(Padding(LOOP, "moved", 4, 128, number))
        shop.prepare([layout])
        made = shop.build(layout).executable
        listing = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", str(made)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        bodies.add(listing.partition(f"<{MARK}>:")[2].partition("\n\n")[0])
    assert len(bodies) == 2
    with pytest.raises(UnusableInput, match=f"has {count} loops, and there is no loop 99"):
        shop.build(Layout(Padding(LOOP, "moved", 0, 128, 99)))
    with pytest.raises(UnusableInput, match="other has no loop"):
        shop.build(Layout(Padding(LOOP, "other", 0, 128)))


def test_a_jump_back_from_a_rare_part_is_no_loop() -> None:
    text = """\
\t.text
\t.type\tf, @function
f:
\ttestl\t%edi, %edi
\tje\t.L5
.L3:
\tmovl\t$9, %eax
.L4:
\tdecl\t%eax
\tjne\t.L4
\tret
.L5:
\tcall\trare
\tjmp\t.L3
\t.size\tf, .-f
"""
    (loop,) = Assembly(text, MACHINES["x86_64"]).functions["f"].loops
    assert loop.label == ".L4"


def test_random_placements_put_functions_in_other_orders(tmp_path: Path, write: Write) -> None:
    shop = workshop(tmp_path, write)
    layouts = [Layout(seed=seed) for seed in range(8)]
    shop.prepare(layouts)
    built = [shop.build(layout) for layout in layouts]
    orders, offsets = set(), set()
    for one in built:
        where = {s.name: s.address for s in symbols(one.executable) if s.name in ("moved", "other")}
        orders.add(where["moved"] < where["other"])
        offsets.add(where["moved"] % 64)
    assert orders == {False, True}
    assert len(offsets) > 3
    assert len({output(one) for one in built}) == 1
    assert len({layout.stack for layout in layouts}) > 4


def test_a_placement_is_the_same_each_time(tmp_path: Path, write: Write) -> None:
    found = []
    for folder in ("one", "two"):
        shop = workshop(tmp_path / folder, write)
        shop.prepare([Layout(seed=5)])
        found.append(shop.build(Layout(seed=5)).executable.read_bytes())
    assert found[0] == found[1]


def test_objects_are_linked_in_another_order(tmp_path: Path, write: Write) -> None:
    """Without sections of their own, functions lie in the order of the objects."""
    sources = tuple(write(f"{n}.c", f"long part{n}(void) {{ return {n}; }}\n") for n in range(4))
    main = write("main.c", "int main(void) { return 0; }\n")
    shop = Builder(Program("parts", (main, *sources)), tmp_path / "built")
    layouts = [Layout(seed=seed) for seed in range(6)]
    shop.prepare(layouts)
    orders = set()
    for layout in layouts:
        made = symbols(shop.build(layout).executable)
        parts = sorted((s.address, s.name) for s in made if s.name.startswith("part"))
        orders.add(tuple(name for _, name in parts))
    assert len(orders) > 3


def test_a_function_is_found_as_people_write_it(tmp_path: Path, write: Write) -> None:
    source = write(
        "names.cpp",
        "namespace { __attribute__((noinline)) int inner(int n) { return n;"
        " } } namespace deep { int outer(int n) { return inner(n); } }"
        " int main() { return deep::outer(0); }\n",
    )
    shop = Builder(Program("names", (source,)), tmp_path / "built")
    for name in ("deep::outer", "outer", "_ZN4deep5outerEi"):
        shop.prepare([Layout(Padding("entry", name, 4, 128))])
        assert shop.build(Layout(Padding("entry", name, 4, 128))).address is not None
    with pytest.raises(UnusableInput, match="no function 'deep::outre'; did you mean 'deep::out"):
        shop.prepare([Layout(Padding("entry", "deep::outre", 4, 128))])


def test_what_cannot_be_built_says_why(tmp_path: Path, write: Write) -> None:
    broken = write("broken.c", "int main(void) { return x; }\n")
    with pytest.raises(UnusableInput, match=r"(?s)broken\.c: does not compile:.*undeclared"):
        Builder(Program("broken", (broken,)), tmp_path).prepare([Layout()])
    lonely = write("lonely.c", "int absent(void); int main(void) { return absent(); }\n")
    shop = Builder(Program("lonely", (lonely,)), tmp_path)
    shop.prepare([Layout()])
    with pytest.raises(UnusableInput, match=r"(?s)cannot be linked:.*absent"):
        shop.build(Layout())
    with pytest.raises(UnusableInput, match="there is no compiler 'no-such-compiler' here"):
        Builder(Program("p", (lonely,), (), "no-such-compiler"), tmp_path).prepare([Layout()])
    with pytest.raises(UnusableInput, match="there is no such file"):
        Builder(Program("p", (tmp_path / "absent.c",)), tmp_path).prepare([Layout()])


def test_what_is_stripped_cannot_be_shown_to_have_moved(tmp_path: Path, write: Write) -> None:
    shop = workshop(tmp_path, write, "g++", "-s")
    layouts = [Layout(Padding("entry", "moved", size, 128)) for size in (0, 4)]
    shop.prepare(layouts)
    with pytest.raises(UnusableInput, match="were symbols stripped"):
        check_moved([shop.build(layout) for layout in layouts])


def test_paddings_are_whole_instructions() -> None:
    arm = MACHINES["aarch64"]
    assert arm.padding(8) == ["\t.rept 2", "\tnop", "\t.endr"]
    assert MACHINES["x86_64"].padding(5) == ["\t.nops 5"]
    assert arm.padding(0) == []


def test_a_function_and_its_cold_part_stay_one(tmp_path: Path) -> None:
    """The cold part lies in another section, between two parts of the function's text."""
    text = """\
\t.section\t.text.f,"ax",@progbits
\t.p2align 4
\t.type\tf, @function
f:
\t.cfi_startproc
\ttestl\t%edi, %edi
\tjle\t.L2
\t.section\t.text.unlikely.f
\t.type\tf.cold, @function
f.cold:
\tud2
\t.p2align 4
\t.section\t.text.f
\t.p2align 4,,10
.L2:
\tret
\t.size\tf, .-f
"""
    assembly = Assembly(text, MACHINES["x86_64"])
    padded = assembly.padded(Padding("entry", "f", 3, 128)).splitlines()
    assert padded.index("\t.nops 3") > padded.index("\t.cfi_startproc")
    assert padded.count("\t.p2align 4") == 2  # before f, and in the cold part
    assert "\t.p2align 4,,10" not in padded
