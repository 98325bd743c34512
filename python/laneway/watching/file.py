# SPDX-License-Identifier: BSD-3-Clause
"""The file of a process's flight recorder, version 1: src/flight/file.hpp describes it.

It lies in memory that the process writes to meanwhile. A record is read whole or not at all. Parts
that stay as they are (sections, functions, words) are read once.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from laneway.watching import file_layout as layout
from laneway.watching.account import CallAccount, GroupAccount, Inside
from laneway.watching.file_layout import DONE, FORMS, RECORD, STATES, FileRecord, Header

LATEST = 64
"""Records of a communicator that are told, besides those that have not ended."""

_LONG = 64
"""Blocks of a row that is left out once its call is done."""


class NotReadableError(Exception):
    """A file that this version of Laneway cannot read."""


class _Communicator(NamedTuple):
    """A communicator, and when it came into its entry, which others have had before."""

    group: GroupAccount
    made: int


class Look(NamedTuple):
    """The things that a process has told at one moment."""

    header: Header
    groups: tuple[GroupAccount, ...]
    calls: tuple[CallAccount, ...]
    inside: tuple[Inside, ...]


class FlightFile:
    """A recorder's file in a buffer: a mapping of it, or its bytes."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        if len(data) < layout.HEAD.size or bytes(data[:8]) != layout.MAGIC:
            raise NotReadableError("no file of a flight recorder")
        version = int.from_bytes(data[8:12], "little")
        if version != layout.VERSION:
            raise NotReadableError(f"a flight recorder of version {version}, not {layout.VERSION}")
        self._sections = layout.sections(data)
        if any(self._sections[name].bytes != size for name, size in layout.LENGTHS.items()):
            raise NotReadableError("a flight recorder whose entries have other lengths")
        self._words: dict[int, str] = {}

    def header(self) -> Header:
        """The header as it is now."""
        return layout.header(self._data)

    def look(self) -> Look:
        """All that the process tells now: each part of the file is read once."""
        now = _now()
        communicators = dict(self._communicators())
        calls = tuple(
            self._call(one, _own(one, communicators.get(one.communicator)), now)
            for one in _wanted(self._records())
        )
        inside = tuple(self._inside(communicators, now))
        groups = tuple(one.group for one in communicators.values())
        return Look(self.header(), groups, calls, inside)

    def longest_wait(self) -> float:
        """The seconds for which the process waits in a collective; 0 where it does not."""
        now = _now()
        waits = [0.0]
        for one in self._records():
            if one[12] == DONE:  # by its place: this goes through all of them again and again
                continue
            record = FileRecord._make(one)
            known = _own(record, self._communicator(record.communicator))
            call = self._call(record, known, now)
            if call.waits and call.group is not None:
                waits.append(call.waited)
        return max(waits)

    @cached_property
    def functions(self) -> list[dict[str, str]]:
        """Names and rules of the functions, by number."""
        at, _, length = self._sections["functions"]
        return list(json.loads(bytes(self._data[at : at + length])))

    def _word(self, number: int) -> str:
        if number == 0:
            return ""
        if number >= 0x8000:
            return f"types {number:x}"
        if number not in self._words:
            at, length, _ = self._sections["words"]
            place = at + (number - 1) * length
            self._words[number] = layout.text(bytes(self._data[place : place + length]))
        return self._words[number]

    def _communicators(self) -> Iterator[tuple[int, _Communicator]]:
        """The communicators by their entries."""
        at, length, entries = self._sections["communicators"]
        for entry in range(entries):
            if layout.MADE.unpack_from(self._data, at + entry * length)[0] == 0:
                return
            if (found := self._communicator(entry)) is not None:
                yield entry, found

    def _communicator(self, entry: int) -> _Communicator | None:
        """The communicator in an entry; None: there is none."""
        at, length, entries = self._sections["communicators"]
        if entry >= entries:
            return None
        values = layout.COMMUNICATOR.unpack_from(self._data, at + entry * length)
        identity, number, made, size, rank, flags, runs, *ranks, which, by, _ = values
        if not (identity and made):
            return None
        group = GroupAccount(
            f"{identity:016x}",
            number,
            size,
            rank,
            bool(flags & 1),
            bool(flags & 2),
            bool(flags & 4),
            _ranks(runs, ranks),
            f"{self.functions[by - 1]['name']} no. {which}" if by else "",
        )
        return _Communicator(group, made)

    def _inside(self, communicators: Mapping[int, _Communicator], now: int) -> Iterator[Inside]:
        """The calls that threads are in, besides collectives."""
        for one in layout.THREAD.iter_unpack(self._section("threads")):
            function, comm, partner, tag, begun, thread = one
            if thread and function:
                name = self.functions[(function - 1) // 4]["name"]
                known = communicators.get(comm)
                where = known.group.identity if known else None
                yield Inside(name, where, partner, tag, _seconds(now - begun), thread)

    def _section(self, name: str) -> bytes:
        at, length, entries = self._sections[name]
        return bytes(self._data[at : at + length * entries])

    def _records(self) -> list[tuple[int, ...]]:
        """The records that are there, as `FileRecord` has their parts, the oldest first."""
        copy = self._section("records")
        _, length, _ = self._sections["records"]
        # The index of a record is taken away first, and comes last: it is the same before and after
        # a copy that is whole.
        indices = memoryview(self._section("records")).cast("Q")
        after = indices[:: length // layout.NUMBER.size]
        there = [
            one
            for one, index in zip(RECORD.iter_unpack(copy), after, strict=True)
            if one[0] == index != 0
        ]
        there.sort()
        return there

    def _call(self, one: FileRecord, known: _Communicator | None, now: int) -> CallAccount:
        described, form = self.functions[one.function // 4], FORMS[one.function % 4]
        size = known.group.size if known else 0
        sent = received = None
        if size <= _LONG or one.state != DONE:
            if one.flags & layout.SENT_ROW:
                sent = self._row(one.row, size)
            if one.flags & layout.RECEIVED_ROW:
                received = self._row(one.row + (size if one.flags & layout.SENT_ROW else 0), size)
        return CallAccount(
            known.group.identity if known else None,
            one.number,
            one.row if form == "start" else None,
            described["name"],
            form,
            described["rule"],
            one.bytes,
            one.root,
            self._word(one.op),
            self._word(one.signature),
            one.thread,
            STATES[one.state],
            _seconds(now - one.time),
            _seconds(now - one.seen) if one.seen else None,
            sent,
            received,
        )

    def _row(self, first: int, length: int) -> tuple[int, ...] | None:
        """The row that begins at a word, whose number is known modulo 2^32."""
        at, _, entries = self._sections["rows"]
        row = tuple(
            layout.WORD_OF_ROW.unpack_from(self._data, at + (first + rank) % entries * 8)[0]
            for rank in range(length)
        )
        (next_word,) = layout.NUMBER.unpack_from(self._data, layout.NEXT_WORD)
        is_there = 0 < (next_word - first) % 2**32 <= entries
        return row if is_there else None  # it may have been written over meanwhile


def _now() -> int:
    """The clock of the recorders of this node."""
    return time.monotonic_ns()


def _own(one: FileRecord, known: _Communicator | None) -> _Communicator | None:
    """The communicator of a record; None where its entry is another one's by now."""
    return known if known is not None and known.made <= one.time else None


def _wanted(records: Iterable[tuple[int, ...]]) -> list[FileRecord]:
    """The latest ones of each communicator, and all that have not ended."""
    there = [FileRecord._make(one) for one in records]
    by_communicator: dict[int, list[int]] = defaultdict(list)
    for one in there:
        by_communicator[one.communicator].append(one.place)
    latest = {index for of in by_communicator.values() for index in of[-LATEST:]}
    return [one for one in there if one.place in latest or one.state != DONE]


def _seconds(nanoseconds: int) -> float:
    return round(max(nanoseconds, 0) / 1e9, 3)


def _ranks(runs: int, ranks: list[int]) -> tuple[int, ...] | None:
    if runs * 3 > len(ranks):
        return None
    found: list[int] = []
    for first, last, step in zip(*(ranks[at : 3 * runs : 3] for at in range(3)), strict=True):
        found += range(first, last + 1, max(step, 1))
    return tuple(found)
