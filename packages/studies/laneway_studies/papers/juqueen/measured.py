# SPDX-License-Identifier: BSD-3-Clause
"""The study on the machine at hand: as many processes a node as asked for, one, with threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from laneway.campaign import Plan
from laneway.launching.allocation import Wanted
from laneway.launching.place import Setting
from laneway.libraries.native import NativeBuild
from laneway.plans.comparison import Arm, ComparisonPlan
from laneway.rows import NATIVE
from laneway_studies.papers.juqueen.cases import BINOMIAL, HYPERCUBE, REDUCED, counts_of
from laneway_studies.study import Asked, Effort

MEASURED = (64, 16384, 1048576)
"""Elements of the broadcasts that are measured: the study prints no figures of them."""


def places(wanted: Wanted, _asked: Asked) -> list[Wanted]:
    """As many processes a node as asked for, one, and one with as many threads."""
    ppn = wanted.ppn or 4
    return [
        replace(wanted, ppn=ppn),
        replace(wanted, ppn=1),
        replace(wanted, ppn=1, threads=ppn),
    ]


def plans(
    build: NativeBuild, settings: Sequence[Setting], effort: Effort, asked: Asked
) -> Mapping[str, Plan]:
    """A campaign of all shapes: the threaded reduction is the benchmark's own."""
    most = max(setting.place.ppn for setting in settings)

    def campaign(
        chosen: Sequence[Setting], collective: str, counts: Sequence[int], *beside: str
    ) -> Plan:
        return ComparisonPlan(
            build,
            [Arm(setting, (NATIVE, *beside)) for setting in chosen],
            (collective,),
            counts,
            datatype="double",
            **effort,
        )

    single = [setting for setting in settings if setting.place.threads == 1]
    reduced, exchanged = counts_of("reduce", asked), counts_of("hypercube_exchange", asked)
    exchanges = {}
    for ppn, threads in dict.fromkeys((one.place.ppn, one.place.threads) for one in settings):
        of_shape = [one for one in settings if (one.place.ppn, one.place.threads) == (ppn, threads)]
        counts = [count * most // (ppn * threads) for count in exchanged]
        exchanges[f"exchange-{ppn}x{threads}"] = campaign(of_shape, HYPERCUBE, counts)
    return {
        "binomial-reduce": campaign(settings, REDUCED, reduced),
        "reduce": campaign(single, "reduce", reduced),
        "bcast": campaign(single, "bcast", MEASURED, BINOMIAL),
        **exchanges,
    }
