# SPDX-License-Identifier: MIT
"""Finds what switches the compiler's instrumentation off: flags, and attributes of functions.

gcc's plugin takes the attributes away (checker/compiler/gcc_plugin.cpp). clang translates as if
nothing were instrumented, and early_instrumentation.py gives each function the attribute that has
it instrumented.
"""

from __future__ import annotations

import re

from fencepost.console.input_error import UnusableInput

_SWITCHES = re.compile(
    r"-fno-sanitize=(?:.*,)?(?:thread|undefined|unreachable|return|all)(?:,.*)?"
    r"|-fno-sanitize-(?:thread|undefined)-.*"
    r"|-fsanitize-(?:ignorelist|blacklist|system-ignorelist)=.*"
    r"|(?:-|-mllvm=-|--param=)?tsan-(?!distinguish-volatile).*"
)


#: Flags with which a program is another one than the checker could run, and why.
_FOREIGN = {
    r"-fopenmp(?:=.*)?|-fopenmp-targets=.*": "OpenMP's threads are not modelled",
    r"-fopenacc|-ftree-parallelize-loops=.*": "the threads that it makes are not modelled",
    r"-fgnu-tm": "transactional memory is not modelled",
    r"-fsanitize=(?!thread$).*|-fsanitize-coverage=.*": "no other sanitizer can be there as well",
    r"--coverage|-fprofile-(?:arcs|generate.*|instr-generate.*)|-fcoverage-mapping|-pg"
    r"|-finstrument-functions.*|-fxray-instrument": "what it adds to the program is not modelled",
    r"-fsplit-stack": "stacks that grow are not modelled",
    r"-fstack-reuse=(?!all$).*|-disable-lifetime-markers|-(?:mllvm=-)?no-stack-coloring.*": (
        "the scopes of local variables would not be seen"
    ),
    r"-Wl,(?:.*,)?--?wrap[=,]__(?:tsan|fencepost)_.*": (
        "the checker sees by the function that is put in the place of another"
    ),
    r"@.*|--config.*|--?specs=.*": "what such a file holds is not looked at",
    r"-m(?:indirect-branch|function-return)=thunk-inline": (
        "where its returns go to, which are jumps, would not be seen"
    ),
    r"-m(?:x?32|16)": "the checker is built for 64 bits",
    r"-E|-MM?|-fsyntax-only": "nothing is compiled with it",
}


def check_flags(flags: tuple[str, ...]) -> None:
    for flag in flags:
        if _SWITCHES.fullmatch(flag):
            raise UnusableInput(
                f"'{flag}' switches off the instrumentation that the checker sees by: leave it out"
            )
        for pattern, why in _FOREIGN.items():
            if re.fullmatch(pattern, flag):
                raise UnusableInput(f"'{flag}' cannot be checked ({why}): leave it out")
