# SPDX-License-Identifier: BSD-3-Clause
"""What algorithms really send, against what their documentation and the papers claim.

Counted from what all ranks do, recorded (tests/simulate/costs.cpp has the rounds of pipelines and
trees). Components are those that send few bytes, as the documented costs are under the best that
are known.
"""

import functools
import re
from math import ceil, log2

import pytest

from laneway.simulation import program
from laneway.simulation.program import Call

COUNT = 10_080
"""ints, which every number of processes here divides."""

SHAPES = [(2, 2, 0), (2, 2, 3), (3, 2, 3), (2, 3, 1), (4, 2, 7), (3, 4, 1), (5, 1, 2), (4, 4, 9)]
"""Nodes, processes of each, root: on the first node, the last one, or between."""

ROOTED = ("bcast", "gather", "reduce", "scatter")


@functools.cache
def algorithms():
    """By name; none where nothing is built."""
    try:
        found = program.algorithms()
    except Exception:  # noqa: BLE001 - collected before it can be said
        return {}
    return {(entry.collective, entry.algorithm): entry for entry in found}


NAMES = [
    (collective, algorithm)
    for collective, algorithm in algorithms()
    if algorithm != "native" and collective != "barrier"
]

BY_ROUNDS = [("bcast", "k_ported")]
"""Its documented bytes are those of a round."""

OF_PROCESSES = {
    ("allgather", "lane"), ("allgather", "lane_reorder"), ("allgather", "lane_segmented"),
    ("allreduce", "lane"), ("allreduce", "lane_regular"), ("allreduce", "recursive_doubling"),
    ("alltoall", "lane"), ("alltoall", "lane_node_first"), ("alltoall", "lane_reorder"),
    ("bcast", "chain"), ("bcast", "lane"), ("bcast", "lane_regular"), ("bcast", "lane_segmented"),
    ("reduce_scatter_block", "lane"), ("reduce_scatter_block", "lane_regular"),
}  # fmt: skip
"""What is documented of a process holds for each, so for the one that sends or receives most."""


def value(formula: str, **symbols: float) -> float:
    """Of a formula as the documentation writes it: juxtaposition is multiplication."""
    spaced = re.sub(r"\blog (\w)", r"log(\1)", formula.strip())
    spaced = re.sub(r"(?<=[0-9a-zA-Z)])\s+(?=[(a-zA-Z])", "*", spaced)
    spaced = re.sub(r"(?<=[0-9])(?=[a-zA-Z])", "*", spaced)
    known = {"__builtins__": {}, "log": lambda number: ceil(log2(number)), **symbols}
    return float(eval(spaced, known))  # noqa: S307 - our own texts


def costs(collective, algorithm, nodes, ppn, root=0, *, count=COUNT, components="bytes"):
    """None where the algorithm doesn't serve that."""
    own = root if collective in ROOTED else 0
    call = Call(collective, algorithm, count, [ppn] * nodes, "int", own, components)
    (found,) = program.lines("explain", {**call.options, "lanes": str(ppn)})
    return found if found["served_by"] == algorithm else None


def holds(algorithm, nodes, ppn):
    """Whether the formula's logarithm is whole there."""
    return algorithm != "recursive_doubling" or (nodes * ppn) & (nodes * ppn - 1) == 0


@pytest.mark.parametrize(("collective", "algorithm"), [n for n in NAMES if n not in BY_ROUNDS])
def test_lanes_and_processes_carry_what_is_documented(collective, algorithm):
    volume = algorithms()[collective, algorithm].volume
    # Such as "(p-1) m a process; n m a node, the root's (p-n) m".
    of_node = re.search(r"([^;]*?) a node(?:, the root's (.*))?$", volume.rpartition(";")[2])
    of_node = of_node or re.search(r"([^;]*?) a node", volume.rpartition(";")[2])
    assert of_node, volume
    served = 0
    for nodes, ppn, root in SHAPES:
        found = costs(collective, algorithm, nodes, ppn, root)
        if not found or not holds(algorithm, nodes, ppn):
            continue
        served += 1
        symbols = {"N": nodes, "n": ppn, "p": nodes * ppn, "k": ppn, "m": COUNT * 4}
        lanes = found["of_lanes"]
        for node in range(nodes):
            own = lanes[node * ppn : (node + 1) * ppn]
            carried = max(sum(sent for sent, _ in own), sum(heard for _, heard in own))
            at_root = of_node.lastindex == 2 and node == root // ppn
            expected = value(of_node[2] if at_root else of_node[1], **symbols)
            if collective in ("scan", "exscan", "bcast", "reduce") or "chain" in algorithm:
                # A chain of nodes has two ends, at which less comes or goes.
                assert carried <= expected, (volume, nodes, ppn)
            else:
                assert carried == pytest.approx(expected), (volume, nodes, ppn)
        if collective in ("scan", "exscan", "bcast", "reduce"):
            assert found["node_bytes"] == value(of_node[1], **symbols), (volume, nodes, ppn)
        if (collective, algorithm) in OF_PROCESSES:
            of_process = re.match("([^,;]*) a process", volume)
            assert found["process_bytes"] == pytest.approx(value(of_process[1], **symbols)), volume
    assert served > 1


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 8, 13, 16, 64])
def test_recursive_doubling_takes_its_rounds(ranks):
    documented = algorithms()["allreduce", "recursive_doubling"].rounds
    power, others = re.fullmatch(r"(log p); (.*) where p is no power of two", documented).groups()
    found = costs("allreduce", "recursive_doubling", ranks, 1, components="rounds")
    expected = power if ranks & (ranks - 1) == 0 else others
    whole = ranks.bit_length() - 1
    assert found["rounds"] == value(expected.replace("floor(log p)", str(whole)), p=ranks)
    assert found["scratch_bytes"] <= COUNT * 4 + 64


@pytest.mark.parametrize("name", ["hierarchical", "lane_regular"])
@pytest.mark.parametrize(("nodes", "ppn"), [(2, 2), (4, 4), (8, 2), (2, 8), (16, 4)])
def test_trees_take_the_rounds_that_are_documented(name, nodes, ppn):
    """Of components on powers of two; what goes straight to all takes one round of its own."""
    for collective in ("bcast", "reduce"):
        found = costs(collective, name, nodes, ppn, components="rounds")
        most = value(algorithms()[collective, name].rounds.partition(";")[0], n=ppn, N=nodes)
        assert found["rounds"] <= most, collective
        assert found["rounds"] >= log2(nodes), collective


def test_no_documented_bound_on_memory_is_forgotten():
    """Temporary memory, counted: in the tests' words, those that need none take none."""
    for (collective, algorithm), entry in algorithms().items():
        if entry.memory != "none" or collective == "barrier":
            continue
        found = costs(collective, algorithm, 3, 2, components="bytes")
        assert found is None or found["scratch_bytes"] == 0, (collective, algorithm)
