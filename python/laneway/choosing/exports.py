# SPDX-License-Identifier: BSD-3-Clause
"""An MPI library's choice among its own algorithms, in the formats that the library reads.

Open MPI reads rules of its component coll/tuned: a file of numbers (4.1, 5.0), or JSON (later).
The rules are by number of processes, and by bytes as coll/tuned counts them. Where there is a block
for each process, it counts the bytes of all blocks. MPICH reads environment variables, and trees of
conditions.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from laneway.choosing import csel
from laneway.choosing.recommendation import Recommendation, Where
from laneway.libraries.registry import Own
from laneway.libraries.selection_trees import SelectionTrees
from laneway.rows import FORCED
from laneway.units import parse_size

NUMBERS = {
    "allgather": 0, "allreduce": 2, "alltoall": 3, "alltoallv": 4, "barrier": 6, "bcast": 7,
    "reduce": 11, "reduce_scatter": 12, "reduce_scatter_block": 13,
}  # fmt: skip
"""Open MPI's numbers of the collectives that its rules can tell by their bytes (COLLTYPE in
ompi/mca/coll/base/coll_base_functions.h)."""

BLOCKS = frozenset(("allgather", "alltoall", "reduce_scatter", "reduce_scatter_block"))
"""Collectives of which Open MPI counts the bytes of all blocks."""

UNCOUNTED = frozenset(("alltoallv",))
"""Collectives of which it counts 0 bytes: no process knows the bytes of others."""

_UNSAFE = "Open MPI reads its bytes from arguments that processes may give differently"
_BLIND = "Open MPI does not look at its count"
UNTOLD = {
    "allgatherv": _UNSAFE, "gather": _UNSAFE, "scatter": _UNSAFE, "scan": _BLIND, "exscan": _BLIND,
}  # fmt: skip
"""Collectives for which rules by bytes would choose wrongly."""

_CHAINS = frozenset(("bcast", "reduce", "reduce_scatter", "reduce_scatter_block"))
"""Collectives whose rule has the fanout of chains; the rule of others has that of trees."""


@dataclass
class Export:
    """A text for an MPI library, and sentences about what it cannot say."""

    text: str = ""
    left_out: list[str] = field(default_factory=list)
    used: int = 0
    """The number of recommendations in it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts of files, in place of one text, by the variable that names the file to the library."""
    beyond: str = ""
    """The calls it is used for besides those that were measured, in a sentence."""


@dataclass(frozen=True)
class _Rule:
    """The algorithm to use from `least` to `most` bytes, as Open MPI counts them."""

    least: int
    most: int
    name: str
    number: int
    fanout: int
    segment: int


_Rules = Mapping[str, Mapping[int, Sequence[_Rule]]]
"""The rules by collective and number of processes."""

OwnAlgorithms = Mapping[tuple[str, str], Own]
"""The library's own algorithms, by collective and name."""

MeasuredBytes = Mapping[tuple[str, Where], tuple[int, int]]
"""The least and the most bytes that were measured, by collective and place."""


@dataclass(frozen=True)
class Facts:
    """Facts that a format may ask for besides the recommendations; they may be unavailable."""

    known: Callable[[], OwnAlgorithms]
    sizes: Callable[[], MeasuredBytes]
    trees: Callable[[], SelectionTrees]


def dynamic_rules(recommended: Sequence[Recommendation], facts: Facts) -> Export:
    """Open MPI's coll_tuned_dynamic_rules_filename, the format of 4.1 and 5.0.

    Other numbers of processes and other sizes have algorithm 0: Open MPI decides as without rules.
    """
    export = Export()
    rules = _rules(recommended, facts, export)
    lines = [f"{len(rules)}  # collectives"]
    for collective, by_ranks in rules.items():
        sizes = sorted({1, *by_ranks, *(ranks + 1 for ranks in by_ranks)})
        lines.append(f"{NUMBERS[collective]}  # {collective}")
        lines.append(f"{len(sizes)}  # numbers of processes from which on rules hold")
        for ranks in sizes:
            steps = [*_steps(by_ranks.get(ranks, ()))]
            lines.append(f"{ranks}  # processes")
            lines.append(f"{len(steps)}  # rules: bytes from which on, algorithm, fanout, segment")
            lines += [f"{numbers}  # {name}" for numbers, name in steps]
    export.text = "\n".join(lines) + "\n"
    return export


