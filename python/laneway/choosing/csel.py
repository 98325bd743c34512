# SPDX-License-Identifier: BSD-3-Clause
"""Files by which MPICH selects some algorithms as told, and all others as before.

MPICH walks a tree of conditions (src/mpi/coll/src/csel.c of its 4.0). A file takes the place of the
whole tree, and a call about which it says nothing ends the program. So wherever no rule holds, the
library's own tree is repeated.

The device ch4 has a tree of its own, which is asked first: it selects compositions of collectives
on nodes and leaders. Where it selects nothing, the general tree decides for the communicator as a
whole (MPID_Bcast in src/mpid/ch4/src/ch4_coll.h), which is how algorithms are measured. So both
files have the same conditions: there the general file names an algorithm, the device's file none.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from laneway.libraries.selection_trees import SelectionTrees, Tree

GENERAL = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
"""The variable that names the file with the general tree."""
DEVICE = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
"""The variable that names the file with the tree of the device ch4."""

SIZES = {
    "bcast": "avg_msg_size",
    "reduce": "avg_msg_size",
    "allreduce": "avg_msg_size",
    "alltoall": "avg_msg_size",
    "allgather": "total_msg_size",
    "allgatherv": "total_msg_size",
    "reduce_scatter": "total_msg_size",
    "reduce_scatter_block": "total_msg_size",
    "alltoallv": None,
    "barrier": None,
}
"""MPICH's names for the bytes of a call: those of the message or a block, or those of all blocks
(get_avg_msgsize and get_total_msgsize in csel.c). A barrier has none, and of an alltoallv no
process knows them."""

UNSIZED = frozenset(("alltoallv",))
"""Collectives with data of which the tree knows no sizes: an algorithm is selected for all."""

_UNSAFE = "MPICH counts elements for bytes there, of arguments that processes may give differently"
_UNSIZED = "MPICH's tree knows no sizes of it"
UNTOLD = {"gather": _UNSAFE, "scatter": _UNSAFE, "scan": _UNSIZED, "exscan": _UNSIZED}
"""Collectives for which conditions on bytes would select wrongly, or end the program."""

MOST = 2**31 - 1
"""The largest number that MPICH reads in a condition."""

_NB = "nb"
"""The nonblocking collective, at once waited for: every collective has it."""

POWER, HIERARCHY, COUNT = "comm_size=pow2", "comm_hierarchy=parent", "count<pow2"
OUT_OF_PLACE = "is_sendbuf_inplace=no"
COMMUTATIVE, BUILT_IN = "is_commutative=yes", "is_op_built_in=yes"

REQUIREMENTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "allgather": {"brucks": (), "recursive_doubling": (POWER,), "ring": ()},
    "allgatherv": {"brucks": (), "recursive_doubling": (POWER,), "ring": ()},
    "allreduce": {
        "recursive_doubling": (),
        "reduce_scatter_allgather": (COUNT,),
        "smp": (HIERARCHY,),
    },
    "alltoall": {"brucks": (), "pairwise": (), "scattered": ()},
    "alltoallv": {"scattered": ()},
    "barrier": {"dissemination": (), "smp": (HIERARCHY,)},
    "bcast": {
        "binomial": (),
        "scatter_recursive_doubling_allgather": (POWER,),
        "scatter_ring_allgather": (),
        "smp": (HIERARCHY,),
    },
    "reduce": {"binomial": (), "reduce_scatter_gather": (COUNT,), "smp": (HIERARCHY,)},
    "reduce_scatter": {"pairwise": (), "recursive_doubling": (), "recursive_halving": ()},
    "reduce_scatter_block": {
        "noncommutative": (POWER,),
        "pairwise": (),
        "recursive_doubling": (),
        "recursive_halving": (),
    },
}
"""The algorithms without parameters, and their conditions on a communicator and on a call
(src/mpi/coll/coll_algorithms.txt). MPICH does not check these where a file names an algorithm.
`COUNT`: at least as many elements as the largest power of two among the processes."""

AS_MEASURED = {
    "allreduce": (COMMUTATIVE, BUILT_IN),
    "reduce": (COMMUTATIVE, BUILT_IN),
    "reduce_scatter": (COMMUTATIVE,),
    "reduce_scatter_block": (COMMUTATIVE,),
    "alltoall": (OUT_OF_PLACE,),
    "alltoallv": (OUT_OF_PLACE,),
}
"""Further conditions on a call, as far as MPICH can tell: predefined operators, not in place."""


@dataclass(frozen=True)
class SelectionRule:
    """An algorithm for a range of bytes, as MPICH counts them, on communicators of some shape."""

    collective: str
    processes: int
    ppn: int
    """Processes by nodes, rounded up: what MPICH knows of a shape (comm_avg_ppn)."""
    least: int
    most: int
    algorithm: str
    """The name in MPICH's control variables: binomial."""

    @property
    def leaf(self) -> str:
        """The leaf of the tree with MPICH's name of the algorithm: MPIR_Bcast_intra_binomial."""
        kind = "allcomm" if self.algorithm == _NB else "intra"
        return f"algorithm=MPIR_{self.collective.capitalize()}_{kind}_{self.algorithm}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """The conditions that a call must meet."""
        own = REQUIREMENTS[self.collective].get(self.algorithm, ())
        return (*AS_MEASURED.get(self.collective, ()), *own)


def ppn(processes: Sequence[int]) -> int:
    """Processes a node as MPICH knows them: on average, rounded up."""
    return -(-sum(processes) // len(processes))


def rule(
    collective: str, algorithm: str, processes: Sequence[int], least: int, most: int
) -> SelectionRule | str:
    """The rule for an algorithm on so many processes of each node, or why there is none.

    `least` and `most` are bytes as profiles mean them: of the message, or of one block.
    """
    if collective in UNTOLD or collective not in SIZES:
        return UNTOLD.get(collective, "MPICH has no tree for it")
    ranks = sum(processes)
    known = REQUIREMENTS[collective]
    if algorithm != _NB and algorithm not in known:
        return "it wants parameters, or something of a call, that is not known here"
    wanted = known.get(algorithm, ())
    if POWER in wanted and ranks & (ranks - 1):
        return f"it wants a power of two of processes, and there are {ranks}: another one served"
    if HIERARCHY in wanted and (len(processes) == 1 or ranks == len(processes)):
        return "it wants several nodes of several processes: another one served"
    factor = ranks if SIZES[collective] == "total_msg_size" else 1
    if most * factor > MOST:
        return f"MPICH reads no sizes above {MOST} bytes, and counts {most * factor} here"
    return SelectionRule(
        collective, ranks, ppn(processes), least * factor, most * factor, algorithm
    )


def files(rules: Sequence[SelectionRule], trees: SelectionTrees) -> dict[str, str]:
    """The text of each file, by the variable that names it."""
    found = {GENERAL: _text(_with(trees.general, rules, device=False))}
    if trees.device is not None:
        found[DEVICE] = _text(_with(trees.device, rules, device=True))
    return found


def _text(tree: Tree) -> str:
    """A tree's text with an end of line: MPICH maps the file, and parses past the bracket."""
    return json.dumps(tree, indent=1) + "\n"


