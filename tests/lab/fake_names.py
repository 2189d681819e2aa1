# SPDX-License-Identifier: MIT
"""Names without an executable: what the renderers ask for, answered from two small tables."""

from __future__ import annotations

from fencepost.execution.schema import Event

VARIABLES = {4096: "lock_word", 4100: "waiters", 4104: "event"}

SOURCES = {
    10: "while (lock_word.exchange(true, std::memory_order_acquire)) {",
    12: "waiters.store(1, std::memory_order_release);",
    14: "if (!lock_word.load(std::memory_order_acquire)) continue;",
    19: "futex_wait(&event, epoch);",
    20: "lock_word.exchange(true, std::memory_order_acquire);",
    22: "lock_word.store(false, std::memory_order_release);",
    23: "if (waiters.load(std::memory_order_acquire)) {",
    30: "std::thread first(enter);",
    31: "std::thread second(enter_and_exit);",
    33: "first.join();",
}


class FakeNames:
    def place(self, pc: int) -> str | None:
        return f"mutex.cpp:{pc}" if pc else None

    def source(self, pc: int) -> str:
        return SOURCES.get(pc, "")

    def address(self, address: int) -> str:
        return VARIABLES[address]

    def objects(self) -> list[str]:
        return []

    def accessed(self, event: Event) -> str:
        return self.address(event.address)

    def value(self, event: Event) -> str:
        return str(event.value)

    def message(self, text: str) -> str:
        return text

    def thread(self, number: int) -> str:
        return "main" if number == 0 else f"T{number}"
