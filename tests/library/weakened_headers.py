# SPDX-License-Identifier: MIT
"""Copies of headers in which a memory order is one step weaker.

In the first copy every order is a choice that is made when the program starts, so that a program is
compiled once and told at each run which order to weaken. An order in a constant expression cannot
be chosen so; for this there are copies with one weaker order written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from order_sites import ORDERS, Header, Site

#: Chooses before main(), by the program's argument "SITE:ORDER".
CHOICE = """\
#pragma once
#include <atomic>
#include <type_traits>
namespace fencepost_weakened {
inline int site = -1;
inline int order = 0;
[[gnu::constructor]] inline void choose(int count, char** words) {
  if (count < 2) return;
  const char* at = words[1];
  for (site = 0; *at != ':'; ++at) site = site * 10 + (*at - '0');
  order = at[1] - '0';
}
inline bool is(int number) { return site == number; }
template <class result>
constexpr result absent() {
  if constexpr (!std::is_void_v<result>) return static_cast<result>(true);
}
constexpr std::memory_order at(int number, std::memory_order written) {
  if (std::is_constant_evaluated()) return written;
  return site == number ? static_cast<std::memory_order>(order) : written;
}
}  // namespace fencepost_weakened
"""

INCLUDED = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


@dataclass(frozen=True)
class Weakening:
    """One site, one step weaker."""

    site: Site
    number: int
    order: str  # "" if the fence is not there at all

    @property
    def argument(self) -> str:
        return f"{self.number}:{ORDERS.index(self.order) if self.order else 0}"

    @property
    def question(self) -> str:
        name = self.site.operation
        return f"{name}: {self.site.order} could be {self.order}" if self.order else f"{name}: none"


def _as_choice(site: Site, written: str, number: int) -> str:
    if site.order:
        return f"::fencepost_weakened::at({number}, {written})"
    return f"(::fencepost_weakened::is({number}) ? {_absent(written)} : {written})"


def _absent(call: str) -> str:
    """In the place of a fence that is not there: true, if it said that it worked."""
    return f"::fencepost_weakened::absent<decltype({call})>()"


def _for_good(weakening: Weakening, written: str) -> str:
    if weakening.order:
        return re.sub(r"[a-z]+(?:_rel|_cst)?$", weakening.order, written)
    return _absent(written)


class WeakenedHeaders:
    """All headers below a folder of `include` but those that are left out, and their copies."""

    def __init__(
        self,
        include: Path,
        directory: Path,
        left_out: frozenset[str],
        folder: str = "fencepost",
    ) -> None:
        self.include = include
        self._directory = directory
        self.headers = [
            Header(path, path.read_text())
            for path in sorted((include / folder).rglob("*.hpp"))
            if str(path.relative_to(include)) not in left_out
        ]
        self.weakenings: list[Weakening] = []
        self.copy = directory / "chosen"
        directory.mkdir(parents=True, exist_ok=True)
        self.choice = directory / "choice.hpp"
        self.choice.write_text(CHOICE)
        number = 0
        for header in self.headers:
            chosen = {}
            for site in header.sites:
                written = header.text[site.start : site.end]
                chosen[site] = _as_choice(site, written, number)
                self.weakenings += [Weakening(site, number, order) for order in site.weaker]
                number += 1
            self._write(self.copy, header, chosen)

    def _write(self, root: Path, header: Header, instead: dict[Site, str]) -> None:
        text = header.text
        for site in sorted(instead, key=lambda site: -site.start):
            text = text[: site.start] + instead[site] + text[site.end :]
        path = root / header.path.relative_to(self.include)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def weakened_for_good(self, weakening: Weakening) -> Path:
        """A copy in which one order is weaker and nothing else has changed."""
        root = self._directory / f"weakened-{weakening.argument.replace(':', '-')}"
        for header in self.headers:
            instead = {}
            if header.path == weakening.site.header:
                written = header.text[weakening.site.start : weakening.site.end]
                instead[weakening.site] = _for_good(weakening, written)
            self._write(root, header, instead)
        return root

    def flags(self, copy: Path) -> tuple[str, ...]:
        """Quotes look into the copy first; angle brackets, in the headers as they are."""
        return ("-include", str(self.choice), "-iquote", str(copy))

    def included_by(self, source: Path) -> set[Path]:
        """The headers that a program includes, directly or not."""
        found: set[Path] = set()
        ahead = [source]
        while ahead:
            file = ahead.pop()
            for quote, name in INCLUDED.findall(file.read_text()):
                candidates = [self.include / name] + [file.parent / name] * (quote == '"')
                path = next((one.resolve() for one in candidates if one.is_file()), None)
                if path is None or path in found:
                    continue
                if quote == "<":
                    raise ValueError(f"{file}: includes <{name}>: a copy is found by quotes alone")
                found.add(path)
                ahead.append(path)
        return found
