# SPDX-License-Identifier: BSD-3-Clause
"""The preload under programs of all kinds, beside tools and in processes without MPI."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from applications import BY_LANE, CALLS, RANKS, fortran, reported, served, well
from jobs import BUILDS, ROOT, run
from laneway import decisions
from laneway.libraries import registry

CALLERS = ROOT / "tests" / "programs" / "callers"
each_build = pytest.mark.parametrize("build", BUILDS)


def library_of(program):
    """Name and path of the MPI library that a program is linked with."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"(libmpi(?:ch|_abi)?\.so\.\d+) => (\S+)", said).groups()


def python(build, program, folder):
    """The environment in which mpi4py uses the MPI library of a build, that of `program`."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed: `make test` installs it")
    if build.interface == "abi":
        pytest.skip("mpi4py knows the standard ABI from 4.2 on")
    if build.family == "openmpi":
        return {"MPI4PY_MPIABI": "openmpi"}
    library = Path(library_of(program)[1])
    if library.name == "libmpi.so.12":
        folder = library.parent
    else:  # It asks for the library under the name that MPICH gives it, and Debian does not.
        (folder / "libmpi.so.12").symlink_to(library)
    return {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": folder}


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
    assert reported(report) == {
        (name, "native"): (1 + (name == "gatherv")) * RANKS for name in VECTORS
    }


# ---- vector collectives -----------------------------------------------------------------------


VECTORS = ("allgatherv", "alltoallv", "alltoallw", "gatherv", "reduce_scatter", "scatterv")
VECTOR_FORMS = {"{}": "lane", "i{}": "hierarchical", "{}_init": "lane_segmented"}
BY_LANES = {
    "LANEWAY_ALGORITHM": ",".join(
        f"{form.format(name)}={algorithm}"
        for form, algorithm in VECTOR_FORMS.items()
        for name in VECTORS
        if name != "alltoallw"  # served as alltoallv
    ),
    "LANEWAY_NODE_SIZE": 2,
}


def vectors_served(forms=tuple(VECTOR_FORMS), **calls):
    """The calls that `reported` finds, one of each in each form, or so many, by every process."""
    return {
        (form.format(name), VECTOR_FORMS[form]): RANKS * calls.get(name, 1)
        for form in forms
        for name in VECTORS
    }


@each_build
def test_vector_collectives_in_c_are_served(compiled, build, tmp_path):
    program = compiled(build, "vectors.c", with_laneway=False)
    outcome = run(
        build, RANKS, [program], preload=[build.preload], LANEWAY_REPORT=tmp_path, **BY_LANES
    )
    assert well(outcome) == "right"
    assert reported(tmp_path) == vectors_served(gatherv=RANKS, scatterv=RANKS)


@each_build
@pytest.mark.parametrize("binding", ["MPIF", "USE_MPI", "USE_MPI_F08"])
def test_vector_collectives_in_fortran_are_served(build, tmp_path, binding):
    source = CALLERS / "vectors.F90"
    words = [fortran(build), "-fallow-argument-mismatch", "-ffree-line-length-none", "-w", "-J"]
    words += [tmp_path, f"-D{binding}", source, "-o", tmp_path / "program"]
    subprocess.run(words, check=True)
    report = tmp_path / "report"
    program = [tmp_path / "program"]
    outcome = run(build, RANKS, program, preload=[build.preload], LANEWAY_REPORT=report, **BY_LANES)
    assert well(outcome) == "right"
    assert reported(report) == vectors_served(("{}", "i{}"))


@each_build
def test_vector_collectives_in_python_are_served(application, build, tmp_path):
    environment = python(build, application, tmp_path)
    report = tmp_path / "report"
    outcome = run(
        build,
        RANKS,
        [sys.executable, CALLERS / "vectors.py", "nonblocking"],
        preload=[build.preload],
        LANEWAY_REPORT=report,
        **environment,
        **BY_LANES,
    )
    assert well(outcome) == "right"
    assert reported(report) == vectors_served(("{}", "i{}"), gatherv=2)


# ---- callers of what is not served ------------------------------------------------------------


@each_build
def test_what_is_left_to_the_library_works_in_python_and_is_counted(application, build, tmp_path):
    environment = python(build, application, tmp_path)
    program = [sys.executable, CALLERS / "left.py"]
    natively = run(build, RANKS, program, **environment)
    report = tmp_path / "report"
    outcome = run(
        build, RANKS, program, preload=[build.preload], LANEWAY_REPORT=report, **environment
    )
    # Under the preload, what Open MPI 4 has as extensions (MPIX_Bcast_init) has MPI's names, too.
    assert well(outcome) == "right"
    assert well(natively).splitlines()[-1] == "right"
    made = {"ialltoallv": 3, "ialltoallw": 1, "neighbor_alltoallv": 1, "neighbor_alltoallw": 1,
            "ibcast": 1, "iallgatherv": 1, "neighbor_allgatherv": 3,
            "ineighbor_alltoallv": 3, "neighbor_allgather": 3, "bcast_init": 1,
            "alltoallv_init": 1}  # fmt: skip
    expected = {(name, "native"): RANKS * calls for name, calls in made.items()}
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
    host = compiled(build, "plugin.c", "-Wl,--as-needed", with_laneway=False)
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


@each_build
@pytest.mark.parametrize("mode", ["RTLD_LOCAL", "RTLD_GLOBAL"])
def test_functions_that_are_looked_up_in_the_library_are_served(application, build, tmp_path, mode):
    words = [sys.executable, CALLERS / "by_handle.py", library_of(application)[1], mode]
    outcome = run(build, RANKS, words, preload=[build.preload], LANEWAY_REPORT=tmp_path, **BY_LANE)
    assert well(outcome) == "right"
    assert reported(tmp_path) == served(CALLS)


@each_build
def test_a_library_is_known_by_the_name_that_programs_are_linked_with(application, build, tmp_path):
    library = Path(library_of(application)[1])
    name = "libany_abi.so" if build.interface == "abi" else "libany.so"
    renamed = shutil.copy(library, tmp_path / name)
    words = [sys.executable, CALLERS / "by_handle.py", renamed, "RTLD_LOCAL"]
    report = tmp_path / "report"
    # A wheel's library finds what it needs beside itself, and a copy of it does not.
    environment = {**BY_LANE, "LD_LIBRARY_PATH": library.parent / "mpich"}
    outcome = run(
        build, RANKS, words, preload=[build.preload], LANEWAY_REPORT=report, **environment
    )
    assert well(outcome) == "right"
    assert reported(report) == served(CALLS)


def test_of_two_libraries_the_one_that_is_used_is_served(compiled, tmp_path):
    both = {build.values[0].family: build.values[0] for build in BUILDS}
    if len(both) < 2:
        pytest.skip("there are builds for one MPI library only")
    own, other = both["openmpi"], both["mpich"]
    libraries = [
        library_of(compiled(build, "application.c", with_laneway=False))[1]
        for build in (own, other)
    ]
    words = [sys.executable, CALLERS / "by_handle.py", libraries[0], "RTLD_LOCAL", libraries[1]]
    outcome = run(own, RANKS, words, preload=[own.preload], LANEWAY_REPORT=tmp_path, **BY_LANE)
    assert well(outcome) == "right"
    assert reported(tmp_path) == served(CALLS)
    (told,) = (line for line in outcome.errors.splitlines() if "laneway:" in line)
    assert "the process has two MPI libraries, " in told
    assert told.index(libraries[0]) < told.index(libraries[1])
    strict = run(own, RANKS, words, preload=[own.preload], LANEWAY_STRICT=1, **BY_LANE)
    assert strict.code != 0
    assert "only calls of the first are served; the job ends" in strict.errors


@each_build
def test_a_lookup_in_vain_is_told_as_without_us(build, tmp_path):
    source, program = tmp_path / "vain.c", tmp_path / "vain"
    source.write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint main(void)\n{\n"
        '    void* file = dlopen("libm.so.6", RTLD_LAZY);\n'
        '    void* found = dlsym(file, "MPI_Bcast");\n'
        '    printf("%p %s\\n", found, dlerror());\n'
        '    found = dlsym(file, "sin");\n'
        '    printf("%d %p\\n", found != NULL, (void*)dlerror());\n'
        '    printf("%d\\n", dlsym(RTLD_NEXT, "MPI_Bcast") != NULL);\n}\n'
    )
    subprocess.run(["cc", source, "-o", program, "-ldl"], check=True)
    alone, beside = (
        subprocess.run(
            [program], env={**os.environ, **extra}, capture_output=True, text=True, check=True
        )
        for extra in ({}, {"LD_PRELOAD": str(build.preload)})
    )
    *told, behind = beside.stdout.splitlines()
    assert told == alone.stdout.splitlines()[:-1]
    assert "undefined symbol: MPI_Bcast" in alone.stdout
    assert behind == "1"  # behind the program comes the preload, which has it


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
def test_an_unknown_library_is_left_alone_and_told_of(build, tmp_path):
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
    assert alone.stdout == f"MPI_Bcast, {arguments}{arguments}"
    assert beside.stdout == arguments * 2
    (line,) = beside.stderr.splitlines()
    assert f"no build of Laneway knows the MPI library libanother.so: {library}; " in line
    strict = {**os.environ, **preloaded, "LANEWAY_STRICT": "1"}
    assert subprocess.run([program], env=strict, capture_output=True, check=False).returncode == 1


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
@pytest.mark.parametrize("place", ["before", "after"])
def test_a_tool_that_looks_functions_up_in_the_library_is_served(compiled, build, tmp_path, place):
    tool = compiled(build, "tool.c", "-DBY_HANDLE", with_laneway=False, shared=True)
    preload = [tool, build.preload] if place == "before" else [build.preload, tool]
    program = compiled(build, "application.c", with_laneway=False)
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
"""A stand-in for CUDA's driver, with a primary context on device ACTIVE."""

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
    assert well(run(build, RANKS, [compiled(build, "error_handlers.c")])) == "right"
