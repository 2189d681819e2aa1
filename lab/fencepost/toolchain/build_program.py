# SPDX-License-Identifier: MIT
"""Turns unmodified source files into an executable that explores its own executions.

Each file is compiled with the compiler's thread instrumentation, but linked to the checker's
runtime in place of the one the compiler brings. The assembly and the object are searched on the
way for what the runtime would be blind to: better a refusal with a line number than a verdict that
missed it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from fencepost import ROOT
from fencepost.binary.assembly_scan import model_assembly
from fencepost.binary.call_scan import check_calls, check_policies, unwatched_calls
from fencepost.binary.linked_code import is_compiled, link_words, linked_code
from fencepost.binary.machines import tool
from fencepost.binary.machines.machine import Machine
from fencepost.binary.object_symbols import data_in_code, defined_symbols, resolved_to_nothing
from fencepost.binary.own_names import assumption, new_names, own_names
from fencepost.binary.source_location import short_path
from fencepost.binary.unseen_calls import counted_functions, renames, stubs
from fencepost.binary.unwatched_library import (
    answers_given,
    has_coroutines,
    unwatched_library_calls,
)
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.system.source_file import as_argument, check_source
from fencepost.system.whole_file import copy_whole
from fencepost.toolchain.early_instrumentation import OPTIMISED, REFUSED
from fencepost.toolchain.either_compiler import built_by_either
from fencepost.toolchain.gcc_plugin import check_refusals, plugin_for
from fencepost.toolchain.instrumentation_off import check_flags
from fencepost.toolchain.library_waits import fence_library_waits, replaced_headers
from fencepost.toolchain.own_headers import own_headers
from fencepost.toolchain.sync_builtins import marked_builtins
from fencepost.toolchain.toolchain import Program, Toolchain, run_tool, runtime_library
from fencepost.toolchain.unused_results import rename_unasked_barriers

C_SUFFIXES = {".c"}
CPP_SUFFIXES = {".cc", ".cpp", ".cxx", ".c++", ".C", ".cp"}

#: -O1 keeps a line of source recognisable; -fno-builtin keeps the compiler from inlining memset
#: and memcpy, which would touch memory behind the runtime's back. FENCEPOST_CHECK is for the
#: library: include/fencepost/instrumentation.hpp.
INSTRUMENTED = ["-O1", "-fsanitize=thread", "-fno-builtin", "-DFENCEPOST_CHECK"]

#: Behind the program's own flags, for more than what is told rests on it: where the C++ library
#: waits, and what it runs in parallel. Of DWARF 5 binutils 2.40 names wrong files.
DEBUGGED = ["-g", "-gdwarf-4"]

#: No frame steps over the guard below a stack.
STACK_GUARDED = "-fstack-clash-protection"

#: By these the compiler also chooses what a program starts with: with -ffast-math what becomes of
#: the smallest numbers, in all threads.
STARTS_WITH = re.compile(
    r"-O\S*|-f(no-)?(fast-math|unsafe-math-optimizations)|-mpc\d+|-m(no-)?daz-ftz"
)

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

#: What is assumed of every program that one of them compiles.
OF_CLANG = "no memory order is one that the standard forbids (see gcc)"
OF_GCC = (
    "operands that cannot matter (as in x * 0) have no part in a race: gcc does not load them "
    "(clang does)"
)

#: Tells the plugin that what gcc leaves out is to be left out.
AS_COMPILED = "FENCEPOST_AS_COMPILED"

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

#: Tells the runtime that functions are not inlined (checker/interface/instrumentation/tsan.cpp).
UNOPTIMISED = "-Wl,--defsym=fencepost_unoptimised=1"

#: Tells the runtime that there may be C++ in the program (checker/interface/locks/lock_marks.hpp).
MAY_BE_CPP = "-Wl,--defsym=fencepost_objects_take_places=1"

GCC_PLUGIN = ROOT / "checker" / "compiler" / "gcc_plugin.cpp"

#: Headers of the C++ library that the checker has its own of.
OWN_HEADERS = ROOT / "checker" / "interface" / "cxx_library" / "headers"


def _is_c(source: Path) -> bool:
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


def _fail_if_disk_is_full(text: str, directory: Path) -> None:
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
        _fail_if_disk_is_full(done.stderr, stem.parent)
        check_refusals(done.stderr)
        raise UnusableInput(f"does not compile:\n{done.stderr.rstrip()}", str(source))
    if done.stderr:
        warnings.append(done.stderr.rstrip())


def _compile_by_llvm(
    source: Path, stem: Path, toolchain: Toolchain, command: list[str], warnings: list[str]
) -> None:
    """Translates, instruments, and only then optimises (early_instrumentation.py)."""
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
        _fail_if_disk_is_full(done.stderr, stem.parent)
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
    whole = [*command, "-S", as_argument(source), "-o", str(stem.with_suffix(".s"))]
    _translate(whole, source, stem, warnings, told)


def _compile(
    source: Path, stem: Path, toolchain: Toolchain, machine: Machine, warnings: list[str]
) -> Path:
    is_c = _is_c(source)
    compiler = [toolchain.c_compiler if is_c else toolchain.cpp_compiler, *toolchain.target_flags]
    command = [*compiler, "-std=gnu11" if is_c else "-std=c++20", *INSTRUMENTED]
    if toolchain.is_clang:
        command += [*CLANG_ONLY, *marked_builtins(stem.parent)]
    else:
        built = runtime_library().parent
        plugin = plugin_for(toolchain.c_compiler, built, GCC_PLUGIN, stem.parent)
        command += [*GNU_ONLY, f"-fplugin={plugin}"]
        as_written = GNU_AS_WRITTEN if is_c else CPP_AS_WRITTEN
        command += [] if toolchain.as_compiled else as_written
    if not is_c:
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
    if is_c and JUMPS_TO_HANDLERS in assembly.read_text(errors="replace"):
        _compile_to_assembly(source, stem, toolchain, [*command, UNWINDS_TO_HANDLERS], [])
    model_assembly(assembly, machine)
    rename_unasked_barriers(assembly, machine)
    if not toolchain.library_as_written:
        fence_library_waits(assembly)
    done = run_tool([*compiler, "-c", str(assembly), "-o", str(object_file)])
    if done.returncode:
        _fail_if_disk_is_full(done.stderr, stem.parent)
        raise UnusableInput(f"cannot be assembled:\n{done.stderr.rstrip()}", str(source))
    if names := data_in_code(object_file):
        raise Unsupported(
            f"'{names[0]}' is data in a section of code: its bytes may be run unseen", str(source)
        )
    return object_file


def _count_calls(
    objects: list[Path], runtime: Path, compiler: list[str], directory: Path, machine: Machine
) -> tuple[list[Path], str]:
    """The stubs that count calls into libraries, and what is to be renamed so that they are called;
    neither if there are no such calls."""
    functions = counted_functions(objects, runtime)
    if not functions:
        return [], ""
    source, object_file = directory / "counted-calls.s", directory / "counted-calls.o"
    source.write_text(stubs(functions, machine))
    done = run_tool([*compiler, "-c", str(source), "-o", str(object_file)])
    if done.returncode:
        _fail_if_disk_is_full(done.stderr, directory)
        raise UnusableInput(f"cannot be assembled:\n{done.stderr.rstrip()}", str(source))
    return [object_file], renames(functions)


def _rename(object_file: Path, names: Path) -> Path:
    """The object with the calls that the runtime must see under the runtime's names for them."""
    renamed = object_file.with_suffix(".renamed.o")
    words = [tool("objcopy", object_file), f"--redefine-syms={names}"]
    done = run_tool([*words, str(object_file), str(renamed)])
    if done.returncode:
        _fail_if_disk_is_full(done.stderr, object_file.parent)
        raise UnusableInput(f"symbols cannot be renamed:\n{done.stderr.rstrip()}", str(object_file))
    return renamed


