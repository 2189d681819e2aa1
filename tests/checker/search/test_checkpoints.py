# SPDX-License-Identifier: MIT
"""An exploration that is stopped goes on from its checkpoint, and from no other."""

from __future__ import annotations

import resource
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from exploring import DISTURBED, LONG, Exploring, build, build_disturbed, disturb, explore

ROOT = Path(__file__).resolve().parents[3]
BAD_OPTIONS = 3


@pytest.fixture(scope="module")
def stopped(long: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A checkpoint of the long program."""
    checkpoint = tmp_path_factory.mktemp("stopped") / "checkpoint"
    assert explore(long, "max_executions=1000", checkpoint).status == 2
    return checkpoint.read_bytes()


def test_many_sittings_find_what_one_finds(program: Path, tmp_path: Path) -> None:
    whole = explore(program, "all=1 dump=1 progress=0")
    runs = sum(whole.executions.values())
    found: Counter[str] = Counter()
    for sitting in range(100):
        part = explore(
            program,
            f"all=1 dump=1 progress=0 max_executions={runs // 4 + 1} jobs={1 + sitting % 2}",
            tmp_path / "checkpoint",
        )
        found += part.executions
        if "reason" not in part.result:
            break
        assert "the same command goes on from there" in part.result["reason"]
    assert sitting >= 2
    assert found == whole.executions
    assert part.counters == whole.counters
    assert (part.result["violation"] is None) == (whole.result["violation"] is None)
    assert list(tmp_path.iterdir()) == [], "there is nothing to go on from any more"


FAILS_FOR_NOTHING = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int taken, others;
void *f(void *a) { atomic_fetch_add(&others, 1); return a; }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  int free = 0;
  assert(atomic_compare_exchange_weak(&taken, &free, 1));
}
"""

TRIES = """
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;
atomic_int others;
void *waits(void *a) {
  while (pthread_mutex_timedlock(&m, &(struct timespec){5, 0})) {}
  ++done;
  pthread_mutex_unlock(&m);
  return a;
}
void *adds(void *a) { atomic_fetch_add(&others, 1); return a; }
void *polls(void *a) {
  for (int over = 0; !over; pthread_mutex_unlock(&m)) { pthread_mutex_lock(&m); over = done > 1; }
  if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m);
  return a;
}
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, waits, 0);
  pthread_create(&t[1], 0, adds, 0);
  pthread_create(&t[2], 0, polls, 0);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
}
"""


def built(text: str, folder: Path) -> Path:
    source = folder / "program.c"
    source.write_text(text)
    return build(str(source), folder / "built")


def test_what_failed_for_nothing_fails_again_in_the_next_sitting(tmp_path: Path) -> None:
    program = built(FAILS_FOR_NOTHING, tmp_path)
    checkpoint = tmp_path / "checkpoint"
    for _ in range(10):
        part = explore(program, "weak_cas=1 max_executions=1", checkpoint)
        if part.result["verdict"] != "inconclusive":
            break
        assert "the same command goes on from there" in part.result["reason"]
    assert part.result["violation"]["kind"] == "assertion"


def test_sittings_that_begin_anew_again_and_again_come_to_an_end(tmp_path: Path) -> None:
    program = built(TRIES, tmp_path)
    checkpoint = tmp_path / "checkpoint"
    for _ in range(30):
        part = explore(program, "all=1 timeouts=1 max_executions=10", checkpoint)
        if "the same command goes on" not in part.result["reason"]:
            break
    assert "explore in one sitting (without a checkpoint)" in part.result["reason"]
    assert "reason" not in explore(program, "all=1 timeouts=1").result


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_writes_what_is_left(jobs: int, tmp_path: Path) -> None:
    program = build_disturbed(tmp_path / "built")
    checkpoint = tmp_path / "a name with spaces"
    environment = disturb("interrupt", tmp_path / "disturb")
    first = explore(program, f"jobs={jobs} alone=1", checkpoint, environment)
    assert first.result["verdict"] == "inconclusive"
    assert "interrupted" in first.result["reason"] and checkpoint.name in first.result["reason"]
    second = explore(program, "alone=1", checkpoint)
    assert second.counters == DISTURBED
    assert not checkpoint.exists()


def refused(program: Path, options: str, checkpoint: Path) -> str:
    """What is said of a checkpoint that is no good; it is left as it is."""
    before = checkpoint.read_bytes()
    answer = explore(program, options, checkpoint)
    assert (answer.status, answer.result) == (BAD_OPTIONS, {})
    assert checkpoint.read_bytes() == before
    assert str(checkpoint) in answer.said
    return answer.said


@pytest.mark.parametrize("part", [0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 0.9999])
def test_a_checkpoint_that_is_cut_short_is_refused(
    long: Path, stopped: bytes, part: float, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(stopped[: int(part * len(stopped))])
    assert "damaged" in refused(long, "", checkpoint)


def test_a_checkpoint_with_a_changed_byte_is_refused(
    long: Path, stopped: bytes, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    for place in range(stopped.index(b"\n\n") + 2, len(stopped), len(stopped) // 20):
        changed = bytearray(stopped)
        changed[place] ^= 1
        checkpoint.write_bytes(changed)
        assert "damaged" in refused(long, "", checkpoint)


def other_version(text: bytes) -> bytes:
    return text.replace(b"\nversion ", b"\nversion 0.0.9-", 1)


def other_format(text: bytes) -> bytes:
    return text.replace(b"checkpoint 2\n", b"checkpoint 7\n", 1)


def somebody_elses(_text: bytes) -> bytes:
    return b"int main(void) { return 0; }\n" * 1000


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (other_version, "version 0.0.9-"),
        (other_format, "another version"),
        (somebody_elses, "is no checkpoint"),
    ],
)
def test_what_is_no_checkpoint_of_this_version_is_refused(
    long: Path, stopped: bytes, change: Callable[[bytes], bytes], says: str, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(change(stopped))
    assert says in refused(long, "", checkpoint)


def test_a_checkpoint_of_another_program_is_refused(stopped: bytes, tmp_path: Path) -> None:
    other = build("families/lastzero.c", tmp_path / "other", "-DN=12")
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(stopped)
    assert "another program" in refused(other, "", checkpoint)


@pytest.mark.parametrize(
    "options", ["model=sc", "all=1", "weak_cas=1", "leaks=1", "symmetry=1", "daemons=1"]
)
def test_a_checkpoint_under_other_rules_is_refused(
    long: Path, stopped: bytes, options: str, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(stopped)
    assert options in refused(long, options, checkpoint)


def test_the_same_program_built_again_goes_on(long: Path, stopped: bytes, tmp_path: Path) -> None:
    again = build("families/lastzero.c", tmp_path / "in another directory", "-DN=13")
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(stopped)
    assert explore(again, "jobs=2", checkpoint).counters == LONG


def small_files() -> None:
    """As if the disk were full: no file may become longer than this."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_full_disk_keeps_the_checkpoint_that_was_there(
    long: Path, stopped: bytes, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    checkpoint.write_bytes(stopped)
    exploring = Exploring(long, "max_executions=500", checkpoint, preexec_fn=small_files)
    answer = exploring.answer()
    assert answer.status == 2
    assert "could not be kept" in answer.result["reason"]
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint"]
    assert checkpoint.read_bytes() == stopped


def test_the_command_line_passes_it_on(tmp_path: Path) -> None:
    program = ROOT / "tests" / "checker" / "programs" / "families" / "lastzero.c"
    command = [str(ROOT / "fencepost"), "check", str(program), "--checkpoint", "left over"]
    command += ["--model", "sc,x86"]

    def check(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *options, "--", "-DN=7"], cwd=tmp_path, capture_output=True, text=True
        )

    stopped = check("--max-executions", "10")
    assert stopped.returncode == 2
    assert "the same command goes on from there" in stopped.stdout
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "left over-lastzero-sc",
        "left over-lastzero-x86",
    ]
    done = check("--jobs", "2")
    assert done.returncode == 0 and "holds" in done.stdout
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "left over-lastzero-sc").write_text("fencepost checkpoint")
    bad = check()
    assert bad.returncode == 3 and "damaged" in bad.stderr
