# SPDX-License-Identifier: BSD-3-Clause
"""The words of `laneway exec` before a job that cannot go well: programs, launchers, profiles."""

import os
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from jobs import BUILDS, ROOT
from laneway.cli import cli
from laneway.interposition import exec as execution
from laneway.interposition import linked, misfits
from laneway.interposition.mpirun import AppContext
from laneway.libraries import native
from profiles import written
from test_exec import executed, launched

PROGRAMS = ROOT / "tests" / "programs"
FORCED = ["--algorithm", "bcast=lane"]

each_build = pytest.mark.parametrize("build", BUILDS)


@pytest.fixture
def of_nobody(tmp_path):
    """A program that is linked with an MPI library of a binary interface that nobody knows."""
    library, program = tmp_path / "libmpi.so.99", tmp_path / "program"
    name = f"-Wl,-soname,{library.name}"
    subprocess.run(
        ["cc", "-shared", "-fPIC", name, PROGRAMS / "other_mpi.c", "-o", library], check=True
    )
    subprocess.run(
        ["cc", PROGRAMS / "other_program.c", library, f"-Wl,-rpath,{tmp_path}", "-o", program],
        check=True,
    )
    return program


@each_build
def test_a_library_that_nobody_knows_is_told_once(of_nobody, build):
    said = executed(build, *FORCED, "--", *launched(build, of_nobody))
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("PMPI_Bcast 1 -2 3 -4 5") == 2 * 2
    (line,) = (line for line in said.stderr.splitlines() if "laneway:" in line)
    assert "rank 0" in line
    told = "no build of Laneway knows the MPI library libmpi.so.99: "
    assert f"{told}{of_nobody.with_name('libmpi.so.99')}; everything is served" in line


@each_build
def test_a_library_that_nobody_knows_fails_where_all_must_be_served(of_nobody, build, tmp_path):
    said = executed(build, *FORCED, "--strict", "--", *launched(build, of_nobody))
    assert (said.returncode, said.stdout) == (1, "")
    assert (
        "is linked with libmpi.so.99, an MPI library that no build of Laneway knows" in said.stderr
    )
    script = tmp_path / "job.sh"
    script.write_text(f"#!/bin/sh\n{of_nobody}\n")
    script.chmod(0o755)
    said = executed(build, *FORCED, "--strict", "--", *launched(build, script))
    assert said.returncode == 1
    assert "no build of Laneway knows the MPI library" in said.stderr


@each_build
@pytest.mark.parametrize("strict", [False, True])
def test_a_library_for_which_there_is_no_build_is_told(
    application, build, tmp_path, monkeypatch, strict
):
    others = [other for other in native.described() if other.interface != build.interface]
    if not others:
        pytest.skip("there are builds for one MPI library only")
    for other in others:
        (tmp_path / other.id).symlink_to(other.folder)
    monkeypatch.setattr(native, "prefixes", lambda: [tmp_path])
    started = []
    monkeypatch.setattr(execution, "replace_process", lambda words, _: started.append(words))
    words = ["exec", *FORCED, *(["--strict"] if strict else []), "--", str(application)]
    said = CliRunner().invoke(cli, words)
    told = f"and no build of Laneway here fits that ({native.building(build.interface)})"
    assert (told in str(said.exception)) is strict
    assert "at all sizes" not in said.stderr
    assert bool(started) is not strict


@pytest.mark.parametrize("build", [each for each in BUILDS if each.values[0].interface == "mpich"])
def test_a_library_that_is_linked_in_is_told(build, tmp_path):
    source, program = tmp_path / "inside.c", tmp_path / "inside"
    source.write_text("int MPID_Init(void) { return 0; }\nint main(void) { return MPID_Init(); }\n")
    subprocess.run(["cc", source, "-o", program], check=True)
    said = executed(build, *FORCED, "--", *launched(build, program))
    assert said.returncode == 0, said.stderr
    assert said.stderr.startswith(f"laneway: {program} has its MPI library linked in")
    assert "all sizes" not in said.stderr
    strict = executed(build, *FORCED, "--strict", "--", *launched(build, program))
    assert strict.returncode == 1
    assert "has its MPI library linked in" in strict.stderr


