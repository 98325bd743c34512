# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts of guidelines on other benchmarks' times, whose datatypes differ by table."""

import json

import pytest
from click.testing import CliRunner

from laneway.cli import cli
from laneway.guideline import GuidelineVerdict, judgement
from test_import_formats import OUTPUTS, imb, osu, row, samples

VIOLATED = "allreduce <= reduce + bcast"


@pytest.mark.parametrize(("benchmark", "points"), [("osu5", 2), ("osu7", 2), ("imb", 6)])
def test_a_violation_is_found_whatever_the_datatypes(tmp_path, benchmark, points):
    out = str(tmp_path / "out")
    files = map(str, sorted((OUTPUTS / "violated").glob(f"{benchmark}-*.txt")))
    about = ["--library", "Sham 1.0", "--nodes", "2", "--ppn", "4", "--out", out]
    assert CliRunner().invoke(cli, ["campaign", "import", *files, *about]).exit_code == 0
    said = CliRunner().invoke(cli, ["verify", out, "--json"])
    assert said.exit_code == 1
    found = [*map(json.loads, said.stdout.splitlines())]
    own = [each for each in found if each["guideline"] == VIOLATED]
    assert [each["verdict"] for each in own] == ["VIOLATED"] * points
    assert {each["bytes"] for each in own} == {1024, 4096}
    assert all(2.4 < each["ratio"] < 2.6 for each in own)
    assert len({each["axes"]["ranks"] for each in own}) == (3 if benchmark == "imb" else 1)
    assert f"{VIOLATED}: {points} VIOLATED" in CliRunner().invoke(cli, ["verify", out]).stdout


def judged(tmp_path, text, **about):
    return judgement(samples(tmp_path, text, **about)[1])


def left_out(tmp_path, text, **about):
    found = judged(tmp_path, text, **about).left_out
    return [(each.guideline, each.points, each.reason) for each in found]


def test_whatever_a_guideline_leaves_out_is_counted(tmp_path):
    text = (
        imb("Allreduce", row(0, 9), row(4, 9), row(8, 9))
        + imb("Reduce", row(4, 9)) + imb("Bcast", row(4, 9))
    )  # fmt: skip
    assert left_out(tmp_path, text) == [
        (VIOLATED, 1, "no data"),
        (VIOLATED, 1, "no reduce of that size"),
    ]


def test_the_reason_names_what_differs(tmp_path):
    text = imb("Allreduce", row(4, 9)) + "".join(
        imb(name, row(4, 9), processes="# #processes = 8\n") for name in ("Reduce", "Bcast")
    )
    assert (VIOLATED, 1, "no reduce with the same ranks") in left_out(tmp_path, text)


def test_parts_of_one_size_need_no_number_of_processes(tmp_path):
    text = "".join(
        osu(f" {name} Latency", "4  9.00\n") for name in ("Allreduce", "Reduce", "Broadcast")
    ) + osu(" Scatter Latency", "4  9.00\n") + osu(" Allgather Latency", "4  9.00\n")  # fmt: skip
    found = judged(tmp_path, text)
    assert VIOLATED in {each.guideline for each in found.findings}
    assert ("bcast <= scatter + allgather", "how many processes there are is not known") in {
        (each.guideline, each.reason) for each in found.left_out
    }


def test_its_own_datatype_goes_first(tmp_path):
    columns = "# Datatype: MPI_{}.\n# Size       Avg Latency(us)\n"
    text = "".join(
        osu(f" {name} Latency", f"8  {time}\n", columns=columns.format(datatype))
        for name, datatype, time in (
            ("Reduce", "CHAR", "9.00"), ("Reduce", "INT", "5.00"), ("Allreduce", "INT", "7.00"),
        )
    )  # fmt: skip
    (finding,) = (
        each for each in judged(tmp_path, text).findings if each.collective == "reduce"
        and each.axes["datatype"] == "int"
    )  # fmt: skip
    assert (finding.left_us, finding.right_us) == (5.0, 7.0)


def test_every_summary_says_what_was_left_out(tmp_path):
    samples(tmp_path, imb("Allreduce", row(4, 9), row(8, 9)) + imb("Reduce", row(4, 9))
            + imb("Bcast", row(4, 9)))  # fmt: skip
    out = str(tmp_path / "out")
    said = CliRunner().invoke(cli, ["verify", out, "--guideline", VIOLATED])
    assert f"{VIOLATED}: 1 UNDECIDED" in said.stdout
    assert "  1 point left out: no reduce of that size\n" in said.stdout
    lines = CliRunner().invoke(cli, ["verify", out, "--guideline", VIOLATED, "--json"]).stdout
    assert json.loads(lines.splitlines()[-1]) == {
        "kind": "left_out", "guideline": VIOLATED, "points": 1, "reason": "no reduce of that size",
        "folder": out,
    }  # fmt: skip


def test_measured_times_still_need_one_datatype():
    facts = {
        "kind": "sample", "algorithm": "native", "nodes": 2, "ppn": 2, "lanes": None, "ranks": 4,
        "library": "Sham 1.0", "binding": "all", "run": 1, "time_us": 5.0,
    }  # fmt: skip
    rows = [
        {**facts, "collective": name, "count": 256, "bytes": 1024, "datatype": datatype}
        for name, datatype in (("allreduce", "float"), ("reduce", "int"))
    ]
    found = judgement(rows)
    assert not found.findings
    assert [(each.guideline, each.reason) for each in found.left_out] == [
        ("reduce <= allreduce", "no allreduce with the same datatype")
    ]
    (same,) = judgement([{**each, "datatype": "int"} for each in rows]).findings
    assert same.verdict == GuidelineVerdict.UNDECIDED
