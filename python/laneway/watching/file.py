# SPDX-License-Identifier: BSD-3-Clause
"""The file of a process's flight recorder, version 1: src/flight/file.hpp describes it.

It lies in memory that the process writes to meanwhile. A record is read whole or not at all.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

MAGIC = b"LANEWAYF"
VERSION = 1

_SECTION = "QII"
_HEAD = struct.Struct("<8sII" + _SECTION * 6 + "qQQiiiI256s256s128s")
_COMMUNICATOR = struct.Struct("<QQqiiII48iQII")
_THREAD = struct.Struct("<IIiiqI")
_RECORD = struct.Struct("<QQqqqIiIIHHHBB")
_INDEX = struct.Struct("<Q")
_NO_COMMUNICATOR = 4096

FORMS = ("blocking", "nonblocking", "persistent", "start")
STATES = ("", "entered", "begun", "waited", "polled", "done")
_SENT_ROW, _RECEIVED_ROW = 1, 2


class NotReadableError(Exception):
    """A file that this version of Laneway cannot read."""


class FileSection(NamedTuple):
    """A row of entries: where it begins, and how many bytes an entry has."""

    at: int
    bytes: int
    entries: int


class Communicator(NamedTuple):
    """A communicator as its process knows it."""

    identity: int
    number: int
    """The number of its next collective."""
    made: int
    size: int
    rank: int
    is_inter: bool
    is_alone: bool
    """Whether other processes have another identity for it."""
    is_freed: bool
    ranks: tuple[int, ...] | None
    """Ranks of its processes in MPI_COMM_WORLD; None: they are too many runs to be kept."""
    made_by: str
    """The call on its parent that made it, and its number; empty: nobody knows."""


class Being(NamedTuple):
    """A call that a thread is in, and that is no collective."""

    function: str
    communicator: int | None
    partner: int
    tag: int
    time: int
    thread: int


class Record(NamedTuple):
    """A collective of the process."""

    place: int
    """How many collectives the process had made before."""
    number: int
    start: int | None
    """Which start of a persistent operation it is; None: it is none."""
    function: str
    form: str
    rule: str
    bytes: int
    time: int
    seen: int
    communicator: int | None
    root: int
    op: str
    signature: str
    thread: int
    state: str
    sent: tuple[int, ...] | None
    received: tuple[int, ...] | None


@dataclass(frozen=True)
class Header:
    """The facts of the process."""

    sections: Mapping[str, FileSection]
    begun: int
    next_record: int
    next_word: int
    process: int
    rank: int
    size: int
    ended: bool
    node: str
    job: str
    world: str


class FlightFile:
    """A recorder's file in a buffer: a mapping of it, or its bytes."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        if len(data) < _HEAD.size or bytes(data[:8]) != MAGIC:
            raise NotReadableError("no file of a flight recorder")
        version = int.from_bytes(data[8:12], "little")
        if version != VERSION:
            raise NotReadableError(f"a flight recorder of version {version}, not {VERSION}")

    def header(self) -> Header:
        """The header as it is now."""
        values = _HEAD.unpack_from(self._data)
        names = ("functions", "words", "communicators", "threads", "records", "rows")
        sections = {
            name: FileSection(*values[3 + 3 * at : 6 + 3 * at]) for at, name in enumerate(names)
        }
        begun, record, word, process, rank, size, ended, node, job, world = values[21:]
        node, job, world = (_text(value) for value in (node, job, world))
        return Header(
            sections, begun, record, word, process, rank, size, bool(ended), node, job, world
        )

    @cached_property
    def functions(self) -> list[dict[str, str]]:
        """Names and rules of the functions, by number."""
        at, _, length = self.header().sections["functions"]
        return list(json.loads(bytes(self._data[at : at + length])))

    def _word(self, number: int) -> str:
        if number == 0:
            return ""
        if number >= 0x8000:
            return f"types {number:x}"
        at, length, _ = self.header().sections["words"]
        place = at + (number - 1) * length
        return _text(bytes(self._data[place : place + length]))

    def communicators(self) -> dict[int, Communicator]:
        """The communicators by their entries."""
        at, length, entries = self.header().sections["communicators"]
        found = {}
        for entry in range(entries):
            values = _COMMUNICATOR.unpack_from(self._data, at + entry * length)
            identity, number, made, size, rank, flags, runs, *ranks, which, by, _ = values
            if made == 0:
                break
            if identity:
                is_inter, is_alone, is_freed = (bool(flags & bit) for bit in (1, 2, 4))
                found[entry] = Communicator(
                    identity,
                    number,
                    made,
                    size,
                    rank,
                    is_inter,
                    is_alone,
                    is_freed,
                    _ranks(runs, ranks),
                    f"{self.functions[by - 1]['name']} no. {which}" if by else "",
                )
        return found

    def beings(self) -> Iterator[Being]:
        """The calls that threads are in, besides collectives."""
        at, length, entries = self.header().sections["threads"]
        for entry in range(entries):
            function, comm, partner, tag, time, thread = _THREAD.unpack_from(
                self._data, at + entry * length
            )
            if thread and function:
                name = self.functions[(function - 1) // 4]["name"]
                where = None if comm == _NO_COMMUNICATOR else comm
                yield Being(name, where, partner, tag, time, thread)

    def records(self, communicators: Mapping[int, Communicator]) -> Iterator[Record]:
        """The records that are there, the oldest first."""
        header = self.header()
        at, length, entries = header.sections["records"]
        for index in range(max(0, header.next_record - entries), header.next_record):
            place = at + index % entries * length
            record = bytes(self._data[place : place + length])
            # The index of a record is taken away first, and comes last.
            is_whole = _INDEX.unpack_from(self._data, place)[0] == index + 1
            if is_whole and _INDEX.unpack_from(record)[0] == index + 1:
                yield self._record(record, communicators, header)

    def _record(
        self, record: bytes, communicators: Mapping[int, Communicator], header: Header
    ) -> Record:
        index, number, size, time, seen, *rest = _RECORD.unpack(record)
        comm, root, thread, row, function, op, signature, state, flags = rest
        described, form = self.functions[function // 4], FORMS[function % 4]
        known = communicators.get(comm)
        sent = received = None
        if known is not None and known.made > time:  # the entry is another communicator's by now
            known = None
        length = known.size if known else 0
        if flags & _SENT_ROW:
            sent = self._row(row, length, header)
        if flags & _RECEIVED_ROW:
            received = self._row(row + (length if flags & _SENT_ROW else 0), length, header)
        return Record(
            index - 1,
            number,
            row if form == "start" else None,
            described["name"],
            form,
            described["rule"],
            size,
            time,
            seen,
            comm if known else None,
            root,
            self._word(op),
            self._word(signature),
            thread,
            STATES[state],
            sent,
            received,
        )

    def _row(self, first: int, length: int, header: Header) -> tuple[int, ...] | None:
        """The row that begins at a word, whose number is known modulo 2^32."""
        at, _, entries = header.sections["rows"]
        if not 0 < (header.next_word - first) % 2**32 <= entries:
            return None  # it has been written over
        words = struct.Struct("<q")
        return tuple(
            words.unpack_from(self._data, at + (first + rank) % entries * 8)[0]
            for rank in range(length)
        )


def _text(value: bytes) -> str:
    return value.split(b"\0", 1)[0].decode(errors="replace")


def _ranks(runs: int, ranks: list[int]) -> tuple[int, ...] | None:
    if runs * 3 > len(ranks):
        return None
    found: list[int] = []
    for first, last, step in zip(*(ranks[at : 3 * runs : 3] for at in range(3)), strict=True):
        found += range(first, last + 1, max(step, 1))
    return tuple(found)