def test_a_program_of_another_library_than_the_launchers_is_told(compiled):
    both = {build.values[0].interface: build.values[0] for build in BUILDS}
    if not {"openmpi", "mpich"} <= both.keys():
        pytest.skip("there are builds for one MPI library only")
    source = PROGRAMS / "application.c"
    for own, other in (("openmpi", "mpich"), ("mpich", "openmpi")):
        program = compiled(both[own], source, with_laneway=False)
        said = executed(both[other], "--strict", "--", *launched(both[other], program))
        assert (said.returncode, said.stdout) == (1, "")
        assert "each process would be alone" in said.stderr
    said = executed(both["mpich"], "--", *launched(both["mpich"], compiled(both["openmpi"], source,
                    with_laneway=False)))  # fmt: skip
    assert said.stderr.startswith("laneway: ")
    assert "that is Open MPI, and" in said.stderr


@each_build
def test_a_profile_of_another_library_alone_is_told(application, build, tmp_path):
    other = written(tmp_path, "library Another MPI 9.9\nbcast use lane\n", "other.conf")
    words = ["--", *launched(build, application)]
    line = f"{other} is for Another MPI 9.9, and this is {build.library}: its rules are left out"
    said = executed(build, "--profile", other, *words)
    assert (said.returncode, said.stdout) == (0, "right\n"), said.stderr
    assert said.stderr.count(line) == 1
    strict = executed(build, "--strict", "--profile", other, *words)
    assert (strict.returncode, strict.stdout) == (1, "")
    assert line in strict.stderr


@each_build
def test_a_profile_of_another_library_among_several_is_told_and_fails_nothing(
    application, build, tmp_path
):
    other = written(tmp_path, "library Another MPI 9.9\nbcast use lane\n", "other.conf")
    third = written(tmp_path, "library Third MPI 3\nbcast use lane\n", "third.conf")
    own = written(tmp_path, f"library {build.library}\nbcast use lane\n", "own.conf")
    words = ["--", *launched(build, application)]
    for naming in (["--profile", other, "--profile", own, "--profile", third], ["--strict"]):
        named = {"LANEWAY_PROFILE": f"{other}:{own}:{third}"} if len(naming) == 1 else {}
        said = executed(build, *naming, *words, environment=named)
        assert (said.returncode, said.stdout) == (0, "right\n"), said.stderr
        told = [line for line in said.stderr.splitlines() if "left out" in line]
        assert told == [
            f"laneway: {path} is for {library}, and this is {build.library}: its rules are left out"
            for path, library in ((other, "Another MPI 9.9"), (third, "Third MPI 3"))
        ]
        assert f"profile {own}, 1 rule" in said.stderr


@pytest.mark.parametrize(
    ("place", "there"),
    [("emulated", {"LANEWAY_EMULATED": "1"}), ("virtual", {"LANEWAY_NODE_SIZE": "2"})],
)
def test_a_named_profile_of_a_place_is_told_elsewhere(place, there, tmp_path):
    build = native.installed()[0]
    path = written(tmp_path, f"place {place}\nbcast use lane\n")
    older = written(tmp_path, f"library {build.library}.9\nplace {place}\n", "older.conf")
    for known in ("LANEWAY_EMULATED", "LANEWAY_NODE_SIZE"):
        assert known not in os.environ
    named = {"LANEWAY_PROFILE": str(path), "LANEWAY_PROFILE_DIR": ""}
    line = f"{path} holds on {place} nodes alone (place {place}): its rules are left out"
    assert misfits.with_profiles(build, named) == ([], [line])
    assert misfits.with_profiles(build, {**named, **there}) == ([], [])
    assert misfits.with_profiles(build, {**named, "LANEWAY": "off"}) == ([], [])
    version = {**named, **there, "LANEWAY_PROFILE": str(older)}
    told, others = misfits.with_profiles(build, version)
    assert "is for" in told[0]
    assert not others


