# SPDX-License-Identifier: BSD-3-Clause
"""Weights of lanes that are found while a program runs: what later communicators have of them."""

import pytest

from jobs import BUILDS, run
from laneway import decisions


def weighed(build, program, what, folder):
    """The weights that held on each communicator, and for how many calls."""
    settings = {
        "LANEWAY_LANE_WEIGHTS": "auto",
        "LANEWAY_LANES": 2,
        "LANEWAY_NODE_SIZE": 2,
        "LANEWAY_ALGORITHM": "bcast=lane",
        "LANEWAY_REPORT": folder,
    }
    outcome = run(build, 6, [program, what], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    report = decisions.load(folder)
    assert not report.unread
    return report, [(each.ranks, each.weights, each.by, each.calls) for each in report.weighed]


@pytest.mark.parametrize("build", BUILDS)
def test_a_later_communicator_begins_with_what_was_found_of_its_nodes(build, compiled, tmp_path):
    program = compiled(build, "weighing.c", "-rdynamic", with_laneway=False)
    report, found = weighed(build, program, "whole", tmp_path)
    sick = "1000:1000,1=1000:100"
    assert found[:2] == [(6, "alike", "found", 3), (6, sick, "found", 3)]
    assert found[2:] == [(6, sick, "found", 1)], "node 1 is the second one from behind, too"
    notes = " ".join(report.notes())
    assert f"lane 1 of 1 carries 10% of the fastest: weights {sick}, found, for 3 calls" in notes


@pytest.mark.parametrize("build", BUILDS)
def test_a_communicator_with_a_node_of_which_nobody_knows_begins_as_settings_say(
    build, compiled, tmp_path
):
    """Its first four processes know of two nodes: no process decides alone."""
    program = compiled(build, "weighing.c", "-rdynamic", with_laneway=False)
    _, found = weighed(build, program, "part", tmp_path)
    assert sorted(found) == [
        (4, "1000:100", "found", 3),
        (4, "alike", "found", 3),
        (6, "alike", "found", 1),
    ]
