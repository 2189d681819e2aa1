# SPDX-License-Identifier: MIT
"""The front of the command line: one module a subcommand, each listed below by its name."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import importlib
import importlib.util
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, cast

from fencepost.console import unended
from fencepost.console.arguments import new_folder
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.console.shown import Shown, shown_output
from fencepost.console.version import version

#: name -> the line that `fencepost --help` shows. The module of the same name in commands/
#: offers `add_arguments(parser)` and `run(args) -> int`; one that is not there is not listed.
SUBCOMMANDS = {
    "check": "explore every execution of a C or C++ program",
    "weaken": "find the weakest memory orders that hold, and what they save",
    "asm": "show the instructions that compilers make of atomic operations",
    "bench": "measure the library beside its peers, in turns",
    "compare": "tell whether figures differ, by how much, and how sure that is",
    "report": "make a page of measured results: figures, intervals, verdicts; or Markdown",
    "results": "list measured results, import others', keep them in a database",
    "run": "run any program on one of the library's locks, without recompiling it",
    "study": "check and measure an argument from the literature",
    "barrierd": "start, show, try and stop the interrupt clock of this machine",
}

EPILOG = """\
Each command lists its options with --help.

exit status:
  0    it holds; it was measured; every comparison is answered
  1    it is violated; a benchmark failed
  2    no verdict; not distinguishable
  3    the input could not be read, compiled or run
  70   a mistake of Fencepost's own, and what to report
  130  it was interrupted
"""

EXIT_UNUSABLE = 3


def _present(name: str) -> bool:
    return importlib.util.find_spec(f"fencepost.commands.{name}") is not None


class _Parser(argparse.ArgumentParser):
    """Bad usage exits with 3 ("could not be run"), for 2 is the verdict "inconclusive"."""

    _words: list[str]

    def error(self, message: str) -> None:  # type: ignore[override]
        self.print_usage(sys.stderr)
        lacks = re.fullmatch(r"argument (\S+): expected (?:one|at least one) argument", message)
        if lacks:
            for option, value in pairwise(self._words):
                if option in lacks[1].split("/") and re.match("-[^-]", value):
                    message += f"; a value that begins with '-' stands behind '=': {option}={value}"
        self.exit(EXIT_UNUSABLE, f"{self.prog}: {message}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = list(args or ())
        return super().parse_known_args(args, namespace)

    def _get_values(self, action: argparse.Action, words: list[str]) -> Any:
        """No value is empty, as that of `--html=$page` is where nobody has set `page`."""
        found = super()._get_values(action, words)
        if action.option_strings and "" in words:
            raise argparse.ArgumentError(action, "its value is empty; or leave the option out")
        return found

    def options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]

    def takes_more(self, words: list[str], args: argparse.Namespace) -> bool:
        """Files that stand behind options and others before them: argparse leaves those over."""
        lists = [one for one in self._actions if not one.option_strings and one.nargs in ("+", "*")]
        if not lists or lists[0].help == argparse.SUPPRESS or any(w[0:1] == "-" for w in words):
            return False
        convert = cast(Callable[[str], Any], lists[0].type or str)
        setattr(args, lists[0].dest, [*getattr(args, lists[0].dest), *map(convert, words)])
        return True


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"fencepost {version()}")
        parser.exit()


class _ManPages(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, _: object, folder: Any, *__: object
    ) -> None:
        from fencepost.console.man_pages import pages
        from fencepost.system.whole_file import write_whole

        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages(*parsers(), SUBCOMMANDS).items():
            write_whole(Path(folder, name), text)
        parser.exit()


class _Completion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _: object, shell: Any, *__: object) -> None:
        try:
            import argcomplete
        except ImportError:
            raise Unsupported(
                "--completion: needs argcomplete (Debian: python3-argcomplete)"
            ) from None
        code = argcomplete.shellcode([parser.prog], shell=shell)  # type: ignore[attr-defined]
        if shell == "zsh" and "compdef" not in code:
            raise Unsupported("--completion zsh: needs argcomplete 3 or newer")
        print(code)
        parser.exit()


#: Options of compilers, and the commands that pass them on.
_PASSED_ON = re.compile(r"-(?:[DIOUWfglmpx]|std=|isystem|include)")
_PASS_FLAGS = ("check", "weaken", "asm")
_COMPILE = (*_PASS_FLAGS, "study")


def _load(name: str) -> ModuleType:
    return importlib.import_module(f"fencepost.commands.{name}")


def parsers(wanted: Sequence[str] | None = None) -> tuple[_Parser, dict[str, _Parser]]:
    """That of all, and those of the commands: of the wanted ones, or all, with their arguments,
    for which a command has to be loaded."""
    names = [name for name in SUBCOMMANDS if _present(name)]
    parser = _Parser(
        prog="fencepost",
        description="Proves or refutes the memory ordering of C and C++ programs, from their real\n"
        "source, and measures what it costs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show the version and its commit"
    )
    parser.add_argument(
        "--completion",
        action=_Completion,
        choices=("bash", "zsh", "fish"),
        help='print what makes a shell complete options: eval "$(fencepost --completion bash)"',
    )
    parser.add_argument(
        "--man-pages",
        action=_ManPages,
        type=new_folder,
        metavar="DIR",
        help="write the manual's pages to this folder, which is made where it is missing",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name in names:
        if wanted is not None and name not in wanted:
            commands.add_parser(name, help=SUBCOMMANDS[name])
            continue
        module = _load(name)
        command = commands.add_parser(
            name,
            help=SUBCOMMANDS[name],
            description=module.__doc__,
            epilog=getattr(module, "EPILOG", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser, dict(commands.choices)


def _run(argv: list[str]) -> int:
    names = [name for name in SUBCOMMANDS if _present(name)]
    if argv and not argv[0].startswith("-") and argv[0] not in names:
        near = difflib.get_close_matches(argv[0], names, n=1, cutoff=0.5)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        print(f"fencepost: there is no command '{argv[0]}'{hint}", file=sys.stderr)
        print(f"fencepost: commands: {', '.join(names)}", file=sys.stderr)
        return EXIT_UNUSABLE
    parser, commands = parsers([word for word in argv if not word.startswith("-")][:1])
    passed_on: list[str] = []
    if "--" in argv and argv[0] in names and getattr(_load(argv[0]), "PASSES_ON", False):
        cut = argv.index("--")
        argv, passed_on = argv[:cut], argv[cut + 1 :]
    if argv and argv[0] in names and hasattr(_load(argv[0]), "with_counts"):
        argv = _load(argv[0]).with_counts(argv)
    args, unknown = parser.parse_known_args(argv)
    of = commands.get(args.command, parser)
    if unknown and not of.takes_more(unknown, args):
        said = f"unrecognized arguments: {' '.join(unknown)}"
        if _PASSED_ON.match(unknown[0]) and args.command in _PASS_FLAGS:
            said += f"; the compiler's own stand behind '--': ... -- {' '.join(unknown)}"
        near = difflib.get_close_matches(unknown[0].partition("=")[0], of.options(), 1, 0.7)
        of.error(said + (f"; did you mean {near[0]}?" if near else ""))
    args.passed_on = passed_on
    if args.command is None:
        parser.print_help()
        return EXIT_UNUSABLE
    if args.command in _COMPILE:
        _refuse_a_lost_folder()
    status: int = args.run(args)
    return status


def _refuse_a_lost_folder() -> None:
    """Raises UnusableInput. Compilers note where they were started."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise UnusableInput("the working directory is gone: change to another one") from None


