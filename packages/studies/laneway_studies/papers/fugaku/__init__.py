# SPDX-License-Identifier: BSD-3-Clause
"""Fugaku: IMB's messages and collectives, alltoall by size and shape of the torus, starts of jobs.

`imb`, `alltoall` and `starts` have a part each: what is simulated of it, and what rows say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from laneway.campaign import Plan
from laneway.errors import Misuse
from laneway.launching.allocation import CLUSTER_PPN, Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans import comparison
from laneway.plans.comparison import Arm
from laneway.plans.start import StartPlan
from laneway.rows import NATIVE
from laneway.simulation import torus
from laneway.simulation.machine import Machine
from laneway.units import parse_size, parse_sizes
from laneway_studies.papers.fugaku import alltoall, imb, imb_told, portfolio, starts
from laneway_studies.papers.fugaku.shapes import forms
from laneway_studies.study import (
    Asked,
    Effort,
    Measuring,
    Parameter,
    Section,
    SimulatedPoint,
    Study,
    StudyPart,
)


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """IMB's operations on its shapes, alltoall on each. Raises Misuse for what is no torus."""
    if torus.shape_of(machine) is None:
        raise Misuse(f"the machine {machine.name} is no torus: this study is of tori")
    yield from imb.points(machine, asked)
    yield from alltoall.points(machine, asked)


def sections(part: StudyPart) -> Iterator[Section]:
    """Messages, collectives, alltoall by shape, throughput, starts."""
    yield from imb_told.sections(part)
    yield from alltoall.sections(part)
    yield starts.section(part)


# ---- the machine at hand -------------------------------------------------------------------------


def places(wanted: Wanted, _asked: Asked) -> list[Wanted]:
    """All processes of a node, for collectives; one, for messages between nodes."""
    ppn = wanted.ppn or CLUSTER_PPN
    return [replace(wanted, ppn=own) for own in dict.fromkeys((ppn, 1))]


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> Mapping[str, Plan]:
    """IMB's operations by the library and the portfolio; alltoall by all that are compared."""
    most = max(setting.place.ppn for setting in settings)
    full = [setting for setting in settings if setting.place.ppn == most]
    single = [setting for setting in settings if setting.place.ppn == 1]

    def campaign(
        own: Sequence[Setting],
        collectives: Sequence[str],
        algorithms: Sequence[str],
        datatype: str = "byte",
    ) -> Plan:
        sizes = asked["sizes"] or imb.sizes(collectives[0])
        arms = [Arm(setting, (NATIVE, *algorithms)) for setting in own]
        return comparison.ComparisonPlan(
            build, arms, collectives, (), sizes, datatype=datatype, **effort
        )

    by_shape = (alltoall.SHORT, "pairwise", alltoall.LONG, alltoall.SIX)
    return {
        "messages": campaign(single, [*imb.MESSAGES], ()),
        **{
            name: campaign(full, names, portfolio.portfolio_of(names), portfolio.datatype(names[0]))
            for name, names in portfolio.ALIKE.items()
        },
        "alltoall": campaign(full, ("alltoall",), by_shape),
        "starts": StartPlan(build, full, effort["runs"], effort["silence"]),
    }


def _sizes(text: str) -> tuple[int, ...]:
    return parse_sizes(text) if text else ()


STUDY = Study(
    title="IMB on Fugaku; alltoall by size and shape of the torus",
    source="RIKEN R-CCS: Results of Intel MPI Benchmarks (IMB), 2022",
    told="Messages and collectives of IMB on Fugaku stand beside the best of a portfolio on a "
    "simulated torus of six dimensions. Alltoall is compared by size and shape, also by an "
    "algorithm that exchanges dimension by dimension. The study has its throughput, and how long "
    "jobs take to start.",
    machines=("fugaku",),
    points=points,
    sections=sections,
    measuring=Measuring(plans, places),
    parameters=(
        Parameter("imb-form", "Shapes of the torus for IMB.", imb.FORMS, "XxYxZ,...", forms),
        Parameter("forms", "Shapes for alltoall.", alltoall.FORMS, "XxYxZ,...", forms),
        Parameter(
            "sizes", "Bytes of messages and blocks of IMB, of those published; none: all.",
            "", "A,B", _sizes,
        ),
        Parameter(
            "most-hops", "Links that the messages of a simulated call cross at most, in all.",
            imb.MOST_HOPS, "N", parse_size,
        ),
    ),
)  # fmt: skip
