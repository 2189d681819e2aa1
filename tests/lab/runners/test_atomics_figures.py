# SPDX-License-Identifier: MIT
"""What is made of the figures and of the compiled locks: curves, and the table of instructions."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from fencepost.measure.results import Windows
from fencepost.runners.atomics import executed
from fencepost.runners.atomics.documents import DOCUMENTS, MARKED, SAID, rewrite, rewritten
from fencepost.runners.atomics.lock_instructions import MACHINES, said
from fencepost.runners.atomics.pieces import REFERENCE, SYSTEM, work_name
from fencepost.runners.atomics.plots import plots
from fencepost.runners.atomics.saved import Saved, read

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "bench" / "atomics"

pytestmark = pytest.mark.matrix(3)

SVG = "{http://www.w3.org/2000/svg}"


def figures_of_a_stack(descheduled: int = 0) -> Saved:
    """Three rounds of three kinds; one of them got nothing done once."""
    windows = Windows()
    for threads in (1, 2, 256):
        work = work_name("stack", threads, descheduled)
        for variant, values in (
            (REFERENCE, (10e6, 11e6, 12e6)),
            ("mutex", (20e6, 22e6, 24e6)),
            ("flag_spin", (9e6 / threads, 1e6 / threads, 0.0)),
            (SYSTEM, (10e6, 11e6, 12.5e6)),
        ):
            for number, value in enumerate(values):
                windows.figures["lifo", work, variant][number] = {"elements_per_second": value}
    return Saved(windows, [{"machine": "a <machine>", "processors": 2}])


def texts(tree: xml.Element) -> list[str]:
    return [text.text or "" for text in tree.iter(f"{SVG}text")]


def test_each_kind_is_a_curve_with_its_rounds_and_its_interval(tmp_path: Path) -> None:
    (path,) = plots(figures_of_a_stack(), tmp_path)
    assert path.name == "stack.svg"
    tree = xml.parse(path).getroot()
    panels = tree.findall(f"{SVG}svg")
    assert len(panels) == 2
    for panel in panels:
        curves = [group for group in panel.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
        assert len(curves) == 4
        for curve in curves:
            faint = [dot for dot in curve.findall(f"{SVG}circle") if "faint" in dot.attrib["class"]]
            assert len(faint) == 9
            assert len(curve.findall(f"{SVG}path")) == 3
            (line,) = curve.findall(f"{SVG}polyline")
            assert len(line.attrib["points"].split()) == 3
        assert {"1", "2", "256", "GCC's libatomic", "mutex"} <= set(texts(panel))
    assert any("a <machine>, 2 processors" in text for text in texts(tree))


def test_too_few_rounds_have_no_interval(tmp_path: Path) -> None:
    found = figures_of_a_stack()
    for windows in found.windows.figures.values():
        del windows[2]
    (path,) = plots(found, tmp_path)
    assert "too few for intervals" in path.read_text()
    assert 'class="bar' not in path.read_text()


def test_twice_as_much_lies_above_the_reference(tmp_path: Path) -> None:
    (path,) = plots(figures_of_a_stack(), tmp_path)
    _, relative = xml.parse(path).getroot().findall(f"{SVG}svg")
    lines = {
        group.findtext(f"{SVG}title"): group.find(f"{SVG}polyline")
        for group in relative.iter(f"{SVG}g")
    }

    def heights(name: str) -> list[float]:
        line = lines[name]
        assert line is not None
        return [float(pair.split(",")[1]) for pair in line.attrib["points"].split()]

    assert len(set(heights(REFERENCE))) == 1
    assert all(y < heights(REFERENCE)[0] for y in heights("mutex"))
    assert heights("flag_spin")[-1] > heights(REFERENCE)[-1]


def test_owners_that_are_descheduled_have_a_figure_of_their_own(tmp_path: Path) -> None:
    (path,) = plots(figures_of_a_stack(descheduled=1000), tmp_path)
    assert path.name == "stack_descheduled.svg"
    assert "1 owner in 1000 descheduled" in path.read_text()


def test_without_figures_nothing_is_drawn(tmp_path: Path) -> None:
    assert plots(Saved(Windows()), tmp_path) == []


# ---------------------------------------------------------------------------- the instructions


@pytest.mark.parametrize(
    "machine, instructions, found",
    [
        (
            "x86_64",
            [
                "push   %rbx",
                "lock cmpxchg %edx,(%rdi)",
                "jne    12 <bench_lock+0x12>",
                "mov    8(%rsp),%rax",
                "xchg   %eax,(%rdi)",
                "movb   $0x0,(%rdi)",
                "ret",
            ],
            ["lock cmpxchg", "xchg", "movb"],
        ),
        (
            "aarch64",
            [
                "ldaxr\tw1, [x0]",
                "cbnz\tw1, 40",
                "stxr\tw3, w2, [x0]",
                "str\tx1, [sp, #8]",
                "dmb\tish",
                "ret",
            ],
            ["ldaxr", "stxr", "dmb"],
        ),
        (
            "riscv64",
            ["fence\tiorw,ow", "amoswap.w.aq\ta5,a5,(a0)", "sd\tra,8(sp)", "ret"],
            ["fence", "amoswap.w.aq"],
        ),
        (
            "ppc64le",
            ["lwarx   r9,0,r3", "stwcx.  r10,0,r3", "isync", "std     r0,16(r1)", "blr"],
            ["lwarx", "stwcx.", "isync"],
        ),
    ],
)
def test_instructions_are_told_that_touch_memory_or_order_it(
    machine: str, instructions: list[str], found: list[str]
) -> None:
    assert list(said(machine, instructions)) == found


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "fencepost", "bench", "lock_instructions", "--", *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_what_the_locks_execute_on_x86_64_is_what_their_sources_say() -> None:
    """As in the description of the futex lock: one instruction to take it, one to release it."""
    if missing := MACHINES[0].missing():
        pytest.skip(f"not installed: {', '.join(missing)}")
    done = ask("--machine", "x86_64", "--json")
    assert done.returncode == 0, done.stderr
    found = {one["kind"]: (one["lock"], one["unlock"]) for one in json.loads(done.stdout)}
    assert found["compare_exchange_spin"][0] == ["lock cmpxchg"]
    assert found["flag_spin"][0] == ["xchg"]
    for kind in ("compare_exchange_spin", "flag_spin"):
        (unlock,) = found[kind][1]
        assert unlock.startswith("mov")
    assert found["published_futex"][0] == found["musl_lock"][0] == ["lock cmpxchg"]
    for kind, (lock, unlock) in found.items():
        assert sum("lock" in i or "xchg" in i for i in lock) == 1, kind
        exclusive = sum("lock" in i or "xchg" in i for i in unlock)
        assert exclusive == (0 if kind.endswith("_spin") else 1), kind

    done = ask("--machine", "x86_64", "--kind", "magic")
    assert done.returncode == 2
    assert "no kind magic; there are mutex" in done.stderr


def test_processors_that_are_not_known_are_refused() -> None:
    done = ask("--machine", "vax")
    assert done.returncode == 2
    assert "riscv64" in done.stderr


def test_a_program_that_waits_for_ever_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := MACHINES[0].missing():
        pytest.skip(f"not installed: {', '.join(missing)}")
    source, program, log = (tmp_path / name for name in ("spins.c", "spins", "log"))
    source.write_text("int main(void) { for (volatile int n = 0;;) n++; }\n")
    subprocess.run(["gcc", "-static", "-O1", source, "-o", program], check=True)
    monkeypatch.setattr(executed, "MOST_LOGGED", 1 << 20)
    with pytest.raises(RuntimeError, match="ended with status"):
        executed.executed_by((MACHINES[0].emulator,), program, log)
    assert log.stat().st_size <= 1 << 20


# ---------------------------------------------------------------------------- the committed figures

COMMITTED = FOLDER / "results"


def test_the_documentation_says_what_the_committed_figures_say() -> None:
    """Between all of its marks, of which each kind is there once."""
    committed = read(COMMITTED / "figures.json")
    marks = []
    for page in DOCUMENTS:
        text = page.read_text()
        assert rewritten(text, committed) == text, (
            f"{page}: fencepost bench atomics --report … -- --documents"
        )
        marks += [mark for mark, _ in MARKED.findall(text)]
    assert sorted(marks) == sorted(SAID)


def test_figures_come_between_their_marks_and_nowhere_else(tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text(
        "before\n<!-- figures: stack -->\nold\n<!-- end of figures -->\nbehind\n"
        "<!-- figures: kinds -->\nold\n<!-- end of figures -->\n"
    )
    other.write_text("no marks\n")
    assert rewrite(figures_of_a_stack(), [page, other]) == [page]
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-4]) == ("before", "<!-- figures: kinds -->")
    assert "old" not in lines
    assert "behind" in lines
    assert [line for line in lines if line.startswith("| mutex ")]
    assert "Not measured yet." in lines  # of the kinds there is nothing
    assert other.read_text() == "no marks\n"


def test_the_committed_curves_are_those_of_the_committed_figures(tmp_path: Path) -> None:
    drawn = plots(read(COMMITTED / "figures.json"), tmp_path)
    assert {path.name for path in drawn} == {path.name for path in COMMITTED.glob("*.svg")}
    for path in drawn:
        assert path.read_text() == (COMMITTED / path.name).read_text()
