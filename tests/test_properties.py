# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm over MPI libraries, against the library's own result (tests/property).

The tests prove what an MPI library has to do with: communicators of every shape, datatypes and
operators. They also prove the wire form, the caller's memory, and messages that the library carries
itself. The algorithms are right with every count, root and order of events: test_in_process.py
proves that, on many more and larger machines in less time. So the draws of the default run are
small here.

A seed that is not fixed would make the tests of two days incomparable: `LANEWAY_TEST_SEED` asks
for another draw.
"""

import os
import random
import re

import pytest

from jobs import BUILDS, ONE_BUILD, check_program, run

# Jobs that poll on more processes than there are cores take longer beside each other than in turn.
pytestmark = pytest.mark.xdist_group("properties")

SEED = os.environ.get("LANEWAY_TEST_SEED", "1")

DRAW = {1: 40, 2: 150, 3: 220, 4: 150, 5: 100, 6: 60, 8: 40}
"""Cases by number of ranks in the default run. Every algorithm has one at least: there are fewer of
them than cases on 3 ranks. Over all of them, so has every form of data, operator and shape."""

FULL_DRAW = {1: 2000, 2: 14000, 3: 14000, 4: 14000, 5: 12000, 6: 8000, 7: 4000, 8: 4000}
"""Such cases in test-full. All cases there are would take days: they multiply."""


def least_of(ranks: int, cases: int) -> float:
    """Cases of a draw that must pass: some are left out for faults of the MPI library.

    On one process all of MPICH's alltoalls are, 17% of them.
    """
    return (0.7 if ranks == 1 else 0.9) * cases


SETTINGS = [
    (
        "bcast@lane=hierarchical,scatter@node=lane,gather@lane=lane_regular,allgather@lane=lane,"
        "alltoall@lane=lane_reorder,reduce@node=lane,allreduce@node=lane,"
        "reduce_scatter_block@lane=hierarchical,scan@node=lane,exscan@lane=lane,barrier@node=lane"
    ),
    (
        "scatter@lane=lane_regular,gather@lane=hierarchical,scatter@node=hierarchical,"
        "gather@node=lane_regular,allgather@lane=lane_reorder,alltoall@lane=lane"
    ),
    (
        "bcast@node=lane_pipeline,scatter@lane=hierarchical,gather@node=lane,"
        "allgather@node=hierarchical,alltoall@node=hierarchical,reduce@lane=lane_root_reduce,"
        "allreduce@lane=hierarchical,reduce_scatter_block@node=lane,scan@node=hierarchical,"
        "exscan@lane=hierarchical,barrier@lane=lane"
    ),
    (
        "bcast@lane=circulant,bcast@node=knomial,scatter@lane=linear_sync,scatter@node=binomial,"
        "gather@lane=linear,gather@node=binomial,allgather@lane=bruck,allgather@node=ring,"
        "alltoall@lane=spread,alltoall@node=bruck,reduce@lane=chain,reduce@node=binomial,"
        "allreduce@lane=swing,allreduce@node=rabenseifner,scan@lane=chain,scan@node=binary,"
        "reduce_scatter_block@lane=recursive_halving,reduce_scatter_block@node=butterfly,"
        "exscan@lane=linear,exscan@node=recursive_doubling,barrier@lane=dissemination,"
        "barrier@node=tree"
    ),
    (
        "scatterv@node=linear,gatherv@node=lane,allgatherv@node=ring,allgatherv@lane=circulant,"
        "alltoallv@lane=pairwise,reduce_scatter@node=butterfly,reduce_scatter@lane=ring"
    ),
]
"""Algorithms for the components of algorithms."""

WRONG = {
    "bcast/wrong_at_one_root": "instead of",
    "bcast/talks_on_users_communicator": "caught a message",
    "bcast/writes_to_input": "the input has been written to",
    "allgather/takes_too_much_memory": "bytes of temporary memory",
    "allreduce/writes_into_gap": "outside the data",
    "barrier/leaves_early": "left before all had come",
    "exscan/writes_on_rank_0": "result",
    "allreduce/rounds_by_rank": "differs from that of rank 0",
    "allgatherv/stops_at_an_empty_block": "result",
    "alltoallv/keeps_the_first_block": "instead of",
    "gatherv/places_by_another_cut": "instead of",
}
"""Deliberately wrong algorithms, and the word by which they must be caught."""

MANY = {"allreduce/rounds_by_rank": 200}
"""Cases of a small draw that has one in which the fault shows; 60 of others."""

SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:exitcode=99:verify_asan_link_order=0",
    "LSAN_OPTIONS": "print_suppressions=0:fast_unwind_on_malloc=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}

LEAKS = """\
# What MPI libraries, launchers' plug-ins and hwloc leave allocated at the end of a process.
leak:libmpi
leak:libmpich
leak:libopen-
leak:libpmix
leak:mca_
leak:libhwloc
leak:libuc
leak:libfabric
leak:libyaksa
leak:libevent
leak:libltdl
leak:libxml
leak:libze_
leak:libnl
leak:libibverbs
leak:librdmacm
leak:ld-linux
leak:_dl_
"""


def verdict(outcome, ranks: int, least: int, asked: float = 0.4) -> None:
    """All passed, and the algorithms under test really served where they could."""
    print(outcome.output)
    found = re.search(r"(\d+) passed, (\d+) failed; in (\d+) the", outcome.output)
    assert found, outcome.told
    passed, failed, as_asked = map(int, found.groups())
    assert failed == 0, outcome.told
    assert outcome.code == 0, outcome.told
    assert passed >= least, outcome.told
    assert ranks == 1 or as_asked >= asked * passed, outcome.told


@pytest.mark.parametrize("ranks", DRAW)
@pytest.mark.parametrize("build", BUILDS)
def test_a_draw_of_the_cases_passes(build, ranks):
    program = [check_program(build), "--cases", DRAW[ranks], "--seed", SEED]
    verdict(run(build, ranks, program), ranks, least_of(ranks, DRAW[ranks]))


@pytest.mark.parametrize("build", BUILDS)
def test_operators_of_the_users_get_whole_messages_unless_a_setting_says_otherwise(build):
    """Algorithms that serve in place of those that divide them give the library's result, too."""
    program = [check_program(build), "--cases", 150, "--seed", SEED]
    verdict(run(build, 5, program, LANEWAY_DIVIDE_OPERATORS=0), 5, 120)


