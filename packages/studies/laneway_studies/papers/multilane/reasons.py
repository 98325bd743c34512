# SPDX-License-Identifier: BSD-3-Clause
"""Why simulated ratios miss the published ones, as far as found."""

from __future__ import annotations

from laneway_studies.papers.multilane.tables import System
from laneway_studies.study import PublishedComparison

REASONS = {
    "reduce": "Open MPI's segmented reductions take two to five times as long as copying, adding "
    "and the work for messages do in the model. So the share of reductions in lane, which does "
    "them on nodes, is too small",
    "reduce_scatter_block": "segmented reductions as well: Open MPI reduces all to one rank first",
    "allreduce": "copies through caches, and the same of reductions",
    "allgather": "strided types have one rate in the model, whatever the length of their blocks",
    "scatter": "the library's sends come back before messages have left: in the model they are one "
    "after the other",
    "gather": "strided types have one rate in the model, whatever their blocks' length, and the "
    "root unpacks all that comes to its node",
    "bcast": "chains of short segments take longer on nodes than copying in and out does",
    "alltoall": "many messages under way at once: matching and caches are not in the model",
}
"""Why ratios of a collective miss, as far as found."""

NOT_FOUND = "there is no simulated time yet"

BELOW_LANES = "published times are shorter than lanes allow"

NOT_PUBLISHED = "what Intel MPI chooses is not published"

EXCHANGED = (
    "times called hierarchical seem to be those of lanes, and the other way round. They take about "
    "0.1 ms more than native ones by the same two levels, and those take as long as times called "
    "lane"
)


def reason_of(system: System, one: PublishedComparison) -> str:
    """Why a ratio misses, as far as found; empty where it was not."""
    hierarchical = one.case["ratio"] == "hierarchical/lane"
    if one.ours is None:
        return NOT_FOUND
    if hierarchical and system.name == "Jupiter":
        return EXCHANGED
    if hierarchical and one.case["collective"] == "reduce":
        return BELOW_LANES
    if not hierarchical and system.native == "intelmpi-2018":
        return NOT_PUBLISHED
    return REASONS.get(one.case["collective"], "")
