# SPDX-License-Identifier: BSD-3-Clause
"""What serves the collectives that algorithms call on their parts."""

import pytest

from jobs import BUILDS, run

ALGORITHMS = "allgather=k_ported,barrier=hierarchical"


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("components", "said"),
    [
        ("", "short 0, long 1, barrier 0"),
        (
            ",allgather@node=native,barrier@node=native,barrier@lane=native",
            "short 1, long 1, barrier 3",
        ),
        (",allgather@node=ring", "short 0, long 0, barrier 0"),
    ],
)
def test_short_ones_are_ours_where_nobody_chooses(build, components, said, compiled):
    program = compiled(build, "component_calls.c", "-rdynamic", "-ldl")
    outcome = run(
        build, 4, [program], LANEWAY_ALGORITHM=ALGORITHMS + components, LANEWAY_NODE_SIZE=2
    )
    assert outcome.code == 0, outcome.told
    assert outcome.output.strip() == said