def _with(tree: Tree, rules: Sequence[SelectionRule], *, device: bool) -> Tree:
    """The tree with the rules; the device's tree selects nothing where a rule holds."""
    by_collective: dict[str, list[SelectionRule]] = defaultdict(list)
    for each in rules:
        by_collective[f"collective={each.collective}"].append(each)
    return {
        name: _collective(before, by_collective[name], device=device)
        if name in by_collective
        else before
        for name, before in tree.items()
    }


def _collective(before: Tree, rules: Sequence[SelectionRule], *, device: bool) -> Tree:
    """One collective's tree: the rules are for communicators in which all are of one group."""
    intra = _exact(before.get("comm_type=intra", before))
    # This never holds within comm_type=intra; a condition on sizes would need another way out.
    nothing: Tree = {"comm_type=inter": {next(_leaves(intra)): {}}}
    rest = {key: value for key, value in before.items() if key.startswith("comm_type=inter")}
    return {
        "comm_type=intra": _by_processes(rules, intra, nothing if device else None),
        **(rest if "comm_type=intra" in before else {"comm_type=inter": before}),
    }


def _exact(tree: Tree) -> Tree:
    """The tree without comm_size<N, which MPICH 4.0 takes for <= below a condition on bytes."""
    return {
        f"comm_size<={int(key.removeprefix('comm_size<')) - 1}"
        if key.startswith("comm_size<") and not key.startswith("comm_size<=")
        else key: _exact(value)
        for key, value in tree.items()
    }


