# SPDX-License-Identifier: BSD-3-Clause
"""The flight recorder itself: what it asks, what it writes, and that it never ends a job."""

import os
import subprocess

import pytest

from applications import well
from jobs import BUILDS, LIMIT, run
from laneway.watching.file import FlightFile

each_build = pytest.mark.parametrize("build", BUILDS)


def recording(build, compiled, *words, **environment):
    """The words that a process of its own says under the preload that records, and its errors."""
    program = compiled(build, "flight.c", "-rdynamic", with_laneway=False)
    preload = [build.flight, *([build.yielding] if build.family == "mpich" else [])]
    settings = {"LD_PRELOAD": ":".join(map(str, preload)), "LANEWAY_CLUSTER": "none"}
    return subprocess.run(
        [program, *words],
        env={**os.environ, **settings, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )


def recorded(build, compiled, folder, ranks=2):
    """The files of a job's processes."""
    folder.mkdir()
    program = compiled(build, "flight.c", "-rdynamic", with_laneway=False)
    well(run(build, ranks, [program, "rows", folder], preload=[build.flight]))
    return [FlightFile(memoryview((folder / str(rank)).read_bytes())) for rank in range(ranks)]


@each_build
def test_a_type_is_asked_about_once(compiled, build):
    said = recording(build, compiled, "types").stdout.split()
    asked = dict(zip(said[::2], said[1::2], strict=True))
    assert int(asked["first"]) > 0
    assert int(asked["later"]) == 0


@each_build
def test_handles_that_are_none_end_no_job(compiled, build):
    outcome = recording(build, compiled, "handles")
    assert outcome.stdout.split() == ["bcast", "0", "barrier", "0", "good", "1"], outcome.stderr


@each_build
def test_a_process_without_room_says_so_once(compiled, build):
    outcome = recording(build, compiled, "types", FLIGHT_NO_MEMORY="1")
    assert outcome.stderr.count("no memory for the flight recorder") == 1
    assert "later 0" in outcome.stdout


@each_build
def test_rows_and_the_name_of_the_job_are_kept(compiled, build, tmp_path):
    one, other = (recorded(build, compiled, tmp_path / name) for name in ("one", "other"))
    for rank, file in enumerate(one):
        (call,) = (call for call in file.look().calls if call.sent)
        assert call.sent == (rank + 1,) * 2
        assert call.received == (1, 2)
    of_one, of_other = ({file.header().world for file in files} for files in (one, other))
    assert len(of_one) == len(of_other) == 1
    assert of_one != of_other
    assert "" not in of_one
