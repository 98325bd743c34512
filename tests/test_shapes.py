# SPDX-License-Identifier: BSD-3-Clause
"""Which shapes `laneway tune` measures, and what it takes from the report of a program."""

import json
from types import SimpleNamespace

import pytest

import commands
from jobs import BUILDS, run
from laneway import decisions
from laneway.choosing.profile import Tuned
from laneway.choosing.recommendation import recommendations
from laneway.commands.shared import tunings
from laneway.decisions import Case, Count, Place, Report
from laneway.launching.place import Place as Nodes
from laneway.launching.place import Setting
from laneway.libraries import native
from laneway.results.measurements import Measured
from laneway.tuning import shapes
from laneway.tuning.outcome import Outcome
from laneway.tuning.shapes import Part, Shape
from laneway.tuning.stage import Point


def of_machine(nodes, budget=1200.0):
    return shapes.of_machine(Shape(nodes, 4), ["bcast"], 4, 4096, budget)


@pytest.mark.parametrize(
    ("nodes", "expected"), [(16, [16, 8, 4, 2]), (6, [6, 4, 2]), (3, [3, 2]), (2, [2]), (1, [1])]
)
def test_fewer_nodes_are_powers_of_two(nodes, expected):
    parts = of_machine(nodes)
    assert [part.shape.nodes for part in parts] == expected
    assert sum(part.share for part in parts) == pytest.approx(1)
    assert parts[0].share == max(part.share for part in parts)
    assert [part.shape for part in of_machine(nodes, 0.0)] == [Shape(nodes, 4)]


def test_a_short_budget_is_for_the_largest_shapes():
    assert [part.shape.nodes for part in of_machine(16, 400.0)] == [16, 8]
    assert [part.share for part in of_machine(16, 10.0)] == [1.0]


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


def sample(nodes, algorithm, run, time):
    return {
        "kind": "sample", "collective": "bcast", "algorithm": algorithm, "count": 16,
        "datatype": "int", "bytes": 64, "nodes": nodes, "ppn": 4, "lanes": 2, "run": run,
        "library": "Open MPI 4.1.4", "binding": "lane", "time_us": time * (1 + run / 1000),
    }  # fmt: skip


def tuning(nodes):
    """As a ShapeTuning that has confirmed `lane` for 64 bytes."""
    rows = [sample(nodes, name, run, time) for run in range(6)
            for name, time in (("native", 9.0), ("lane", 3.0))]  # fmt: skip
    confirmed = Measured(rows)
    tuned = Tuned("Open MPI 4.1.4", f"nodes={nodes} ppn=4 lanes=2", "ignore", ["bcast"])
    return SimpleNamespace(
        outcome=Outcome(recommendations(confirmed), "", {}, [], []),
        confirmed=confirmed,
        tuned=tuned,
        part=Part(Shape(nodes, 4), [], 0.5),
        setting=Setting(Nodes(nodes, 4), 2, "lane"),
    )


def test_all_shapes_of_a_machine_in_one_profile():
    text = tunings.together([tuning(4), tuning(2)])
    told = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert told == [
        "laneway profile 1",
        "library Open MPI 4.1.4",
        "shape nodes=2..4 ppn=4 lanes=2",
        "elsewhere ignore",
        "lanes 2",
        "bcast      nodes=4 ppn=4 lanes=2  use native",
        "bcast      nodes=2 ppn=4 lanes=2  use native",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=64  use lane",
        "bcast      nodes=2 ppn=4 lanes=2 bytes=64  use lane",
    ]


@pytest.mark.parametrize("build", BUILDS[:1])
def test_what_a_program_does_is_tuned(build, compiled, tmp_path):
    """By the report of its own job: ten allreduces of 4 bytes and ten broadcasts of 40,000."""
    program = compiled(build, "late.c", "-rdynamic", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1, "LANEWAY_NODE_SIZE": 2}
    said = run(build, 4, [program], preload=[build.preload], **settings)
    assert said.code == 0, said.told
    own = {"bcast", "allreduce"}
    (part,) = shapes.of_program(decisions.load(tmp_path), Shape(2, 2), own, 1 << 20, print)
    assert part.shape == Shape(2, 2)
    assert part.points == [
        *(Point("allreduce", size) for size in part_of(part, "allreduce")),
        *(Point("bcast", size) for size in (32768, 65536)),
    ]
    assert part_of(part, "allreduce")[0] == 4


def part_of(part, collective):
    return [point.bytes for point in part.points if point.collective == collective]


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
