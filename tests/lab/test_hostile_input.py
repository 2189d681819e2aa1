# SPDX-License-Identifier: MIT
"""What else is read that others made: JSON, object files, records of locks, comments, and what
servers, load generators and checked programs print. Each reader understands it or says that it does
not."""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from fencepost.binary.call_places import places
from fencepost.binary.machines import machine_of
from fencepost.binary.object_symbols import symbols
from fencepost.binary.variables import Variables
from fencepost.console.input_error import UnusableInput
from fencepost.execution.schema import Exploration
from fencepost.explore.annotated import arguments_of, cases_of
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.measure.cluster import OnCluster
from fencepost.measure.watched import Failed
from fencepost.measure.window import figures_of
from fencepost.profile.file import read_lock_file
from fencepost.run.target import refuse_what_cannot_be
from fencepost.servers import memcached, redis
from fencepost.servers.known import SERVERS
from fencepost.servers.locks import lock_figures
from fencepost.servers.stage import Loaded
from fencepost.system.json_text import DEEPEST, parse_json
from hostile import ODD_TEXTS, examples, odd, spoiled
from hypothesis import given
from hypothesis import strategies as st
from scripted import HERE, ROOT, Run
from written_locks import WrittenLocks

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@examples(50, 4_000)
@given(json_values)
def test_json_is_read_as_python_reads_it(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\ud800b"', "a\ufffdb"),
        (r'"\udc00\ud800"', "\ufffd\ufffd"),
        (r'"\ud83d\ude00 \\ud800 \\\ud800"', "\U0001f600 \\ud800 \\\ufffd"),
        (r'{"\uDFFF": 1}', {"\ufffd": 1}),
        ('"[[' + "[" * 1000 + '"', "[[" + "[" * 1000),
        ("[" * DEEPEST + "]" * DEEPEST, None),
        ("[[], " + "[], " * 1000 + "1]", None),
    ],
)
def test_json_of_others_becomes_text_and_values(text: str, value: object) -> None:
    found = parse_json(text)
    assert value is None or found == value


@pytest.mark.parametrize(
    "text",
    [
        "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        '{"a":' * 9999,
        "[" * 99999,
        "9" * 5000,
        '["\\"[", ' + "[" * 200,
        "",
        "\ufeff1",
        '"\\',
        '"' + "\\u" * 99,
    ],
)
def test_json_that_is_too_much_or_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(text)


SYSBENCH = b"""sysbench 1.0.20
Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       6.205 |****************************************  10
      16.819 |**                                         2

    transactions:                        23391  (2338.31 per sec.)
General statistics:
    total time:                          10.0023s
"""
REDIS = b"""\
"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
"SET","100.0","0.2","0.1","0.2","0.3","0.4","0.5"
"GET","110.0","0.2","0.1","0.2","0.3","0.4","0.5"
"""
MEMASLAP = b"""\
Get Statistics (1 events)
   Log2 Dist:
           4:        1

Total Statistics (20 events)
   Log2 Dist:
       4:       10     0     7    3
       8:        1

cmd_get: 90
cmd_set: 10
verify_failed: 0
Run time: 2.0s Ops: 100 TPS: 50 Net_rate: 0.0M/s
"""
STATS = (
    b"STAT cmd_get 90\r\nSTAT cmd_set 10\r\nSTAT get_hits 80\r\nSTAT get_misses 10\r\n"
    b"STAT curr_items 10\r\nSTAT total_items 10\r\nEND\r\n"
)
STRESS_NG = b"""\
metrics:
    - stressor: malloc
      bogo-ops: 1000
      wall-clock-time: 1.001
"""
SAID = {
    "mariadb": SYSBENCH,
    "redis": REDIS,
    "memcached": MEMASLAP,
    "allocations": STRESS_NG,
    "lock_heavy": SYSBENCH,
}


