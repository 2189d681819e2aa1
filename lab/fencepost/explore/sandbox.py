# SPDX-License-Identifier: MIT
"""Starts a checked program such that it can do nothing but compute: `python -I sandbox.py PROGRAM
EXECUTABLE ARGUMENT...`, and what is said of what it tried.

The process that this module is run in gives up what it may do, for good, and becomes the program.
- No new privileges: nothing that it executes has others' rights.
- Landlock: of all files it may read the program, the system's libraries and /dev/null.
- Two filters of system calls. The first one is for the time up to the checker's own beginning, and
  lets the linker load libraries. The second is handed to the checker in the environment, which
  enters it before any code of the program's is run as a rule (checker/search/signals.cpp), and
  lets the process compute, print and end.
- Limits of open files, of the size of files, of dumps. Memory is watched from outside
  (run_program.py), for the checker reserves more address space than there is memory.

What the kernel lacks is said, and nothing is started. It imports nothing of this package.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import resource
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

#: In the environment: the second filter, in hexadecimal.
FILTER = "FENCEPOST_SANDBOX"

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
    "madvise": (28, 233),
    "dup2": (33, None),
    "nanosleep": (35, 101),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "exit": (60, 93),
    "uname": (63, 160),
    "fcntl": (72, 25),
    "getrusage": (98, 165),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "exit_group": (231, 94),
    "newfstatat": (262, 79),
    "dup3": (292, 24),
    "getrandom": (318, 278),
    "memfd_create": (319, 279),
    "ftruncate": (77, 46),
    "arch_prctl": (158, None),
}
#: Besides, until the checker begins.
_LOADS: _Numbers = {
    "execve": (59, 221),
    "access": (21, None),
    "faccessat": (269, 48),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "seccomp": (317, 277),
}
#: With conditions.
_MMAP, _MPROTECT, _TGKILL, _PRLIMIT = (9, 222), (10, 226), (234, 131), (302, 261)
_OPENAT, _OPEN, _PRCTL, _IOCTL = (257, 56), (2, None), (157, 167), (16, 29)

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
    for name, numbers in (_REFUSED | _COMPUTES | _LOADS).items():
        if numbers[0 if _X86_64 else 1] == number:
            return name
    return f"number {number}"


def with_names(reason: str) -> str:
    """What the checker says, with the name of a system call for its number."""
    return re.sub(r"(?<=--sandbox: system call )(\d+)", lambda m: name_of(int(m[1])), reason)


# ---- filters: classic BPF, an instruction is (code, jump if true, jump if false, constant)

_Instruction = tuple[int, int, int, int]
_LOAD, _EQUAL, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
_ALLOW, _TRAP, _KILL = 0x7FFF0000, 0x00030000, 0x80000000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_PROT_EXEC = 4
#: Of openat: to create, to truncate, a temporary file. What may be written Landlock says.
_CREATES = os.O_CREAT | os.O_TRUNC | 0o20000000


def _argument(number: int) -> _Instruction:
    """Its lower half; what is compared here has no upper one."""
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * number)


def _only_if(numbers: tuple[int | None, int | None], *check: _Instruction) -> list[_Instruction]:
    """The call is let through if `check` comes to its end, whose last jump says whether."""
    number = numbers[0 if _X86_64 else 1]
    if number is None:
        return []
    rest = [*check, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _TRAP)]
    return [(_EQUAL, 0, len(rest), number), *rest]


def _filter(calls: Iterable[tuple[int | None, int | None]], early: bool) -> bytes:
    column = 0 if _X86_64 else 1
    no_code = ((_ANY_BIT, 1, 0, _PROT_EXEC),)
    made: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, _ARCHITECTURE),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for numbers in calls:
        if (number := numbers[column]) is not None:
            made += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    own = (_argument(0), (_EQUAL, 0, 1, os.getpid()))
    made += _only_if(_TGKILL, *own)
    # To ask for a limit, not to set one: the new one is a null pointer.
    made += _only_if(
        _PRLIMIT,
        (_LOAD, 0, 0, _ARGUMENTS_AT + 20),
        (_EQUAL, 0, 3, 0),
        _argument(2),
        (_EQUAL, 0, 1, 0),
    )
    terminal = (_argument(1), (_EQUAL, 0, 1, 0x5401))  # is it one?
    made += _only_if(_IOCTL, *terminal)
    if early:
        opens = (_argument(2), (_ANY_BIT, 1, 0, _CREATES))
        made += _only_if(_OPENAT, *opens)
        made += _only_if(_PRCTL, _argument(0), (_EQUAL, 0, 1, 22))  # PR_SET_SECCOMP
        for numbers in (_MMAP, _MPROTECT):
            made += _only_if(numbers)
    else:
        for numbers in (_MMAP, _MPROTECT):
            made += _only_if(numbers, _argument(2), *no_code)
    made.append((_RETURN, 0, 0, _TRAP))
    return b"".join(struct.pack("=HBBI", *one) for one in made)


# ---- what is called once, in the process that becomes the program

_C = ctypes.CDLL(None, use_errno=True)
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP = 38, 22
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE = 1, 2, 4
#: The rights that each version of Landlock knows of files, as many lowest bits.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_RIGHTS = 16
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
    wanted = ctypes.create_string_buffer(struct.pack("=Q", rights))
    ruleset = _must(_C.syscall(_CREATE_RULESET, wanted, 8, 0), "Landlock cannot be set up")
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
    """Becomes the program: its name, its file, its arguments."""
    name, executable, *arguments = words
    if platform.machine() not in ("x86_64", "aarch64"):
        _refuse(f"nobody has tried it on {platform.machine()}")
    environment = {key: value for key, value in os.environ.items() if key.startswith("FENCEPOST_")}
    environment[FILTER] = _filter(_COMPUTES.values(), early=False).hex()
    for which, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _MOST_FILE_BYTES),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
    ):
        resource.setrlimit(which, (most, most))
    _must(_C.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "this kernel cannot withhold privileges")
    _hide_files(os.path.realpath(executable))
    _enter_filter(_filter([*_COMPUTES.values(), *_LOADS.values()], early=True))
    try:
        os.execve(executable, [name, *arguments], environment)
    except OSError as error:
        _refuse(f"{executable} cannot be started: {error.strerror}")


if __name__ == "__main__":
    start(sys.argv[1:])
