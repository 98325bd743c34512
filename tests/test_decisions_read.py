# SPDX-License-Identifier: BSD-3-Clause
"""Reading and showing a report's files, which these tests write themselves."""

import io
import json
import re
import subprocess

import pytest
from rich.console import Console

from commands import COMMAND
from jobs import LIMIT
from laneway import decisions
from laneway.commands.decisions import print_report


def calls_row(collective="bcast", communicator="0.0", name="", calls=5, **other):
    shape = {"ranks": 4, "nodes": 2, "ppn_least": 2, "ppn_most": 2, "lanes": 2}
    what = {"collective": collective, "bytes_from": 4, "bytes_to": 7, "algorithm": "native"}
    sums = {"why": "advising", "calls": calls, "bytes": 4 * calls, "waited_s": 0.0, "seconds": 0.0}
    place = {"communicator": communicator, "name": name}
    return {"kind": "calls", **place, **shape, **what, **sums, **other}


def process_row(rank=0, **other):
    known = {"id": f"{rank}", "rank": rank, "ranks": 2, "program": "/bin/app"}
    return {"kind": "process", **known, **other}


def written(folder, *rows, rank=0):
    lines = [row if isinstance(row, str) else json.dumps(row) for row in (process_row(rank), *rows)]
    file = folder / f"rank-{rank}.host.{rank}.jsonl"
    file.write_text("".join(line + "\n" for line in lines))
    return file


def shown(folder, *options):
    words = [*COMMAND, "decisions", *map(str, options), str(folder)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"kind": "calls"}', "a row 'calls' without"),
        ('{"kind": "calls", "rank":', "no JSON"),
        ("[]", "a row without 'kind'"),
        ('{"kind": []}', "a row without 'kind'"),
        (json.dumps(process_row(started="now")), "'started' is no number"),
        (json.dumps(process_row(id=[])), "'id' is no text"),
        (json.dumps(process_row(program=1)), "'program' is no text"),
        (json.dumps(calls_row(calls="5", bytes=0)), "a row 'calls' without 'calls'"),
        (json.dumps(calls_row(nodes="many")), "'nodes' is no number"),
        ('{"kind": "weights", "weights": "2:1"}', "a row 'weights' without"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, line, reason):
    file = written(tmp_path, calls_row(), line)
    said = shown(tmp_path)
    assert said.returncode == 0, said.stderr
    assert f"not read: {file}:3: {reason}" in said.stdout
    assert "5 calls by 1 process" in said.stdout


def test_what_may_be_missing_may_be_null(tmp_path):
    written(tmp_path, process_row(started=None, id=None, program=None), calls_row(nodes=None))
    written(tmp_path, process_row(1, started=5), calls_row(), rank=1)
    report = decisions.load(tmp_path)
    assert not report.unread
    assert len(report.cases) == 2


def test_calls_of_all_and_of_a_process_and_of_one_rank(tmp_path):
    written(tmp_path, calls_row(calls=5), rank=0)
    written(tmp_path, calls_row(calls=7), {"kind": "job", "with": "0"}, rank=1)
    assert re.search(r"bcast +4 B to 8 B +12 +7 +native", shown(tmp_path).stdout)
    assert "7 calls by 1 process" in (of_one := shown(tmp_path, "--rank", 1).stdout)
    assert re.search(r"bcast +4 B to 8 B +7 +7 +native", of_one)
    assert "of a rank 2" in shown(tmp_path, "--rank", 2).stderr


def test_two_files_of_one_process_are_one_process(tmp_path):
    for rank in (0, 1):
        job = [{"kind": "job", "with": "0"}] if rank else []
        file = written(
            tmp_path, *job, calls_row(), {"kind": "end", "how": "MPI_Finalize"}, rank=rank
        )
        again = [process_row(rank, started=9), *job, calls_row("reduce", calls=2)]
        lines = "".join(json.dumps(row) + "\n" for row in again)
        file.with_name(f"{file.stem}-2.jsonl").write_text(lines)
    said = shown(tmp_path).stdout
    assert "14 calls by 2 processes: 0 served by Laneway, 14 by the MPI library" in said
    assert "jobs wrote" not in said
    assert "2 processes did not end in good order" in said


def test_communicators_of_one_shape_are_one_line(tmp_path):
    world = calls_row(communicator="0.0", name="MPI_COMM_WORLD")
    written(tmp_path, world, *(calls_row(communicator=f"0.{i}") for i in range(1, 60)))
    lines = [line for line in shown(tmp_path).stdout.splitlines() if "bcast" in line]
    assert [line.split("  ")[0] for line in lines] == ["MPI_COMM_WORLD (0.0)", "59 communicators"]
    assert re.search(r" 295 +295 ", lines[1])
    each = [line.split()[0] for line in shown(tmp_path, "--each").stdout.splitlines()]
    assert each.index("0.5") < each.index("0.40")


