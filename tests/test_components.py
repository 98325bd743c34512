# SPDX-License-Identifier: BSD-3-Clause
"""Who serves the collectives that algorithms call on their parts."""

import pytest

from jobs import BUILDS, run

ALGORITHMS = "allgather=hierarchical,barrier=hierarchical"
"""They have components alone, no messages of their own."""

NATIVE = "".join(
    f",{component}=native"
    for component in ("gather@node", "allgather@lane", "bcast@node", "barrier@node", "barrier@lane")
)


def by_whom(build, compiled, ranks, algorithms):
    """Who serves the components of a short allgather, a long one and a barrier on nodes of two."""
    program = compiled(build, "component_calls.c", "-rdynamic", "-ldl")
    outcome = run(build, ranks, [program], LANEWAY_ALGORITHM=algorithms, LANEWAY_NODE_SIZE=2)
    assert outcome.code == 0, outcome.told
    return outcome.output.strip()


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
    assert by_whom(build, compiled, 6, ALGORITHMS + components) == said


@pytest.mark.parametrize("build", BUILDS)
def test_of_two_processes_they_are_the_librarys_where_it_spends_less(build, compiled):
    barrier = "ours" if build.family == "mpich" else "the library's"
    found = by_whom(build, compiled, 4, ALGORITHMS)
    assert found == f"the library's, the library's, {barrier}"