def _link_message(stderr: str) -> str:
    """The linker's complaint without the paths of temporary files."""
    kept = [line for line in stderr.splitlines() if not line.startswith("collect2:")]
    text = "\n".join(re.sub(r"^/\S*/ld: (?:\S+\.o: )?", "", line) for line in kept)
    return text.replace("in function", "in")


def build_program(
    sources: list[Path],
    toolchain: Toolchain,
    directory: Path,
    arguments: tuple[str, ...] = (),
    warnings: list[str] | None = None,
) -> Program:
    """Builds one program of all `sources` inside `directory`, which is the caller's to remove.

    Raises UnusableInput if it cannot be built, Unsupported if it would not be understood.
    """
    runtime_library()  # or there is nothing to build it for
    noted = warnings if warnings is not None else []
    for source in sources:
        check_source(source)
    check_flags(toolchain.flags)

    def build(chosen: Toolchain) -> Program:
        return _built_by(chosen, sources, directory, arguments, noted)

    return built_by_either(toolchain, build, noted) if toolchain.or_another else build(toolchain)


def _built_by(
    toolchain: Toolchain,
    sources: list[Path],
    directory: Path,
    arguments: tuple[str, ...],
    noted: list[str],
) -> Program:
    runtime = runtime_library()
    machine = toolchain.machine()
    if toolchain.as_compiled and toolchain.is_clang:
        raise UnusableInput(
            "--as-compiled is for gcc: what clang translates is seen as it is written"
        )
    if shutil.which(toolchain.cpp_compiler) is None:  # it links C programs, too
        raise UnusableInput(f"there is no compiler '{toolchain.cpp_compiler}' here")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        objects = [
            _compile(source, directory / f"{number}-{_plain(source)}", toolchain, machine, noted)
            for number, source in enumerate(sources)
        ]
        check_policies(objects)
        names = ", ".join(str(source) for source in sources)
        if not any("main" in defined_symbols(object_file) for object_file in objects):
            raise UnusableInput("has no main(): there is nothing to run", names)
        executable = directory / "program"
        compiler = [toolchain.cpp_compiler, *toolchain.target_flags]
        replaced = own_names(objects, runtime)
        counted, counted_names = _count_calls(objects, runtime, compiler, directory, machine)
        names_file = directory / "new-names.txt"
        names_file.write_text(new_names(replaced) + counted_names)
        renamed = [*(_rename(object_file, names_file) for object_file in objects), *counted]
        # Bound at start: the program's data is put back before every execution, and lazy binding
        # would be undone with it.
        # Each library that the compiler adds is asked for, which is sooner than to find out.
        begin = [*compiler, "-no-pie", "-Wl,-z,now", "-Wl,--push-state,--no-as-needed"]
        begin += filter(STARTS_WITH.fullmatch, toolchain.flags)
        begin += ["-o", str(executable)]
        # The whole of it: libraries call entry points that the program itself does not.
        rest = ["-Wl,--whole-archive", str(runtime), "-Wl,--no-whole-archive"]
        rest += [] if toolchain.optimises else [UNOPTIMISED]
        is_c = not toolchain.trusted and all(map(_is_c, sources))
        rest += [] if is_c else [MAY_BE_CPP]
        own_words = [*link_words(toolchain.trusted), *toolchain.library_flags]
        rest += ["-Wl,--pop-state", *own_words, "-Wl,--no-as-needed"] if own_words else []
        rest += ["-lpthread", "-ldl"]
        done = run_tool([*begin, *map(str, renamed), *rest, "-Wl,-t,-t"])
        if done.returncode:
            _fail_if_disk_is_full(done.stderr, directory)
            check_calls(objects, runtime)
            if counted:  # the complaint is to name the callers
                names_file.write_text(new_names(replaced))
                plain = [_rename(object_file, names_file) for object_file in objects]
                done = run_tool([*begin, *map(str, plain), *rest])
            raise UnusableInput(f"cannot be linked:\n{_link_message(done.stderr)}", names)
        own = {file.resolve() for file in (*renamed, runtime)}
        linked = linked_code(done.stdout, own, toolchain.trusted, machine, directory)
        libraries = {Path(line) for line in done.stdout.splitlines() if ".so" in line}
        every = [*objects, *linked.objects]
        nothing = resolved_to_nothing(every, executable, libraries)
        check_calls(every, runtime, nothing, linked.objects)
        assumptions = [*linked.assumptions]
        if replaced:
            assumptions.append(assumption(replaced))
        assumptions.append(OF_CLANG if toolchain.is_clang else OF_GCC)
        if toolchain.as_compiled:
            assumptions.append("as compiled: accesses that gcc leaves out have no part in a race")
        if any(re.fullmatch(r"-DNDEBUG(=.*)?", flag) for flag in toolchain.flags):
            assumptions.append("NDEBUG is defined: no assert() is checked")
        unwatched = unwatched_calls([*objects, *linked.objects])
        unwatched += unwatched_library_calls(objects, runtime)
        if unwatched:
            called = ", ".join(unwatched)
            assumptions.append(f"what {called} does to the program's memory has no part in a race")
        if has_coroutines(objects):
            assumptions.append(
                "a coroutine's local variable that lives across a suspension lives on in its frame "
                "after its scope"
            )
        assumptions += answers_given(objects)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise UnusableInput(f"no space left on the device that holds {directory}") from None
        raise
    return Program(executable, tuple(sources), arguments, tuple(assumptions), linked.instrumented)


def _plain(source: Path) -> str:
    """Its name as other tools take it, in their lists of files, say: without spaces, ends of lines,
    or bytes that are no letters."""
    return re.sub(r"[^A-Za-z0-9_.+-]", "_", source.stem)


def keep(program: Program, directory: Path) -> None:
    """Copies what was built, for a look with other tools. Raises UnusableInput."""
    for file in program.executable.parent.iterdir():
        if file.is_file():
            try:
                copy_whole(file, directory / file.name)
            except OSError as trouble:
                raise UnusableInput(f"{directory / file.name}: {trouble.strerror}") from None
