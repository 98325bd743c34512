# SPDX-License-Identifier: BSD-3-Clause
"""A process that is late is not flooded: nobody runs ahead of it by more than a fixed amount."""

import pytest

from applications import well
from jobs import BUILDS, run

each_build = pytest.mark.parametrize("build", BUILDS)

RANKS = 5
"""The last one takes no part."""

AHEAD = 256
"""Messages that one process may send to another before that one has received the first (`Flow`)."""

ROOM = 16 << 10
"""KiB that a process's memory may grow by beyond what it grows by natively: two units from each of
three others are 3 MiB, or 768 messages; libraries take memory by the megabyte."""

SHORT = {
    "bcast": "lane_pipeline(segment=64)",
    "ibcast": "chain(segment=64)",
    "reduce": "chain(segment=64)",
    "gather": "lane_segmented(segment=64)",
}
"""Algorithms whose segments are far too short, so that libraries send them without asking."""


def flooded(program, build, collective, size, calls, tmp_path, algorithm):
    """A run of flood.c; `algorithm` None: natively."""
    settings = {"LANEWAY_ALGORITHM": f"{collective}={algorithm}"} if algorithm else {}
    return run(
        build,
        RANKS,
        [program, collective, size, calls, tmp_path / (algorithm or "native")],
        preload=[build.preload],
        timeout=300,
        LANEWAY_NODE_SIZE=2,
        **settings,
    )


def flood(program, build, collective, size, calls, tmp_path, algorithm=None):
    """Calls that a process was ahead of the late one, and KiB that the memory of one has grown."""
    outcome = flooded(program, build, collective, size, calls, tmp_path, algorithm)
    ahead, grown = map(int, well(outcome).split())
    return ahead, grown


@each_build
@pytest.mark.parametrize("collective", ["bcast", "ibcast"])
def test_a_root_is_ahead_of_a_late_process_by_a_fixed_number_of_messages(
    compiled, build, tmp_path, collective
):
    """Blocking and as a program, one message a call to each process."""
    program = compiled(build, "flood.c", with_laneway=False)
    ahead, _ = flood(program, build, collective, 8, 5000, tmp_path, "linear")
    assert ahead <= AHEAD


def grows_as_natively(program, build, collective, size, calls, tmp_path):
    _, native = flood(program, build, collective, size, calls, tmp_path)
    _, grown = flood(program, build, collective, size, calls, tmp_path, SHORT[collective])
    assert grown <= native + ROOM


@each_build
@pytest.mark.parametrize("collective", SHORT)
def test_memory_does_not_grow_with_calls_that_a_process_is_late_for(
    compiled, build, tmp_path, collective
):
    program = compiled(build, "flood.c", with_laneway=False)
    grows_as_natively(program, build, collective, 256 << 10, 40, tmp_path)


@pytest.mark.full
@each_build
@pytest.mark.parametrize("collective", ["bcast", "reduce", "gather"])
def test_nor_with_thousands_of_calls(compiled, build, tmp_path, monkeypatch, collective):
    """Of 4 MiB, in segments of 4 KiB."""
    monkeypatch.setitem(SHORT, collective, SHORT[collective].replace("64", "4K"))
    program = compiled(build, "flood.c", with_laneway=False)
    grows_as_natively(program, build, collective, 4 << 20, 2000, tmp_path)


@each_build
@pytest.mark.parametrize(("segment", "said"), [("64", 1), ("1K", 0)])
def test_segments_that_are_far_too_short_are_told_once(compiled, build, tmp_path, segment, said):
    program = compiled(build, "flood.c", with_laneway=False)
    algorithm = f"chain(segment={segment})"
    outcome = flooded(program, build, "bcast", 512 << 10, 4, tmp_path, algorithm)
    well(outcome)
    told = "laneway: chain(segment=64) cuts 524288 bytes into 8192 segments"
    assert outcome.errors.count(told) == said, outcome.told
    assert outcome.errors.count("segments, each of which") == said, outcome.told
