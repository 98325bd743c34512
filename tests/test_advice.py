# SPDX-License-Identifier: BSD-3-Clause
"""The commands that advice ends with: whole, for the place where the job ran."""

import json
import os
import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from commands import laneway
from jobs import BUILDS, LIMIT, ONE_BUILD, ROOT, run
from laneway import decisions
from laneway.campaign.estimate import STARTING
from laneway.commands.compare import compare_command
from laneway.commands.tune import tune_command
from laneway.decisions import origin
from laneway.decisions.advice import DATATYPES, OF_NEIGHBORS
from laneway.modelling import one_node
from laneway.plans import duration
from test_decisions_read import calls_row, process_row, written

MIB = 2**20


def test_the_reason_of_neighbours_is_the_librarys():
    assert f'"{OF_NEIGHBORS}"' in (ROOT / "src/api/counting.cpp").read_text()


def expensive(collective="bcast", least=65536, seconds=1.0, **more):
    sizes = {"bytes_from": least, "bytes_to": 2 * least - 1, "bytes": 5 * least}
    return calls_row(collective, **sizes, seconds=seconds, **more)


def advice(folder, *rows, seconds=None, **process):
    written(folder, *rows, **process)
    return decisions.Advice(decisions.load(folder), decisions.JobOrigin(folder, (), seconds))


def commands(folder, *rows, where=(), seconds=None):
    return [each.command(where) for each in advice(folder, *rows, seconds=seconds).comparisons]


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


def test_what_costs_most_is_measured(tmp_path):
    costly = {"datatype": "MPI_DOUBLE_PRECISION", "op": "MPI_MAX", "why": "other"}
    rows = [
        expensive("allreduce", calls=90, seconds=0.5, datatype="MPI_INT", op="MPI_SUM"),
        expensive("allreduce", calls=9, **costly),
        expensive("allreduce", calls=50, seconds=2, why="its types are of the program"),
    ]
    (command,) = commands(tmp_path, *rows)
    assert " -m 64K:128K --datatype double --op max --nodes 2 " in command
    (command,) = commands(tmp_path, expensive(datatype="MPI_INT"))
    assert command == "laneway compare bcast -m 64K:128K --nodes 2 --ppn 2"


def test_sizes_that_cost_most_are_measured_not_those_that_occur_most(tmp_path):
    rows = [
        expensive("allreduce", least=8, calls=5000, seconds=0.2),
        expensive("allreduce", least=MIB, calls=5, seconds=3.0),
    ]
    assert commands(tmp_path, *rows) == [
        "laneway compare allreduce -m 1M:2M --nodes 2 --ppn 2",
    ]
    told = laneway("decisions", tmp_path).stdout
    assert "at most 0.2 s" in told, "the others are told all the same"


def test_what_a_job_does_at_its_start_alone_is_not_measured(tmp_path):
    """As where a program reads its input: a longer job does not do it more often."""
    input_ = {"first_s": 0.0, "last_s": 1.9}
    rows = [
        expensive("bcast", seconds=5.0, **input_),
        expensive("scan", seconds=1.0, first_s=0.1, last_s=10.0),
        expensive("reduce", seconds=1.0, first_s=0.1, last_s=2.1),
    ]
    assert [each.split()[2] for each in commands(tmp_path, *rows)] == ["reduce", "scan"]
    told = " ".join(laneway("decisions", tmp_path).stdout.split())
    assert "nothing: at the start alone, as input is read" in told


def test_a_communicator_of_all_processes_has_the_shape_of_the_job(tmp_path):
    """Where processes never met, no process knew the nodes of the others."""
    unknown = dict.fromkeys(("nodes", "ppn_least", "ppn_most", "lanes"))
    for rank, node in enumerate("aaabbb"):
        rows = [expensive("iallreduce", communicator="?", ranks=ranks, **unknown)
                for ranks in (6, 2)]  # fmt: skip
        facts = process_row(rank, ranks=6, node=node)
        written(tmp_path, facts, {"kind": "job", "with": "0"}, *rows, rank=rank)
    report = decisions.load(tmp_path)
    shapes = {case.place.ranks: (case.place.nodes, case.place.ppn_most) for case in report.cases}
    assert shapes == {6: (2, 3), 2: (None, None)}
    told = " ".join(laneway("decisions", tmp_path).stdout.split())
    assert "not known: the nodes of its processes" in told
    assert "at most 1 s, waiting for others included" in told
    assert "laneway compare iallreduce -m 64K:128K --nodes 2 --ppn 3" in told


LANES = "No lanes are known. If nodes have 2 or more, built-in rules serve calls of 1 s"


