# SPDX-License-Identifier: BSD-3-Clause
"""Which shapes `laneway tune` measures, and what it takes from the report of a program."""

import json

import pytest

import commands
from jobs import BUILDS
from laneway.decisions import Case, Count, Place, Report
from laneway.libraries import native
from laneway.tuning import shapes
from laneway.tuning.shapes import Part, Shape
from laneway.tuning.stage import Point


def of_machine(nodes, *, smaller=True):
    return shapes.of_machine(Shape(nodes, 4), ["bcast"], 4, 4096, smaller=smaller)


@pytest.mark.parametrize(
    ("nodes", "expected"), [(16, [16, 8, 4, 2]), (6, [6, 4, 2]), (3, [3, 2]), (2, [2]), (1, [1])]
)
def test_fewer_nodes_are_powers_of_two(nodes, expected):
    parts = of_machine(nodes)
    assert [part.shape.nodes for part in parts] == expected
    assert sum(part.share for part in parts) == pytest.approx(1)
    assert parts[0].share == max(part.share for part in parts)
    assert [part.shape for part in of_machine(nodes, smaller=False)] == [Shape(nodes, 4)]


def case(collective, least, most, nodes=4, ppn=(4, 4)):
    ranks = None if nodes is None else nodes * ppn[1]
    place = Place(1, "c", "", ranks or 4, nodes, *(ppn if nodes else (None, None)), 2)
    return Case(place, collective, least, most, "native", "")


def report(*counted):
    cases = {each: Count({"0": 10}, bytes_, 0.0, seconds) for each, bytes_, seconds in counted}
    return Report(cases, (), ())


def of_program(found):
    said = []
    parts = shapes.of_program(found, Shape(4, 4), {"bcast", "scan"}, 1 << 20, said.append)
    return parts, said


def test_a_program_is_tuned_at_its_sizes_on_its_shapes_where_its_time_goes():
    parts, said = of_program(
        report(
            (case("bcast", 40_000, 40_000), 0, 3.0),
            (case("scan", 1024, 2047), 0, 1.0),
            (case("bcast", 8, 8, nodes=2), 0, 4.0),
            (case("bcast", 8, 8, nodes=1), 0, 4.0),
            (case("alltoallv", 8, 8), 0, 9.0),
            (case("bcast", None, None), 0, 9.0),
        )
    )
    assert said == []
    largest, smaller = parts
    assert (largest.shape, smaller.shape) == (Shape(4, 4), Shape(2, 4))
    assert largest.seconds == {
        Point("bcast", 32768): 1.5, Point("bcast", 65536): 1.5,
        Point("scan", 1024): 0.5, Point("scan", 2048): 0.5,
    }  # fmt: skip
    assert largest.share == smaller.share == 0.5
    assert smaller.seconds == {Point("bcast", 8): 4.0}


def test_what_cannot_be_measured_here_is_told():
    parts, said = of_program(
        report(
            (case("bcast", 8, 8, nodes=8), 0, 3.0),
            (case("bcast", 8, 8, ppn=(3, 4)), 0, 3.0),
            (case("bcast", 8, 8, nodes=None), 0, 3.0),
        )
    )
    assert parts == []
    assert said == ["left out: communicators of 4, 4 x 3-4, 8 x 4; here are 4 x 4"]


def test_without_times_bytes_count():
    (part,), (said,) = of_program(report((case("bcast", 64, 64), 640, 0.0)))
    assert part.seconds == {Point("bcast", 64): 640}
    assert "--advise" in said


def test_what_a_program_saves():
    part = Part(Shape(4, 4), [], 1.0, {Point("bcast", 8): 4.0, Point("bcast", 64): 1.0})
    assert shapes.saved(part, {Point("bcast", 8): 2.0}) == 2.0


# ---- the command ---------------------------------------------------------------------------------

WORDS = ("--cluster", "none", "--nodes", 4, "--ppn", 1, "--max-bytes", "4K", "--budget", "3s")


@pytest.mark.parametrize("build", BUILDS[:1])
def test_all_shapes_of_a_machine_in_one_profile(build, tmp_path):
    own = tmp_path / "own.conf"
    said = commands.laneway("tune", "bcast", *WORDS, "--mpi", build.id, "--output", own, "--json",
                            "--out", tmp_path / "t")  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "4 x 1, 67% of the budget" in said.stderr
    for shape in ("4x1", "2x1"):
        assert (tmp_path / "t" / shape / "tune.json").exists()
    if own.exists():  # what was decided in so short a time
        lines = own.read_text().splitlines()
        assert [line for line in lines if line.startswith("shape nodes=")]
        checked = commands.laneway("profile", "check", own)
        assert checked.returncode == 0, checked.stderr


def test_the_report_of_a_program(tmp_path):
    build = native.installed()[0]
    place = {"kind": "nothing"}
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "x.jsonl").write_text(json.dumps(place) + "\n")
    said = commands.laneway("tune", *WORDS, "--mpi", build.id, "--for", tmp_path / "empty",
                            "--out", tmp_path / "t")  # fmt: skip
    assert said.returncode == 2
    missing = commands.laneway("tune", *WORDS, "--for", tmp_path / "nowhere")
    assert missing.returncode == 2
    assert "nowhere" in missing.stderr