def _leaves(tree: Tree) -> Iterator[str]:
    for key, value in tree.items():
        if key.startswith(("algorithm=", "composition=")):
            yield key
        else:
            yield from _leaves(value)


def _by_processes(rules: Sequence[SelectionRule], before: Tree, nothing: Tree | None) -> Tree:
    """The tree by processes: MPICH checks conditions on the communicator once, when it is made."""
    by_processes: dict[int, dict[int, list[SelectionRule]]] = defaultdict(lambda: defaultdict(list))
    for each in rules:
        by_processes[each.processes][each.ppn].append(each)
    return _steps(
        "comm_size",
        [
            (processes, processes, _by_ppn(by_processes[processes], before, nothing))
            for processes in sorted(by_processes)
        ],
        before,
    )


def _by_ppn(
    by_ppn: Mapping[int, Sequence[SelectionRule]], before: Tree, nothing: Tree | None
) -> Tree:
    """The tree by processes a node, but for the communicators that compositions use.

    Those are the processes of a node, and one process of each node.
    """
    steps = _steps(
        "comm_avg_ppn",
        [(own, own, _by_bytes(by_ppn[own], before, nothing)) for own in sorted(by_ppn)],
        before,
        least=1,
    )
    return {"comm_hierarchy=node": before, "comm_hierarchy=node_roots": before, **steps}


def _by_bytes(rules: Sequence[SelectionRule], before: Tree, nothing: Tree | None) -> Tree:
    name = SIZES[rules[0].collective]
    if name is None:
        return _guarded(rules[0], before, nothing)
    steps = [
        (each.least, each.most, _guarded(each, before, nothing))
        for each in sorted(rules, key=lambda each: each.least)
    ]
    return _steps(name, steps, before)


def _steps(
    name: str, steps: Sequence[tuple[int, int, Tree]], before: Tree, *, least: int = 0
) -> Tree:
    """A tree for each range of a number, which ascend, and `before` below, between and above."""
    found: dict[str, Tree] = {}
    for first, last, tree in steps:
        if first > least:
            found.setdefault(f"{name}<={first - 1}", before)
        found[f"{name}<={last}"] = tree
        least = last + 1
    # There is no comm_avg_ppn=any, and each "any" always holds.
    return {**found, "comm_size=any" if name == "comm_avg_ppn" else f"{name}=any": before}


def _guarded(rule: SelectionRule, before: Tree, nothing: Tree | None) -> Tree:
    """The algorithm, for calls that are as it requires; otherwise what was before."""
    tree: Tree = {rule.leaf: {}} if nothing is None else nothing
    for condition in reversed(rule.requirements):
        if condition == COUNT:
            tree = {COUNT: before, "count=any": tree}
        elif condition == HIERARCHY:
            tree = {HIERARCHY: tree, "comm_hierarchy=any": before}
        elif condition != POWER:  # which the number of processes decides
            name, _, value = condition.partition("=")
            tree = {condition: tree, f"{name}={'no' if value == 'yes' else 'yes'}": before}
    return tree