class Stage:
    """Stands in for a server that does all that it should, and a load that printed `output`."""

    counts_locks = False

    def __init__(self, folder: Path, output: bytes) -> None:
        self.folder = folder
        self._output = output

    @contextlib.contextmanager
    def server(self, *_: object) -> Iterator[None]:
        yield

    def load(self, *_: object, **__: object) -> Loaded:
        (self.folder / "told.yaml").write_bytes(self._output)
        return Loaded(self._output.decode(errors="replace"), 1.0, 0.0, 0.5, 3)

    def ask(self, *_: object) -> str:
        return ""


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Callable[[str, bytes], dict[str, float]]]:
    """The figures of a server's window in which the load generator printed this. The servers are
    not asked."""
    answers = {"DEBUG DIGEST": "+1", "DEBUG RELOAD": "+OK", "SAVE": "+OK"}
    (tmp_path / "port").write_text("TCP INET: 1234\n")

    def figures(name: str, output: bytes) -> dict[str, float]:
        server = SERVERS[name]()
        server.place = tmp_path
        stage: Any = Stage(tmp_path, output)
        return server.measured(stage, server.usual[0], 2, 1.0).figures

    with (
        mock.patch.object(redis, "_told", lambda _, command: answers[command]),
        mock.patch.object(memcached, "_stats", lambda _: memcached.stats_of(STATS)),
        mock.patch("fencepost.servers.mariadb._copy"),
        mock.patch("fencepost.servers.mariadb._check"),
        mock.patch("fencepost.servers.programs._jemalloc"),
    ):
        yield figures


Figures = Callable[[str, bytes], dict[str, float]]


@pytest.mark.parametrize("name", SAID)
def test_what_a_load_generator_prints_is_understood(name: str, window: Figures) -> None:
    assert window(name, SAID[name])[SERVERS[name].figure] > 0


@examples(50, 4_000)
@given(st.sampled_from(sorted(SAID)), st.data())
def test_what_a_load_generator_prints_is_understood_or_the_window_has_failed(
    window: Figures, name: str, data: st.DataObject
) -> None:
    output = data.draw(spoiled([SAID[name], SAID[name], *SAID.values()]))
    try:
        figures = window(name, output)
    except Failed as problem:
        assert 0 < len(str(problem)) < 1000
        return
    assert figures[SERVERS[name].figure] > 0
    assert all(map(math.isfinite, figures.values()))


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("number", [b"9" * 5000, b"1.2.3", b"-1", b"nan", b"1e999", b"0"])
def test_odd_numbers_in_what_a_load_generator_prints_fail_the_window(
    name: str, number: bytes, window: Figures
) -> None:
    for old in (
        b"2338.31",
        b"10.0023",
        b" 10",
        b"100.0",
        b"0.4",
        b"TPS: 50",
        b"1000",
        b"1.001",
        b"6.205",
        b" 4:",
    ):
        if old in SAID[name]:
            new = old[: -len(old.split()[-1])] + number
            with contextlib.suppress(Failed):
                figures = window(name, SAID[name].replace(old, new))
                assert all(map(math.isfinite, figures.values()))


TOTALS = {
    "totals": {
        "acquisitions": 5,
        "shared": 1,
        "waited_ns": 3,
        "contended": 1,
        "handovers": 1,
        "held_ns": 9,
        "sleeps": 2,
    }
}
ROW = {"name": "a", "run_name": "a", "real_time": 1.0, "cpu_time": 1.0, "time_unit": "ns"}
REPORT = {"context": {"date": "x"}, "benchmarks": [ROW]}


@examples(15, 2_000)
@given(odd([TOTALS]))
def test_odd_statistics_of_locks_fail_the_window(tmp_path: Path, totals: object) -> None:
    (tmp_path / "locks.json").write_text(json.dumps(totals))
    with contextlib.suppress(Failed):
        assert lock_figures(tmp_path / "locks.json", 3)


@examples(15, 2_000)
@given(odd([REPORT]))
def test_an_odd_report_of_a_benchmark_fails_the_window(report: Any) -> None:
    # As Taking.window() does with what the program wrote.
    with contextlib.suppress(Failed, ValueError, KeyError, TypeError, AttributeError):
        figures_of(parse_json(json.dumps(report)))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """An object, an archive and a program, with debug information."""
    folder = tmp_path_factory.mktemp("elf")
    source = "int shared[3]; __attribute__((weak)) int f(int a) { return a + shared[1]; }\n"
    (folder / "a.c").write_text(source)
    (folder / "main.c").write_text("int f(int); int main(int c, char **v) { return f(c) + !v; }\n")
    for command in (
        "gcc -g -O1 -c a.c",
        "gcc -g -O1 -c main.c",
        "ar rcs a.a a.o main.o",
        "gcc a.o main.o -o a.out",
    ):
        subprocess.run(command.split(), cwd=folder, check=True)
    return {one: (folder / one).read_bytes() for one in ("a.o", "a.a", "a.out")}


