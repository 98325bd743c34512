# SPDX-License-Identifier: BSD-3-Clause
"""The best allreduce of a portfolio against the library's own, one process a node, over nodes.

The study prints graphs, and says in words what they show; their numbers were never published. So
its words stand beside our numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from laneway.simulation import native
from laneway.simulation.native import Native
from laneway.units import quoted
from laneway_studies.papers.allreduce.cases import places, plans, points
from laneway_studies.papers.allreduce.growth import (
    LOG_P,
    POWERS,
    growth_lines,
    power_lines,
    preference,
    verdicts_of,
)
from laneway_studies.papers.allreduce.lengths import across, of_length
from laneway_studies.papers.allreduce.times import gathered
from laneway_studies.reading import ascending
from laneway_studies.study import Measuring, Parameter, Section, Study, StudyPart

NODES = "2,3,4,5,6,7,8,9,12,15,16,17,24,31,32,33,48,60,63,64,65,96,128"
"""Numbers of nodes up to the study's machines (60, 64 and 128): powers of two and neighbours."""


def _libraries(text: str) -> tuple[Native, ...]:
    return tuple(native.load(name.strip()) for name in text.split(",") if name.strip())


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(f"{quoted(text)} is neither yes nor no")
    return text == "yes"


def sections(part: StudyPart) -> Iterator[Section]:
    """A section for each length, the growth with P, powers of two."""
    times = gathered(part)
    for ppn, length in sorted({(one.ppn, one.bytes) for one in times}):
        yield of_length(length, ppn, [one for one in times if (one.ppn, one.bytes) ==
                                       (ppn, length)])  # fmt: skip
    growth = [line for one in times for line in growth_lines(one)]
    if growth:
        yield Section(
            "Growth with P",
            [LOG_P],
            table=growth,
        )
    powers = [line for one in times for line in power_lines(one, verdicts_of(part))]
    if powers:
        yield Section("Powers of two", [POWERS, *map(preference, times)], table=powers)


STUDY = Study(
    title="Allreduce: the best algorithm against the library's, one process a node",
    source="Optimal MPI_ALLREDUCE node performance",
    told="The MPI library's allreduce is compared with the best of a portfolio, for 8 B, 8 KB and "
    "2 MB, over the number of nodes. The study asks whether times grow with log P, and whether the "
    "library prefers powers of two.",
    machines=("hydra",),
    points=points,
    sections=sections,
    compares=("library",),
    measuring=Measuring(plans, places),
    across=across,
    parameters=(
        Parameter(
            "node-counts",
            "Numbers of nodes.",
            NODES,
            "N,M",
            partial(ascending, least=2, what="numbers of nodes"),
        ),
        Parameter(
            "ppn-each",
            "Processes of a node; with several the local part goes by its memory.",
            "1",
            "N,M",
            partial(ascending, least=1, what="numbers of processes"),
        ),
        Parameter(
            "tunables",
            "Whether other segments than the usual ones take part: yes or no.",
            "yes",
            "yes|no",
            _yes,
        ),
        Parameter(
            "native",
            "Libraries whose choices are simulated: names of native profiles, or files.",
            "openmpi-4.0,mpich-3.3",
            "NAME,...",
            _libraries,
        ),
    ),
)
