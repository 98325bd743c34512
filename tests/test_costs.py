# SPDX-License-Identifier: BSD-3-Clause
"""The messages that algorithms really send, against the claims of their documentation and papers.

They are counted from what all ranks do, recorded. Components are those that send few bytes, as the
documented bytes are with the best that are known. For rounds, they are those that need few.
"""

import functools
import re
from itertools import product

import pytest

from formulas import case, value
from laneway.collectives import IN_BLOCKS
from laneway.simulation import program
from laneway.simulation.program import Call

COUNT = 322_560
"""ints, which every number of processes here divides, into parts of whole cache lines."""

SEGMENT, AHEAD = 80_640, 4
"""Bytes of a segment, and how many are under way, of the algorithms that send segments at once."""

BY_HUBS = 53_760
"""Bytes of a segment that goes by way of other nodes in turn: as many by each of 1 to 4."""

PIPELINED = 53_760
"""Bytes of a segment, where one is sent after the other: an even number of them a lane."""

LEADERS = 2
"""Leaders of a node, of the algorithms that have any: the preset."""

SHAPES = [(2, 2, 0), (2, 2, 3), (3, 2, 3), (2, 3, 1), (4, 2, 7), (3, 4, 1), (5, 1, 2), (4, 4, 9)]
"""Nodes, processes of each, root: on the first node, the last one, or between."""

