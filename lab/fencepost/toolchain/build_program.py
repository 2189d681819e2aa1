# SPDX-License-Identifier: MIT
"""Turns unmodified source files into an executable that explores its own executions.

Each file is compiled with the compiler's thread instrumentation (compile_source.py), but linked to
the checker's runtime in place of the one the compiler brings. The objects are searched on the way
for calls that the runtime knows nothing of.
"""

from __future__ import annotations

import errno
import re
import shutil
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

from fencepost.binary import refused_calls, unseen_calls
from fencepost.binary.assembly_scan import Endings
from fencepost.binary.call_scan import check_policies, refuse, refused_symbols, unwatched_calls
from fencepost.binary.linked_code import link_words, linked_code
from fencepost.binary.machines import tool
from fencepost.binary.object_symbols import defined_symbols, resolved_to_nothing
from fencepost.binary.own_names import assumption, new_names, own_names
from fencepost.binary.unseen_calls import counted_functions
from fencepost.binary.unwatched_library import (
    answers_given,
    has_coroutines,
    promises_used,
    unwatched_library_calls,
)
from fencepost.console.input_error import UnsupportedInstruction, UnusableInput
from fencepost.system.source_file import check_source
from fencepost.system.whole_file import copy_whole
from fencepost.toolchain.compile_source import compile_source, fail_if_disk_is_full, is_c
from fencepost.toolchain.either_compiler import built_by_either, first_usable
from fencepost.toolchain.instrumentation_off import check_flags
from fencepost.toolchain.toolchain import Program, Toolchain, run_tool, runtime_library

#: By these the compiler also chooses what a program starts with: with -ffast-math what becomes of
#: the smallest numbers, in all threads.
STARTS_WITH = re.compile(
    r"-O\S*|-f(no-)?(fast-math|unsafe-math-optimizations)|-mpc\d+|-m(no-)?daz-ftz"
)

#: What is assumed of every program that one of them compiles.
OF_CLANG = "no memory order is one that the standard forbids (see gcc)"
OF_GCC = (
    "operands that cannot matter (as in x * 0) have no part in a race: gcc does not load them "
    "(clang does)"
)

#: Tells the runtime that functions are not inlined (checker/interface/instrumentation/tsan.cpp).
UNOPTIMISED = "-Wl,--defsym=fencepost_unoptimised=1"

#: Any symbol of the runtime, which is one object (checker/CMakeLists.txt).
RUNTIME = "-Wl,--undefined=fencepost_switch_stack"

#: Tells the runtime that there may be C++ in the program (checker/interface/locks/lock_marks.hpp),
#: and asks for what it then needs (checker/execution/loops/standard_streams.cpp).
MAY_BE_CPP = "-Wl,--defsym=fencepost_objects_take_places=1,--undefined=fencepost_standard_streams"


def _assembled(code: str, stem: Path, compiler: list[str]) -> Path:
    source, object_file = stem.with_suffix(".s"), stem.with_suffix(".o")
    source.write_text(code)
    done = run_tool([*compiler, "-c", str(source), "-o", str(object_file)])
    if done.returncode:
        fail_if_disk_is_full(done.stderr, stem.parent)
        raise UnusableInput(f"cannot be assembled:\n{done.stderr.rstrip()}", str(source))
    return object_file


