# SPDX-License-Identifier: MIT
"""The arguments that say what is checked, under which models and how far: of `fencepost check`, of
`fencepost weaken`, and of the comments at the top of programs (annotated.py)."""

from __future__ import annotations

import argparse

from fencepost.console.arguments import completed, seconds, whole
from fencepost.console.input_error import UnusableInput
from fencepost.execution.fields import MOST_EVENTS_OF_A_THREAD
from fencepost.explore.run_program import Bounds
from fencepost.explore.sandbox import MOST_SECONDS
from fencepost.toolchain.toolchain import Toolchain

MODELS = ("sc", "c++20", "c++14", "x86")
#: By name; any other name of one of them will do.
COMPILERS = ("gcc", "gcc-12", "clang-14", "clang-15", "clang-16", "clang-19")


def add_program(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what is checked."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="C or C++ source with a main()")
    model = parser.add_argument(
        "-m",
        "--model",
        action="append",
        metavar="MODEL",
        help=f"memory model, of {', '.join(MODELS)} (default c++20); may be repeated or a list a,b",
    )
    completed(model, lambda: MODELS)
    parser.add_argument("--link", action="store_true", help="the files are one program")
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="OBJECT",
        help="link this object file or archive (or -lNAME) as it is, and take what it does to "
        "memory on trust; may be repeated",
    )
    add_compiler(parser)


def add_compiler(parser: argparse.ArgumentParser) -> None:
    compiler = parser.add_argument(
        "--cc",
        metavar="COMPILER",
        help="gcc 12, clang 14, 15, 16 or 19 (gcc-12, clang-14, ...), or a path to one (default: "
        "gcc, and clang for what gcc is refused)",
    )
    completed(compiler, lambda: COMPILERS)
    parser.add_argument(
        "--as-compiled",
        action="store_true",
        help="check what gcc's optimiser has left of the program's accesses (at -O1, or what is "
        "passed on), not all that are written",
    )


