# SPDX-License-Identifier: BSD-3-Clause
"""Persistent vector collectives: lengths are told when they are made, and never again."""

import pytest

from applications import well
from jobs import BUILDS, run

RANKS = 6
NAMES = ("alltoallv_init", "gatherv_init", "scatterv_init", "neighbor_alltoallv_init")


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("algorithm", ["lane", "told to all"])
def test_starts_tell_no_lengths(compiled, build, algorithm):
    to_all = ("bruck", "binomial", "binomial", "node_aware")
    names = to_all if algorithm == "told to all" else (algorithm,) * len(NAMES)
    counter = compiled(build, "count_lengths.c", with_laneway=False, shared=True)
    outcome = run(
        build,
        RANKS,
        [compiled(build, "starts.c", with_laneway=False)],
        preload=[counter, build.preload],
        LANEWAY_ALGORITHM=",".join(f"{name}={by}" for name, by in zip(NAMES, names, strict=True)),
        LANEWAY_NODE_SIZE=3,
        LANEWAY_NODE_MESSAGES="library",
        LANEWAY_STRICT=1,
    )
    lines = [line.split() for line in well(outcome).splitlines()]
    assert [name for name, *_ in lines] == [*NAMES]
    for name, made, started, alike in lines:
        assert int(made) > 0, name
        assert (int(started), int(alike)) == (0, 1), name