@each_build
def test_a_profile_of_another_library_that_is_found_is_told_where_no_other_holds(
    application, build, tmp_path
):
    folder = tmp_path / "site"
    folder.mkdir()
    other = written(folder, "library Another MPI 9.9\nbcast use lane\n", "other.conf")
    found = {"LANEWAY_PROFILE_DIR": str(folder)}
    words = ["--", *launched(build, application)]
    line = f"laneway: {other} is for Another MPI 9.9, and this is {build.library}"
    for strict in ([], ["--strict"]):
        alone = executed(build, *strict, *words, environment=found)
        assert (alone.returncode, alone.stdout) == (0, "right\n"), alone.stderr
        assert alone.stderr.count(line) == 1
    older = written(folder, f"library {build.library}.9\nbcast use lane\n", "older.conf")
    said = executed(build, *words, environment=found)
    assert said.stderr.count(line) == 1
    assert said.stderr.count(str(older)) == 1, "the library tells it, at the first collective call"
    own = written(tmp_path, f"library {build.library}\nbcast use lane\n", "own.conf")
    named = executed(build, "--profile", own, *words, environment=found)
    assert "left out" not in named.stderr
    own.rename(folder / own.name)
    assert "left out" not in executed(build, *words, environment=found).stderr


@pytest.mark.parametrize("certain", [True, False])
def test_of_a_script_whose_library_nobody_knows_no_profile_is_foreign(certain, tmp_path):
    interfaces = {build.values[0].interface for build in BUILDS}
    if not certain and len(interfaces) < 2:
        pytest.skip("there are builds for one MPI library only")
    build = native.installed()[0]
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    other = written(tmp_path, "library Another MPI 9.9\nbcast use lane\n", "other.conf")
    named = ["--mpi", build.id] if certain else []
    said = executed(build, *named, "--profile", other, "--", script)
    assert said.returncode == 0, said.stderr
    assert said.stderr.count("left out") == int(certain)


# ---- sanitizers ------------------------------------------------------------------------------


def sanitized(compiled, build, *options):
    try:
        return compiled(build, "application.c", "-fsanitize=address", *options, with_laneway=False)
    except AssertionError as missing:
        pytest.skip(f"no program with a sanitizer can be made here: {str(missing)[-200:]}")


@each_build
def test_a_program_with_a_sanitizer_runs(compiled, build, tmp_path):
    program = sanitized(compiled, build)
    without_leaks = {"ASAN_OPTIONS": "detect_leaks=0"}  # the libraries have some
    for words in (
        launched(build, program),
        launched(build, "env", "A=1", program),
        [launched(build)[0], *launched(build)[1:-1], "1", program],
    ):
        said = executed(build, *FORCED, "--", *words, environment=without_leaks)
        assert (said.returncode, said.stdout) == (0, "right\n"), said.stderr
        assert "ASan runtime does not come first" not in said.stderr


def test_the_runtime_of_a_sanitizer_comes_before_all_else(compiled, monkeypatch):
    build = native.installed()[0]
    program = sanitized(compiled, build)
    runtime = linked.look_at(str(program)).sanitizer
    assert "libasan" in runtime
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    words, environment = execution.wrap(
        [str(program)], build, execution.Settings(), {**os.environ, "LD_PRELOAD": "/tool.so"}
    )
    assert words == [str(program)]
    assert environment["LD_PRELOAD"].split(":") == [runtime, "/tool.so", str(build.preload)]


def test_a_runtime_that_is_part_of_a_program_is_none_to_be_preloaded(tmp_path):
    if shutil.which("clang") is None:
        pytest.skip("no clang here")
    source, program = tmp_path / "plain.c", tmp_path / "plain"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["clang", "-fsanitize=address", source, "-o", program], check=True)
    assert linked.look_at(str(program)).sanitizer is None
    build = native.installed()[0]
    assert executed(build, "--", program).returncode == 0


# ---- looking at programs ---------------------------------------------------------------------


@each_build
def test_programs_are_looked_at_behind_scripts_and_wrappers(application, build, tmp_path):
    script = tmp_path / "wrapper.sh"
    script.write_text('#!/bin/sh\n"$@"\n')
    for words in ([application], ["env", application], [script, "-v", application, "no-file"]):
        (found,) = linked.programs([AppContext(program=[str(word) for word in words])])
        assert (found.path, found.interface) == (application, build.interface)
        assert not found.has_mpi_inside
    assert linked.programs([AppContext(program=[str(script)])]) == []
    assert linked.programs([AppContext(program=[str(tmp_path / "missing")]), AppContext()]) == []
