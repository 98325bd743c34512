# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm on machines of any shape, without mpirun (tests/in_process).

All ranks' programs are recorded and carried out in one process, in an order that a seed decides.
This is where the algorithms are proved: their messages, steps and temporaries. The proofs are on
every shape, for every kind of element and operator, count, root and in place. An MPI library's part
in them is proved in test_properties.py. `LANEWAY_TEST_SEED` asks for another draw.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from jobs import BUILDS, ONE_BUILD, ROOT, check_program
from laneway.libraries import native

SEED = os.environ.get("LANEWAY_TEST_SEED", "1")

WRONG = {
    "allgather/overlapping_buffers": "memory that a message under way",
    "allgatherv/stops_at_an_empty_block": "wrong from element",
    "allreduce/wrong_order": "wrong from element",
    "alltoall/waits_in_a_circle": "a deadlock; these are waited for:",
    "alltoallv/keeps_the_first_block": "wrong from element",
    "barrier/tells_twice": "a deadlock|nobody receives",
    "bcast/lost_wait": "memory that a message under way|wrong from element",
    "bcast/off_by_one_segment": "wrong from element",
    "bcast/shares_temporaries": "memory that a message under way",
    "bcast/wrong_peer": "a deadlock|nobody receives",
    "gather/another_length": "bytes come where",
    "reduce/writes_to_its_input": "wrong from element",
    "scan/loses_a_rank": "wrong from element",
    "scatter/frees_too_early": "temporary memory is given back while",
    "scatterv/cuts_apart": "bytes come where",
}
"""Deliberately wrong algorithms (tests/in_process/wrong), and how each must be caught."""


