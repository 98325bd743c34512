# SPDX-License-Identifier: BSD-3-Clause
"""Real programs under `laneway exec` give the answers that they give natively, and leave nothing.

RUNS=20 repeats each; every outcome is a line of build/programs/outcomes.jsonl, from which
`python tests/unmodified.py` makes the table of docs/programs.md.
"""

import json
import os
import time
from collections import Counter

import pytest

import unmodified
from jobs import BUILDS
from real_programs import FETCHED, PROGRAMS, MissingProgramError, Program

RUNS = int(os.environ.get("RUNS", "1"))


def trial(program: Program, build, way, folder) -> unmodified.Trial:
    """A run that must end well; skips where the program is not there."""
    try:
        done = unmodified.trial(program, build, way, folder)
    except MissingProgramError as missing:
        pytest.skip(str(missing))
    except TimeoutError:
        pytest.fail(f"{program.name} hangs under {way or 'its own library'}")
    assert done.code == 0, done.said[-4000:]
    assert done.answer, done.said[-4000:]
    assert not done.left, f"left behind: {done.left}"
    return done


@pytest.fixture(scope="session")
def natively(tmp_path_factory):
    """`natively(program, build)`: what a program answers without Laneway, asked once."""
    known = {}

    def answer(program, build):
        key = (program.name, build.id)
        if key not in known:
            known[key] = trial(program, build, None, tmp_path_factory.mktemp("native")).answer
        return known[key]

    return answer


def entry(program: Program, way: str):
    """Parameters of a test; only the quickest program is part of `make test`."""
    marks = [] if program.name == "LAMMPS" else [pytest.mark.full]
    return pytest.param(program, way, id=f"{program.name}-{way}".replace(" ", "-"), marks=marks)


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("program", "way"), [entry(program, way) for program in PROGRAMS for way in program.ways]
)
@pytest.mark.parametrize("build", BUILDS)
def test_a_program_answers_as_natively(build, program, way, natively, tmp_path):
    expected = natively(program, build)
    calls: Counter[str] = Counter()
    started = time.monotonic()
    for run in range(RUNS):
        done = trial(program, build, way, tmp_path / str(run))
        told = unmodified.differences(expected, done.answer, program.tolerance)
        assert not told, f"run {run}: {told}\n{done.said[-4000:]}"
        assert way in unmodified.WAYS or done.calls[way] or not done.calls, done.calls
        calls.update(done.calls)
    outcome = {
        "program": program.name,
        "library": build.library,
        "algorithm": way,
        "ranks": program.ranks,
        "runs": RUNS,
        "values": len(expected),
        "seconds": round(time.monotonic() - started, 1),
        "calls": calls,
    }
    FETCHED.mkdir(parents=True, exist_ok=True)
    with (FETCHED / "outcomes.jsonl").open("a") as outcomes:
        outcomes.write(json.dumps(outcome) + "\n")
