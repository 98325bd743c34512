# SPDX-License-Identifier: BSD-3-Clause
"""Elements with gaps are packed and unpacked while messages are under way: packing.c."""

import pytest

from applications import well
from jobs import BUILDS, run

FORMS = ("bcast", "ibcast", "bcast_init")


@pytest.mark.parametrize("build", BUILDS)
def test_a_segment_leaves_before_the_last_element_is_packed(build, compiled):
    program = compiled(build, "packing.c", "-rdynamic", "-ldl")
    algorithm = ",".join(f"{form}=lane_segmented(segment=1K)" for form in FORMS)
    said = well(run(build, 4, [program], LANEWAY_ALGORITHM=algorithm, LANEWAY_NODE_SIZE=2))
    assert said.splitlines() == [
        "blocking: by segments",
        "nonblocking: by segments",
        "persistent: by segments",
        "persistent: by segments",
    ]