@pytest.mark.parametrize(
    ("lanes", "given", "told"),
    [(1, [], True), (None, [], True), (2, [], False), (1, ["--lanes", "1"], False)],
)
def test_lanes_that_are_not_known_and_would_pay_are_asked_for(tmp_path, lanes, given, told):
    written(tmp_path, expensive("bcast", least=MIB, lanes=lanes, nodes=4, ppn_least=4, ppn_most=4))
    started(tmp_path, 10.0, *given)
    said = laneway("decisions", tmp_path).stdout
    assert (f"{LANES}, 10% of the job's 10 s: laneway exec --lanes 2 -- ..." in said) == told


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


@pytest.mark.parametrize("build", BUILDS)
def test_persistent_calls_are_agreed_on_where_one_process_alone_reports(compiled, build, tmp_path):
    """Whoever has a report joins in what the others do in an `_init`."""
    program = compiled(build, "persistent_alone.c", with_laneway=False)
    words = [program, 0, "LANEWAY_REPORT", tmp_path / "report"]
    outcome = run(build, 4, words, preload=[build.preload], LANEWAY_ADVISE=1)
    assert "right" in outcome.output


def test_sizes_far_apart_are_a_list(tmp_path):
    rows = [expensive(least=1024), expensive(least=MIB)]
    (command,) = commands(tmp_path, *rows)
    assert " -m 1K,2K,1M,2M " in command


def test_what_cannot_gain_is_not_to_be_compared(tmp_path):
    late = expensive(seconds=0.1, waited_s=5.0)
    vector = expensive("gatherv", why=decisions.NO_ALGORITHM)
    assert commands(tmp_path, late, vector, expensive("barrier")) == []


def test_within_one_node_there_is_something_to_gain(tmp_path):
    within = expensive("scan", nodes=1, ppn_least=4, ppn_most=4)
    assert commands(tmp_path, within) == ["laneway compare scan -m 64K:128K --nodes 1 --ppn 4"]
    told = laneway("decisions", tmp_path).stdout
    assert "at most 1 s" in told
    assert one_node.SENTENCE in told
    assert "laneway compare scan -m 64K:128K --nodes 1 --ppn 4 --launcher mpirun\n" in told


@pytest.mark.parametrize("where", [("--cluster", "none"), ("--launcher", "srun")])
def test_one_node_is_measured_where_the_job_ran(tmp_path, where):
    found = decisions.Advice(
        decisions.DecisionReport({}, (), ()), decisions.JobOrigin(tmp_path, where)
    )
    assert found.where(1) == found.where(2) == where


# ---- what is little of the job's time ------------------------------------------------------------


def started(folder, seconds, *compare):
    (folder / origin.NAME).write_text(json.dumps({"compare": compare, "seconds": seconds}))


def test_the_share_of_the_jobs_time_is_told(tmp_path):
    written(tmp_path, expensive(seconds=2.5))
    started(tmp_path, 10.0)
    told = laneway("decisions", tmp_path).stdout
    assert "A process spends 2.5 s in collectives, 25% of the job's 10 s, and 0 us waiting" in told
    assert "bcast, 25% of the job's 10 s; the command takes about " in told


def test_a_job_is_timed(tmp_path):
    with origin.kept(tmp_path, ["--mpi", "openmpi"]):
        written(tmp_path, expensive())
        assert origin.load(tmp_path).seconds is None, "it has not ended"
    found = origin.load(tmp_path)
    assert found.compare == ("--mpi", "openmpi")
    assert found.seconds > 0


def test_below_a_hundredth_of_the_jobs_time_nothing_is_advised(tmp_path):
    written(tmp_path, expensive(seconds=0.5), expensive("scan", seconds=0.4))
    started(tmp_path, 100.0)
    told = laneway("decisions", tmp_path).stdout
    assert "laneway compare" not in told
    assert "laneway tune" not in told
    assert told.count("little:") == 2
    last = told.splitlines()[-1]
    assert last == "Nothing to gain here: collectives take less than 1% of the job's 100 s."


@pytest.mark.parametrize(("waited", "is_late"), [(30.0, True), (0.7, False)])
def test_the_work_is_to_be_balanced_or_nothing_is_to_be_gained_never_both(
    tmp_path, waited, is_late
):
    """A program whose calls cost little, and whose processes come late, by much or by little."""
    written(tmp_path, expensive(seconds=0.1, waited_s=waited))
    started(tmp_path, 100.0)
    lines = laneway("decisions", tmp_path).stdout
    told = " ".join(lines.split())
    assert ("balance the work first: processes come late" in told) == is_late
    assert ("Balance the work first: most of the time goes by" in told) == is_late
    assert ("Nothing to gain here" in told) == (not is_late)
    assert ("little: less than 1% of the job's time" in told) == (not is_late)
    assert lines.splitlines()[-1] == (
        "Another algorithm shortens no waiting, and little else: without it, collectives take "
        "0.1 s, less than 1% of the job's 100 s."
        if is_late
        else "Nothing to gain here: collectives take less than 1% of the job's 100 s."
    )


