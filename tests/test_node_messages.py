# SPDX-License-Identifier: BSD-3-Clause
"""Messages within a node by shared memory: what is used where, and that nobody waits for ever.

test_properties.py tests their contents, tests/simulate/node_channel.cpp each step of them.
"""

import subprocess

import pytest

from applications import well
from jobs import BUILDS, run, settings_error

RANKS = 3

TWICE = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "UCX_TLS": "posix,self"}
"""Settings by which the libraries themselves enter no other process's memory."""

pytestmark = pytest.mark.parametrize("build", BUILDS)


@pytest.fixture
def shared(compiled, build):
    """`shared(case, ...)`: pieces of shared memory that each process of node_messages.c has."""
    return lambda case, **settings: pieces(ran(compiled, build, case, **settings))


def ran(compiled, build, case, **settings):
    return run(
        build,
        RANKS,
        [compiled(build, "node_messages.c", with_laneway=False), case],
        preload=[build.preload],
        LANEWAY_ALGORITHM="bcast=binomial,allgather=ring,allreduce=lane_segmented",
        **settings,
    )


def pieces(outcome):
    return int(well(outcome).splitlines()[-1])  # MPICH may say something first


def test_processes_of_a_node_share_memory_without_a_name(shared):
    assert shared("plain") == 1
    assert shared("plain", LANEWAY_NODE_MESSAGES="shared") == 1


def test_the_library_carries_them_where_it_is_told_to(shared):
    assert shared("plain", LANEWAY_NODE_MESSAGES="library") == 0


@pytest.mark.parametrize("case", ["small_files", "no_descriptors"])
def test_where_one_process_cannot_the_library_carries_them_for_all(shared, case):
    assert shared(case) == 0


def test_nodes_of_one_process_have_none(shared):
    assert shared("plain", LANEWAY_NODE_SIZE=1) == 0


def test_messages_of_the_program_go_on_meanwhile(shared):
    # Where the libraries copy once, receivers need nothing of a sender.
    assert shared("others_wait", **TWICE) == 1


def test_what_the_system_refuses_meanwhile_arrives_all_the_same(shared):
    assert shared("refused", **TWICE) == 1


def test_a_job_ends_where_one_process_is_killed(compiled, build):
    assert ran(compiled, build, "killed").code != 0


def test_memory_of_an_accelerator_that_comes_later_is_left_to_the_library(
    compiled, build, tmp_path
):
    runtime = tmp_path / "libcudart.so.12"
    subprocess.run(["cc", "-shared", "-xc", "/dev/null", "-o", runtime], check=True)
    program = compiled(build, "device_messages.c", "-rdynamic", with_laneway=False)
    outcome = run(
        build,
        RANKS,
        [program, runtime],
        preload=[build.preload],
        LANEWAY_ALGORITHM="bcast=binomial",
    )
    assert well(outcome).splitlines()[-1] == "right"


def test_a_word_that_is_none_of_its_own_is_said(build):
    said = settings_error(build, LANEWAY_NODE_MESSAGES="memory")
    assert said == "LANEWAY_NODE_MESSAGES: 'memory' is neither 'shared' nor 'library'"
