# SPDX-License-Identifier: BSD-3-Clause
"""The library in programs of all kinds: ends, errors, settings, threads, preloads."""

import re
import subprocess

import pytest

from jobs import BUILDS, ROOT, run, settings_error
from laneway import decisions

pytestmark = pytest.mark.parametrize("build", BUILDS)


@pytest.fixture
def job(build, compiled):
    """Compiles a program, runs it, and returns how it ended."""

    def job(ranks, source, *words, options=(), with_laneway=True, **keywords):
        program = compiled(build, source, *options, with_laneway=with_laneway)
        return run(build, ranks, [program, *words], **keywords)

    return job


def well(outcome) -> str:
    assert outcome.code == 0, outcome.told
    return outcome.output


def test_a_call_names_tunables(job):
    # It counts messages that the library carries.
    settings = {"LANEWAY_NODE_MESSAGES": "library"}
    said = well(job(2, "named.c", options=("-rdynamic", "-ldl"), **settings))
    # The two with requests are answered by a message each.
    all_forms = 3 * 64 + 2
    assert said.strip() == f"64, 1, 64, {all_forms} by chain; refused, refused, refused, refused"


def test_header_library_and_preload_have_the_same_forms_of_collectives(build, tmp_path):
    def named(text, includes):
        """The functions of ours that a text names once the preprocessor has read it."""
        source = tmp_path / "source.c"
        source.write_text(text)
        read = [build.mpicc, "-E", "-P", f"-I{includes}", source]
        told = subprocess.run(read, capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"\blaneway_\w+", told))

    declared = named("#include <laneway.h>", build.folder / "include")
    nm = ["nm", "--dynamic", "--defined-only", "--format=just-symbols", build.liblaneway]
    defined = subprocess.run(nm, capture_output=True, text=True, check=True).stdout.split()
    assert declared <= set(defined)

    lists = "".join(
        f"LANEWAY_REGULAR(LANEWAY_{form}, F) LANEWAY_REGULAR(LANEWAY_{form}_C, F)"
        f" LANEWAY_BARRIER(LANEWAY_{form}, F) "
        for form in ("BLOCKING", "NONBLOCKING", "PERSISTENT")
    )
    macro = '#include "library/interposed.h"\n#define F(name, in_core, ...) laneway_##in_core\n'
    served = named(macro + lists, ROOT / "src")
    assert len(served) == 10 * 6 + 3
    by_name = {re.sub(r"(_c)?$", r"_with\1", name, count=1) for name in served}
    collectives = "|".join(name for name in served if f"laneway_i{name[8:]}" in served)
    form = re.compile(rf"laneway_i?({collectives.replace('laneway_', '')})(_init)?(_with)?(_c)?")
    assert {name for name in declared if form.fullmatch(name)} == served | by_name


def test_programs_that_are_linked_hand_over_requests_and_communicators(build, tmp_path):
    """Both names, whatever the library is that the build is for: another release may have more."""
    source = tmp_path / "source.c"
    lists = ("REQUESTS", "ENDS", "DUPLICATES")
    names = " ".join(f"LANEWAY_{one}(LANEWAY_BLOCKING, F)" for one in lists)
    head = '#include "library/interposed.h"\n#define F(name, ...) its_##name\n'
    source.write_text(head + names)
    read = [build.mpicc, "-E", "-P", f"-I{ROOT / 'src'}", source]
    told = subprocess.run(read, capture_output=True, text=True, check=True).stdout
    handed = set(re.findall(r"\bits_(\w+)", told))
    assert {"Start", "Comm_free", "Comm_idup", "Comm_idup_with_info"} <= handed
    nm = ["nm", "--dynamic", "--defined-only", "--format=just-symbols", build.liblaneway]
    defined = subprocess.run(nm, capture_output=True, text=True, check=True).stdout.split()
    assert {f"{prefix}MPI_{name}" for name in handed for prefix in ("", "P")} <= set(defined)


