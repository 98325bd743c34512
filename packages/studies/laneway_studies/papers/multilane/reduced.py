# SPDX-License-Identifier: BSD-3-Clause
"""Published hierarchical reductions against those of a node alone, and of one process a node alone.

A hierarchical reduction is a reduction on each node, then one between nodes. Neither can be left
out. The published times are laid beside each of these by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from laneway.rows import NATIVE, Row
from laneway.simulation import native
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call
from laneway_studies.agreement import is_near
from laneway_studies.papers.multilane.tables import (
    REPETITIONS,
    SYSTEMS,
    PublishedCase,
    System,
    published,
)
from laneway_studies.simulated import of_call
from laneway_studies.study import Section, SimulatedPoint, StudyPart

ALONE = {"node": "on a node alone", "lane": "between nodes alone"}
"""The parts of a hierarchical reduction, by the axis `alone`."""

_SAID = (
    "A hierarchical reduction reduces on each node, and then between nodes. The table has its "
    "published times beside ours, whole and each part by itself. The least time is that of the "
    "shortest message of the paper's lane pattern, as often as the nodes ask for at least."
)


def _cases(system: System) -> Mapping[PublishedCase, float]:
    return {
        case: time
        for case, time in published(system).items()
        if (case.benchmark, case.collective, case.variant) == ("collective", "reduce", "hier")
    }


def points(machine: Machine) -> Iterator[SimulatedPoint]:
    """Both parts of each published case, by the library's own reduction."""
    system = SYSTEMS[machine.name]
    library = native.load(system.native)
    for case in sorted(_cases(system)):
        for alone, nodes in (("node", (case.ppn,)), ("lane", (1,) * case.nodes)):
            call = Call("reduce", NATIVE, case.count, nodes)
            yield of_call(call, machine, native=library, alone=alone)


def sections(part: StudyPart) -> Iterator[Section]:
    """Published times, ours, and how many of each are near."""
    own = part.show(one for one in part.summaries if "alone" in dict(one.key.axes))
    if not own:
        return
    system = SYSTEMS[str(part.origin.simulated_on)]
    times = {
        (dict(one.key.axes)["alone"], one.key.nodes, one.key.ppn, one.key.count): one.median_us
        for one in own
    }
    whole = {
        (row["nodes"], row["ppn"], row["count"]): row["time_us"]
        for row in part.rows
        if row["kind"] == "sample" and row.get("variant") == "hier"
        and row["collective"] == "reduce"
    }  # fmt: skip
    shortest = min(time for case, time in published(system).items()
                   if case.benchmark == "lane_pattern") / REPETITIONS  # fmt: skip
    lines: list[Row] = []
    near, under = dict.fromkeys(("whole", *ALONE), 0), 0
    for case, time in sorted(_cases(system).items()):
        ours = {
            "whole": whole.get((case.nodes, case.ppn, case.count)),
            "node": times.get(("node", 1, case.ppn, case.count)),
            "lane": times.get(("lane", case.nodes, 1, case.count)),
        }
        for which, us in ours.items():
            near[which] += us is not None and is_near(us / time)
        least = shortest * (case.nodes - 1).bit_length()
        under += time < least
        lines.append(
            {
                "nodes": case.nodes,
                "ppn": case.ppn,
                "count": case.count,
                "published, us": time,
                "least, us": least,
                "hierarchical, us": ours["whole"],
                **{f"{words}, us": ours[which] for which, words in ALONE.items()},
            }
        )
    said = (
        f"{under} of {len(lines)} published times are below the least. Ours are within 35% of "
        f"{near['whole']} by the whole, {near['node']} by a node alone, and {near['lane']} by one "
        "process a node alone."
    )
    yield Section(
        "Are published hierarchical reductions whole?",
        [_SAID, said],
        table=lines,
    )