def add_jobs(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument(
        "-j", "--jobs", type=whole(1, MOST_JOBS), default=1, metavar="N", help=meaning
    )


def toolchain_of(args: argparse.Namespace) -> Toolchain:
    """What `add_program` and `add_bounds` were told of how programs are made."""
    return Toolchain(
        args.cc or "gcc",
        tuple(args.passed_on),
        args.library_as_written,
        trusted=tuple(args.trust),
        # Both are gcc's alone.
        or_another=not (args.cc or args.as_compiled or args.weak_cas or args.unroll),
        as_compiled=args.as_compiled,
        announces_turns=args.unroll != 0,
    )


#: Options that may have a number, after an `=`: without one it is 1.
COUNTED = {
    "--timeouts": "timed waits may also time out, and deadlines pass,",
    "--spurious": "waits may also wake for nothing,",
    "--weak-cas": "weak compare-exchanges may also fail for nothing,",
    "--reuse": "freed memory may be given out again (ABA), whatever is done with addresses,",
}
MOST_OFTEN = 10
#: What the runtime takes (options.hpp).
MOST_JOBS = 256
#: With --reuse: not just the last block of a size that each thread has freed.
ALL = "all"


def with_counts(words: list[str]) -> list[str]:
    """A command line in which each of them has its number."""
    return [f"{word}=1" if word in COUNTED else word for word in words]


_few = whole(1, MOST_OFTEN)


def _few_or_all(text: str) -> int | str:
    return ALL if text == ALL else _few(text)


def add_assumptions(output: argparse._ArgumentGroup) -> None:
    output.add_argument(
        "--assumptions",
        action="store_true",
        help="list also what is assumed of every program that holds",
    )


def add_bounds(bounds: argparse._ArgumentGroup) -> None:
    """The arguments that say what of a program is explored, as read by `bounds_of`."""
    bounds.add_argument(
        "--timeout",
        type=seconds,
        default=0.0,
        metavar="SECONDS",
        help="stop after so long, without a verdict where nothing was found (default: never)",
    )
    bounds.add_argument(
        "--max-executions",
        type=whole(1, 10**15),
        default=0,
        metavar="N",
        help="stop after so many, as --timeout does (default: never)",
    )
    bounds.add_argument(
        "--max-events",
        type=whole(1, MOST_EVENTS_OF_A_THREAD),
        default=0,
        metavar="N",
        help=f"events a thread may have (1 to {MOST_EVENTS_OF_A_THREAD})",
    )
    bounds.add_argument(
        "--unroll",
        type=whole(1, MOST_EVENTS_OF_A_THREAD),
        default=0,
        metavar="N",
        help="a loop may turn N times with an effect, and then stops its thread: with no violation "
        "so far and a loop that would go on the result is inconclusive",
    )
    bounds.add_argument(
        "--within-bounds",
        action="store_true",
        help="... and with this option it holds, for what --unroll lets be explored",
    )
    for option, what in COUNTED.items():
        more = f"; with {option}=all all that was freed, {MOST_OFTEN} times"
        bounds.add_argument(
            option,
            type=_few_or_all if option == "--reuse" else _few,
            nargs="?",
            const=1,
            default=0,
            metavar="N",
            help=f"{what} in each thread, once or, with {option}=N, N times (1 to {MOST_OFTEN})"
            + (more if option == "--reuse" else ""),
        )
    bounds.add_argument(
        "--no-reuse",
        action="store_true",
        help="freed memory is not given out again, not even blocks of the sizes that a "
        "compare-exchange expects the address of (which may be, once in each thread)",
    )
    bounds.add_argument(
        "--sandbox",
        action="store_true",
        help="for a program that you have not written: it may only compute, not read your files, "
        "reach the network or start anything; it has 4 GiB, 600 s where there is no --timeout, and "
        "one process a check. What its source makes the compiler do is not restricted",
    )
    bounds.add_argument(
        "--no-membarrier", action="store_true", help="the kernel has no membarrier: ENOSYS"
    )
    bounds.add_argument(
        "--library-as-written",
        action="store_true",
        help="judge the C++ library's own waiting by the orders in its headers, too; under x86 "
        "that of std::atomic is in any case",
    )
    bounds.add_argument("--leaks", action="store_true", help="memory left allocated is a violation")
    bounds.add_argument(
        "--daemons", action="store_true", help="who waits when main has returned may wait for ever"
    )
    bounds.add_argument(
        "--any-exit-status",
        action="store_true",
        help="a program that ends with a status other than 0 has not failed",
    )
    bounds.add_argument(
        "--bounded-spins",
        action="store_true",
        help="explore the first rounds and the last of every loop that spins on one atomic object "
        "and changes a counter only; not what the counter holds when such a loop ends in between",
    )
    bounds.add_argument(
        "--no-bounded-spins",
        action="store_true",
        help="explore every round of such a loop, also where it is proved that nobody can tell how "
        "many it took",
    )
    bounds.add_argument(
        "--symmetry",
        action="store_true",
        help="explore one of several executions that only exchange identical threads",
    )


def refuse_contradictions(args: argparse.Namespace) -> None:
    """Raise UnusableInput where options of `add_program` and `add_bounds` contradict each other."""
    if args.reuse and args.no_reuse:
        raise UnusableInput("--reuse and --no-reuse: leave one of them out")
    if args.reuse and args.symmetry:
        raise UnusableInput(
            "--symmetry takes threads for the same, and --reuse tells them apart by what they have "
            "freed: leave one of them out"
        )
    if args.weak_cas and toolchain_of(args).is_clang:
        raise UnusableInput(
            "--weak-cas: clang does not tell weak compare-exchanges from strong ones; gcc does: "
            "leave --cc out, or --weak-cas"
        )
    if args.unroll and toolchain_of(args).is_clang:
        raise UnusableInput(
            "--unroll: where loops turn gcc announces, and clang does not: leave --cc out, or "
            "--unroll"
        )
    if args.within_bounds and not args.unroll:
        raise UnusableInput("--within-bounds: within what? Bound the loops by --unroll N, too")
    if args.bounded_spins and args.no_bounded_spins:
        raise UnusableInput("--bounded-spins and --no-bounded-spins: leave one of them out")
    if args.sandbox and (getattr(args, "checkpoint", None) or getattr(args, "cluster", None)):
        raise UnusableInput(
            "--sandbox lets the program write no checkpoint and talk to no cluster: leave "
            "--checkpoint and --cluster out"
        )
    if args.symmetry and args.trust:
        raise UnusableInput(
            "--symmetry watches for whatever tells threads apart, and what --trust links is not "
            "seen: leave one of them out"
        )


def bounds_of(args: argparse.Namespace, model: str) -> Bounds:
    return Bounds(
        model=model,
        timeout=args.timeout or (MOST_SECONDS if args.sandbox else 0.0),
        sandbox=args.sandbox,
        max_executions=args.max_executions,
        max_events=args.max_events,
        unroll=args.unroll,
        timeouts=args.timeouts,
        spurious=args.spurious,
        weak_cas=args.weak_cas,
        reuse=MOST_OFTEN if args.reuse == ALL else args.reuse,
        reuse_all=args.reuse == ALL,
        no_reuse=args.no_reuse,
        no_membarrier=args.no_membarrier,
        leaks=args.leaks,
        symmetry=args.symmetry,
        daemons=args.daemons,
        any_exit_status=args.any_exit_status,
        bounded_spins=args.bounded_spins,
        no_bounded_spins=args.no_bounded_spins,
        within_bounds=args.within_bounds,
    )


def models_of(given: list[str] | None) -> list[str]:
    models = [name.strip().lower() for text in given or ["c++20"] for name in text.split(",")]
    for model in models:
        if model not in MODELS:
            raise UnusableInput(f"there is no model '{model}' (known: {', '.join(MODELS)})")
    return list(dict.fromkeys(models))
