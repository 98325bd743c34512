# SPDX-License-Identifier: BSD-3-Clause
"""The floor of collectives: what no algorithm can beat. No MPI."""

import itertools
import math
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway import modelling
from laneway.collectives import COLLECTIVES
from laneway.modelling.floor import (
    RELAYED,
    Wire,
    collective_bytes,
    collective_us,
    node_bytes,
    probe_us,
    relayed_us,
)

WIRE = Wire(rate=200_000_000, burst=18432)
SLOW = Wire(rate=100_000_000, burst=0, latency=1_000_000, gap=100_000, slower=1000)

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


@pytest.mark.parametrize("processes", [(4, 4, 4, 4), (4, 4, 4, 1), (1, 2, 3, 4)])
def test_an_allreduce_moves_all_bytes_three_times_together_and_back(processes):
    """One of four nodes has a fourth of that, whatever they have of processes."""
    assert node_bytes("allreduce", 8, processes) == [12] * 4


def test_a_root_that_is_not_known_is_where_it_costs_least():
    wire = Wire(8, 0)  # a byte a second
    shape = {"processes": (1, 4), "lanes": 4}
    assert floor("gather", 1, wire=wire, **shape) == 1e6, "on node 1: one block, by one lane"
    assert floor("gather", 1, wire=wire, binding="one", **shape) == 1e6
    assert floor("alltoall", 3, wire=wire, **shape) == 3e6, (
        "node 0 uses the lanes of node 1's ranks"
    )
    assert floor("bcast", 8, wire=wire, **shape) == 2e6
    assert floor("allreduce", 8, wire=wire, **shape) == 2e6


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_a_nonblocking_collective_has_the_floor_of_its_blocking_form(collective):
    asked = {"processes": (4, 4, 4), "lanes": 2, "binding": "lane"}
    both = (collective_us(WIRE, name, 4000, **asked) for name in (collective, f"i{collective}"))
    assert len({*both}) == 1


UNLIKE = {"rate": 10**8, "burst": 0}


def test_the_floor_counts_what_lanes_that_differ_carry_together():
    """A message of 300 units on lanes of 2 and 1 a second takes 100 s, wherever it must go."""
    wire = Wire.of({**UNLIKE, "rates": [[16, 8]] * 4})
    shape = {"processes": (4,) * 4, "lanes": 2, "wire": wire}
    assert floor("bcast", 300, **shape) == 100e6
    assert floor("bcast", 300, **shape, binding="one") == 150e6, "lane 0 has 2"
    assert floor("allreduce", 300, **shape) == 150e6
    assert floor("allgather", 10, **shape) == 40e6
    burst = Wire.of({"rate": 10**8, "burst": 30, "rates": [[16, 8]] * 4})
    assert floor("bcast", 300, **{**shape, "wire": burst}) == 80e6


def test_a_node_with_a_sick_lane_bounds_what_must_go_through_it():
    rates = [[16, 16], [16, 8], [16, 16], [16, 16]]
    shape = {"processes": (4,) * 4, "lanes": 2, "wire": Wire.of({**UNLIKE, "rates": rates})}
    assert floor("bcast", 300, **shape) == 100e6, "node 1 gets it at 3 a second"
    # The node that is sick may give and take it once, and leave the rest to the others.
    assert floor("allreduce", 300, **shape) == max(100e6, 6 * 300 / 15 * 1e6)
    # The root that costs least is not the sick node.
    assert floor("gather", 10, **shape) == 30e6
    assert floor("alltoall", 1, **shape) == 4 * 12 / 3 * 1e6


def test_the_last_row_of_rates_is_of_all_further_nodes():
    """As simulated machines say it, of which nobody knows how many nodes they have."""
    short, whole = [[16, 8], [16, 16]], [[16, 8], [16, 16], [16, 16], [16, 16]]
    shape = {"processes": (4,) * 4, "lanes": 2}
    for collective in COLLECTIVES:
        floors = [floor(collective, 4000, wire=Wire.of({**UNLIKE, "rates": rates}), **shape)
                  for rates in (short, whole)]  # fmt: skip
        assert floors[0] == floors[1]


def test_lanes_that_are_told_one_by_one_and_are_alike_have_the_usual_floor():
    told = Wire(WIRE.rate, WIRE.burst, rates=((WIRE.rate,) * 2,) * 4)
    shape = {"processes": (4,) * 4, "lanes": 2}
    for collective in COLLECTIVES:
        assert floor(collective, 4000, wire=told, **shape) == floor(collective, 4000, **shape)


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


