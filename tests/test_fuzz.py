# SPDX-License-Identifier: BSD-3-Clause
"""Random programs (programs/fuzz.c), one a seed, whose every result is checked.

`make test` has one batch of seeds for each library and way. `.venv/bin/pytest tests/test_fuzz.py`
runs 500 seeds of each library, and as many natively. It prints the seed of a failure.
"""

import pytest

from applications import well
from jobs import BUILDS, run

each_build = pytest.mark.parametrize("build", BUILDS)

SEEDS = 25
"""The number of seeds of a job."""

COLLECTIVES = (
    *("bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"),
    *("scan", "exscan", "reduce_scatter_block", "barrier"),
)
NOT_OF = {
    "lane_segmented": ("barrier",),
    "recursive_doubling": ("bcast", "gather", "scatter", "alltoall", "reduce_scatter_block"),
}
WAYS = [
    # Algorithm, persistent forms that it serves beside the library's, processes a node, ranks.
    ("lane", "allreduce_init", 2, 4),
    ("lane_segmented", "alltoall_init", 2, 3),
    ("lane_segmented", "allreduce_init", 8, 4),
    ("hierarchical", "alltoall_init", 8, 2),
    ("recursive_doubling", "allreduce_init", 8, 4),
]


def served_by(algorithm, persistent):
    served = [name for name in COLLECTIVES if name not in NOT_OF.get(algorithm, ())]
    forms = [form + name for name in served for form in ("", "i")]
    return ",".join(f"{name}={algorithm}" for name in [*forms, persistent])


def right(build, ranks, first, preload, **settings):
    program = [first, SEEDS]
    outcome = run(build, ranks, [settings.pop("program"), *program], preload=preload, **settings)
    assert well(outcome).endswith("right"), outcome.told


@each_build
@pytest.mark.parametrize(
    "batch", [pytest.param(n, marks=[pytest.mark.full] if n else []) for n in range(4)]
)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way)))
def test_random_programs_are_right(compiled, build, way, batch):
    algorithm, persistent, node_size, ranks = way
    right(
        build,
        ranks,
        1 + SEEDS * (batch * len(WAYS) + WAYS.index(way)),
        [build.preload],
        program=compiled(build, "fuzz.c", with_laneway=False),
        LANEWAY_ALGORITHM=served_by(algorithm, persistent),
        LANEWAY_NODE_SIZE=node_size,
    )


@each_build
@pytest.mark.full
@pytest.mark.parametrize("batch", range(20))
def test_they_are_right_natively(compiled, build, batch):
    program = compiled(build, "fuzz.c", with_laneway=False)
    right(build, 2 + batch % 3, 1 + SEEDS * batch, [], program=program)