@pytest.mark.parametrize(
    ("fate", "number"),
    [
        ("keep", 120),
        ("free", 200),
        *(pytest.param(*of, marks=pytest.mark.full) for of in (("keep", 1500), ("free", 3000))),
    ],
)
def test_many_communicators_with_a_broadcast_each(job, build, tmp_path, fate, number):
    """MPICH allows 2045 at a time; of those that are freed none may stay, nor of ours."""
    output = well(job(4, "communicators.c", number, fate, LANEWAY_REPORT=tmp_path / "report"))
    limit = 86 if build.family == "mpich" else 1366
    by_lane = min(number, limit) if fate == "keep" else number
    assert f"{by_lane} by lane" in output
    natives = {case.why for case in decisions.load(tmp_path / "report").cases
               if case.algorithm == "native"}  # fmt: skip
    reason = "Laneway's limit of private communicators a process"
    assert natives == ({reason} if by_lane < number else set())


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_communicators_of_all_kinds(job, ranks):
    well(job(ranks, "handles.c"))


@pytest.mark.parametrize("ranks", [4, 5])
def test_leftovers_differ_between_processes_at_the_end(job, ranks):
    well(job(ranks, "leftovers.c"))


def sessions(build) -> int:
    """How often in a row MPI can be started: MPICH 4.0 crashes in its second MPI_Session_init."""
    return 1 if build.id == "mpich-4.0" else 2


