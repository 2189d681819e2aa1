# SPDX-License-Identifier: MIT
"""What main does before it makes a thread need not be repeated: random programs have the same
executions whether the checker runs them from the beginning each time or goes on from there."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
import samples
from exploring import CUT, Answer, build, explore
from spelled import MODELS

PROGRAMS = 1_500 if samples.is_long else 150
MOST_EXECUTIONS = 300
OPTIONS = ["", "", "all=1", "reuse=1", "jobs=2 alone=3", "weak_cas=1 spurious=1", "leaks=1"]

#: Of prefixes.cpp: what main may do while it is alone, and what threads do.
ALONE = "aasrcllkppttnnnwwfdzhhvvxxieeEEoojuuymqyYtTQ"
IN_THREADS = "aasrrcclllkttmqg"
#: ... and between the threads that it makes, where what is no event does not end the prefix.
BETWEEN = "ppttnnnwwfdhvxieeEEoo"
RARELY_IN_THREADS = "pnwfdUUUUzhvxieobY"

#: Addresses that are others in each process.
IN_LIBRARY = re.compile(r"\b1(39|40)\d{12}\b")

#: Where something shows in executions that resume, and in them only: thread-local variables, memory
#: that nobody has written, what main has made of such, and what the C++ library keeps.
LATER = ["t5/a0/a0/t1y0", "n0h0/h0U0/a0/", "n0I0/s5/s1/Y1", "T1/a0/a0/Q0T0", "T0/a0/a0/r2"]
#: ... and where what main does between two threads that it makes is known to others.
LATER += [
    "p0/s4/M0c0y1/a0/m0",
    "p0/s4/M0r0y1/a0/m0",
    "p0/l4/M0k0q3y1/a1/m0",
    "e1/a0/M0E0t1/a1/E0m0",
]


def steps(rng: random.Random, letters: str, most: int) -> str:
    count = rng.randint(0, most)
    return "".join(rng.choice(letters) + str(rng.randint(0, 5)) for _ in range(count))


def program(rng: random.Random) -> str:
    parts = [steps(rng, ALONE, 12)]
    for _ in range(rng.choice([1, 2, 2, 3])):
        letters = IN_THREADS + (RARELY_IN_THREADS if rng.random() < 0.7 else "")
        local = "L0" if rng.random() < 0.1 else ""
        if rng.random() < 0.4:
            parts.append("M0" + steps(rng, BETWEEN if rng.random() < 0.7 else ALONE, 4))
        parts.append(local + (steps(rng, letters, 4) or "a0"))
    parts.append(steps(rng, ALONE, 3))
    return "/".join(parts)


def what_is_found(answer: Answer) -> object:
    result = dict(answer.result)
    stats = result.pop("stats")
    del result["seconds"]
    counts = [stats[count] for count in ("replays", "revisits", "max_events", "waits")]
    found = [answer.status, answer.said, result, counts, sorted(answer.executions.items())]
    return IN_LIBRARY.sub("in a library", json.dumps(found))


def test_programs_go_on_from_the_first_thread_as_from_the_beginning(tmp_path: Path) -> None:
    executable = build(str(CUT / "prefixes.cpp"), tmp_path, "-std=c++20")
    rng = random.Random(samples.seed_of(1))
    verdicts = {"holds": 0, "violated": 0, "inconclusive": 0}
    for number in range(PROGRAMS):
        text = LATER[number] if number < len(LATER) else program(rng)
        options = f"model={MODELS[number % len(MODELS)]} {rng.choice(OPTIONS)}"
        if "jobs" not in options:  # who shares a search stops where it happens to be
            options += f" max_executions={MOST_EXECUTIONS} dump=1"
        options += " max_events=300 progress=0"
        found = [
            explore(executable, f"{options} {words}", arguments=(text,))
            for words in ("no_prefix=1", "keep_prefix=1")
        ]
        place = f"program {number}: {text} with {options}"
        verdicts[found[0].result["verdict"]] += 1
        if "jobs" in options and found[0].result["verdict"] != "holds":
            assert found[0].result["verdict"] == found[1].result["verdict"], place
            continue
        assert what_is_found(found[0]) == what_is_found(found[1]), place
    assert min(verdicts["holds"], verdicts["violated"]) > PROGRAMS // 10, verdicts


FILLED = """
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> count{0};
int main() {
  std::vector<int> large;
  for (int i = 0; i < NUMBERS; ++i) large.push_back(i);
  std::thread one([] { count.fetch_add(1); });
  std::thread other([] { count.fetch_add(1); });
  one.join();
  other.join();
  return count.load() != 2 || large.size() != NUMBERS;
}
"""


@pytest.mark.parametrize(
    ("numbers", "options", "goes_on_from_there"),
    [
        (200_000, "", 1),
        (200_000, "no_prefix=1", 0),
        (200_000, "symmetry=1", 0),
        (3, "keep_prefix=1", 1),
    ],
)
def test_what_takes_long_is_not_repeated(
    numbers: int, options: str, goes_on_from_there: int, tmp_path: Path
) -> None:
    source = tmp_path / "filled.cpp"
    source.write_text(FILLED)
    executable = build(str(source), tmp_path, f"-DNUMBERS={numbers}")
    answer = explore(executable, f"all=1 {options}")
    assert answer.result["verdict"] == "holds"
    assert answer.result["executions"] + answer.result["blocked"] == 2
    assert answer.result["stats"]["from_first_thread"] == goes_on_from_there
