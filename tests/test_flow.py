# SPDX-License-Identifier: BSD-3-Clause
"""A process that is late is not flooded: nobody runs ahead of it by more than a fixed amount."""

import pytest

from applications import well
from jobs import BUILDS, run

each_build = pytest.mark.parametrize("build", BUILDS)

RANKS = 5
"""Ranks, of which the last one takes no part."""

AHEAD = 256
"""Messages that one process may send to another before that one has received the first (`Flow`)."""

ROOM = 8 << 10
"""KiB that a process's memory may grow by beyond what it grows by natively. Two units from each of
three others are 3 MiB, or 768 messages; libraries take memory by the megabyte."""

SHORT = {
    "bcast": "lane_pipeline(segment=1K)",
    "ibcast": "chain(segment=1K)",
    "reduce": "chain(segment=1K)",
    "gather": "lane_segmented(segment=1K)",
}
"""Algorithms with segments that libraries send without asking the receiver."""


@pytest.fixture
def flood(compiled, build, tmp_path):
    """`flood(collective, size, calls, algorithm)`: a run of flood.c; natively without the last.

    It says nothing before it ends.
    """
    program = compiled(build, "flood.c", with_laneway=False)

    def flood(collective, size, calls, algorithm=None, **limit):
        return run(
            build,
            RANKS,
            [program, collective, size, calls, tmp_path / (algorithm or "native")],
            preload=[build.preload],
            LANEWAY_ALGORITHM=f"{collective}={algorithm or 'native'}",
            LANEWAY_NODE_SIZE=2,
            **limit,
        )

    return flood


def ahead(outcome):
    """By how many calls a process was ahead of the late one."""
    return int(well(outcome).split()[0])


def grown(outcome):
    """KiB that the memory of a process has grown by."""
    return int(well(outcome).split()[1])


@each_build
@pytest.mark.parametrize("collective", ["bcast", "ibcast"])
def test_a_root_is_ahead_of_a_late_process_by_a_fixed_number_of_messages(flood, collective):
    """Blocking and as a program, one message a call to each process."""
    assert ahead(flood(collective, 8, 5000, "linear")) <= AHEAD


@each_build
@pytest.mark.parametrize("collective", SHORT)
def test_memory_does_not_grow_with_calls_that_a_process_is_late_for(flood, collective):
    call = collective, 256 << 10 if collective == "gather" else 1 << 20, 16
    assert grown(flood(*call, SHORT[collective])) <= grown(flood(*call)) + ROOM


@pytest.mark.full
@pytest.mark.xdist_group("thousands of calls")
@each_build
@pytest.mark.parametrize("collective", ["bcast", "reduce", "gather"])
def test_nor_with_thousands_of_calls(flood, collective):
    """The calls are of 4 MiB, in segments of 4 KiB."""
    call = collective, 4 << 20, 2000
    algorithm = SHORT[collective].replace("1K", "4K")
    ours, native = (grown(flood(*call, way, timeout=850)) for way in (algorithm, None))
    assert ours <= native + ROOM


@each_build
@pytest.mark.parametrize(("segment", "said"), [("64", 1), ("1K", 0)])
def test_segments_that_are_far_too_short_are_told_once(flood, segment, said):
    outcome = flood("bcast", 512 << 10, 4, f"chain(segment={segment})")
    well(outcome)
    told = "laneway: chain(segment=64) cuts 524288 bytes into 8192 segments"
    assert outcome.errors.count(told) == said, outcome.told
    assert outcome.errors.count("segments, each of which") == said, outcome.told


@each_build
def test_freeing_a_communicator_waits_for_nobody(compiled, build):
    """Copies that nobody has received yet are kept for as long as it takes."""
    program = compiled(build, "left_behind.c", with_laneway=False)
    outcome = run(
        build,
        3,
        [program],
        preload=[build.preload],
        LANEWAY_ALGORITHM="bcast=binomial",
        LANEWAY_NODE_SIZE=1,
    )
    assert well(outcome) == "right"
