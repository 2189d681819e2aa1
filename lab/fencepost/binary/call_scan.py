# SPDX-License-Identifier: MIT
"""Finds calls of functions that the checker does not model, and the source lines that make them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from fencepost import ROOT
from fencepost.binary.machines import tool
from fencepost.binary.object_symbols import (
    defined_by_runtime,
    defined_symbols,
    undefined_symbols,
)
from fencepost.binary.source_location import inline_chains, users_frame
from fencepost.console.input_error import Unsupported
from fencepost.system import tool_process

#: The C functions that may be called though the runtime does not define them.
HARMLESS_CALLS = Path(__file__).with_name("harmless_calls.txt")

#: The program's calls that are sent to the runtime's own functions, and their names there.
REDEFINED_CALLS = ROOT / "checker" / "redefined-symbols.txt"

#: Why a call is refused, for the message. A call in neither list is "not modelled".
REASONS = [
    (
        "reads input",
        "read pread readv fread fgets fgetc getc getchar gets getline getdelim scanf fscanf "
        "vscanf __isoc99_scanf __isoc99_fscanf fopen fopen64 fdopen freopen open open64 openat "
        "creat opendir readdir stdin pipe pipe2 eventfd",
    ),
    (
        "reads the time of day or the processor's clock",
        "ftime times",
    ),
    (
        "keeps hidden state in the C library",
        "seed48 lcong48 initstate setstate",
    ),
    (
        "starts or controls a process",
        "fork vfork _Fork clone execve execv execvp execl execlp execle posix_spawn posix_spawnp "
        "system popen wait waitpid daemon ptrace",
    ),
    (
        "uses the network",
        "socket socketpair bind listen accept accept4 connect send sendto sendmsg recv recvfrom "
        "recvmsg epoll_create epoll_create1 epoll_wait epoll_ctl",
    ),
    (
        "uses signals",
        "kill raise pthread_kill sigwait sigwaitinfo sigtimedwait sigsuspend pause alarm "
        "setitimer timer_create tgkill",
    ),
    (
        "writes to a stream that its caller must hold (putc_unlocked and kin)",
        "__overflow putc_unlocked putchar_unlocked fputc_unlocked fputs_unlocked fwrite_unlocked "
        "fflush_unlocked clearerr_unlocked flockfile ftrylockfile funlockfile",
    ),
    ("loads code at run time", "dlopen dlsym dlmopen"),
    ("maps memory", "mprotect mremap shm_open shmget shmat brk sbrk"),
    ("jumps across functions", "getcontext makecontext setcontext swapcontext"),
]

#: What gcc calls on AArch64 for an atomic operation in a function that is not instrumented.
OUTLINED_ATOMICS = "__aarch64_"

#: C++ library symbols are allowed unless they match one of these.
REFUSED_CPP = [
    (re.compile(r"^std::w?cin$|std::(__cxx11::)?basic_w?ios.*cin"), "reads input"),
    (
        re.compile(r"^std::(__basic_file|basic_(i|o|)fstream|basic_filebuf)|^__gnu_cxx::stdio_"),
        "uses a file",
    ),
    # Members of a path only look at its text.
    (
        re.compile(r"^(?!std::filesystem::(?:__cxx11::)?path::).*\bstd::filesystem::"),
        "uses the file system",
    ),
    (re.compile(r"\bstd::pmr::(un)?synchronized_pool_resource\b"), "is not instrumented"),
    (re.compile(r"^__gnu_debug::"), "is of the library's debug mode and not instrumented"),
    (re.compile(r"^std::locale::global"), "changes hidden library state"),
    (
        re.compile(r"^std::locale::locale\((std::locale const&, )?char const\*|^std::\w+_byname<"),
        "looks for a locale of this machine",
    ),
]

#: Functions that are instantiated for it, by their names among the symbols or in what is said for
#: debuggers; the members of the policy itself have others.
_PARALLEL = re.compile(rb"9execution2v1(15parallel|27parallel_unsequenced)_policyE")

_SECTION = re.compile(r"^Disassembly of section (.+):$")
_RELOCATION = re.compile(r"^\s+([0-9a-f]+): (R_\w+)\s+(\S+?)(?:[-+]0x[0-9a-f]+)?$")
_OF_A_CALL = re.compile(r"^R_\w+_(?:PLT32|CALL26|JUMP26)$")


@lru_cache(maxsize=1)
def _words() -> tuple[str, ...]:
    lines = HARMLESS_CALLS.read_text().splitlines()
    return tuple(word for line in lines for word in line.split("#", 1)[0].split())


@lru_cache(maxsize=1)
def redefined_calls() -> frozenset[str]:
    """Those that are sent to functions of the runtime's own."""
    return frozenset(line.split()[0] for line in REDEFINED_CALLS.read_text().splitlines())


@lru_cache(maxsize=1)
def _harmless() -> tuple[frozenset[str], tuple[str, ...]]:
    names = {word.lstrip("~") for word in _words() if not word.endswith("*")}
    return frozenset(names) | redefined_calls(), tuple(
        word[:-1] for word in _words() if word.endswith("*")
    )


