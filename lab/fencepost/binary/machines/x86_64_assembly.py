# SPDX-License-Identifier: MIT
"""What a statement of inline assembly does to memory, on x86-64 (AT&T syntax).

An instruction that accesses memory becomes a call of the runtime and the same instruction on a copy
of the word, which gives registers and flags what the processor would (checker/interface/
instrumentation/assembly_x86_64.cpp). No register changes besides.
"""

from __future__ import annotations

import re

from fencepost.binary.moved_assembly import MUST_STAY
from fencepost.console.input_error import Unsupported, UnsupportedInstruction

#: What the runtime is told to do, in the order of `Does` in
#: checker/interface/instrumentation/assembly_x86_64.cpp.
_DOES = [
    "load",
    "store",
    "exchange",
    "fetch_add",
    "fetch_sub",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
    "compare_exchange",
    "bit_set",
    "bit_reset",
    "bit_complement",
    "nonatomic_add",
    "nonatomic_sub",
    "mfence",
    "lfence",
    "sfence",
]

#: Fields of the runtime's `Access`.
_VALUE, _ADDRESS, _OPERAND, _KEPT, _DOING, _LIVE = (
    f"fencepost_assembly_access+{offset}(%rip)" for offset in (0, 16, 24, 32, 40, 44)
)
_RED_ZONE, _FLAGS, _BIT_IN_REGISTER, _ORDERS_NOTHING = (1 << bit for bit in range(16, 20))

_LEGACY = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
_SUFFIX = {"b": 1, "w": 2, "l": 4, "q": 8}


def _names() -> dict[str, tuple[int, int]]:
    """The registers by name: number, and bytes."""
    found: dict[str, tuple[int, int]] = {}
    for number, name in enumerate(_LEGACY):
        low = name[0] + "l" if name.endswith("x") else name + "l"
        for written, size in ((f"r{name}", 8), (f"e{name}", 4), (name, 2), (low, 1)):
            found[written] = (number, size)
    for number in range(8, 16):
        for suffix, size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
            found[f"r{number}{suffix}"] = (number, size)
    return found


REGISTERS = _names()
_WHOLE = {number: name for name, (number, size) in REGISTERS.items() if size == 8}

# Instructions that compute from registers, immediates and flags alone.
_PURE = re.compile(
    r"mov[bwlqd]?|movabsq?|mov[sz][bwl][wlq]|movsxd?|movzx|movslq|movsx[bwl]?|c(?:wtl|ltq|ltd|qto|btw)"
    r"|(?:add|sub|adc|sbb|and|or|xor|not|neg|inc|dec|cmp|test|imul|mul|i?div|bswap"
    r"|sh[lr]|sa[lr]|ro[lr]|rc[lr]|sh[lr]d|bs[fr]|bt[src]?|[lt]zcnt|popcnt|andn|bextr|bls(?:i|r|msk)|bzhi"
    r"|pdep|pext|rorx|sarx|shlx|shrx|mulx|crc32|adcx|adox|xchg|xadd)[bwlq]?"
    r"|(?:set|cmov)n?(?:[abcegloszp]|[abgl]e|p[eo])[wlq]?|clc|stc|cmc|lahf|sahf"
)
_JUMP = re.compile(r"j(?:mp|n?[abcegloszp]|n?[abgl]e|p[eo])")
# What is aligned is filled with `nop`; clang writes it out. gcc aligns between two statements, too.
_NOTHING = re.compile(
    r"nop[wlq]?|pause|rep nop|prefetch(?:w|wt1|nta|t[012])"
    r"|\.(?:p2|b)?align \d+(?:, ?(?:0x90)?, ?\d+|, ?0x90)?"
)
_OUTSIDE = re.compile(r"rdtscp?|rdrand|rdseed|rdpid|rdpmc|cpuid|xgetbv|sysenter|syscall|int|vmcall")
_READS = re.compile(r"(?:add|sub|adc|sbb|and|or|xor|cmp|test|imul)([bwlq])?|mov([bwlq])?")
_EXTENDS = re.compile(r"mov[sz]([bwl])[wlq]")
_CHANGES = {
    "add": "fetch_add",
    "sub": "fetch_sub",
    "inc": "fetch_add",
    "dec": "fetch_sub",
    "and": "fetch_and",
    "or": "fetch_or",
    "xor": "fetch_xor",
    "not": "fetch_xor",
    "xadd": "fetch_add",
    "xchg": "exchange",
    "cmpxchg": "compare_exchange",
    "bts": "bit_set",
    "btr": "bit_reset",
    "btc": "bit_complement",
}
_NONATOMIC = {"add", "sub", "inc", "dec", "xadd"}
#: Not above the stack pointer, where a local variable may lie.
_FENCE_ON_STACK = re.compile(
    r"lock (?:add|sub|or|xor)[bwlq] \$0(?:x0)?, ?(?:-\w+|0(?:x0)?)?\(%[er]sp\)"
)


