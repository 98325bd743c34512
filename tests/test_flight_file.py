# SPDX-License-Identifier: BSD-3-Clause
"""The files of flight recorders as a watcher reads them: `laneway.watching.file`, without a job."""

import gc
import json
import os
import struct
import subprocess
import sys
import time

import pytest

from commands import process
from jobs import BUILDS
from laneway.proc import process_state, start_time
from laneway.watching.file import FlightFile, NotReadableError
from laneway.watching.processes import Recorded

RECORDS, ROWS = 1024, 256
DONE, ENTERED = 5, 1
FUNCTIONS = json.dumps([{"name": "allreduce", "rule": "bytes"}, {"name": "gatherv", "rule": "row"}])
SECOND = 10**9


def flight_file(records, *, rows=(), version=1):
    """A file whose one communicator has four ranks; `records`: number, state and more of each."""
    parts, sections, at = [], [], 4096
    for content, length, entries in (
        (FUNCTIONS.encode(), 1, len(FUNCTIONS)),
        (b"MPI_SUM".ljust(64, b"\0") + b"MPI_INT".ljust(64, b"\0"), 64, 2),
        (communicator(len(records)), 256, 2),
        (bytes(64), 64, 1),
        (b"".join(record(at, **one) for at, one in enumerate(records)), 64, RECORDS),
        (struct.pack(f"<{len(rows)}q", *rows), 8, ROWS),
    ):
        sections += [at, length, entries]
        parts.append((at, content))
        at += length * entries
    header = struct.pack(
        "<8sII" + "QII" * 6 + "qQQiiiI256s256s128s",
        *(b"LANEWAYF", version, 4096, *sections, 0, len(records), len(rows)),
        *(os.getpid(), 2, 4, 0, b"node", b"", b"world"),
    )
    data = bytearray(at)
    for place, content in [(0, header), *parts]:
        data[place : place + len(content)] = content
    return data


def communicator(number):
    ranks = [0, 3, 1] + [0] * 45
    return struct.pack("<QQqiiII48iQII8x", 0xABC, number, 1, 4, 2, 0, 1, *ranks, 0, 0, 0)


def record(at, *, state=DONE, ago=10.0, function=0, row=0, flags=0, index=None):
    then = time.monotonic_ns() - int(ago * SECOND)
    facts = (at, 8, then, 0, 0, -1, 1, row, function, 1, 2, state, flags)
    return struct.pack("<QQqqqIiIIHHHBB", at + 1 if index is None else index, *facts)


def opened(*arguments, **more):
    return FlightFile(memoryview(flight_file(*arguments, **more)))


def calls_made(function):
    """The calls of functions, of Python and C, that a function makes."""
    made = 0

    def count(_frame, event, _function):
        nonlocal made
        made += event in {"call", "c_call"}

    gc.disable()  # others have functions that are called with each collection
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
        gc.enable()
    return made


def test_a_record_is_told_with_its_words():
    header, (group,), (call,), inside = opened([{"state": ENTERED}]).look()
    assert (header.rank, header.size, header.node, inside) == (2, 4, "node", ())
    assert (group.identity, group.rank, group.ranks) == (f"{0xABC:016x}", 2, (0, 1, 2, 3))
    assert (call.group, call.function, call.state) == (group.identity, "allreduce", "entered")
    assert (call.op, call.signature) == ("MPI_SUM", "MPI_INT")
    assert call.waited >= 10


def test_a_wait_is_found_among_all_that_is_done():
    assert opened([{} for _ in range(1000)]).longest_wait() == 0
    waits = opened([*({} for _ in range(500)), {"state": ENTERED, "ago": 70}, {}])
    assert waits.longest_wait() >= 70


def test_watching_a_process_costs_the_same_however_many_records_it_has():
    few, many = opened([{} for _ in range(10)]), opened([{} for _ in range(1000)])
    assert calls_made(many.longest_wait) == calls_made(few.longest_wait)


def test_a_look_reads_the_header_and_each_word_once():
    flight = opened([{"state": ENTERED} for _ in range(1000)])
    flight.look()
    without = opened([])
    made = calls_made(flight.look) - calls_made(without.look)
    assert made / 1000 < 20  # an account of each; with a header for each word there were 60


def test_a_record_that_is_written_meanwhile_is_left_out():
    there = opened([{}, {"index": 0, "state": ENTERED, "ago": 70}, {}]).look().calls
    assert [call.number for call in there] == [0, 2]


def test_rows_are_told_unless_they_are_written_over():
    vector = {"state": ENTERED, "function": 4, "flags": 2}
    (told,) = opened([{**vector, "row": 3}], rows=range(10)).look().calls
    assert told.received == (3, 4, 5, 6)
    (lost,) = opened([{**vector, "row": 2**32 - ROWS}], rows=range(10)).look().calls
    assert lost.received is None


@pytest.mark.parametrize(
    "data",
    [b"", bytes(8192), bytes(flight_file([], version=2))],
    ids=["empty", "zeros", "another version"],
)
def test_what_is_no_such_file_is_refused(data):
    with pytest.raises(NotReadableError):
        FlightFile(memoryview(data))


def test_a_share_of_processor_time_is_one():
    """Also where it is asked for at once: the system counts in ticks."""
    own = process_state(os.getpid())
    asked = Recorded(os.getpid(), own.started, opened([]), time.monotonic(), own.used - 0.02)
    account = asked.account()
    assert account.condition == "running"
    assert account.processor <= 1.5


def test_a_process_is_told_from_another_of_its_number():
    own = process_state(os.getpid())
    other = Recorded(os.getpid(), own.started - 1, opened([]), 0.0, 0.0)
    assert other.account().condition == "dead"
    with subprocess.Popen(["true"]) as child:
        while not process_state(child.pid).has_ended:
            time.sleep(0.01)
        assert start_time(child.pid) is None
    assert process_state(child.pid) is None


def test_exec_loads_no_watch_that_nobody_asked_for():
    said = subprocess.run(
        [sys.executable, "-c", "import laneway.commands.exec, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "laneway.commands.exec" in said
    assert not [name for name in said if name.startswith("laneway.watching")]


@pytest.mark.parametrize("build", BUILDS)
def test_a_time_limit_is_the_launchers_and_not_the_programs(build):
    words = ["exec", "--watch-before", "1s", "--", str(build.mpiexec), "-n", "1"]
    said = process(*words, "/bin/echo", "--timeout", "50")
    assert said.returncode == 2
    assert "has a time limit" in said.stderr
