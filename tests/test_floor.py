# SPDX-License-Identifier: BSD-3-Clause
"""The floor of collectives: what no algorithm can beat. No MPI."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway.floor import Wire, collective_us, node_bytes

COLLECTIVES = ("bcast", "reduce", "scan", "allreduce", "allgather", "gather", "scatter",
               "reduce_scatter_block", "alltoall")  # fmt: skip
WIRE = Wire(rate=200_000_000, burst=18432)

collectives = st.sampled_from(COLLECTIVES)
bindings = st.sampled_from(("lane", "all", "one"))
sizes = st.integers(0, 10**8)
shapes = st.fixed_dictionaries(
    {"nodes": st.integers(1, 16), "ppn": st.integers(1, 16), "lanes": st.integers(1, 8)}
)


def floor(collective, size, *, binding="lane", wire=WIRE, **shape):
    return collective_us(wire, collective, size, binding=binding, **shape)


@given(collectives, sizes, sizes, shapes, bindings)
def test_more_bytes_never_take_less_and_nothing_is_negative(collective, one, other, shape, binding):
    less, more = (
        floor(collective, size, binding=binding, **shape) for size in sorted((one, other))
    )
    assert 0 <= less <= more


@given(collectives, sizes, shapes, bindings)
def test_another_lane_a_faster_one_or_a_larger_burst_never_takes_longer(
    collective, size, shape, binding
):
    own = floor(collective, size, binding=binding, **shape)
    more = {**shape, "lanes": shape["lanes"] + 1}
    assert floor(collective, size, binding=binding, **more) <= own
    for wire in (Wire(WIRE.rate + 1, WIRE.burst), Wire(WIRE.rate, WIRE.burst + 1)):
        assert floor(collective, size, binding=binding, wire=wire, **shape) <= own


@given(collectives, sizes, shapes)
def test_who_sees_more_lanes_has_no_higher_floor(collective, size, shape):
    everything, own, one = (
        floor(collective, size, binding=binding, **shape) for binding in ("all", "lane", "one")
    )
    assert everything <= own <= one
    if shape["ppn"] >= shape["lanes"]:
        assert everything == own, "the ranks of a node reach all lanes between them"


@given(collectives, sizes, st.integers(1, 16))
def test_one_node_needs_no_lane(collective, size, ppn):
    assert node_bytes(collective, size, 1, ppn) == 0


@pytest.mark.parametrize("nodes", [2, 3, 4])
@pytest.mark.parametrize("ppn", [1, 2, 3])
def test_volumes_are_those_of_counting_pairs_of_ranks(nodes, ppn):
    """Every byte that a rank has, and a rank of another node must get, crosses the network."""
    ranks = [(node, process) for node in range(nodes) for process in range(ppn)]
    pairs = [
        (source, target)
        for source, target in itertools.product(ranks, ranks)
        if source[0] != target[0]
    ]
    # alltoall: a block of its own for every pair.
    out_of_first = [pair for pair in pairs if pair[0][0] == 0]
    assert node_bytes("alltoall", 7, nodes, ppn) == 7 * len(out_of_first)
    # allgather: a node needs each block once, however many of its ranks do.
    into_first = {source for source, target in pairs if target[0] == 0}
    assert node_bytes("allgather", 7, nodes, ppn) == 7 * len(into_first)
    # reduce_scatter_block: of each block elsewhere, a node sends one partial result.
    from_first = {target for source, target in pairs if source[0] == 0}
    assert node_bytes("reduce_scatter_block", 7, nodes, ppn) == 7 * len(from_first)
    # gather and scatter: all blocks but those of the root's own node.
    others = {rank for rank in ranks if rank[0] != 0}
    for collective in ("gather", "scatter"):
        assert node_bytes(collective, 7, nodes, ppn) == 7 * len(others)


def test_floors_of_the_standard_cluster():
    """4 nodes x 4 ranks, 2 lanes of 200 Mbit/s: without the burst these are round milliseconds."""
    wire = Wire(rate=200_000_000, burst=0)
    shape = {"nodes": 4, "ppn": 4, "lanes": 2, "wire": wire}
    expected = {
        **dict.fromkeys(("bcast", "reduce", "scan"), 8),
        "allreduce": 12,
        **dict.fromkeys(("allgather", "gather", "scatter", "reduce_scatter_block"), 96),
        "alltoall": 384,
    }
    found = {name: floor(name, 400_000, **shape) / 1000 for name in COLLECTIVES}
    assert found == pytest.approx(expected)
    assert floor("bcast", 400_000, nodes=4, ppn=4, lanes=2) == pytest.approx(7262.72)
    assert floor("nosuch", 1, **shape) is None
