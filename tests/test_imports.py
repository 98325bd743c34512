# SPDX-License-Identifier: BSD-3-Clause
"""The output of other benchmarks, in the versions seen in the wild, whole and damaged."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from commands import laneway
from laneway.campaign import Folder
from laneway.cli import cli
from laneway.errors import Misuse
from laneway.guideline import judge_rows
from laneway.results.imports import import_files, parse

OSU_7 = """
# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)
4                      10.05
1024                   23.24
"""

OSU_5_FULL = """
# OSU MPI Broadcast Latency Test v5.6.3
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       1.45              1.31              1.58        1000
1048576               230.90            220.00            241.12         100

real\t0m7.902s
"""

OSU_BARRIER = "# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n            12.57\n"

OSU_OTHERS = """
# OSU MPI-CUDA All-to-All Personalized Exchange Latency Test v7.2
# Size       Avg Latency(us)        Validation
1                       1.45              Pass
# OSU MPI Latency Test v3.6
# Size          Latency (us)
0                       0.22
# OSU MPI Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)
268435456           12254.16
# OSU MPI Non-blocking Allreduce Latency Test v5.8
# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
4                       2.00              1.00              1.00             50.00
"""

IMB_2021 = """
#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#------------------------------------------------------------
# Date                  : Tue Sep 23 18:05:35 2025
# MPI_Datatype                   :   MPI_BYTE
# MPI_Datatype for reductions    :   MPI_FLOAT
# MPI_Op                         :   MPI_SUM

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.20         0.00
            1         1000         0.21         4.77

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.02         0.03         0.02
            4         1000         0.41         0.43         0.42
      8388608 out-of-mem.; needed X=  0.031 GB; use flag "-mem X" or MAX_MEM_USAGE>=X

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         1.02         1.03         1.02


