# SPDX-License-Identifier: BSD-3-Clause
"""Vector collectives that are called again: lengths that processes were told are kept."""

import pytest

from applications import reported, well
from jobs import BUILDS, run

COLLECTIVES = ("alltoallv", "gatherv", "scatterv")


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("algorithm", ["lane", "lane_segmented", "hierarchical", "told to all"])
def test_calls_are_right_whether_lengths_are_those_of_the_last_call_or_not(
    compiled, build, algorithm, tmp_path
):
    by = {
        collective: {"alltoallv": "bruck"}.get(collective, "binomial")
        if algorithm == "told to all"
        else algorithm
        for collective in COLLECTIVES
    }
    outcome = run(
        build,
        6,
        [compiled(build, "kept_lengths.c", with_laneway=False)],
        preload=[build.preload],
        LANEWAY_ALGORITHM=",".join(f"{collective}={name}" for collective, name in by.items()),
        LANEWAY_NODE_SIZE=4,
        LANEWAY_REPORT=tmp_path,
    )
    assert well(outcome).endswith("right")
    assert set(reported(tmp_path)) == set(by.items())
