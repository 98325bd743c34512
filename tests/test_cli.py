# SPDX-License-Identifier: BSD-3-Clause
"""The command `laneway` from outside: what it prints, keeps and leaves behind."""

import contextlib
import csv
import itertools
import json
import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

import campaigns
from commands import COMMAND, laneway, process
from jobs import LIMIT, wait_for
from laneway.interposition import exec as execution
from laneway.launching import run
from laneway.libraries import native
from laneway.plans.comparison import ComparisonPlan
from test_rows import KEYS

BUILDS = [pytest.param(build, id=build.id) for build in native.installed()]

QUICK = ["--nodes", "2", "--ppn", "1", "--runs", "2", "--time", "0.02"]

ROW = (
    '{"kind": "sample", "run": 1, "collective": "bcast", "algorithm": "native", "count": 1, '
    '"datatype": "int", "bytes": 4, "served_by": "native", "nodes": 2, "ppn": 1, "lanes": null, '
    '"library": "Sham 1.0", "binding": "all", "repetition": 0, "time_us": 1.5}'
)


def rows_in(folder: Path):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def executable(path: Path, text: str) -> Path:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def sham_prefix(folder: Path, mpirun: str) -> Path:
    """A native build whose launcher is a shell script: a job of any kind without MPI."""
    build = folder / "prefix" / "openmpi-9.0"
    (build / "bin").mkdir(parents=True)
    executable(build / "bin" / "laneway-bench", "exit 1\n")
    facts = {
        "id": "openmpi-9.0",
        "family": "openmpi",
        "version": "9.0.1",
        "library": "Sham 1.0",
        "mpicc": "mpicc",
        "mpiexec": str(executable(folder / "mpirun", mpirun) if mpirun else folder / "mpirun"),
    }
    (build / "build.json").write_text(json.dumps(facts))
    return build.parent


@pytest.fixture
def build():
    return native.find()


# ---- exec and env ---------------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_exec_gives_the_settings_to_the_ranks_and_not_to_the_launcher(build):
    settings = execution.Settings(algorithm="bcast=lane", node_size="2", lanes=2, strict=True)
    command = ["mpirun", "-np", "2", "sh", "-c", "true"]
    wrapped, environment = execution.wrap(
        command, build, settings, {"LD_PRELOAD": "other.so"}, verify=False
    )
    assert wrapped[0] == "mpirun"
    assert wrapped[-5:] == command[1:]
    given = " ".join(wrapped[1:-5]).replace("=", " ")
    assert f"LD_PRELOAD other.so:{build.preload}" in given
    assert "LANEWAY_ALGORITHM bcast lane" in given
    assert "LANEWAY_NODE_SIZE 2" in given
    assert "LANEWAY_LANES 2" in given
    assert "LANEWAY_STRICT 1" in given
    assert environment == {"LD_PRELOAD": "other.so"}


@pytest.mark.parametrize("build", BUILDS)
def test_exec_puts_the_preload_under_the_program(build):
    root = ["--allow-run-as-root"] if build.family == "openmpi" and os.geteuid() == 0 else []
    benchmark = [str(build.bench), "--overhead", "--repetitions", "2"]
    said = process("exec", "--", str(build.mpiexec), *root, "-np", "2", *benchmark)
    assert said.returncode == 0, said.stderr
    measured = [row for row in map(json.loads, said.stdout.splitlines())
                if row["kind"] == "overhead"]  # fmt: skip
    assert {row["collective"] for row in measured} == {"bcast", "allreduce"}
    assert all(Path(row["provider"]).samefile(build.preload) for row in measured)


@pytest.mark.parametrize("build", BUILDS)
def test_exec_passes_on_exit_code_and_signal(build):
    for script, code in (("exit 3", 3), ("kill -TERM $$", -signal.SIGTERM)):
        assert process("exec", "--mpi", build.id, "--", "sh", "-c", script).returncode == code


@pytest.mark.parametrize("report", [[], ["--report"]])
def test_what_cannot_be_run_ends_as_in_a_shell(tmp_path, build, report):
    refused = tmp_path / "plain"
    refused.write_text("true")
    for program, code in ((tmp_path / "missing", 127), (refused, 126)):
        said = process("exec", "--mpi", build.id, *report, "--", program, cwd=tmp_path)
        assert said.returncode == code, said.stderr
        assert said.stderr.splitlines()[-1].startswith(f"laneway: cannot run {program}: ")
    for program in ("mpirun.nothere", "nothere"):
        words = (*report, "--", program, "-np", 2, "true")
        said = process("exec", "--mpi", build.id, *words, cwd=tmp_path)
        assert said.returncode == 127
        assert said.stderr.endswith(f"laneway: cannot run {program}: command not found\n")


