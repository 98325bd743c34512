# SPDX-License-Identifier: BSD-3-Clause
"""`laneway exec`: what it forwards through launchers and scripts, and what it verifies."""

import os
import re
import shlex
import socket
import subprocess
from pathlib import Path

import pytest

from applications import BY_LANE, CALLS, reported, served
from commands import COMMAND
from jobs import BUILDS, LIMIT, ROOT, run, wait_for
from laneway.interposition import exec as execution
from laneway.interposition import marks
from laneway.libraries import native

CALLERS = ROOT / "tests" / "programs" / "callers"

each_build = pytest.mark.parametrize("build", BUILDS)


def launched(build, *words):
    root = ["--allow-run-as-root", "--oversubscribe"] if build.family == "openmpi" else []
    return [str(build.mpiexec), *root, "-np", "2", *map(str, words)]


def wrapped(build, command):
    """`command` under Laneway, without looking for builds."""
    settings = execution.Settings(node_size="1")
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    words, environment = execution.wrap(command, build, settings, {**os.environ, **preload})
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT
    )


@each_build
def test_exec_reaches_through_a_shell_script(application, build, tmp_path):
    script = tmp_path / "wrapper.sh"
    script.write_text('#!/bin/bash\ncd /\n"$@"\n')
    script.chmod(0o755)
    words = [*COMMAND, "exec", "--out", tmp_path / "report"]
    choice = ["--algorithm", BY_LANE["LANEWAY_ALGORITHM"], "--node-size", "1"]
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    said = subprocess.run(
        [*words, *choice, "--", *launched(build, script, application)],
        env={**os.environ, **preload},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout == "right\n"
    assert reported(tmp_path / "report") == served(CALLS, 2)


OPEN_MPI_4 = [build for build in native.installed() if build.id == "openmpi-4.1"]


@pytest.mark.parametrize("way", ["exec", "env"])
@pytest.mark.parametrize("build", OPEN_MPI_4)
def test_a_script_around_mpirun_takes_laneway_to_other_hosts(application, build, tmp_path, way):
    """Daemons there are started by what hands on no environment."""
    ssh, script = tmp_path / "ssh.sh", tmp_path / "job.sh"
    ssh.write_text('#!/bin/sh\nshift\nexec env -i PATH="$PATH" HOME="$HOME" sh -c "$*"\n')
    here = ["--host", f"{socket.gethostname()}:1,elsewhere:1", "--mca", "plm_rsh_agent", ssh]
    mpirun, *options = launched(build, *here, application)
    choice = ["--algorithm", BY_LANE["LANEWAY_ALGORITHM"], "--node-size", "1", "--mpi", build.id]
    asked = shlex.join([*COMMAND, "env", *choice])
    before = f'eval "$({asked})"\n' if way == "env" else ""
    script.write_text(f"#!/bin/sh\n{before}exec {shlex.join([mpirun, *options])}\n")
    for file in (ssh, script):
        file.chmod(0o755)
    words = [*COMMAND, "exec", "--quiet", *choice, "--"] if way == "exec" else []
    said = subprocess.run(
        [*words, script],
        env={**os.environ, "LANEWAY_REPORT": str(tmp_path / "report")},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout == "right\n"
    assert reported(tmp_path / "report") == served(CALLS, 2)


def test_settings_that_are_printed_again_are_the_new_ones_on_other_hosts_too():
    agent = "OMPI_MCA_orte_launch_agent"
    build = native.find()
    old = execution.for_all_hosts({"LD_PRELOAD": str(build.preload)}, {})
    new = {"LANEWAY": "off", "LD_PRELOAD": str(build.preload)}
    found = execution.for_all_hosts(new, {**os.environ, **old})
    assert found == {**new, agent: f"env LANEWAY=off LD_PRELOAD={build.preload} orted"}
    assert execution.for_all_hosts(new, {agent: "mine"}) == new


@each_build
def test_a_job_on_one_node_is_told_once_that_it_has_no_lanes(application, build, tmp_path):
    profile = tmp_path / "site.conf"
    profile.write_text("laneway profile 1\nbcast use lane\n")
    forced = {"LANEWAY_ALGORITHM": "bcast=lane,scan=lane,allreduce=native"}
    quiet = [{**forced, "LANEWAY_NODE_SIZE": 1}, {"LANEWAY_PROFILE": profile},
             {"LANEWAY_ALGORITHM": "bcast=native", "LANEWAY_PROFILE": profile}]  # fmt: skip
    for settings, told in ((forced, 1), *((each, 0) for each in quiet)):
        outcome = run(build, 2, [application], preload=[build.preload], **settings)
        assert outcome.output == "right", outcome.told
        lines = [line for line in outcome.errors.splitlines() if line.startswith("laneway: ")]
        assert len(lines) == told, outcome.told
        for line in lines:
            assert "all 2 processes are on one node, where there are no lanes to use" in line
            assert "; bcast=lane, scan=lane serves calls of every size" in line


@each_build
def test_exec_names_the_ranks_that_the_preload_did_not_reach(application, build, tmp_path):
    elsewhere = native.NativeBuild(**{**vars(build), "folder": tmp_path})
    said = wrapped(elsewhere, launched(build, application))
    assert said.returncode != 0
    assert "right" not in said.stdout
    assert f"there is no {tmp_path}/lib/liblaneway_preload.so on this host" in said.stderr
    assert re.search(r"laneway: rank [01] on \S+ would run without Laneway", said.stderr)


@each_build
def test_exec_checks_every_part_of_a_command_line(application, build):
    first, *second = launched(build, application, "first")[1:], ":", "-n", "1", application
    said = wrapped(build, [str(build.mpiexec), *first, *map(str, second)])
    assert said.returncode == 0, said.stderr
    assert said.stdout == "right\n"


def executed(build, *words, environment=None, folder=None):
    """Outcome of `laneway exec`, with ranks that share cores.

    MPICH's Hydra fails where the processes end before it has passed on the end of its input: that
    job is started again.
    """
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    for _ in range(5):
        said = subprocess.run(
            [*COMMAND, "exec", *map(str, words)],
            env={**os.environ, **preload, **(environment or {})},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        if "error writing to control socket" not in said.stderr:
            break
    return said


PRELOADING = {
    "openmpi": {
        "-x with a value": lambda tool: (["-x", f"LD_PRELOAD={tool}"], {}),
        "-x": lambda tool: (["-x", "LD_PRELOAD"], {"LD_PRELOAD": tool}),
        "the environment": lambda tool: ([], {"LD_PRELOAD": tool}),
        "a list": lambda tool: (["--mca", "mca_base_env_list", f"LD_PRELOAD={tool};A=1"], {}),
    },
    "mpich": {
        "-genv": lambda tool: (["-genv", "LD_PRELOAD", tool], {}),
        "-env": lambda tool: (["-env", "LD_PRELOAD", tool], {}),
        "the environment": lambda tool: ([], {"LD_PRELOAD": tool}),
    },
}
"""Ways in which users of a launcher preload a tool: its options, and the environment."""


@pytest.mark.parametrize(
    ("build", "way"),
    [
        pytest.param(*build.values, way, id=f"{build.id}, {way}")
        for build in BUILDS
        for way in PRELOADING[build.values[0].family]
    ],
)
def test_exec_serves_beside_tools_that_are_preloaded(compiled, build, tmp_path, way):
    tool = str(compiled(build, "tool.c", "-DNEXT", with_laneway=False, shared=True))
    if build.family == "mpich":
        tool += f":{build.yielding}"
    options, environment = PRELOADING[build.family][way](tool)
    program = compiled(build, "application.c", with_laneway=False)
    choice = ["--algorithm", BY_LANE["LANEWAY_ALGORITHM"], "--node-size", "1"]
    said = executed(
        build, *choice, "--out", tmp_path, "--", *launched(build, *options, program),
        environment=environment,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    seen = re.findall(r"tool: (.*)", said.stdout)
    assert seen == ["3 bcasts, 2 allreduces, 1 allgathers, 0 others"] * 2, said.stdout
    assert reported(tmp_path) == served(CALLS, 2)


@pytest.mark.parametrize("build", [build for build in BUILDS if build.id.startswith("openmpi")])
def test_exec_adds_to_open_mpis_list_of_variables(build):
    words = launched(build, "sh", "-c", "echo $FOO ${LD_PRELOAD##*/}")
    said = executed(build, "--", *words, environment={"OMPI_MCA_mca_base_env_list": "FOO=bar"})
    assert said.returncode == 0, said.stderr
    assert said.stdout == f"bar {build.preload.name}\n" * 2


@each_build
def test_exec_finds_the_program_where_ranks_start(application, build, tmp_path):
    options = ["-wdir", application.parent, f"./{application.name}"]
    said = executed(build, "--", *launched(build, *options), folder=tmp_path)
    assert (said.returncode, said.stdout) == (0, "right\n"), said.stderr


@each_build
@pytest.mark.parametrize("strict", [False, True])
def test_exec_treats_a_damaged_profile_as_the_variable_does(application, build, tmp_path, strict):
    damaged = tmp_path / "damaged.conf"
    damaged.write_text("laneway profile 1\nbcast uses lane\n")
    words = [*(["--strict"] if strict else []), "--", *launched(build, application)]
    for said in (
        executed(build, "--profile", damaged, *words),
        executed(build, *words, environment={"LANEWAY_PROFILE": str(damaged)}),
    ):
        assert said.stderr.count(f"laneway: {damaged}:2: ") == 1, said.stderr
        assert ("served natively" in said.stderr) == (not strict)
        assert (said.returncode, said.stdout) == ((2, "") if strict else (0, "right\n"))


@each_build
def test_exec_strict_fails_where_something_drops_the_preload(application, build, tmp_path):
    script = tmp_path / "wrapper.sh"
    script.write_text(f'#!/bin/sh\nLD_PRELOAD={build.yielding} exec "$@"\n')
    script.chmod(0o755)
    for dropping in ([script], ["env", f"LD_PRELOAD={build.yielding}"]):
        said = executed(build, "--strict", "--", *launched(build, *dropping, application))
        assert (said.returncode, said.stdout) == (1, "right\n"), said.stderr
        assert "laneway: ranks 0, 1 ran without Laneway" in said.stderr
    assert executed(build, "--", *launched(build, script, application)).returncode == 0


@pytest.fixture
def quiet(compiled, build, tmp_path):
    """A program that calls no collective."""
    source = tmp_path / "quiet.c"
    source.write_text(
        "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0) | MPI_Finalize(); }\n"
    )
    return compiled(build, source, with_laneway=False)


@each_build
def test_exec_strict_names_the_rank_that_runs_without_laneway(quiet, build):
    second = ["-n", "1", "env", f"LD_PRELOAD={build.yielding}", quiet]
    said = executed(build, "--quiet", "--strict", "--", *launched(build, quiet), ":", *second)
    assert said.returncode == 1
    assert said.stderr.startswith("laneway: rank 2 ran without Laneway"), said.stderr


@each_build
def test_exec_strict_passes_where_laneway_is_there(application, quiet, build, tmp_path):
    other = {"SLURM_PROCID" if build.family == "openmpi" else "PMIX_RANK": ""}  # means no rank
    for program in (application, quiet):
        words = ("--quiet", "--strict", "--", *launched(build, program))
        said = executed(build, *words, folder=tmp_path, environment=other)
        assert (said.returncode, said.stderr) == (0, "")
    assert not list(tmp_path.glob(".laneway-*"))


@each_build
def test_exec_strict_says_where_other_hosts_cannot_be_judged(quiet, build):
    folder = Path("/proc")  # where not even root makes files
    said = executed(build, "--quiet", "--strict", "--", *launched(build, quiet), folder=folder)
    assert said.returncode == 0
    (line,) = said.stderr.splitlines()
    assert line.startswith("cannot write into the working directory (")


def test_exec_strict_leaves_nothing_when_it_is_killed(tmp_path):
    words = [*COMMAND, "exec", "--strict", "--", "cat"]  # until its input ends
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE) as running:
        assert wait_for(lambda: list(tmp_path.glob(".laneway-*")))
        running.kill()
    assert wait_for(lambda: not list(tmp_path.glob(".laneway-*")))


def test_who_removes_the_folder_for_marks_is_there_before_it(tmp_path, monkeypatch):
    found = []

    class Guard(subprocess.Popen):
        def __init__(self, *words, **settings):
            super().__init__(*words, **settings)
            found.append(list(tmp_path.iterdir()))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(marks.subprocess, "Popen", Guard)
    with marks.folder(pytest.fail, marks.UNNOTICED) as made:
        assert made.is_dir()
    assert found == [[]]
    assert not made.exists()
