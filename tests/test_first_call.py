# SPDX-License-Identifier: BSD-3-Clause
"""What a communicator's first collective call does: it begins an agreement and waits for nobody, unless
the process's own settings could choose something."""

import shutil

import pytest

from applications import BY_LANE, reported, well
from jobs import BUILDS, ROOT, run
from laneway import decisions

each_build = pytest.mark.parametrize("build", BUILDS)

ON_RANK_1 = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 && export %s; exec "$@"'
"""A script that gives rank 1 a variable of its own, LD_PRELOAD included."""


def on_rank_1(assignment, *program):
    return ["sh", "-c", ON_RANK_1 % assignment, "sh", *program]


# ---- nothing waits that would not wait by itself ------------------------------------------------


@each_build
@pytest.mark.parametrize(
    "settings",
    [{}, {"LANEWAY": "off", **BY_LANE}, {"LANEWAY_ALGORITHM": "bcast=native"}],
    ids=["nothing", "off", "native"],
)
def test_where_nothing_is_chosen_a_root_runs_ahead(compiled, build, settings):
    program = compiled(build, "ahead.c", with_laneway=False)
    outcome = run(build, 3, [program], preload=[build.preload], timeout=30, **settings)
    assert well(outcome) == "right"
    assert "laneway" not in outcome.errors, outcome.told


@each_build
def test_a_root_runs_ahead_of_one_that_could_choose_something(compiled, build, tmp_path):
    program = on_rank_1("LANEWAY_ALGORITHM=bcast=lane", compiled(build, "ahead.c", with_laneway=False))
    outcome = run(
        build, 3, program, preload=[build.preload], timeout=30, LANEWAY_NODE_SIZE=2
    )
    assert well(outcome) == "right"
    assert outcome.errors.count("settings differ between processes") == 1, outcome.told


@each_build
def test_calls_that_are_not_agreed_on_are_counted_as_such(compiled, build, tmp_path):
    program = compiled(build, "ahead.c", with_laneway=False)
    words = on_rank_1(f"LANEWAY_REPORT={tmp_path}", program)
    assert well(run(build, 3, words, preload=[build.preload], timeout=30)) == "right"
    report = decisions.load(tmp_path)
    open_, settled = (
        sum(count.calls for case, count in report.cases.items()
            if case.collective == "bcast" and ("not agreed on" in case.why) is is_open)
        for is_open in (True, False)
    )  # fmt: skip
    assert (open_, settled) == (5 * 3, 3 * 3)