# All processes entering MPI_Finalize
"""

IMB_3 = """
#---------------------------------------------------
#    Intel (R) MPI Benchmark Suite V3.0v, MPI-1 part
#---------------------------------------------------
# MPI_Datatype for reductions : MPI_FLOAT
#-----------------------------------------------------------------------------
# Benchmarking Reduce_scatter
# #processes = 2
#-----------------------------------------------------------------------------
#Benchmarking #procs #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] defects
Reduce_scatter 2 0 1000 0.05 0.05 0.05 0.00
Reduce_scatter 2 4 1000 0.98 1.06 1.02 0.00
"""


def read(text):
    return [(e.collective, e.bytes, e.datatype, e.time_us, dict(e.more)) for e in parse(text)[1]]


def test_osu_averages_and_full_tables():
    assert read(OSU_7) == [
        ("allreduce", 4, "int", 10.05, {}),
        ("allreduce", 1024, "int", 23.24, {}),
    ]
    full = read(OSU_5_FULL)
    assert full[1] == ("bcast", 1048576, "byte", 230.9,
                       {"min_us": 220.0, "max_us": 241.12, "repetitions": 100})  # fmt: skip
    assert len(full) == 2, "what the script said afterwards is no figure"
    assert read(OSU_BARRIER) == [("barrier", 0, "byte", 12.57, {})]
    assert [entry[:4] for entry in read(OSU_OTHERS)] == [
        ("alltoall", 1, "byte", 1.45), ("pingpong", 0, "byte", 0.22),
        ("iallreduce", 4, "byte", 1.0),
    ]  # fmt: skip
    assert len(read(OSU_7 + OSU_5_FULL + OSU_BARRIER)) == 5


def test_imb_tables_of_all_kinds():
    found = read(IMB_2021)
    assert [(entry[0], entry[1], entry[2], entry[3]) for entry in found] == [
        ("pingpong", 0, "byte", 0.20), ("pingpong", 1, "byte", 0.21),
        ("allreduce", 0, "float", 0.03), ("allreduce", 4, "float", 0.43),
        ("barrier", 0, "byte", 1.03),
    ]  # fmt: skip
    assert found[3][4] == {
        "ranks": 4, "repetitions": 1000, "min_us": 0.41, "max_us": 0.43, "mean_us": 0.42,
    }  # fmt: skip
    assert [entry[:4] for entry in read(IMB_3)] == [
        ("reduce_scatter", 0, "float", 0.05), ("reduce_scatter", 4, "float", 1.06),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nothing of the kind\n", "no output of the OSU micro-benchmarks or the Intel"),
        ("", "no output of"),
        ("# OSU MPI Allreduce Latency Test v7.5\n", "no times in it"),
        (OSU_7.replace("23.24", "23..24"), "line 6: '23..24' is no number where a latency"),
        (OSU_7.replace("10.05", ""), "line 5: 1 figure in a table of 2 columns"),
        (OSU_7.replace("23.24", "-23.24"), "line 6: a latency cannot be -23.24"),
        (OSU_7.replace("23.24", "nan"), "line 6: a latency cannot be nan"),
        (OSU_5_FULL.replace("220.00", "999.00"), "line 5: minimum 999.0, mean 230.9 and maximum"),
        (OSU_OTHERS.replace("Pass", "Fail"), "line 4: the validation says Fail"),
        (IMB_2021.replace("0.41         0.43 ", "0.41 "), "line 25: 4 figures in a table of 5"),
        (IMB_2021.replace("0.43", "0.03"), "line 25: minimum 0.41, mean 0.42 and maximum 0.03"),
        (IMB_2021.replace("0.20         0.00", "0.2"), "line 16: 3 figures in a table of 4"),
        (IMB_3.replace("1.02 0.00", "1.02 1.00"), "line 12: the benchmark found wrong results"),
        (IMB_3.replace("1000 0.98", "many 0.98"), "line 12: 'many' is no number where a number"),
    ],
)
def test_damage_is_named_by_file_line_and_reason(tmp_path, text, complaint):
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(OSU_7)
    bad.write_text(text)
    about = {"library": "x", "nodes": None, "ppn": None, "algorithm": "native"}
    with pytest.raises(Misuse) as error:
        import_files([good, bad], Folder(tmp_path / "out"), about)
    assert str(error.value).startswith(f"{bad}: ")
    assert complaint in str(error.value)
    assert not (tmp_path / "out").exists(), "all or nothing"


def test_an_import_is_complete_and_nothing_tells_to_resume_it(tmp_path):
    text = "# OSU MPI Bcast Latency Test v7.5\n# Size       Avg Latency(us)\n{} {}\n{} {}\n"
    for run in range(6):
        (tmp_path / f"{run}.txt").write_text(text.format(4, 9 + 4 * (run % 2), 8, 11 + run % 3))
    files = sorted(tmp_path.glob("*.txt"))
    out = tmp_path / "out"
    imported = laneway("campaign", "import", *files, "--out", out)
    assert imported.returncode == 0
    assert imported.stderr.splitlines()[-1] == f"to see what they confirm: laneway verify {out}"
    judged = laneway("verify", out)
    assert "UNDECIDED" in judged.stdout
    resumed = laneway("campaign", "resume", out)
    assert resumed.returncode == 2
    assert resumed.stderr.startswith(f"laneway: {out} is an import, and complete")
    again = laneway("campaign", "import", *files, "--out", out)
    assert again.returncode == 2
    assert "name another folder with --out" in again.stderr
    for said in (judged, again, laneway("campaign", "status", out)):
        assert "resume" not in said.stdout + said.stderr


def test_imported_runs_are_judged_like_measured_ones(tmp_path):
    paths = []
    for run in range(6):
        paths.append(tmp_path / f"{run}.txt")
        slow, fast = 20 + run / 10, 10 + run / 10
        table = "# Size       Avg Latency(us)\n"
        paths[-1].write_text(
            f"# OSU MPI Gather Latency Test v7.3\n{table}8 {slow:.2f}\n"
            f"# OSU MPI Allgather Latency Test v7.3\n{table}8 {fast:.2f}\n"
        )
    folder = Folder(tmp_path / "out")
    said = CliRunner().invoke(cli, [
        "campaign", "import", *map(str, paths), "--library", "Sham 1.0", "--nodes", "2",
        "--ppn", "4", "--out", str(folder), "--json",
    ])  # fmt: skip
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert (found["runs"], found["samples"], found["complete"]) == (6, 12, True)
    row = next(row for row in folder.rows() if row["kind"] == "sample")
    assert (row["ranks"], row["nodes"], row["ppn"], row["library"]) == (8, 2, 4, "Sham 1.0")
    assert row["source"] == f"{paths[0]}:3"
    (finding,) = judge_rows(folder.rows())
    assert (finding.guideline, finding.verdict) == ("gather <= allgather", "VIOLATED")
    assert finding.axes["statistic"] == "mean of ranks and repetitions"

    judged = CliRunner().invoke(cli, ["verify", str(folder)])
    assert judged.exit_code == 1
    assert "gather <= allgather: 1 VIOLATED" in judged.stdout
    generous = CliRunner().invoke(cli, ["verify", str(folder), "--margin", "0.999", "--json"])
    assert json.loads(generous.stdout)["verdict"] == "HOLDS"
    assert generous.exit_code == 0

    shown = CliRunner().invoke(cli, ["report", str(folder), "--table"])
    assert shown.exit_code == 0, shown.output
    assert "Mean of ranks and repetitions" in shown.stdout
    assert "slowest rank" not in shown.stdout, "OSU prints means over ranks"
    page = tmp_path / "page.html"
    assert CliRunner().invoke(cli, ["report", str(folder), "--out", str(page)]).exit_code == 0
    assert "A time is the mean of ranks and repetitions." in page.read_text()
    plotted = CliRunner().invoke(
        cli, ["plot", str(folder), "--figure", "time", "--out", str(tmp_path / "plots")]
    )
    assert plotted.exit_code == 0, plotted.output
    for path in plotted.stdout.split():
        assert "mean of ranks and repetitions, us" in Path(path).read_text()


def imported(tmp_path, runs=3):
    text = "# OSU MPI {} Latency Test v7.5\n# Size       Avg Latency(us)\n4 {}\n8 {}\n"
    for run in range(runs):
        times = (("Bcast", 20 + run, 21 + run), ("Scatter", 9, 9), ("Allgather", 9, 9))
        (tmp_path / f"{run}.txt").write_text("".join(text.format(*each) for each in times))
    files = sorted(tmp_path.glob("*.txt"))
    out = tmp_path / "out"
    assert laneway("campaign", "import", *files, "--library", "X 1", "--out", out).returncode == 0
    return files, out


def test_more_runs_of_an_import_are_more_files(tmp_path):
    files, out = imported(tmp_path)
    said = laneway("verify", out).stdout
    assert "UNDECIDED" in said
    assert "--runs" not in said
    again = f"laneway campaign import --library 'X 1' {' '.join(map(str, files))} FILE..."
    assert re.search(
        rf"import the outputs of \d+ jobs or more together: {re.escape(again)}\n", said
    )
    assert again in laneway("campaign", "resume", out).stderr


@pytest.mark.parametrize("words", [["--table"], []])
def test_a_report_of_an_import_ends_with_the_next_command(tmp_path, words):
    _, out = imported(tmp_path)
    *_, sentence, command = laneway("report", out, *words).stdout.splitlines()
    assert sentence.startswith("These are times that another benchmark printed")
    assert command == f"to see what they confirm: laneway verify {out}"
