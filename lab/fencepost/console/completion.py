# SPDX-License-Identifier: MIT
"""Answers the question of a shell how a line could go on. Needs argcomplete."""

from __future__ import annotations

import argparse
from typing import Any

from argcomplete import CompletionFinder  # type: ignore[attr-defined]


class _Finder(CompletionFinder):
    """Offers files behind options, too, where others stand before them: argparse takes the first
    ones for all, and Fencepost's parser the others."""

    def collect_completions(
        self, active_parsers: list[argparse.ArgumentParser], parsed: Any, prefix: str, *rest: Any
    ) -> list[str]:
        found: list[str] = super().collect_completions(active_parsers, parsed, prefix, *rest)
        parser: Any = active_parsers[-1]
        if prefix.startswith("-") or any(one.option_strings for one in parser.active_actions):
            return found
        for action in parser._get_positional_actions():
            if action.nargs in ("+", "*") and action not in parser.active_actions:
                completer = getattr(action, "completer", None) or self.default_completer
                more = completer(prefix=prefix, action=action, parser=parser, parsed_args=parsed)
                return [*found, *(one for one in more if one.startswith(prefix))]
        return found


def answer(parser: argparse.ArgumentParser) -> None:
    """Ends the process where a shell asks."""
    _Finder()(parser)
