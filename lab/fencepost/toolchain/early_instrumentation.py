# SPDX-License-Identifier: MIT
"""Announces what a program does to memory before LLVM optimises it.

clang instruments what its optimisations have left: a store that nobody reads is gone by then, and
races all the same. So clang only translates the program, it is instrumented here, and clang
optimises the result. The instrumentation is LLVM's own pass (`tsan`). What that passes over is
dealt with first:

- Part of a local variable that others can reach. The pass asks whether the address of the part is
  told to anybody, not whether that of the variable is. `freeze` hides where the address is from.
- Accesses of any number of bytes that is no power of two, or above 16, are announced here.
- Copies of whole objects, and structs that a call copies from memory ("byval"), are announced
  too. The pass would make calls of the copies, which keep local variables in memory. What lies
  behind the last member of an object that is copied is announced by itself: there may be a member
  of a derived class, with which the copy does not race.
- Calls of functions that are said to be pure are left out when nobody uses their result, and with
  them what they read. So nothing is said of them.
- The scopes of local variables that others can reach are announced (early_scopes.py).
- The `__sync_*` builtins get the orders that they promise (sync_builtins.py).
- Instructions of the processor that access memory, by intrinsics, are refused.

LLVM ends the process where it does not understand, so this is a program of its own:

    python -m fencepost.toolchain.early_instrumentation LIBRARY FROM TO [LLVM OPTION…]
"""

from __future__ import annotations

import ctypes
import re
import sys
from dataclasses import dataclass

from fencepost.binary.moved_assembly import MUST_STAY
from fencepost.toolchain.early_scopes import Scopes
from fencepost.toolchain.llvm import (
    ADDRESS_SPACE_CAST,
    BITCAST,
    CALL,
    FUNCTION_ATTRIBUTES,
    GEP,
    ICMP,
    INVOKE,
    LOAD,
    NOT_ATOMIC,
    PHI,
    POINTER_TYPE,
    RETURN,
    SCALABLE_VECTOR_TYPE,
    STORE,
    UNREACHABLE,
    Llvm,
)
from fencepost.toolchain.sync_builtins import take_marks

_BARRIER, _UNASKED = "pthread_barrier_wait", b"fencepost_barrier_wait_unasked"
#: As LLVM writes it: whether it has side effects, its text and its constraints.
_INLINE_ASSEMBLY = re.compile(
    r'asm (sideeffect )?(?:alignstack )?(?:inteldialect )?(?:unwind )?"([^"]*)", "([^"]*)"'
)
#: By what compilers mark where it begins and ends.
_ENDS_EARLY = re.compile(r"(?:#|//)(?:NO_)?APP")
_TOUCHES_MEMORY = re.compile(r"[(\[]|fence|dmb|dsb")

#: The exit status when the program is refused; standard output has the place, a tab, the reason.
REFUSED = 4

#: Coroutines become functions; LLVM 14 and later ones disagree on which passes see whole files.
_COROUTINES = (
    b"coro-early,cgscc(coro-split),coro-cleanup",
    b"function(coro-early),cgscc(coro-split),function(coro-cleanup)",
)
#: Local variables whose address nobody takes become values. Every other access stays.
_VALUES = b"function(mem2reg)"
_INSTRUMENT = b"function(tsan)"
_OPTIONS = ("-tsan-instrument-memintrinsics=0", "-tsan-instrument-func-entry-exit=0")

#: For clang as it optimises. What is left for its own instrumentation is where functions begin and
#: end, which is known when others have been inlined. Announcements make functions look large.
OPTIMISED = [
    *("-mllvm", "-tsan-instrument-memory-accesses=0"),
    *("-mllvm", "-tsan-instrument-atomics=0"),
    *("-mllvm", "-tsan-instrument-memintrinsics=0"),
    *("-mllvm", "-inline-threshold=1000"),
]

