# SPDX-License-Identifier: BSD-3-Clause
"""Vector collectives that are called again: lengths that processes were told are kept."""

import pytest

from applications import reported, well
from jobs import BUILDS, run

COLLECTIVES = ("alltoallv", "gatherv", "scatterv")


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    "algorithm", ["lane", "lane_segmented", "hierarchical", "told to all", "told of what passes"]
)
def test_calls_are_right_whether_lengths_are_those_of_the_last_call_or_not(
    compiled, build, algorithm, tmp_path
):
    of_pairs = {"told to all": "bruck", "told of what passes": "tuna(radix=2)"}.get(algorithm)
    by = {
        collective: {"alltoallv": of_pairs}.get(collective, "binomial") if of_pairs else algorithm
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
    names = {(collective, name.partition("(")[0]) for collective, name in by.items()}
    assert set(reported(tmp_path)) == names