def _steps(rules: Sequence[_Rule]) -> Iterator[tuple[str, str]]:
    """The rules as steps from 0 bytes on: sizes between them are decided as without rules."""
    end = 0
    for rule in rules:
        if rule.least > end:
            yield f"{end} 0 0 0", "as without rules"
        yield f"{rule.least} {rule.number} {rule.fanout} {rule.segment}", rule.name
        end = rule.most + 1
    yield f"{end} 0 0 0", "as without rules"


def tuned_json(recommended: Sequence[Recommendation], facts: Facts) -> Export:
    """The rules in JSON, which Open MPI reads after 5.0; other calls it decides as without them."""
    export = Export()
    collectives = {
        collective: [
            {
                "comm_size_min": ranks,
                "comm_size_max": ranks,
                "rules": [
                    {
                        "msg_size_min": rule.least,
                        "msg_size_max": rule.most,
                        "alg": rule.name,
                        "faninout": rule.fanout,
                        "seg_size": rule.segment,
                    }
                    for rule in own
                ],
            }
            for ranks, own in by_ranks.items()
        ]
        for collective, by_ranks in _rules(recommended, facts, export).items()
    }
    whole = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    export.text = json.dumps(whole, indent=2) + "\n"
    return export


def _rules(recommended: Sequence[Recommendation], facts: Facts, export: Export) -> _Rules:
    """The recommendations as rules; `export` is told which ones cannot be rules."""
    known = facts.known()
    found: dict[str, dict[int, list[_Rule]]] = defaultdict(lambda: defaultdict(list))
    places: dict[tuple[str, int], set[Where]] = defaultdict(set)
    for each in recommended:
        places[each.collective, _ranks(each)].add(each.where)
    for each in recommended:
        ranks = _ranks(each)
        reason = UNTOLD.get(each.collective)
        if len(places[each.collective, ranks]) > 1:
            reason = f"several places with {ranks} ranks were measured, and rules know no places"
        if each.collective in UNCOUNTED and not _is_best_at_all_sizes(each, facts):
            reason = f"Open MPI does not know its bytes, and {_NOT_AT_ALL}"
        rule = None if reason else _rule(each, known, ranks)
        if isinstance(rule, _Rule):
            found[each.collective][ranks].append(rule)
            export.used += 1
        else:
            export.left_out.append(f"{_described(each)}: {reason or rule}")
    return {name: dict(sorted(own.items())) for name, own in sorted(found.items())}


def _rule(each: Recommendation, known: OwnAlgorithms, ranks: int) -> _Rule | str:
    """The rule, or why there is none."""
    name, tunables = _parsed(each.algorithm)
    own = known.get((each.collective, name))
    if own is None or own.number is None:
        return "a component of its own, which rules of coll/tuned cannot choose"
    further = sorted(tunables.keys() - {"segmentsize", "tree_fanout", "chain_fanout"})
    if further:
        return f"rules have no {', '.join(further)}"
    values = {**own.presets, **tunables}
    fanout = "chain_fanout" if each.collective in _CHAINS else "tree_fanout"
    factor = ranks if each.collective in BLOCKS else 0 if each.collective in UNCOUNTED else 1
    return _Rule(
        each.least * factor,
        int(each.most) * factor,
        name.removeprefix(FORCED),
        own.number,
        values.get(fanout, 0),
        values.get("segmentsize", 0),
    )


_NOT_AT_ALL = "this was not the best at all sizes that were measured"


def _is_best_at_all_sizes(each: Recommendation, facts: Facts) -> bool:
    """Whether an algorithm is recommended for all bytes that were measured in its place."""
    measured = facts.sizes().get((each.collective, each.where))
    return measured is not None and (each.least, each.most) == measured


