# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a flight recorder's file, as src/flight/file.hpp has them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

MAGIC = b"LANEWAYF"
VERSION = 1

SECTIONS = ("functions", "words", "communicators", "threads", "records", "rows")
FORMS = ("blocking", "nonblocking", "persistent", "start")
STATES = ("", "entered", "begun", "waited", "polled", "done")
DONE = STATES.index("done")
SENT_ROW, RECEIVED_ROW = 1, 2

_FIRST = "<8sII" + "QII" * len(SECTIONS)
HEAD = struct.Struct(_FIRST + "qQQiiiI256s256s128s")
NEXT_WORD = struct.calcsize(_FIRST + "qQ")
"""Where the number of the next word of rows lies."""
COMMUNICATOR = struct.Struct("<QQqiiII48iQII8x")
MADE = struct.Struct("<16xq")
"""A communicator, as far as it says when it was made."""
THREAD = struct.Struct("<IIiiqI36x")
RECORD = struct.Struct("<QQqqqIiIIHHHBB")
WORD_OF_ROW = struct.Struct("<q")
NUMBER = struct.Struct("<Q")

LENGTHS = {"communicators": COMMUNICATOR.size, "threads": THREAD.size, "records": RECORD.size}
"""Bytes of an entry."""


class FileSection(NamedTuple):
    """A row of entries: where it begins, and how many bytes an entry has."""

    at: int
    bytes: int
    entries: int


class FileRecord(NamedTuple):
    """A record as it lies in the file."""

    place: int
    """How many collectives the process had made before, plus 1; 0: it is being written."""
    number: int
    bytes: int
    time: int
    seen: int
    communicator: int
    root: int
    thread: int
    row: int
    function: int
    op: int
    signature: int
    state: int
    flags: int


@dataclass(frozen=True)
class Header:
    """The facts of the process."""

    begun: int
    next_record: int
    process: int
    rank: int
    size: int
    ended: bool
    node: str
    job: str
    world: str


def header(data: memoryview) -> Header:
    """The header of a file as it is now."""
    begun, record, _, process, rank, size, ended, *texts = HEAD.unpack_from(data)[21:]
    node, job, world = (text(value) for value in texts)
    return Header(begun, record, process, rank, size, bool(ended), node, job, world)


def sections(data: memoryview) -> dict[str, FileSection]:
    """The sections of a file, which stay as they are."""
    values = HEAD.unpack_from(data)
    return {name: FileSection(*values[3 + 3 * at : 6 + 3 * at]) for at, name in enumerate(SECTIONS)}


def text(value: bytes) -> str:
    """A text that ends with a zero."""
    return value.split(b"\0", 1)[0].decode(errors="replace")
