# SPDX-License-Identifier: BSD-3-Clause
"""A node's account of one of its processes: all that is wanted to judge it, in JSON.

Clocks of nodes differ. So every time is an age, in seconds before the account was made.
"""

from __future__ import annotations

import dataclasses
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from laneway.watching.file import Being, Communicator, FlightFile, Record

LATEST = 64
"""Records of a communicator that an account has, besides those that have not ended."""

_LONG = 64
"""Blocks of a row that is left out once its call is done."""

IS_WAITED_FOR = 2.0
"""Seconds after which an operation that was tested, and has not ended, is tested no more."""


@dataclass(frozen=True)
class GroupAccount:
    """A communicator as a process knows it."""

    identity: str
    number: int
    size: int
    rank: int
    is_inter: bool
    is_alone: bool
    is_freed: bool
    ranks: tuple[int, ...] | None
    made_by: str = ""
    """The call on its parent that made it."""


@dataclass(frozen=True)
class CallAccount:
    """A collective that a process made."""

    group: str | None
    number: int
    start: int | None
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


def now() -> int:
    """The clock of the recorders of this node."""
    return time.monotonic_ns()


def account(
    flight: FlightFile,
    process: int,
    condition: str,
    processor: float,
    stack: Iterable[str] = (),
    *,
    is_busy: bool = False,
) -> Account:
    """The account of a process whose recorder's file is there."""
    at = now()
    communicators = flight.communicators()
    records = list(flight.records(communicators))
    header = flight.header()
    return Account(
        header.node,
        process,
        header.world,
        header.rank,
        header.size,
        "ended" if header.ended else condition,
        header.next_record,
        processor,
        is_busy,
        tuple(_group(one) for one in communicators.values()),
        tuple(_call(one, communicators, at) for one in _wanted(records)),
        tuple(_inside(one, communicators, at) for one in flight.beings()),
        tuple(stack),
    )


def longest_wait(flight: FlightFile) -> float:
    """The seconds for which the process waits in a collective; 0 where it does not."""
    at, communicators = now(), flight.communicators()
    records = list(flight.records(communicators))
    calls = (_call(one, communicators, at) for one in records if one.state != "done")
    return max((call.waited for call in calls if call.waits and call.group), default=0.0)


def _wanted(records: list[Record]) -> list[Record]:
    """The latest ones of each communicator, and all that have not ended."""
    by_communicator: dict[int | None, list[Record]] = defaultdict(list)
    for record in records:
        by_communicator[record.communicator].append(record)
    latest = {one.place for of in by_communicator.values() for one in of[-LATEST:]}
    return [one for one in records if one.place in latest or one.state != "done"]


def _identity(entry: int | None, communicators: Mapping[int, Communicator]) -> str | None:
    known = communicators.get(entry) if entry is not None else None
    return f"{known.identity:016x}" if known else None


def _group(one: Communicator) -> GroupAccount:
    return GroupAccount(
        f"{one.identity:016x}",
        one.number,
        one.size,
        one.rank,
        one.is_inter,
        one.is_alone,
        one.is_freed,
        one.ranks,
        one.made_by,
    )


def _row(one: Record, row: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """A row, where it is short or somebody waits."""
    return row if row is None or len(row) <= _LONG or one.state != "done" else None


def _call(one: Record, communicators: Mapping[int, Communicator], at: int) -> CallAccount:
    return CallAccount(
        _identity(one.communicator, communicators),
        one.number,
        one.start,
        one.function,
        one.form,
        one.rule,
        one.bytes,
        one.root,
        one.op,
        one.signature,
        one.thread,
        one.state,
        _seconds(at - one.time),
        _seconds(at - one.seen) if one.seen else None,
        _row(one, one.sent),
        _row(one, one.received),
    )


def _inside(one: Being, communicators: Mapping[int, Communicator], at: int) -> Inside:
    return Inside(
        one.function,
        _identity(one.communicator, communicators),
        one.partner,
        one.tag,
        _seconds(at - one.time),
        one.thread,
    )


def _seconds(nanoseconds: int) -> float:
    return round(max(nanoseconds, 0) / 1e9, 3)
