# SPDX-License-Identifier: MIT
"""Finds out about a protocol: checks it, compiles it, runs it. What was found out is remembered.

A finding is kept under a name that is made of everything it depends on, so that it is found again
for as long as nothing changed, and never afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from fencepost import ROOT
from fencepost.asm.listing import Listing, disassemble
from fencepost.asm.protocols import Client, Protocol, Subject
from fencepost.asm.targets import STUDIED, version
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.execution.schema import Exploration
from fencepost.explore.outcome import Outcome
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.explore.stop import Stop
from fencepost.render.graph_svg import draw
from fencepost.render.trace import trace_lines
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program, Toolchain, build_directory, runtime_library


@dataclass(frozen=True)
class Checked:
    """One client of a protocol under one model."""

    client: str
    model: str
    verdict: str
    executions: int = 0
    blocked: int = 0
    seconds: float = 0.0
    kind: str = ""
    message: str = ""
    steps: int = 0
    text: str = ""
    svg: str = ""
    assumptions: tuple[str, ...] = ()


@dataclass
class Finding:
    """All that is known of a protocol."""

    protocol: Protocol
    checked: list[Checked] = field(default_factory=list)
    listings: dict[str, dict[str, Listing]] = field(default_factory=dict)
    ran: dict[str, Any] | None = None

    def of(self, model: str) -> list[Checked]:
        return [one for one in self.checked if one.model == model]

    def verdict(self, model: str) -> str:
        """Violated if any client is; holds if all do."""
        found = {one.verdict for one in self.of(model)}
        if "violated" in found:
            return "violated"
        return "holds" if found == {"holds"} else "inconclusive"

    def verdicts(self) -> dict[str, str]:
        return {model: self.verdict(model) for model in {one.model for one in self.checked}}

    def counterexample(self, model: str) -> Checked | None:
        """The one that is quickest to read."""
        violated = [one for one in self.of(model) if one.verdict == "violated"]
        return min(violated, key=lambda one: one.steps, default=None)

    def executions(self) -> int:
        return sum(one.executions + one.blocked for one in self.checked)

    def assumptions(self) -> list[str]:
        return list(dict.fromkeys(text for one in self.checked for text in one.assumptions))

    def to_json(self) -> dict[str, Any]:
        verdicts = self.verdicts()
        claims = [
            {**asdict(claim), "standing": claim.standing(verdicts)}
            for claim in self.protocol.claims
        ]
        return {
            "protocol": self.protocol.id,
            "title": self.protocol.title,
            "date": self.protocol.date,
            "header": self.protocol.header,
            "verdicts": verdicts,
            "claims": claims,
            "checked": [{k: v for k, v in asdict(c).items() if k != "svg"} for c in self.checked],
            "instructions": {
                target: [listing.to_json() for listing in listings.values()]
                for target, listings in self.listings.items()
            },
            "ran": self.ran,
        }


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _content(*roots: Path) -> str:
    """The sources below the given places, by content."""
    files = sorted(
        path
        for root in roots
        for path in (root.rglob("*") if root.is_dir() else [root])
        if path.is_file() and path.suffix not in (".json", ".pyc", ".md")
    )
    return _digest([(str(path), hashlib.sha256(path.read_bytes()).digest()) for path in files])


class _Memory:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def recall(self, key: str) -> Any | None:
        try:
            return json.loads((self._directory / f"{key}.json").read_text())
        except (OSError, ValueError):
            return None

    def keep(self, key: str, value: Any) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self._directory, delete=False) as file:
            json.dump(value, file)
        Path(file.name).replace(self._directory / f"{key}.json")


class Experiment:
    """Where a subject's protocols are looked into. Safe to use from several threads."""

    def __init__(self, subject: Subject, toolchain: str, timeout: float) -> None:
        self.subject = subject
        self._cc = toolchain
        self._timeout = timeout
        self._memory = _Memory(build_directory() / "study" / "found")
        self._stop = Stop()
        self._lock = threading.Lock()
        self._builds: dict[str, threading.Lock] = {}
        self._programs: dict[str, Program | Unsupported] = {}
        self._built = tempfile.TemporaryDirectory(prefix="fencepost-")

    def stop(self) -> None:
        self._stop.ask()

    # What follows is looked up first, and found out where it is not known.

    def check(self, protocol: Protocol, number: int, models: Sequence[str]) -> list[Checked]:
        """The subject's client of that number, under each model."""
        client = self.subject.clients[number]
        keys = {model: self._check_key(protocol, client, model) for model in models}
        found: list[Checked] = []
        for model in models:
            data = self._memory.recall(keys[model])
            if data is None:
                checked = self._explore(protocol, number, model)
                if checked.verdict != "inconclusive":
                    self._memory.keep(keys[model], asdict(checked))
            else:
                checked = Checked(**{**data, "assumptions": tuple(data["assumptions"])})
            found.append(checked)
        return found

    def list_instructions(self, protocol: Protocol) -> dict[str, dict[str, Listing]]:
        source = self.subject.directory / "instructions.cpp"
        found: dict[str, dict[str, Listing]] = {}
        for target in STUDIED:
            if not target.present:
                continue
            tools = (target.command, version(target.command[0]), target.disassembler)
            sources = _content(ROOT / "include", source, protocol.source(), _words(self.subject))
            reader = _content(ROOT / "lab" / "fencepost" / "asm" / "listing.py")
            key = _digest("instructions", protocol.type, tools, sources, reader)
            data = self._memory.recall(key)
            if data is None:
                made = disassemble(source, target, protocol.flags())
                data = [made[name].to_json() for name in self.subject.functions]
                self._memory.keep(key, data)
            found[target.id] = {one["function"]: Listing.from_json(one) for one in data}
        return found

    def run(self, protocol: Protocol, seconds: float) -> dict[str, Any] | None:
        """Run the protocol on real threads, for so long. None where the program was not built."""
        program = build_directory() / self.subject.program
        if not program.is_file():
            return None
        key = _digest("run", protocol.id, seconds, hashlib.sha256(program.read_bytes()).digest())
        if (known := self._memory.recall(key)) is not None:
            return dict(known)
        command = [str(program), "--protocol", protocol.id, "--seconds", str(seconds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UnusableInput(f"{program.name}: {done.stderr.strip()[:500]}")
        line: dict[str, Any] = json.loads(done.stdout)
        self._memory.keep(key, line)
        return line

    def _check_key(self, protocol: Protocol, client: Client, model: str) -> str:
        compiler = Toolchain(self._cc).cpp_compiler
        return _digest(
            "check",
            protocol.type,
            client.name,
            model,
            (self._cc, version(compiler)),
            _content(ROOT / "include", self.subject.directory / "check.cpp"),
            _content(protocol.source(), _words(self.subject), ROOT / "lab"),
            _content(runtime_library()),
        )

    def _explore(self, protocol: Protocol, number: int, model: str) -> Checked:
        client = self.subject.clients[number]
        if self._stop.asked:
            return Checked(client.name, model, "inconclusive", message="interrupted")
        with self._lock:
            build = self._builds.setdefault(protocol.id, threading.Lock())
        with build:  # the first to come compiles, the others wait
            if protocol.id not in self._programs:
                self._programs[protocol.id] = self._build(protocol)
        program = self._programs[protocol.id]
        if isinstance(program, Unsupported):
            return Checked(client.name, model, "inconclusive", message=str(program))
        if self._stop.asked:
            return Checked(client.name, model, "inconclusive", message="interrupted")
        program = replace(program, arguments=(str(number),))
        explorer = Explorer(program, Bounds(model=model, timeout=self._timeout))
        found = self._stop.run(explorer)
        return _told(program, found, protocol, client)

    def _build(self, protocol: Protocol) -> Program | Unsupported:
        flags = protocol.flags()
        # Two proposals contain an order that the standard forbids, and gcc says so.
        flags += [] if Toolchain(self._cc).is_clang else ["-Wno-invalid-memory-model"]
        source = self.subject.directory / "check.cpp"
        directory = Path(self._built.name) / protocol.id
        try:
            return build_program(
                [source], Toolchain(self._cc, tuple(flags)), directory, warnings=[]
            )
        except Unsupported as error:
            return error


def _words(subject: Subject) -> Path:
    """What the protocols of a subject have in common, if anything."""
    shared = subject.directory / "words.hpp"
    return shared if shared.is_file() else subject.directory / "check.cpp"


def _told(program: Program, found: Exploration, protocol: Protocol, client: Client) -> Checked:
    source = program.sources[0]
    outcome = Outcome(source, (source,), found.model, exploration=found, program=program)
    violation = found.violation
    names = outcome.names() if violation else None
    title = f"{protocol.title}: {client.does}, under {found.model}"
    return Checked(
        client=client.name,
        model=found.model,
        verdict=found.verdict,
        executions=found.executions,
        blocked=found.blocked,
        seconds=found.seconds,
        kind=violation.kind if violation else "",
        message=names.message(violation.message) if violation and names else found.reason,
        steps=len(violation.execution.events) if violation else 0,
        text="\n".join(trace_lines(violation, names)) if violation and names else "",
        svg=draw(violation, names, title) if violation and names else "",
        assumptions=found.assumptions,
    )


def processors() -> int:
    return len(os.sched_getaffinity(0))
