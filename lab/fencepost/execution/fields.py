# SPDX-License-Identifier: MIT
"""Fields of JSON objects that a checked program has written: each of its type and within its
bounds, or a ValueError. Nothing is converted: a text of digits is no number."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

#: The threads that the checker has room for, and the events of each (checker/graph/event.hpp).
MOST_THREADS = 64
MOST_EVENTS_OF_A_THREAD = 60_000
_WORD = 1 << 64
#: The checker's own counts are far below, and so is what a reader can do with.
_COUNT = 1 << 62
_MOST_FIGURE = 1e100
#: The longest sentence of the checker's has less than 8192 bytes, each of which may be escaped.
_TEXT = 1 << 16


class Fields:
    """A JSON object; `what` it is meant to be."""

    def __init__(self, data: Any, what: str) -> None:
        if not isinstance(data, dict):
            raise ValueError(f"{what} is no object")
        self._data: dict[str, Any] = data
        self._what = what

    def has(self, name: str) -> bool:
        return self._data.get(name) is not None

    def _wrong(self, name: str) -> ValueError:
        return ValueError(f"{name!r} of {self._what} is {str(self._data.get(name))[:40]!r}")

    def _required(self, name: str) -> Any:
        if name not in self._data:
            raise ValueError(f"{self._what} has no {name!r}")
        return self._data[name]

    def whole(self, name: str, below: int, default: int | None = None) -> int:
        """A number from 0 up to the bound."""
        value = self._data.get(name, default) if default is not None else self._required(name)
        if type(value) is not int or not 0 <= value < below:
            raise self._wrong(name)
        return value

    def word(self, name: str, default: int | None = None) -> int:
        """An address, a value or a place in the code."""
        return self.whole(name, _WORD, default)

    def count(self, name: str, default: int = 0) -> int:
        return self.whole(name, _COUNT, default)

    def thread(self, name: str) -> int:
        return self.whole(name, MOST_THREADS)

    def figure(self, name: str) -> float:
        """A number of seconds, say, or an estimate, made one with which arithmetic is safe."""
        value = self._data.get(name, 0)
        if type(value) not in (int, float) or not value >= 0:
            raise self._wrong(name)
        return float(min(value, _MOST_FIGURE))

    def flag(self, name: str) -> bool:
        value = self._data.get(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name)
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self._data.get(name, default)
        if not isinstance(value, str) or len(value) > _TEXT:
            raise self._wrong(name)
        return value

    def one_of(self, name: str, known: Collection[str], default: str | None = None) -> str:
        value = self._data.get(name, default) if default is not None else self._required(name)
        if not isinstance(value, str) or value not in known:
            raise self._wrong(name)
        return value

    def several(self, name: str) -> list[Any]:
        """None where there are none."""
        value = self._data.get(name, [])
        if not isinstance(value, list):
            raise self._wrong(name)
        return value

    def objects(self, name: str, what: str) -> list[Fields]:
        return [Fields(one, what) for one in self.several(name)]

    def wholes(self, name: str, below: int) -> tuple[int, ...]:
        values = self.several(name)
        if not all(type(one) is int and 0 <= one < below for one in values):
            raise self._wrong(name)
        return tuple(values)

    def texts(self, name: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        values = self.several(name)
        for one in values:
            if not isinstance(one, str) or len(one) > _TEXT or (known and one not in known):
                raise self._wrong(name)
        return tuple(values)

    def events(self, name: str) -> tuple[tuple[int, int], ...]:
        return tuple(map(self._event_id, self.several(name)))

    def event(self, name: str) -> tuple[int, int]:
        return self._event_id(self._required(name))

    def _event_id(self, value: Any) -> tuple[int, int]:
        if not (
            isinstance(value, list)
            and len(value) == 2
            and all(type(one) is int and 0 <= one < _COUNT for one in value)
        ):
            raise ValueError(f"{str(value)[:40]!r} in {self._what} is no event")
        return value[0], value[1]

    def is_word(self, name: str, word: str) -> bool:
        return bool(self._data.get(name) == word)

    def figures(self, name: str) -> dict[str, int | float]:
        """An object of numbers."""
        value = self._data.get(name) or {}
        if not isinstance(value, dict) or len(value) > 100:
            raise self._wrong(name)
        for one in value.values():
            if type(one) not in (int, float) or not math.isfinite(one) or abs(one) >= _COUNT:
                raise self._wrong(name)
        return dict(value)