@pytest.mark.parametrize("form", ["nonblocking", "persistent"])
@pytest.mark.parametrize("ranks", [4, pytest.param(7, marks=pytest.mark.full)])
@pytest.mark.parametrize("build", BUILDS)
def test_a_draw_of_the_cases_passes_in_other_forms(build, ranks, form):
    program = [check_program(build), "--cases", 180, "--seed", SEED, "--form", form]
    verdict(run(build, ranks, program), ranks, 0.9 * 180)


@pytest.mark.parametrize("build", BUILDS)
def test_a_draw_of_the_cases_passes_where_the_library_carries_messages_of_a_node(build):
    program = [check_program(build), "--cases", 100, "--seed", SEED]
    verdict(run(build, 4, program, LANEWAY_NODE_MESSAGES="library"), 4, 0.9 * 100)


@pytest.mark.parametrize("build", ONE_BUILD)
def test_the_draws_leave_nothing_out_that_the_library_sees(build):
    """Small as they are, they have all algorithms, datatypes, operators and rows of blocks.

    A case reads collective/algorithm/group/nodes/datatype[/operator]/count=...[/row of blocks]...
    """

    def parts(ranks: int, cases: int) -> set[tuple[int, str]]:
        listing = [check_program(build), "--list", "--cases", cases, "--seed", SEED]
        names = [line.split("/") for line in run(build, ranks, listing).output.split()]
        drawn = {(0, "/".join(name[:2])) for name in names if len(name) > 4}
        for name in names:
            drawn |= {(place, name[place]) for place in (2, 4) if len(name) > 4}
            drawn |= {(5, part) for part in name[5:] if "=" not in part}
        return drawn

    small = set().union(*(parts(ranks, cases) for ranks, cases in DRAW.items() if ranks <= 5))
    large = parts(3, FULL_DRAW[3])
    assert len(large) > 50
    assert large <= small


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("ranks", [pytest.param(4, marks=pytest.mark.full), 6])
@pytest.mark.parametrize("build", ONE_BUILD)
def test_components_are_served_by_other_algorithms(build, ranks, settings):
    program = [check_program(build), "--cases", 90, "--seed", SEED]
    verdict(run(build, ranks, program, LANEWAY_ALGORITHM=settings), ranks, 72)


