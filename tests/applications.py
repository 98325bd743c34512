# SPDX-License-Identifier: BSD-3-Clause
"""application.c and its likes: the collectives that they make, and what the report says of them."""

import collections
import shutil

import pytest

from laneway import decisions

RANKS = 4
BY_LANE = {
    "LANEWAY_ALGORITHM": "bcast=lane,allreduce=lane,allgather=hierarchical",
    "LANEWAY_NODE_SIZE": 2,
}
SERVED_BY = {"bcast": "lane", "allreduce": "lane", "allgather": "hierarchical"}
CALLS = {"bcast": 3, "allreduce": 2, "allgather": 1}
"""The calls of a process of application.c."""


def well(outcome) -> str:
    assert outcome.code == 0, outcome.told
    return outcome.output


def reported(folder):
    """Calls of a process by collective and the algorithm that served them."""
    calls = collections.Counter()
    for case, count in decisions.load(folder).cases.items():
        calls[case.collective, case.algorithm] += count.calls
    return calls


def served(calls, ranks=RANKS):
    """The result of `reported` where all calls of every process are served."""
    return {(name, SERVED_BY[name]): ranks * number for name, number in calls.items()}


def fortran(build):
    """The Fortran compiler of an MPI library that was built with one."""
    wrapper = build.mpicc.with_name(build.mpicc.name.replace("mpicc", "mpifort"))
    if not wrapper.exists() or shutil.which("gfortran") is None:
        pytest.skip(f"{build.library} has no Fortran compiler here")
    return wrapper
