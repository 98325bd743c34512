# SPDX-License-Identifier: BSD-3-Clause
"""Nonblocking and persistent collectives that Laneway serves, under the preload and linked."""

import subprocess

import pytest

from applications import fortran, reported, well
from jobs import BUILDS, ROOT, run
from laneway import decisions

RANKS = 4
FORMS = ("iallreduce", "ibcast", "ibarrier", "allreduce_init", "bcast_init")
BY_LANE = {
    "LANEWAY_ALGORITHM": ",".join(f"{name}=lane" for name in FORMS),
    "LANEWAY_NODE_SIZE": 2,
}
WAYS = (
    *("waits", "persistent", "blocked", "finalized", "freed", "refused", "refused_and_freed"),
    *("mistaken", "mistaken_at_start", "mistaken_and_freed", "many", "threads"),
)

PROGRAMS = ROOT / "tests" / "programs"
UCX = ("-Wl,--no-as-needed", "-lucp", "-lucs")

each_build = pytest.mark.parametrize("build", BUILDS)


@pytest.fixture
def few(compiled, build):
    """To be preloaded: an MPI library with few tags."""
    return compiled(build, "few_tags.c", with_laneway=False, shared=True)


def servers(calls):
    """Who served the calls of FORMS, but those without data, which requests.c makes one of."""
    without_data = calls["bcast_init", "native"] == RANKS
    found = {server for (name, server) in calls if name in FORMS}
    return found - {"native"} if without_data else found


def tried(build, compiled, folder, way, *options, linked=False, settings=BY_LANE):
    """The output of requests.c when it tries `way`, and who served which calls."""
    program = compiled(build, "requests.c", *options, with_laneway=linked)
    preload = [] if linked else [build.preload]
    report = {"LANEWAY_REPORT": folder / "report"}
    said = run(build, RANKS, [program, way], preload=preload, **settings, **report)
    return said, reported(folder / "report")


