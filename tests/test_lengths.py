# SPDX-License-Identifier: BSD-3-Clause
"""Calls of one length on one process and another on all others: an error, as of the library."""

import pytest

from applications import well
from jobs import BUILDS, run

each_build = pytest.mark.parametrize("build", BUILDS)

SIZES = [(2, 4), (4, 2), (25600, 51200), (51200, 25600)]
"""Ints of all processes and of the odd one; long ones go in several segments."""
TRUNCATE = 15
"""MPI_ERR_TRUNCATE of Open MPI, with which its error handler ends the job."""
COLLECTIVES = ("bcast", "gather", "alltoall", "scatter")


def odd(compiled, build, ranks, collective, *words, algorithm, node_size, form=""):
    """The outcome of a job whose rank 1 calls with another length."""
    program = compiled(build, "lengths.c", with_laneway=False)
    target = {"nonblocking": f"i{collective}", "persistent": f"{collective}_init"}
    return run(
        build,
        ranks,
        [program, collective, *words, *([form] if form else [])],
        preload=[build.preload],
        LANEWAY_ALGORITHM=f"{target.get(form, collective)}={algorithm}",
        LANEWAY_NODE_SIZE=node_size,
    )


@each_build
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: "-".join(map(str, sizes)))
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_another_length_on_one_process_is_an_error(compiled, build, collective, sizes):
    said = odd(compiled, build, 4, collective, *sizes, algorithm="lane_segmented", node_size=2)
    is_told_as_by_the_library(build, said)


def is_told_as_by_the_library(build, said):
    """Whether the job has ended with the error of the library's class."""
    assert "unnoticed" not in said.output, said.told
    assert said.code != 0, said.told
    # MPICH raises what is too long on MPI_COMM_WORLD, in the call that completes several messages.
    words = ["truncat", *(["MPI_ERROR field"] if build.family == "mpich" else [])]
    # Output of Open MPI may be lost; the job ends with the class of the error all the same.
    is_told = build.family == "openmpi" and said.code == TRUNCATE
    assert is_told or any(word.lower() in said.told.lower() for word in words), said.told


@each_build
@pytest.mark.parametrize("sizes", [SIZES[1], SIZES[2]], ids=["short", "of segments"])
@pytest.mark.parametrize("form", ["nonblocking", "persistent"])
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_it_is_one_where_nobody_waits_in_the_call(compiled, build, collective, form, sizes):
    words = {"algorithm": "lane_segmented", "node_size": 2, "form": form}
    said = odd(compiled, build, 4, collective, *sizes, **words)
    is_told_as_by_the_library(build, said)


@each_build
@pytest.mark.parametrize(
    ("algorithm", "sizes", "node_size"),
    [("chain", (16384, 8192), 2), ("chain", (4, 2), 1), ("binomial", (16384, 8192), 1)],
    ids=["of segments within a node", "short", "in the library's messages"],
)
def test_what_it_leaves_behind_is_nothing_to_later_calls(
    compiled, build, algorithm, sizes, node_size
):
    """The error handler returns, and messages of the wrong call have nobody who receives them."""
    words = (*sizes, "again")
    said = odd(compiled, build, 2, "bcast", *words, algorithm=algorithm, node_size=node_size)
    assert well(said).endswith("right"), said.told
