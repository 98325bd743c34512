# SPDX-License-Identifier: BSD-3-Clause
"""What serves the collectives that algorithms call on their parts."""

import pytest

from jobs import BUILDS, run

ALGORITHMS = "allgather=hierarchical,barrier=hierarchical"
"""They have components alone, no messages of their own."""

NATIVE = "".join(
    f",{component}=native"
    for component in ("gather@node", "allgather@lane", "bcast@node", "barrier@node", "barrier@lane")
)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("components", "said"),
    [
        ("", "ours, the library's, ours"),
        (NATIVE, "the library's, the library's, the library's"),
        (",allgather@lane=ring,barrier@lane=tree", "ours, ours, ours"),
    ],
)
def test_short_ones_are_ours_where_nobody_chooses(build, components, said, compiled):
    """Of a short allgather, a long one and a barrier."""
    program = compiled(build, "component_calls.c", "-rdynamic", "-ldl")
    outcome = run(
        build, 4, [program], LANEWAY_ALGORITHM=ALGORITHMS + components, LANEWAY_NODE_SIZE=2
    )
    assert outcome.code == 0, outcome.told
    assert outcome.output.strip() == said