def test_a_launcher_that_is_missing_ends_as_in_a_shell():
    said = laneway("exec", "--", "mpirun.nothere", "-np", 2, "true")
    assert said.returncode == 127
    assert said.stderr == "laneway: cannot run mpirun.nothere: command not found\n"


@pytest.mark.parametrize("words", [["--nodes", 0], ["--lanes", 99], ["--name", "a b"]])
def test_a_cluster_that_cannot_be_described_is_a_mistake(words):
    said = laneway("cluster", "up", *words)
    assert said.returncode == 2
    assert said.stderr.startswith("laneway: ")


def test_env_asks_for_reproducible_reductions(build):
    said = laneway("env", "--mpi", build.id, "--reproducible")
    assert said.returncode == 0, said.stderr
    assert "export LANEWAY_REPRODUCIBLE=1" in said.stdout.splitlines()


def test_env_prints_what_a_shell_understands(tmp_path, build):
    awkward = tmp_path / "it's a map"
    awkward.write_text("a\nb\n")
    said = laneway("env", "--mpi", build.id, "--node-size", awkward.name, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    script = f'{said.stdout}printf "%s|%s" "$LD_PRELOAD" "$LANEWAY_NODE_SIZE"'
    shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert shell.stdout == f"{build.preload}|{awkward}"


# ---- compare --------------------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_compare_prints_rows_with_the_published_keys_and_keeps_the_samples(tmp_path, build):
    said = laneway("compare", "--mpi", build.id, *QUICK, "--algorithm", "lane",
                   "--collective", "bcast,allgather", "--count", "0,8", "--root", "rotate",
                   "--lanes", "2", "--json", "--out", str(tmp_path))  # fmt: skip
    assert said.returncode == 0, said.stderr
    printed = [json.loads(line) for line in said.stdout.splitlines()]
    # Whatever else was set of a call stands behind the published keys.
    assert all(list(row)[: len(KEYS)] == KEYS for row in printed)
    cases = {(row["collective"], row["count"], row["algorithm"]) for row in printed}
    for collective in ("bcast", "allgather"):
        assert (collective, 0, "native") in cases
        assert (collective, 0, "lane") not in cases, "no data is always served natively"
        assert {(collective, 8, "native"), (collective, 8, "lane")} <= cases
    for row in printed:
        assert (row["nodes"], row["ppn"], row["lanes"]) == (2, 1, 2)
        # Algorithms that are hopeless in the first run are left out of the second.
        assert row["runs"] == 2 or (row["algorithm"] != "native" and row["runs"] == 1)
        assert row["library"] == build.library
        assert row["bytes"] == 4 * row["count"]
        assert 0 < row["min_us"] <= row["median_us"]

    kept = rows_in(tmp_path)
    assert [row["kind"] for row in kept[:2]] == ["campaign", "environment"]
    environments = [row for row in kept if row["kind"] == "environment"]
    assert [row["run"] for row in environments] == [1, 2]
    assert environments[0]["ranks"] == 2
    assert environments[0]["settings"]["LANEWAY_NODE_SIZE"] == "1"
    assert environments[0]["started"][-2:] == ["-np", "2"], "how to start another program alike"
    assert any(row["kind"] == "note" and "not eligible" in row["message"] for row in kept)
    assert all(row["served_by"] == row["algorithm"] for row in kept if row["kind"] == "sample")

    again = laneway("compare", "--mpi", build.id, *QUICK, "--out", str(tmp_path))
    assert again.returncode == 2
    assert "holds results already" in again.stderr
    assert rows_in(tmp_path) == kept


def test_tunables_are_compared(tmp_path, build):
    """With the rest of a list, and under a name of its own each."""
    variants = ["chain(segment=1K)", "lane_pipeline(segment=2K)", "chain(order=0,segment=8K)#plain"]
    said = laneway("compare", "--mpi", build.id, *QUICK, "--collective", "bcast",
                   "--algorithm", ",".join(["lane", *variants]), "--json",
                   "--out", str(tmp_path / "rows"))  # fmt: skip
    assert said.returncode == 0, said.stderr
    rows = [json.loads(line)["algorithm"] for line in said.stdout.splitlines()]
    assert sorted(set(rows)) == sorted(["native", "lane", *variants])


def test_compare_prints_a_table_and_writes_a_report(tmp_path, build):
    report = tmp_path / "folder" / "report.html"
    said = laneway("compare", "--mpi", build.id, *QUICK, "--collective", "allreduce",
                   "--count", "10", "--datatype", "double", "--op", "max",
                   "--out", str(tmp_path / "rows"), "--report", str(report))  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert f"{build.library}, 2 nodes x 1 rank, double" in said.stdout
    assert "hierarchical" in said.stdout
    assert "x native" in said.stdout
    assert "allreduce compared" in report.read_text()


def test_demo_ends_in_tables_words_and_a_report(tmp_path, build):
    prefix = tmp_path / "prefix"
    prefix.mkdir()
    (prefix / build.id).symlink_to(build.folder)
    said = laneway("demo", "--runs", "1", "--time", "0.1", "--report", "report.html", cwd=tmp_path,
                   LANEWAY_PREFIX=str(prefix))  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert f"{build.library}, 2 nodes x" in said.stdout
    assert "nodes are virtual" in said.stdout
    assert "They cannot show what lanes gain" in " ".join(said.stdout.split())
    assert "<svg" in (tmp_path / "report.html").read_text()


@pytest.mark.full
def test_a_demo_as_csv_is_nothing_else(tmp_path):
    said = laneway("demo", "--csv", "--runs", "1", "--time", "0.1", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    rows = [*csv.DictReader(said.stdout.splitlines())]
    assert {row["library"] for row in rows} == {build.library for build in native.installed()}
    assert all(float(row["median_us"]) > 0 for row in rows)


def test_what_is_printed_as_default_can_be_typed(build, tmp_path):
    everything = [task.blocks for task in ComparisonPlan(build=build, seed=1).tasks(1)]
    asked = [
        task.blocks for task in ComparisonPlan(build=build, seed=1, collectives=("all",)).tasks(1)
    ]
    assert asked == everything
    rows = campaigns.campaign(("bcast", "scan"), sizes=2, runs=1, samples=1)
    words = ["plot", campaigns.write(tmp_path / "rows", rows), "--format", "csv", "--out"]
    assert laneway(*words, tmp_path / "default").returncode == 0
    assert laneway(*words, tmp_path / "all", "--operation", "all").returncode == 0
    first, second = (
        {path.name: path.read_text() for path in (tmp_path / name).iterdir()}
        for name in ("default", "all")
    )
    assert first == second
    assert "scan" in first["time.csv"]


@pytest.mark.parametrize(
    "words",
    [
        ("algorithms",),
        ("simulate", "--nodes", 2, "--ppn", 1, "-m", "8:8", "--algorithm", "lane", "--csv"),
        ("bench", "-m", "8:8", "-i", 2, "--nodes", 1, "--ppn", 2, "--csv", "--time", 0.01),
    ],
    ids=lambda words: words[0],
)
def test_all_collectives_are_those_that_are_not_named(words):
    default, *asked = (laneway(*words, *more) for more in ((), ("all",), ("--collective", "all")))
    assert default.returncode == 0, default.stderr
    for one in asked:
        assert one.returncode == 0, one.stderr
        lines = [said.stdout.splitlines() for said in (default, one)]
        assert len(lines[0]) == len(lines[1]) > 5


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("algorithms", "bcats"), "no collective 'bcats', did you mean bcast?"),
        (("compare", "bacst"), "'bacst', did you mean bcast"),
        (("compare", "bcast", "--datatype", "doubel"), "'doubel', did you mean double"),
        (("compare", "bcast", "--op", "summ"), "'summ', did you mean sum?"),
        (("compare", "bcast", "--algorithm", "lan"), "'lan', did you mean lane?"),
        (("bench", "bcats"), "'bcats', did you mean bcast"),
        (("bench", "bcast", "--algoritm", "lane"), "'--algoritm', did you mean --algorithm"),
    ],
    ids=lambda words: "-".join(words) if isinstance(words, tuple) else "",
)
def test_mistyped_names_are_told_before_anything_starts(words, meant, monkeypatch):
    def begun(*_):
        raise AssertionError("settings are asked for")

    monkeypatch.setattr("laneway.launching.allocation.settings", begun)
    said = laneway(*words)
    assert said.returncode == 2
    assert meant in said.stderr