@lru_cache(maxsize=1)
def unwatched_words() -> frozenset[str]:
    """The C functions whose accesses to the program's memory nobody sees."""
    return frozenset(word[1:] for word in _words() if word.startswith("~"))


def unwatched_calls(objects: list[Path]) -> list[str]:
    """Those of them that the objects call."""
    called = set[str]().union(*map(undefined_symbols, objects))
    return sorted(called & unwatched_words())


def undefined_elsewhere(objects: Iterable[Path], runtime: Path) -> set[str]:
    """What neither the objects nor the checker's runtime define."""
    undefined, defined = set[str](), set[str]()
    for object_file in objects:
        undefined |= undefined_symbols(object_file)
        defined |= defined_symbols(object_file)
    return undefined - defined - defined_by_runtime(runtime)


def demangle(names: list[str]) -> dict[str, str]:
    if not any(name.startswith("_Z") for name in names):
        return dict(zip(names, names, strict=True))
    done = tool_process.run(["c++filt"], told="\n".join(names), check=True)
    return dict(zip(names, done.stdout.splitlines(), strict=False))


def _known_refusal(symbol: str, demangled: str) -> str | None:
    if symbol.startswith("_Z"):
        return next((why for pattern, why in REFUSED_CPP if pattern.search(demangled)), None)
    if symbol.startswith(OUTLINED_ATOMICS):
        return "is an atomic access by a function that is not instrumented"
    return next((why for why, calls in REASONS if symbol in calls.split()), None)


def _refusal(symbol: str, demangled: str) -> str | None:
    names, prefixes = _harmless()
    if symbol in names or symbol.startswith(prefixes):
        return None
    unknown = None if symbol.startswith("_Z") else "is not modelled"
    return _known_refusal(symbol, demangled) or unknown


class _Use(NamedTuple):
    """Where the code of an object file first refers to a symbol: the user's line, the library's
    inline function that stands between the two, if any, and whether it is a call."""

    place: str | None = None
    via: str = ""
    is_call: bool = False


def _first_use(object_file: Path, symbol: str) -> _Use:
    command = [tool("objdump", object_file), "-dr", "--no-show-raw-insn", str(object_file)]
    done = tool_process.run(command, check=True)
    section = ".text"
    for line in done.stdout.splitlines():
        if match := _SECTION.match(line):
            section = match.group(1)
        elif (match := _RELOCATION.match(line)) and match.group(3).split("@")[0] == symbol:
            address = int(match.group(1), 16)
            chain = inline_chains(object_file, [address], section)[address]
            frame = users_frame(chain)
            is_call = bool(_OF_A_CALL.match(match.group(2)))
            if frame is None:
                return _Use(is_call=is_call)
            depth = chain.index(frame)
            return _Use(frame.place, chain[depth - 1].function if depth else "", is_call)
    return _Use()


def check_policies(objects: list[Path]) -> None:
    """Raises Unsupported at an algorithm that is to run in parallel: the C++ library runs it on one
    thread, or by a library of its own (TBB)."""
    for object_file in objects:
        if found := _PARALLEL.search(object_file.read_bytes()):
            name = "par_unseq" if b"unsequenced" in found[1] else "par"
            raise Unsupported(
                f"'std::execution::{name}' lets algorithms run on several threads, which are not "
                f"explored (std::execution::seq and unseq run on the caller's)"
            )


class Refused(NamedTuple):
    """A symbol that an object refers to and that is refused, and why."""

    file: Path
    symbol: str
    demangled: str
    why: str

    def said(self, *, is_call: bool, by: str = "") -> str:
        brackets = "()" if is_call and not self.symbol.startswith("_Z") else ""
        return f"'{self.demangled}{brackets}'{by} {self.why}"


def refused_symbols(
    objects: list[Path], runtime: Path, nothing: Set[str] | None = None
) -> list[Refused]:
    """What the objects refer to that neither the program nor the checker's runtime defines and that
    is not known to be harmless. Of a program that could not be linked, only what is known to be
    refused counts: another name may just be missing. Otherwise what is called by a name that the
    link resolved to `nothing` never runs."""
    refusal = _known_refusal if nothing is None else _refusal
    defined = defined_by_runtime(runtime).union(nothing or ())
    for object_file in objects:
        defined |= defined_symbols(object_file)
    found = []
    for object_file in objects:
        symbols = sorted(undefined_symbols(object_file) - defined)
        for symbol, name in demangle(symbols).items():
            if why := refusal(symbol, name):
                found.append(Refused(object_file, symbol, name, why))
    return found


def refuse(one: Refused, titles: Mapping[Path, str] = MappingProxyType({})) -> NoReturn:
    """Raises Unsupported with the line. `titles` are the names of objects whose lines may not be
    known."""
    use = _first_use(one.file, one.symbol)
    by = f" (by way of '{use.via}')" if use.via else ""
    raise Unsupported(one.said(is_call=use.is_call, by=by), use.place or titles.get(one.file))