def variables(recommended: Sequence[Recommendation], facts: Facts) -> Export:
    """MPICH's control variables, for a shell: one algorithm for all calls of a collective.

    So each is an algorithm that was the best at all sizes that were measured, in all places.
    """
    export = Export()
    places = facts.sizes()
    lines = []
    for collective in dict.fromkeys(each.collective for each in recommended):
        own = [each for each in recommended if each.collective == collective]
        measured = {where for name, where in places if name == collective}
        at_all_sizes = all(_is_best_at_all_sizes(each, facts) for each in own)
        is_everywhere = measured == {each.where for each in own}
        if len({each.algorithm for each in own}) == 1 and at_all_sizes and is_everywhere:
            name = collective.upper()
            algorithm = own[0].algorithm.removeprefix(FORCED)
            lines += [
                f"export MPIR_CVAR_{name}_INTRA_ALGORITHM={algorithm}",
                f"export MPIR_CVAR_{name}_DEVICE_COLLECTIVE=0",
            ]
            export.used += len(own)
            continue
        export.left_out += [
            f"{_described(each)}: a variable holds for all sizes, and {_NOT_AT_ALL}" for each in own
        ]
    export.text = "".join(f"{line}\n" for line in lines)
    return export


def selection(recommended: Sequence[Recommendation], facts: Facts) -> Export:
    """MPICH's trees of conditions, in JSON; wherever no rule holds, it selects as without them.

    The trees know the number of processes, and how many there are on a node on average.
    """
    export = Export(
        beyond="the files hold for every root, datatype, predefined operator, order of the "
        "processes and number of lanes: MPICH's trees know none of these"
    )
    places: dict[tuple[str, int, int], set[Where]] = defaultdict(set)
    for each in recommended:
        places[_seen_by_mpich(each)].add(each.where)
    rules = []
    for each in recommended:
        _, ranks, ppn = _seen_by_mpich(each)
        rule: csel.SelectionRule | str
        if each.where.virtual:
            rule = "its nodes are virtual ones, which MPICH does not know"
        elif len(places[_seen_by_mpich(each)]) > 1:
            rule = (
                f"several places with {ranks} ranks, {ppn} a node, were measured, which MPICH "
                "cannot tell apart"
            )
        elif each.collective in csel.UNSIZED and not _is_best_at_all_sizes(each, facts):
            rule = f"MPICH's tree knows no sizes of it, and {_NOT_AT_ALL}"
        else:
            algorithm = each.algorithm.removeprefix(FORCED)
            processes = each.best.key.processes
            rule = csel.rule(each.collective, algorithm, processes, each.least, int(each.most))
        if isinstance(rule, csel.SelectionRule):
            rules.append(rule)
        else:
            export.left_out.append(f"{_described(each)}: {rule}")
    export.used = len(rules)
    if rules:
        export.files = csel.files(rules, facts.trees())
    return export


def _seen_by_mpich(each: Recommendation) -> tuple[str, int, int]:
    """The facts on collective and place that MPICH's trees know."""
    return each.collective, _ranks(each), csel.ppn(each.best.key.processes)


Writer = Callable[[Sequence[Recommendation], Facts], Export]

FORMATS: Mapping[str, tuple[str, Writer]] = {
    "ompi-dynamic-rules": ("Open MPI", dynamic_rules),
    "ompi-json": ("Open MPI", tuned_json),
    "mpich-csel": ("MPICH", selection),
    "mpich-cvar": ("MPICH", variables),
}
"""The library that reads a format, and the function that writes it."""


def _ranks(each: Recommendation) -> int:
    return sum(each.best.key.processes)


def _parsed(algorithm: str) -> tuple[str, dict[str, int]]:
    """The name, and its tunables: sizes may have K, M or G."""
    name, _, rest = algorithm.partition("(")
    pairs = (word.partition("=") for word in rest.rstrip(")").split(",") if word)
    return name, {key: parse_size(value) for key, _, value in pairs}


def _described(each: Recommendation) -> str:
    return f"{each.collective} by {each.algorithm} from {each.least} to {each.most} bytes"
