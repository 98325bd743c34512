# SPDX-License-Identifier: BSD-3-Clause
"""The floor of vector collectives with given counts: what no schedule can beat. No MPI."""

import itertools

import pytest

from crossings import BETWEEN_PAIRS, WITH_ALL, WITH_ROOT, of_blocks, of_pairs
from laneway.collectives import WITH_VECTORS
from laneway.modelling.crossing import Crossing
from laneway.modelling.floor import Wire, collective_us, crossing_us
from laneway.rows import summarise
from test_logp import Search

REGULAR = {
    "allgatherv": "allgather",
    "reduce_scatter": "reduce_scatter_block",
    "gatherv": "gather",
    "scatterv": "scatter",
    "alltoallv": "alltoall",
    "alltoallw": "alltoall",
}
SLOW = Wire(rate=100_000_000, burst=0, latency=1_000_000, gap=100_000, slower=1000)


def floor(found, wire=SLOW, *, nodes, **options):
    asked = {"processes": [4] * nodes, "lanes": 2, "binding": "lane", **options}
    return crossing_us(wire, found, **asked)


def of_nodes(collective, size, processes, root=0):
    """The crossing of equal blocks among nodes of so many ranks."""
    if collective in BETWEEN_PAIRS:
        return of_pairs([[one * two * size for two in processes] for one in processes])
    return of_blocks(collective, [own * size for own in processes], root)


def test_every_vector_collective_is_of_one_kind():
    kinds = (*WITH_ALL, *WITH_ROOT, *BETWEEN_PAIRS)
    assert sorted(kinds) == sorted(REGULAR)
    assert {*WITH_VECTORS} >= {*kinds}


@pytest.mark.parametrize("wire", [SLOW, Wire(200_000_000, 18432)], ids=["slow", "free"])
@pytest.mark.parametrize("calls", [1, 10])
@pytest.mark.parametrize("collective", REGULAR)
def test_with_equal_counts_the_floor_is_that_of_the_regular_collective(collective, calls, wire):
    for nodes, size in itertools.product((1, 2, 4, 7), (0, 4, 4000, 400_000)):
        found = floor(of_nodes(collective, size, [4] * nodes), wire, nodes=nodes, calls=calls)
        shape = {"processes": [4] * nodes, "lanes": 2, "binding": "lane", "calls": calls}
        assert found == collective_us(wire, REGULAR[collective], size, **shape)


def test_nothing_to_move_takes_no_time():
    for collective in (*WITH_ALL, *WITH_ROOT):
        assert of_blocks(collective, [0, 0, 0]) == Crossing(0, 0)
        assert of_blocks(collective, [9]) == Crossing(0, 0)
    assert of_pairs([[5, 0], [0, 5]]) == Crossing(0, 0)
    assert floor(Crossing(0, 0), nodes=3) == 0
    # All is at the root.
    assert of_blocks("gatherv", [0, 9, 0], root=1) == Crossing(0, 0)


def test_bytes_of_the_busiest_node():
    blocks = [10, 0, 30]
    assert of_blocks("allgatherv", blocks) == Crossing(40, 2)
    assert of_blocks("reduce_scatter", [10, 5, 30]) == Crossing(40, 2, mutual=True)
    assert of_blocks("gatherv", blocks, root=0) == Crossing(30, 1)
    assert of_blocks("scatterv", blocks, root=1) == Crossing(40, 2)
    assert of_pairs([[9, 1, 2], [0, 9, 4], [0, 0, 9]]) == Crossing(6, 2)
    assert of_pairs([[9, 1, 2], [1, 9, 4], [1, 1, 9]]) == Crossing(6, 2, mutual=True)


def test_calls_in_a_row_overlap_unless_everybody_hears_from_everybody():
    assert floor(Crossing(0, 3), nodes=4, calls=10) == 110
    assert floor(Crossing(0, 3, mutual=True), nodes=4, calls=10) == 1100


def test_what_holds_for_two_is_the_least_of_both():
    assert Crossing(9, 1, mutual=True).least(Crossing(7, 2)) == Crossing(7, 1)


def test_a_row_says_it_or_not():
    row = {"crossing": {"bytes": 9, "peers": 2, "mutual": True}}
    assert Crossing.of_row(row) == Crossing(9, 2, mutual=True)
    assert Crossing.of_row({}) is None


# ---- all schedules -------------------------------------------------------------------------------


def demands(collective, blocks, root=0):
    """Each byte that must travel: its node, and the nodes that need it.

    A reduction is an allgather backwards: what a node gets of others then, it sends to them now.
    """
    nodes = range(len(blocks))
    for node in nodes:
        for _ in range(blocks[node]):
            if collective in WITH_ALL:
                yield node, [other for other in nodes if other != node]
            elif node != root:
                yield (node, [root]) if collective == "gatherv" else (root, [node])


def of_matrix(sent):
    for source, target in itertools.permutations(range(len(sent)), 2):
        yield from [(source, [target])] * sent[source][target]


