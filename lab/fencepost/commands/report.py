# SPDX-License-Identifier: MIT
"""Reports what was measured: one HTML page that needs nothing else, with figures in which every
window is seen, tables with intervals and verdicts; the same as Markdown; the figures by
themselves."""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.console.arguments import certainty, new_file, new_folder, pattern, seconds, share
from fencepost.console.input_error import UnusableInput
from fencepost.console.packages import require_numpy_and_scipy

if TYPE_CHECKING:
    from fencepost.report.story import ReportText

EXIT_UNUSABLE = 3

EPILOG = """\
examples:
  fencepost report build/bench/results.jsonl                 the page, beside the results
  fencepost report results.db --html report.html --subject locks_contended
  fencepost report results.jsonl --markdown -                for an issue tracker
  fencepost report results.jsonl --figures docs/figures      an SVG file a subject
  fencepost report results.jsonl --full                      besides, the checker and instructions

Results are JSON Lines or a database of ours, Google Benchmark's JSON, or what sysbench printed:
docs/lab/results.md. What the page says and how it is found out: docs/lab/report.md.

exit status: 0, or 3 if nothing could be reported or something not be written
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", nargs="+", type=Path, metavar="RESULTS", help="files of measured results"
    )
    parser.add_argument(
        "--html",
        type=new_file,
        metavar="FILE",
        help="where the page goes (RESULTS.html, unless something else is written)",
    )
    parser.add_argument(
        "--markdown", type=new_file, metavar="FILE", help="as Markdown; - is standard output"
    )
    parser.add_argument(
        "--figures",
        type=new_folder,
        metavar="DIR",
        help="figures as SVG files, in this folder, which is made where it is missing",
    )
    parser.add_argument("--title", help="what the report is called")
    parser.add_argument(
        "--subject",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one; may be repeated",
    )
    parser.add_argument(
        "--work", type=pattern, metavar="PATTERN", help="only where SUBJECT/WORK matches"
    )
    parser.add_argument(
        "--reference",
        metavar="VARIANT",
        help="beside which the others are judged (the one that targets are of, or "
        "the first of ours)",
    )
    parser.add_argument(
        "--check", action="store_true", help="run the checker on what is ours: minutes"
    )
    parser.add_argument(
        "--asm", action="store_true", help="compile what is ours, and say its atomic instructions"
    )
    parser.add_argument("--full", action="store_true", help="--check and --asm")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=20.0,
        metavar="SECONDS",
        help="for each run of the checker (20)",
    )
    parser.add_argument(
        "--rope",
        type=share,
        default=0.01,
        metavar="SHARE",
        help="differences up to this are none in practice (1%%)",
    )
    parser.add_argument(
        "--certainty",
        type=certainty,
        default=0.95,
        metavar="SHARE",
        help="how sure verdicts must be, all of a subject together (95%%)",
    )


def run(args: argparse.Namespace) -> int:
    try:
        _report(args)
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return EXIT_UNUSABLE
    return 0


def _report(args: argparse.Namespace) -> None:
    require_numpy_and_scipy("report")
    from fencepost.report.markdown import markdown
    from fencepost.report.page import page
    from fencepost.report.parts import PROOFS
    from fencepost.system.whole_file import write_whole

    if (args.check or args.full) and not PROOFS.is_dir():
        raise UnusableInput(
            "--check: the proofs are of the source tree, and not installed here"
            + ("; --asm alone needs none" if args.full else "")
        )
    told = _told(args)
    written = []
    if args.markdown == Path("-"):
        print(markdown(told), end="")
    elif args.markdown:
        write_whole(args.markdown, markdown(told))
        written.append(args.markdown)
    if args.figures:
        written += _write_figures(told, args.figures)
    html = args.html
    if html is None and not args.markdown and not args.figures:
        html = args.results[0].with_suffix(".html")
    if html:
        write_whole(html, page(told))
        written.append(html)
    if args.markdown != Path("-"):
        _say_first(told)
    for path in written:
        print(f"written: {path}", file=sys.stderr if args.markdown == Path("-") else sys.stdout)


def _say_first(told: ReportText) -> None:
    from fencepost.report.text_table import table

    for machine in told.report.machines:
        for found in told.headlines(machine):
            print(f"{machine.name}: {found.caption}\n")
            cells = [[cell.words for cell in row.cells] for row in found.rows]
            print("\n".join(table([cell.words for cell in found.header], cells)) + "\n")


def _told(args: argparse.Namespace) -> ReportText:
    from fencepost.compare.verdict import Rope
    from fencepost.console.progress import ProgressLine
    from fencepost.report.content import Request, gather
    from fencepost.report.story import ReportText
    from fencepost.results.file import read_results

    measured = read_results(args.results)
    for remark in measured.remarks:
        print(f"fencepost: {remark}", file=sys.stderr)
    asked = Request(tuple(args.subject), args.work, args.reference, Rope(args.rope), args.certainty)
    line = ProgressLine()
    report = gather(measured, asked, line.say)
    line.clear()
    files = [str(path) for path in args.results]
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    where = f"From {', '.join(files)}; reported {now}."
    told = ReportText(report, args.title or "What was measured", where, files)
    _look_into(told, args)
    return told


def _look_into(told: ReportText, args: argparse.Namespace) -> None:
    """Checks and compiles what was measured, where that was asked for."""
    from fencepost.console.progress import ProgressLine
    from fencepost.report.checked import check_parts
    from fencepost.report.instructions import list_parts
    from fencepost.report.parts import parts_of

    subjects = [one for machine in told.report.machines for one in machine.subjects]
    parts = list(dict.fromkeys(part for subject in subjects for part in parts_of(subject)))
    line = ProgressLine()
    if parts and (args.asm or args.full):
        line.say(f"compiling {len(parts)} parts")
        told.instructions, told.troubles = list_parts(parts)
    if parts and (args.check or args.full):
        told.verdicts = check_parts(parts, args.timeout, line.say)
    line.clear()


def _file_name(name: str) -> str:
    """Turn a name from a results file into a file name. Others may have written it: so the file
    name has only letters that mean nothing to a file system, and not too many of them."""
    plain = re.sub(r"[^\w.+@-]", "_", name)[:100].lstrip(".-")
    return plain.encode(errors="replace")[:200].decode(errors="ignore") or "figure"


def _write_figures(told: ReportText, folder: Path) -> list[Path]:
    from fencepost.pages.page_assets import asset
    from fencepost.pages.plot_svg import sheet
    from fencepost.report.words import plain
    from fencepost.system.whole_file import write_whole

    written: list[Path] = []
    for n, machine in enumerate(told.report.machines):
        for subject in machine.subjects:
            drawn = told.panels(subject)
            if not drawn:
                continue
            several = f"-machine-{n + 1}" if len(told.report.machines) > 1 else ""
            stems = [_file_name(subject.name)]
            stems.append(_file_name(f"{subject.name}-{subject.metric.figure}"))
            stems += [f"{stems[1]}-{number}" for number in range(2, len(written) + 3)]
            paths = (folder / f"{stem}{several}.svg" for stem in stems)
            path = next(path for path in paths if path not in written)
            kept, _ = subject.windows
            source = (
                f"{machine.name}. Dots: {kept} windows; bars: typical values with 95 % intervals; "
                "dashed: "
                f"{subject.reference}."
            )
            title = told.question(subject) or plain(subject.name)
            write_whole(path, sheet(drawn, asset("plot.css"), title, source))
            written.append(path)
    return written
