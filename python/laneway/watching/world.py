# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a job as those that judge look at them, and what they find."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from laneway.watching.account import Account, CallAccount, GroupAccount


@dataclass(frozen=True)
class WatchFinding:
    """Something that is wrong, or slow."""

    kind: str
    """missing, slow, dead, stopped, different-collectives, different-roots, different-counts,
    different-types, different-operators, order, not-completed or inside."""
    ranks: tuple[int, ...]
    """The processes that are the reason, by their ranks in MPI_COMM_WORLD."""
    call: str
    """The collective that they do not come to, or that does not match."""
    number: int
    group: str
    """The identity of its communicator."""
    members: tuple[int, ...]
    """The ranks of that communicator in MPI_COMM_WORLD."""
    made_by: str
    """The call that made that communicator; empty: it is MPI_COMM_WORLD."""
    waited: float
    """Seconds for which another process has waited."""
    waiting: tuple[int, ...] = ()
    detail: dict[str, Any] = field(default_factory=dict)
    """All else that is to be told: see telling.py."""

    @property
    def key(self) -> tuple[str, tuple[int, ...], str, int]:
        """A key that is the same where the same is found again."""
        return self.kind, self.ranks, self.group, self.number


def worlds(accounts: Iterable[Account]) -> list[dict[int, Account]]:
    """The processes that share an MPI_COMM_WORLD, by their ranks in it.

    A process that has made no collective knows its rank from the launcher, and no size.
    """
    found: dict[tuple[str, int], dict[int, Account]] = defaultdict(dict)
    for one in sorted(accounts, key=lambda one: -one.size):
        if one.rank < 0:
            continue
        if one.size > 0:
            found[one.world, one.size][one.rank] = one
            continue
        for (world, size), known in found.items():
            if world == one.world and one.rank < size:
                known.setdefault(one.rank, one)
    return list(found.values())


class World:
    """The processes that share an MPI_COMM_WORLD, by communicators and by calls."""

    def __init__(self, world: dict[int, Account]) -> None:
        self.world = world
        self.groups: dict[str, dict[int, GroupAccount]] = defaultdict(dict)
        for rank, one in world.items():
            for group in one.groups:
                if not group.is_alone:
                    self.groups[group.identity][rank] = group
        self.calls: dict[tuple[Any, ...], dict[int, CallAccount]] = defaultdict(dict)
        for rank, one in world.items():
            for call in one.calls:
                if call.group in self.groups:
                    self.calls[call.key][rank] = call

    def members(self, identity: str) -> tuple[int, ...]:
        """The ranks of a communicator's processes, as far as they are known."""
        having = self.groups[identity]
        for group in having.values():
            if group.ranks is not None:
                return group.ranks
        return tuple(sorted(having))

    def made_by(self, identity: str) -> str:
        """The call that made a communicator; empty: it is MPI_COMM_WORLD."""
        return next(iter(self.groups[identity].values())).made_by

    def finding(
        self,
        kind: str,
        ranks: Iterable[int],
        call: str,
        where: tuple[str, int],
        *,
        waited: float,
        waiting: Iterable[int],
        detail: Mapping[str, Any],
    ) -> WatchFinding:
        """A finding on a call. `where`: the identity of its communicator, and its number there."""
        identity, number = where
        return WatchFinding(
            kind,
            tuple(ranks),
            call,
            number,
            identity,
            self.members(identity),
            self.made_by(identity),
            waited,
            tuple(sorted(waiting)),
            dict(detail),
        )

    def is_inter(self, identity: str) -> bool:
        """Whether a communicator has two groups."""
        return any(group.is_inter for group in self.groups[identity].values())
