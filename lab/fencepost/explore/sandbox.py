# SPDX-License-Identifier: MIT
"""Starts a checked program such that it can do nothing but compute: `python -I sandbox.py PARENT
SECONDS PROGRAM EXECUTABLE ARGUMENT...`, and what is said of what it tried.

The process that this module is run in gives up what it may do, for good, and becomes the program.
- It ends with PARENT, the process that watches it.
- No new privileges: nothing that it executes has others' rights.
- Landlock: of all files it may read the program, the system's libraries and /dev/null. It signals
  nobody outside, and binds and connects no port, as far as the kernel knows of these.
- Two filters of system calls. The first one is for the time up to the checker's own beginning, and
  lets the linker load libraries. The second is handed to the checker in the environment, which
  enters it before any code of the program's is run as a rule (checker/search/sandbox.cpp), and
  lets the process compute, print and end. Of a call whose arguments could do more, only those are
  let through that are needed. Both filters are in force then: what the first one refuses stays so.
- Limits of processor time (SECONDS and a minute; 0: none), of open files, of the size of files, of
  dumps. Memory is watched from outside (run_program.py), for the checker reserves more address
  space than there is memory. Memory that belongs to no mapping cannot be had: the one file in
  memory that the checker keeps the program's output in is made here.

What the kernel lacks is said, and nothing is started. It imports nothing of this package.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import re
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import NoReturn

EXIT_REFUSED = 3
#: What a checked program may have of memory.
MOST_MEMORY = 4 << 30
#: Seconds that a check may take where no other limit is given.
MOST_SECONDS = 600.0
_MOST_FILE_BYTES = 64 << 20
_MOST_FILES = 64
#: Of processor time, beyond what the check may take: who watches it ends it long before.
_SPARE_SECONDS = 60

#: In the environment: the second filter, in hexadecimal.
FILTER = "FENCEPOST_SANDBOX"
#: ... and the descriptor of a file in memory (checker/search/own_output.cpp).
OUTPUT = "FENCEPOST_OUTPUT"

#: Their numbers on x86-64 and AArch64; None: there is no such call.
_Numbers = dict[str, tuple[int | None, int | None]]
_COMPUTES: _Numbers = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "mincore": (27, 232),
    "dup2": (33, None),
    "nanosleep": (35, 101),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "exit": (60, 93),
    "getrusage": (98, 165),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "exit_group": (231, 94),
    "newfstatat": (262, 79),
    "dup3": (292, 24),
    "getrandom": (318, 278),
    "ftruncate": (77, 46),
}
#: Besides, until the checker begins.
_LOADS: _Numbers = {
    "execve": (59, 221),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
}
#: What the linker asks of files that need not be there: they never are.
_ABSENT: _Numbers = {
    "access": (21, None),
    "faccessat": (269, 48),
    "readlink": (89, None),
    "readlinkat": (267, 78),
}
#: With conditions.
_MMAP, _MPROTECT, _TGKILL, _PRLIMIT = (9, 222), (10, 226), (234, 131), (302, 261)
_OPENAT, _OPEN, _PRCTL, _IOCTL = (257, 56), (2, None), (157, 167), (16, 29)
_FCNTL, _MADVISE, _CLOCK_GETTIME = (72, 25), (28, 233), (228, 113)

#: What programs try, by name.
_REFUSED: _Numbers = {
    "open": _OPEN,
    "openat": _OPENAT,
    "socket": (41, 198),
    "connect": (42, 203),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": _TGKILL,
    "ptrace": (101, 117),
    "chdir": (80, 49),
    "chroot": (161, 51),
    "mount": (165, 40),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rename": (82, None),
    "setrlimit": (160, 164),
    "prlimit64": _PRLIMIT,
    "clone3": (435, 435),
    "unshare": (272, 97),
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "fcntl": _FCNTL,
    "madvise": _MADVISE,
    "clock_gettime": _CLOCK_GETTIME,
    "memfd_create": (319, 279),
    "uname": (63, 160),
    "mmap": _MMAP,
    "mprotect": _MPROTECT,
    "prctl": _PRCTL,
    "ioctl": _IOCTL,
    "execveat": (322, 281),
    "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434),
    "stat": (4, None),
    "lstat": (6, None),
    "pipe2": (293, 59),
    "kexec_load": (246, 104),
    "setuid": (105, 146),
    "getppid": (110, 173),
}

_X86_64 = platform.machine() == "x86_64"
_ARCHITECTURE = 0xC000003E if _X86_64 else 0xC00000B7


def name_of(number: int) -> str:
    """The system call of that number, as far as programs are known to try it."""
    for name, numbers in (_REFUSED | _COMPUTES | _LOADS | _ABSENT).items():
        if numbers[0 if _X86_64 else 1] == number:
            return name
    return f"number {number}"


def with_names(reason: str) -> str:
    """What the checker says, with the name of a system call for its number."""
    return re.sub(r"(?<=--sandbox: system call )(\d+)", lambda m: name_of(int(m[1])), reason)


# ---- filters: classic BPF, an instruction is (code, jump if true, jump if false, constant)

_Instruction = tuple[int, int, int, int]
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _TRAP, _KILL, _ERROR = 0x7FFF0000, 0x00030000, 0x80000000, 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

#: Where a word of the call stands, a jump, its constant, and whether it is to be taken.
_Condition = tuple[int, int, int, bool]


def _is(argument: int, value: int) -> _Condition:
    """Asks about the lower half, as the others do: what is compared has no upper one."""
    return (_ARGUMENTS_AT + 8 * argument, _EQUAL, value, True)


def _is_null(argument: int) -> list[_Condition]:
    at = _ARGUMENTS_AT + 8 * argument
    return [(at, _EQUAL, 0, True), (at + 4, _EQUAL, 0, True)]


def _has_only(argument: int, bits: int) -> _Condition:
    return (_ARGUMENTS_AT + 8 * argument, _ANY_BIT, ~bits & 0xFFFFFFFF, False)


def _is_below(argument: int, limit: int) -> _Condition:
    return (_ARGUMENTS_AT + 8 * argument, _AT_LEAST, limit, False)


def _if(
    numbers: tuple[int | None, int | None], *alternatives: list[_Condition]
) -> list[_Instruction]:
    """The call is let through if all conditions of one alternative are met."""
    number = numbers[0 if _X86_64 else 1]
    if number is None:
        return []
    rest: list[_Instruction] = []
    for conditions in alternatives:
        for place, (at, jump, value, taken) in enumerate(conditions):
            otherwise = 2 * (len(conditions) - place - 1) + 1
            ways = (0, otherwise) if taken else (otherwise, 0)
            rest += [(_LOAD, 0, 0, at), (jump, *ways, value)]
        rest.append((_RETURN, 0, 0, _ALLOW))
    rest.append((_RETURN, 0, 0, _TRAP))
    return [(_EQUAL, 0, len(rest), number), *rest]


def _answer(numbers: tuple[int | None, int | None], answer: int) -> list[_Instruction]:
    number = numbers[0 if _X86_64 else 1]
    return [] if number is None else [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]


#: Of fcntl: what tells of a descriptor or makes another one. The others send signals to whom they
#: are told to, watch directories, take leases and locks.
_DESCRIPTORS = (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC)
#: What F_SETFL may set, besides how it was opened: O_ASYNC sends signals, and O_DIRECT spoils the
#: file that is shared with who watches the process.
_FLAGS = os.O_ACCMODE | os.O_NONBLOCK | os.O_APPEND | (0x8000 if _X86_64 else 0x20000)
#: Of madvise: how memory is used, that its contents are not needed, how large its pages are. Others
#: take memory out of use for the whole machine.
_ADVICE = (*range(5), 8, 14, 15)
#: Beyond these clocks are those of other processes.
_CLOCKS = 16
#: Of those beyond them any number waits for a process, and all of a user's have one limit.
_STANDARD_SIGNALS = 32


def _with_conditions(early: bool) -> list[_Instruction]:
    own = _is(0, os.getpid())
    made = _if(_TGKILL, [own, _is_below(2, _STANDARD_SIGNALS)])
    # To ask for an own limit, not to set one.
    made += _if(_PRLIMIT, [_is(0, 0), *_is_null(2)])
    made += _if(_IOCTL, [_is(1, 0x5401)])  # is it a terminal?
    made += _if(
        _FCNTL,
        *([_is(1, command)] for command in _DESCRIPTORS),
        [_is(1, fcntl.F_SETFL), _has_only(2, _FLAGS)],
    )
    made += _if(_MADVISE, *([_is(2, advice)] for advice in _ADVICE))
    made += _if(_CLOCK_GETTIME, [_is_below(0, _CLOCKS)])
    if early:
        # Not to create or truncate; and not such that Landlock has nothing to say: O_PATH, and both
        # bits of O_ACCMODE, which open neither to read nor to write. What is read it says.
        made += _if(_OPENAT, [_has_only(2, os.O_WRONLY | os.O_CLOEXEC)])
        made += _if(_PRCTL, [_is(0, _SET_SECCOMP)])
        made += _if(_MMAP, []) + _if(_MPROTECT, [])
        for numbers in _ABSENT.values():
            made += _answer(numbers, _ERROR | errno.ENOENT)
    else:
        for numbers in (_MMAP, _MPROTECT):
            made += _if(numbers, [_has_only(2, mmap.PROT_READ | mmap.PROT_WRITE)])
    return made


def _filter(calls: Iterable[tuple[int | None, int | None]], early: bool) -> bytes:
    made: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, _ARCHITECTURE),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for numbers in calls:
        made += _answer(numbers, _ALLOW)
    made += _with_conditions(early)
    made.append((_RETURN, 0, 0, _TRAP))
    return b"".join(struct.pack("=HBBI", *one) for one in made)


# ---- what is called once, in the process that becomes the program

_C = ctypes.CDLL(None, use_errno=True)
_END_WITH_PARENT, _SET_NO_NEW_PRIVILEGES, _SET_SECCOMP = 1, 38, 22
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE = 1, 2, 4
#: The rights that each version of Landlock knows of files, as many lowest bits.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_RIGHTS = 16
#: The first versions that know of ports (to bind, to connect), and of what leaves the process for
#: others (sockets without a file, signals).
_WITH_PORTS, _WITH_SCOPES = 4, 6
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def _refuse(what: str) -> NoReturn:
    print(f"--sandbox: {what}; nothing was started", file=sys.stderr)
    sys.exit(EXIT_REFUSED)


def _must(answer: int, what: str) -> int:
    if answer < 0:
        _refuse(f"{what} ({os.strerror(ctypes.get_errno())})")
    return answer


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # there is no such directory here, and nothing in it to be read
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place))
    added = _C.syscall(_ADD_RULE, ruleset, 1, rule, 0)
    os.close(place)
    _must(added, f"the kernel's Landlock does not take a rule for {path}")


def _hide_files(executable: str) -> None:
    version = _C.syscall(_CREATE_RULESET, None, 0, 1)
    if version <= 0:
        _refuse("this kernel has no Landlock, without which the program could read your files")
    rights = (1 << _RIGHTS.get(version, _MOST_RIGHTS)) - 1
    refused = [rights]
    refused += [3] if version >= _WITH_PORTS else []
    refused += [3] if version >= _WITH_SCOPES else []
    size = 8 * len(refused)
    wanted = ctypes.create_string_buffer(struct.pack(f"={len(refused)}Q", *refused))
    ruleset = _must(_C.syscall(_CREATE_RULESET, wanted, size, 0), "Landlock cannot be set up")
    _allow(ruleset, executable, _EXECUTE | _READ_FILE)
    for interpreter in _interpreters():
        _allow(ruleset, interpreter, _EXECUTE | _READ_FILE)
    for directory in _LIBRARIES:
        _allow(ruleset, directory, _READ_FILE)
    _allow(ruleset, "/etc/ld.so.cache", _READ_FILE)
    _allow(ruleset, "/dev/null", _READ_FILE | _WRITE_FILE)
    _must(_C.syscall(_RESTRICT_SELF, ruleset, 0), "Landlock cannot be entered")
    os.close(ruleset)


def _interpreters() -> Iterator[str]:
    """The linkers that load programs."""
    for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"):
        if os.path.exists(path):  # noqa: PTH110
            yield os.path.realpath(path)


def _enter_filter(made: bytes) -> None:
    kept = ctypes.create_string_buffer(made)
    program = struct.pack("=HxxxxxxQ", len(made) // 8, ctypes.addressof(kept))
    entered = _C.prctl(_SET_SECCOMP, 2, ctypes.create_string_buffer(program), 0, 0)
    _must(entered, "this kernel does not filter system calls (seccomp)")


def start(words: list[str]) -> NoReturn:
    """Becomes the program: who waits for it, for how long, its name, its file, its arguments."""
    parent, seconds, name, executable, *arguments = words
    executable = os.path.realpath(executable)
    if platform.machine() not in ("x86_64", "aarch64"):
        _refuse(f"nobody has tried it on {platform.machine()}")
    environment = {key: value for key, value in os.environ.items() if key.startswith("FENCEPOST_")}
    environment[FILTER] = _filter(_COMPUTES.values(), early=False).hex()
    output = os.memfd_create("output", 0)
    environment[OUTPUT] = str(output)
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: _MOST_FILE_BYTES,
        resource.RLIMIT_NOFILE: _MOST_FILES,
    }
    if int(seconds):
        limits[resource.RLIMIT_CPU] = int(seconds) + _SPARE_SECONDS
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))
    os.chdir("/")  # whose directory it was is nobody's business
    _must(
        _C.prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0),
        "this kernel does not end it with its parent",
    )
    if os.getppid() != int(parent):
        _refuse("nobody waits for the program any more")
    _must(_C.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "this kernel cannot withhold privileges")
    _hide_files(executable)
    _enter_filter(_filter([*_COMPUTES.values(), *_LOADS.values()], early=True))
    try:
        os.execve(executable, [name, *arguments], environment)
    except OSError as error:
        _refuse(f"{executable} cannot be started: {error.strerror}")


if __name__ == "__main__":
    start(sys.argv[1:])
