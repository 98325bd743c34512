# SPDX-License-Identifier: BSD-3-Clause
"""What algorithms really send, against what their documentation and the paper claim (tests/trace).

Messages come with the communication step of the k-lane model in which they travel at the earliest
(Traeff and Hunold 2020, Section 5); components count as much as their best known implementation.
"""

import functools
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import pytest

from jobs import BUILDS, ROOT, run

COUNT = 30_000
"""ints, so that a lane's share is several segments; every number of processes tried divides it."""

COLLECTIVES = ["bcast", "scatter", "gather", "allgather", "alltoall", "reduce", "allreduce"]
COLLECTIVES += ["reduce_scatter_block", "scan", "exscan", "barrier"]

COMPONENTS = ",".join(f"{c}@{scope}=components" for c in COLLECTIVES for scope in ("node", "lane"))
"""Settings by which every component is recorded."""


class Message(NamedTuple):
    sender: int
    receiver: int
    bytes: int
    step: int


@dataclass(frozen=True)
class Trace:
    """A run: the node of each rank, its messages, and [bytes on lanes, bytes on the node] by rank
    that it gave to components."""

    nodes: list[int]
    messages: list[Message]
    components: list[list[int]]
    volume: str
    """As documented."""

    def crosses(self, message: Message) -> bool:
        return self.nodes[message.sender] != self.nodes[message.receiver]

    @property
    def on_lanes(self) -> list[Message]:
        return [message for message in self.messages if self.crosses(message)]

    @property
    def on_nodes(self) -> list[Message]:
        return [message for message in self.messages if not self.crosses(message)]

    @property
    def steps(self) -> int:
        return max(message.step for message in self.messages)


def algorithms() -> list[tuple[str, str]]:
    """Collective and name of each that is registered and moves data."""
    files = sorted((ROOT / "src" / "algorithms").glob("*/*.cpp"))
    return [(file.parent.name, file.stem) for file in files if file.parent.name != "barrier"]


@functools.cache
def traces(
    build, nodes: int, ppn: int, root: int, wanted: tuple[str, ...], *, count: int = COUNT
) -> dict[str, Trace]:
    """Of each of the algorithms `wanted` (bcast/lane), from one job."""
    program = ROOT / "build" / build.id / "bin" / "laneway-trace"
    if not program.exists():
        pytest.skip(f"{program} is not built: run `make test`")
    settings = {"LANEWAY_NODE_SIZE": ppn, "LANEWAY_ALGORITHM": COMPONENTS}
    outcome = run(build, nodes * ppn, [program, count, root, *wanted], **settings)
    assert outcome.code == 0, outcome.told
    found = [json.loads(line) for line in outcome.output.splitlines()]
    return {
        name: Trace(
            one["nodes"],
            [Message(*message) for message in one["messages"]],
            one["components"],
            one["volume"],
        )
        for name, one in zip(wanted, found, strict=True)
    }


def trace(build, collective, algorithm, *, nodes, ppn, root=0) -> Trace:
    name = f"{collective}/{algorithm}"
    return traces(build, nodes, ppn, root, (name,))[name]


def sums(pairs) -> Counter:
    result: Counter = Counter()
    for key, size in pairs:
        result[key] += size
    return result


SHAPES = [(2, 2, 0), (2, 2, 3), (3, 2, 3), (2, 3, 1), (4, 2, 5)]
"""nodes, processes a node, root"""


