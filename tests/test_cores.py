# SPDX-License-Identifier: BSD-3-Clause
"""Rules for processes with a core each, and what holds within one node where nobody has tuned."""

import json

import pytest

import commands
from jobs import BUILDS, run
from laneway import decisions
from laneway.interposition.announcement import announcement
from laneway.launching import this_machine
from laneway.libraries import native
from profiles import FIRST, served, written

CORES = this_machine.cores()
BY_CORES = "bcast cores=each use chain\nbcast cores=shared use binary\n"
SERVING = {"each": "chain", "shared": "binary"}

ON_ONE_NODE = {"LANEWAY_NODE_SIZE": None, "LANEWAY_DEFAULT": "on"}
"""Settings of a job on the nodes as they are, with what Laneway brings."""


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    "case",
    [
        (2, {}, "each" if CORES >= 2 else "shared"),
        (CORES + 1, {}, "shared"),
        (2, {"LANEWAY_CORES": "shared"}, "shared"),
        (CORES + 1, {"LANEWAY_CORES": "each"}, "each"),
    ],
)
def test_cores_are_agreed_on_and_decide(decide, build, tmp_path, case):
    """By how many processes the launcher has started here, or as somebody says."""
    ranks, said, cores = case
    report = tmp_path / "report"
    settings = {"LANEWAY_PROFILE": written(tmp_path, BY_CORES), "LANEWAY_REPORT": report, **said}
    outcome = decide(build, 10, ranks=ranks, LANEWAY_NODE_SIZE=None, **settings)
    assert served(outcome) == {10: SERVING[cores]}
    assert not outcome.errors, outcome.told
    found = decisions.load(report)
    assert {case.place.cores for case in found.cases} == {cores}
    assert any("cores shared: " in note for note in found.notes()) == (cores == "shared")


@pytest.mark.parametrize("build", BUILDS)
def test_virtual_nodes_share_the_cores_of_their_machine(decide, build, tmp_path):
    settings = {"LANEWAY_PROFILE": written(tmp_path, BY_CORES), "LANEWAY_NODE_SIZE": 1}
    assert served(decide(build, 10, ranks=CORES + 1, **settings)) == {10: "binary"}


def test_one_rank_that_says_otherwise_has_rank_0s_word(decide, tmp_path):
    build = native.installed()[0]
    settings = {"LANEWAY_PROFILE": written(tmp_path, BY_CORES), "LANEWAY_CORES": "each"}
    outcome = decide(build, "1=LANEWAY_CORES=shared", 10, ranks=2, **settings)
    assert served(outcome) == {10: "chain"}
    assert outcome.errors.count("the LANEWAY_* settings differ between processes") == 1


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("cores", "short"), [("each", "binomial"), ("shared", "native"), ("", None)]
)
def test_what_holds_on_one_node_where_nobody_has_tuned(decide, build, cores, short):
    """No lanes are known: the rules are read as each process has a core."""
    short = short or ("binomial" if CORES >= 2 else "native")
    settings = {**ON_ONE_NODE, "LANEWAY_CORES": cores}
    outcome = decide(build, 10, 1 << 20, ranks=2, **settings)
    assert served(outcome) == {10: short, 1 << 20: "native"}
    assert not outcome.errors, outcome.told


@pytest.mark.parametrize("build", BUILDS)
def test_settings_that_differ_keep_what_holds_on_one_node(decide, build):
    settings = {**ON_ONE_NODE, "LANEWAY_CORES": "each"}
    outcome = decide(build, "1=LANEWAY_PATIENCE=5", 10, ranks=2, **settings)
    assert served(outcome) == {10: "binomial"}


@pytest.mark.parametrize("build", BUILDS)
def test_where_cores_are_fewer_first_calls_wait_for_nobody(compiled, build):
    program = compiled(build, "lone_root.c", with_laneway=False)
    settings = {"LANEWAY_DEFAULT": "on", "LANEWAY_CORES": "shared"}
    outcome = run(build, 2, [program], preload=[build.preload], timeout=60, **settings)
    assert "right" in outcome.errors, outcome.told


def test_a_word_that_is_none_is_told(decide):
    build = native.installed()[0]
    outcome = decide(build, 10, ranks=2, LANEWAY_CORES="many")
    assert "LANEWAY_CORES: 'many' is neither 'each' nor 'shared'" in outcome.errors


def test_the_choice_on_one_node_is_explained(tmp_path):
    build = native.installed()[0]

    def told(*more, **variables):
        words = ("explain", "choice", "bcast", "--nodes", 1, "--bytes", "1K", "--mpi", build.id)
        home = {"XDG_CONFIG_HOME": str(tmp_path), "LANEWAY_DEFAULT": "on", **variables}
        return commands.laneway(*words, *more, **home).stdout

    each = told("--ppn", 2, "--cores", "each")
    assert "1K bytes on 1 x 2, cores each: binomial" in each
    assert "1024 bytes: " in each
    assert "on 1 x 2, cores shared: native, no rule fits" in told("--ppn", 2, "--cores", "shared")
    here = "each" if CORES >= 2 else "shared"
    assert f"on 1 x 2, cores {here}: " in told("--ppn", 2)
    assert "on 1 x 2, cores shared: " in told("--ppn", 2, LANEWAY_CORES="shared")
    many = ("--ppn", CORES + 1)
    assert f"on 1 x {CORES + 1}, cores shared: native, no rule fits" in told(*many)
    asked = json.loads(told("--ppn", 2, "--cores", "each", "--json"))
    assert (asked["cores"], asked["where"]["cores"]) == ("each", "each")


def test_exec_tells_what_serves_within_one_node():
    build = native.installed()[0]
    told = announcement(build, {"LANEWAY_PROFILE_DIR": ""})
    assert "calls are native unless all processes are on one machine with a core for each" in told
    each = announcement(build, {"LANEWAY_PROFILE_DIR": "", "LANEWAY_CORES": "each"})
    assert each.startswith("laneway: built-in choices, ")
    shared = announcement(build, {"LANEWAY_PROFILE_DIR": "", "LANEWAY_CORES": "shared"})
    assert "no profile, all calls are native" in shared


def test_the_nearest_shape_shares_cores_in_the_same_way(tmp_path):
    path = tmp_path / "tuned.conf"
    path.write_text(
        f"{FIRST}shape nodes=4 ppn=4 cores=each\nelsewhere use\n"
        "bcast nodes=4 ppn=4 cores=each use hierarchical\n"
    )

    def decided(cores):
        where = ("--bytes", "4K", "--nodes", 8, "--ppn", 4, "--cores", cores)
        words = ("profile", "show", "bcast", *where, "--profile", path, "--json")
        return json.loads(commands.laneway(*words, LANEWAY_PROFILE_DIR="").stdout)["algorithm"]

    assert (decided("each"), decided("shared")) == ("hierarchical", "native")
