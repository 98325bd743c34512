# SPDX-License-Identifier: BSD-3-Clause
"""Short calls within a node that are made again: served by what is known of earlier ones."""

import pytest

from applications import well
from jobs import BUILDS, run

ROUNDS = 20
"""Rounds of calls of some kinds, in which repeated.c counts what the library is asked."""

SERVED_BY = {
    2: "bcast=scatter_ring,scatter=linear,gather=binomial,allgather=ring,alltoall=linear,"
    "reduce=binomial,allreduce=recursive_doubling,reduce_scatter_block=recursive_halving,"
    "scan=recursive_doubling,exscan=linear,barrier=dissemination,iallreduce=recursive_doubling",
    3: "bcast=chain(segment=64),scatter=binomial,gather=linear_sync,allgather=bruck,"
    "alltoall=bruck,reduce=recursive_doubling,allreduce=rabenseifner,"
    "reduce_scatter_block=ring,scan=binary,exscan=chain,barrier=tree,iallreduce=ring",
    5: "bcast=binomial,scatter=linear_sync,gather=linear,allgather=sparbit,"
    "alltoall=pairwise,reduce=butterfly,allreduce=swing,reduce_scatter_block=butterfly,"
    "scan=linear,exscan=recursive_doubling,barrier=recursive_doubling,iallreduce=lane_segmented",
    4: "bcast=two_tree,scatter=binomial,gather=linear,allgather=neighbor_exchange,"
    "alltoall=linear_sync,reduce=linear,allreduce=circulant,reduce_scatter_block=pairwise,"
    "scan=chain,exscan=binary,barrier=dissemination",
}
"""The algorithms of collectives, by number of processes."""


@pytest.mark.parametrize("ranks", SERVED_BY)
@pytest.mark.parametrize("build", BUILDS)
def test_calls_made_again_are_right_whatever_others_do_meanwhile(compiled, build, ranks):
    outcome = run(
        build,
        ranks,
        [compiled(build, "repeated.c", "-rdynamic", with_laneway=False)],
        preload=[build.preload],
        LANEWAY_ALGORITHM=SERVED_BY[ranks],
        LANEWAY_PATIENCE=0,
    )
    word, asked = well(outcome).splitlines()[-1].split()
    assert word == "right"
    assert int(asked) < ROUNDS // 2  # else some kind has asked anew in each