@pytest.mark.parametrize("algorithm", ["hierarchical", "lane"])
@pytest.mark.parametrize("build", ONE_BUILD)
def test_components_that_know_no_nodes_serve_larger_ones(build, algorithm):
    """Trees on nodes of four processes and more have processes between root and leaves."""
    program = [check_program(build), "--cases", 60, "--seed", SEED, "--algorithm", algorithm]
    verdict(run(build, 8, program, LANEWAY_ALGORITHM=SETTINGS[3]), 8, 45)


@pytest.mark.parametrize(
    ("collective", "algorithm"),
    [("reduce", "k_ported"), ("reduce_scatter_block", "hierarchical")],
)
@pytest.mark.parametrize("build", ONE_BUILD)
def test_all_processes_choose_a_component_by_the_same_size(build, collective, algorithm, tmp_path):
    """All know the input of a reduction, but only the root must have a result."""
    profile = tmp_path / "own.conf"
    profile.write_text("laneway profile 1\nreduce@node bytes=1.. use binomial\n")
    program = [check_program(build), "--cases", 40, "--seed", SEED]
    program += ["--collective", collective, "--algorithm", algorithm]
    verdict(run(build, 6, program, LANEWAY_PROFILE=profile), 6, 25)


@pytest.mark.parametrize(
    ("ranks", "lanes"),
    [
        (3, 2),
        (5, 3),
        (6, 100),
        *(pytest.param(*of, marks=pytest.mark.full) for of in ((3, 3), (5, 2))),
    ],
)
@pytest.mark.parametrize("build", ONE_BUILD)
def test_processes_serve_several_lanes(build, ranks, lanes):
    program = [check_program(build), "--cases", 90, "--seed", SEED]
    verdict(run(build, ranks, program, LANEWAY_LANES=lanes), ranks, 72)


def weights(seed: object, lanes: int) -> str:
    """Weights of lanes of any ratio, zeros among them, in a draw; never all alike."""
    draw = random.Random(f"{seed} {lanes}")  # noqa: S311 - a draw of tests
    drawn = [draw.choice((0, 0, 1, 2, 3, 10, 10_000)) for _ in range(lanes)]
    if len({*drawn}) == 1:
        drawn[0] = 0 if drawn[0] else 1
    return ":".join(map(str, drawn))


@pytest.mark.parametrize(("ranks", "lanes"), [(4, 2), (5, 3), (6, 2), (8, 4)])
@pytest.mark.parametrize("build", BUILDS)
def test_lanes_have_any_weights(build, ranks, lanes):
    program = [check_program(build), "--cases", 150, "--seed", SEED]
    drawn = weights(SEED, lanes)
    verdict(run(build, ranks, program, LANEWAY_LANE_WEIGHTS=drawn), ranks, 120)


@pytest.mark.parametrize("form", ["blocking", "nonblocking"])
@pytest.mark.parametrize(("ranks", "lanes"), [(4, 2), (6, 3), (8, 2)])
@pytest.mark.parametrize("build", BUILDS)
def test_nodes_have_weights_of_their_own(build, ranks, lanes, form):
    """Lanes that are out on one node among them, and nodes without a lane in common."""
    rows = [weights(f"{SEED} {form} {node}", lanes) for node in range(-1, ranks)]
    said = ",".join([rows[0], *(f"{node}={row}" for node, row in enumerate(rows[1:]) if node % 3)])
    program = [check_program(build), "--form", form, "--cases", 150, "--seed", SEED]
    verdict(run(build, ranks, program, LANEWAY_LANE_WEIGHTS=said), ranks, 110)


@pytest.mark.parametrize("form", ["blocking", "nonblocking", "persistent"])
@pytest.mark.parametrize(("ranks", "lanes"), [(4, 2), (6, 4)])
@pytest.mark.parametrize("build", BUILDS)
def test_weights_of_lanes_change_while_a_program_runs(build, ranks, lanes, form):
    """As if lanes were never alike for long. Calls that have begun keep their shares."""
    words = ["--weigh-piece", 4, "--form", form, "--cases", 200, "--seed", SEED]
    settings = {"LANEWAY_LANE_WEIGHTS": "auto", "LANEWAY_LANES": lanes}
    verdict(run(build, ranks, [check_program(build), *words], **settings), ranks, 150)