# ---- latency and gap -----------------------------------------------------------------------------


def test_the_lanes_of_a_cluster_are_as_its_rows_say():
    plain = {"rate": 200_000_000, "burst": 18432, "lanes": 2, "nodes": 4}
    assert Wire.of(None) is None
    assert Wire.of(plain) == WIRE, "older rows know of no latency"
    assert Wire.of({**plain, "latency": 0, "gap": 0, "slower": 1}) == WIRE
    timed = Wire.of({**plain, "latency": 1_000_000, "gap": 0, "slower": 1000})
    assert timed == Wire(200_000_000, 0, 1_000_000, 0, 1000), "a switch of frames has no burst"
    assert Wire.of({**plain, "gap": 100}).burst == 0
    assert timed.axes == {
        "latency_us": 1000,
        "gap_us": 0,
        "rate_mbit": timed.rate / 10**6,
        "slower": 1000,
    }
    assert WIRE.axes == {}


def test_bytes_take_their_rate_and_then_a_latency():
    assert SLOW.busy_us(125_000) == 10_000
    assert SLOW.floor_us(125_000) == 11_000
    assert SLOW.floor_us(0) == 0


@given(collectives, sizes, shapes, bindings)
def test_latency_and_gap_never_lower_a_floor_and_without_them_nothing_changes(
    collective, size, shape, binding
):
    alike = {"binding": binding, **shape}
    free = floor(collective, size, wire=Wire(SLOW.rate, 0), **alike)
    assert floor(collective, size, wire=Wire(SLOW.rate, 0, slower=1000), **alike) == free
    times = [free]
    for latency, gap in ((1000, 0), (10**6, 0), (10**6, 100), (10**6, 10**5), (10**6, 10**7)):
        times.append(floor(collective, size, wire=Wire(SLOW.rate, 0, latency, gap), **alike))
    assert times == sorted(times)
    if size > 0 and len(shape["processes"]) > 1:
        assert times[2] >= free + 1000
    else:
        assert set(times) == {0}, "of nothing nobody need hear, and on one node all hear for free"


@pytest.mark.parametrize("collective", [*COLLECTIVES, "barrier"])
@pytest.mark.parametrize(
    ("binding", "lanes", "expected"),
    [
        ("lane", 4, 1000),  # a message to each of three other nodes at once
        ("lane", 2, 1100),  # two, and then one
        ("all", 2, 1100),
        ("one", 4, 1200),  # one after the other
        ("lane", 1, 1200),
    ],
)
def test_small_messages_among_four_nodes_cost_a_round(collective, binding, lanes, expected):
    size = 0 if collective == "barrier" else 4
    found = floor(collective, size, wire=SLOW, processes=[4] * 4, lanes=lanes, binding=binding)
    # The bytes are those of 4 B a rank at most: 192 B in 15 us, and a latency.
    assert expected <= found <= max(expected, 1016)


def test_ranks_that_reach_few_lanes_send_few_messages_at_once():
    shape = {"lanes": 4, "wire": SLOW}
    assert floor("barrier", 0, processes=[1] * 4, **shape) == 1200
    assert floor("barrier", 0, processes=[4, 4, 4, 1], **shape) == 1000, "by the others' lanes"
    assert floor("barrier", 0, processes=[1] * 4, binding="all", **shape) == 1000


def test_a_barrier_has_a_floor_where_messages_take_time():
    assert floor("barrier", 0, processes=[4] * 4, lanes=2) is None
    assert floor("barrier", 0, processes=[4], lanes=2, wire=SLOW) == 0
    assert floor("pingpong", 4, processes=[4] * 4, lanes=2, wire=SLOW) is None


def test_large_messages_cost_their_bytes():
    shape = {"processes": [4] * 4, "lanes": 2, "wire": SLOW}
    assert floor("gather", 25_000, **shape) == 12_000 + 1000
    assert floor("alltoall", 25_000, **shape) == 48_000 + 1000


def test_calls_in_a_row_may_overlap_unless_everybody_hears_from_everybody():
    shape = {"processes": [4] * 4, "lanes": 2, "wire": SLOW}
    assert floor("barrier", 0, calls=10, **shape) == 1100
    assert floor("allreduce", 4, calls=10, **shape) == 1100
    assert floor("bcast", 250, calls=10, **shape) == 130
    assert floor("gather", 25_000, calls=10, **shape) == 12_000 + 100
    assert floor("bcast", 250_000, calls=10, **shape) == pytest.approx(10_000 + 166.7, rel=1e-4)