def test_sessions_come_and_go(job, build):
    rounds = sessions(build)
    settings = {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": 2}
    output = well(job(3, "sessions.c", rounds, **settings))
    assert output.split("\n") in (["served by lane"] * rounds, ["no sessions"] * 3)


def test_sessions_come_and_go_under_the_preload(job, build):
    settings = {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": 2}
    preloaded = {"options": ["-DLANEWAY_PRELOADED"], "with_laneway": False}
    well(job(3, "sessions.c", sessions(build), preload=[build.preload], **preloaded, **settings))


SETTINGS_DIFFER = "the LANEWAY_* settings differ between processes"


@pytest.mark.parametrize(
    ("rank", "name", "value", "served_by"),
    [
        (1, "LANEWAY_ALGORITHM", "bcast=lane", "native"),
        (0, "LANEWAY_ALGORITHM", "bcast=hierarchical", "hierarchical"),
        (2, "LANEWAY", "off", "native"),
        (1, "LANEWAY_NODE_SIZE", "1", "native"),
        (1, "LANEWAY_ALGORITHM", "bcast=nonsense", "native"),
    ],
)
def test_settings_of_rank_0_hold_where_they_differ(job, rank, name, value, served_by):
    outcome = job(4, "settings.c", rank, name, value)
    assert f"served by {served_by}" in well(outcome)
    assert outcome.errors.count(SETTINGS_DIFFER) == 1, outcome.told


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(("lanes", "served_by"), [("3", "chain"), ("5", "binary")])
def test_of_nodes_with_different_lanes_the_least_count(job, tmp_path, rank, lanes, served_by):
    """Rank 0's node counts, too; what was found is no setting that anybody could have got wrong."""
    profile = tmp_path / "two.conf"
    profile.write_text(
        "laneway profile 1\n"
        "bcast lanes=2.. use hierarchical\nbcast lanes=3 use chain\nbcast lanes=4 use binary\n"
    )
    settings = {"LANEWAY_PROFILE": profile, "LANEWAY_EMULATED_LANES": 4}
    outcome = job(3, "settings.c", rank, "LANEWAY_EMULATED_LANES", lanes, **settings)
    assert f"served by {served_by}" in well(outcome)
    least, most = sorted((4, int(lanes)))
    told = f"nodes have {least} to {most} network lanes; on communicators of both {least} count"
    assert outcome.errors.count(told) == 1, outcome.told
    assert SETTINGS_DIFFER not in outcome.errors


OF_BINDINGS = (
    "laneway profile 1\nlanes 2\n"
    "bcast binding=lane use hierarchical\nbcast binding=all use chain\n"
    "bcast binding=one use binary\n"
)


@pytest.mark.parametrize(
    ("settings", "of_rank_1", "binding"),
    [
        ({}, (), "all"),
        ({"PSM3_NIC": "0"}, (), "one"),
        ({"PSM3_NIC": "0,1"}, (), "all"),
        ({"PSM3_NIC": "0"}, ("PSM3_NIC", "1"), "lane"),
        ({}, ("PSM3_NIC", "1"), "lane"),
        ({"LANEWAY_EMULATED_BINDING": "lane"}, (), "lane"),
        ({"LANEWAY_EMULATED_BINDING": "lane", "LANEWAY_BINDING": "one"}, (), "one"),
        ({"LANEWAY_LANES": "1"}, (), None),
        ({"LANEWAY_LANES": "1", "LANEWAY_BINDING": "all"}, (), "all"),
    ],
)
def test_the_binding_is_agreed_on_and_decides(job, tmp_path, settings, of_rank_1, binding):
    """By variables of a network that is not here: no library minds them."""
    serving = {"lane": "hierarchical", "all": "chain", "one": "binary", None: "native"}
    profile = tmp_path / "bindings.conf"
    profile.write_text(OF_BINDINGS)
    report = tmp_path / "report"
    words = (1, *of_rank_1) if of_rank_1 else ()
    outcome = job(
        3, "settings.c", *words, LANEWAY_PROFILE=profile, LANEWAY_REPORT=report, **settings
    )
    assert well(outcome).strip() == f"served by {serving[binding]}"
    assert not outcome.errors, "it is no setting that differs"
    found = decisions.load(report)
    assert {case.place.binding for case in found.cases} == {binding}
    assert any(note.startswith(f"binding {binding}: ") for note in found.notes()) == bool(binding)


@pytest.mark.parametrize(
    ("name", "value"),
    [("LANEWAY_LANES", "4"), ("LANEWAY", "off"), ("LANEWAY_SOCKET_SIZE", "1")],
)
def test_who_has_not_looked_for_lanes_takes_none_away(job, tmp_path, name, value):
    profile = tmp_path / "four.conf"
    profile.write_text("laneway profile 1\nbcast lanes=4 use chain\n")
    settings = {"LANEWAY_PROFILE": profile, "LANEWAY_EMULATED_LANES": 4, "LANEWAY_REPORT": tmp_path}
    outcome = job(3, "settings.c", 2, name, value, **settings)
    assert "served by chain" in well(outcome)
    assert "network lanes" not in outcome.errors
    assert outcome.errors.count(SETTINGS_DIFFER) == 1, outcome.told


@pytest.mark.parametrize("rank", [0, 2])
def test_one_process_that_is_off_keeps_nobody_waiting(job, rank):
    settings = {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": 2}
    outcome = job(4, "settings.c", rank, "LANEWAY", "off", **settings)
    assert f"served by {'native' if rank == 0 else 'lane'}" in well(outcome)
    assert outcome.errors.count(SETTINGS_DIFFER) == 1, outcome.told


def test_node_size_and_map_file_say_the_same(job, tmp_path):
    node_map = tmp_path / "nodes"
    node_map.write_text("# two nodes\na\na  # still the first\n\nb\nb\n")
    for nodes in (2, node_map):
        settings = {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": nodes}
        outcome = job(4, "settings.c", **settings)
        assert "served by lane" in well(outcome)
        assert "laneway:" not in outcome.errors, outcome.told


def in_order(homes, root, order):
    """Ranks in the order in which a chain takes them; `homes` says the node and socket of each."""

    def place(rank):
        node, socket = homes[rank]
        its_node, its_socket = homes[root]
        with_root = node == its_node
        if order == 1:
            return (node - its_node) % nodes, with_root and rank < root, rank
        turned = with_root and socket < its_socket
        beside = (node, socket) == (its_node, its_socket)
        return (node - its_node) % nodes, turned, socket, beside and rank < root, rank

    nodes = len({node for node, _ in homes.values()})
    return sorted(homes, key=place)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("mapping", ["blocks", "cyclic"])
def test_chains_go_node_after_node_and_socket_after_socket(job, tmp_path, mapping, order):
    """Two nodes of two sockets of two processes each, on a communicator of another order."""
    ranks = range(8)
    if mapping == "blocks":
        homes = {3 * rank % 8: (rank // 4, rank % 4 // 2) for rank in ranks}
        nodes = 4
    else:
        homes = {3 * rank % 8: (rank % 2, rank // 2 // 2) for rank in ranks}
        nodes = tmp_path / "nodes"
        nodes.write_text("even\nodd\n" * 4)
    chains = f"bcast=chain(order={order}),reduce=chain(order={order})"
    settings = {"LANEWAY_NODE_SIZE": nodes, "LANEWAY_SOCKET_SIZE": 2}
    outcome = job(8, "order.c", LANEWAY_ALGORITHM=chains, **settings)
    *rows, served = well(outcome).split("\n")
    assert served == "served by chain"
    taken = [[int(rank) for rank in row.split()] for row in rows]
    assert taken == [in_order(homes, root, order) for root in ranks]


DAMAGED = {
    "an algorithm that is not registered": (
        {"LANEWAY_ALGORITHM": "bcast=fastest"},
        "no bcast algorithm 'fastest'; known: native, ",
    ),
    "a collective that is not served": (
        {"LANEWAY_ALGORITHM": "bcst=lane"},
        "no collective 'bcst'",
    ),
    "no equals sign": (
        {"LANEWAY_ALGORITHM": "bcast"},
        "'bcast' is not of the form collective=algorithm",
    ),
    "a scope that is none": (
        {"LANEWAY_ALGORITHM": "bcast@rack=lane"},
        "no scope 'rack'",
    ),
    "a node size of zero": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": "0"},
        "LANEWAY_NODE_SIZE: '0' is no number of at least 1",
    ),
    "a negative node size": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": "-3"},
        "LANEWAY_NODE_SIZE: '-3' is no number of at least 1",
    ),
    "a node size past all numbers": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": "99999999999999999999"},
        "is no number of at least 1",
    ),
    "a map file that is missing": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": "/no/such/file"},
        "'/no/such/file' is neither a number nor a map file",
    ),
    "a directory for a map file": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": "/usr"},
        "'/usr' is neither a number nor a map file",
    ),
    "a socket size of zero": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_SOCKET_SIZE": "0"},
        "LANEWAY_SOCKET_SIZE: '0' is no number of at least 1",
    ),
    "lanes that are no number": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_LANES": "two"},
        "LANEWAY_LANES: 'two' is no number of at least 1",
    ),
    "a weight too large": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_LANE_WEIGHTS": "2:10001"},
        "LANEWAY_LANE_WEIGHTS: '2:10001' are no weights of lanes such as 2:1: '10001' is not from",
    ),
    "weights of a node without a name": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_LANE_WEIGHTS": "2:2,2:1"},
        "LANEWAY_LANE_WEIGHTS: '2:1' are no weights of a node such as node2=10:1",
    ),
    "weights of a node that are there twice": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_LANE_WEIGHTS": "2:2,a=2:1,a=2:1"},
        "LANEWAY_LANE_WEIGHTS: weights of 'a' are there twice",
    ),
    "a node of other lanes": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_LANE_WEIGHTS": "2:2,a=2:1:1"},
        "LANEWAY_LANE_WEIGHTS: 'a=2:1:1' are 3 weights, and there are 2 lanes",
    ),
    "weights of other lanes": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_LANE_WEIGHTS": "2:1", "LANEWAY_LANES": "3"},
        "LANEWAY_LANE_WEIGHTS: 2 weights, and LANEWAY_LANES says 3",
    ),
    "a switch that is none": (
        {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY": "maybe"},
        "LANEWAY: 'maybe' is neither 'on' nor 'off'",
    ),
}


