# SPDX-License-Identifier: BSD-3-Clause
"""Messages within a node by shared memory: what is used where, and that nobody waits for ever.

What they carry is tested by test_properties.py, step by step in tests/simulate/node_channel.cpp.
"""

import pytest

from applications import well
from jobs import BUILDS, run, settings_error

RANKS = 3

pytestmark = pytest.mark.parametrize("build", BUILDS)


@pytest.fixture
def shared(compiled, build):
    """`shared(case, ...)`: pieces of shared memory that each process of node_messages.c has."""
    program = compiled(build, "node_messages.c", with_laneway=False)

    def shared(case, ranks=RANKS, **settings):
        outcome = run(
            build,
            ranks,
            [program, case],
            preload=[build.preload],
            timeout=120,
            LANEWAY_ALGORITHM="bcast=binomial,allgather=ring,allreduce=lane_segmented",
            **{"LANEWAY_NODE_MESSAGES": "shared", **settings},
        )
        return int(well(outcome).splitlines()[-1])  # MPICH may say something first

    return shared


def test_processes_of_a_node_share_memory_without_a_name(shared):
    assert shared("plain") == 1


def test_the_library_carries_them_where_it_is_told_to(shared):
    assert shared("plain", LANEWAY_NODE_MESSAGES="library") == 0
    assert shared("plain", LANEWAY_NODE_MESSAGES="") == 0, "unless it is told otherwise"


@pytest.mark.parametrize("case", ["small_files", "no_descriptors"])
def test_where_one_process_cannot_the_library_carries_them_for_all(shared, case):
    assert shared(case) == 0


def test_nodes_of_one_process_have_none(shared):
    assert shared("plain", LANEWAY_NODE_SIZE=1) == 0


def test_messages_of_the_program_go_on_meanwhile(shared):
    # Where the libraries copy once, receivers need nothing of a sender.
    twice = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "UCX_TLS": "posix,self"}
    assert shared("others_wait", **twice) == 1


def test_a_word_that_is_none_of_its_own_is_said(build):
    said = settings_error(build, LANEWAY_NODE_MESSAGES="memory")
    assert said == "LANEWAY_NODE_MESSAGES: 'memory' is neither 'shared' nor 'library'"
