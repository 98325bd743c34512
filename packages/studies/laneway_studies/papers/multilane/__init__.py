# SPDX-License-Identifier: BSD-3-Clause
"""Every table of Träff and Hunold 2020: lanes, collectives, and what decomposing them gains.

`tables` has what is published, `described` simulates the machines of the paper, and `measured` does
on the machine at hand what the paper does. `compared` says what came of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from laneway.simulation.machine import Machine
from laneway.units import parse_size
from laneway_studies.papers.multilane import between, compared, described, measured, ported, reduced
from laneway_studies.papers.multilane.tables import SYSTEMS
from laneway_studies.reading import ascending
from laneway_studies.study import (
    Asked,
    Measuring,
    Parameter,
    Section,
    SimulatedPoint,
    Study,
    StudyPart,
)


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Every time of the tables, the lane pattern between other nodes, k-ported trees, and more."""
    yield from described.points(machine, asked)
    yield from between.points(machine)
    yield from ported.points(machine)
    yield from reduced.points(machine)


def sections(part: StudyPart) -> Iterator[Section]:
    """The sections on rows of either origin."""
    if part.origin.simulated_on is None:
        yield from compared.sections(part)
    else:
        yield from described.sections(part)
    yield from between.sections(part)
    yield from ported.sections(part)
    yield from reduced.sections(part)


STUDY = Study(
    title="Decomposing collectives over lanes",
    source="J. L. Träff, S. Hunold: Decomposing Collectives for Exploiting Multi-lane "
    "Communication, January 2020 (arXiv:1910.13373)",
    told="The study has all tables of the paper and its appendices, on Hydra with three MPI "
    "libraries, VSC-3 and Jupiter. They say how much several processes of a node carry at once, "
    "and how long native, full-lane and hierarchical collectives take. The libraries are described "
    "by native profiles. Lanes of the machines are fitted to the tables of the lane pattern. The "
    "work for a message is fitted to Hydra's alltoall on one lane at once (multi-collective), and "
    "is the same on the others. With --launcher the machine at hand does what the paper does, by "
    "all MPI libraries that are there.",
    machines=tuple(SYSTEMS),
    points=points,
    sections=sections,
    compares=("lanes",),
    measuring=Measuring(measured.plans, measured.places, every_library=True),
    parameters=(
        Parameter(
            "ppn-each",
            "With --launcher: numbers of processes a node that are measured below --ppn.",
            "1,2,8",
            "N,M",
            partial(ascending, least=1, what="numbers of processes"),
        ),
        Parameter(
            "largest",
            "With --launcher: bytes of a message, or of all blocks of a process, at most.",
            "64M",
            "SIZE",
            parse_size,
        ),
    ),
)
