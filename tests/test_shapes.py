# SPDX-License-Identifier: BSD-3-Clause
"""Which shapes `laneway tune` measures, and what it takes from the report of a program."""

import json
import math
from types import SimpleNamespace

import pytest

import commands
from jobs import BUILDS, run
from laneway import campaign, decisions
from laneway.campaign import Result
from laneway.choosing.profile import Tuned
from laneway.choosing.recommendation import recommendations
from laneway.commands.shared import tunings
from laneway.decisions import CallCount, CountedCase, DecisionReport, JobCommunicator, counts
from laneway.launching.place import Place as Nodes
from laneway.launching.place import Setting
from laneway.libraries import native
from laneway.results.measurements import Measured
from laneway.tuning import shapes
from laneway.tuning.outcome import Outcome
from laneway.tuning.shapes import JobShape, Limits, ShapePart
from laneway.tuning.stage import TuningPoint


def of_machine(nodes, budget=1200.0, bindings=1):
    limits = Limits(4, 4096, budget, bindings)
    return shapes.of_machine(JobShape(nodes, 4), ["bcast"], limits, print)


@pytest.mark.parametrize(
    ("nodes", "expected"), [(16, [16, 8, 4, 2]), (6, [6, 4, 2]), (3, [3, 2]), (2, [2]), (1, [1])]
)
def test_fewer_nodes_are_powers_of_two(nodes, expected):
    parts = of_machine(nodes)
    assert [part.shape.nodes for part in parts] == expected
    assert sum(part.share for part in parts) == pytest.approx(1)
    assert parts[0].share == max(part.share for part in parts)
    assert [part.shape for part in of_machine(nodes, 0.0)] == [JobShape(nodes, 4)]


def test_a_short_budget_is_for_the_largest_shapes(capsys):
    assert [part.shape.nodes for part in of_machine(16, 400.0)] == [16, 8]
    assert "no time for 4 x 4, 2 x 4: each shape needs 60 s" in capsys.readouterr().out
    assert [part.share for part in of_machine(16, 10.0)] == [1.0]
    assert [part.shape.nodes for part in of_machine(16, 300.0, bindings=2)] == [16]


def case(collective, least, most, nodes=4, ppn=(4, 4)):
    ranks = None if nodes is None else nodes * ppn[1]
    place = JobCommunicator(1, "c", "", ranks or 4, nodes, *(ppn if nodes else (None, None)), 2)
    return CountedCase(place, collective, least, most, "native", "")


def report(*counted):
    cases = {each: CallCount({"0": 10}, bytes_, 0.0, seconds) for each, bytes_, seconds in counted}
    return DecisionReport(cases, (), ())


def of_program(found):
    said = []
    names = {"alltoall", "barrier", "bcast", "scan"}
    parts = shapes.of_program(found, JobShape(4, 4), names, Limits(4, 1 << 20, 600.0), said.append)
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
    largest, smaller, within = parts
    assert [part.shape for part in parts] == [JobShape(4, 4), JobShape(2, 4), JobShape(1, 4)]
    assert largest.worth == {
        TuningPoint("bcast", 32768): 1.5, TuningPoint("bcast", 65536): 1.5,
        TuningPoint("scan", 1024): 0.5, TuningPoint("scan", 2048): 0.5,
    }  # fmt: skip
    assert largest.share == smaller.share == within.share
    assert smaller.worth == within.worth == {TuningPoint("bcast", 8): 4.0}


def test_what_cannot_be_measured_here_is_told():
    parts, said = of_program(
        report(
            (case("bcast", 8, 8, nodes=8), 0, 3.0),
            (case("bcast", 8, 8, ppn=(3, 4)), 0, 3.0),
            (case("bcast", 8, 8, nodes=None), 0, 3.0),
        )
    )
    assert parts == []
    (line,) = said
    assert line.startswith("left out: communicators of 4 ranks on nodes that the job did not find")
    assert line.endswith("out, 4 x 3-4, 8 x 4; here are 4 x 4")


def test_without_times_bytes_count():
    (part,), (said,) = of_program(report((case("bcast", 64, 64), 640, 0.0)))
    assert part.worth == {TuningPoint("bcast", 64): 640}
    assert "--advise" in said


def test_barriers_count_and_blocks_count_together():
    parts, said = of_program(
        report(
            (case("barrier", 0, 0), 0, 2.0),
            (case("alltoall", 65536, 65536), 0, 2.0),
            (case("alltoall", 131072, 131072), 0, 2.0),
            (case("bcast", 9 << 20, 9 << 20), 0, 2.0),
        )
    )
    assert parts[0].worth == {TuningPoint("barrier", 0): 2.0, TuningPoint("alltoall", 65536): 2.0}
    assert said == ["left out: alltoall, bcast of other sizes than --min-bytes, --max-bytes"]


