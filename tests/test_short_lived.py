# SPDX-License-Identifier: BSD-3-Clause
"""Communicators that live shortly: what is left undone for them, and when that ends."""

import collections

import pytest

from applications import well
from jobs import BUILDS, run
from laneway import decisions
from profiles import served, written

pytestmark = pytest.mark.parametrize("build", BUILDS)

EARLY = "one of the communicator's first calls: LANEWAY_PATIENCE"
SMALL, LARGE = (10, 11, 12, 13), 1 << 20


@pytest.fixture
def profile(tmp_path):
    return written(tmp_path, "bcast use hierarchical\n")


@pytest.mark.parametrize(
    ("sizes", "environment", "early", "comm"),
    [
        (range(10, 32), {}, 20, ["dup"]),
        (SMALL, {}, 0, []),
        (SMALL, {"LANEWAY_PATIENCE": 1}, 1, []),
        (SMALL, {"LANEWAY_PATIENCE": 0}, 0, ["dup"]),
        ((LARGE, *SMALL), {}, 0, ["dup"]),
        ((10, LARGE, 11), {}, 1, ["dup"]),
        (SMALL, {"LANEWAY_ALGORITHM": "bcast=hierarchical"}, 0, ["dup"]),
        (SMALL, {"LANEWAY_ALGORITHM": "bcast=hierarchical", "LANEWAY_PATIENCE": 3}, 3, []),
    ],
    ids=["unsaid", "world", "one", "none", "large", "large second", "experiment", "both"],
)
def test_first_small_calls_are_the_librarys(
    decide, build, profile, monkeypatch, tmp_path, *, sizes, environment, early, comm
):
    monkeypatch.delenv("LANEWAY_PATIENCE")
    folder = tmp_path / "report"
    settings = {"LANEWAY_PROFILE": profile, "LANEWAY_REPORT": folder, **environment}
    outcome = decide(build, *comm, *sizes, **settings)
    assert list(served(outcome).values()) == [
        "native" if number < early else "hierarchical" for number in range(len(sizes))
    ]
    reasons = collections.Counter()
    for case, count in decisions.load(folder).cases.items():
        reasons[case.why == EARLY] += count.calls
    assert reasons[True] == 4 * early


def test_where_patience_differs_nobody_is_lost(compiled, build, profile):
    """All learn it, and go on with that of rank 0 when they meet."""
    program = compiled(build, "ahead.c", with_laneway=False)
    script = 'export LANEWAY_PATIENCE=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec "$@"'
    settings = {"LANEWAY_PROFILE": profile, "LANEWAY_NODE_SIZE": 2}
    outcome = run(
        build,
        3,
        ["sh", "-c", script, "sh", program, "together"],
        preload=[build.preload],
        **settings,
    )
    assert well(outcome) == "right"
    assert outcome.errors.count("settings differ between processes") == 1, outcome.told


@pytest.mark.parametrize("reports", ["", "1"], ids=["plain", "report"])
@pytest.mark.parametrize("chooses", [0, 1])
def test_where_one_process_alone_chooses_early_calls_are_alike(
    compiled, build, tmp_path, monkeypatch, *, chooses, reports
):
    """They learn of it in a call in which they meet, which then is early for all or for none."""
    monkeypatch.delenv("LANEWAY_PATIENCE")
    path = written(tmp_path, "allreduce use hierarchical\n")
    program = compiled(build, "differ.c", with_laneway=False)
    script = (
        f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {chooses} ] && export LANEWAY_PROFILE={path}'
    )
    outcome = run(
        build,
        2,
        ["sh", "-c", f'{script}; exec "$@"', "sh", program],
        preload=[build.preload],
        LANEWAY_NODE_SIZE=1,
        LANEWAY_REPORT=reports,
    )
    assert well(outcome).startswith("right")


def test_who_has_agreed_does_not_agree_again(compiled, build, profile, monkeypatch):
    """An agreement would have to be waited for when the communicator is freed."""
    monkeypatch.delenv("LANEWAY_PATIENCE")
    program = compiled(build, "free_ahead.c", with_laneway=False)
    outcome = run(build, 2, [program], preload=[build.preload], LANEWAY_PROFILE=profile)
    assert well(outcome) == "right"


@pytest.mark.parametrize(
    ("ppn", "algorithm", "made"),
    [
        (2, "lane_segmented", {8: 1, 100_000: 1}),
        (2, "ring", {8: 1, 100_000: 1}),
        (2, "hierarchical", {8: 1, 512: 1, 513: 3, 9: 3}),
        (2, "lane", {100_000: 3, 200_000: 3}),
        # A lane, or a node, of all processes has the world's.
        (1, "lane", {8: 1, 100_000: 1}),
        (4, "lane", {8: 1, 100_000: 1}),
        (3, "lane", {8: 3, 100_000: 3}),
    ],
)
def test_parts_have_communicators_only_for_the_library(compiled, build, ppn, algorithm, made):
    """The world's alone, or those of the node and of the lane as well."""
    program = compiled(build, "splits.c", "-rdynamic", "-ldl")
    outcome = run(build, 4, [program, str(ppn), algorithm, *made])
    assert well(outcome).split() == [str(number) for number in made.values()]
