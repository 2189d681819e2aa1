# SPDX-License-Identifier: MIT
"""Instructions of real compilers, and what the argument says of them."""

import pytest
from fencepost.asm.listing import Listing, disassemble, parse_listing
from fencepost.asm.protocols import SUBJECTS
from fencepost.asm.targets import STUDIED, Target

pytestmark = pytest.mark.matrix(3)

SUBJECT = SUBJECTS["event-mutex"]
BY_TARGET = {target.id: target for target in STUDIED}


def _listing(protocol: str, target: Target, function: str) -> Listing:
    if not target.present:
        pytest.skip(f"no {target.compiler} for {target.processor} here")
    (one,) = [p for p in SUBJECT.protocols() if p.id == protocol]
    return disassemble(SUBJECT.directory / "instructions.cpp", target, one.flags())[function]


def _texts(listing: Listing) -> list[str]:
    return [one.text for one in listing.instructions]


def test_objdump_is_read_without_padding_and_with_the_names_of_callees() -> None:
    listings = parse_listing(
        "\n"
        "0000000000000010 <leave>:\n"
        "  10:\txor    %eax,%eax\n"
        "  12:\txchg   %al,(%rdi)\n"
        "  14:\tmfence \n"
        "  17:\tlock cmpxchg %cl,0x1(%rdi)\n"
        "  1b:\tjne    20 <leave+0x10>\n"
        "  1d:\tjmp    22 <leave+0x12>\n"
        "\t\t\t1e: R_X86_64_PLT32\tn::m<a, b>::wake()-0x4\n"
        "  20:\tret    \n"
        "  21:\tnopl   0x0(%rax)\n"
    )
    leave = listings["leave"]
    assert _texts(leave)[4:] == ["jne 0x10", "jmp wake()", "ret"]
    assert leave.atomics == ["xchg", "mfence", "cmpxchg"]
    assert leave.instructions[1].offset == 2


@pytest.mark.parametrize(
    ("text", "atomic"),
    [
        ("ldarb w0, [x0]", True),
        ("stlrb wzr, [x0]", True),
        ("ldaxrb w1, [x0]", True),
        ("stlxr w1, w2, [x0]", True),
        ("casalb w1, w2, [x0]", True),
        ("swpal w1, w2, [x0]", True),
        ("dmb ishld", True),
        ("ldrb w1, [x0]", False),
        ("str w1, [x0]", False),
        ("strb w1, [x0]", False),
        ("stp x29, x30, [sp, #-16]!", False),
        ("cbnz w1, 0x10", False),
        ("xchg %ax,%bx", False),
    ],
)
def test_what_orders_memory_is_picked_out(text: str, atomic: bool) -> None:
    listings = parse_listing(f"0000000000000000 <f>:\n   0:\t{text}\n")
    assert bool(listings["f"].atomics) is atomic


@pytest.mark.parametrize("target", ["x86-64-gcc", "x86-64-clang"])
def test_removing_the_fence_changes_nothing_on_x86(target: str) -> None:
    trunk = _listing("trunk", BY_TARGET[target], "leave")
    assert _texts(trunk) == _texts(_listing("fence_removed", BY_TARGET[target], "leave"))
    assert "xchg" in trunk.atomics


@pytest.mark.matrix(3)
@pytest.mark.parametrize("target", ["aarch64-gcc", "aarch64-clang"])
def test_the_fence_of_trunk_is_a_barrier_on_aarch64(target: str) -> None:
    assert "dmb" in _listing("trunk", BY_TARGET[target], "leave").atomics
    assert "dmb" not in _listing("fence_removed", BY_TARGET[target], "leave").atomics


@pytest.mark.matrix(3)
@pytest.mark.parametrize("target", ["aarch64-gcc", "aarch64-clang"])
def test_solution_1_costs_on_aarch64_what_the_first_patch_does(target: str) -> None:
    solution = _listing("solution_1", BY_TARGET[target], "leave")
    assert _texts(solution) == _texts(_listing("first_patch_valid", BY_TARGET[target], "leave"))


@pytest.mark.parametrize("target", ["x86-64-gcc", "x86-64-clang"])
def test_the_first_patch_frees_the_lock_by_a_plain_store_on_x86(target: str) -> None:
    first = _listing("first_patch_valid", BY_TARGET[target], "leave")
    assert first.atomics == []


def _straight(listing: Listing) -> list[str]:
    """What runs where every branch is decided as the compiler was told to expect."""
    return _texts(listing)[: _texts(listing).index("ret") + 1]


@pytest.mark.parametrize("target", ["x86-64-gcc", "x86-64-clang"])
def test_asymmetric_fences_unlock_by_a_store_two_loads_and_no_barrier_on_x86(target: str) -> None:
    leave = _listing("asymmetric", BY_TARGET[target], "leave")
    straight = _straight(leave)
    assert len(straight) == 8  # store, strategy: load, test, branch; flag: the same; ret
    assert not any(text.startswith(("xchg", "lock", "mfence")) for text in straight)
    # For kernels without membarrier, and out of the way.
    assert len(leave.atomics) == 1
    assert any(barrier in " ".join(_texts(leave)) for barrier in ("lock or", "mfence"))


@pytest.mark.matrix(5)
@pytest.mark.parametrize("target", STUDIED, ids=[target.id for target in STUDIED])
def test_the_slow_paths_are_out_of_line(target: Target) -> None:
    for function, slow in (("enter", "lock_slowly"), ("leave", "wake_everybody")):
        listing = _listing("solution_2", target, function)
        assert any(slow in text for text in _texts(listing))
        assert listing.count <= 16