def _rename(object_file: Path, names: Path) -> Path:
    """The object with the calls that the runtime must see under the runtime's names for them."""
    renamed = object_file.with_suffix(".renamed.o")
    words = [tool("objcopy", object_file), f"--redefine-syms={names}"]
    done = run_tool([*words, str(object_file), str(renamed)])
    if done.returncode:
        fail_if_disk_is_full(done.stderr, object_file.parent)
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

    before = len(noted)
    try:
        if toolchain.or_another:
            return built_by_either(toolchain, build, noted)
        return build(toolchain)
    except UnsupportedInstruction:
        del noted[before:]  # of programs that are no more
        first = first_usable(toolchain) if toolchain.or_another else toolchain
        return build(replace(first, ends_at_instructions=True))


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
        endings = Endings()
        objects = [
            compile_source(
                source, directory / f"{number}-{_plain(source)}", toolchain, machine, noted, endings
            )
            for number, source in enumerate(sources)
        ]
        check_policies(objects)
        names = ", ".join(str(source) for source in sources)
        if not any("main" in defined_symbols(object_file) for object_file in objects):
            raise UnusableInput("has no main(): there is nothing to run", names)
        executable = directory / "program"
        compiler = [toolchain.cpp_compiler, *toolchain.target_flags]
        replaced = own_names(objects, runtime)
        names_file = directory / "new-names.txt"
        counted = counted_functions(objects, runtime)
        stubs = []
        if counted:
            code = unseen_calls.stubs(counted, machine)
            stubs.append(_assembled(code, directory / "counted-calls", compiler))
        # Bound at start: the program's data is put back before every execution, and lazy binding
        # would be undone with it.
        # Each library that the compiler adds is asked for, which is sooner than to find out.
        begin = [*compiler, "-no-pie", "-Wl,-z,now", "-Wl,--push-state,--no-as-needed"]
        begin += filter(STARTS_WITH.fullmatch, toolchain.flags)
        begin += ["-o", str(executable)]
        # Whatever the program calls itself: libraries call entry points that it does not.
        said = any(flag.startswith("-x") for flag in toolchain.flags)
        all_c = not toolchain.trusted and not said and all(map(is_c, sources))
        rest = [RUNTIME, *([] if all_c else [MAY_BE_CPP]), str(runtime)]
        rest += [] if toolchain.optimises else [UNOPTIMISED]
        own_words = [*link_words(toolchain.trusted), *toolchain.library_flags]
        rest += ["-Wl,--pop-state", *own_words, "-Wl,--no-as-needed"] if own_words else []
        rest += ["-lpthread", "-ldl"]

        def link(sent_to_stubs: str) -> tuple[list[Path], CompletedProcess[str]]:
            names_file.write_text(new_names(replaced) + sent_to_stubs)
            parts = [*(_rename(object_file, names_file) for object_file in objects), *stubs]
            return parts, run_tool([*begin, *map(str, parts), *rest, "-Wl,-t,-t"])

        parts, done = link(unseen_calls.renames(counted))
        if done.returncode:
            fail_if_disk_is_full(done.stderr, directory)
            for one in refused_symbols(objects, runtime):
                refuse(one)
            _, done = link("")  # the complaint is to name the callers
            raise UnusableInput(f"cannot be linked:\n{_link_message(done.stderr)}", names)
        own = {file.resolve() for file in (*parts, runtime)}
        linked = linked_code(done.stdout, own, toolchain.trusted, machine, directory)
        libraries = {Path(line) for line in done.stdout.splitlines() if ".so" in line}
        every = [*linked.objects, *objects]
        nothing = resolved_to_nothing(every, executable, libraries)
        refused = refused_symbols(every, runtime, nothing)
        met = refused_calls.may_be_met(refused, objects, executable) if refused else {}
        for one in refused:
            if one.symbol not in met:
                refuse(one, linked.objects)
        assumptions = [*linked.assumptions]
        if endings.said:
            instructions = ", ".join(dict.fromkeys(endings.said))
            assumptions.append(
                f"no execution comes to {instructions}, which would end without a verdict"
            )
        if met:
            code = refused_calls.stubs(met, machine)
            stubs.append(_assembled(code, directory / "refused-calls", compiler))
            kept = unseen_calls.renames(name for name in counted if name not in met)
            _, done = link(kept + refused_calls.renames(met))
            if done.returncode:
                fail_if_disk_is_full(done.stderr, directory)
                raise UnusableInput(f"cannot be linked:\n{_link_message(done.stderr)}", names)
            assumptions.append(refused_calls.assumption(met))
        if replaced:
            assumptions.append(assumption(replaced))
        assumptions.append(OF_CLANG if toolchain.is_clang else OF_GCC)
        if toolchain.as_compiled:
            assumptions.append("as compiled: accesses that gcc leaves out have no part in a race")
        if any(re.fullmatch(r"-DNDEBUG(=.*)?", flag) for flag in toolchain.flags):
            assumptions.append("NDEBUG is defined: no assert() is checked")
        unwatched = unwatched_calls([*objects, *linked.objects])
        unwatched += unwatched_library_calls(objects, runtime, met)
        if unwatched:
            called = ", ".join(unwatched)
            assumptions.append(f"what {called} does to the program's memory has no part in a race")
        if {"setvbuf", "setbuf"} & set(unwatched):
            assumptions.append("an array given to setvbuf or setbuf lives as long as its stream")
        for promise in promises_used(objects):
            assumptions.append(
                f"a {promise} may end while another thread, which has made the result ready, "
                "returns from it, as in libstdc++; the standard forbids it"
            )
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