@pytest.mark.parametrize(("nodes", "ppn", "root"), SHAPES)
@pytest.mark.parametrize("build", BUILDS)
def test_lane_pipeline_keeps_the_promise_of_proposition_1(build, nodes, ppn, root):
    """k lanes carry the message in as many steps as one lane carries the k-th part of it, and two.

    The single-ported pipeline takes N - 2 + S steps for S segments along N processes. One step more
    gives the shares to the processes of the root's node, one more exchanges the last segments.
    """
    at = trace(build, "bcast", "lane_pipeline", nodes=nodes, ppn=ppn, root=root)
    message = COUNT * 4
    segment = max(sent.bytes for sent in at.on_lanes)
    segments = ceil(message / ppn / segment)
    single_ported = nodes - 2 + segments
    assert segments > 1
    assert at.steps == single_ported + 2

    # On the lanes: the k-th part a process, the message a node; all but the last node send it.
    last = (at.nodes[root] - 1) % nodes
    sent = sums((message.sender, message.bytes) for message in at.on_lanes)
    heard = sums((message.receiver, message.bytes) for message in at.on_lanes)
    for rank, node in enumerate(at.nodes):
        assert sent[rank] == (0 if node == last else message // ppn)
        assert heard[rank] == (0 if node == at.nodes[root] else message // ppn)

    # On the node: its share to every other process but the root, which has it all, and which
    # gives the others theirs first.
    sent = sums((message.sender, message.bytes) for message in at.on_nodes)
    for rank, node in enumerate(at.nodes):
        others = ppn - 1 - (node == at.nodes[root] and rank != root)
        shares = others + (ppn - 1 if rank == root else 0)
        assert sent[rank] == shares * message // ppn

    # In a step: a segment to another node, and a segment to each process of the node (by the
    # root: one of its share, and one of theirs).
    in_step: dict = defaultdict(list)
    for message_ in at.messages:
        in_step[message_.sender, message_.step, at.crosses(message_)].append(message_)
    for (sender, _, crosses), together in in_step.items():
        assert all(each.bytes <= segment for each in together)
        if crosses:
            assert len(together) == 1
        else:
            by_peer = Counter(each.receiver for each in together)
            assert max(by_peer.values()) <= (2 if sender == root else 1)


@pytest.mark.parametrize("build", BUILDS)
def test_chain_is_the_single_ported_pipeline(build):
    at = trace(build, "bcast", "chain", nodes=2, ppn=2, root=1)
    segments = ceil(COUNT * 4 / max(message.bytes for message in at.messages))
    assert at.steps == 4 - 2 + segments
    assert sums((each.sender, each.bytes) for each in at.messages) == dict.fromkeys(
        (1, 2, 3), COUNT * 4
    )


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("algorithm", ["k_ported", "lane", "hierarchical"])
@pytest.mark.parametrize(("nodes", "ppn", "rounds"), [(3, 2, 1), (5, 1, 3), (4, 2, 2), (2, 3, 1)])
def test_short_broadcasts_take_the_rounds_of_the_best_tree_over_nodes(
    build, algorithm, nodes, ppn, rounds
):
    """Each process of a node sends to another node: k ports, ceil(log N / log(k+1)) rounds."""
    wanted = ("bcast/k_ported", "bcast/lane", "bcast/hierarchical")
    at = traces(build, nodes, ppn, 1, wanted, count=1)[f"bcast/{algorithm}"]
    assert at.steps == rounds
    assert sorted(at.nodes[each.receiver] for each in at.messages) == [
        node for node in range(nodes) if node != at.nodes[1]
    ]
    in_step = Counter((each.sender, each.step) for each in at.messages)
    assert set(in_step.values()) == {1}


UNSEEN = {
    "bcast": ["k_ported"],
    "alltoall": ["hierarchical", "lane_reorder"],
    "allgather": ["lane", "lane_reorder"],
    "scatter": ["hierarchical", "lane", "lane_regular"],
    "gather": ["hierarchical", "lane", "lane_regular"],
    "reduce_scatter_block": ["hierarchical", "lane"],
}
"""Their lanes carry vector collectives, or some on strided data: the library's own, which go
unseen. Or what a node carries is not the same for all."""


REGULAR = {
    ("allreduce", "lane_regular"),
    ("bcast", "lane_regular"),
    ("reduce_scatter_block", "lane_regular"),
}
"""Their nodes carry nothing of that kind either: what a process sends or receives is all seen."""


def value(formula: str, **symbols: int) -> float:
    """Of a formula as the documentation writes it: juxtaposition is multiplication."""
    spaced = re.sub(r"(?<=[0-9a-zA-Z)])\s+(?=[(a-zA-Z])", "*", formula.strip())
    spaced = re.sub(r"(?<=[0-9])(?=[a-zA-Z])", "*", spaced)
    return float(eval(spaced, {"__builtins__": {}}, symbols))  # noqa: S307 - our own texts


MEASURED = [
    (collective, algorithm)
    for collective, algorithm in algorithms()
    if algorithm not in UNSEEN.get(collective, [])
]


@pytest.mark.parametrize(("collective", "algorithm"), MEASURED)
@pytest.mark.parametrize("build", BUILDS)
def test_the_lanes_of_a_node_carry_what_is_documented(build, collective, algorithm):
    nodes, ppn, root, m = 3, 2, 3, COUNT * 4
    wanted = tuple("/".join(each) for each in MEASURED)
    at = traces(build, nodes, ppn, root, wanted)[f"{collective}/{algorithm}"]

    # Such as "(p-1) m a process; n m a node, the root's (p-n) m".
    of_node = re.search(r"([^;]*) a node(?:, the root's (.*))?", at.volume.rpartition(";")[2])
    assert of_node, at.volume
    symbols = {"N": nodes, "n": ppn, "p": nodes * ppn, "k": ppn, "m": m}
    elsewhere = value(of_node[1], **symbols)
    at_root = value(of_node[2], **symbols) if of_node[2] else elsewhere

    sent = sums((at.nodes[each.sender], each.bytes) for each in at.on_lanes)
    heard = sums((at.nodes[each.receiver], each.bytes) for each in at.on_lanes)
    for node in range(nodes):
        carried = max(sent[node], heard[node])
        carried += sum(
            lane for rank, (lane, _) in enumerate(at.components) if at.nodes[rank] == node
        )
        assert carried == (at_root if node == at.nodes[root] else elsewhere), at.volume

    if (collective, algorithm) in REGULAR:
        of_process = re.match("([^,;]*) a process;", at.volume)
        assert of_process, at.volume
        sent = sums((each.sender, each.bytes) for each in at.messages)
        heard = sums((each.receiver, each.bytes) for each in at.messages)
        carried = max(
            sum(components) + max(sent[rank], heard[rank])
            for rank, components in enumerate(at.components)
        )
        assert carried == value(of_process[1], **symbols), at.volume
