# SPDX-License-Identifier: BSD-3-Clause
"""The faults of a job, by the accounts of its processes.

A process that waits in a collective waits for those that have not come to it. That is an edge from
it to each of them. A process that is waited for, and waits for nobody, is the reason. Where there
is no such process they wait in a circle. Arguments that do not match go before both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from laneway.watching import matching
from laneway.watching.account import Account, CallAccount
from laneway.watching.world import WatchFinding, World, worlds

COMPUTES = 0.5
"""The share of its time that a process must be on a processor to be one that computes."""


def judge(
    accounts: Iterable[Account], limit: float, *, is_complete: bool = True
) -> list[WatchFinding]:
    """The findings where some process has waited for `limit` seconds; none where none has.

    `is_complete`: all nodes have told of their processes.
    """
    found: list[WatchFinding] = []
    for world in worlds(accounts):
        waits = {
            rank: [] if one.condition in ("dead", "ended") else one.waits()
            for rank, one in world.items()
        }
        if any(call.waited >= limit for calls in waits.values() for call in calls):
            found += _Waits(world, waits, limit).findings()
    known = [one for one in found if one.detail.get("is") != "unknown"]
    return found if is_complete and not known else known


def mismatches(accounts: Iterable[Account]) -> list[WatchFinding]:
    """The calls that do not match, whether anybody waits or not."""
    return [finding for world in worlds(accounts) for finding in matching.mismatches(World(world))]


class _Waits(World):
    """Who waits for whom."""

    def __init__(
        self, world: dict[int, Account], waits: dict[int, list[CallAccount]], limit: float
    ) -> None:
        super().__init__(world)
        self.waits = waits
        self.limit = limit

    def findings(self) -> list[WatchFinding]:
        """All that is wrong, the reasons first."""
        wrong = [*matching.mismatches(self)]
        stuck = {
            finding.group
            for finding in wrong
            if any(
                (call.group, call.number) == (finding.group, finding.number)
                for calls in self.waits.values()
                for call in calls
            )
        }
        return wrong + [one for one in self._waiting() if one.group not in stuck]

    # ---- who waits for whom ------------------------------------------------------------------

    def _absent(self, call: CallAccount) -> list[int]:
        """The processes that have not come to a call."""
        assert call.group is not None  # noqa: S101 - of calls that somebody waits in
        having = self.groups[call.group]
        here = self.calls[call.key]
        absent = []
        for rank in self.members(call.group):
            if rank in here:
                continue
            group = having.get(rank)
            is_behind = group is None or group.number <= call.number
            if is_behind or (call.start is not None and self._starts(rank, call) <= call.start):
                absent.append(rank)
        return absent

    def _starts(self, rank: int, call: CallAccount) -> int:
        """How often a process has started a persistent operation, as far as records tell."""
        starts = [
            0 if other.start is None else other.start + 1
            for other in self.world[rank].calls
            if (other.group, other.number) == (call.group, call.number)
        ]
        # Where not even its initialisation is among the latest ones, nobody knows.
        return max(starts, default=(call.start or 0) + 1)

    def _idle(self, call: CallAccount) -> list[int]:
        """The processes that have begun a nonblocking call and do not complete it."""
        return [
            rank
            for rank, own in self.calls[call.key].items()
            if own.state in ("begun", "polled") and not own.waits
        ]

    def _waiting(self) -> Iterator[WatchFinding]:
        edges: dict[int, set[int]] = defaultdict(set)
        awaited: dict[int, list[tuple[int, CallAccount]]] = defaultdict(list)
        nobody: list[tuple[int, CallAccount]] = []
        for rank, calls in self.waits.items():
            for call in calls:
                if call.group not in self.groups:
                    continue
                others = [one for one in self._absent(call) or self._idle(call) if one != rank]
                if not others and call.waited >= self.limit:
                    nobody.append((rank, call))
                for other in others:
                    edges[rank].add(other)
                    awaited[other].append((rank, call))
        held = {
            rank
            for rank in edges
            if self.world[rank].condition == "running" and not self._has_free_thread(rank, awaited)
        }
        inside = {rank for rank, _ in nobody}
        reasons = [
            other
            for other in awaited
            if other not in held and (other not in inside or self._has_free_thread(other, awaited))
        ]
        reasons += [rank for rank in inside if self._is_gone(rank) and rank not in reasons]
        for rank in reasons:
            for_it = [(one, call) for one, call in awaited[rank] if one != rank]
            if self._is_gone(rank):
                for_it += [
                    (one, call) for one, call in nobody if rank in self.members(call.group or "")
                ]
            if for_it and max(call.waited for _, call in for_it) >= self.limit:
                yield self._reason(rank, for_it)
        rest = held - _reaching(edges, {*reasons, *inside})
        yield from self._circles(edges, rest)
        if not reasons:
            yield from self._all_inside(nobody)

    def _is_gone(self, rank: int) -> bool:
        one = self.world.get(rank)
        return one is not None and one.condition in ("stopped", "dead")

    def _has_free_thread(
        self, rank: int, awaited: dict[int, list[tuple[int, CallAccount]]]
    ) -> bool:
        """Whether others wait for a thread of it that waits for nobody."""
        waiting = {call.thread for call in self.waits[rank]}
        for _, wanted in awaited.get(rank, ()):
            before = [call for call in self.world[rank].calls if call.group == wanted.group]
            if before and before[-1].thread not in waiting:
                return True
        return False

    def _reason(self, rank: int, awaited: Sequence[tuple[int, CallAccount]]) -> WatchFinding:
        """A process that others wait for, and that itself does not wait in a collective."""
        # Others may wait further on for those, too, that wait for this one.
        first = min(
            (call for _, call in awaited),
            key=lambda call: (len(self._absent(call)), -call.waited, call.number),
        )
        assert first.group is not None  # noqa: S101 - of calls that somebody waits in
        number = first.number
        own = self.groups[first.group].get(rank)
        begun = self.calls[first.key].get(rank)
        if own is not None and begun is None and first.start is None:
            number = min(number, own.number)  # the first one that it has not come to
        name = (number != first.number and self._name(first.group, number)) or first.name
        waited = max(call.waited for _, call in awaited)
        kind, detail = self._why(rank, waited)
        if begun is not None and kind in ("missing", "slow"):
            kind = "not-completed"
        waiting = {one for one, _ in awaited}
        where = first.group, number
        return self.finding(
            kind, (rank,), name, where, waited=waited, waiting=waiting, detail=detail
        )

    def _name(self, identity: str, number: int) -> str | None:
        names = Counter(call.name for call in self.calls.get((identity, number, None), {}).values())
        return names.most_common(1)[0][0] if names else None

    def _why(self, rank: int, waited: float) -> tuple[str, dict[str, Any]]:
        """The reason why a process stays away, as far as can be seen."""
        one = self.world.get(rank)
        if one is None:
            return "missing", {"is": "unknown"}
        detail: dict[str, Any] = {"node": one.node, "process": one.process, "is": one.condition}
        calls = [call for call in one.calls if call.group in self.groups]
        if calls:
            last = calls[-1]
            detail["last"] = {"call": last.name, "number": last.number, "age": last.age}
            detail["last"]["members"] = self.members(last.group or "")
            detail["last"]["made_by"] = self.made_by(last.group or "")
        if one.stack:
            detail["stack"] = one.stack
        if one.condition in ("dead", "stopped"):
            return one.condition, detail
        if one.condition == "ended":
            return "missing", detail
        if one.inside:
            longest = max(one.inside, key=lambda inside: inside.age)
            detail["in"] = {
                "function": longest.function,
                "age": longest.age,
                "partner": longest.partner,
                "tag": longest.tag,
                "members": self.members(longest.group) if longest.group in self.groups else (),
                "made_by": self.made_by(longest.group) if longest.group in self.groups else "",
            }
        latest = min((call.age for call in one.calls), default=waited)
        detail["processor"] = one.processor
        waits_elsewhere = bool(one.inside) and detail["in"]["age"] >= self.limit
        is_busy = latest < min(self.limit, waited) / 2 or one.processor >= COMPUTES
        is_busy = is_busy or one.is_busy
        return "slow" if is_busy and not waits_elsewhere else "missing", detail

    def _circles(self, edges: dict[int, set[int]], rest: set[int]) -> Iterator[WatchFinding]:
        """Processes that wait for each other on several communicators."""
        circle = {rank for rank in rest if rank in _reached(edges, rank)}
        if not circle:
            return
        by_call: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        calls: dict[tuple[Any, ...], CallAccount] = {}
        for rank in sorted(circle):
            for call in self.waits[rank]:
                by_call[call.key].append(rank)
                calls.setdefault(call.key, call)
        waited = max(call.waited for rank in circle for call in self.waits[rank])
        if len(by_call) < 2 or waited < self.limit:
            return
        least = min(by_call, key=lambda key: (len(by_call[key]), key[0]))
        call = calls[least]
        parts = [
            {
                "ranks": tuple(ranks),
                "call": calls[key].name,
                "number": calls[key].number,
                "members": self.members(key[0]),
                "made_by": self.made_by(key[0]),
            }
            for key, ranks in by_call.items()
        ]
        where = least[0], call.number
        detail = {"waits": parts}
        yield self.finding(
            "order", by_call[least], call.name, where, waited=waited, waiting=circle, detail=detail
        )

    def _all_inside(self, nobody: Sequence[tuple[int, CallAccount]]) -> Iterator[WatchFinding]:
        """Calls that all processes have come to, with arguments that match, and that do not end."""
        by_call: dict[tuple[Any, ...], list[tuple[int, CallAccount]]] = defaultdict(list)
        for rank, call in nobody:
            by_call[call.key].append((rank, call))
        for (identity, number, _), waits in by_call.items():
            ranks = [rank for rank, _ in waits]
            waited = max(call.waited for _, call in waits)
            where = identity, number
            yield self.finding(
                "inside", ranks, waits[0][1].name, where, waited=waited, waiting=ranks, detail={}
            )


def _reached(edges: dict[int, set[int]], start: int) -> set[int]:
    """All that an edge leads to from `start`, or several."""
    found: set[int] = set()
    rest = [*edges.get(start, ())]
    while rest:
        one = rest.pop()
        if one not in found:
            found.add(one)
            rest += edges.get(one, ())
    return found


def _reaching(edges: dict[int, set[int]], ends: set[int]) -> set[int]:
    """All from which edges lead to one of `ends`."""
    back: dict[int, set[int]] = defaultdict(set)
    for one, others in edges.items():
        for other in others:
            back[other].add(one)
    return set().union(*(_reached(back, end) for end in ends)) if ends else set()