def test_a_program_saves_where_rules_serve_its_calls():
    sizes = TuningPoint("bcast", 32768), TuningPoint("bcast", 65536)
    part = ShapePart(JobShape(4, 4), [], 1.0, {sizes: 3.0, (TuningPoint("bcast", 8),): 1.0})
    ratios = {sizes[0]: 2.0, sizes[1]: 4.0}
    rule = SimpleNamespace(collective="bcast", least=32768, most=65536, between=False)
    assert part.saved([rule], ratios) == 0.75 * 0.5
    ends = [SimpleNamespace(collective="bcast", least=size, most=size, between=False)
            for _, size in sizes]  # fmt: skip
    assert part.saved(ends, ratios) == 0
    gains = [SimpleNamespace(ratio=1.25), SimpleNamespace(ratio=3.0)]
    between = SimpleNamespace(
        collective="bcast", least=32769, most=65535, between=True, gains=gains
    )
    assert part.saved([ends[1], between, ends[0]], ratios) == pytest.approx(0.75 * 0.2)
    assert part.saved([rule], {sizes[0]: 2.0}) == 0


# ---- the command ---------------------------------------------------------------------------------

WORDS = ("--launcher", "mpirun", "--nodes", 4, "--ppn", 2, "--max-bytes", "64K")


def sample(nodes, algorithm, run, time):
    return {
        "kind": "sample", "collective": "bcast", "algorithm": algorithm, "count": 16,
        "datatype": "int", "bytes": 64, "nodes": nodes, "ppn": 4, "lanes": 2, "run": run,
        "library": "Open MPI 4.1.4", "binding": "lane", "time_us": time * (1 + run / 1000),
    }  # fmt: skip


def tuning(nodes, **left):
    """A ShapeTuning that has confirmed `lane` for 64 bytes, and not decided what is `left`."""
    rows = [sample(nodes, name, run, time) for run in range(6)
            for name, time in (("native", 9.0), ("lane", 3.0))]  # fmt: skip
    confirmed = Measured(rows)
    tuned = Tuned("Open MPI 4.1.4", f"nodes={nodes} ppn=4 lanes=2", "ignore", ["bcast"])
    return SimpleNamespace(
        outcome=Outcome(recommendations(confirmed), "", {}, [], [], left),
        confirmed=confirmed,
        tuned=tuned,
        part=ShapePart(JobShape(nodes, 4), [], 0.5),
        setting=Setting(Nodes(nodes, 4), 2, "lane"),
    )


def test_all_shapes_of_a_machine_in_one_profile():
    text = tunings.together([tuning(4), tuning(2, bcast=[(129, math.inf)])], "")
    told = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert told == [
        "laneway profile 1",
        "library Open MPI 4.1.4",
        "shape nodes=4 ppn=4 lanes=2",
        "shape nodes=2 ppn=4 lanes=2",
        "elsewhere ignore",
        "lanes 2",
        "bcast      nodes=4 ppn=4 lanes=2  use native",
        "undecided bcast nodes=2 ppn=4 lanes=2 bytes=129..",
        "bcast      nodes=2 ppn=4 lanes=2 bytes=..128  use native",
        "bcast      nodes=4 ppn=4 lanes=2 bytes=64  use lane",
        "bcast      nodes=2 ppn=4 lanes=2 bytes=64  use lane",
    ]


@pytest.mark.parametrize("build", BUILDS[:1])
def test_what_a_program_does_is_tuned(build, compiled, tmp_path, monkeypatch):
    """By the report of its own job: ten allreduces of 4 bytes and ten broadcasts of 40,000."""
    program = compiled(build, "late.c", "-rdynamic", with_laneway=False)
    settings = {"LANEWAY_REPORT": tmp_path, "LANEWAY_ADVISE": 1, "LANEWAY_NODE_SIZE": 2}
    said = run(build, 4, [program], preload=[build.preload], **settings)
    assert said.code == 0, said.told
    monkeypatch.setattr(counts, "START", -1.0)  # however long the job took
    own, limits = {"bcast", "allreduce"}, Limits(4, 1 << 20, 600.0)
    (part,) = shapes.of_program(decisions.load(tmp_path), JobShape(2, 2), own, limits, print)
    assert part.shape == JobShape(2, 2)
    assert sorted(part.points) == [
        *(TuningPoint("allreduce", size) for size in (4, 8)),
        *(TuningPoint("bcast", size) for size in (32768, 65536)),
    ]