def prove(build: native.NativeBuild, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs laneway-prove, a single process."""
    command = [str(check_program(build, name="laneway-prove")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


def passed(ran: subprocess.CompletedProcess[str], least: float) -> int:
    """No case failed, and at least so many had messages: how many messages these were."""
    print(ran.stdout[-3000:])
    found = re.search(r"(\d+) passed, (\d+) failed; (\d+) with messages", ran.stdout)
    assert found, ran.stdout + ran.stderr
    assert int(found[2]) == 0, ran.stdout
    assert int(found[3]) >= least
    assert ran.returncode == 0
    cost = re.search(r"(\d+) messages, \S+ s of CPU time, \S+ us a message", ran.stdout)
    assert cost, ran.stdout
    return int(cost[1])


@pytest.mark.parametrize("build", ONE_BUILD)
def test_every_case_on_every_machine_of_up_to_4_ranks(build):
    passed(prove(build, "--all", "--ranks", 1, 4, "--seed", SEED), 80_000)


@pytest.mark.full
@pytest.mark.parametrize("build", ONE_BUILD)
def test_every_case_on_every_machine_of_5_ranks(build):
    passed(prove(build, "--all", "--ranks", 5, 5, "--seed", SEED), 300_000)


@pytest.mark.parametrize("rounds", [1, pytest.param(100, marks=pytest.mark.full)])
@pytest.mark.parametrize("build", ONE_BUILD)
def test_every_algorithm_on_machines_of_every_size(build, rounds):
    """So many machines of each number of ranks, and on each of them every algorithm once.

    The kind of elements is another one in each round. Not every algorithm takes every machine.
    """
    machines = rounds * (64 - 5 + 1)
    draw = ["--machines", machines, "--ranks", 5, 64]
    passed(prove(build, *draw, "--seed", SEED), 30 * machines)


@pytest.mark.parametrize(
    "most", [100_000, pytest.param(2_000_000, marks=pytest.mark.full)], ids=["few", "many"]
)
@pytest.mark.parametrize("ranks", [1000, 1024, 1025, 4096])
@pytest.mark.parametrize("build", ONE_BUILD)
def test_a_sample_on_large_machines(build, ranks, most):
    """So many messages, which at 4096 ranks are a few cases; another seed draws others."""
    limits = ["--machines", 30, "--messages", most]
    messages = passed(prove(build, "--ranks", ranks, ranks, *limits, "--seed", SEED), 2)
    assert most <= messages < 2 * most


def with_sanitizers(build: native.NativeBuild) -> Path:
    """laneway-prove with the sanitizers. `make test` has it built here, while other tests wait."""
    libraries = os.environ.get("ASAN", "none")
    if libraries != "none":
        command = ["scripts/setup.sh", "native", "asan", libraries, "laneway-prove"]
        built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    return check_program(build, "-asan", "laneway-prove")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("machines", "most_ranks", "least_cases"),
    [(8, 20, 1000), pytest.param(20, 40, 2500, marks=pytest.mark.full)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("build", ONE_BUILD)
def test_the_sanitizers_find_nothing(build, machines, most_ranks, least_cases):
    """They look at programs of all algorithms; over MPI, test_properties.py asks them."""
    program = with_sanitizers(build)
    limits = ["--machines", str(machines), "--ranks", "2", str(most_ranks)]
    command = [program, *limits, "--seed", SEED]
    # MPI libraries lose some memory before MPI_Init, which is theirs.
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:exitcode=99"}
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, env=environment
    )
    assert "Sanitizer" not in ran.stderr, ran.stderr[-3000:]
    assert "runtime error" not in ran.stderr, ran.stderr[-3000:]
    passed(ran, least_cases)


# ---- what it costs ---------------------------------------------------------------------------


def costs(ran: subprocess.CompletedProcess[str]) -> tuple[int, float, float]:
    """Cases, seconds of CPU time for all of them, microseconds of it a message."""
    passed(ran, 1)
    found = re.search(
        r"(\d+) passed.*?(\S+) s of CPU time, (\S+) us a message", ran.stdout, re.DOTALL
    )
    assert found, ran.stdout
    return int(found[1]), float(found[2]), float(found[3])


@pytest.mark.timed
@pytest.mark.parametrize("build", ONE_BUILD)
def test_a_message_takes_a_microsecond(build):
    """That is its part of recording, matching and checking, on machines of every size."""
    machines = ["--machines", 300, "--ranks", 5, 64]
    *_, message_us = costs(prove(build, *machines, "--seed", SEED))
    assert message_us <= 1


@pytest.mark.timed
@pytest.mark.parametrize("build", ONE_BUILD)
def test_100_000_small_cases_take_3_minutes(build):
    cases, seconds, _ = costs(prove(build, "--all", "--ranks", 1, 4, "--seed", SEED))
    assert cases >= 100_000
    assert seconds / cases * 100_000 <= 180


# ---- the reproducible mode -------------------------------------------------------------------


@pytest.mark.parametrize("build", ONE_BUILD)
def test_brackets_are_the_same_on_every_machine_of_up_to_4_ranks(build):
    """An operator that is not associative tells them apart, said to commute or not."""
    passed(prove(build, "--brackets", "--ranks", 2, 4, "--seed", SEED), 5_000)


@pytest.mark.parametrize("build", ONE_BUILD)
def test_brackets_are_the_same_on_machines_of_every_size(build):
    passed(prove(build, "--brackets", "--machines", 24, "--ranks", 5, 40, "--seed", SEED), 2_500)


@pytest.mark.parametrize("build", ONE_BUILD)
@pytest.mark.parametrize(
    "other",
    ["allreduce/ring", "reduce/two_tree", "reduce_scatter_block/ring", "scan/recursive_doubling"],
)
def test_other_brackets_are_found(build, other):
    collective, algorithm = other.split("/")
    named = ["--collective", collective, "--algorithm", algorithm]
    ran = prove(build, "--brackets", *named, "--ranks", 5, 5)
    assert ran.returncode == 1, ran.stdout
    assert "wrong from element" in ran.stdout


# ---- whole messages --------------------------------------------------------------------------


@pytest.mark.parametrize("build", ONE_BUILD)
def test_operators_get_whole_messages_where_algorithms_claim_it(build):
    """And all that do not claim it divide some. Components, segments and ranks of any number."""
    passed(prove(build, "--whole", "--all", "--ranks", 2, 4, "--seed", SEED), 30_000)
    passed(prove(build, "--whole", "--machines", 60, "--ranks", 5, 40, "--seed", SEED), 1_000)


@pytest.mark.parametrize("build", BUILDS)
def test_datatypes_are_as_mpi_packs_them(build):
    """The carrier moves bytes itself, by what MPI says that a type was made of."""
    ran = prove(build, "--types")
    assert ran.returncode == 0, ran.stdout
    assert "rows of elements are as MPI packs them" in ran.stdout


@pytest.mark.parametrize("build", ONE_BUILD)
def test_a_seed_decides_everything(build):
    """Two runs are the same to the last line but for the time that they take."""
    arguments = ["--cases", 500, "--ranks", 2, 9, "--with-wrong", "--seed", SEED]
    first, second = (re.sub(r"[\d.]+ (s|us) ", "", prove(build, *arguments).stdout) for _ in "12")
    assert "FAILED" in first
    assert first == second


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
    assert ran.returncode == 2
    assert "--ranks: from 1 on, the least before the most" in ran.stderr
    assert "no such algorithm" in prove(build, "--algorithm", "nonsense").stderr
