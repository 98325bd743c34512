# SPDX-License-Identifier: BSD-3-Clause
"""Native builds as the toolkit finds them, their algorithms and launchers, and the progress bar."""

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from commands import laneway
from jobs import BUILDS, ROOT
from laneway.commands.shared import progress
from laneway.errors import Misuse, Problem
from laneway.launching import launchers, this_machine
from laneway.libraries import native, profile, registry
from laneway.libraries.identity import identify
from laneway.plans.comparison import ComparisonPlan


@pytest.fixture
def build():
    return native.find()


def test_there_is_a_native_build_to_test():
    assert BUILDS, "run `make build`"


# ---- native builds --------------------------------------------------------------------------


def described(prefix: Path, family: str, version: str, suffix: str = ""):
    folder = prefix / f"{family}-{native.release(version)}{suffix}"
    folder.mkdir(parents=True)
    facts = {"id": folder.name, "family": family, "version": version, "library": family,
             "mpicc": "mpicc", "mpiexec": "mpirun"}  # fmt: skip
    (folder / "build.json").write_text(json.dumps(facts))


def test_a_family_means_its_lowest_version_and_an_id_exactly_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "prefixes", lambda: [tmp_path])
    for family, version in (("openmpi", "5.0.1"), ("openmpi", "4.1.4"), ("mpich", "10.0.0"),
                            ("mpich", "4.0.2")):  # fmt: skip
        described(tmp_path, family, version)
    described(tmp_path, "mpich", "3.0.0", suffix="-asan")

    assert native.find().id == "openmpi-4.1"
    assert native.find("openmpi").id == "openmpi-4.1"
    assert native.find("mpich").id == "mpich-4.0", "a variant must be asked for by its id"
    assert native.find("mpich-10.0").id == "mpich-10.0"
    assert native.find("mpich-3.0-asan").id == "mpich-3.0-asan"
    with pytest.raises(Problem, match="no native build for openmpi-6"):
        native.find("openmpi-6.0")
    with pytest.raises(Misuse, match="unknown MPI library 'intel'"):
        native.find("intel")


def test_a_damaged_description_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "prefixes", lambda: [tmp_path])
    (tmp_path / "openmpi-4.1").mkdir()
    (tmp_path / "openmpi-4.1" / "build.json").write_text("{")
    with pytest.raises(Problem, match="is damaged"):
        native.installed()


# ---- the registry ---------------------------------------------------------------------------


def test_algorithms_lists_native_and_others_for_each_collective():
    said = laneway("algorithms", "--json")
    assert said.returncode == 0, said.stderr
    entries = [json.loads(line) for line in said.stdout.splitlines()]
    collectives = {entry["collective"] for entry in entries}
    assert {"bcast", "allreduce", "allgather"} <= collectives
    for collective in collectives:
        names = {entry["algorithm"] for entry in entries if entry["collective"] == collective}
        assert {"native", "lane"} <= names
        assert "hierarchical" in names or collective == "neighbor_alltoallv"
    assert all(entry["idea"] and entry["memory"] for entry in entries)


def test_the_page_of_algorithms_has_every_one(build):
    algorithms = registry.load(build)
    page = laneway("algorithms", "--markdown").stdout
    for entry in algorithms:
        assert f"### {entry.collective}: {entry.algorithm}\n" in page
        assert entry.idea in page
    pipeline = page.split("### bcast: lane_pipeline")[1]
    assert "N = 4, n = 4: 16 rounds, 1.75 m a process, 1 m a node, 0 m of memory" in pipeline


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        ("bcast=lane", None),
        ("bcast=lane,allreduce=hierarchical,bcast@lane=hierarchical,bcast@node=native", None),
        ("bcast=chain(segment=2K),scan=lane", None),
        ("bcast=nosuch", "no bcast algorithm 'nosuch'; known: .*lane"),
        ("nosuch=lane", "no collective 'nosuch'"),
        ("bcast@rack=lane", "no scope 'rack'"),
        ("bcast", "is not of the form"),
        ("bcast=", "is not of the form"),
        ("bcast=chain(x=2)", "chain has no tunable 'x'; it has: segment"),
    ],
)
def test_a_choice_of_algorithms_is_checked_by_the_library(build, choice, complaint):
    settings = {"LANEWAY_ALGORITHM": choice}
    if complaint is None:
        profile.must_be_understood(build, settings)
    else:
        with pytest.raises(Misuse, match=f"LANEWAY_ALGORITHM: .*{complaint}"):
            profile.must_be_understood(build, settings)


@pytest.mark.parametrize("build", BUILDS)
def test_the_launcher_tells_its_library(build):
    found = identify(str(build.mpiexec))
    assert (found.family, found.version) == (build.family, build.version)


def test_without_a_native_build_the_user_is_told_to_make_one(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "prefixes", lambda: [tmp_path])
    with pytest.raises(Problem, match=f"run `make build` in {ROOT}"):
        native.find()


def test_who_has_installed_laneway_is_told_to_install_it_again(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "prefixes", lambda: [tmp_path])
    monkeypatch.setattr(native, "clone", lambda: None)
    with pytest.raises(
        Problem, match=f"`{sys.prefix}/bin/pip install --force-reinstall .`"
    ) as told:
        native.find()
    assert "make" not in str(told.value)


def test_how_to_build_is_said_in_one_place():
    sources = (ROOT / "python").rglob("*.py")
    assert [file.name for file in sources if "make build" in file.read_text()] == ["native.py"]


# ---- the launcher's command line, progress --------------------------------------------------


@pytest.mark.parametrize("cores", [2, 64])
@pytest.mark.parametrize("build", BUILDS)
def test_a_job_gives_up_idle_cores_only_where_they_are_short(build, cores, monkeypatch):
    monkeypatch.setattr(this_machine, "cores", lambda: cores)
    command = launchers.Job(build, 4, ["app"], {"A": "1"}).command()
    assert command[0] == str(build.mpiexec)
    assert command[-3:] == ["-np", "4", "app"]
    yields = "mpi_yield_when_idle" in command or any("liblaneway_yield" in x for x in command)
    assert yields == (cores == 2)
    assert ("--oversubscribe" in command) == (cores == 2 and build.family == "openmpi")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("mpirun", True), ("/usr/bin/mpirun.mpich", True), ("mpiexec.hydra", True),
     ("orterun", True), ("mpirunner", False), ("srun", False), ("./mpi", False)],
)  # fmt: skip
def test_launchers_are_known_by_name(name, expected):
    assert launchers.is_launcher(name) is expected


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(build):
    plan = ComparisonPlan(build=build, runs=2)
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
        with progress.shown(console, plan, plan.runs) as observer:
            observer.begin(1)
            observer.advance(0.25)
            observer.end(1, 3.0)
        text = console.file.getvalue()
        assert ("run 1 of 2 took 3.0 s" in text) is not terminal
        assert ("50%" in text) is terminal
