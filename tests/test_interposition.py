# SPDX-License-Identifier: BSD-3-Clause
"""The preload under programs of all kinds, beside tools and in processes without MPI."""

import collections
import importlib.util
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs import BUILDS, ROOT, run
from laneway import decisions, native, registry
from laneway import exec as execution

RANKS = 4
CALLERS = ROOT / "tests" / "programs" / "callers"
BY_LANE = {
    "LANEWAY_ALGORITHM": "bcast=lane,allreduce=lane,allgather=hierarchical",
    "LANEWAY_NODE_SIZE": 2,
}
SERVED_BY = {"bcast": "lane", "allreduce": "lane", "allgather": "hierarchical"}
CALLS = {"bcast": 3, "allreduce": 2, "allgather": 1}
"""Of a process of application.c."""

each_build = pytest.mark.parametrize("build", BUILDS)


def fortran(build):
    """The Fortran compiler of an MPI library that was built with one."""
    wrapper = build.mpicc.with_name(build.mpicc.name.replace("mpicc", "mpifort"))
    if not wrapper.exists() or shutil.which("gfortran") is None:
        pytest.skip(f"{build.library} has no Fortran compiler here")
    return wrapper


def python(build, program, folder):
    """The environment in which mpi4py uses the MPI library of a build, that of `program`."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed: `make test` installs it")
    if build.family == "openmpi":
        return {"MPI4PY_MPIABI": "openmpi"}
    files = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    library = Path(re.search(r"libmpi(?:ch)?\.so\.12 => (\S+)", files)[1])
    if library.name == "libmpi.so.12":
        folder = library.parent
    else:  # It asks for the library under the name that MPICH gives it, and Debian does not.
        (folder / "libmpi.so.12").symlink_to(library)
    return {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": folder}


def well(outcome) -> str:
    assert outcome.code == 0, outcome.told
    return outcome.output


def reported(folder):
    """Calls of a process by collective and the algorithm that served them."""
    calls = collections.Counter()
    for case, count in decisions.load(folder).cases.items():
        calls[case.collective, case.algorithm] += count.calls
    return calls


def served(calls, ranks=RANKS):
    """What `reported` finds where all calls of every process are served."""
    return {(name, SERVED_BY[name]): ranks * number for name, number in calls.items()}


@pytest.fixture
def application(compiled, build):
    """application.c, compiled for an MPI library alone."""
    return compiled(build, "application.c", with_laneway=False)


# ---- callers ----------------------------------------------------------------------------------


@each_build
@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("application.c", ()),
        ("application.cpp", ()),
        ("application.c", ("-DWITH_THREADS",)),
        ("application.c", ("-DLARGE_COUNTS",)),
    ],
    ids=["C", "C++", "MPI_Init_thread", "large counts"],
)
def test_callers_in_c_are_served(compiled, build, tmp_path, source, options):
    if options == ("-DLARGE_COUNTS",) and build.family == "openmpi":
        pytest.skip(f"{build.library} has no functions for large counts")
    program = compiled(build, source, *options, with_laneway=False)
    outcome = run(
        build, RANKS, [program], preload=[build.preload], LANEWAY_REPORT=tmp_path, **BY_LANE
    )
    assert well(outcome) == "right"
    assert reported(tmp_path) == served(CALLS)


@each_build
@pytest.mark.parametrize("binding", ["mpif", "use_mpi", "use_mpi_f08"])
def test_callers_in_fortran_are_served(build, tmp_path, binding):
    source = CALLERS / f"{binding}.F90"
    words = [fortran(build), "-fallow-argument-mismatch", "-w", "-J", tmp_path, source]
    subprocess.run([*words, "-o", tmp_path / "program"], check=True)
    report = tmp_path / "report"
    outcome = run(
        build,
        RANKS,
        [tmp_path / "program"],
        preload=[build.preload],
        LANEWAY_REPORT=report,
        **BY_LANE,
    )
    assert well(outcome) == "right"
    assert reported(report) == served({**CALLS, "bcast": 4})


@each_build
def test_callers_in_python_are_served(application, build, tmp_path):
    environment = python(build, application, tmp_path)
    report = tmp_path / "report"
    outcome = run(
        build,
        RANKS,
        [sys.executable, CALLERS / "application.py"],
        preload=[build.preload],
        LANEWAY_REPORT=report,
        **environment,
        **BY_LANE,
    )
    assert well(outcome) == "right"
    assert reported(report) == served(CALLS)


@each_build
def test_vector_collectives_in_python_are_counted(application, build, tmp_path):
    environment = python(build, application, tmp_path)
    program = [sys.executable, CALLERS / "vectors.py"]
    report = tmp_path / "report"
    outcome = run(
        build, RANKS, program, preload=[build.preload], LANEWAY_REPORT=report, **environment
    )
    assert well(outcome) == "right"
    expected = {("gatherv", "native"): 2 * RANKS, ("allgatherv", "native"): RANKS}
    assert reported(report) == expected


@each_build
def test_callers_with_sessions_are_served(compiled, build, tmp_path):
    program = compiled(build, "sessions.c", "-DLANEWAY_PRELOADED", with_laneway=False)
    outcome = run(
        build, RANKS, [program], preload=[build.preload], LANEWAY_REPORT=tmp_path, **BY_LANE
    )
    if "no sessions" in well(outcome):
        pytest.skip(f"{build.library} has no sessions")
    assert reported(tmp_path) == served({"bcast": RANKS})
    assert decisions.load(tmp_path).ended == RANKS


@each_build
def test_a_session_that_outlives_the_world_is_served(compiled, build, tmp_path):
    program = compiled(build, "sessions.c", "-DLANEWAY_PRELOADED", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, **BY_LANE}
    strict = compiled(build, "strict_world.c", with_laneway=False, shared=True)
    outcome = run(build, RANKS, [program, 1, "world"], preload=[build.preload, strict], **settings)
    if "no sessions" in well(outcome):
        pytest.skip(f"{build.library} has no sessions")
    assert reported(tmp_path) == served({"bcast": RANKS})


@each_build
def test_threads_that_come_first_all_at_once_are_served(compiled, build, tmp_path):
    program = compiled(build, "threads.c", "-DLANEWAY_PRELOADED", with_laneway=False)
    outcome = run(
        build,
        RANKS,
        [program],
        preload=[build.preload],
        timeout=240,
        LANEWAY_REPORT=tmp_path,
        **BY_LANE,
    )
    if "no MPI_THREAD_MULTIPLE" not in well(outcome):
        assert reported(tmp_path) == served({"bcast": 4 * 50, "allreduce": 4 * 50})


@each_build
def test_collectives_that_the_library_makes_of_its_own_do_no_harm(compiled, build, tmp_path):
    program = compiled(build, "files.c", with_laneway=False)
    collectives = {algorithm.collective for algorithm in registry.load(build)}
    settings = {
        "LANEWAY_ALGORITHM": ",".join(f"{name}=lane" for name in sorted(collectives)),
        "LANEWAY_NODE_SIZE": 2,
    }
    well(run(build, RANKS, [program, tmp_path / "data"], preload=[build.preload], **settings))


@each_build
def test_an_mpi_library_that_nobody_else_sees(compiled, build, tmp_path):
    plugin = compiled(build, "application.c", with_laneway=False, shared=True)
    host = tmp_path / "host"
    source = ROOT / "tests" / "programs" / "plugin.c"
    subprocess.run(["cc", source, "-o", host, "-ldl"], check=True)
    outcome = run(
        build,
        RANKS,
        [host, plugin],
        preload=[build.preload],
        LANEWAY_REPORT=tmp_path / "report",
        **BY_LANE,
    )
    assert well(outcome) == "right"
    assert reported(tmp_path / "report") == served(CALLS)


# ---- one preload for all ----------------------------------------------------------------------


@each_build
@pytest.mark.parametrize("other", BUILDS)
def test_the_preload_of_any_build_serves_programs_of_every_library(
    application, build, other, tmp_path
):
    outcome = run(
        build, RANKS, [application], preload=[other.preload], LANEWAY_REPORT=tmp_path, **BY_LANE
    )
    assert well(outcome) == "right"
    assert reported(tmp_path) == served(CALLS)


@each_build
def test_without_a_build_for_its_library_a_program_runs_natively(
    application, compiled, build, tmp_path
):
    alone = tmp_path / "openmpi-1.0" / "lib" / build.preload.name
    alone.parent.mkdir(parents=True)
    shutil.copy(build.preload, alone)
    outcome = run(build, 2, [application], preload=[alone], **BY_LANE)
    assert well(outcome) == "right"
    assert outcome.errors.count("no build of Laneway fits the MPI library") == 1, outcome.told
    vectors = compiled(build, "large_vectors.c", with_laneway=False)
    well(run(build, RANKS, [vectors], preload=[alone]))
    strict = run(build, 2, [application], preload=[alone], LANEWAY_STRICT=1, **BY_LANE)
    assert strict.code != 0
    assert strict.errors.count("the job ends (LANEWAY_STRICT)") == 1, strict.told


@each_build
def test_an_unknown_library_is_left_alone(build, tmp_path):
    sources = ROOT / "tests" / "programs"
    library, program = tmp_path / "libanother.so", tmp_path / "program"
    subprocess.run(["cc", "-shared", "-fPIC", sources / "other_mpi.c", "-o", library], check=True)
    subprocess.run(
        ["cc", sources / "other_program.c", library, f"-Wl,-rpath,{tmp_path}", "-o", program],
        check=True,
    )
    preloaded = {"LD_PRELOAD": str(build.preload), **{k: str(v) for k, v in BY_LANE.items()}}
    alone, beside = (
        subprocess.run(
            [program], env={**os.environ, **extra}, capture_output=True, text=True, check=True
        )
        for extra in ({}, preloaded)
    )
    arguments = "PMPI_Bcast 1 -2 3 -4 5\n"
    assert beside.stdout == alone.stdout == f"MPI_Bcast, {arguments}{arguments}"
    assert beside.stderr == ""


@each_build
@pytest.mark.parametrize(
    "command",
    [
        ["ls", "/"],
        ["bash", "-c", "echo $((6 * 7))"],
        [sys.executable, "-c", "import json, ssl; print(1)"],
    ],
    ids=["ls", "bash", "python"],
)
def test_processes_without_mpi_are_left_alone(build, command):
    preloaded = {**os.environ, "LD_PRELOAD": str(build.preload), "LANEWAY_STRICT": "1"}
    alone, beside = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        for environment in (None, preloaded)
    )
    assert (alone.stdout, alone.stderr) == (beside.stdout, beside.stderr)


@each_build
def test_a_program_linked_with_laneway_is_served_under_the_preload_too(compiled, build, tmp_path):
    program = compiled(build, "settings.c")
    outcome = run(build, RANKS, [program], preload=[build.preload], **BY_LANE)
    assert "served by lane" in well(outcome)
    well(run(build, RANKS, [compiled(build, "handles.c")], preload=[build.preload]))


# ---- tools ------------------------------------------------------------------------------------


@each_build
@pytest.mark.parametrize("place", ["before", "after", "linked", "linked, shared"])
def test_a_tool_sees_each_call_once_and_none_of_ours(compiled, build, tmp_path, place):
    tool = compiled(build, "tool.c", with_laneway=False, shared=True)
    preload, link = [build.preload], []
    if place == "before":
        preload = [tool, build.preload]
    elif place == "after":
        preload = [build.preload, tool]
    elif place == "linked":
        link = [str(ROOT / "tests" / "programs" / "tool.c")]
    else:
        link = ["-Wl,--no-as-needed", str(tool)]
    program = compiled(build, "application.c", *link, with_laneway=False)
    outcome = run(build, RANKS, [program], preload=preload, LANEWAY_REPORT=tmp_path, **BY_LANE)
    seen = re.findall(r"tool: (.*)", well(outcome))
    assert seen == ["3 bcasts, 2 allreduces, 1 allgathers, 0 others"] * RANKS, outcome.told
    assert reported(tmp_path) == served(CALLS)


@each_build
def test_a_tool_before_and_another_after_see_what_they_see_without_us(compiled, build):
    first = compiled(build, "tool.c", with_laneway=False, shared=True)
    second = compiled(build, "tool.c", "-DSECOND", with_laneway=False, shared=True)
    program = compiled(build, "application.c", with_laneway=False)
    alone = run(build, 2, [program], preload=[first, second])
    beside = run(build, 2, [program], preload=[first, build.preload, second], **BY_LANE)
    assert sorted(well(alone).split("\n")) == sorted(well(beside).split("\n"))


# ---- accelerators -----------------------------------------------------------------------------


DRIVER = """
int cuCtxGetCurrent(void** context) { *context = CURRENT; return 0; }
int cuDeviceGetCount(int* devices) { *devices = 2; return 0; }
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active)
{
    *flags = 0;
    *active = device == ACTIVE;
    return 0;
}
"""
"""What is asked of CUDA's driver, with a primary context on device ACTIVE."""

