# SPDX-License-Identifier: BSD-3-Clause
"""The commands that advice ends with: whole, for the place where the job ran."""

import re
import shlex
import subprocess

import pytest

from commands import laneway
from jobs import BUILDS, LIMIT, ONE_BUILD, ROOT, run
from laneway import decisions
from laneway.commands.compare import compare_command
from laneway.decisions import origin
from laneway.decisions.advice import DATATYPES
from test_decisions_read import calls_row, written

MIB = 2**20


def expensive(collective="bcast", least=65536, seconds=1.0, **more):
    sizes = {"bytes_from": least, "bytes_to": 2 * least - 1, "bytes": 5 * least}
    return calls_row(collective, **sizes, seconds=seconds, **more)


def commands(folder, *rows, where=()):
    written(folder, *rows)
    return decisions.comparisons(decisions.load(folder).cases, where)


def test_the_sizes_that_occurred_are_spanned(tmp_path):
    rows = [
        expensive(least=65536),
        expensive(least=131072),
        expensive("scan", least=MIB, seconds=3),
    ]
    assert commands(tmp_path, *rows, where=["--mpi", "openmpi-4.1"]) == [
        "laneway compare scan -m 1M:2M --nodes 2 --ppn 2 --mpi openmpi-4.1",
        "laneway compare bcast -m 64K:256K --nodes 2 --ppn 2 --mpi openmpi-4.1",
    ]


def test_what_most_calls_are_on_is_measured(tmp_path):
    rows = [
        expensive("allreduce", calls=1, datatype="MPI_INT", op="MPI_SUM"),
        expensive("allreduce", calls=9, datatype="MPI_DOUBLE_PRECISION", op="MPI_MAX", why="other"),
        expensive("allreduce", calls=50, why="its types are of the program"),
    ]
    (command,) = commands(tmp_path, *rows)
    assert " -m 64K:128K --datatype double --op max --nodes 2 " in command
    (command,) = commands(tmp_path, expensive(datatype="MPI_INT"))
    assert command == "laneway compare bcast -m 64K:128K --nodes 2 --ppn 2"


def test_sizes_that_have_no_count_of_the_datatype_are_not_measured(tmp_path):
    pairs = {"datatype": "MPI_DOUBLE_INT", "op": "MPI_MAXLOC"}
    (command,) = commands(tmp_path, expensive("allreduce", **pairs))
    assert " -m 65532,131076 --datatype double_int --op maxloc " in command
    (command,) = commands(tmp_path, expensive("allreduce", least=8, **pairs))
    assert " -m 12:24 " in command


@pytest.mark.parametrize("build", ONE_BUILD)
def test_datatypes_are_called_as_the_benchmark_calls_them(build):
    words = [build.folder / "bin" / "laneway-bench", "--datatype", "none"]
    said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT).stderr
    assert set(DATATYPES.values()) == set(said.strip().partition("known: ")[2].split(", "))


