# SPDX-License-Identifier: BSD-3-Clause
"""The reproducible mode: the same bits wherever so many ranks run, and a word where not.

test_in_process.py proves in which order and brackets its algorithms reduce; here are whole jobs.
"""

import re

import pytest

from jobs import BUILDS, ONE_BUILD, run
from laneway import decisions
from laneway.libraries import native

MODE = {"LANEWAY_REPRODUCIBLE": 1}
MACHINES = {
    "one node": {},
    "a node a rank": {"LANEWAY_NODE_SIZE": 1},
    "two nodes": {"LANEWAY_NODE_SIZE": 2, "LANEWAY_LANES": 2},
    "unequal nodes": {"LANEWAY_NODE_SIZE": 3, "LANEWAY_LANES": 4},
    "ranks dealt out": {"map": "a b a b a b a", "LANEWAY_LANES": 2},
}
REDUCTIONS = (
    "reduce", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan"
)  # fmt: skip
FORMS = ("{}", "i{}", "{}_init")

each_build = pytest.mark.parametrize("build", BUILDS)


@pytest.fixture
def reduced(compiled, tmp_path):
    """`reduced(build, *words, ranks, **settings)`: how a job of reproducible.c ended."""

    def reduced(build, *words, ranks=5, **settings):
        if "map" in settings:
            nodes = tmp_path / "nodes"
            nodes.write_text("\n".join(settings.pop("map").split()[:ranks]))
            settings["LANEWAY_NODE_SIZE"] = nodes
        program = compiled(build, "reproducible.c", with_laneway=False)
        usual = {"LANEWAY_PROFILE_DIR": ""}
        return run(build, ranks, [program, *words], preload=[build.preload], **usual, **settings)

    return reduced


def digests(outcome):
    assert outcome.code == 0, outcome.told
    return [line for line in outcome.output.splitlines() if "differs" not in line]


def differing(outcome):
    return [line for line in outcome.output.splitlines() if "differs" in line]


FEW = ("two nodes", "unequal nodes")


@pytest.mark.parametrize(
    ("ranks", "first", "others"),
    [
        (5, ("one node", "unequal nodes", "ranks dealt out"), FEW[:1]),
        (4, FEW[:1], FEW[1:]),
        *(pytest.param(p, MACHINES, MACHINES, marks=pytest.mark.full) for p in (4, 5, 7)),
    ],
)
def test_bits_are_the_same_on_all_machines_and_with_all_libraries(reduced, ranks, first, others):
    """They are so in one call, in pieces, to any root, in place, again, and in other forms."""
    found = {}
    for build in native.installed():
        for name in others if found else first:
            said = reduced(build, ranks=ranks, **MODE, **MACHINES[name])
            assert not differing(said), said.told
            assert "laneway:" not in said.errors, said.told
            found[build.id, name] = digests(said)
    assert len({tuple(lines) for lines in found.values()}) == 1, found
    assert len(next(iter(found.values()))) == 5 * len(REDUCTIONS)


@each_build
def test_so_are_those_of_zeros_of_both_signs(reduced, build):
    """In Open MPI's vector operators it matters where one stands: here they are off."""
    said = reduced(build, "zeros", OMPI_MCA_op="^avx", LANEWAY_NODE_SIZE=2, **MODE)
    assert not differing(said), said.told
    assert len(digests(said)) == len(REDUCTIONS)


@pytest.mark.parametrize("build", ONE_BUILD)
def test_bits_are_others_without_it(reduced, build):
    """Natively, and by lanes, they depend on pieces, roots and nodes: so there is the mode."""
    assert differing(reduced(build)), "native is reproducible here: the numbers tell nothing"
    by_lane = {"LANEWAY_ALGORITHM": "allreduce=lane,reduce=lane,scan=lane"}
    one, two = (reduced(build, LANEWAY_NODE_SIZE=size, **by_lane) for size in (2, 4))
    assert digests(one) != digests(two)


@each_build
def test_it_goes_before_what_settings_say_of_reductions(reduced, build, tmp_path):
    """Said once; other collectives are chosen as ever, and the report has the reason."""
    profile = tmp_path / "user.conf"
    profile.write_text("laneway profile 1\nreduce use lane\nbcast use hierarchical\n")
    said = reduced(
        build,
        LANEWAY_PROFILE=profile,
        LANEWAY_ALGORITHM="allreduce=ring",
        LANEWAY_NODE_SIZE=2,
        LANEWAY_REPORT=tmp_path / "report",
        **MODE,
    )
    assert not differing(said), said.told
    (line,) = [line for line in said.errors.splitlines() if "laneway:" in line]
    assert f"overrules what {profile} and LANEWAY_ALGORITHM say" in line
    cases = decisions.load(tmp_path / "report").cases
    assert {case.algorithm for case in cases if case.collective == "bcast"} == {"hierarchical"}
    reductions = {form.format(name) for name in REDUCTIONS for form in FORMS}
    counted = [case for case in cases if case.collective in reductions]
    assert {case.collective for case in counted} == reductions
    assert {case.why for case in counted} == {"reproducible"}


UNCOVERED = {
    "between-groups": "allreduce: an inter-communicator",
    "nonblocking-first": "iallreduce: nonblocking, and the communicator is not decomposed yet",
}


@each_build
@pytest.mark.parametrize("what", UNCOVERED)
def test_what_it_does_not_hold_for_is_said(reduced, build, what):
    for strict in (0, 1):
        said = reduced(build, what, ranks=4, LANEWAY_STRICT=strict, **MODE)
        assert f"LANEWAY_REPRODUCIBLE does not hold for {UNCOVERED[what]}" in said.errors, said.told
        assert (said.code != 0) == bool(strict), said.told
        lines = re.findall("LANEWAY_REPRODUCIBLE", said.errors)
        # Each group of an inter-communicator has a rank 0.
        assert len(lines) <= (2 if what == "between-groups" else 1), said.told
    assert "laneway:" not in reduced(build, what, ranks=4, LANEWAY_STRICT=1).errors


@each_build
def test_it_holds_for_one_process_and_for_no_data(reduced, build):
    said = reduced(build, "alone", ranks=2, LANEWAY_STRICT=1, **MODE)
    assert (said.code, said.errors) == (0, ""), said.told


@each_build
@pytest.mark.parametrize("variable", ["LANEWAY=off", "LANEWAY_ADVISE=1"])
def test_what_makes_all_native_is_said(reduced, build, variable):
    name, value = variable.split("=")
    said = reduced(build, ranks=2, **MODE, **{name: value})
    why = {"LANEWAY": "LANEWAY=off", "LANEWAY_ADVISE": "advising"}[name]
    assert f"LANEWAY_REPRODUCIBLE does not hold for reduce: {why}" in said.errors, said.told


@each_build
def test_another_value_is_refused(reduced, build):
    said = reduced(build, "alone", ranks=2, LANEWAY_REPRODUCIBLE="yes", LANEWAY_STRICT=1)
    assert "LANEWAY_REPRODUCIBLE: 'yes' is neither '1' nor '0'" in said.errors
    assert said.code != 0
