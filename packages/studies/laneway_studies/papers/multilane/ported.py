# SPDX-License-Identifier: BSD-3-Clause
"""Gather and scatter by k-ported trees, against the paper's mock-ups by lanes.

The paper (end of Section 5) believes that such trees do better than its full-lane mock-ups. Each
processor of a node is a port of theirs, and data that reach a node are given to all of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from laneway.rows import Row
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway_studies.papers.multilane.tables import SYSTEMS, full_size
from laneway_studies.simulated import of_call
from laneway_studies.study import Section, SimulatedPoint, StudyPart

COLLECTIVES = ("gather", "scatter")

PORTED, MOCK_UP = "k_ported", "lane"

COUNTS = (1, 3, 10, 30, 100, 300, 1000)
"""Ints of a block."""

MODEL = "k-lane"
"""The axis that tells these from the paper's cases: no library stands for components."""

COUNT, RATIO = "ints of a block", "lane / k-ported"
"""Columns of the table."""

_SAID = (
    "The paper believes that k-ported trees gather and scatter faster than its mock-ups, and has "
    "not tried. Components are ours here, of few rounds, on both sides. A ratio above 1 says that "
    "the tree is faster."
)


def points(machine: Machine) -> Iterator[SimulatedPoint]:
    """Both collectives by both algorithms, on the whole machine."""
    nodes, ppn = full_size(SYSTEMS[machine.name])
    for collective in COLLECTIVES:
        for algorithm in (PORTED, MOCK_UP):
            for count in COUNTS:
                call = Call(collective, algorithm, count, (ppn,) * nodes)
                yield of_call(call, machine, model=MODEL)


def sections(part: StudyPart) -> Iterator[Section]:
    """Times by block, and where the mock-up takes over."""
    times: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in part.show(one for one in part.summaries if dict(one.key.axes).get("model") == MODEL):
        times[one.key.collective][one.key.count][one.key.algorithm] = one.median_us
    if not times:
        return
    lines = [*_lines(times)]
    ratios: dict[str, dict[int, float]] = {collective: {} for collective in times}
    for line in lines:
        if line[RATIO] is not None:
            ratios[line["collective"]][line[COUNT]] = line[RATIO]
    yield Section(
        "Do k-ported gather and scatter beat the mock-ups?",
        [_SAID, *(_verdict(collective, own) for collective, own in ratios.items() if own)],
        table=lines,
    )


def _verdict(collective: str, ratios: Mapping[int, float]) -> str:
    """The blocks for which the tree is faster, in a sentence."""
    faster = [count for count, ratio in ratios.items() if ratio > 1]
    if not faster:
        return f"In {collective} it is faster for no block."
    if len(faster) == len(ratios):
        return f"In {collective} it is faster for all blocks, up to {max(faster)} ints."
    if faster == [*ratios][: len(faster)]:
        beyond = [*ratios][len(faster)]
        return (
            f"In {collective} it is faster up to {max(faster)} ints a block, and no longer at "
            f"{beyond}."
        )
    return f"In {collective} it is faster for blocks of {', '.join(map(str, faster))} ints."


def _lines(times: Mapping[str, Mapping[int, Mapping[str, float]]]) -> Iterator[Row]:
    for collective, by_count in times.items():
        for count, own in sorted(by_count.items()):
            both = MOCK_UP in own and PORTED in own
            yield {
                "collective": collective,
                COUNT: count,
                "k-ported, us": own.get(PORTED),
                "lane, us": own.get(MOCK_UP),
                RATIO: own[MOCK_UP] / own[PORTED] if both else None,
            }
