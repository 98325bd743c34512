# SPDX-License-Identifier: BSD-3-Clause
"""The part of nonblocking collectives that goes on while their callers compute."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from laneway.rows import Row
from laneway.units import size

_APART = ("collective", "bytes", "library", "nodes", "ppn", "binding", "datatype", "op", "root")
"""The keys that tell cases apart."""


def overlaps(rows: Iterable[Row]) -> Iterator[str]:
    """A sentence for each case, from rows of kind `overlap`; medians of runs.

    A computation as long as the call runs between the call's beginning and the wait for it. The
    time of both says how much of the call was hidden, as in Intel's IMB-NBC: 1 is all, 0 nothing.
    """
    found: dict[tuple[Any, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["kind"] == "overlap" and row.get("overlap") is not None:
            found[tuple(row.get(name) for name in _APART)][row["algorithm"]].append(row["overlap"])
    told = [_APART.index("binding")]
    told += [
        number for number in range(2, len(_APART))
        if number not in told and len({case[number] for case in found}) > 1
    ]  # fmt: skip
    for case, by_algorithm in found.items():
        medians = {name: statistics.median(own) for name, own in by_algorithm.items()}
        best_first = sorted(medians.items(), key=lambda each: -each[1])
        shares = ", ".join(f"{name} {share:.0%}" for name, share in best_first)
        where = ", ".join(str(case[number]) for number in told if case[number] is not None)
        yield f"hidden behind a computation, {case[0]} {size(case[1])} ({where}): {shares}"
