# SPDX-License-Identifier: BSD-3-Clause
"""Operators of programs that look at the whole message, as hypre's for lists do, get it whole.

MPI wants operators element by element, so such a program is wrong; natively it is right by luck.
lists.c merges lists. That algorithms do what they claim, test_in_process.py proves on all machines.
"""

import pytest

from commands import laneway
from jobs import BUILDS, ONE_BUILD, run, settings_error
from laneway import decisions
from laneway.libraries import registry
from profiles import written

each_build = pytest.mark.parametrize("build", BUILDS)

REDUCTIONS = ("reduce", "allreduce", "reduce_scatter_block", "scan", "exscan")
FORMS = ("{}", "i{}", "{}_init")
TARGETS = [form.format(name) for name in REDUCTIONS for form in FORMS]
PARTS = "an operator that may be called with parts of the message"
NODES = {
    "LANEWAY_NODE_SIZE": 2,
    "LANEWAY_LANES": 2,
    "LANEWAY_PROFILE_DIR": "",
    "LANEWAY_DEFAULT": "on",
}


@pytest.fixture(scope="session")
def merged(compiled):
    """`merged(build, ranks, commutes, *named, **settings)`: verdicts by collective, form, length.

    Without settings it runs natively, once.
    """
    known = {}

    def merged(build, ranks, commutes, *named, **settings):
        key = build.id, ranks, commutes
        if not settings and key in known:
            return known[key]
        options = ("-DNAMED",) if named else ()
        program = compiled(build, "lists.c", *options, with_laneway=bool(named))
        preload = [build.preload] if settings and not named else []
        words = [program, commutes, *named]
        outcome = run(build, ranks, words, preload=preload, **settings)
        assert outcome.code == 0, outcome.told
        said = dict(line.split(": ", 1) for line in outcome.output.splitlines())
        if not settings:
            known[key] = said
        return said

    return merged


def is_of_blocks(call):
    """Whether libraries call operators with blocks in such a call."""
    return call.startswith("reduce_scatter_block")


def wrong(said, natively):
    """The calls that are neither right nor as they are natively."""
    return {call: how for call, how in said.items() if how not in ("right", natively[call])}


def forced(build, *algorithms):
    """The setting for all reductions that have an algorithm, in all forms; the last one wins."""
    has = [entry.key for entry in registry.load(build)]
    chosen = {
        form.format(name): algorithm
        for algorithm in algorithms
        for name in REDUCTIONS
        if (name, algorithm) in has
        for form in FORMS
    }
    return {"LANEWAY_ALGORITHM": ",".join(f"{name}={by}" for name, by in chosen.items())}


@each_build
def test_libraries_call_an_operator_that_does_not_commute_with_whole_messages(merged, build):
    """Blocks of a reduce_scatter_block are an exception: such programs rely on that."""
    said = merged(build, 4, 0)
    assert {how for call, how in said.items() if not is_of_blocks(call)} == {"right"}, said


@each_build
@pytest.mark.parametrize("commutes", [0, 1])
def test_rules_that_nobody_wrote_keep_messages_whole(merged, build, commutes, tmp_path):
    """They are the rules that Laneway brings, and those of a profile, whoever made it."""
    natively = merged(build, 4, commutes)
    profile = written(
        tmp_path,
        "".join(f"{name} use lane\n" for name in TARGETS)
        + "".join(f"{name} bytes=20K.. use lane_segmented\n" for name in TARGETS)
        + "allreduce bytes=..4K use hierarchical with allreduce@lane=ring reduce@node=lane\n",
    )
    for settings in ({}, {"LANEWAY_PROFILE": profile}):
        report = tmp_path / f"report-{len(settings)}"
        said = merged(build, 4, commutes, LANEWAY_REPORT=report, **NODES, **settings)
        assert not wrong(said, natively)
        cases = decisions.load(report).cases
        assert any(PARTS in case.why for case in cases), cases
        assert any(case.algorithm == "hierarchical" for case in cases), cases


@each_build
@pytest.mark.parametrize(
    ("ranks", "algorithms"),
    [
        (5, ["lane"]),
        (4, ["rabenseifner", "butterfly", "chain"]),
        (2, ["ring", "two_tree", "binary"]),
    ],
)
def test_no_algorithm_that_is_named_divides_what_does_not_commute(merged, build, ranks, algorithms):
    natively = merged(build, ranks, 0)
    components = ",allreduce@lane=swing,reduce@node=lane,scan@node=binary(segment=64)"
    chosen = forced(build, *algorithms)["LANEWAY_ALGORITHM"] + components
    assert not wrong(merged(build, ranks, 0, LANEWAY_ALGORITHM=chosen, **NODES), natively)


@each_build
@pytest.mark.parametrize("commutes", [0, 1])
def test_the_reproducible_mode_keeps_messages_whole(merged, build, commutes):
    """It does so for those of reduce_scatter_block, too."""
    said = merged(build, 3, commutes, LANEWAY_REPRODUCIBLE=1, **NODES)
    assert set(said.values()) == {"right"}, said


@pytest.mark.parametrize("build", ONE_BUILD)
@pytest.mark.parametrize("commutes", [0, 1])
def test_a_call_that_names_an_algorithm_gets_it_only_where_it_may_divide(merged, build, commutes):
    """Any of them, in all forms: an operator that commutes gets parts where it is said so."""
    entries = [entry for entry in registry.load(build) if entry.collective in REDUCTIONS]
    named = [f"{entry.collective}={entry.algorithm}" for entry in entries]
    natively = merged(build, 4, commutes)
    divided = set()
    for call, how in merged(build, 4, commutes, *named, **NODES).items():
        collective, algorithm, rest = call.split(" ", 2)
        if how not in ("right", natively[f"{collective} chosen {rest}"]):
            divided.add((collective, algorithm))
    may = {entry.key for entry in entries if commutes and PARTS in entry.requires}
    assert divided <= may
    assert bool(divided) == bool(commutes)


@each_build
def test_a_setting_says_that_operators_may_be_divided(merged, build):
    settings = {**NODES, **forced(build, "lane"), "LANEWAY_DIVIDE_OPERATORS": 1}
    said = merged(build, 4, 0, **settings)
    parts = {call.split()[0] for call, how in said.items() if "in parts" in how}
    assert parts == set(REDUCTIONS)
    assert "is neither '1' nor '0'" in settings_error(build, LANEWAY_DIVIDE_OPERATORS="yes")
    told = laneway("env", "--mpi", build.id, "--divide-operators")
    assert "LANEWAY_DIVIDE_OPERATORS=1" in told.stdout