class ByteByByte:
    """All schedules of single bytes: in each slot a node's lane starts one, and receives one."""

    def __init__(self, nodes, latency, bytes_):
        self.nodes, self.latency, self.bytes = range(nodes), latency, [*bytes_]

    def reaches(self, deadline):
        return deadline >= 0 and self._reaches(deadline)

    def _reaches(self, deadline):
        known = tuple(1 << source for source, _ in self.bytes)  # by byte, who knows it
        todo, seen = [(0, known, ())], set()
        while todo:
            time, known, flying = todo.pop()
            known = [*known]
            for arrival, byte, target in flying:
                if arrival == time:
                    known[byte] |= 1 << target
            flying = tuple(each for each in flying if each[0] > time)
            state = (time, tuple(known), flying)
            if all(
                known[byte] >> target & 1
                for byte, (_, targets) in enumerate(self.bytes)
                for target in targets
            ):
                return True
            if time == deadline or state in seen:
                continue
            seen.add(state)
            for choice in itertools.product(*(self._choices(node, known) for node in self.nodes)):
                targets = [target for _, target in filter(None, choice)]
                if len({*targets}) == len(targets):
                    arrival = time + 1 + self.latency
                    started = {(arrival, *each) for each in filter(None, choice)}
                    todo.append((time + 1, tuple(known), tuple(sorted({*flying, *started}))))
        return False

    def _choices(self, node, known):
        """A byte that a node knows and another does not; or none."""
        return [
            None,
            *(
                (byte, target)
                for byte, knowing in enumerate(known)
                for target in self.nodes
                if knowing >> node & 1 and not knowing >> target & 1
            ),
        ]


def at_slots(found, latency, nodes):
    """The floor where a byte takes a slot of a lane, and so does a gap."""
    wire = Wire(rate=8 * 10**6, burst=0, latency=latency * 1000, gap=1000)
    return crossing_us(wire, found, processes=[1] * nodes, lanes=1, binding="lane")


@pytest.mark.parametrize("latency", [0, 1, 2])
@pytest.mark.parametrize("collective", [*WITH_ALL, *WITH_ROOT])
def test_no_schedule_of_bytes_is_faster_and_some_are_as_fast(collective, latency):
    as_fast = 0
    for blocks in itertools.product(range(3), repeat=3):
        if sum(blocks) > 4 or (collective in WITH_ALL and sum(blocks) > 3):
            continue
        found = of_blocks(collective, blocks)
        bound = round(at_slots(found, latency, 3))
        schedules = ByteByByte(3, latency, demands(collective, blocks))
        assert not schedules.reaches(bound - 1), blocks
        as_fast += schedules.reaches(bound)
    assert as_fast >= 5


@pytest.mark.parametrize("latency", [0, 1, 2])
def test_no_schedule_between_pairs_is_faster_and_some_are_as_fast(latency):
    as_fast = 0
    for counts in itertools.product(range(2), repeat=6):
        rest = iter(counts)
        sent = [[0 if one == two else next(rest) for two in range(3)] for one in range(3)]
        bound = round(at_slots(of_pairs(sent), latency, 3))
        schedules = ByteByByte(3, latency, of_matrix(sent))
        assert not schedules.reaches(bound - 1), sent
        as_fast += schedules.reaches(bound)
    assert as_fast >= 48


@pytest.mark.parametrize(
    ("nodes", "lanes", "latency", "gap"), [(3, 1, 1, 2), (3, 2, 2, 1), (4, 1, 1, 1), (4, 1, 2, 2)]
)
def test_no_schedule_of_messages_of_any_size_is_faster(nodes, lanes, latency, gap):
    """Nodes that need nothing may pass messages on."""
    wire = Wire(rate=10**15, burst=0, latency=latency * 1000, gap=gap * 1000)
    pairs = [*itertools.permutations(range(nodes), 2)]
    patterns = [some for some in itertools.product((0, 1), repeat=len(pairs)) if nodes < 4]
    patterns += [[one == 0 for one, _ in pairs], [two == 3 for _, two in pairs]]
    patterns += [[one == 0 and two < 3 for one, two in pairs]]
    patterns += [[two - one == 2 for one, two in pairs]]
    for pattern in patterns:
        sent = [[0] * nodes for _ in range(nodes)]
        for (one, two), some in zip(pairs, pattern, strict=True):
            sent[one][two] = int(some)
        found = of_pairs(sent)
        asked = {"processes": [lanes] * nodes, "lanes": lanes, "binding": "lane"}
        bound = round(crossing_us(wire, found, **asked))
        goals = [
            (two, sum(1 << one for one in range(nodes) if sent[one][two])) for two in range(nodes)
        ]
        goals = [goal for goal in goals if goal[1]]
        assert not bound or not Search((lanes,) * nodes, latency, gap, goals).reaches(bound - 1)


def sample(layout, found, algorithm="native", **more):
    """A row of a vector collective on a cluster of four nodes with two lanes."""
    return {
        "kind": "sample",
        "run": 1,
        "collective": "allgatherv",
        "algorithm": algorithm,
        "count": 9,
        "datatype": "int",
        "bytes": 36,
        "nodes": 4,
        "ppn": 4,
        "lanes": 2,
        "library": "MPI",
        "binding": "lane",
        "layout": layout,
        "time_us": 5000.0,
        **({"crossing": found} if found else {}),
        **more,
    }


def test_cases_of_different_layouts_have_floors_of_their_own():
    cluster = {"rate": SLOW.rate, "burst": 0, "lanes": 2, "nodes": 4}
    timed = {"latency": SLOW.latency, "gap": SLOW.gap, "slower": 1000}
    few = {"bytes": 500, "peers": 1, "mutual": False}
    many = {"bytes": 25_000, "peers": 3, "mutual": True}
    rows = [
        {"kind": "environment", "cluster": {**cluster, **timed}},
        sample("sparse", few),
        sample("ramp", many),
        sample("ramp", {**many, "bytes": 24_000}, run=2),  # placed otherwise: the least holds
        sample("file:a", few, layout_digest="1"),
        sample("file:a", many, layout_digest="2"),
        sample("single", None),  # from an older version
    ]
    floors = {
        (axes["layout"], axes.get("layout_digest")): each.floor_us
        for each in summarise(rows)
        for axes in [dict(each.key.axes)]
    }
    assert floors == {
        ("sparse", None): 1020,
        ("ramp", None): 1960,
        ("file:a", "1"): 1020,
        ("file:a", "2"): 2000,
        ("single", None): None,
    }
