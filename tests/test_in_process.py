# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm on machines of any shape, without mpirun (tests/in_process).

All ranks' programs are recorded and carried out in one process, in an order that a seed decides.
`LANEWAY_TEST_SEED` asks for another draw.
"""

import os
import re
import subprocess

import pytest

from jobs import BUILDS, ONE_BUILD, check_program
from laneway.libraries import native

SEED = os.environ.get("LANEWAY_TEST_SEED", "1")

WRONG = {
    "allgather/overlapping_buffers": "memory that a message under way",
    "allreduce/wrong_order": "wrong from element",
    "alltoall/waits_in_a_circle": "a deadlock; these are waited for:",
    "barrier/tells_twice": "a deadlock|nobody receives",
    "bcast/lost_wait": "memory that a message under way|wrong from element",
    "bcast/off_by_one_segment": "wrong from element",
    "bcast/shares_temporaries": "memory that a message under way",
    "bcast/wrong_peer": "a deadlock|nobody receives",
    "gather/another_length": "bytes come where",
    "reduce/writes_to_its_input": "wrong from element",
    "scan/loses_a_rank": "wrong from element",
    "scatter/frees_too_early": "temporary memory is given back while",
}
"""Deliberately wrong algorithms (tests/in_process/wrong), and how each must be caught."""


def prove(build: native.NativeBuild, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs laneway-prove, a single process."""
    command = [str(check_program(build, name="laneway-prove")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


def passed(ran: subprocess.CompletedProcess[str], least: float) -> None:
    """No case failed, and at least so many had messages."""
    print(ran.stdout[-3000:])
    found = re.search(r"(\d+) passed, (\d+) failed; (\d+) with messages", ran.stdout)
    assert found, ran.stdout + ran.stderr
    assert int(found[2]) == 0, ran.stdout
    assert int(found[3]) >= least
    assert ran.returncode == 0


@pytest.mark.parametrize("build", BUILDS)
def test_small_machines_of_all_shapes(build):
    passed(prove(build, "--cases", 4000, "--seed", SEED), 2000)


@pytest.mark.parametrize("build", ONE_BUILD)
def test_machines_of_up_to_64_ranks(build):
    passed(prove(build, "--cases", 400, "--ranks", 18, 64, "--seed", SEED), 200)


@pytest.mark.full
@pytest.mark.parametrize("ranks", [1000, 1024, 1025])
@pytest.mark.parametrize("build", ONE_BUILD)
def test_large_machines(build, ranks):
    passed(prove(build, "--cases", 20, "--ranks", ranks, ranks, "--seed", SEED), 8)


@pytest.mark.full
@pytest.mark.parametrize("build", ONE_BUILD)
def test_4096_ranks(build):
    for collective in ("bcast", "allreduce", "scan", "gather", "barrier"):
        passed(
            prove(build, "--cases", 4, "--ranks", 4096, 4096, "--collective", collective), least=1
        )


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("build", ONE_BUILD)
def test_defects_are_found(build, wrong):
    collective, algorithm = wrong.split("/")
    chosen = ["--collective", collective, "--algorithm", algorithm]
    ran = prove(build, "--cases", 60, "--with-wrong", *chosen, "--seed", SEED)
    assert ran.returncode == 1, ran.stdout
    assert re.search(WRONG[wrong], ran.stdout), ran.stdout
    again = re.search(r"again: laneway-prove (.*)", ran.stdout)
    assert again, ran.stdout
    assert "1 failed" in prove(build, *again[1].split()).stdout


@pytest.mark.parametrize("build", ONE_BUILD)
def test_a_command_line_that_is_none_is_refused(build):
    ran = prove(build, "--ranks", 5, 2)
    assert ran.returncode == 1
    assert ran.stderr.startswith("usage:")
    assert "no such algorithm" in prove(build, "--algorithm", "nonsense").stderr
