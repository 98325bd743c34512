# SPDX-License-Identifier: BSD-3-Clause
"""How much of nonblocking collectives goes on while their callers compute."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator

from laneway.rows import Row
from laneway.units import size


def overlaps(rows: Iterable[Row]) -> Iterator[str]:
    """A sentence for each collective and size, from rows of kind `overlap`; medians of runs.

    What a call takes together with as long a computation between its beginning and waiting for it
    says how much of it was hidden, as in Intel's IMB-NBC: 1 is all of it, 0 nothing.
    """
    found: dict[tuple[str, int, str], dict[str, list[float]]] = defaultdict(dict)
    for row in rows:
        if row["kind"] == "overlap":
            case = row["collective"], row["bytes"], str(row["binding"])
            found[case].setdefault(row["algorithm"], []).append(row["overlap"])
    for (collective, bytes_, binding), by_algorithm in sorted(found.items()):
        medians = {name: statistics.median(own) for name, own in by_algorithm.items()}
        best_first = sorted(medians.items(), key=lambda each: -each[1])
        shares = ", ".join(f"{name} {share:.0%}" for name, share in best_first)
        yield f"hidden behind a computation, {collective} {size(bytes_)} ({binding}): {shares}"