def test_persistent_forms_are_advised_on_like_nonblocking_ones(tmp_path):
    written(tmp_path, expensive("allreduce_init", seconds=2.5, datatype="MPI_INT", op="MPI_SUM"))
    started(tmp_path, 10.0)
    told = laneway("decisions", tmp_path).stdout
    assert "at most 2.5 s, waiting for others included" in " ".join(told.split())
    assert "laneway compare iallreduce -m 64K:128K --nodes 2 --ppn 2" in told


def test_below_a_fiftieth_no_collective_is_measured(tmp_path):
    written(tmp_path, expensive(seconds=1.5), expensive("scan", seconds=1.9))
    started(tmp_path, 100.0)
    told = laneway("decisions", tmp_path).stdout
    assert "laneway compare" not in told
    assert "at most 1.5 s" in told
    assert told.splitlines()[-1] == (
        "Nothing to gain here: no collective takes 2% of the job's time."
    )


def test_many_small_lines_of_a_collective_are_measured_together(tmp_path):
    lines = [expensive(least=2**power, seconds=0.9) for power in range(10, 14)]
    (command,) = commands(tmp_path, *lines, expensive("scan", seconds=1.0), seconds=100.0)
    assert command == "laneway compare bcast -m 1K:16K --nodes 2 --ppn 2"


def test_one_command_does_all(tmp_path):
    written(
        tmp_path,
        expensive(seconds=2.0),
        expensive("scan", seconds=1.0, nodes=4),
        expensive("reduce", seconds=0.1),
    )
    started(tmp_path, 10.0, "--mpi", "openmpi-4.1", "--launcher-options", "--hostfile hosts")
    lines = laneway("decisions", tmp_path).stdout.splitlines()
    minutes = re.fullmatch(r"Or all of it by one command, in (\d+) minutes:", lines[-2])[1]
    assert lines[-1] == (
        f"laneway tune --for {tmp_path} --budget {minutes}m --nodes 4 --ppn 2 --mpi openmpi-4.1 "
        "--launcher-options '--hostfile hosts'"
    )
    assert sum(line.startswith("laneway compare ") for line in lines) == 2
    given = tune_command.make_context("tune", shlex.split(lines[-1])[2:]).params
    assert given["program"] == tmp_path


def test_how_long_a_comparison_takes():
    short = duration.ComparisonDuration(runs=6, seconds=0.4, algorithms=20)
    assert short.lasts([1e-5]) == pytest.approx(6 * (STARTING + 0.4 + 20 * 0.04), rel=0.01)
    assert short.lasts([0.5, 0.5]) == pytest.approx(6 * (STARTING + 2 * 20 * (0.04 + 3 * 0.5)))


# ---- processes that share processors -------------------------------------------------------------


def together(folder, processors, hosts):
    """Processes of one job, in which all wait for the last one, each on a host of its own."""
    for rank, (host, own) in enumerate(zip(hosts, processors, strict=True)):
        facts = process_row(rank, ranks=len(hosts), boot=host, processors=own)
        job = {"kind": "job", "with": "0"}
        written(folder, facts, job, expensive(seconds=0.1, waited_s=3.0), rank=rank)


@pytest.mark.parametrize(
    ("processors", "hosts", "shared"),
    [
        ([[0, 1]] * 4, "aaaa", "4 processes share 2 processors"),
        ([[0, 1]] * 4, "aabb", None),
        ([[0], [1], [2], [3]], "aaaa", None),
        ([[0], [1], [0], [1]], "aaaa", "4 processes share 2 processors"),
        ([[0]] * 2 + [[]] * 2, "aaaa", None),
    ],
)
def test_processes_that_share_processors_are_told_so(tmp_path, processors, hosts, shared):
    together(tmp_path, processors, hosts)
    (job,) = decisions.load(tmp_path).jobs
    assert (job.crowd and str(job.crowd)) == shared
    told = laneway("decisions", tmp_path).stdout
    assert ("alance the work first" in told) == (shared is None)
    if shared:
        assert f"a processor for each: {shared}" in told
        assert f"{shared}: who waits may wait for a processor" in told
    rows = laneway("decisions", "--json", tmp_path).stdout.splitlines()
    (row,) = (row for row in map(json.loads, rows) if row["kind"] == "job")
    assert row["crowd"] == ({"processes": 4, "processors": 2} if shared else None)


