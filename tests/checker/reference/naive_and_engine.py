# SPDX-License-Identifier: MIT
"""The executions of litmus tests by both sides, the naive enumerator and the checker's engine.

Also a command, for longer comparisons than the tests make; with --shrink it reduces each program
on which the two differ to a smallest one:

    python3 tests/checker/reference/naive_and_engine.py --programs 20000 --seed 7
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from literature import MODELS, literature
from random_programs import random_programs

ROOT = Path(__file__).resolve().parents[3]
LOCATION_SIZE = 4


def build_folder() -> Path:
    """Where this folder's executables are."""
    build = Path(os.environ.get("FENCEPOST_BUILD_DIR", "build/release"))
    return (ROOT / build) / "tests" / "checker" / "reference"


@cache
def has_naive() -> bool:
    """Whether the enumerator is built, and for this machine."""
    try:
        return subprocess.run([build_folder() / "naive"], input=b"", check=False).returncode == 0
    except OSError:
        return False


def has_checker() -> bool:
    """Whether this build has the checker; sanitizer and cross builds have not."""
    return (build_folder().parents[2] / "checker" / "libfencepost_check.a").exists()


def runner() -> Path:
    """The program that the engine explores."""
    return build_folder() / "litmus_runner"


@dataclass
class Answer:
    """The consistent executions of one program under one model, as canonical texts."""

    executions: list[str] = field(default_factory=list)
    satisfied: int = 0
    error: str = ""


def naive(
    programs: Iterable[str], models: Sequence[str], limit: int = 200_000, condition: str = ""
) -> Iterator[dict[str, Answer] | None]:
    """For each program the answer of each model; None when it has too many candidates."""
    return _ask("naive", programs, models, ["--limit", str(limit)], condition)


def machines(programs: Iterable[str], models: Sequence[str]) -> Iterator[dict[str, Answer] | None]:
    """For each program what the abstract machines of sc and x86 can do."""
    return _ask("naive", programs, models, ["--machines"])


def explore(
    programs: Iterable[str], models: Sequence[str], symmetry: bool = False
) -> Iterator[dict[str, Answer] | None]:
    """For each program what the engine's exploration alone finds, without running threads."""
    return _ask("explore", programs, models, ["--symmetry"] if symmetry else [])