_DERIVES = (GEP, BITCAST, ADDRESS_SPACE_CAST)
#: What `pure` and `const` become. A call of such a function is left out if nobody uses its result.
_PROMISES = ("readnone", "readonly", "argmemonly", "memory")
#: The bytes of accesses that the pass announces.
_SIZES = (1, 2, 4, 8, 16)
#: Of C and C++, where nothing is said; and an attribute of functions.
_USUAL_CONVENTION = 0
_KEEPS_ALL = b"no_caller_saved_registers"
#: Copies, by how many of their first arguments are memory. The third is the size.
_COPIES = {"llvm.memcpy": 2, "llvm.memmove": 2, "llvm.memset": 1}
#: The first words of the names of those that are given addresses and access nothing there.
_NO_ACCESS = re.compile(
    "addressofreturnaddress|annotation|assume|clear_cache|coro|dbg|eh|expect|frameaddress|invariant"
    "|is|launder|lifetime|objectsize|prefetch|ptr|ptrmask|returnaddress|stackrestore|stacksave"
    "|strip|threadlocal|va_copy|va_end|va_start|var"
)
#: Functions of clang's own: they run before main, or access nothing that is shared.
_CLANGS_OWN = re.compile(
    r"__clang_call_terminate|__tls_init|(?:_ZT[WH]|_GLOBAL_|__cxx_global_)[\w.]*"
)


_SEGMENT = "memory that is addressed relative to a segment register is not looked at"
_PAST_THE_CACHES = "a store past the caches is ordered by fewer fences than the checker knows"
_LOST_SYNC = "of a __sync builtin in such an expression the order is not seen"
_KEEPS_REGISTERS = "a function that keeps registers which others may change, beside assembly"
_SCALABLE = "vectors of a size that only the processor knows are not announced"


def _names_memory(text: str) -> bool:
    """Whether an instruction has an operand that is a name, not a register or a number."""
    for instruction in re.split(r"\\0A|[;\n]", text):
        name, _, operands = instruction.replace("\\09", " ").strip().partition(" ")
        jumps = name.startswith(("j", "call"))
        if not jumps and re.search(r"(?:^|,)\s*[A-Za-z_.]", operands):
            return True
    return False


@dataclass
class _Refused(Exception):
    reason: str
    place: str = ""  # file:line