ACCELERATORS = {
    "runtime": ("libcudart.so.12", "", True),
    "runtime of a wheel": ("libcudart-d0da41ae.so.11.0", "", True),
    "runtime of ROCm": ("libamdhip64.so.6", "", True),
    "driver in use": ("libcuda.so.1", DRIVER.replace("CURRENT", "0").replace("ACTIVE", "1"), True),
    "driver with a context of its own": (
        "libcuda.so.1",
        DRIVER.replace("CURRENT", "context").replace("ACTIVE", "-1"),
        True,
    ),
    "driver alone": ("libcuda.so.1", DRIVER.replace("CURRENT", "0").replace("ACTIVE", "-1"), False),
    "driver not begun": (
        "libcuda.so.1",
        "int cuCtxGetCurrent(void** c) { return *c = 0, 3; }",
        False,
    ),
    "another library": ("libcudartist.so.1", "", False),
}
"""Libraries in a process, and whether they mean that buffers may lie in a device's memory."""


@each_build
@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_beside_accelerators_in_use_reductions_are_native(
    application, build, tmp_path, accelerator
):
    name, source, in_use = ACCELERATORS[accelerator]
    runtime = tmp_path / name
    (tmp_path / "stub.c").write_text(source)
    command = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", tmp_path / "stub.c", "-o", runtime]
    subprocess.run(command, check=True)
    on_rank_1 = (
        'rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}; [ "$rank" = 1 ] && '
        f'export LD_PRELOAD="$LD_PRELOAD:{runtime}"; exec "$@"'
    )
    outcome = run(
        build,
        RANKS,
        ["sh", "-c", on_rank_1, "sh", application],
        preload=[build.preload],
        LANEWAY_REPORT=tmp_path / "report",
        **BY_LANE,
    )
    assert well(outcome) == "right"
    expected = served(CALLS)
    if in_use:
        expected["allreduce", "native"] = expected.pop(("allreduce", "lane"))
    assert reported(tmp_path / "report") == expected
    reasons = {case.why for case in decisions.load(tmp_path / "report").cases
               if case.algorithm == "native"}  # fmt: skip
    assert reasons == ({"accelerators are in use"} if in_use else set())