@pytest.mark.parametrize("collective", sorted(RELAYED))
def test_what_is_passed_on_travels_twice(collective):
    shape = {"processes": [4] * 4, "lanes": 2, "wire": SLOW}
    large = floor(collective, 25_000, **shape)
    least = 1000 + 2 * 3 / 4 * 1000 if collective == "allreduce" else 1000 + 1000
    assert large == pytest.approx(max(least, 1000 + 2000 - 1000 / 3))
    few = floor(collective, 7_500, **shape)
    assert few == pytest.approx(1000 + 3 * 300), "so little comes sooner without being passed on"


def test_few_bytes_may_come_by_few_of_the_lanes():
    """A byte to three others on three of four lanes at once."""
    assert relayed_us(Wire(8 * 10**6, 0, 8000), 1, 4, 4) <= 9


@pytest.mark.parametrize(("nodes", "latency", "blocks"), [(3, 8, 40), (4, 9, 60), (7, 30, 90)])
def test_blocks_that_are_passed_on_come_as_early_as_the_floor_says(nodes, latency, blocks):
    """A broadcast in slots in which each node sends and receives a block: it has a few more."""
    slot = Wire(8 * 10**6, 0, latency * 1000)  # a byte is a block, a slot a microsecond
    least = relayed_us(slot, blocks, nodes, 1)
    spread = (
        math.floor(least) - 2 * latency
    )  # blocks that are passed on; all others go to everybody
    others = range(1, nodes)
    waiting = {node: deque() for node in range(nodes)}
    waiting[0].extend((block, 1 + block % (nodes - 1)) for block in range(spread))
    waiting[0].extend((block, node) for block in range(spread, blocks) for node in others)
    coming = {node: deque() for node in others}
    known = {node: {} for node in others}
    now = 0
    while any(len(each) < blocks for each in known.values()):
        for node in others:
            if coming[node] and coming[node][0][0] <= now:
                _, block, sender = coming[node].popleft()
                known[node][block] = now
                if sender == 0 and block < spread:
                    waiting[node].extend((block, other) for other in others if other != node)
        for node in range(nodes):
            if waiting[node]:
                block, to = waiting[node].popleft()
                coming[to].append((now + 1 + latency, block, node))
        now += 1
    assert least <= now <= least + 3 * nodes


def probed(collective, network_bytes, exchanges, *, wire=SLOW, nodes=4, binding="lane"):
    return probe_us(
        wire, collective, network_bytes, nodes=nodes, lanes=2, binding=binding, exchanges=exchanges
    )


def test_a_probe_takes_a_latency_for_each_exchange_that_waits_for_the_one_before():
    assert probed("sendrecv", [125_000], 10) == 20_000
    assert probed("sendrecv", [125_000] * 4, 10) == 21_000, "two take turns: only bytes add up"
    assert probed("sendrecv", [125_000], 10, binding="all") == 15_000
    assert probed("sendrecv", [0, 0], 10) == 10_000, "an empty message is one"
    assert probed("allreduce", [300] * 2, 10) == 11_000
    assert probed("bcast", [250] * 2, 10) == 1100, "a root runs ahead"
    assert probed("alltoall", [0, 0], 10) == 0
    assert probed("sendrecv", [400_000], 10, wire=WIRE) == pytest.approx(15262.72)


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("sick", [False, True])
def test_nodes_that_are_alike_are_looked_at_once(collective, sick, monkeypatch):
    rates = [[16, 16]] * 999 + [[16, 8 if sick else 16]]
    asked = []
    monkeypatch.setattr(
        modelling.floor, "node_bytes", lambda *call: asked.append(call) or node_bytes(*call)
    )
    floor(collective, 300, processes=[4] * 1000, lanes=2, wire=Wire.of({**UNLIKE, "rates": rates}))
    assert len(asked) == 1 + sick


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_one_root_of_each_size_stands_for_all(collective):
    processes, lanes = [4, 2, 4, 1, 2], 2
    by_root = [
        max(-(-own // lanes) for own in node_bytes(collective, 1000, processes, root))
        for root in range(len(processes))
    ]
    found = collective_bytes(collective, 1000, processes=processes, lanes=lanes, binding="lane")
    assert found == min(by_root)
