# SPDX-License-Identifier: BSD-3-Clause
"""The actions of a communicator's first collective call.

It begins an agreement, and waits for nobody unless its own settings could choose something.
"""

import collections

import pytest

from applications import BY_LANE, well
from jobs import BUILDS, run
from laneway import decisions

each_build = pytest.mark.parametrize("build", BUILDS)


def on(rank, assignments, *program):
    """A command in which one rank alone has these variables."""
    script = (
        f'test "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} && '
        'export %s; exec "$@"' % " ".join(f"{name}={value}" for name, value in assignments.items())
    )
    return ["sh", "-c", script, "sh", *program]


# ---- nothing waits that would not wait by itself ------------------------------------------------


@each_build
@pytest.mark.parametrize(
    "settings",
    [{}, {"LANEWAY": "off", **BY_LANE}, {"LANEWAY_ALGORITHM": "bcast=native"}],
    ids=["nothing", "off", "native"],
)
def test_where_nothing_is_chosen_a_root_runs_ahead(compiled, build, settings):
    program = compiled(build, "ahead.c", with_laneway=False)
    outcome = run(build, 3, [program], preload=[build.preload], **settings)
    assert well(outcome) == "right"
    assert "laneway" not in outcome.errors, outcome.told


@each_build
@pytest.mark.parametrize(("rank", "how", "by_lane"), [(0, ["together"], 3 * 3), (1, [], 0)])
def test_where_settings_differ_they_are_agreed_on_when_all_meet(
    compiled, build, tmp_path, *, rank, how, by_lane
):
    """And until then a root runs ahead, unless it is the one that could choose something."""
    program = compiled(build, "ahead.c", with_laneway=False)
    alone = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": 2}
    outcome = run(build, 3, on(rank, alone, program, *how), preload=[build.preload])
    assert well(outcome) == "right"
    assert outcome.errors.count("settings differ between processes") == 1, outcome.told
    calls = collections.Counter()
    for case, count in decisions.load(tmp_path).cases.items():
        calls[case.collective, case.algorithm, "not agreed on" in case.why] += count.calls
    assert calls["bcast", "native", True] == 5 * 3
    assert calls["bcast", "lane", False] == by_lane
    assert calls["bcast", "native", False] == 3 * 3 - by_lane


@each_build
@pytest.mark.parametrize("strict", [0, 1])
def test_one_whose_settings_cannot_be_understood_says_so_at_once(compiled, build, strict):
    program = compiled(build, "ahead.c", with_laneway=False)
    alone = {"LANEWAY_ALGORITHM": "bcast=nonsense", "LANEWAY_STRICT": strict}
    outcome = run(build, 3, on(1, alone, program), preload=[build.preload])
    assert outcome.errors.count("no bcast algorithm 'nonsense'") == 1, outcome.told
    assert (outcome.code != 0) == bool(strict)


@each_build
def test_communicators_come_and_go_though_nobody_meets_there(compiled, build):
    """There are more than an MPI library has: an agreement that is under way may keep none."""
    program = compiled(build, "fleeting.c", with_laneway=False)
    assert well(run(build, 2, [program, 2100], preload=[build.preload])) == "right"


each_choice = pytest.mark.parametrize("settings", [{}, BY_LANE], ids=["nothing", "lane"])


@each_build
@each_choice
def test_what_the_library_rejects_on_one_rank_alone_begins_nothing(compiled, build, settings):
    program = compiled(build, "lone_mistake.c", with_laneway=False)
    outcome = run(build, 3, [program], preload=[build.preload], **settings)
    assert well(outcome) == "right"


@each_build
@pytest.mark.parametrize(
    "chosen",
    ["", "bcast=lane", "profile"],
    ids=["but built-in ones", "of another collective", "of longer messages"],
)
def test_where_no_rule_can_hold_nobody_waits_for_a_root_that_is_rejected(
    compiled, build, tmp_path, chosen
):
    program = compiled(build, "lone_root.c", with_laneway=False)
    profile = tmp_path / "long.conf"
    profile.write_text("laneway profile 1\nreduce bytes=64K.. use lane\n")
    settings = (
        {"LANEWAY_PROFILE": profile} if chosen == "profile" else {"LANEWAY_ALGORITHM": chosen}
    )
    settings |= {"LANEWAY_NODE_SIZE": 1}
    outcome = run(build, 2, [program], preload=[build.preload], timeout=60, **settings)
    assert "right" in outcome.errors, outcome.told  # which no launcher that ends early can lose


@each_build
@each_choice
def test_a_first_call_may_be_made_when_mpi_comes_to_its_end(compiled, build, settings):
    program = compiled(build, "at_the_end.c", with_laneway=False)
    outcome = run(build, 4, [program], preload=[build.preload], **settings)
    assert well(outcome) == "right"


@each_build
def test_what_an_unchecking_library_takes_no_rank_makes_natively_alone(compiled, build):
    if build.family == "mpich":
        pytest.skip("MPICH as it is packaged cannot be told not to check arguments")
    program = compiled(build, "aliased.c", with_laneway=False)
    unchecked = {"OMPI_MCA_mpi_param_check": 0, **BY_LANE}
    assert well(run(build, 4, [program], preload=[build.preload], **unchecked)) == "right"


# ---- what it takes ------------------------------------------------------------------------------


@each_build
@pytest.mark.parametrize("chosen", ["nothing", "lane, and a report"])
@pytest.mark.parametrize("library", ["linked", "opened late"])
def test_a_thread_needs_little_more_stack_than_natively(compiled, build, tmp_path, chosen, library):
    """The bound is that of docs/interposition.md."""
    program = [compiled(build, "stack.c", with_laneway=False, shared=library != "linked")]
    if library != "linked":
        program.insert(0, compiled(build, "plugin.c", "-Wl,--as-needed", with_laneway=False))
    settings = {"LANEWAY_REPORT": tmp_path, **BY_LANE} if chosen != "nothing" else {}
    native, preloaded = (
        int(well(run(build, 2, program, **keywords)).partition(" ")[0])
        for keywords in ({}, {"preload": [build.preload], **settings})
    )
    assert preloaded <= native + 4096
