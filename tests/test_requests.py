# SPDX-License-Identifier: BSD-3-Clause
"""Nonblocking and persistent collectives that Laneway serves, under the preload and linked."""

import pytest

from applications import reported, well
from jobs import BUILDS, run

RANKS = 4
FORMS = ("iallreduce", "ibcast", "ibarrier", "allreduce_init", "bcast_init")
BY_LANE = {
    "LANEWAY_ALGORITHM": ",".join(f"{name}=lane" for name in FORMS),
    "LANEWAY_NODE_SIZE": 2,
}
WAYS = ("waits", "persistent", "blocked", "freed", "refused", "mistaken", "many", "threads")

each_build = pytest.mark.parametrize("build", BUILDS)


def servers(calls):
    """Who served the calls of FORMS; requests.c makes one without data, which nobody serves."""
    without_data = calls["bcast_init", "native"] == RANKS
    found = {server for (name, server) in calls if name in FORMS}
    return found - {"native"} if without_data else found


def tried(build, compiled, folder, way, *options, linked=False, settings=BY_LANE):
    """What requests.c says when it tries `way`, and who served which calls."""
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
@pytest.mark.parametrize("way", ["persistent", "blocked", "freed", "refused"])
def test_programs_that_are_linked_with_laneway_have_them_too(
    build, compiled, way, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    said, calls = tried(build, compiled, tmp_path, way, "-DLINKED", linked=True)
    assert well(said) == "done"
    assert servers(calls) == {"lane"}


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