def _ask(
    tool: str,
    programs: Iterable[str],
    models: Sequence[str],
    options: Sequence[str] = (),
    condition: str = "",
) -> Iterator[dict[str, Answer] | None]:
    lines = [f"{','.join(models)}\t{program}\t{condition}" for program in programs]
    output = subprocess.run(
        [build_folder() / tool, *options],
        input="\n".join(lines) + "\n",
        text=True,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.splitlines()
    at = 0
    for line in lines:
        if output[at].startswith("! over"):
            at += 1
            yield None
            continue
        if output[at].startswith("!"):
            raise ValueError(f"{output[at]}: {line}")
        answers = {}
        for _ in models:
            _, model, count, satisfied, _ = output[at].split()
            executions = [text[2:] for text in output[at + 1 : at + 1 + int(count)]]
            answers[model] = Answer(executions, int(satisfied))
            at += 1 + int(count)
        yield answers


@cache
def _location_base(executable: Path) -> int:
    symbols = subprocess.run(["nm", executable], text=True, check=True, stdout=subprocess.PIPE)
    for line in symbols.stdout.splitlines():
        if line.endswith(" litmus_locations"):
            return int(line.split()[0], 16)
    raise ValueError(f"{executable} has no litmus_locations")


def _location_names(program: str) -> list[str]:
    return re.findall(r"([a-zA-Z_]+)\s*=", program.split("T0")[0])


def canonical(execution: dict[str, Any], names: Sequence[str], base: int) -> str:
    """The naive enumerator's text of an execution that the engine wrote."""

    def location(address: int) -> str | None:
        index, rest = divmod(address - base, LOCATION_SIZE)
        return names[index] if 0 <= index < len(names) and rest == 0 else None

    threads: dict[int, list[dict[str, Any]]] = {}
    ids: dict[tuple[int, int], str] = {}
    for event in sorted(execution["events"], key=lambda e: (e["t"], e["i"])):
        if event["t"] == 0:
            continue
        accesses = threads.setdefault(event["t"], [])
        if event["k"] in ("R", "W") and location(event["loc"]) is not None:
            ids[event["t"], event["i"]] = f"{event['t'] - 1}.{len(accesses)}"
            accesses.append(event)

    def source(rf: Any) -> str:
        return "init" if rf == "init" or rf[0] == 0 else ids[rf[0], rf[1]]

    parts = []
    for thread in sorted(threads):
        text = f"{thread - 1}:"
        for event in threads[thread]:
            value = (event["val"] + 2**31) % 2**32 - 2**31
            text += f" {event['k']}{location(event['loc'])}={value}"
            if event["k"] == "R":
                text += f"<{source(event['rf'])}"
        parts.append(text)
    orders: dict[str, str] = {}
    for order in execution["mo"]:
        name = location(order["loc"])
        writes = [ids[t, i] for t, i in (w for w in order["order"] if w != "init") if t != 0]
        if name is not None and writes:
            orders[name] = f"{name}:{','.join(writes)}"
    return "|".join(parts + [orders[name] for name in names if name in orders])


def engine(program: str, model: str, condition: str = "", dump: bool = True) -> Answer:
    """The engine's executions; with a condition, `satisfied` is 1 if it found it to hold."""
    settings = f"model={model} all={1 if dump else 0} dump={1 if dump else 0} timeout=300"
    command: list[str | Path] = [runner(), program]
    if condition:
        command.append(condition)
    done = subprocess.run(
        command,
        env={"FENCEPOST_CHECK": settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    answer = Answer()
    result = None
    names, base = _location_names(program), _location_base(runner())
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record["type"] == "execution":
            if record["blocked"]:
                answer.error = "a blocked execution"
            answer.executions.append(canonical(record, names, base))
        elif record["type"] == "result":
            result = record
    if result is None:
        answer.error = f"no result, exit status {done.returncode}: {done.stderr[-500:]}"
        return answer
    answer.satisfied = 1 if result["verdict"] == "violated" else 0
    expected = ("holds", "violated") if condition else ("holds",)
    if result["verdict"] not in expected:
        why = result.get("reason") or result.get("violation", {}).get("message")
        answer.error = f"verdict {result['verdict']}: {why}"
    elif dump and result["executions"] != len(answer.executions):
        answer.error = f"{result['executions']} counted, {len(answer.executions)} written"
    elif result["blocked"] != 0:
        answer.error = f"{result['blocked']} blocked"
    answer.executions.sort()
    return answer


def differences(reference: Answer, engines: Answer) -> list[str]:
    """What is wrong with the engine's answer, in words."""
    result = [engines.error] if engines.error else []
    expected, found = Counter(reference.executions), Counter(engines.executions)
    result += [f"missing: {text}" for text in sorted((expected - found).elements())]
    for text in sorted((found - expected).elements()):
        result.append(f"{'twice' if text in expected else 'inconsistent'}: {text}")
    return result


def compare(
    programs: Sequence[str], models: Sequence[str] = MODELS, limit: int = 200_000
) -> Iterator[tuple[str, str, list[str], int]]:
    """For each program and model that is small enough: what differs, how many executions."""
    for program, answers in zip(programs, naive(programs, models, limit), strict=True):
        if answers is None:
            continue
        for model in models:
            wrong = differences(answers[model], engine(program, model))
            yield program, model, wrong, len(answers[model].executions)


def _statements(body: str) -> list[str]:
    """Splits at the semicolons that are not inside braces."""
    parts, depth = [""], 0
    for character in body:
        depth += (character == "{") - (character == "}")
        if character == ";" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _smaller(program: str) -> Iterator[str]:
    inits, *threads = re.split(r"T\d+:", program)
    bodies = [_statements(body) for body in threads]

    def join(parts: Sequence[Sequence[str]]) -> str:
        return inits + "; ".join(f"T{t}: {'; '.join(body)}" for t, body in enumerate(parts))

    for t in range(len(bodies)):
        yield join(bodies[:t] + bodies[t + 1 :])
    for t, body in enumerate(bodies):
        for i, statement in enumerate(body):
            yield join([*bodies[:t], body[:i] + body[i + 1 :], *bodies[t + 1 :]])
            if "{" in statement:
                inside = statement[statement.index("{") + 1 : statement.index("}")].strip()
                yield join([*bodies[:t], [*body[:i], inside, *body[i + 1 :]], *bodies[t + 1 :]])
            weaker = re.sub(r"\b(acq_rel|sc|acq|rel)\b", "rlx", statement)
            if weaker != statement and not statement.startswith("F"):
                yield join([*bodies[:t], [*body[:i], weaker, *body[i + 1 :]], *bodies[t + 1 :]])


def shrink(program: str, model: str) -> str:
    """A program that is as small as steps of one statement can make it and still differs."""

    def differs(candidate: str) -> bool:
        try:
            return any(wrong for _, _, wrong, _ in compare([candidate], [model]))
        except ValueError:
            return False

    while True:
        for candidate in _smaller(program):
            if "T0" in candidate and differs(candidate):
                program = candidate
                break
        else:
            return program


def main() -> int:
    """Compares many programs and prints the ones that differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--limit", type=int, default=20_000, help="candidates of a program")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--stop", type=int, default=10, help="after so many differences")
    options = parser.parse_args()
    shapes = [test.program for test in literature()]
    programs = list(itertools.islice(random_programs(options.seed, shapes), options.programs))
    models = options.models.split(",")
    started, compared, executions, different = time.monotonic(), 0, 0, 0
    for program, model, wrong, count in compare(programs, models, options.limit):
        compared += 1
        executions += count
        if not wrong:
            continue
        different += 1
        smallest = shrink(program, model) if options.shrink else program
        if smallest != program:
            ((_, _, wrong, _),) = compare([smallest], [model])
        print(f"{model}\t{smallest}")
        print("\n".join(f"    {text}" for text in wrong[:12]), flush=True)
        if different == options.stop:
            break
    seconds = time.monotonic() - started
    print(
        f"{compared} comparisons, {executions} executions, {different} different, {seconds:.0f} s"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