def registers_in(text: str) -> int:
    """The registers named, a bit each: 16 general ones, then 16 vector registers."""
    mask = 0
    for name in re.findall(r"%(\w+)", text):
        if name in REGISTERS:
            mask |= 1 << REGISTERS[name][0]
        elif name in ("ah", "ch", "dh", "bh"):
            mask |= 1 << "acdb".index(name[0])
        elif match := re.fullmatch(r"xmm(\d+)", name):
            mask |= 1 << (16 + int(match.group(1)) % 16)
    return mask


def _operands(text: str) -> list[str]:
    """Split at commas outside of parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)] if text.strip() else []


def _is_memory(operand: str) -> bool:
    return not operand.startswith(("%", "$")) or ":" in operand


class _Instruction:
    def __init__(self, text: str) -> None:
        self.text = text
        self.locked = bool(re.match(r"lock\b", text))
        rest = re.sub(r"^lock\s*", "", text)
        self.name, _, operands = rest.partition(" ")
        self.operands = _operands(operands)
        self.memory = [one for one in self.operands if _is_memory(one)]

    def refuse(self, why: str = "") -> Unsupported:
        return UnsupportedInstruction(f"inline assembly is not modelled: '{self.text}'{why}")

    def size(self, suffix: str | None) -> int:
        """Size of what is accessed, in bytes, by the mnemonic or a register."""
        if suffix:
            return _SUFFIX[suffix]
        sizes = {self.register(one)[1] for one in self.operands if one.startswith("%")}
        if len(sizes) != 1:
            raise self.refuse()
        return sizes.pop()

    def register(self, operand: str) -> tuple[int, int]:
        found = REGISTERS.get(operand.removeprefix("%"))
        if found is None:
            raise self.refuse()
        return found

    def on_copy(self) -> str:
        """The same without lock, on the copy."""
        changed = [_VALUE if one in self.memory else one for one in self.operands]
        return f"{self.name} {', '.join(changed)}"

    def operand_code(self, operand: str, size: int) -> list[str]:
        if operand.startswith("%"):
            number, width = self.register(operand)
            if width != size and not self.name.startswith("bt"):
                raise self.refuse()
            return [f"movq %{_WHOLE[number]}, {_OPERAND}"]
        if size == 8:
            return [f"movq {operand}, {_OPERAND}"]
        return [f"movl {operand}, {_OPERAND}"]


def _call(does: str, size: int, flags: int, live: int) -> list[str]:
    doing = _DOES.index(does) | size << 8 | flags
    # No instruction here changes flags. 128 bytes below the stack pointer may be in use.
    return [
        f"movl ${doing}, {_DOING}",
        f"movl ${live & 0xFFFFFFFF}, {_LIVE}",
        "leaq -128(%rsp), %rsp",
        "call fencepost_access_by_assembly",
        "leaq 128(%rsp), %rsp",
    ]


def _address(operand: str) -> list[str]:
    return [
        f"movq %rax, {_KEPT}",
        f"leaq {operand}, %rax",
        f"movq %rax, {_ADDRESS}",
        f"movq {_KEPT}, %rax",
    ]


def _split_name(instruction: _Instruction) -> tuple[str, str | None]:
    name = instruction.name
    if name in _CHANGES:
        return name, None
    if name[-1:] in _SUFFIX and name[:-1] in _CHANGES:
        return name[:-1], name[-1]
    return name, None


def _change(one: _Instruction, flags: int, live: int) -> list[str]:
    """Translate an instruction that reads and writes memory."""
    memory = one.memory[0]
    if one.locked and one.name == "cmpxchg16b":
        return [
            *_address(memory),
            *_call("compare_exchange", 16, flags, live),
            one.on_copy(),
        ]
    name, suffix = _split_name(one)
    if name not in _CHANGES:
        raise one.refuse()
    does = _CHANGES[name]
    others = [operand for operand in one.operands if operand is not memory]
    if len(others) != (0 if name in ("inc", "dec", "not") else 1):
        raise one.refuse()
    if one.operands[-1] is not memory and name != "xchg":
        raise one.refuse()
    size = one.size(suffix)
    code = _address(memory)
    if name.startswith("bt"):
        if size == 1:
            raise one.refuse()
        flags |= _BIT_IN_REGISTER if others[0].startswith("%") else 0
        if not one.locked:
            raise one.refuse()
        code += one.operand_code(others[0], size)
        # The carry is the bit; beyond the copy a bit's number would reach.
        return [*code, *_call(does, size, flags, live), f"btq $0, {_OPERAND}"]
    if name == "not":
        code.append(f"movq $-1, {_OPERAND}")
    elif not others:
        code.append(f"movq $1, {_OPERAND}")
    else:
        code += one.operand_code(others[0], size)
    if one.locked or name == "xchg":
        return [*code, *_call(does, size, flags, live), one.on_copy()]
    if name in _NONATOMIC:
        does = "nonatomic_add" if does == "fetch_add" else "nonatomic_sub"
        return [*code, *_call(does, size, flags, live), one.on_copy()]
    if name == "cmpxchg":
        raise one.refuse()
    # A load and a store, between which others may come. Where the first has left the address, the
    # second finds it.
    return [
        *code,
        *_call("load", size, flags, live),
        one.on_copy(),
        *_call("store", size, flags | _FLAGS, live),
    ]


def _access(one: _Instruction, flags: int, live: int) -> list[str]:
    """Translate an instruction with an operand in memory."""
    if len(one.memory) != 1 or re.search(r"[:*]", one.memory[0]):
        raise one.refuse()
    memory = one.memory[0]
    address = _address(memory)
    if one.locked or re.fullmatch(r"xchg[bwlq]?", one.name):
        return _change(one, flags, live)
    is_last = one.operands[-1] is memory
    if match := re.fullmatch(r"set\w+", one.name):
        if not _PURE.fullmatch(one.name):
            raise one.refuse()
        return [*address, one.on_copy(), *_call("store", 1, flags | _FLAGS, live)]
    if any(re.match(r"%[xyz]?mm", other) for other in one.operands):
        if not re.fullmatch(r"mov[dq]", one.name) or "%ymm" in one.text or "%zmm" in one.text:
            raise one.refuse()
        size = 4 if one.name == "movd" else 8
    elif match := _EXTENDS.fullmatch(one.name):
        size = _SUFFIX[match.group(1)]
    elif match := _READS.fullmatch(one.name):
        size = one.size(match.group(1) or match.group(2))
    elif is_last:
        return _change(one, flags, live)
    else:
        raise one.refuse()
    if not is_last or re.match(r"(?:cmp|test)[bwlq]?$", one.name):
        return [*address, *_call("load", size, flags, live), one.on_copy()]
    if re.match(r"mov[bwlqd]?$", one.name):
        return [*address, one.on_copy(), *_call("store", size, flags, live)]
    return _change(one, flags, live)


def translate(
    text: str, live: int, *, first: bool, red_zone: bool, orders_nothing: bool = False
) -> list[str] | None:
    """What an instruction of a statement becomes; None if it stays as it is.

    `live` are the registers that may hold something, `first` says whether it is the statement's
    first, `red_zone` whether its function may keep something below the stack pointer, and
    `orders_nothing` that the compiler may move other accesses across the statement. Raises
    Unsupported, without a place, of an instruction that has no model."""
    one = _Instruction(text)
    flags = (_RED_ZONE if red_zone else 0) | (0 if first else _FLAGS)
    flags |= _ORDERS_NOTHING if orders_nothing else 0
    if _OUTSIDE.fullmatch(one.name):
        why = ": what it gives comes from outside the program (time, chance, the system)"
        raise one.refuse(why)
    if one.name in ("mfence", "lfence", "sfence") and not one.operands:
        return _call(one.name, 0, flags, live)
    if _FENCE_ON_STACK.fullmatch(text):
        return [*_call("mfence", 0, flags, live), re.sub(r"^lock ", "", text)]
    if _NOTHING.fullmatch(text) or _NOTHING.fullmatch(one.name):
        return None
    if _JUMP.fullmatch(one.name):
        if one.locked or not re.fullmatch(r"\d+[bf]|\.L\w+", "".join(one.operands)):
            raise one.refuse()
        return None
    moved = one.operands if re.match(r"(?:lock )?x", text) else one.operands[-1:]
    if any(re.fullmatch(r"%(?:[er]?sp|spl)", operand) for operand in moved):
        raise one.refuse(": it moves the stack")
    if re.fullmatch(r"lea[wlq]?", one.name) and not one.locked:
        return None
    if one.memory:
        if orders_nothing and not all("(" in operand for operand in one.memory):
            raise Unsupported(MUST_STAY)  # by a name in its text: the compiler writes name(%rip)
        return _access(one, flags, live)
    if one.locked or not _PURE.fullmatch(one.name) or re.search(r"%[cdefgs]s\b|%[cd]r\d", text):
        raise one.refuse()
    return None