MANY_SHAPES = [
    (nodes, ppn, (nodes * ppn + ppn) // 3)
    for nodes, ppn in product(range(2, 17), range(1, 9))
    if 10_080 % (nodes * ppn) == 0
]
"""Shapes in which each process has so many whole cache lines."""

IN_SHAPES = pytest.mark.parametrize(
    ("shapes", "rounded"),
    [
        pytest.param(SHAPES, 0, id="few"),
        pytest.param(MANY_SHAPES[::3], 5e-3, id="many"),
        pytest.param(MANY_SHAPES, 5e-3, id="all", marks=pytest.mark.full),
    ],
)
"""Shapes, and by how much counts may differ: on few all is divided evenly, on many not."""

ROOTED = ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv")


@functools.cache
def algorithms():
    """The algorithms by name; none where nothing is built."""
    try:
        found = program.algorithms()
    except Exception:  # noqa: BLE001 - collected before it can be said
        return {}
    return {(entry.collective, entry.algorithm): entry for entry in found}


NAMES = [
    (collective, algorithm)
    for (collective, algorithm), entry in algorithms().items()
    if not entry.flat and collective != "barrier"
]
"""Algorithms that are not flat: the others are held to their formulas by test_flat_costs.py."""

PORTED = [name for name in NAMES if name[1] == "k_ported"]
"""Algorithms whose nodes do not all send as much: what is documented is the most."""


def has(name, tunable):
    """Whether an algorithm has a tunable of that name."""
    return any(own.name == tunable for own in algorithms()[name].tunables)


def nearness(collective, algorithm):
    """How near counts come to what is documented, as a part of it.

    Segments that are under way at once, but for the last, have an element more for each lane. So
    the last is shorter, and shows another length of the message (decomposition/segmented.hpp).
    """
    return 3e-3 if (collective, algorithm) in AT_ONCE else 1e-6


def bytes_of_segment(algorithm):
    """The bytes of a segment, where several are under way at once."""
    return BY_HUBS if algorithm == "lane_mutualcast" else SEGMENT


AT_ONCE = [name for name in NAMES if has(name, "ahead")]
"""Algorithms that have several segments under way at once."""

OF_SHORT_BLOCKS = [name for name in NAMES if has(name, "longest")]
"""Algorithms that serve longer blocks in another way."""

IN_SEGMENTS = [name for name in NAMES if has(name, "segment") and name not in AT_ONCE]
"""Algorithms that send one segment after the other."""

COMPONENTS = {
    ("allreduce", "hierarchical"): "m",
    ("allreduce", "lane"): "(n-1) m/k",
    ("allreduce", "lane_regular"): "m (n-1)/n",
    ("exscan", "hierarchical"): "m",
    ("exscan", "lane"): "(n-1) m/k",
    ("reduce", "hierarchical"): "2m",
    ("reduce", "lane"): "(n-1) m/k",
    ("reduce", "lane_regular"): "m (n-1)/n",
    ("reduce", "lane_root_reduce"): "2m",
    ("reduce_scatter", "hierarchical"): "(p-n) m",
    ("reduce_scatter", "lane"): "(n-1) N m",
    ("reduce_scatter_block", "hierarchical"): "(p-n) m",
    ("reduce_scatter_block", "k_ported"): "n (n-1) ceil(N/(k+1)) m",
    ("reduce_scatter_block", "lane"): "(n-1) N m",
    ("reduce_scatter_block", "lane_regular"): "(n-1) N m",
    ("scan", "hierarchical"): "m",
    ("scan", "lane"): "(n-1) m/k",
}
"""Temporary memory that Laneway's own components take on top of an algorithm's, on nodes of 3
processes or more. The documented memory is without it: the best components that are known need
none, or are the MPI library's."""


ROLES = re.compile(
    r"\b(?:a process of its node|a first process|a process|another|first ones|a leader|leaders|"
    r"the root|on (?:its lane|its node|the root's node|that of the root's node|first processes|"
    r"leaders but the root|leaders)|at the root|more)\b"
)


_PARTS = re.compile(r"[;,](?![^()]*\))")
"""Separators of formulas, which may have commas in parentheses."""


def formulas(text: str) -> list[str]:
    """The formula of each role, as in `2m a process, first ones p m`."""
    bare = ROLES.sub("", text.replace("none", "0").replace(" and ", " + "))
    return [part for part in _PARTS.split(bare) if part.strip()]


def usual(memory: str) -> str:
    """The documented memory without that of communicators or libraries of some kind."""
    told = memory.replace(", a segments of s bytes under way", "")
    return ";".join(part for part in _PARTS.split(told) if not re.search(r"\bwhere\b", part))


def costs(
    collective, algorithm, nodes, ppn, root=0, *, count=COUNT, components="bytes", segment=PIPELINED
):
    """The costs; None where the algorithm doesn't serve that."""
    own = root if collective in ROOTED else 0
    tuned = f"segment={bytes_of_segment(algorithm)},ahead={AHEAD}"
    named = f"{algorithm}({tuned})" if (collective, algorithm) in AT_ONCE else algorithm
    if (collective, algorithm) in IN_SEGMENTS:
        named = f"{algorithm}(segment={segment})"
    if (collective, algorithm) in OF_SHORT_BLOCKS:
        named = f"{algorithm}(longest=1G)"
    call = Call(collective, named, count, [ppn] * nodes, "int", own, components)
    (found,) = program.lines("explain", {**call.options, "lanes": str(ppn)})
    return found if found["served_by"] == algorithm else None


@IN_SHAPES
@pytest.mark.parametrize(("collective", "algorithm"), [n for n in NAMES if n not in PORTED])
def test_lanes_and_processes_carry_what_is_documented(collective, algorithm, shapes, rounded):
    volume = algorithms()[collective, algorithm].volume
    # Such as "(p-1) m a process; n m a node, the root's (p-n) m".
    of_node = re.search(r"([^;]*?) a node(?:, the root's (.*))?$", volume.rpartition(";")[2])
    of_node = of_node or re.search(r"([^;]*?) a node", volume.rpartition(";")[2])
    assert of_node, volume
    served = 0
    for nodes, ppn, root in shapes:
        if (collective, algorithm) in IN_SEGMENTS and 24 % (2 * ppn) != 0:
            continue  # odd or broken numbers of segments: in a test of their own
        found = costs(collective, algorithm, nodes, ppn, root)
        if not found:
            continue
        served += 1
        exact = nearness(collective, algorithm)
        near = max(rounded, exact)
        symbols = {"N": nodes, "n": ppn, "p": nodes * ppn, "k": ppn, "m": COUNT * 4}
        symbols.update(l=min(LEADERS, ppn), S=COUNT * 4 // (ppn * PIPELINED))
        lanes = found["of_lanes"]
        for node in range(nodes):
            own = lanes[node * ppn : (node + 1) * ppn]
            carried = max(sum(sent for sent, _ in own), sum(heard for _, heard in own))
            at_root = of_node.lastindex == 2 and node == root // ppn
            expected = value(of_node[2] if at_root else of_node[1], **symbols)
            if collective in ("scan", "exscan", "bcast", "reduce"):
                # A chain of nodes has two ends, at which less comes or goes.
                assert carried <= (1 + near) * expected, (volume, nodes, ppn)
            else:
                assert carried == pytest.approx(expected, rel=exact), (volume, nodes, ppn)
        if collective in ("scan", "exscan", "bcast", "reduce"):
            most = value(of_node[1], **symbols)
            assert abs(found["node_bytes"] - most) <= near * most, (volume, nodes, ppn)
        told = volume.rpartition(";")[0]
        most = max(value(each, **symbols) for each in formulas(told.removeprefix("at most")))
        if ppn == 1:  # nothing happens on nodes then
            assert found["process_bytes"] <= (1 + near) * most, (volume, nodes)
        elif told.startswith("at most"):
            assert most / 2 <= found["process_bytes"] <= most, (volume, nodes, ppn)
        else:
            assert found["process_bytes"] == pytest.approx(most, rel=near), (volume, nodes, ppn)
    assert served > 1


@pytest.mark.parametrize(("collective", "algorithm"), IN_SEGMENTS)
def test_pipelines_cost_what_is_documented(collective, algorithm):
    """To the round and the byte, on 56 shapes, of odd and even numbers of segments."""
    entry = algorithms()[collective, algorithm]
    bound = entry.memory
    for at, (nodes, ppn) in enumerate(product((*range(2, 14), 16, 17), range(1, 5))):
        segments = (1, 2, 5, 8)[at % 4] if ppn % 2 else (8, 5, 2, 1)[at % 4]
        count, segment = 16 * segments * ppn, 64
        root = nodes * ppn // 3
        found = costs(collective, algorithm, nodes, ppn, root, count=count, segment=segment)
        symbols = {"N": nodes, "n": ppn, "k": ppn, "p": nodes * ppn}
        symbols.update(m=count * 4, S=segments, s=segment)
        shape = f"N = {nodes}, n = {ppn}, S = {segments}"
        told = case(entry.rounds, symbols)
        rounds = value(told.removeprefix("at most "), **symbols)
        assert found["rounds"] == rounds or (found["rounds"] < rounds and "at most" in told), shape
        volume, _, remark = entry.volume.partition(" - where ")
        told, _, of_node = volume.rpartition(";")
        more = symbols["m"] / segments if remark and segments % 2 else 0
        node = value(of_node.removesuffix(" a node"), **symbols)
        assert node <= found["node_bytes"] <= node + more, shape
        most = max(value(each, **symbols) for each in formulas(told))
        if ppn == 1:
            assert found["process_bytes"] == found["node_bytes"], shape
        else:
            assert found["process_bytes"] == pytest.approx(most), shape
        assert found["scratch_bytes"] <= value(bound.replace("none", "0"), **symbols), shape


BY_LEADERS = [name for name in AT_ONCE if has(name, "leaders")]


def told_leaders(collective, algorithm, nodes, leaders, root=0):
    named = f"{algorithm}(leaders={leaders})"
    call = Call(collective, named, COUNT, nodes, "int", root, "bytes")
    (found,) = program.lines("explain", {**call.options, "lanes": str(max(nodes))})
    assert found["served_by"] == algorithm
    carried = [sent + heard for sent, heard in found["of_lanes"]]
    own = [carried[at : at + max(nodes)] for at in range(0, len(carried), max(nodes))]
    return own, found


@pytest.mark.parametrize("nodes", [[4] * 4, [3] * 5, [4, 4, 4, 3], [8, 8]])
@pytest.mark.parametrize(("collective", "algorithm"), BY_LEADERS)
def test_leaders_carry_as_many_bytes_in_fewer_messages(collective, algorithm, nodes):
    """The root may be one of them or not. Each process has the lane that is its own."""
    for root in {0, sum(nodes) - 1} if collective in ROOTED else {0}:
        by_all, all_told = told_leaders(collective, algorithm, nodes, 0, root)
        for leaders in (1, 2):
            by_few, told = told_leaders(collective, algorithm, nodes, leaders, root)
            for few, everyone in zip(by_few, by_all, strict=True):
                assert [carried > 0 for carried in few] == [
                    lane < leaders for lane in range(max(nodes))
                ]
                assert sum(few) == pytest.approx(sum(everyone), rel=0.02)
            more = max(nodes) / leaders
            # A leader's own block may be in the share of another one.
            own = told["bytes"] if collective in IN_BLOCKS else 0
            assert told["process_bytes"] <= more * all_told["process_bytes"] + own
            assert told["scratch_bytes"] <= more * all_told["scratch_bytes"] * 1.01


@pytest.mark.parametrize(("collective", "algorithm"), BY_LEADERS)
def test_a_node_that_is_alone_needs_no_leaders(collective, algorithm):
    assert told_leaders(collective, algorithm, [4], 1) == told_leaders(
        collective, algorithm, [4], 0
    )


NO_DATA = [key for key, entry in algorithms().items() if not entry.flat and key[0] == "barrier"]

UNDER_WAY = ((8, 4), (1, 4), (6, 2), (3, 1), (16, 4))
"""Longest segments, and how many at once, of the algorithms that send segments at once."""


def cut(algorithm, nodes, segments, ahead):
    """Into how many segments a message of so many is cut, and how many of these are under way.

    See filling_segment.
    """
    (told,) = [own.about for own in algorithm.tunables if own.name == "segment"] or [""]
    if "the longest segment" not in told:
        return {"S": segments, "a": ahead}
    if algorithm.algorithm == "lane_mutualcast":
        together = 1
    else:
        together = nodes // (2 if algorithm.collective in ("scan", "exscan") else 4)
    if segments <= min(max(together, 1), ahead):
        return {"S": 1, "a": ahead}
    shorter = min(4, max(16 / segments, 1))
    return {"S": round(shorter * segments), "a": int(shorter * ahead)}


def rounds(collective, algorithm, nodes, lanes, *, segments=1, ahead=1):
    """The rounds at some roots, if there are any; none where the algorithm doesn't serve that."""
    segment = COUNT if collective in IN_BLOCKS else 10_080 * lanes
    count = 0 if collective == "barrier" else segment * segments // 4
    named = algorithm
    if (collective, algorithm) in AT_ONCE:
        named = f"{algorithm}(segment={segment},ahead={ahead})"
    if (collective, algorithm) in OF_SHORT_BLOCKS:
        named = f"{algorithm}(longest=1G)"
    ranks = sum(nodes)
    roots = {0, (ranks + nodes[0]) // 3, ranks - 1} if collective in ROOTED else {0}
    for root in sorted(roots):
        call = Call(collective, named, count, nodes, "int", root)
        (found,) = program.lines("explain", {**call.options, "lanes": str(lanes)})
        if found["served_by"] == algorithm:
            yield found["rounds"]


def prime_factors(number):
    """How many prime factors there are, equal ones as often as they occur."""
    least = next((part for part in range(2, number + 1) if number % part == 0), None)
    return 1 + prime_factors(number // least) if least else 0


@pytest.mark.parametrize(
    "shapes",
    [
        pytest.param([(nodes, ppn) for nodes, ppn, _ in SHAPES], id="few"),
        pytest.param([(nodes, ppn) for nodes, ppn, _ in MANY_SHAPES[::4]], id="many"),
        pytest.param(
            [(nodes, ppn) for nodes, ppn in product(range(2, 18), range(1, 9))],
            id="all",
            marks=pytest.mark.full,
        ),
    ],
)
@pytest.mark.parametrize(
    ("collective", "algorithm"), [name for name in NAMES + NO_DATA if name not in IN_SEGMENTS]
)
def test_rounds_are_what_is_documented(collective, algorithm, shapes):
    """A count that is documented as a bound comes near to that at some root."""
    entry = algorithms()[collective, algorithm]
    for at, (nodes, ppn) in enumerate(shapes):
        segments, ahead = UNDER_WAY[at % len(UNDER_WAY)]
        symbols = {"N": nodes, "n": ppn, "k": ppn, "p": nodes * ppn}
        symbols.update(l=LEADERS, f=prime_factors(nodes), **cut(entry, nodes, segments, ahead))
        formula = case(entry.rounds, symbols)
        bound = formula.removeprefix("at most ")
        most = value(bound, **symbols)
        counted = [
            *rounds(collective, algorithm, [ppn] * nodes, ppn, segments=segments, ahead=ahead)
        ]
        shape = f"N = {nodes}, n = {ppn}, S = {segments}, a = {ahead}: {formula}"
        assert counted, shape
        if bound == formula:
            assert {*counted} == {most}, shape
        else:
            assert most / 2 <= max(counted) <= most, (shape, counted, most)


@pytest.mark.parametrize(("count", "needed"), [(512, 2), (1024, 2), (4096, 4)])
def test_what_is_short_is_reduced_in_as_few_rounds_as_groups_of_four_need(count, needed):
    """Longer messages in parts, in twice as many."""
    call = Call("allreduce", "hierarchical", count, [1] * 8, "int", 0)
    (found,) = program.lines("explain", {**call.options, "lanes": "1"})
    assert found["rounds"] == needed


UNEQUAL = [
    ([4, 4, 4, 1], 4),
    ([4, 4, 4, 1], 1),
    ([1, 5, 2], 5),
    ([1, 5, 2], 1),
    ([3, 3, 2], 3),
    ([3, 3, 2], 2),
    ([2, 6, 4, 4], 2),
    ([2, 6, 4, 4], 6),
]
"""Processes of each node, and lanes."""

_DIFFERING = re.compile(r"(?:^|[;,]) (?:at most )?([^;,]*?) where nodes differ in size")


def unequal(nodes, lanes):
    """The symbols of formulas there."""
    symbols = {"N": len(nodes), "n": max(nodes), "k": lanes, "p": sum(nodes), "m": COUNT * 4}
    return {**symbols, "q": -(-lanes // min(nodes)), "a": AHEAD, "s": SEGMENT, "differ": True}


@pytest.mark.parametrize(
    ("collective", "algorithm"),
    [name for name in NAMES if _DIFFERING.search(algorithms()[name].memory)],
)
def test_memory_is_what_is_documented_where_nodes_differ(collective, algorithm):
    told = _DIFFERING.search(algorithms()[collective, algorithm].memory)
    components = COMPONENTS.get((collective, algorithm), "0")
    parts = []
    named = algorithm
    if (collective, algorithm) in AT_ONCE:
        named = f"{algorithm}(segment={bytes_of_segment(algorithm)},ahead={AHEAD})"
    for nodes, lanes in UNEQUAL:
        symbols = unequal(nodes, lanes)
        most = value(told[1], **symbols) + value(components, **symbols)
        taken = 0
        for root in {0, sum(nodes) // 2, sum(nodes) - 1} if collective in ROOTED else {0}:
            call = Call(collective, named, COUNT, nodes, "int", root, "bytes")
            (found,) = program.lines("explain", {**call.options, "lanes": str(lanes)})
            assert found["served_by"] == algorithm
            taken = max(taken, found["scratch_bytes"])
        assert taken <= most * (1 + 1e-3), (nodes, lanes, told[1], taken / most)
        parts.append(taken / most)
    assert max(parts) >= 1 / 2, (told[1], parts)


@pytest.mark.parametrize(
    ("nodes", "lanes"), [(nodes, lanes) for nodes, lanes in UNEQUAL if lanes <= min(nodes)]
)
def test_barriers_take_the_rounds_that_are_documented_where_processes_have_no_lane(nodes, lanes):
    symbols = unequal(nodes, lanes)
    formula = case(algorithms()["barrier", "lane"].rounds, symbols)
    assert [*rounds("barrier", "lane", nodes, lanes)] == [value(formula, **symbols)]


@IN_SHAPES
@pytest.mark.parametrize("collective", [collective for collective, _ in PORTED])
def test_k_ported_carries_no_more_than_is_documented(collective, shapes, rounded):
    """In all rounds on the lanes together, if what is documented is for one of them."""
    volume = algorithms()[collective, "k_ported"].volume
    told = re.fullmatch(
        r"(.*?)( a round)?(?: and (.*) once)? a process; (.*?)( a round)? a node", volume
    )
    assert told, volume
    of_process, in_rounds, once, of_node, _ = told.groups()
    for nodes, ppn, root in shapes:
        found = costs(collective, "k_ported", nodes, ppn, root)
        rounds = next(r for r in range(1, nodes) if (ppn + 1) ** r >= nodes) if in_rounds else 1
        # There are no more ports than other nodes.
        symbols = {"k": min(ppn, nodes - 1), "n": ppn, "p": nodes * ppn, "m": COUNT * 4}
        own, node = (
            value(each.removeprefix("at most"), **symbols) for each in (of_process, of_node)
        )
        most = own * rounds + (value(once, **symbols) if once else 0)
        if in_rounds or of_process.startswith("at most"):
            assert most / (8 if rounded else 4) <= found["process_bytes"] <= most, (nodes, ppn)
            assert found["node_bytes"] <= node * rounds, (nodes, ppn)
        else:
            assert found["process_bytes"] == most, (nodes, ppn)
            assert found["node_bytes"] == node, (nodes, ppn)


@pytest.mark.parametrize(("collective", "algorithm"), NAMES)
def test_memory_is_what_is_documented_and_what_components_take(collective, algorithm):
    memory = algorithms()[collective, algorithm].memory
    components = COMPONENTS.get((collective, algorithm), "0")
    for nodes, ppn in ((3, 4), (4, 4), (5, 3)):
        ranks = nodes * ppn
        symbols = {"N": nodes, "n": ppn, "p": ranks, "m": COUNT * 4, "a": AHEAD}
        symbols["s"] = bytes_of_segment(algorithm)
        symbols.update(k=ppn, l=LEADERS)
        if (collective, algorithm) in IN_SEGMENTS:
            symbols["s"] = PIPELINED
        own = max(value(each, **symbols) for each in formulas(usual(memory)))
        most = own + value(components, **symbols)
        # Some take it on one node or at some roots alone.
        roots = {0, ppn - 1, ranks // 2, ranks - ppn, ranks - 1} if collective in ROOTED else {0}
        counted = [costs(collective, algorithm, nodes, ppn, root) for root in sorted(roots)]
        taken = max(found["scratch_bytes"] for found in counted if found)
        if (collective, algorithm) == ("alltoall", "lane_segmented") and nodes == AHEAD:
            most *= (
                AHEAD - 1
            ) / AHEAD  # segments that stay on their node need none, and come every so often
        near = nearness(collective, algorithm)
        assert taken == pytest.approx(most, rel=near), (memory, nodes, ppn)


@pytest.mark.parametrize("components", ["rounds", "bytes"])
@pytest.mark.parametrize(
    ("collective", "algorithm", "messages"),
    [
        ("allreduce", "lane", 4),
        ("reduce", "lane", 4),
        ("reduce_scatter_block", "lane_segmented", 5),
        ("scan", "lane", 5),
    ],
)
def test_who_serves_the_only_lane_of_a_large_node_takes_in_few_messages(
    collective, algorithm, messages, components
):
    """It does not take in at once what all processes of the node have."""
    call = Call(collective, algorithm, COUNT, [7, 1], "int", 0, components)
    (found,) = program.lines("explain", {**call.options, "lanes": "1"})
    assert found["served_by"] == algorithm
    blocks = 8 if collective == "reduce_scatter_block" else 1
    assert found["scratch_bytes"] <= messages * blocks * COUNT * 4