# ---- errors of other threads ------------------------------------------------------------------


@each_build
def test_errors_of_other_threads_reach_the_programs_handler(compiled, build):
    if build.family == "mpich":
        pytest.skip("MPICH allows no MPI in a handler where there are threads")
    assert well(run(build, RANKS, [compiled(build, "error_handlers.c")], timeout=240)) == "right"


# ---- laneway exec -----------------------------------------------------------------------------


def launched(build, *words):
    root = ["--allow-run-as-root", "--oversubscribe"] if build.family == "openmpi" else []
    return [str(build.mpiexec), *root, "-np", "2", *map(str, words)]


def wrapped(build, command):
    """`command` under Laneway, without looking for builds."""
    settings = execution.Settings(node_size="1")
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    words, environment = execution.wrap(command, build, settings, {**os.environ, **preload})
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@each_build
def test_exec_reaches_through_a_shell_script(application, build, tmp_path):
    script = tmp_path / "wrapper.sh"
    script.write_text('#!/bin/bash\ncd /\n"$@"\n')
    script.chmod(0o755)
    words = [sys.executable, "-m", "laneway", "exec", "--out", tmp_path / "report"]
    choice = ["--algorithm", BY_LANE["LANEWAY_ALGORITHM"], "--node-size", "1"]
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    said = subprocess.run(
        [*words, *choice, "--", *launched(build, script, application)],
        env={**os.environ, **preload},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout == "right\n"
    assert reported(tmp_path / "report") == served(CALLS, 2)


@pytest.mark.parametrize("build", [build for build in BUILDS if build.id == "openmpi-4.1"])
def test_exec_reaches_other_hosts_through_a_script_around_mpirun(application, build, tmp_path):
    ssh, script = tmp_path / "ssh.sh", tmp_path / "job.sh"
    ssh.write_text('#!/bin/sh\nshift\nexec env -i PATH="$PATH" HOME="$HOME" sh -c "$*"\n')
    here = ["--host", f"{socket.gethostname()}:1,elsewhere:1", "--mca", "plm_rsh_agent", ssh]
    mpirun, *options = launched(build, *here, application)
    script.write_text(f"#!/bin/sh\nexec {shlex.join([mpirun, *options])}\n")
    for file in (ssh, script):
        file.chmod(0o755)
    settings = execution.Settings(
        algorithm=BY_LANE["LANEWAY_ALGORITHM"], node_size="1", report=tmp_path / "report"
    )
    words, environment = execution.wrap([str(script)], build, settings, os.environ)
    said = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout == "right\n"
    assert reported(tmp_path / "report") == served(CALLS, 2)


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


# ---- laneway exec: the launcher's options, settings, what runs without Laneway ----------------


def until(true):
    """Waits until something holds."""
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def executed(build, *words, environment=None, folder=None):
    """Outcome of `laneway exec`, with ranks that share cores."""
    preload = {"LD_PRELOAD": str(build.yielding)} if build.family == "mpich" else {}
    return subprocess.run(
        [sys.executable, "-m", "laneway", "exec", *map(str, words)],
        env={**os.environ, **preload, **(environment or {})},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


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
    said = executed(build, "--strict", "--", *launched(build, quiet), ":", *second)
    assert said.returncode == 1
    assert said.stderr.startswith("laneway: rank 2 ran without Laneway"), said.stderr


@each_build
def test_exec_strict_passes_where_laneway_is_there(application, quiet, build, tmp_path):
    for program in (application, quiet):
        said = executed(build, "--strict", "--", *launched(build, program), folder=tmp_path)
        assert (said.returncode, said.stderr) == (0, "")
    assert not list(tmp_path.glob(".laneway-*"))


@each_build
def test_exec_strict_says_where_other_hosts_cannot_be_judged(quiet, build):
    folder = Path("/proc")  # where not even root makes files
    said = executed(build, "--strict", "--", *launched(build, quiet), folder=folder)
    assert said.returncode == 0
    (line,) = said.stderr.splitlines()
    assert line.startswith("cannot write into the working directory (")


def test_exec_strict_leaves_nothing_when_it_is_killed(tmp_path):
    words = [sys.executable, "-m", "laneway", "exec", "--strict", "--", "sleep", "5"]
    with subprocess.Popen(words, cwd=tmp_path) as running:
        until(lambda: list(tmp_path.glob(".laneway-*")))
        running.kill()
    until(lambda: not list(tmp_path.glob(".laneway-*")))
