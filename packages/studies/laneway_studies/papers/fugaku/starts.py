# SPDX-License-Identifier: BSD-3-Clause
"""How long jobs take to start: by the number of nodes, and by the shape of 768 of them."""

from __future__ import annotations

from itertools import groupby

from laneway_studies import figures
from laneway_studies.figures import PublishedStart
from laneway_studies.study import Section, StudyPart

_STARTED = (
    "Published are seconds until the first process of a job runs, and until the last: the least "
    "and the most of four or five jobs. With more nodes a start takes longer; the study says that "
    "the shape makes almost no difference. A start is no matter of messages, and not "
    "simulated."
)
_OURS = "Ours end when the last process has returned from MPI_Init."


def section(part: StudyPart) -> Section:
    """The published starts, and those that were measured."""

    def shape(one: PublishedStart) -> tuple[int, str]:
        return one.nodes, one.shape

    published = []
    for (nodes, form), group in groupby(figures.starts(), key=shape):
        own = [*group]
        firsts, lasts = [one.first_s for one in own], [one.last_s for one in own]
        published.append(
            {
                "nodes": nodes,
                "shape": form,
                "jobs": len(own),
                "first process, least s": min(firsts),
                "first process, most s": max(firsts),
                "last process, least s": min(lasts),
                "last process, most s": max(lasts),
            }
        )
    ours = [
        {
            "nodes": one.key.nodes,
            "ppn": one.key.ppn,
            "ours, least s": one.min_us / 1e6,
            "ours, median s": one.median_us / 1e6,
        }
        for one in part.show(one for one in part.summaries if one.key.collective == "start")
    ]
    said = [_STARTED, *([_OURS] if ours else [])]
    return Section("Start of a job", said=said, table=[*published, *ours])
