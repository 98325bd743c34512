# SPDX-License-Identifier: BSD-3-Clause
"""One rank that cannot load the core of Laneway, which the others have: nobody waits for ever."""

import shutil

import pytest

from applications import BY_LANE, well
from jobs import BUILDS, run
from laneway import decisions

RANKS = 3
NO_BUILD = "no build of Laneway fits the MPI library"
NOT_LOADED = "cannot load it:"
OTHER_VERSION = "is of another version"
QUIET = {"UCX_LOG_LEVEL": "fatal"}
"""MPICH's transport finds no free descriptors either, and says so at length."""
WHY = "a process that could not load Laneway"

pytestmark = pytest.mark.parametrize("build", BUILDS)


def without_core(build, folder, damage):
    """A preload in a folder of its own, where there is no core or a damaged one."""
    alone = folder / build.id / "lib" / build.preload.name
    alone.parent.mkdir(parents=True)
    shutil.copy(build.preload, alone)
    if damage == NOT_LOADED:
        (alone.parent / "liblaneway_core.so").write_text("no library")
    elif damage == OTHER_VERSION:  # a library that has none of the core's functions
        shutil.copy(build.yielding, alone.parent / "liblaneway_core.so")
    return alone


def job(build, program, alone, *, ranks=RANKS, on="1", **settings):
    """A job in which rank `on` has the preload `alone`, the others that of the build."""
    script = (
        f'test "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {on} && '
        f'LD_PRELOAD="{alone}${{LD_PRELOAD#{build.preload}}}"; exec "$@"'
    )
    words = ["sh", "-c", script, "sh", *program]
    return run(build, ranks, words, preload=[build.preload], **settings)


@pytest.mark.parametrize("settings", [{}, BY_LANE], ids=["nothing chosen", "lane"])
@pytest.mark.parametrize("damage", [NO_BUILD, NOT_LOADED, OTHER_VERSION])
@pytest.mark.parametrize("on", ["0", "1"])
def test_all_go_native_and_the_rank_says_why(compiled, build, tmp_path, *, damage, settings, on):
    program = compiled(build, "application.c", with_laneway=False)
    alone = without_core(build, tmp_path, damage)
    outcome = job(build, [program], alone, on=on, **settings)
    assert well(outcome) == "right"
    (line,) = (line for line in outcome.errors.splitlines() if "laneway:" in line)
    assert damage in line
    assert f"rank {on}, " in line


def test_the_others_report_why_all_is_native(compiled, build, tmp_path):
    program = compiled(build, "every.c", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    report = tmp_path / "report"
    outcome = job(build, [program], alone, ranks=4, LANEWAY_REPORT=report, **BY_LANE)
    assert outcome.code == 0, outcome.told
    cases = decisions.load(report).cases
    assert decisions.load(report).processes == 3
    assert {case.algorithm for case in cases} == {"native"}
    assert WHY in {case.why for case in cases if case.collective == "bcast"}


@pytest.mark.parametrize("on", ["0", "1"])
def test_a_root_still_runs_ahead(compiled, build, tmp_path, on):
    program = compiled(build, "ahead.c", with_laneway=False)
    outcome = job(build, [program], without_core(build, tmp_path, NO_BUILD), on=on)
    assert well(outcome) == "right"


def test_persistent_collectives_alone(compiled, build, tmp_path):
    program = compiled(build, "persistent_alone.c", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    assert well(job(build, [program], alone, LANEWAY_ALGORITHM="bcast_init=lane")) == "right"


def test_communicators_come_and_go(compiled, build, tmp_path):
    program = compiled(build, "fleeting.c", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    assert well(job(build, [program, 2100], alone, ranks=2)) == "right"


@pytest.mark.parametrize("end", ["free", "disconnect", "pending"])
def test_handles_are_used_again(compiled, build, tmp_path, end):
    program = compiled(build, "freed_handle.c", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    outcome = job(build, [program, end], alone, ranks=4, on="0", timeout=60, **BY_LANE)
    assert int(well(outcome)) > 0


def test_a_free_that_an_error_handler_leaves_ends_nothing(compiled, build, tmp_path):
    program = compiled(build, "left_free.c", "-DWITHOUT_LANEWAY", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    assert well(job(build, [program, "first"], alone, timeout=60, **BY_LANE)) == "right"


def test_communicators_are_made_without_waiting(compiled, build, tmp_path):
    program = compiled(build, "duplicating.c", "-DWITHOUT_LANEWAY", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    assert well(job(build, [program, "first"], alone, **BY_LANE)) == "native"


def test_sessions_end(compiled, build, tmp_path):
    program = compiled(build, "sessions.c", "-DLANEWAY_PRELOADED", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    once = build.id == "mpich-4.0"  # it crashes in its second MPI_Session_init
    for words in ([1 if once else 3], [1, "world"]):
        well(job(build, [program, *words], alone, **BY_LANE))


def test_strict_ends_the_job(compiled, build, tmp_path):
    program = compiled(build, "application.c", with_laneway=False)
    alone = without_core(build, tmp_path, NO_BUILD)
    outcome = job(build, [program], alone, LANEWAY_STRICT=1)
    assert outcome.code != 0, outcome.told
    assert outcome.errors.count("the job ends (LANEWAY_STRICT)") == 1, outcome.told


@pytest.mark.parametrize("settings", [{}, BY_LANE], ids=["nothing chosen", "lane"])
def test_without_free_descriptors_a_linked_program_is_served(compiled, build, settings):
    program = compiled(build, "descriptors.c", with_laneway=False)
    outcome = run(build, RANKS, [program], preload=[build.preload], **QUIET, **settings)
    assert well(outcome) == "right"
    assert "laneway:" not in outcome.errors, outcome.told


@pytest.mark.parametrize("settings", [{}, BY_LANE], ids=["nothing chosen", "lane"])
def test_without_free_descriptors_a_library_that_came_late_is_native(compiled, build, settings):
    plugin = compiled(build, "descriptors.c", with_laneway=False, shared=True)
    host = compiled(build, "plugin.c", "-Wl,--as-needed", with_laneway=False)
    outcome = run(build, RANKS, [host, plugin], preload=[build.preload], **QUIET, **settings)
    assert well(outcome) == "right"
    (line,) = (line for line in outcome.errors.splitlines() if "laneway:" in line)
    assert "rank 1, " in line
    assert "Too many open files" in line