def _complete() -> None:
    """Answers the shell's question how a line could go on, where it is one."""
    if "_ARGCOMPLETE" in os.environ:
        with contextlib.suppress(ImportError):
            from fencepost.console.completion import answer

            answer(parsers()[0])


def _end_with_terminal() -> None:
    """Who loses his terminal ends as politely as one who is told to. `nohup` keeps him from it."""
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))


def main(argv: list[str]) -> int:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who has started this
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    _complete()
    _end_with_terminal()
    with shown_output():
        return _answered(argv)


def _answered(argv: list[str]) -> int:
    """The exit status, whatever happens."""
    try:
        try:
            status = _run(argv)
        finally:
            sys.stdout.flush()
        return _status_of_loss(status)
    except BrokenPipeError:
        # The reader of a pipe has left: say nothing more to it.
        _drop_output()
        return EXIT_UNUSABLE
    except OSError as error:
        _tell_trouble(error)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        return EXIT_UNUSABLE
    except KeyboardInterrupt:
        print("fencepost: interrupted", file=sys.stderr)
        return 130
    except (UnusableInput, Unsupported) as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return EXIT_UNUSABLE
    except MemoryError:
        print("fencepost: there is not enough memory for this", file=sys.stderr)
        return EXIT_UNUSABLE
    except Exception as error:
        # Imported only now: most commands need none of it.
        from fencepost.console import unforeseen

        unforeseen.report(error, argv)
        return unforeseen.EXIT_UNFORESEEN


def _tell_trouble(error: OSError) -> None:
    where = f"{error.filename}: " if error.filename else ""
    what = "no space left on the device" if error.errno == errno.ENOSPC else error.strerror
    print(f"fencepost: {where}{what}", file=sys.stderr)


def _status_of_loss(status: int) -> int:
    """The exit status of a command that went on where its output was lost: its own, unless all is
    well and nobody can read it. A reader who leaves has read what he wanted."""
    lost = sys.stdout.lost if isinstance(sys.stdout, Shown) else None
    if lost is None or isinstance(lost, BrokenPipeError):
        return status
    _tell_trouble(lost)
    return status or EXIT_UNUSABLE


def _drop_output() -> None:
    if isinstance(sys.stdout, Shown):
        sys.stdout.drop()


def end(status: int) -> NoReturn:
    """Ends the process with this exit status. Everything is over: results are closed, folders
    removed."""
    with contextlib.suppress(KeyboardInterrupt):  # for somebody who does not want to wait for them
        if not unended.left():
            sys.exit(status)
    # Python would now wait for these threads, or for what they hold: a lock, an answer of a
    # scheduler that is silent. They cannot be ended from here, and nothing that they do counts any
    # more. So the process ends at once, as Python's own end would: with what was printed.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
