# SPDX-License-Identifier: BSD-3-Clause
"""Latency of broadcast and reduction by linear, pipeline and binary algorithms, as regressions.

The study fits latency to the number of processes for messages of one byte, with a breakpoint at 128
where ranks fill node after node. It also fits latency to processes and bytes together. It names no
machine; nodes of 128 processes follow from its breakpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from laneway.results.measurements import Measured
from laneway.units import parse_sizes
from laneway_studies.papers.latency.cases import COLLECTIVES, places, plans, points
from laneway_studies.papers.latency.groups import paper_name
from laneway_studies.papers.latency.over_both import over_both
from laneway_studies.papers.latency.over_processes import over_processes, sockets_of
from laneway_studies.papers.latency.warming_up import warming_up
from laneway_studies.reading import ascending, whole
from laneway_studies.study import Measuring, Parameter, Section, Study, StudyPart

PROCESSES = "2,4,8,16,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256"

SIZES = "1,16,256,1K,4K,8K,16K,64K,256K,1M"


def sections(part: StudyPart) -> Iterator[Section]:
    """Over processes, over processes and bytes, by the published terms; warm-up where measured."""
    samples = {
        key: own
        for key, own in Measured(part.rows).samples.items()
        if key.collective in COLLECTIVES and paper_name(key.algorithm)
    }
    if not samples:
        return
    least = min(key.bytes for key in samples)
    for collective in COLLECTIVES:
        own = {key: times for key, times in samples.items() if key.collective == collective}
        if own:
            shortest = {key: times for key, times in own.items() if key.bytes == least}
            yield over_processes(collective, least, shortest)
            yield from sockets_of(collective, least, shortest)
            part.shown.update(shortest)
            both = [*over_both(collective, own)]
            part.shown.update(own if both else ())
            yield from both
    if part.origin.simulated_on is None:
        yield from warming_up(samples)


STUDY = Study(
    title="Latency models of broadcast and reduction: linear, pipeline, binary",
    source="Modeling the latency of MPI collective communication algorithms",
    told="Latency grows with the number of processes and with the message, by algorithm and by "
    "how ranks are dealt out to nodes. Regressions have a breakpoint where a second node begins; "
    "the published coefficients stand beside ours. The study shows the influence of warming up and "
    "of the number of iterations.",
    machines=("hydra",),
    points=points,
    sections=sections,
    measuring=Measuring(plans, places),
    parameters=(
        Parameter(
            "process-counts", "Numbers of processes.", PROCESSES, "P,Q", partial(ascending, least=2)
        ),
        Parameter(
            "cores",
            "Processes that a simulated node has room for.",
            "128",
            "N",
            partial(whole, least=1, what="number of processes"),
        ),
        Parameter(
            "sockets",
            "Sockets of a simulated node, which ranks go round; 1: they are no factor.",
            "2",
            "N",
            partial(whole, least=1, what="number of sockets"),
        ),
        Parameter("sizes", "Bytes of messages.", SIZES, "A,B", parse_sizes),
    ),
)
