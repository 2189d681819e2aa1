# SPDX-License-Identifier: MIT
"""some_results.py FILE WORD…: writes results with figures that nobody measured, for commands that
read results: `subject=rings`, `work=threads:8`, `run=r1`, `faster=20` (all of it), any other word
a variant."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from fencepost.results.schema import Metric
from measured import lines, write_lines

ROUNDS = 12


def main() -> None:
    file, *words = sys.argv[1:]
    options = dict(word.split("=", 1) for word in words if "=" in word)
    variants = [word for word in words if "=" not in word]
    rng = random.Random(1)
    best = 100 + int(options.pop("faster", "0"))
    figures = {
        variant: [rng.gauss(best + 10 * number, 1) for _ in range(ROUNDS)]
        for number, variant in enumerate(variants)
    }
    metric = Metric(options.pop("metric", "sections_per_second"), "sections/s", "higher")
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    subject = options.pop("subject", "locks_contended")
    write_lines(path, lines(figures, metric=metric, subject=subject, **options))


if __name__ == "__main__":
    main()