def imagined(plan, folder, *_args, **_options):
    """The result that campaign.measure() would have: `lane` is thrice as fast from 1 KiB on."""
    rows = []
    for point, names in plan.stage.contestants.items():
        for name in ("native", *names):
            fast = name == "tuned" or (name.startswith("lane(") or name == "lane")
            time = 3.0 if fast and point.bytes >= 1024 else 9.0
            rows += [{**sample(plan.place.nodes, name, run, time), "collective": point.collective,
                      "bytes": point.bytes, "count": point.bytes, "ppn": 2, "lanes": None,
                      "launch": 1, "block": "b"} for run in range(1, plan.runs + 1)]  # fmt: skip
    rows.append({"kind": "block", "launch": 1, "block": "b", "run": 1, "task": "t"})
    rows.append({"kind": "end", "code": 0, "seconds": 1.0, "run": 1, "launch": 1})
    folder.mkdir(parents=True)
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return Result(folder, rows, interrupted=plan.place.nodes == STOPPED.get("at"))


STOPPED = {}


@pytest.fixture
def tune(monkeypatch, tmp_path):
    """`tune(*words)`: of a machine whose times are made up."""
    monkeypatch.setattr(campaign, "measure", imagined)
    STOPPED.clear()
    build = native.installed()[0]

    def tune(*words, budget="5m"):
        more = ("--mpi", build.id, "--budget", budget, "--out", tmp_path / "t")
        own = {"XDG_CONFIG_HOME": str(tmp_path)}
        return commands.laneway("tune", "bcast", *WORDS, *words, *more, **own)

    return tune


def found_by(tmp_path, nodes):
    """The algorithm that serves a broadcast of 4 KiB by the profiles that were written."""
    words = ("--bytes", "4K", "--nodes", nodes, "--ppn", 2, "--json")
    own = {"XDG_CONFIG_HOME": str(tmp_path)}
    said = commands.laneway("profile", "show", "bcast", *words, **own)
    return json.loads(said.stdout)["algorithm"]


@pytest.mark.parametrize("words", [(), ("--elsewhere", "use")])
def test_each_shape_has_a_profile_that_jobs_find(tune, tmp_path, words):
    said = tune(*words, "--max-bytes", "4K")
    assert said.returncode == 0, said.stderr
    assert "calls of more than 4 KiB are not tuned: see --max-bytes" in said.stderr
    build = native.installed()[0].id
    files = sorted(path.name for path in (tmp_path / "laneway").glob("*.conf"))
    assert files == [f"{build}-2x2.conf", f"{build}-4x2.conf"]
    assert (found_by(tmp_path, 4), found_by(tmp_path, 2)) == ("lane", "lane")
    assert found_by(tmp_path, 3) == ("lane" if words else "native")


def test_one_file_has_all_shapes_and_keeps_what_it_says_of_others(tune, tmp_path):
    own = tmp_path / "own.conf"
    assert tune("--output", own).returncode == 0
    first = own.read_text()
    assert first.count("\nshape ") == 2
    build, out = native.installed()[0].id, tmp_path / "u"
    more = ("--budget", "5m", "--output", own, "--mpi", build, "--out", out)
    other = commands.laneway("tune", "scan", *WORDS, *more)
    assert other.returncode == 0, other.stderr
    assert "bcast" in own.read_text()
    assert "scan" in own.read_text()


def test_interrupted_in_the_second_shape_the_first_is_kept(tune, tmp_path):
    STOPPED["at"] = 2
    said = tune()
    assert said.returncode == 130
    assert "go on with: laneway tune" in said.stderr
    assert [path.name for path in (tmp_path / "laneway").glob("*4x2.conf")]
    assert not [*(tmp_path / "laneway").glob("*2x2.conf")]


def test_one_shape_alone(tune, tmp_path):
    assert tune("--shapes", "one").returncode == 0
    assert len([*(tmp_path / "laneway").glob("*.conf")]) == 1


def test_a_report_that_has_nothing_to_tune(tune, tmp_path):
    row = {"kind": "nothing"}
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "rank-0.jsonl").write_text(json.dumps(row) + "\n")
    said = tune("--for", tmp_path / "empty")
    assert said.returncode == 2
    assert "no call that could be served here" in said.stderr
    missing = tune("--for", tmp_path / "nowhere")
    assert missing.returncode == 2
    assert "nowhere" in missing.stderr
