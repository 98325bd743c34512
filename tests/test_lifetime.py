# SPDX-License-Identifier: BSD-3-Clause
"""Communicators that end and that are duplicated, and code of the program's that throws."""

import re
import subprocess

import pytest

from applications import well
from jobs import BUILDS, run

RANKS = 4
BY_LANE = {"LANEWAY_ALGORITHM": "allreduce=lane", "LANEWAY_NODE_SIZE": 2}
each_build = pytest.mark.parametrize("build", BUILDS)


def mpi_library(program):
    """The MPI library that a program is linked with."""
    files = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"libmpi(?:ch)?\.so\.\d+ => (\S+)", files)[1]


# ---- handles that are used again --------------------------------------------------------------


@each_build
@pytest.mark.parametrize("end", ["free", "disconnect", "pending"])
def test_a_handle_that_is_used_again_is_another_communicator(compiled, build, end):
    program = compiled(build, "freed_handle.c", with_laneway=False)
    assert int(well(run(build, RANKS, [program, end], preload=[build.preload], **BY_LANE))) > 0


@each_build
@pytest.mark.parametrize("hears", [True, False], ids=["before the library", "after it"])
def test_so_it_is_in_a_program_that_is_linked_with_laneway(compiled, build, hears):
    program = compiled(build, "freed_handle.c", "-DLINKED")
    first = [] if hears else [mpi_library(program)]  # its functions are found first
    assert int(well(run(build, RANKS, [program, "free"], preload=first, **BY_LANE))) > 0


@each_build
def test_a_free_that_an_error_handler_leaves_ends_nothing(compiled, build):
    program = compiled(build, "left_free.c")
    outcome = run(build, RANKS, [program], preload=[build.preload], LANEWAY_ALGORITHM="bcast=chain")
    assert well(outcome) == "chain"


# ---- communicators that are made without waiting ----------------------------------------------


@each_build
@pytest.mark.parametrize("which", ["same", "other", "first"])
def test_collectives_beside_a_duplication_are_right_and_later_ones_served(compiled, build, which):
    program = compiled(build, "duplicating.c")
    outcome = run(build, RANKS, [program, which], preload=[build.preload], timeout=60, **BY_LANE)
    assert well(outcome) == "hierarchical"


@each_build
def test_threads_duplicate_at_once(compiled, build):
    program = compiled(build, "duplicating_threads.c")
    outcome = run(build, 2, [program], preload=[build.preload], **BY_LANE)
    assert well(outcome) == "hierarchical"


@each_build
@pytest.mark.parametrize("which", ["same", "first"])
def test_where_nothing_is_chosen_they_are_right_as_well(compiled, build, which):
    program = compiled(build, "duplicating.c")
    outcome = run(build, RANKS, [program, which], preload=[build.preload], timeout=60)
    assert well(outcome) == "native"


# ---- exceptions -------------------------------------------------------------------------------


BY_TEXTS = {"bcast": "chain", "allreduce": "recursive_doubling"}
BY_PROGRAMS = {"bcast": "lane_segmented", "allreduce": "lane_segmented"}


def settings(algorithms):
    forms = ("{}", "i{}", "{}_init")
    chosen = [f"{form.format(one)}={by}" for one, by in algorithms.items() for form in forms]
    return {"LANEWAY_ALGORITHM": ",".join(chosen), "LANEWAY_NODE_SIZE": 2}


@each_build
@pytest.mark.parametrize("algorithms", [BY_TEXTS, BY_PROGRAMS], ids=["texts", "programs"])
@pytest.mark.parametrize("thrower", ["handlers", "operators", "attributes"])
def test_what_code_of_the_program_throws_is_caught_there(compiled, build, algorithms, thrower):
    program = compiled(build, "throwing.cpp")
    chosen = settings(algorithms)
    outcome = run(build, RANKS, [program, thrower], preload=[build.preload], **chosen)
    broadcast, reduction = algorithms.values()
    assert well(outcome) == f"{broadcast}, {reduction}, {reduction}"


@each_build
@pytest.mark.parametrize("thrower", ["handlers", "attributes"])
def test_where_nothing_is_chosen_it_is_caught_as_well(compiled, build, thrower):
    program = compiled(build, "throwing.cpp")
    outcome = run(build, 2, [program, thrower], preload=[build.preload])
    assert well(outcome) == "native, native, native"