def test_the_help_of_bench_tells_the_defaults_of_bench():
    said = " ".join(laneway("bench", "--help").stdout.split())
    assert "or all (default: native)" in said
    assert "(default: -m 0:4M)" in said
    assert "1,1000,100000)" not in said


SILENT = """
#include <mpi.h>
int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) { *request = MPI_REQUEST_NULL; return MPI_SUCCESS; }
int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request) { *request = MPI_REQUEST_NULL; return MPI_SUCCESS; }
"""


def test_compare_does_not_time_a_wrong_result(tmp_path, build):
    # The chain's segments are sent and received one by one; here nothing is.
    source = tmp_path / "silent.c"
    source.write_text(SILENT)
    library = tmp_path / "silent.so"
    subprocess.run([build.mpicc, "-shared", "-fPIC", source, "-o", library], check=True)
    said = laneway("compare", "--mpi", build.id, "--nodes", "1", "--ppn", "2", "--runs", "1",
                   "--time", "0.02", "--collective", "bcast", "--algorithm", "chain",
                   "--count", "1000", "--json", "--out", str(tmp_path / "rows"),
                   LD_PRELOAD=str(library))  # fmt: skip
    assert said.returncode == 1
    assert "bcast 1000, chain: wrong result on rank" in said.stderr
    assert [json.loads(line)["algorithm"] for line in said.stdout.splitlines()] == ["native"]