def weights_row(weights, by="found", calls=7, first=1.5, **other):
    place = {"communicator": "0.0", "name": "MPI_COMM_WORLD", "ranks": 16, "nodes": 4}
    times = {"calls": calls, "first_s": first, "last_s": first + 1}
    return {"kind": "weights", **place, "weights": weights, "by": by, **times, **other}


def test_slow_lanes_are_told_with_the_calls_that_their_weights_held_for(tmp_path):
    sick = weights_row("10:10,node2=10:1", first=2.25, calls=300)
    written(tmp_path, calls_row(), sick, weights_row("alike", first=0.0))
    report = decisions.load(tmp_path)
    assert [each.weights for each in report.weighed] == ["alike", "10:10,node2=10:1"]
    said = " ".join(shown(tmp_path).stdout.split())
    assert "alike in 7 calls on MPI_COMM_WORLD (0.0), from 0.00 s on" in said
    assert "lane 1 of node2 carries 10% of the fastest: weights 10:10,node2=10:1, found" in said
    assert "for 300 calls on MPI_COMM_WORLD (0.0), from 2.25 s on" in said
    rows = [json.loads(line) for line in shown(tmp_path, "--json").stdout.splitlines()]
    (row,) = [row for row in rows if row.get("weights") == "10:10,node2=10:1"]
    assert (row["kind"], row["by"], row["calls"], row["job"]) == ("weights", "found", 300, 1)


def test_of_lanes_that_are_alike_nothing_is_told(tmp_path):
    written(tmp_path, calls_row(), weights_row("alike"))
    assert "lanes" not in shown(tmp_path).stdout.partition("calls by")[2]


def test_lanes_that_are_slow_on_all_nodes_are_told_once(tmp_path):
    written(tmp_path, calls_row(), weights_row("2:1", by="said"))
    assert "lane 1 of all nodes carries 50% of the fastest" in " ".join(
        shown(tmp_path).stdout.split()
    )


def test_a_narrow_terminal_shows_what_would_pay_beside_the_bytes(tmp_path):
    name = "a communicator with a long name"
    sizes = [("4 KiB", 4096), ("1 MiB", 1 << 20)]
    written(
        tmp_path,
        *(
            calls_row("allreduce", name=name, bytes_from=size, bytes_to=size, seconds=0.5)
            for _, size in sizes
        ),
    )
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=True, color_system=None)
    print_report(decisions.load(tmp_path).folded(), console, decisions.JobOrigin(tmp_path))
    for told, _ in sizes:
        assert re.search(rf"allreduce +{told} .*at most 0.5 s", text.getvalue())
    assert "(no room here for communicator" in text.getvalue()


def test_late_processes_come_first_in_the_advice(tmp_path):
    late = {"waited_s": 2.0, "seconds": 0.1}
    written(
        tmp_path,
        calls_row("allreduce", nodes=1, seconds=0.5, waited_s=0.1),
        calls_row("bcast", nodes=1, **late),
        calls_row("barrier", bytes_from=0, bytes_to=0, bytes=0, **late),
        calls_row("barrier", communicator="0.1", bytes_to=0, bytes=0, seconds=0.1, waited_s=0.05),
        calls_row("gatherv", why=decisions.NO_ALGORITHM, seconds=0.3),
        calls_row("ibcast", bytes_from=None, bytes_to=None, bytes=0),
    )
    report = decisions.load(tmp_path)
    advice = decisions.Advice(report, decisions.JobOrigin(tmp_path))
    assert [advice.of(*item) for item in report.cases.items()] == [
        "balance the work first: processes come late",
        "balance the work first: processes come late",
        "at most 0.5 s",
        "nothing yet: Laneway has no algorithm for it",
        "little: no data",
        "not measured: the processes need not meet in it",
    ]
    assert "Balance the work first" in shown(tmp_path).stdout


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [
                calls_row("gatherv", why=decisions.NO_ALGORITHM, nodes=1, seconds=0.5),
                calls_row("barrier", nodes=1, seconds=0.1),
            ],
            [
                "Nothing to gain here: nothing yet: Laneway has no algorithm for it (gatherv).",
                "On several nodes there may be: advise there, or see `laneway demo`.",
            ],
        ),
        (
            [calls_row(seconds=0.1, waited_s=3.0)],
            [
                (
                    "Another algorithm shortens no waiting, and little else: without it, "
                    "collectives take 0.1 s."
                )
            ],
        ),
    ],
)
def test_advice_without_a_command_says_that_nothing_is_to_be_gained(tmp_path, rows, told):
    written(tmp_path, *rows)
    assert shown(tmp_path).stdout.splitlines()[-len(told) :] == told
