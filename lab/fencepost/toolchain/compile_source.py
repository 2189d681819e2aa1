# SPDX-License-Identifier: MIT
"""Turns one source file, as it is, into an object that announces what it does to memory: with the
compiler's thread instrumentation, of which the assembly and the object are searched for what the
runtime would be blind to. Better a refusal with a line number than a verdict that missed it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from fencepost import ROOT
from fencepost.binary.assembly_scan import Endings, model_assembly
from fencepost.binary.linked_code import is_compiled
from fencepost.binary.machines.machine import Machine
from fencepost.binary.object_symbols import data_in_code
from fencepost.binary.source_location import short_path
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.system.source_file import as_argument
from fencepost.toolchain.gcc_plugin import check_refusals, plugin_for
from fencepost.toolchain.library_waits import fence_library_waits, replaced_headers
from fencepost.toolchain.own_headers import own_headers
from fencepost.toolchain.sync_builtins import marked_builtins
from fencepost.toolchain.toolchain import Toolchain, run_tool, runtime_library

C_SUFFIXES = {".c"}
CPP_SUFFIXES = {".cc", ".cpp", ".cxx", ".c++", ".C", ".cp"}

#: -O1 keeps a line of source recognisable; -fno-builtin keeps the compiler from inlining memset
#: and memcpy, which would touch memory behind the runtime's back. FENCEPOST_CHECK is for the
#: library: include/fencepost/instrumentation.hpp.
INSTRUMENTED = ["-O1", "-fsanitize=thread", "-fno-builtin", "-DFENCEPOST_CHECK"]

#: Behind the program's own flags, for more than what is told rests on it: where the C++ library
#: waits, and what it runs in parallel. Of DWARF 5 binutils 2.40 names wrong files; what clang
#: splits off it leaves in the working directory.
DEBUGGED = ["-g", "-gdwarf-4", "-gno-split-dwarf"]

#: No frame steps over the guard below a stack.
STACK_GUARDED = "-fstack-clash-protection"

#: gcc warns that the usual runtime ignores fences; ours does not. The program is compiled as it is
#: for users, not as it is for a race detector. And where code runs once, as in
#: main, it would leave the C++ library's small functions as calls, and steps without a line. Worse,
#: it takes the instrumentation's functions for leaves, after which nobody comes back into the file,
#: and would keep a static variable in a register from one critical section to the next.
#: -fno-ipa-ra: what a call may clobber is taken to be gone (machines/x86_64_registers.py).
GNU_ONLY = [
    STACK_GUARDED,
    "-Wno-tsan",
    "-U__SANITIZE_THREAD__",
    "-finline-small-functions",
    "--param=max-inline-insns-size=80",
    "-fno-ipa-reference",
    "-fno-ipa-ra",
]

#: What is written and never read, or read in vain, races all the same: so nothing is left out as
#: dead, nor moved to where it is needed (-ftree-sink; -fipa-sra and -fipa-cp copy of a struct that
#: is passed what the function reads). And what was loaded and is stored back is written: who
#: numbers values would leave it out (-ftree-fre, -ftree-pre and -fcode-hoisting,
#: -ftree-dominator-opts). Nor is anything loaded that no way comes to: before a loop
#: (-ftree-loop-im), of two members of which one is asked for (-fhoist-adjacent-loads), of the
#: second operand where the first has decided (-ftree-reassoc), of a word whose bytes are put
#: together (-fexpensive-optimizations). Nor is of equal code in several places one made
#: (-ftree-tail-merge, -fcrossjumping, -fipa-icf), which would be at one of them for whoever looks.
#: -fsanitize=unreachable: where the program has promised that nothing comes it crashes.
GNU_AS_WRITTEN = [
    "-fno-ipa-reference-addressable",
    "-fno-ipa-pure-const",
    "-fno-tree-dce",
    "-fno-tree-dse",
    "-fno-tree-sink",
    "-fno-ipa-sra",
    "-fno-ipa-cp",
    "-fno-tree-fre",
    "-fno-tree-pre",
    "-fno-code-hoisting",
    "-fno-tree-dominator-opts",
    "-fno-tree-loop-im",
    "-fno-hoist-adjacent-loads",
    "-fno-tree-reassoc",
    "-fno-expensive-optimizations",
    "-fno-tree-tail-merge",
    "-fno-crossjumping",
    "-fno-ipa-icf",
    "-fsanitize=unreachable",
    "-fsanitize-undefined-trap-on-error",
]

#: Also where a function of C++ ends without the value that it is to return.
CPP_AS_WRITTEN = [*GNU_AS_WRITTEN, "-fsanitize=return"]

#: Tells the plugin that what gcc leaves out is to be left out.
AS_COMPILED = "FENCEPOST_AS_COMPILED"
#: Tells it to announce where loops turn.
UNROLL = "FENCEPOST_UNROLL"

#: clang makes another order of one that the standard forbids. Where it warns, it is to refuse. Of
#: an option that it does not know for AArch64 it would warn each user.
CLANG_ONLY = ["-Werror=atomic-memory-ordering", "-Xclang", STACK_GUARDED]

#: Of equal code in several places LLVM would make one.
UNMERGED = [
    *("-mllvm", "-sink-common-insts=false"),
    *("-mllvm", "-hoist-common-insts=false"),
    *("-mllvm", "-enable-tail-merge=false"),
]

#: C's pthread_cleanup_push() jumps back to where it was written, by a function of setjmp's kind.
#: With exceptions its handlers run as the stack is unwound, as pthread_exit() does it here.
JUMPS_TO_HANDLERS = "__pthread_register_cancel"
UNWINDS_TO_HANDLERS = "-fexceptions"

#: Whether a loop is back where it was is seen from the stack, which must not hold what chance left.
DEFINITE_STACK = "-ftrivial-auto-var-init="

GCC_PLUGIN = ROOT / "checker" / "compiler" / "gcc_plugin.cpp"

#: Headers of the C++ library that the checker has its own of.
OWN_HEADERS = ROOT / "checker" / "interface" / "cxx_library" / "headers"


def is_c(source: Path) -> bool:
    if source.suffix in C_SUFFIXES:
        return True
    if source.suffix in CPP_SUFFIXES:
        return False
    if is_compiled(source):
        raise UnusableInput(
            f"is compiled already: check its source, or link it as it is with --trust={source}",
            str(source),
        )
    known = " ".join(sorted(C_SUFFIXES | CPP_SUFFIXES))
    raise UnusableInput(f"not a C or C++ source file (known: {known})", str(source))


def fail_if_disk_is_full(text: str, directory: Path) -> None:
    if os.strerror(errno.ENOSPC) in text:
        raise UnusableInput(f"no space left on the device that holds {directory}")


def _translate(
    command: list[str],
    source: Path,
    stem: Path,
    warnings: list[str],
    told: Mapping[str, str] | None = None,
) -> None:
    done = run_tool(command, told)
    if done.returncode:
        fail_if_disk_is_full(done.stderr, stem.parent)
        check_refusals(done.stderr)
        raise UnusableInput(f"does not compile:\n{done.stderr.rstrip()}", str(source))
    if done.stderr:
        warnings.append(done.stderr.rstrip())


def _compile_by_llvm(
    source: Path, stem: Path, toolchain: Toolchain, command: list[str], warnings: list[str]
) -> None:
    """Translates, instruments, and only then optimises (early_instrumentation.py)."""
    from fencepost.toolchain.early_instrumentation import OPTIMISED, REFUSED

    plain, instrumented = stem.with_suffix(".bc"), stem.with_suffix(".tsan.bc")
    untouched = ["-fno-sanitize=thread", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]
    if not toolchain.optimises:  # clang marks scopes only where it is to optimise
        untouched += ["-O1", "-U__OPTIMIZE__"]
    _translate(
        [*command, *untouched, as_argument(source), "-o", str(plain)], source, stem, warnings
    )
    options = toolchain.instrumentation_options
    done = run_tool([*toolchain.early_instrumentation, str(plain), str(instrumented), *options])
    if done.returncode == REFUSED:
        place, _, reason = done.stdout.rstrip("\n").partition("\t")
        raise Unsupported(reason, short_path(place) if place else str(source))
    if done.returncode:
        fail_if_disk_is_full(done.stderr, stem.parent)
        raise UnusableInput(f"cannot be instrumented:\n{done.stderr.rstrip()}", str(source))
    assembly = ["-S", "-o", str(stem.with_suffix(".s"))]
    # Where assembly outside functions stands clang says in comments.
    told = ["-fverbose-asm", "-Qunused-arguments"]
    # No two local variables share a place on the stack: who comes to one that has ended would come
    # to another one.
    apart = ["-mllvm", "-no-stack-coloring"]
    rest = [*OPTIMISED, *told, *apart, *UNMERGED, "-x", "ir", str(instrumented)]
    try:
        _translate([*command, *assembly, *rest], source, stem, warnings)
    except UnusableInput:  # inline assembly, say: only from the source clang knows the line
        _translate([*command, *assembly, as_argument(source)], source, stem, warnings)
        raise


def _compile_to_assembly(
    source: Path, stem: Path, toolchain: Toolchain, command: list[str], warnings: list[str]
) -> None:
    if toolchain.is_clang:
        _compile_by_llvm(source, stem, toolchain, command, warnings)
        return
    told = {AS_COMPILED: "1"} if toolchain.as_compiled else {}
    told |= {UNROLL: "1"} if toolchain.announces_turns else {}
    whole = [*command, "-S", as_argument(source), "-o", str(stem.with_suffix(".s"))]
    _translate(whole, source, stem, warnings, told)


def compile_source(
    source: Path,
    stem: Path,
    toolchain: Toolchain,
    machine: Machine,
    warnings: list[str],
    endings: Endings,
) -> Path:
    in_c = is_c(source)
    compiler = [toolchain.c_compiler if in_c else toolchain.cpp_compiler, *toolchain.target_flags]
    command = [*compiler, "-std=gnu11" if in_c else "-std=c++20", *INSTRUMENTED]
    if toolchain.is_clang:
        command += [*CLANG_ONLY, *marked_builtins(stem.parent)]
    else:
        built = runtime_library().parent
        plugin = plugin_for(toolchain.c_compiler, built, GCC_PLUGIN, stem.parent)
        command += [*GNU_ONLY, f"-fplugin={plugin}"]
        as_written = GNU_AS_WRITTEN if in_c else CPP_AS_WRITTEN
        command += [] if toolchain.as_compiled else as_written
    if not in_c:
        command += replaced_headers(
            compiler,
            toolchain.flags,
            stem.parent,
            OWN_HEADERS,
            as_written=toolchain.library_as_written,
        )
    command += [*toolchain.flags, *own_headers(toolchain.flags), *DEBUGGED, "-fno-lto"]
    command.append("-fasynchronous-unwind-tables")  # pthread_exit() passes by every function
    command.append(DEFINITE_STACK + ("pattern" if toolchain.is_clang else "zero"))
    assembly, object_file = stem.with_suffix(".s"), stem.with_suffix(".o")
    # What it read stands beside it, for `--watch`.
    command += ["-MMD", "-MF", str(stem.with_suffix(".d"))]
    _compile_to_assembly(source, stem, toolchain, command, warnings)
    if in_c and JUMPS_TO_HANDLERS in assembly.read_text(errors="replace"):
        _compile_to_assembly(source, stem, toolchain, [*command, UNWINDS_TO_HANDLERS], [])
    model_assembly(assembly, machine, endings if toolchain.ends_at_instructions else None)
    if not toolchain.library_as_written:
        fence_library_waits(assembly)
    done = run_tool([*compiler, "-c", str(assembly), "-o", str(object_file)])
    if done.returncode:
        fail_if_disk_is_full(done.stderr, stem.parent)
        raise UnusableInput(f"cannot be assembled:\n{done.stderr.rstrip()}", str(source))
    if names := data_in_code(object_file):
        raise Unsupported(
            f"'{names[0]}' is data in a section of code: its bytes may be run unseen", str(source)
        )
    return object_file
