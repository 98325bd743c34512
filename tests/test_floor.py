# SPDX-License-Identifier: BSD-3-Clause
"""The floor of collectives: what no algorithm can beat. No MPI."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway.floor import COLLECTIVES, Wire, collective_us, node_bytes

WIRE = Wire(rate=200_000_000, burst=18432)

collectives = st.sampled_from(COLLECTIVES)
bindings = st.sampled_from(("lane", "all", "one"))
sizes = st.integers(0, 10**8)
shapes = st.fixed_dictionaries(
    {
        "processes": st.lists(st.integers(1, 16), min_size=1, max_size=16),
        "lanes": st.integers(1, 8),
    }
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
    if min(shape["processes"]) >= shape["lanes"]:
        assert everything == own, "the ranks of a node reach all lanes between them"


@given(collectives, sizes, st.integers(1, 16))
def test_one_node_needs_no_lane(collective, size, ppn):
    assert node_bytes(collective, size, [ppn]) == [0]


@pytest.mark.parametrize("processes", [(1, 1), (3, 3), (2, 2, 2), (4, 4, 1), (1, 2, 3, 4)])
def test_volumes_are_those_of_counting_pairs_of_ranks(processes):
    """Every byte that a rank has, and a rank of another node must get, crosses the network."""
    nodes = range(len(processes))
    ranks = [(node, process) for node in nodes for process in range(processes[node])]
    pairs = [
        (source, target)
        for source, target in itertools.product(ranks, ranks)
        if source[0] != target[0]
    ]

    def counted(count):
        return [7 * count(node) for node in nodes]

    # alltoall: a block of its own for every pair.
    assert node_bytes("alltoall", 7, processes) == counted(
        lambda node: sum(source[0] == node for source, _ in pairs)
    )
    # allgather: a node needs each block once, however many of its ranks do.
    # reduce_scatter_block: of each block elsewhere, a node sends one partial result.
    for collective in ("allgather", "reduce_scatter_block"):
        assert node_bytes(collective, 7, processes) == counted(
            lambda node: len({source for source, target in pairs if target[0] == node})
        )
    # gather and scatter: the root's node all blocks but its own, the others theirs.
    for root in nodes:
        own = [sum(node == rank[0] for rank in ranks) for node in nodes]
        expected = counted(lambda node: len(ranks) - own[node] if node == root else own[node])  # noqa: B023
        assert node_bytes("gather", 7, processes, root) == expected
        assert node_bytes("scatter", 7, processes, root) == expected


def test_a_root_that_is_not_known_is_where_it_costs_least():
    wire = Wire(8, 0)  # a byte a second
    shape = {"processes": (1, 4), "lanes": 4}
    assert floor("gather", 1, wire=wire, **shape) == 1e6, "on node 1: one block, by one lane"
    assert floor("gather", 1, wire=wire, binding="one", **shape) == 1e6
    assert floor("alltoall", 3, wire=wire, **shape) == 12e6, "node 0 has one lane for 12 bytes"
    assert floor("bcast", 8, wire=wire, **shape) == 8e6
    assert floor("allreduce", 8, wire=wire, **shape) == 8e6


def test_floors_of_the_standard_cluster():
    """4 nodes x 4 ranks, 2 lanes of 200 Mbit/s: without the burst these are round milliseconds."""
    wire = Wire(rate=200_000_000, burst=0)
    shape = {"processes": [4] * 4, "lanes": 2, "wire": wire}
    expected = {
        **dict.fromkeys(("bcast", "reduce", "scan", "exscan"), 8),
        "allreduce": 12,
        **dict.fromkeys(("allgather", "gather", "scatter", "reduce_scatter_block"), 96),
        "alltoall": 384,
    }
    found = {name: floor(name, 400_000, **shape) / 1000 for name in COLLECTIVES}
    assert found == pytest.approx(expected)
    assert floor("bcast", 400_000, processes=[4] * 4, lanes=2) == pytest.approx(7262.72)
    assert floor("nosuch", 1, **shape) is None