@pytest.mark.parametrize(
    "called", [laneway, pytest.param(process, marks=pytest.mark.full, id="process")]
)
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nosuch"], "No such command 'nosuch'"),
        (["compare", "--nosuch"], "No such option"),
        (["compare", "--collective", "nosuch"], "unknown collective 'nosuch'; known: allgather"),
        (["compare", "--algorithm", "nosuch"], "unknown algorithm 'nosuch'; known: "),
        (["compare", "--algorithm", "nosuch(segment=1)"], "unknown algorithm 'nosuch'; "),
        (["compare", "bcast", "--algorithm", "chain(speed=1)"], "chain has no tunable 'speed'; "),
        (["compare", "bcast", "--algorithm", "best(segment=1)"], "only an algorithm can have"),
        (["compare", "--algorithm", "chain#b(segment=1K)"], "tunables stand before '#'"),
        (["compare", "--count", "1,many"], "'many' is no count"),
        (["compare", "--count", "-1"], "'-1' is no count"),
        (["compare", "--count", "3000000000"], "'3000000000' is no count"),
        (["compare", "--count", ","], "no name given"),
        (["compare", "--datatype", "nosuch"], "unknown datatype 'nosuch'; known: byte"),
        (["compare", "--op", "band", "--datatype", "double"], "band is not defined on"),
        (["compare", "--nodes", "2", "--ppn", "1", "--root", "2"], "no rank 2 among 2"),
        (["compare", "--native", "best"], "--native needs a cluster"),
        (["compare", "--lanes", "1,2"], "several numbers need a cluster"),
        (["compare", "--lanes", "0"], "a node has one lane at least"),
        (["compare", "--realtime"], "--realtime needs a cluster"),
        (["compare", "--cluster", "nosuch"], "no cluster 'nosuch' is up"),
        (["compare", "--cluster", "x", "--launcher-options", "-v"], "go with --cluster none"),
        (["compare", "--cluster", "auto", "--binding", "x"], "'x' is none of lane, all, one"),
        (["compare", "--runs", "0"], "0 is not in the range"),
        (["compare", "--time", "0"], "'0' is no time at all"),
        (["compare", "--mpi", "nosuch"], "unknown MPI library 'nosuch'"),
        (["compare", "--launcher-options", "'"], "No closing quotation"),
        (["exec"], "Missing argument"),
        (["exec", "--nosuch", "--", "true"], "No such option"),
        (["exec", "--algorithm", "bcast=nosuch", "--", "mpirun", "true"], "no bcast algorithm"),
        (["exec", "--profile", "no.conf", "--", "true"], "'no.conf' does not exist"),
        (["exec", "--node-size", "nosuch", "--", "mpirun", "true"], "neither a number"),
        (["env", "--algorithm", "lane"], "the form collective=algorithm, such as bcast=lane"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path, build, called, words, complaint):
    if words[0] in ("exec", "env") and "--nosuch" not in words:
        words = [words[0], "--mpi", build.id, *words[1:]]
    said = called(*words, cwd=tmp_path)
    assert said.returncode == 2
    assert complaint in said.stderr
    assert said.stderr.startswith("laneway: ")
    assert said.stderr.count("\n") == 1
    assert said.stdout == ""
    assert list(tmp_path.glob("laneway-results/*")) == []


@pytest.mark.parametrize("words", [["nosuch"], ["compare", "--count", "many"]])
def test_a_shell_sees_a_mistake_as_it_is_told_here(words):
    here, there = laneway(*words), process(*words)
    assert (there.returncode, there.stdout, there.stderr) == (2, "", here.stderr)
    assert here.returncode == 2


