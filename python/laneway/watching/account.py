# SPDX-License-Identifier: BSD-3-Clause
"""A node's account of one of its processes: all that is wanted to judge it, in JSON.

Clocks of nodes differ. So every time is an age, in seconds before the account was made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

IS_WAITED_FOR = 2.0
"""Seconds after which an operation that was tested, and has not ended, is tested no more."""


@dataclass(frozen=True)
class GroupAccount:
    """A communicator as a process knows it."""

    identity: str
    number: int
    """The number of its next collective."""
    size: int
    rank: int
    is_inter: bool
    is_alone: bool
    """Whether other processes have another identity for it."""
    is_freed: bool
    ranks: tuple[int, ...] | None
    """Ranks of its processes in MPI_COMM_WORLD; None: they are too many runs to be kept."""
    made_by: str = ""
    """The call on its parent that made it, and its number; empty: nobody knows."""


@dataclass(frozen=True)
class CallAccount:
    """A collective that a process made."""

    group: str | None
    number: int
    start: int | None
    """Which start of a persistent operation it is; None: it is none."""
    function: str
    form: str
    rule: str
    bytes: int
    root: int
    op: str
    signature: str
    thread: int
    state: str
    age: float
    seen: float | None
    """Seconds since it was waited for, or tested, last; None: never."""
    sent: tuple[int, ...] | None = None
    received: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """The collective in its form, as a program calls it."""
        match self.form:
            case "nonblocking":
                return f"i{self.function}"
            case "persistent":
                return f"{self.function}_init"
            case "start":
                return f"start of {self.function}_init"
        return self.function

    @property
    def key(self) -> tuple[str | None, int, int | None]:
        """A key that is the same in all processes whose calls belong together."""
        return self.group, self.number, self.start

    @property
    def waits(self) -> bool:
        """Whether the process is in it, or in a call that completes it."""
        tested = self.state == "polled" and self.seen is not None and self.seen < IS_WAITED_FOR
        return self.state in ("entered", "waited") or tested

    @property
    def waited(self) -> float:
        """The seconds for which the process waits in it."""
        return self.seen if self.state == "waited" and self.seen is not None else self.age


@dataclass(frozen=True)
class Inside:
    """A call, no collective, that a thread of a process is in."""

    function: str
    group: str | None
    partner: int
    tag: int
    age: float
    thread: int


@dataclass(frozen=True)
class Account:
    """A process of a job."""

    node: str
    process: int
    world: str
    rank: int
    size: int
    condition: str
    """running, stopped, dead, or ended: it has left MPI_Finalize."""
    made: int
    """How many collectives it has made."""
    processor: float
    """The share of the time, since the node looked last, that it was on a processor."""
    is_busy: bool = False
    """Whether it is on a processor, waits for one, or for a disk."""
    groups: tuple[GroupAccount, ...] = ()
    calls: tuple[CallAccount, ...] = ()
    inside: tuple[Inside, ...] = ()
    stack: tuple[str, ...] = field(default=())
    """The functions that it is in, the innermost first; empty: nobody has looked."""

    def group(self, identity: str | None) -> GroupAccount | None:
        """The group with an identity, if the process has it."""
        return next((group for group in self.groups if group.identity == identity), None)

    @property
    def key(self) -> tuple[str, int]:
        """A key that no other process of the job has."""
        return self.node, self.process

    def thread(self) -> int:
        """The thread that is in a call for the longest time, or made the latest collective."""
        inside = sorted(self.inside, key=lambda one: -one.age)
        return inside[0].thread if inside else self.calls[-1].thread if self.calls else self.process

    def waits(self) -> list[CallAccount]:
        """The calls that it waits in."""
        return [call for call in self.calls if call.waits and call.group is not None]

    def to_json(self) -> dict[str, Any]:
        """The account as an object of JSON."""
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(read: Mapping[str, Any]) -> Account:
        """The account that `to_json` has written."""
        lists = {
            "groups": tuple(GroupAccount(**_tuples(one)) for one in read["groups"]),
            "calls": tuple(CallAccount(**_tuples(one)) for one in read["calls"]),
            "inside": tuple(Inside(**one) for one in read["inside"]),
            "stack": tuple(read["stack"]),
        }
        return Account(**{**read, **lists})


def _tuples(read: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in read.items()
    }