@pytest.mark.parametrize("build", BUILDS)
def test_jobs_say_on_which_processors_they_are(compiled, build, tmp_path):
    program = compiled(build, "late.c", "-rdynamic", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1}
    outcome = run(build, 2, [program], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    for file in tmp_path.iterdir():
        row = json.loads(file.read_text().splitlines()[0])
        assert row["boot"] == boot
        assert {*row["processors"]} <= os.sched_getaffinity(0)
        assert row["processors"]


@pytest.mark.parametrize("build", BUILDS)
def test_the_barrier_in_which_processes_meet_is_no_waiting(compiled, build, tmp_path):
    """By a clock of the program's own: a barrier takes 30 ms, and rank 0 is late by 20."""
    program = compiled(build, "late.c", "-rdynamic", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1}
    outcome = run(build, 2, [program], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    seconds, waited = Counter(), Counter()
    for case, count in decisions.load(tmp_path).cases.items():
        seconds[case.collective] += count.seconds
        waited[case.collective] += count.waited_s
    both = 2 * 10 * 0.001
    assert seconds == pytest.approx({"allreduce": both, "bcast": both, "gatherv": both})
    assert waited == pytest.approx({"allreduce": 10 * 0.020, "bcast": 0, "gatherv": 0}, abs=1e-6)


@pytest.mark.parametrize("build", BUILDS)
def test_nonblocking_calls_are_timed_where_the_program_waits_for_them(compiled, build, tmp_path):
    """By a clock of the program's own, which says how long each call took."""
    program = compiled(build, "waiting.c", "-rdynamic", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1}
    outcome = run(build, 2, [program, tmp_path / "took."], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    expected, seconds, sizes = Counter(), Counter(), {}
    for line in "".join(file.read_text() for file in tmp_path.glob("took.*")).splitlines():
        collective, took = line.split()
        expected[collective] += float(took) / 1000
    for case, count in decisions.load(tmp_path).cases.items():
        seconds[case.collective] += count.seconds
        sizes[case.collective] = count.bytes / count.calls
    assert expected["iallreduce"] == 2 * 0.020
    assert seconds == pytest.approx(expected)
    assert sizes == {
        **dict.fromkeys(("ibcast", "iallgather", "iallreduce", "ireduce"), 4000),
        **dict.fromkeys(("iscan", "iexscan", "allreduce_init"), 4000),
        "ialltoall": 4,
        **dict.fromkeys(("neighbor_allgather", "ineighbor_alltoall"), 12),
    }


@pytest.mark.parametrize("build", BUILDS)
def test_phases_of_a_program_and_communicators_of_a_node_are_told_apart(compiled, build, tmp_path):
    program = compiled(build, "phases.c", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1, "LANEWAY_NODE_SIZE": 2}
    outcome = run(build, 4, [program], preload=[build.preload], **settings)
    assert outcome.code == 0, outcome.told
    for file in tmp_path.iterdir():
        rows = [row for row in map(json.loads, file.read_text().splitlines()) if "last_s" in row]
        of_one = {(row["collective"], row["bytes"] // row["calls"]): row for row in rows}
        input_, *loop = (of_one[key] for key in ALL)
        assert input_["last_s"] < min(row["first_s"] for row in loop)
        assert max(row["first_s"] for row in loop) < min(row["last_s"] for row in loop)
    report = decisions.load(tmp_path).folded()
    found = {case.collective: (case.place.nodes, case.place.ppn_most) for case in report.cases}
    assert found == {"bcast": (2, 2), "allreduce": (2, 2), "allgather": (1, 2)}


ALL = (("bcast", 80000), ("allreduce", 80000), ("allreduce", 80), ("allgather", 800))
"""The collectives of tests/programs/phases.c with their bytes; the first one is its input."""


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
    datatype = {"datatype": f"MPI_{given['datatype'].upper()}"} if given["datatype"] else {}
    row = expensive(collective, least=min(given["sizes"]), **datatype, **shape)
    assert commands(tmp_path, row, where=where) == [printed]


def test_the_table_is_followed_by_the_commands_and_csv_is_not(tmp_path):
    with origin.kept(tmp_path, ["--mpi", "openmpi-4.1", "--launcher-options", "--hostfile hosts"]):
        written(tmp_path, expensive())
    *_, what, about, command = laneway("decisions", tmp_path).stdout.splitlines()
    assert "a profile for `laneway exec --profile`" in what
    assert about.startswith("bcast")
    assert command == (
        "laneway compare bcast -m 64K:128K --nodes 2 --ppn 2 --mpi openmpi-4.1 "
        "--launcher-options '--hostfile hosts'"
    )
    assert "laneway compare" not in laneway("decisions", "--csv", tmp_path).stdout
    assert "at most 1 s" in laneway("decisions", "--markdown", tmp_path).stdout