def test_a_launcher_that_is_missing_is_named(tmp_path):
    prefix = sham_prefix(tmp_path, mpirun="")
    said = laneway("compare", "--mpi", "openmpi-9.0", "--collective", "bcast", cwd=tmp_path,
                   LANEWAY_PREFIX=str(prefix))  # fmt: skip
    assert said.returncode == 1
    assert said.stderr == f"laneway: cannot run {tmp_path}/mpirun: No such file or directory\n"
    assert not list(tmp_path.glob("laneway-results/*"))


def test_a_run_that_fails_is_told_with_the_end_of_its_errors(tmp_path):
    prefix = sham_prefix(tmp_path, f"echo '{ROW}'\necho noise\necho the reason >&2\nexit 7\n")
    said = laneway("compare", "--mpi", "openmpi-9.0", "--runs", "2", "--collective", "bcast",
                   "--out", str(tmp_path / "rows"),
                   LANEWAY_PREFIX=str(prefix))  # fmt: skip
    assert said.returncode == 1
    assert "run 1 failed (exit code 7)\nthe reason\n" in said.stderr
    assert "run 2 failed (exit code 7)\nthe reason\n" in said.stderr
    kinds = [row["kind"] for row in rows_in(tmp_path / "rows")]
    assert kinds == ["campaign", *["sample", "failure", "end"] * 2]


def test_a_run_that_hangs_is_ended(tmp_path, monkeypatch):
    # The grandchild has a session of its own and ignores the polite signal, like a stuck rank. It
    # takes longer than any test may: who waits for its end does not pass.
    stuck = executable(tmp_path / "stuck", f"trap '' TERM\necho $$ >&2\necho '{ROW}'\nsleep 2000\n")
    prefix = sham_prefix(tmp_path, f"setsid {stuck} &\nwait\n")
    lines = run.Run.lines

    def silent_after_the_first(running, silence):
        """A busy machine takes its time to start the job: silence counts from its first row on."""
        yield next(lines(running, LIMIT))
        yield from lines(running, silence)

    monkeypatch.setattr(run.Run, "lines", silent_after_the_first)
    said = laneway("compare", "--mpi", "openmpi-9.0", "--runs", "1", "--timeout", "1",
                   "--collective", "bcast",
                   "--out", str(tmp_path / "rows"), LANEWAY_PREFIX=str(prefix))  # fmt: skip
    assert said.returncode == 1
    assert "run 1 hung: no row for 1 s" in said.stderr
    process_id = int(next(line for line in said.stderr.splitlines() if line.isdecimal()))
    assert wait_for(lambda: gone(process_id))
    kinds = [row["kind"] for row in rows_in(tmp_path / "rows")]
    assert kinds == ["campaign", "sample", "failure", "end"]


def gone(process: int) -> bool:
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        return state == "Z"
    return True


def job_of(process: int) -> int:
    """The launcher that a `laneway compare` runs."""
    (child,) = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return int(child)


# After SIGKILL it is up to the launcher what is left of a job. Laneway itself takes other signals.
INTERRUPTS = [
    *itertools.product(native.installed(), [signal.SIGKILL]),
    *zip(native.installed(), (signal.SIGINT, signal.SIGTERM), strict=False),
]


@pytest.mark.parametrize(("build", "how"), INTERRUPTS, ids=lambda value: getattr(value, "id", None))
def test_an_interrupt_keeps_the_rows_and_leaves_no_process(tmp_path, build, how):
    command = [*COMMAND, "compare", "--mpi", build.id, "--cluster", "none", "--nodes", "2",
               "--ppn", "1", "--time", "0.5", "--count", ",".join(map(str, range(1, 1000))),
               "--collective", "bcast", "--algorithm", "native",
               "--out", str(tmp_path)]  # fmt: skip
    job = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        kept = tmp_path / "rows.jsonl"
        assert wait_for(lambda: kept.exists() and kept.read_text().count('"sample"') > 10)
        processes = run.processes_of(job_of(job.pid))
        assert len(processes) >= 3, "the launcher and two ranks"
        job.send_signal(how)
        _, errors = job.communicate(timeout=LIMIT)
    finally:
        job.kill()
        job.wait()

    assert wait_for(lambda: all(gone(process.id) for process in processes))
    assert sum('"sample"' in line for line in kept.read_text().splitlines()) > 10
    if how is not signal.SIGKILL:
        assert job.returncode == 130
        assert f"samples are kept in {tmp_path}/rows.jsonl" in errors
