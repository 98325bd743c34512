# SPDX-License-Identifier: BSD-3-Clause
"""Calls whose processes do not agree: collectives, roots, counts, operators, types, rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from laneway.watching.account import CallAccount
from laneway.watching.types import kind_of_type
from laneway.watching.world import WatchFinding, World

_SMALL = 64
"""Processes whose rows are all compared, pair by pair, whether anybody waits or not."""


class _Differing(NamedTuple):
    """A kind of fault, the ranks whose it is, and values that show it."""

    kind: str
    ranks: list[int]
    values: dict[int, Any]


def mismatches(world: World) -> Iterator[WatchFinding]:
    """The calls that do not match, whether anybody waits or not."""
    broken: set[str] = set()  # the calls after that belong together no more
    order = sorted(world.calls, key=lambda key: (str(key[0]), key[1], key[2] or 0))
    for identity, number, start in order:
        calls = world.calls[identity, number, start]
        if identity in broken or len(calls) < 2 or start is not None:
            continue
        differing = _of_arguments(world, identity, calls) or _of_rows(world, identity, calls)
        if differing is not None:
            yield _finding(world, identity, number, differing)
            if differing.kind == "different-collectives":
                broken.add(identity)


def _finding(world: World, identity: str, number: int, differing: _Differing) -> WatchFinding:
    calls = world.calls[identity, number, None]
    usual = [rank for rank in calls if rank not in differing.ranks]
    name = Counter(calls[rank].name for rank in usual or calls).most_common(1)[0][0]
    waits = {rank: call.waited for rank, call in calls.items() if call.waits}
    return world.finding(
        differing.kind,
        sorted(differing.ranks),
        name,
        (identity, number),
        waited=max(waits.values(), default=0.0),
        waiting=waits,
        detail={"values": differing.values},
    )


_Check = tuple[str, Callable[[CallAccount], Any]]

_NAME: _Check = ("different-collectives", lambda call: call.name)
_CHECKS: tuple[_Check, ...] = (
    _NAME,
    ("different-roots", lambda call: call.root),
    (
        "different-counts",
        lambda call: call.bytes if call.rule == "bytes" and call.bytes >= 0 else None,
    ),
    ("different-counts", lambda call: call.received if call.rule == "row" else None),
    ("different-operators", lambda call: call.op or None),
    ("different-types", lambda call: kind_of_type(call.signature)),
)
"""All that processes of a call have alike; None: a process has nothing to say."""


def _of_arguments(world: World, identity: str, calls: dict[int, CallAccount]) -> _Differing | None:
    for kind, what in (_NAME,) if world.is_inter(identity) else _CHECKS:
        values = {rank: value for rank, call in calls.items() if (value := what(call)) is not None}
        counts = Counter(values.values()).most_common()
        if len(counts) > 1:
            return _Differing(kind, *_unusual(values, counts))
    return None


def _unusual(
    values: dict[int, Any], counts: list[tuple[Any, int]]
) -> tuple[list[int], dict[int, Any]]:
    """The ranks that differ from what most have, and a value of either side; all where none has."""
    usual = counts[0][0]
    is_usual = counts[0][1] > counts[1][1]
    ranks = [rank for rank, value in values.items() if value != usual or not is_usual]
    example = {rank: values[rank] for rank in ranks[:4]}
    if is_usual:
        example[next(rank for rank, value in values.items() if value == usual)] = usual
    return ranks, example


def _of_rows(world: World, identity: str, calls: dict[int, CallAccount]) -> _Differing | None:
    """Vector collectives: a row that one process has, and blocks that others have of it."""
    members = world.members(identity)
    is_whole = all(group.size == len(members) for group in world.groups[identity].values())
    if world.is_inter(identity) or not is_whole:
        return None
    place = {rank: at for at, rank in enumerate(members)}
    rule = next(iter(calls.values())).rule
    wrong: dict[int, dict[int, Any]] = {}
    if rule in ("scattered", "gathered"):
        wrong = _of_root(rule, calls, place)
    elif rule == "exchanged":
        wrong = _of_pairs(calls, place)
    blamed = _blamed(wrong)
    return _Differing("different-counts", blamed, wrong[blamed[0]]) if blamed else None


def _of_root(
    rule: str, calls: dict[int, CallAccount], place: dict[int, int]
) -> dict[int, dict[int, Any]]:
    """The processes whose block is not as long as the root's row says, with both lengths."""
    for root, call in calls.items():
        row = call.sent if rule == "scattered" else call.received
        if row is not None and place[root] == call.root:
            return {
                rank: {rank: own.bytes, root: row[place[rank]]}
                for rank, own in calls.items()
                if rank != root and own.bytes >= 0 and row[place[rank]] != own.bytes
            }
    return {}


def _of_pairs(calls: dict[int, CallAccount], place: dict[int, int]) -> dict[int, dict[int, Any]]:
    """The processes of which some block is not as long as its receiver expects."""
    if len(place) > _SMALL and not any(call.waits for call in calls.values()):
        return {}
    wrong = {}
    for rank, own in calls.items():
        for other, its in calls.items():
            if own.sent is None or its.received is None:
                continue
            sent, wanted = own.sent[place[other]], its.received[place[rank]]
            if sent != wanted:
                wrong[rank] = {rank: sent, other: wanted}
    return wrong


def _blamed(wrong: dict[int, dict[int, Any]]) -> list[int]:
    """Who is in most of the pairs that do not match."""
    times = Counter(rank for pair in wrong.values() for rank in pair)
    if not times:
        return []
    most = max(times.values())
    of_all = [rank for rank, count in times.items() if count == most]
    return sorted(rank for rank in of_all if rank in wrong) or sorted(wrong)