REDUCES = """
#include <mpi.h>
int main(void)
{
    double in[2] = {1, 2}, out[2];
    MPI_Datatype two;
    MPI_Init(0, 0);
    MPI_Type_contiguous(2, MPI_DOUBLE, &two);
    MPI_Type_commit(&two);
    MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    MPI_Gather(in, 1, MPI_FLOAT, out, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Bcast(in, 1, two, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("settings", [{}, {"LANEWAY_ADVISE": 1}], ids=["report", "advise"])
def test_a_report_says_what_the_calls_are_on(compiled, build, tmp_path, settings):
    (tmp_path / "reduces.c").write_text(REDUCES)
    program = compiled(build, tmp_path / "reduces.c", with_laneway=False)
    report = tmp_path / "report"
    run(build, 2, [program], preload=[build.preload], LANEWAY_REPORT=report, **settings)
    rows = [row for row in decisions.load(report).rows() if row["kind"] == "decision"]
    assert {(row["collective"], row["datatype"], row["op"]) for row in rows} == {
        ("allreduce", "MPI_DOUBLE", "MPI_MAX"),
        ("allreduce", "MPI_2INT", "MPI_MINLOC"),
        ("gather", "MPI_FLOAT", None),
        ("bcast", None, None),
        ("barrier", None, None),
    }


def test_sizes_far_apart_are_a_list(tmp_path):
    rows = [expensive(least=1024), expensive(least=MIB)]
    (command,) = commands(tmp_path, *rows)
    assert " -m 1K,2K,1M,2M " in command


def test_what_cannot_gain_is_not_to_be_compared(tmp_path):
    late = expensive(seconds=0.1, waited_s=5.0)
    within_a_node = expensive("scan", nodes=1)
    assert commands(tmp_path, late, within_a_node, expensive("barrier")) == []


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("mpirun -np 8 ./app", []),
        ("mpirun --hostfile hosts -np 8 ./app", ["--launcher-options", "--hostfile hosts"]),
        ("mpiexec -H a,b -n 8 ./app", ["--launcher-options", "-H a,b"]),
        ("srun -n 8 ./app", ["--launcher", "srun"]),
        ("laneway cluster run --name big -- ./app", ["--cluster", "big"]),
        ("sh -c job", []),
    ],
)
def test_the_comparison_runs_where_the_job_ran(command, where):
    words = command.split()
    asked = {"node_size": None, "lanes": None, "environment": {}}
    assert origin.options(words, "openmpi-4.1", **asked) == ["--mpi", "openmpi-4.1", *where]


def test_on_an_emulated_cluster_it_runs_on_the_same_one_by_the_same_library():
    words = ["laneway", "cluster", "run", "--mpi=mpich", "--", "./app", "--name", "other"]
    asked = {"node_size": None, "lanes": None, "environment": {"LANEWAY_CLUSTER": "mine"}}
    told = origin.options(words, "openmpi-4.1", **asked)
    assert told == ["--mpi", "mpich", "--cluster", "mine"]
    words = ["laneway", "cluster", "run", "--realtime", "--binding", "all", "--", "./app"]
    told = origin.options([*words, "--realtime"], "openmpi-4.1", **asked)
    assert told[2:] == ["--cluster", "mine", "--binding", "all", "--realtime"]
    (*_, told) = origin.options([*words[:3], "--", "./app", "--realtime"], "openmpi-4.1", **asked)
    assert told == "mine", "the program's own option"


def test_what_was_quoted_stays_quoted():
    words = ["mpirun", "--hostfile", "my hosts", "./app"]
    asked = {"node_size": None, "lanes": None, "environment": {}}
    *_, given = origin.options(words, "openmpi-4.1", **asked)
    assert shlex.split(given) == ["--hostfile", "my hosts"]


def test_in_a_batch_job_mpirun_is_the_launcher_and_virtual_nodes_need_none():
    words = ["mpirun", "-np", "8", "./app"]
    batch = {"lanes": None, "environment": {"SLURM_JOB_ID": "1"}}
    assert origin.options(words, "mpich-4.0", node_size=None, **batch)[2:] == [
        "--launcher",
        "mpirun",
    ]
    assert origin.options(words, "mpich-4.0", node_size="4", **batch)[2:] == ["--cluster", "none"]
    asked = {"node_size": None, "environment": {}}
    assert origin.options(words, "mpich-4.0", lanes=2, **asked)[2:] == ["--lanes", "2"]


@pytest.mark.parametrize(
    ("page", "environment"),
    [("README.md", {"SLURM_JOB_ID": "1"}), ("docs/tutorial-application.md", {})],
)
def test_the_documentation_shows_the_advice_that_is_given(tmp_path, page, environment):
    """From the command that it is asked by, and the sizes and shape in the printed one."""
    text = (ROOT / page).read_text()
    asked = re.search(r"^laneway exec --advise -- (.+)$", text, re.MULTILINE)
    printed = re.search(r"^laneway compare .+$", text[asked.end() :], re.MULTILINE)[0]
    given = compare_command.make_context("compare", shlex.split(printed)[2:]).params
    (ppn,) = given["ppn"]
    shape = {"nodes": given["nodes"], "ppn_least": ppn, "ppn_most": ppn}
    asked_by = {"node_size": None, "lanes": None, "environment": environment}
    where = origin.options(shlex.split(asked[1]), given["mpi"], **asked_by)
    (collective,) = given["named"][0]
    row = expensive(collective, least=min(given["sizes"]), **shape)
    assert commands(tmp_path, row, where=where) == [printed]


def test_the_table_is_followed_by_the_commands_and_csv_is_not(tmp_path):
    with origin.kept(tmp_path, ["--mpi", "openmpi-4.1", "--launcher-options", "--hostfile hosts"]):
        written(tmp_path, expensive())
    last = laneway("decisions", tmp_path).stdout.splitlines()[-2:]
    assert "a profile for `laneway exec --profile`" in last[0]
    assert last[1] == (
        "laneway compare bcast -m 64K:128K --nodes 2 --ppn 2 --mpi openmpi-4.1 "
        "--launcher-options '--hostfile hosts'"
    )
    assert "laneway compare" not in laneway("decisions", "--csv", tmp_path).stdout
    assert "at most 1 s" in laneway("decisions", "--markdown", tmp_path).stdout
