# SPDX-License-Identifier: BSD-3-Clause
"""What would pay, from the times that `exec --advise` measures."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise

from laneway.decisions.counts import Case, Count
from laneway.units import exact_size

LATE = 0.5
"""Where processes wait for others for this share of a collective's time, balance comes first."""

NO_ALGORITHM = "Laneway has no algorithm for it"
"""Why vector collectives are native."""


def advice(case: Case, count: Count) -> str:
    """What would pay for a collective that was measured, in words."""
    reasons = (
        (not count.seconds, "not measured: the processes need not meet in it"),
        (late({case: count}), "balance the work first: processes come late"),
        (case.place.nodes is None, "nothing: only the library serves it"),
        (case.collective == "barrier" or not count.bytes, "little: no data"),
        (case.place.nodes == 1, "nothing: no lanes within a node"),
        (case.why == NO_ALGORITHM, f"nothing yet: {NO_ALGORITHM}"),
    )
    at_most = f"at most {count.a_process(count.seconds):.3g} s"
    return next((words for holds, words in reasons if holds), at_most)


SHOWN = 3
"""Comparisons that are advised, at most."""


def comparisons(cases: Mapping[Case, Count], where: Sequence[str]) -> list[str]:
    """The commands that tell how much there is to gain, the most expensive collectives first.

    `where` are the options of `compare` by which it measures where the job ran. Each spans the
    sizes that occurred, so that the profile that comes of it has rules for them.
    """
    worth: dict[tuple[str, int, int], tuple[float, set[int]]] = {}
    for case, count in cases.items():
        if not advice(case, count).startswith("at most") or not case.bytes_to:
            continue
        key = (case.collective, case.place.nodes or 1, case.place.ppn_most or 1)
        seconds, sizes = worth.get(key, (0.0, set()))
        # Its class of sizes, from one power of two up to the next; ints of 4 bytes fit into both.
        ends = {max(4, case.bytes_from or 0), max(4, case.bytes_to + 1)}
        worth[key] = (seconds + count.seconds, sizes | ends)
    largest = sorted(worth.items(), key=lambda item: -item[1][0])[:SHOWN]
    return [
        shlex.join(
            [
                *("laneway", "compare", collective, "-m", _listed(sizes)),
                *("--nodes", str(nodes), "--ppn", str(ppn), *where),
            ]
        )
        for (collective, nodes, ppn), (_, sizes) in largest
    ]


def _listed(sizes: set[int]) -> str:
    """As `-m` takes them: a range where they are consecutive powers of two."""
    ordered = sorted(sizes)
    doubled = all(more == 2 * less for less, more in pairwise(ordered))
    if doubled:
        return f"{exact_size(ordered[0])}:{exact_size(ordered[-1])}"
    return ",".join(map(exact_size, ordered))


def late(cases: Mapping[Case, Count]) -> bool:
    """Whether waiting for the last process is most of the time.

    Finding that out is a barrier, and a barrier that is measured takes as long itself: half of its
    time is no sign of late processes.
    """
    seconds = sum(count.seconds for count in cases.values())
    barriers = sum(count.seconds for case, count in cases.items() if case.collective == "barrier")
    waited = sum(count.waited_s for count in cases.values()) - barriers
    return waited > LATE * (waited + seconds)