SOON_SEEN = {"an algorithm that is not registered", "a node size of zero"}
"""Damage that `make test` gives to whole jobs; test-full does so with every kind."""

each_damage = pytest.mark.parametrize(
    "damage", [pytest.param(d, marks=() if d in SOON_SEEN else pytest.mark.full) for d in DAMAGED]
)


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_is_wrong_with_settings_is_named(build, damage):
    settings, complaint = DAMAGED[damage]
    assert complaint in settings_error(build, LANEWAY_PROFILE_DIR="", **settings)


@each_damage
def test_damaged_settings_are_said_in_one_line_and_nothing_else_changes(job, damage):
    settings, complaint = DAMAGED[damage]
    outcome = job(3, "settings.c", **settings)
    assert "served by native" in well(outcome)
    lines = [line for line in outcome.errors.splitlines() if "laneway" in line]
    assert len(lines) == 1, outcome.told
    assert complaint in lines[0]
    assert "natively" in lines[0]


@each_damage
def test_strict_ends_the_job_at_damaged_settings(job, damage):
    settings, complaint = DAMAGED[damage]
    outcome = job(3, "settings.c", LANEWAY_STRICT=1, **settings)
    assert outcome.code != 0, outcome.told
    assert "served by" not in outcome.output
    assert outcome.errors.count(complaint) == 1, outcome.told