class _Instrumentation:
    """Instruments one LLVM module."""

    def __init__(self, library: str, file: str, options: list[str]) -> None:
        try:
            self.llvm = llvm = Llvm(library)
        except OSError:
            raise SystemExit(f"clang's own library is not here: {library}") from None
        words = [word.encode() for word in ("fencepost", *_OPTIONS, *options)]
        llvm.ParseCommandLineOptions(len(words), (ctypes.c_char_p * len(words))(*words), None)
        self.context = llvm.GetGlobalContext()
        buffer, module, message = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_char_p()
        if llvm.CreateMemoryBufferWithContentsOfFile(
            file.encode(), ctypes.byref(buffer), ctypes.byref(message)
        ) or llvm.ParseIRInContext(
            self.context, buffer, ctypes.byref(module), ctypes.byref(message)
        ):
            raise SystemExit(f"{file}: {message.value!r}")
        assert module.value
        self.module = module.value
        self.layout = llvm.GetModuleDataLayout(self.module)
        self.builder = llvm.CreateBuilderInContext(self.context)
        self.byte = llvm.Int8TypeInContext(self.context)
        self.byte_pointer = llvm.PointerType(self.byte, 0)
        self.size_type = llvm.Int64TypeInContext(self.context)
        self.promises = [
            kind
            for name in _PROMISES
            if (kind := llvm.GetEnumAttributeKindForName(name.encode(), len(name)))
        ]
        self.byval = llvm.GetEnumAttributeKindForName(b"byval", 5)
        self.wanted = llvm.GetEnumAttributeKindForName(b"sanitize_thread", 15)
        off = b"disable_sanitizer_instrumentation"
        self.unwanted = llvm.GetEnumAttributeKindForName(off, len(off))
        self.never_returns = llvm.GetEnumAttributeKindForName(b"noreturn", 8)
        self.nontemporal = llvm.GetMDKindID(b"nontemporal", 11)
        self.members = llvm.GetMDKindID(b"tbaa.struct", 11)
        self._private: dict[int, bool] = {}
        self._has_assembly = False
        self._keeps_registers: str | None = None  # where a function is called that does

    def run(self, *spellings: bytes) -> None:
        """Runs the passes that are named in the first way that this LLVM understands."""
        message = ""
        for passes in spellings:
            options = self.llvm.CreatePassBuilderOptions()
            error = self.llvm.RunPasses(self.module, passes, None, options)
            if not error:
                return
            message = ctypes.string_at(self.llvm.GetErrorMessage(error)).decode()
        raise SystemExit(message)

    def prepare(self) -> None:
        """Makes the pass see what it would pass over."""
        llvm = self.llvm
        for function in llvm.each("Function", self.module):
            if not llvm.GetIntrinsicID(function):
                for kind in self.promises:
                    llvm.RemoveEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, kind)
            if llvm.IsDeclaration(function):
                continue
            if _CLANGS_OWN.fullmatch(llvm.text("GetValueName2", function)):
                continue
            # clang has not been told of the instrumentation: programs ask it, and are others then.
            llvm.RemoveEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, self.unwanted)
            wanted = llvm.CreateEnumAttribute(self.context, self.wanted, 0)
            llvm.AddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, wanted)
            comes_back = not llvm.GetEnumAttributeAtIndex(
                function, FUNCTION_ATTRIBUTES, self.never_returns
            )
            for block in llvm.each("BasicBlock", function):
                for instruction in llvm.each("Instruction", block):
                    self._prepare(instruction, comes_back)
        if self._has_assembly and self._keeps_registers is not None:
            raise _Refused(_KEEPS_REGISTERS, self._keeps_registers)

    def _prepare(self, instruction: int, comes_back: bool) -> None:
        opcode = self.llvm.GetInstructionOpcode(instruction)
        if opcode == LOAD:
            self._prepare_access(instruction, 0, self.llvm.TypeOf(instruction))
        elif opcode == STORE:
            if self.llvm.GetMetadata(instruction, self.nontemporal):
                raise _Refused(_PAST_THE_CACHES, self._place(instruction))
            value = self.llvm.GetOperand(instruction, 0)
            self._prepare_access(instruction, 1, self.llvm.TypeOf(value))
        elif opcode == UNREACHABLE or (opcode == RETURN and not comes_back):
            self._trap_before(instruction)
        elif opcode in (CALL, INVOKE):
            self._must_stay(instruction)
            self._look_at_convention(instruction)
            self._announce_call(instruction)

    def _look_at_convention(self, call: int) -> None:
        """Which registers are in use beside inline assembly is known of usual functions, which may
        change any that their callers do not keep (machines/x86_64_registers.py)."""
        llvm, called = self.llvm, self.llvm.GetCalledValue(call)
        keeps = llvm.IsAFunction(called) and llvm.GetStringAttributeAtIndex(
            called, FUNCTION_ATTRIBUTES, _KEEPS_ALL, len(_KEEPS_ALL)
        )
        if keeps or llvm.GetInstructionCallConv(call) != _USUAL_CONVENTION:
            self._keeps_registers = self._place(call)

    def _trap_before(self, unreachable: int) -> None:
        """The program has promised that nothing comes here, and LLVM would believe it."""
        trap = self.llvm.LookupIntrinsicID(b"llvm.trap", 9)
        declared = self.llvm.GetIntrinsicDeclaration(self.module, trap, None, 0)
        type_ = self.llvm.IntrinsicGetType(self.context, trap, None, 0)
        self.llvm.PositionBuilderBefore(self.builder, unreachable)
        self.llvm.BuildCall2(self.builder, type_, declared, None, 0, b"")

    def _must_stay(self, call: int) -> None:
        """Inline assembly that accesses memory by its text must say so; without operands it is
        taken for one that need not."""
        called = self.llvm.GetCalledValue(call)
        if not self.llvm.IsAInlineAsm(called):
            return
        words = _INLINE_ASSEMBLY.search(self.llvm.value_text(called))
        if words is None:
            raise _Refused(
                "inline assembly is written in a way that is not known", self._place(call)
            )
        is_volatile, text, constraints = words.groups()
        self._has_assembly = self._has_assembly or bool(text)
        if _ENDS_EARLY.search(text):
            raise _Refused("inline assembly that seems to end before it does", self._place(call))
        operands = [one for one in constraints.split(",") if one and not one.startswith("~")]
        is_hidden = _TOUCHES_MEMORY.search(text)
        touches = is_hidden or _names_memory(text) or any("*" in one for one in operands)
        # LLVM moves nothing across what is volatile. Other compilers do.
        is_told = "~{memory}" in constraints or not operands
        if (touches and not is_volatile) or (is_hidden and not is_told):
            raise _Refused(MUST_STAY, self._place(call))

    def _prepare_access(self, access: int, operand: int, type_: int) -> None:
        llvm = self.llvm
        address = llvm.GetOperand(access, operand)
        if llvm.GetTypeKind(type_) == SCALABLE_VECTOR_TYPE:
            raise _Refused(_SCALABLE, self._place(access))
        if (size := llvm.StoreSizeOfType(self.layout, type_)) not in _SIZES:
            bytes_ = llvm.ConstInt(self.size_type, size, 0)
            self._announce(access, address, bytes_, write=operand == 1)
            return
        if llvm.GetPointerAddressSpace(llvm.TypeOf(address)):
            raise _Refused(_SEGMENT, self._place(access))
        base = self._base(address)
        # Of a variable itself the pass asks the right question.
        if base != address and llvm.IsAAllocaInst(base):
            hidden = not self._is_private(base)
        else:  # the pass may see a variable through these
            hidden = bool(llvm.IsAInstruction(base)) and (
                llvm.GetInstructionOpcode(base) in (CALL, INVOKE, PHI)
            )
        if hidden:
            llvm.PositionBuilderBefore(self.builder, access)
            llvm.SetOperand(access, operand, llvm.BuildFreeze(self.builder, address, b""))

    def _announce_call(self, call: int) -> None:
        llvm = self.llvm
        name = self._intrinsic(call)
        arguments = [llvm.GetOperand(call, n) for n in range(llvm.GetNumArgOperands(call))]
        if name is None:
            called = llvm.GetCalledValue(call)
            if llvm.IsAInstruction(called) or llvm.IsAArgument(called):
                self._announce_call_by_address(call, called, arguments)
            elif llvm.IsAFunction(called) and not llvm.GetFirstUse(call):
                self._tell_unasked(call, called)
            for kind in self.promises:
                llvm.RemoveCallSiteEnumAttribute(call, FUNCTION_ATTRIBUTES, kind)
            for number, argument in enumerate(arguments):
                if size := self._size_by_value(call, number):
                    bytes_ = llvm.ConstInt(self.size_type, size, 0)
                    self._announce(call, argument, bytes_, write=False)
        elif copy := next((one for one in _COPIES if f"{name}.".startswith(f"{one}.")), None):
            # The source first, as in the instruction: what is written is the first argument.
            for number in reversed(range(_COPIES[copy])):
                if number and (own := self._bytes_of_its_own(call, arguments[2])):
                    self._announce_padded(call, arguments[number], arguments[2], own)
                else:
                    self._announce(call, arguments[number], arguments[2], write=number == 0)
        elif name.startswith("llvm.eh.sjlj.") or (
            not _NO_ACCESS.fullmatch(name.split(".")[1])
            and (any(map(self._is_pointer, arguments)) or re.search(r"gather|scatter", name))
        ):
            raise _Refused(
                f"what '{name}' does to memory is not announced: use plain C or C++ instead",
                self._place(call),
            )

    def _announce_call_by_address(self, call: int, called: int, arguments: list[int]) -> None:
        """It may be a library's, and its first argument the object that it is called for."""
        llvm = self.llvm
        if arguments and self._is_pointer(arguments[0]):
            llvm.PositionBuilderBefore(self.builder, call)
            object_ = llvm.BuildPtrToInt(self.builder, arguments[0], self.size_type, b"")
        else:
            object_ = llvm.ConstInt(self.size_type, 0, 0)
        self._call(b"__fencepost_calls", call, called, object_)

    def _tell_unasked(self, call: int, called: int) -> None:
        """Of pthread_barrier_wait the result says which thread is the "serial" one: for who looks
        there are as many executions as threads, each round."""
        llvm = self.llvm
        if not llvm.IsDeclaration(called) or llvm.text("GetValueName2", called) != _BARRIER:
            return
        function = llvm.GetNamedFunction(self.module, _UNASKED)
        type_ = llvm.GlobalGetValueType(called)
        function = function or llvm.AddFunction(self.module, _UNASKED, type_)
        llvm.SetOperand(call, llvm.GetNumOperands(call) - 1, function)

    def announce_scopes(self) -> None:
        """Announces the scopes of local variables that others can reach."""
        scopes = Scopes(
            self.llvm, self.layout, self.size_type, self.byte, self.builder, self._is_private
        )
        for function in self.llvm.each("Function", self.module):
            if self.llvm.GetEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, self.wanted):
                scopes.announce(function, self._call)

    def remove_left_loads(self) -> None:
        """The pass leaves atomic loads behind, without users, that a call has replaced."""
        llvm = self.llvm
        for function in llvm.each("Function", self.module):
            for block in llvm.each("BasicBlock", function):
                for instruction in llvm.each("Instruction", block):
                    if (
                        llvm.GetInstructionOpcode(instruction) == LOAD
                        and llvm.GetOrdering(instruction) != NOT_ATOMIC
                        and not llvm.GetFirstUse(instruction)
                    ):
                        llvm.InstructionEraseFromParent(instruction)

    def tell_sync_builtins(self) -> None:
        """Gives the `__sync_*` builtins the orders that they promise."""
        if mark := take_marks(self.llvm, self.context, self.module):
            raise _Refused(_LOST_SYNC, self._place(mark))

    def _is_pointer(self, value: int) -> bool:
        return bool(self.llvm.GetTypeKind(self.llvm.TypeOf(value)) == POINTER_TYPE)

    def _intrinsic(self, call: int) -> str | None:
        """The name of the intrinsic that is called, if it is one."""
        called = self.llvm.GetCalledValue(call)
        if not self.llvm.IsAFunction(called) or not self.llvm.GetIntrinsicID(called):
            return None
        return self.llvm.text("GetValueName2", called)

    def _size_by_value(self, call: int, number: int) -> int:
        """How much the call copies from memory for this argument."""
        attribute = self.llvm.GetCallSiteEnumAttribute(call, number + 1, self.byval)
        if not attribute:
            return 0
        type_ = self.llvm.GetTypeAttributeValue(attribute)
        return self.llvm.ABISizeOfType(self.layout, type_) or 0

    def _announce(self, before: int, address: int, size: int, *, write: bool) -> None:
        llvm = self.llvm
        if llvm.GetPointerAddressSpace(llvm.TypeOf(address)):
            raise _Refused(_SEGMENT, self._place(before))
        base = self._base(address)
        if llvm.IsAAllocaInst(base) and self._is_private(base):
            return
        self._call(b"__tsan_write_range" if write else b"__tsan_read_range", before, address, size)

    def _bytes_of_its_own(self, copy: int, size: int) -> int:
        """Where the last member of an object that is copied ends, if something lies behind it."""
        llvm = self.llvm
        members = llvm.GetMetadata(copy, self.members)
        if not members or not llvm.IsAConstantInt(size):
            return 0
        words = (ctypes.c_void_p * llvm.GetMDNodeNumOperands(members))()
        llvm.GetMDNodeOperands(members, words)
        numbers = [llvm.ConstIntGetZExtValue(word) or 0 for word in words]  # each third is a tag
        end = max(map(int.__add__, numbers[::3], numbers[1::3]), default=0)
        return end if end < llvm.ConstIntGetZExtValue(size) else 0

    def _announce_padded(self, copy: int, address: int, size: int, own: int) -> None:
        """Announces what an object consists of and, by itself, what lies behind it."""
        llvm = self.llvm
        self._announce(copy, address, llvm.ConstInt(self.size_type, own, 0), write=False)
        base = self._base(address)
        if llvm.IsAAllocaInst(base) and self._is_private(base):
            return
        llvm.PositionBuilderBefore(self.builder, copy)
        first = llvm.BuildBitCast(self.builder, address, self.byte_pointer, b"")
        distance = (ctypes.c_void_p * 1)(llvm.ConstInt(self.size_type, own, 0))
        behind = llvm.BuildGEP2(self.builder, self.byte, first, distance, 1, b"")
        rest = llvm.ConstInt(self.size_type, llvm.ConstIntGetZExtValue(size) - own, 0)
        self._call(b"__fencepost_padding", copy, behind, rest)

    def _call(
        self, name: bytes, before: int, address: int | None = None, size: int | None = None
    ) -> None:
        """Puts a call of a function of the checker's before an instruction."""
        llvm = self.llvm
        llvm.PositionBuilderBefore(self.builder, before)
        arguments = []
        if address is not None:
            arguments.append(llvm.BuildBitCast(self.builder, address, self.byte_pointer, b""))
        if size is not None:
            arguments.append(llvm.BuildZExtOrBitCast(self.builder, size, self.size_type, b""))
        handles = ctypes.c_void_p * len(arguments)
        parameters = handles(*(llvm.TypeOf(one) for one in arguments))
        void = llvm.VoidTypeInContext(self.context)
        type_ = llvm.FunctionType(void, parameters, len(arguments), 0)
        function = llvm.GetNamedFunction(self.module, name)
        function = function or llvm.AddFunction(self.module, name, type_)
        llvm.BuildCall2(self.builder, type_, function, handles(*arguments), len(arguments), b"")

    def _base(self, address: int) -> int:
        """What an address is computed from."""
        llvm = self.llvm
        while llvm.IsAInstruction(address) and llvm.GetInstructionOpcode(address) in _DERIVES:
            address = llvm.GetOperand(address, 0)
        return address

    def _is_private(self, variable: int) -> bool:
        """Whether the variable's address goes nowhere."""
        if variable not in self._private:
            self._private[variable] = self._goes_nowhere(variable)
        return self._private[variable]

    def _goes_nowhere(self, address: int) -> bool:
        llvm = self.llvm
        for use in llvm.each("Use", address):
            user = llvm.GetUser(use)
            if not llvm.IsAInstruction(user):
                return False
            opcode = llvm.GetInstructionOpcode(user)
            if opcode in _DERIVES:
                harmless = self._goes_nowhere(user)
            elif opcode == STORE:
                harmless = llvm.GetOperand(user, 0) != address
            elif opcode in (CALL, INVOKE):
                harmless = self._keeps_nothing(user, address)
            else:
                harmless = opcode in (LOAD, ICMP)
            if not harmless:
                return False
        return True

    def _keeps_nothing(self, call: int, address: int) -> bool:
        """Whether a call copies what is there, and nobody is told the address."""
        if (name := self._intrinsic(call)) is not None:
            return name.startswith(("llvm.lifetime.", *_COPIES))
        count = self.llvm.GetNumArgOperands(call)
        return address != self.llvm.GetCalledValue(call) and all(
            self._size_by_value(call, number)
            for number in range(count)
            if self.llvm.GetOperand(call, number) == address
        )

    def _place(self, value: int) -> str:
        """file:line of an instruction or a function."""
        file = self.llvm.text("GetDebugLocFilename", value)
        return f"{file}:{self.llvm.GetDebugLocLine(value)}" if file else ""


def main() -> int:
    library, source, target, *options = sys.argv[1:]
    work = _Instrumentation(library, source, options)
    work.run(*_COROUTINES)
    work.run(_VALUES)
    try:
        try:
            work.prepare()
        except _Refused as refusal:
            if not refusal.place:  # the compiler's own headers have no lines: their callers have
                work.run(b"always-inline")
                work.prepare()
            raise
        work.announce_scopes()
        work.run(_INSTRUMENT)
        work.remove_left_loads()
        work.tell_sync_builtins()
    except _Refused as refusal:
        print(refusal.place, refusal.reason, sep="\t")
        return REFUSED
    if work.llvm.WriteBitcodeToFile(work.module, target.encode()):
        raise SystemExit(f"cannot write {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