@st.composite
def spoiled_elf(draw: st.DrawFn, content: bytes) -> bytes:
    """Where its readers look: in the header, in the tables of sections and segments."""
    text = bytearray(content)
    sections = min(int.from_bytes(content[0x28:0x30], "little"), len(content))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(
            st.one_of(
                st.integers(0, 200), st.integers(sections, len(text)), st.integers(0, len(text) - 1)
            )
        )
        size = draw(st.sampled_from([1, 2, 4, 8]))
        number = draw(st.sampled_from([0, 1, 0x7F, 0xFFFF, 1 << 31, 1 << 40, (1 << 64) - 1]))
        text[start : start + size] = (number % (1 << 8 * size)).to_bytes(size, "little")
    return bytes(text[: draw(st.sampled_from([len(text)] * 4 + [40, 100, len(text) // 2]))])


@pytest.mark.parametrize("name", ["a.o", "a.a", "a.out"])
def test_a_spoiled_object_is_read_or_refused(
    name: str, built: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / name

    @examples(6, 500)
    @given(st.data())
    def read(data: st.DataObject) -> None:
        content = data.draw(spoiled_elf(built[name]) | spoiled([built[name]]))
        path.write_bytes(content)
        machine_of(path)
        with contextlib.suppress(UnusableInput):
            symbols(path)
        if name == "a.out":
            with contextlib.suppress(UnusableInput):
                refuse_what_cannot_be(path, path)
            places(path, [0x1000, 0x1130, 0x1140])
            with contextlib.suppress(UnusableInput):
                Variables(path, (tmp_path / "a.c",)).name(0x4010)

    read()


@pytest.mark.parametrize("offset", [1 << 20, 1 << 31, 1 << 63, (1 << 64) - 1])
def test_a_table_of_sections_beyond_the_end_is_none(
    offset: int, built: dict[str, bytes], tmp_path: Path
) -> None:
    content = built["a.o"]
    (tmp_path / "a.o").write_bytes(content[:0x28] + offset.to_bytes(8, "little") + content[0x30:])
    assert symbols(tmp_path / "a.o") == []


def test_the_size_of_an_archives_member_is_not_below_zero(tmp_path: Path) -> None:
    header = b"a.o/            0           0     0     644     -60       `\n"
    assert len(header) == 60
    (tmp_path / "a.a").write_bytes(b"!<arch>\n" + header + bytes(99))
    with pytest.raises(UnusableInput, match="nm"):
        symbols(tmp_path / "a.a")


def test_a_spoiled_object_that_is_trusted_ends_with_the_tools_words(
    fencepost: Run, built: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "main.c").write_text("int f(int); int main(void) { return f(0); }\n")
    spoilt = (built["a.o"][:70], built["a.o"][:0x28] + bytes(999), b"\x7fELF\x02\x01" + bytes(12))
    for number, content in enumerate(spoilt):
        (tmp_path / f"{number}.o").write_bytes(content)
        done = fencepost("check", "main.c", "--trust", f"{number}.o")
        assert done.returncode == 3 and "Traceback" not in done.stderr
        assert f"{number}.o" in done.stderr


def test_a_spoiled_program_is_not_run(built: dict[str, bytes], tmp_path: Path) -> None:
    for content in (built["a.out"][:70], built["a.out"][:0x36] + b"\xff" * 999, b"\x7fELF"):
        (tmp_path / "a.out").write_bytes(content)
        (tmp_path / "a.out").chmod(0o755)
        words = [str(ROOT / "fencepost"), "run", "--lock", "mutex", "--", str(tmp_path / "a.out")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 3 and "Traceback" not in done.stderr
        assert "cannot be" in done.stderr or "can be looked into" in done.stderr


@examples(50, 4_000)
@given(st.data())
def test_a_spoiled_record_of_locks_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    written = WrittenLocks()
    site = written.add_site(0x10, written.add_module("/bin/true"))
    lock = written.add_lock(0x20, site=site, waits=[1] * 40)
    written.add_thread(7, "x", held=((lock, site, 3),))
    written.add_stack([site], 9)
    path = tmp_path / "1-2.locks"
    content = written.content()
    path.write_bytes(data.draw(spoiled([content]) | spoiled_elf(content)))
    with contextlib.suppress(UnusableInput):
        read_lock_file(path)


COMMENT = b"""\
// SPDX-License-Identifier: MIT
// models: c++20 x86
// options: --timeouts --spurious=3
// variant: many -DPRODUCERS='2 3'
// fails: none_wakes -DWAKES=0
// slow
int main() {}
"""


@examples(25, 2_000)
@given(spoiled([COMMENT]))
def test_a_spoiled_comment_is_understood_or_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.cpp").write_bytes(text)
    with contextlib.suppress(UnusableInput):
        for case in cases_of(tmp_path / "a.cpp"):
            for run in case.runs:
                arguments_of(case, run)


LOST_WAKEUP = json.loads((HERE / "lost_wakeup.json").read_text())
MESSAGES = [
    {
        "type": "result",
        "model": "sc",
        "verdict": "violated",
        "executions": 4,
        "blocked": 0,
        "seconds": 0.1,
        "violation": LOST_WAKEUP,
        "assumptions": ["so"],
        "stats": {"a": 1},
    },
    {"type": "progress", "executions": 5, "blocked": 2, "seconds": 1.5, "estimate": 100},
]


@examples(50, 4_000)
@given(odd(MESSAGES).map(lambda one: json.dumps(one).encode()) | spoiled(ODD_TEXTS))
def test_odd_lines_of_a_checked_program_are_no_result(line: bytes) -> None:
    told: list[Any] = []
    explorer = Explorer(mock.Mock(), Bounds(), on_progress=lambda one: told.append(str(one)))
    explorer._take(line)
    if explorer._result is not None:
        with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError, OverflowError):
            Exploration.from_json(explorer._result)


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"result"}',
        '{"type":"result","model":1}',
        "[]",
        "null",
        '{"type":"result","model":"sc","verdict":"holds","executions":[]}',
        '{"type":"progress","seconds":"x"}',
        "[" * 3000,
    ],
)
def test_a_program_that_writes_what_is_no_result_has_none(
    line: str, fencepost: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    monkeypatch.setenv("SAID", line)
    done = fencepost("check", "a.c", script="v")
    assert done.returncode == 2 and "inconclusive" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("script", ["vh", "hv", "hh"])
def test_what_a_program_writes_beside_a_result_leaves_no_verdict_that_it_holds(
    script: str, fencepost: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    monkeypatch.setenv("SAID", "mine")
    done = fencepost("check", "a.c", script=script)
    assert done.returncode == 2 and "inconclusive" in done.stdout
    assert "the program writes among its results what is none: '" in done.stdout


LINES = [
    {"kind": "run", "schema": 2, "run": "r", "interleaved": True, "metrics": {}},
    {
        "kind": "window",
        "run": "r",
        "subject": "s",
        "work": "",
        "variant": "v",
        "round": 0,
        "kept": True,
        "figures": {"speed": 1.0},
    },
    {
        "kind": "failure",
        "run": "r",
        "subject": "s",
        "work": "",
        "variant": "v",
        "round": 0,
        "message": "m",
    },
]


@examples(25, 2_000)
@given(odd(LINES).map(lambda one: json.dumps(one).encode()) | spoiled(ODD_TEXTS))
def test_odd_lines_of_a_worker_are_written_or_told(line: bytes) -> None:
    cluster, file = mock.Mock(), mock.Mock()
    cluster.threads.return_value = {"tcp://1": 1}
    measuring = OnCluster(cluster, (), {"commit": "c"}, file)
    (site,) = measuring.sites
    site.told = line.replace(b"\n", b" ") + b"\n"
    measuring._take_lines(site)
    assert file.write.called or "no line of results" in site.trouble
    site.told = line
    measuring._is_same(site)
    assert site.trouble
