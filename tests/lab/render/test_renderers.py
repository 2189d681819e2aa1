# SPDX-License-Identifier: MIT
"""The counterexample as text and as a graph, from a recorded execution of a broken mutex."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from fake_names import FakeNames
from fencepost.console.input_error import UnusableInput
from fencepost.console.progress import Progress, duration, progress_text
from fencepost.execution.schema import Violation
from fencepost.execution.steps import steps_of
from fencepost.explore.outcome import Outcome
from fencepost.render.graph_svg import draw
from fencepost.render.junit import junit
from fencepost.render.trace import trace_lines

SVG = "{http://www.w3.org/2000/svg}"


def test_the_two_halves_of_a_read_modify_write_are_one_step(lost_wakeup: Violation) -> None:
    steps = steps_of(lost_wakeup.execution, FakeNames())
    exchanges = [step for step in steps if step.action.startswith("exchange")]
    assert [step.action for step in exchanges] == [
        "exchange lock_word: 0 → 1 (acq_rel)",
        "exchange lock_word: 1 → 1 (acq_rel)",
    ]
    assert exchanges[1].reads_from == exchanges[0].number


def test_a_stale_read_names_the_newer_write_that_it_missed(lost_wakeup: Violation) -> None:
    steps = steps_of(lost_wakeup.execution, FakeNames())
    stale = next(step for step in steps if step.action.startswith("reads waiters"))
    newer = next(step for step in steps if step.action.startswith("writes waiters"))
    assert stale.missed == newer.number
    assert "misses the newer 1" in stale.remark


def test_the_text_ends_with_who_is_stuck_and_why(lost_wakeup: Violation) -> None:
    text = "\n".join(trace_lines(lost_wakeup, FakeNames()))
    ending = text.partition("in the end")[2]
    assert re.search(r"main\s+blocked at mutex.cpp:33 .*\n\s+waits for T1", ending)
    assert "asleep on event since step 7" in ending
    assert re.search(r"T2\s+finished", ending)


def test_each_row_of_the_text_marks_one_thread(lost_wakeup: Violation) -> None:
    rows = [line for line in trace_lines(lost_wakeup, FakeNames()) if "●" in line]
    assert len(rows) == len(steps_of(lost_wakeup.execution, FakeNames()))
    assert all(row.count("●") == 1 for row in rows)


def test_the_graph_is_well_formed_and_no_two_boxes_overlap(lost_wakeup: Violation) -> None:
    root = ElementTree.fromstring(draw(lost_wakeup, FakeNames(), "a <title> & more"))
    boxes = [r for r in root.iter(f"{SVG}rect") if r.get("class") in ("box", "key", "stuck")]
    assert len(boxes) > 9
    spans = [
        tuple(float(box.get(key, "0")) for key in ("x", "y", "width", "height")) for box in boxes
    ]
    for place, (x, y, width, height) in enumerate(spans):
        for other_x, other_y, other_width, other_height in spans[place + 1 :]:
            apart = (
                x + width <= other_x
                or other_x + other_width <= x
                or y + height <= other_y
                or other_y + other_height <= y
            )
            assert apart


def end_boxes(violation: Violation) -> list[str]:
    root = ElementTree.fromstring(draw(violation, FakeNames(), "mutex.cpp"))
    kinds = [box.get("class", "") for box in root.iter(f"{SVG}rect")]
    return [kind for kind in kinds if kind in ("stuck", "left")]


def test_who_was_only_on_the_way_is_not_marked_as_wrong(lost_wakeup: Violation) -> None:
    blocked = [end for end in lost_wakeup.execution.threads if end.state == "blocked"]
    assert end_boxes(lost_wakeup) == ["stuck"] * len(blocked)
    ends = lost_wakeup.execution.threads
    running = tuple(replace(end, state="running") if end.id == 1 else end for end in ends)
    execution = replace(lost_wakeup.execution, threads=running)
    failing = replace(lost_wakeup, kind="assertion", thread=1, execution=execution)
    assert end_boxes(failing) == ["left", "stuck"]
    assert end_boxes(replace(failing, thread=2)) == ["left", "left"]


def test_who_was_stopped_where_it_went_wrong_fails_there(lost_wakeup: Violation) -> None:
    ends = lost_wakeup.execution.threads
    stopped = tuple(replace(end, why="has been stopped") if end.id == 1 else end for end in ends)
    execution = replace(lost_wakeup.execution, threads=stopped)
    failing = replace(lost_wakeup, kind="assertion", thread=1, execution=execution)
    assert end_boxes(failing) == ["left", "stuck"]
    ending = "\n".join(trace_lines(failing, FakeNames())).partition("in the end")[2]
    assert re.search(r"T1\s+fails at .*\n\s+T2\s+finished", ending)


def test_the_graph_draws_the_reads_that_came_too_early(lost_wakeup: Violation) -> None:
    svg = draw(lost_wakeup, FakeNames(), "mutex.cpp")
    titles = set(re.findall(r"<title>(\w+: step \d+ to step \d+)</title>", svg))
    assert {"fr: step 6 to step 8", "fr: step 9 to step 5", "rf: step 3 to step 4"} <= titles


def test_text_never_leaves_its_box(lost_wakeup: Violation) -> None:
    root = ElementTree.fromstring(draw(lost_wakeup, FakeNames(), "mutex.cpp"))
    for group in root.iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        assert box is not None
        right = float(box.get("x", "0")) + float(box.get("width", "0"))
        for text in group.iter(f"{SVG}text"):
            advance = 6.7 if text.get("class") == "small" else 7.3
            assert float(text.get("x", "0")) + len(text.text or "") * advance <= right


class LongNames(FakeNames):
    def address(self, address: int) -> str:
        return f"the_only_server.connections_with_mutexes_.{super().address(address)}"


def test_a_long_name_is_cut_from_the_left_and_the_order_never(lost_wakeup: Violation) -> None:
    root = ElementTree.fromstring(draw(lost_wakeup, LongNames(), "mutex.cpp"))
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    for step in steps_of(lost_wakeup.execution, LongNames()):
        (title,) = [text for text in texts if text.startswith(f"{step.number}  ")]
        order = re.search(r" \(.*\)$", step.action)
        assert title.endswith(order[0] if order else "")
    assert "4  exchange ….lock_word: 1 → 1 (acq_rel)" in texts


def test_progress_tells_the_rate_and_what_is_left() -> None:
    text = progress_text(Progress(executions=900, blocked=100, seconds=10, estimate=2000))
    assert text == (
        "900 executions, 100 blocked, 100/s, about 2,000 in all, 10.0 s to go, after 10.0 s"
    )
    assert duration(3700) == "1 h 01 min"


@pytest.mark.parametrize("width", [72, 80, 100])
def test_a_counterexample_fits_the_terminal(lost_wakeup: Violation, width: int) -> None:
    wide = trace_lines(lost_wakeup, FakeNames())
    narrow = trace_lines(lost_wakeup, FakeNames(), width=width)
    assert max(map(len, wide)) > 60
    assert max(map(len, narrow)) <= width
    # Of what happens nothing is left out.
    happens = wide[0].index("what happens")
    told = {word for line in wide for word in line[happens:].split() if "●" in line}
    assert told <= {word for line in narrow for word in line.split()}


@pytest.mark.parametrize("odd", ["\u202e", "\u200f", "\x85", "\u2066"])
def test_letters_that_do_not_print_are_shown_in_junits_xml(odd: str) -> None:
    file = Path(f"a{odd}b.c")
    text = junit([Outcome(file, (file,), "sc", error=UnusableInput(f"says {odd} <é>\n\0"))])
    assert odd not in text
    escape = odd.encode("unicode_escape").decode()
    assert f"says {escape} &lt;é&gt;" in text and f"a{escape}b.c" in text