BY_LANE = ",".join(
    f"{collective}=lane,i{collective}=lane,{collective}_init=lane"
    for collective in [
        *("bcast", "scatter", "gather", "allgather", "alltoall"),
        *("reduce", "allreduce", "reduce_scatter_block", "scan", "exscan"),
    ]
)


@pytest.mark.parametrize("form", ["blocking", "nonblocking", "persistent"])
def test_wrong_arguments_give_the_native_error_once(job, tmp_path, form):
    # With a report, which looks at the arguments, too.
    settings = {"LANEWAY_ALGORITHM": BY_LANE, "LANEWAY_REPORT": tmp_path}
    assert " right" in well(job(3, "mistakes.c", form, **settings))


def test_wrong_arguments_of_vector_collectives_give_the_native_error_once(job, build, tmp_path):
    """They are the preload's, not those of a linked program."""
    settings = {"LANEWAY_ALGORITHM": BY_LANE, "LANEWAY_REPORT": tmp_path}
    said = job(3, "mistakes.c", "vectors", preload=[build.preload], **settings)
    assert well(said) == "right"


def test_a_handle_that_was_accepted_is_asked_about_again(job, build):
    settings = {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": 1}
    said = well(job(2, "freed_type.c", preload=[build.preload], **settings)).strip()
    assert said == "the same handle: rejected as natively"


@pytest.mark.parametrize("messages", ["shared", "library"])
@pytest.mark.parametrize("algorithms", [("lane", "lane"), ("chain", "ring")])
def test_types_of_a_program_that_has_many_are_not_cut(job, build, algorithms, messages):
    settings = {
        "LANEWAY_ALGORITHM": "alltoall=lane_segmented(segment=128),bcast={},allgather={}".format(
            *algorithms
        ),
        "LANEWAY_NODE_MESSAGES": messages,
    }
    well(job(3, "many_types.c", preload=[build.preload], LANEWAY_NODE_SIZE=2, **settings))


def test_calls_left_by_longjmp_leave_all_ranks_alike(job):
    settings = {"LANEWAY_ALGORITHM": "bcast=lane", "LANEWAY_NODE_SIZE": 2}
    assert well(job(4, "escape.c", **settings)) == "right"


@pytest.mark.parametrize("mode", ["plain", "report", "advise"])
def test_a_wrong_argument_on_one_rank_waits_for_nobody(job, build, tmp_path, mode):
    settings = {"LANEWAY_NODE_SIZE": 2, "LANEWAY_ALGORITHM": "bcast=lane"}
    if mode != "plain":
        settings["LANEWAY_REPORT"] = tmp_path
    if mode == "advise":
        settings["LANEWAY_ADVISE"] = 1
    # laneway_bcast is the program's own; its vector collectives are the preload's.
    outcome = job(3, "escape.c", "reject", preload=[build.preload], **settings)
    assert well(outcome) == "right"


def test_collectives_inside_of_others_are_not_the_programs(job, tmp_path):
    settings = {"LANEWAY_REPORT": tmp_path / "report", "LANEWAY_NODE_SIZE": 2}
    assert well(job(4, "nested.c", **settings)) == "right"
    cases = decisions.load(tmp_path / "report").cases
    assert {(case.collective, case.algorithm) for case in cases} == {
        ("allreduce", "native"),
        ("allreduce", "lane"),
    }


def test_threads_work_on_communicators_of_their_own(job):
    well(job(4, "threads.c"))


EVERYTHING_BY_LANE = {
    "LANEWAY_ALGORITHM": "bcast=lane,allreduce=lane,allgather=lane",
    "LANEWAY_NODE_SIZE": 2,
}


@pytest.mark.parametrize(
    ("source", "ranks"),
    [("application.c", 1), ("application.c", 5), ("application.cpp", 4)],
)
def test_the_preload_slips_under_an_unmodified_program(job, build, source, ranks):
    keywords = {"preload": [build.preload], "with_laneway": False}
    assert well(job(ranks, source, **keywords, **EVERYTHING_BY_LANE)) == "right"

    # It is really there: settings that cannot be understood end the job.
    if ranks > 1:
        nonsense = {"LANEWAY_ALGORITHM": "bcast=nonsense", "LANEWAY_STRICT": 1}
        assert job(ranks, source, **keywords, **nonsense).code != 0


@pytest.mark.parametrize(
    ("ranks", "algorithm"),
    [(4, "lane_regular"), (4, "lane_root_reduce"), (5, "lane"), (5, "hierarchical")],
)
def test_an_operator_of_one_element_is_never_called_on_none(job, build, ranks, algorithm):
    known = {"lane_regular": ("allreduce", "reduce"), "lane_root_reduce": ("reduce",)}
    reductions = known.get(algorithm, ("allreduce", "reduce", "scan", "exscan"))
    outcome = job(
        ranks,
        "whole_operator.c",
        preload=[build.preload],
        with_laneway=False,
        LANEWAY_ALGORITHM=",".join(f"{reduction}={algorithm}" for reduction in reductions),
        LANEWAY_NODE_SIZE=2,
    )
    assert well(outcome) == "right"


def test_a_tool_sees_each_call_of_the_program_once_and_none_of_ours(job, build, compiled):
    tool = compiled(build, "tool.c", with_laneway=False, shared=True)
    preload = [tool, build.preload]
    output = well(
        job(4, "application.c", preload=preload, with_laneway=False, **EVERYTHING_BY_LANE)
    )
    seen = re.findall(r"tool: (.*)", output)
    assert seen == ["3 bcasts, 2 allreduces, 1 allgathers, 0 others"] * 4, output


def test_the_preload_leaves_programs_without_mpi_alone(build):
    outcome = run(build, 1, ["sh", "-c", "echo hello"], preload=[build.preload])
    assert well(outcome) == "hello"


def test_the_example_runs(job):
    settings = {"LANEWAY_NODE_SIZE": 2, "LANEWAY_ALGORITHM": "bcast=hierarchical"}
    output = well(job(4, ROOT / "examples" / "bcast.c", **settings))
    for rank in range(4):
        assert f"rank {rank}: values[999] = 999, served by lane" in output
    assert "by default: hierarchical" in output


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", ["one-node", "two-nodes", "one-element"])
def test_messages_of_more_than_2_gib(job, what):
    well(job(2, "large.c", what, timeout=800))