@each_build
@pytest.mark.parametrize("way", WAYS)
def test_requests_of_ours_are_requests_like_others(build, compiled, way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said, calls = tried(build, compiled, tmp_path, way)
    assert well(said) == "done"
    # MPICH holds its locks where it looks for messages, if several threads may call it.
    native = way == "threads" and build.family == "mpich"
    assert servers(calls) == ({"native"} if native else {"lane"})


@each_build
def test_an_error_of_a_blocking_call_is_not_that_of_a_request(build, compiled, tmp_path):
    """Both on one private communicator, whose error handler says what a request has failed of."""
    settings = BY_LANE | {"LANEWAY_NODE_MESSAGES": "library"}
    settings["LANEWAY_ALGORITHM"] += ",bcast=linear"
    said, calls = tried(build, compiled, tmp_path, "mistaken_beside", settings=settings)
    assert well(said) == "done"
    assert calls["ibcast", "lane"] == calls["bcast", "linear"] == RANKS


@each_build
@pytest.mark.parametrize("node_size", [1, RANKS])
def test_restarts_go_on_in_mpi_start(build, compiled, node_size, tmp_path):
    if node_size == 1 and build.family == "mpich":
        pytest.skip("MPICH tells nothing without a look at the network, which is left to who waits")
    settings = {**BY_LANE, "LANEWAY_NODE_SIZE": node_size}
    said, calls = tried(build, compiled, tmp_path, "started", settings=settings)
    assert well(said) == "done"
    assert servers(calls) == {"lane"}


@each_build
@pytest.mark.parametrize("way", ["persistent", "blocked", "freed", "refused", "refused_and_freed"])
def test_programs_that_are_linked_with_laneway_have_them_too(
    build, compiled, way, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    said, calls = tried(build, compiled, tmp_path, way, "-DLINKED", linked=True)
    assert well(said) == "done"
    assert servers(calls) == {"lane"}


@each_build
@pytest.mark.parametrize("level", ["single", "serialized", "multiple"])
def test_requests_lock_nothing_where_one_thread_calls_at_a_time(build, compiled, level, tmp_path):
    program = compiled(build, "locks.c", "-rdynamic", with_laneway=False)

    def locked(**report):
        said = run(build, RANKS, [program, level], preload=[build.preload], **BY_LANE, **report)
        return int(well(said).splitlines()[-1])  # MPICH may say something first

    several = level == "multiple"
    # Native requests need no locks of ours: see "threads".
    native = several and build.family == "mpich"
    assert (locked() > 0) == (several and not native)
    locked(LANEWAY_REPORT=tmp_path / "report")  # which has a lock of its own
    assert servers(reported(tmp_path / "report")) == ({"native"} if native else {"lane"})


@each_build
def test_a_test_that_finds_nothing_looks_at_the_network_once(build, compiled, tmp_path):
    if build.family != "mpich":
        pytest.skip("Open MPI does not say whether a look has brought something")
    program = compiled(build, "looks.c", "-rdynamic", with_laneway=False)
    chosen = "allreduce=hierarchical,iallreduce=hierarchical"
    settings = {"LANEWAY_ALGORITHM": chosen, "LANEWAY_NODE_SIZE": 1}
    report = tmp_path / "report"
    said = run(build, 2, [program], preload=[build.preload], LANEWAY_REPORT=report, **settings)
    tests, looks = map(int, well(said).split())
    assert tests > 0
    assert looks < 1.2 * tests
    assert reported(report)["iallreduce", "hierarchical"] > 0


@each_build
def test_segments_go_on_inside_the_librarys_progress(build, compiled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = "lane_segmented(segment=64)"
    settings = {**BY_LANE, "LANEWAY_ALGORITHM": f"iallreduce={few},ibcast={few}"}
    said, calls = tried(build, compiled, tmp_path, "many", settings=settings)
    assert well(said) == "done"
    assert calls["iallreduce", "lane_segmented"] == 20 * RANKS


@each_build
def test_what_is_not_chosen_is_native(build, compiled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said, calls = tried(build, compiled, tmp_path, "waits", settings={})
    assert well(said) == "done"
    assert calls["iallreduce", "native"] == 24 * RANKS


@each_build
@pytest.mark.parametrize("by", ["variable", "profile"])
def test_persistent_collectives_need_no_others(build, compiled, tmp_path, by):
    """The first one of a communicator agrees on settings and decomposes it, as MPI lets it wait."""
    profile = tmp_path / "own.conf"
    names = ("bcast_init", "allreduce_init", "barrier_init")
    profile.write_text("laneway profile 1\n" + "".join(f"{name} use lane\n" for name in names))
    chosen = {
        "variable": {"LANEWAY_ALGORITHM": ",".join(f"{name}=lane" for name in names)},
        "profile": {"LANEWAY_PROFILE": profile},
    }[by]
    program = compiled(build, "persistent_alone.c", with_laneway=False)
    report = tmp_path / "report"
    settings = {"LANEWAY_NODE_SIZE": 2, "LANEWAY_REPORT": report, **chosen}
    said = run(build, RANKS, [program], preload=[build.preload], **settings)
    assert well(said) == "right"
    assert {server for _, server in reported(report)} == {"lane"}


@each_build
@pytest.mark.parametrize("rank", [0, 1])
def test_persistent_collectives_alone_where_settings_differ(build, compiled, tmp_path, rank):
    """Not all wait for the outcome: all is native, and nobody waits for ever."""
    program = compiled(build, "persistent_alone.c", with_laneway=False)
    report = {"LANEWAY_REPORT": tmp_path / "report"}
    algorithms = ("LANEWAY_ALGORITHM", "bcast_init=lane")
    said = run(build, RANKS, [program, rank, *algorithms], preload=[build.preload], **report)
    assert well(said) == "right"


@each_build
@pytest.mark.parametrize(
    "settings",
    [{"LANEWAY": "off"}, {}, {"LANEWAY_ALGORITHM": "allreduce_init=lane"}],
    ids=["off", "nothing chosen", "chosen"],
)
def test_a_persistent_collective_is_made_beside_a_duplication(build, compiled, settings):
    """Open MPI mixes up what is begun on a communicator while it is duplicated."""
    program = compiled(build, "init_beside_idup.c", with_laneway=False)
    said = run(
        build, RANKS, [program, 20], preload=[build.preload], LANEWAY_NODE_SIZE=2, **settings
    )
    assert well(said) == "right"


@each_build
@pytest.mark.parametrize("chosen", ["gather_init=lane,bcast_init=lane", "ibcast=lane"])
def test_what_is_insignificant_between_groups_is_not_read(build, compiled, chosen):
    program = compiled(build, "init_between_groups.c", with_laneway=False)
    settings = {"LANEWAY_ALGORITHM": chosen}
    if well(run(build, RANKS, [program])) != "right":
        pytest.skip(f"{build.library} itself does not bear it")
    assert well(run(build, RANKS, [program], preload=[build.preload], **settings)) == "right"


@each_build
def test_a_root_runs_ahead_where_only_nonblocking_calls_are_chosen(build, compiled, tmp_path):
    """A profile's rules for these find ready what calls make in which all meet, and no others."""
    profile = tmp_path / "own.conf"
    profile.write_text("laneway profile 1\nibcast use lane\n")
    program = compiled(build, "ahead.c", with_laneway=False)
    said = run(build, 2, [program], preload=[build.preload], LANEWAY_PROFILE=profile)
    assert well(said) == "right"


NOW_AND_THEN = 15
"""In 150 restarts on each of 2 ranks: who is later than ever finds more messages than ever."""
RESTARTED = ("bcast", "reduce", "allreduce", "scan", "allgather", "alltoall", "gather", "barrier")


@each_build
@pytest.mark.parametrize("size", [8, 65536])
@pytest.mark.parametrize(
    "chosen",
    [("lane", 1), ("lane", 2), ("lane_segmented(segment=8192)", 1)],
    ids=["between nodes", "within a node", "segments"],
)
def test_a_restart_asks_for_no_memory(build, compiled, tmp_path, size, chosen):
    """The MPI library itself may ask for memory in a message: that is its own business."""
    algorithm, node_size = chosen
    program = compiled(build, "restarts.c", with_laneway=False)
    counter = compiled(build, "allocations.c", with_laneway=False, shared=True)
    served_by = {**dict.fromkeys(RESTARTED, algorithm), "barrier": "lane"}
    rules = ",".join(f"{name}_init={server}" for name, server in served_by.items())
    settings = {"LANEWAY_ALGORITHM": rules}
    settings |= {"LANEWAY_NODE_SIZE": node_size, "LANEWAY_REPORT": tmp_path / "report"}
    said = run(build, 2, [program, size], preload=[counter, build.preload], **settings)
    asked = {name: int(ours) for name, ours, _ in map(str.split, well(said).splitlines())}
    assert asked.keys() == set(RESTARTED)
    assert max(asked.values()) <= NOW_AND_THEN, asked
    served = {server for name, server in reported(tmp_path / "report") if name.endswith("_init")}
    assert algorithm.partition("(")[0] in served
    assert "native" not in served


@each_build
@pytest.mark.parametrize(
    ("way", "algorithms"),
    [
        ("many", "ibcast=binomial"),
        ("beside", "iallreduce=lane_segmented,bcast=lane_segmented"),
        ("copies", "iscan=lane_segmented,ibcast=binomial,bcast=lane_segmented"),
    ],
)
def test_tags_in_use_are_not_given_out_again(build, compiled, few, tmp_path, *, way, algorithms):
    """They are as few as MPI allows, or as many as the library has."""
    program = compiled(build, "pending.c", with_laneway=False)
    for tags in ([few], []):
        report = tmp_path / f"report-{len(tags)}"
        said = run(
            build,
            RANKS,
            [program, way],
            preload=[*tags, build.preload],
            LANEWAY_ALGORITHM=algorithms,
            LANEWAY_NODE_SIZE=4 if way == "beside" else 2,
            LANEWAY_REPORT=report,
        )
        assert well(said) == "done"
        chosen = {tuple(each.split("=")) for each in algorithms.split(",")}
        assert chosen <= reported(report).keys()


@each_build
def test_those_that_have_no_tags_left_are_counted_as_the_librarys(build, compiled, few, tmp_path):
    program = compiled(build, "requests.c", with_laneway=False)
    report = tmp_path / "report"
    said = run(
        build,
        RANKS,
        [program, "without_tags"],
        preload=[few, build.preload],
        LANEWAY_REPORT=report,
        **BY_LANE,
    )
    assert well(said) == "done"
    calls = reported(report)
    served, left = calls["allreduce_init", "lane"], calls["allreduce_init", "native"]
    assert served + left == 2500 * RANKS
    assert served > 0 < left
    whys = {case.why for case in decisions.load(report).cases if case.algorithm == "native"}
    assert "there are no tags left" in whys


@each_build
def test_a_call_whose_program_needs_more_tags_than_there_are_is_the_librarys(
    build, compiled, few, tmp_path
):
    program = compiled(build, "pending.c", with_laneway=False)
    report = tmp_path / "report"
    said = run(
        build,
        RANKS,
        [program, "beside"],
        preload=[few, build.preload],
        TAGS=100,
        LANEWAY_REPORT=report,
        LANEWAY_NODE_SIZE=4,
        LANEWAY_ALGORITHM="iallreduce=lane_segmented,bcast=lane_segmented",
    )
    assert well(said) == "done"
    calls = reported(report)
    assert calls["iallreduce", "native"] == RANKS
    assert calls["bcast", "native"] == 500 * RANKS
    assert {algorithm for _, algorithm in calls} == {"native"}
    whys = {(case.collective, case.why) for case in decisions.load(report).cases}
    for collective in ("iallreduce", "bcast"):
        assert (collective, "there are no tags left") in whys


@each_build
def test_a_component_without_tags_is_another_one_not_another_call(build, compiled, few, tmp_path):
    """In place, what was reduced already would be reduced again."""
    program = compiled(build, "application.c", with_laneway=False)
    report = tmp_path / "report"
    said = run(
        build,
        RANKS,
        [program],
        preload=[few, build.preload],
        TAGS=40,
        LANEWAY_REPORT=report,
        LANEWAY_NODE_SIZE=2,
        LANEWAY_ALGORITHM="allreduce=hierarchical,bcast@node=lane_segmented(segment=64,ahead=64)",
    )
    assert well(said) == "right"
    served = {name for collective, name in reported(report) if collective == "allreduce"}
    assert served == {"hierarchical"}


@each_build
@pytest.mark.parametrize("beside", [(), ("world",)], ids=["alone", "beside the world"])
def test_requests_of_ours_within_sessions(build, compiled, tmp_path, beside):
    program = compiled(build, "session_requests.c", with_laneway=False)
    # MPICH 4.0 crashes in its second MPI_Session_init.
    sessions = 1 if build.id == "mpich-4.0" else 3
    report = tmp_path / "report"
    settings = {**BY_LANE, "LANEWAY_REPORT": report}
    said = run(build, RANKS, [program, sessions, *beside], preload=[build.preload], **settings)
    if "no sessions" in well(said):
        pytest.skip(f"{build.library} has no sessions")
    assert said.output == "done"
    # Several threads may use a session of MPICH, which holds its locks then.
    native = build.family == "mpich" and not beside
    assert servers(reported(report)) == ({"native"} if native else {"lane"})


@each_build
@pytest.mark.parametrize("binding", ["MPIF", "USE_MPI", "USE_MPI_F08"])
def test_requests_of_ours_in_fortran(build, tmp_path, binding):
    options = [f"-D{binding}", *(["-DEXTENSIONS"] if build.id == "openmpi-4.1" else [])]
    source = PROGRAMS / "callers" / "requests.F90"
    words = [fortran(build), "-fallow-argument-mismatch", "-w", "-J", tmp_path, *options, source]
    subprocess.run([*words, "-o", tmp_path / "program"], check=True)
    report = tmp_path / "report"
    program = [tmp_path / "program"]
    said = run(build, RANKS, program, preload=[build.preload], LANEWAY_REPORT=report, **BY_LANE)
    assert well(said) == "right"
    calls = reported(report)
    assert calls["iallreduce", "lane"] == 3 * RANKS
    assert calls["allreduce_init", "lane"] == 2 * RANKS


@each_build
@pytest.mark.parametrize("options", [(), ("-DOPENED",)], ids=["linked", "opened"])
def test_a_program_that_uses_ucx_as_well(build, compiled, tmp_path, options):
    headers = [build.mpicc, "-E", "-x", "c", "-include", "ucp/api/ucp.h", "/dev/null"]
    if subprocess.run(headers, capture_output=True, check=False).returncode != 0:
        pytest.skip("UCX is not installed for programs: `make test-full` installs libucx-dev")
    program = compiled(build, "second_ucx.c", *options, *UCX, with_laneway=False)
    report = tmp_path / "report"
    said = run(build, RANKS, [program], preload=[build.preload], LANEWAY_REPORT=report, **BY_LANE)
    assert well(said) == "done"
    assert reported(report)["iallreduce", "lane"] == 20 * RANKS


@each_build
def test_each_caller_has_its_own_ucx(build, compiled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    host = tmp_path / "host"
    subprocess.run(["cc", PROGRAMS / "several_ucx.c", "-o", host, "-ldl"], check=True)
    program = compiled(build, "requests.c", with_laneway=False, shared=True)
    users = [
        compiled(build, "own_ucx.c", f"-DMAGIC={magic}", with_laneway=False, shared=True)
        for magic in (1, 2)
    ]
    report = tmp_path / "report"
    # Without what lets ranks of MPICH share cores: it takes UCX's place, too, for all alike.
    alone = ["env", f"LD_PRELOAD={build.preload}"]
    settings = {**BY_LANE, "LANEWAY_NODE_SIZE": 1, "LANEWAY_REPORT": report}
    said = run(build, 2, [*alone, host, program, "many", *users], **settings)
    assert well(said) == "done"
    assert servers(reported(report)) == {"lane"}