@pytest.mark.parametrize("bytes_at_once", [4, 20])
@pytest.mark.parametrize("build", BUILDS)
def test_elements_of_any_size_come_into_wire_form(build, bytes_at_once):
    """Elements too large for MPI_Pack, and several calls of it, where a few bytes are large."""
    draw = ["--algorithm", "lane", "--cases", 100, "--seed", SEED]
    limit = ["--pack-at-once", bytes_at_once]
    verdict(run(build, 3, [check_program(build), *draw, *limit]), 3, 90)


@pytest.mark.parametrize("form", ["blocking", "nonblocking"])
@pytest.mark.parametrize("build", BUILDS)
def test_messages_too_long_for_the_nodes_channel_go_by_the_library(build, form):
    """Where a few bytes are too long: in truth it takes 2 GiB."""
    draw = ["--form", form, "--near-at-most", 40, "--cases", 150, "--seed", SEED]
    verdict(run(build, 4, [check_program(build), *draw]), 4, 110)


def caught(build, wrong: str, *draw: object) -> list[str]:
    """The cases in which a deliberately wrong algorithm fails as it must."""
    collective, algorithm = wrong.split("/")
    named = ["--collective", collective, "--algorithm", algorithm, *draw]
    outcome = run(build, 3, [check_program(build), "--with-wrong", *named])
    assert outcome.code != 0, outcome.told
    failures = re.findall(r"FAILED: mpirun .* --case (\S+)  # (.*)", outcome.output)
    cases = [case for case, why in failures if case.startswith(wrong) and WRONG[wrong] in why]
    assert cases, outcome.told
    return cases


@pytest.mark.parametrize(
    ("wrong", "cases"),
    [
        *((name, MANY.get(name, 60)) for name in WRONG),
        *(pytest.param(name, 250, marks=pytest.mark.full) for name in WRONG),
    ],
)
@pytest.mark.parametrize("build", ONE_BUILD)
def test_a_wrong_algorithm_is_caught(build, wrong, cases):
    assert caught(build, wrong, "--cases", cases)


@pytest.mark.parametrize(
    "wrong",
    [name if number == 0 else pytest.param(name, marks=pytest.mark.full)
     for number, name in enumerate(WRONG)],
)  # fmt: skip
@pytest.mark.parametrize("build", ONE_BUILD)
def test_the_line_that_is_printed_reproduces_a_failure(build, wrong):
    """It reproduces nothing but that case."""
    case = caught(build, wrong, "--cases", MANY.get(wrong, 60))[0]
    outcome = run(build, 3, [check_program(build), "--with-wrong", "--case", case])
    assert outcome.code != 0, outcome.told
    assert f"--case {case} " in outcome.output, outcome.told
    assert "0 passed, 1 failed" in outcome.output, outcome.told


@pytest.mark.parametrize("build", ONE_BUILD)
def test_a_case_that_does_not_exist_is_no_success(build):
    outcome = run(build, 2, [check_program(build), "--case", "bcast/lane/nowhere"])
    assert outcome.code != 0
    assert "0 passed" in outcome.output


@pytest.mark.full
@pytest.mark.timeout(7300)
@pytest.mark.parametrize(
    "ranks", [pytest.param(p, marks=pytest.mark.xdist_group(f"draw of {p}")) for p in FULL_DRAW]
)
@pytest.mark.parametrize("build", BUILDS)
def test_a_large_draw_of_the_cases_passes(build, ranks):
    program = [check_program(build), "--cases", FULL_DRAW[ranks], "--seed", SEED]
    least = least_of(ranks, FULL_DRAW[ranks])
    verdict(run(build, ranks, program, timeout=7200), ranks, least)


def test_the_large_draw_is_large():
    assert sum(least_of(*draw) for draw in FULL_DRAW.items()) >= 60_000


@pytest.mark.full
@pytest.mark.parametrize("ranks", [2, 3, 4, 5])
@pytest.mark.parametrize("build", BUILDS)
def test_the_sanitizers_find_nothing(build, ranks, tmp_path):
    """In one process, test_in_process.py asks them each time."""
    cases = 600
    program = [check_program(build, "-asan"), "--cases", cases, "--seed", SEED]
    leaks = tmp_path / "leaks"
    leaks.write_text(LEAKS)
    environment = dict(SANITIZERS)
    environment["LSAN_OPTIONS"] += f":suppressions={leaks}"
    outcome = run(build, ranks, program, timeout=500, **environment)
    assert "Sanitizer" not in outcome.errors, outcome.told
    assert "runtime error" not in outcome.errors, outcome.told
    verdict(outcome, ranks, 0.9 * cases)
