# SPDX-License-Identifier: BSD-3-Clause
"""Calibration: parameters of known machines found again in noisy times; predictions by them."""

import io
import json
import math
import random
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

import campaigns
from commands import laneway
from jobs import ONE_BUILD
from laneway.calibration import description, parameters, patterns, regression
from laneway.campaign import Result
from laneway.cluster.cluster import Cluster
from laneway.cluster.spec import ClusterSpec
from laneway.cluster.state import State
from laneway.commands import calibrate
from laneway.commands.compare import NARROW
from laneway.commands.shared import predictions
from laneway.commands.shared.forms import print_fitting
from laneway.errors import Problem
from laneway.launching.place import Place, Setting
from laneway.libraries import native
from laneway.plans.calibration import CalibrationPlan
from laneway.probe.lane_rates import PROBE
from laneway.rows import summarise
from laneway.showing import table
from laneway.simulation import described, machine, prediction
from laneway.simulation import native as native_profiles
from laneway.simulation.forecasts import Scene

SIZES = [4, 16, 64, 256, *(2**power for power in range(10, 21))]
NOISE = 0.05


def noisy(time, seed):
    """Times with a relative error of 5%; so many that what they say is known to a percent."""
    draw = random.Random(seed)  # noqa: S311
    return [time * draw.gauss(1, NOISE) for _ in range(60)]


def times(time_of, sizes=SIZES):
    return {size: noisy(time_of(size), f"{size}") for size in sizes}


def test_a_line_is_found_again():
    found = regression.line(times(lambda size: 30 + 0.02 * size))
    assert found.start == pytest.approx(30, rel=0.02)
    assert found.byte == pytest.approx(0.02, rel=0.02)
    assert found.residual == pytest.approx(NOISE, rel=0.2)


def places(found):
    return [SIZES.index(jump.size) for jump in found.jumps]


@pytest.mark.parametrize("eager", [1024, 8192, 65536])
def test_a_protocol_s_end_is_found_again(eager):
    found = regression.with_jumps(
        times(lambda size: 30 + 0.001 * size + (60 if size > eager else 0))
    )
    (where,) = places(found)
    assert abs(where - SIZES.index(eager)) <= 1
    assert found.jumps[0].time == pytest.approx(60, rel=0.1)
    assert found.start == pytest.approx(30, rel=0.02)


def test_noise_alone_makes_no_jump():
    assert regression.with_jumps(times(lambda size: 30 + 0.01 * size)).jumps == ()


def test_two_jumps():
    first, second = places(
        regression.with_jumps(
            times(lambda size: 10 + 0.001 * size + 40 * (size > 1024) + 90 * (size > 65536))
        )
    )
    assert abs(first - SIZES.index(1024)) <= 1
    assert abs(second - SIZES.index(65536)) <= 1


def test_of_few_times_nothing_but_a_line_is_concluded():
    few = {4: [10.0], 64: [11.0], 1024: [60.0], 4096: [70.0]}
    assert regression.with_jumps(few).jumps == ()
    assert regression.beyond_burst(few) == 0


@pytest.mark.parametrize("burst", [0, 18432])
def test_a_burst_is_found_again(burst):
    found = regression.beyond_burst(times(lambda size: 150 + 0.04 * max(0, size - burst)))
    assert found == pytest.approx(burst, rel=0.1)


# ---- a machine, by the times that the model says that its patterns take -----------------------

WORK, GAP, LATENCY, BYTE, NODE_LATENCY, NODE_BYTE = 3.0, 25.0, 200.0, 0.01, 7.0, 0.0002
NODES, PPN, LANES, EAGER, HANDSHAKE = 4, 4, 2, 65536, 900.0


def taken(pattern, k, size, in_turn=1):
    """Microseconds; o, g, L, G as in `parameters`; works of a message that follow each other."""
    shared = -(-k // LANES)
    wait = HANDSHAKE if size > EAGER else 0
    there = 2 * WORK + GAP + LATENCY + shared * BYTE * size + wait
    inside = 2 * WORK + NODE_LATENCY + NODE_BYTE * size * k
    return {
        "between": 2 * there,
        "cross": 2 * (there - (shared - 1) * BYTE * size) + (k - 1) * GAP,
        "inside": 2 * inside,
        "burst": 2 * there + 15 * GAP * shared,
        "fan": 2 * inside + (k - 1) * in_turn * WORK,
        "copy": 40 + 0.0008 * size,
        "reduce": 40 + 0.0012 * size,
        "pack": 40 + 0.0020 * size,
    }[pattern]


MEASURED = {
    "between": ((1, 2, 4), SIZES),
    "cross": ((1, 2), SIZES[-1:]),
    "inside": ((1, 2), SIZES),
    "burst": ((1, 2, 4), [4]),
    "fan": ((1, 2, 3), [4]),
    "copy": ((4,), SIZES[4:]),
    "reduce": ((4,), SIZES[4:]),
    "pack": ((4,), SIZES[4:]),
}


def rows(noise=NOISE, runs=9, **environment):
    draw = random.Random(1)  # noqa: S311
    in_turn = 1
    if environment:
        yield {"kind": "environment", "nodes": NODES, **environment}
        in_turn = 8
    for pattern, (numbers, sizes) in MEASURED.items():
        for k in numbers:
            for size in sizes:
                for run in range(1, runs + 1):
                    for _ in range(40):
                        yield {
                            "kind": "probe",
                            "probe": "local-work" if pattern in patterns.DONE else "messages",
                            "collective": pattern,
                            "virtual_lanes": k,
                            "bytes": size,
                            "run": run,
                            "time_us": taken(pattern, k, size, in_turn) * draw.gauss(1, noise),
                            "library": "Open MPI 4.1.4",
                            "nodes": NODES,
                            "ppn": PPN,
                            "lanes": LANES,
                        }


TRUE = {
    ("process", "copy"): 0.0008,
    ("process", "reduce"): 0.0012,
    ("process", "pack"): 0.0020,
    ("lanes", "bandwidth"): BYTE,
    ("lanes", "latency"): LATENCY,
    ("lanes", "message"): GAP,
    ("node", "bandwidth"): NODE_BYTE,
    ("node", "latency"): NODE_LATENCY,
    ("process", "send"): WORK,
    ("process", "receive"): WORK,
}


def test_a_machine_is_found_again_exactly():
    found = parameters.fitted(patterns.gathered(rows(noise=0, runs=2))).figures
    for key, value in TRUE.items():
        assert found[key].value == pytest.approx(value, rel=1e-3), key
    assert found["lanes", "eager"].value == EAGER
    assert found["lanes", "handshake"].value == pytest.approx(HANDSHAKE, rel=1e-3)
    assert ("node", "eager") not in found
    assert parameters.fitted(patterns.gathered(rows(noise=0, runs=2))).by_receiver
    assert ("lanes", "burst") not in found


EACH_A_HOST = [f"node{node}" for node in range(NODES) for _ in range(PPN)]


@pytest.mark.parametrize(
    "where",
    [
        {"processors": 2, "hosts": EACH_A_HOST, "cluster": {"name": "emulated"}},
        {"processors": 2, "hosts": ["here"] * NODES * PPN, "cluster": None},
    ],
)
def test_work_is_found_again_where_all_nodes_share_two_processors(where):
    """Four nodes with four works a message each, on two processors: eight follow each other."""
    found = parameters.fitted(patterns.gathered(rows(noise=0, runs=2, **where))).figures
    for key in (("process", "send"), ("lanes", "latency"), ("node", "latency")):
        assert found[key].value == pytest.approx(TRUE[key], rel=1e-3), key
    assert found["process", "send"].source.endswith("; 8 works a processor")


def test_nodes_with_processors_of_their_own_share_none():
    where = {"processors": 4, "hosts": EACH_A_HOST, "cluster": None}
    assert patterns.gathered(rows(runs=1, **where)).shape.processors == 4


def test_a_machine_is_found_again_in_noise():
    found = parameters.fitted(patterns.gathered(rows())).figures
    for key in (("lanes", "bandwidth"), ("lanes", "latency"), ("node", "bandwidth"),
                ("process", "copy"), ("process", "reduce"), ("process", "pack")):  # fmt: skip
        assert found[key].value == pytest.approx(TRUE[key], rel=0.02), key
    where = SIZES.index(int(found["lanes", "eager"].value))
    assert abs(where - SIZES.index(EAGER)) <= 1


def test_the_description_is_one_that_simulate_reads():
    found = parameters.fitted(patterns.gathered(rows(noise=0, runs=2)))
    text = description.text("mine", ["measured"], found, (4, 2))
    read = machine.parse(text, "mine.toml")
    assert (read.name, read.lanes) == ("mine", LANES)
    for key, option, expected in (
        (("lanes", "latency"), "lane-latency", LATENCY / 1e6),
        (("lanes", "bandwidth"), "lane-bandwidth", 1e6 / BYTE),
        (("node", "bandwidth"), "node-bandwidth", 1e6 / NODE_BYTE),
        (("process", "reduce"), "reduce", 1e6 / 0.0012),
    ):
        assert float(read.values[option]) == pytest.approx(expected, rel=1e-3)
        assert f"# {found.figures[key].source}\n" in text
    assert read.values["lane-eager"] == str(EAGER)
    assert "each of lanes by k at once" in text
    assert described.calibrated_shape(text) == (4, 2)
    entries = {entry.name: entry for entry in described.entries(text)}
    assert described.residual(entries, "lanes", "bandwidth") == pytest.approx(0, abs=0.01)
    assert described.residual(entries, "lanes", "latency") is None, "it is that of bandwidth"


def test_lanes_that_are_not_alike_have_weights_and_the_bandwidth_of_the_fastest():
    """Processes on all lanes at once are as fast as the slowest."""
    found = parameters.fitted(patterns.gathered(rows(noise=0, runs=2))).weighed((2, 1))
    read = machine.parse(description.text("mine", ["measured"], found), "mine.toml")
    assert str(read.weights) == "2:1"
    assert float(read.values["lane-bandwidth"]) == pytest.approx(2e6 / BYTE, rel=1e-3)


def test_rates_of_lanes_are_measured_where_there_are_some():
    build, sizes = native.NativeBuild, (4, 1024, 65536)
    emulated = Place(4, 4, Cluster(State(ClusterSpec(), 0, 0, (), privileged=False)))
    virtual = Place(4, 4)
    for place, lanes, measured in ((emulated, 2, 1), (emulated, 1, 0), (virtual, 2, 0)):
        plan = CalibrationPlan(build, Setting(place, lanes), sizes)
        options = [block.options for task in plan.tasks(1) for block in task.blocks]
        own = [each for each in options if each["probe"] == PROBE]
        assert len(own) == measured
        assert all("collective" not in each and each["virtual-lanes"] == "1,2" for each in own)


def test_one_process_a_node_has_no_inside():
    alone = [("between", 1), ("burst", 1), ("copy", 4)]
    own = [
        row for row in rows(noise=0, runs=1) if (row["collective"], row["virtual_lanes"]) in alone
    ]
    found = parameters.fitted(patterns.gathered(own))
    assert {table for table, _ in found.figures} == {"lanes", "process"}
    assert machine.parse(description.text("one", [], found), "one.toml").lanes == LANES


def test_without_messages_there_is_nothing_to_go_by():
    with pytest.raises(Problem, match="nothing to calibrate by"):
        patterns.gathered(row for row in rows(runs=1) if row["collective"] == "copy")


# ---- predictions ------------------------------------------------------------------------------


def summary(algorithm, median_us, count=1):
    (found,) = summarise([campaigns.sample("bcast", algorithm, count, 1, median_us)])
    return found


def test_predictions_are_held_against_measurements():
    found = [summary("native", 9), summary("lane", 10), summary("chain", 12),
             summary("lane", 100, 1000), summary("chain", 120, 1000)]  # fmt: skip
    told = dict(zip((one.key for one in found[1:]), (11.0, 9.0, 50.0, 240.0), strict=True))
    predictions = prediction.Predictions("mine", told)
    assert predictions.error(found[0]) is None
    assert predictions.row(found[0])["predicted_us"] is None
    row = predictions.row(found[1])
    assert (row["predicted_us"], row["predicted_error"]) == (11.0, 0.1)
    # Errors are 10, 25, 50 and 100%; of an int the slower one is predicted to be the faster.
    assert predictions.winners(found) == (1, 2)
    assert predictions.closing(found) == (
        "Predicted by mine: median error 38%; the predicted winner takes at most 10% longer than "
        "the true one in 1 of 2 cases."
    )


def test_without_a_prediction_there_is_nothing_to_hold():
    found = [summary("native", 9)]
    assert prediction.Predictions("mine", {}).closing(found) == (
        "Predicted by mine: nothing that was measured can be simulated."
    )


def test_the_table_has_room_on_a_narrow_terminal():
    name = "scatter_recursive_doubling"
    found = [summary("native", 9), summary(name, 10_000)]
    told = prediction.Predictions("mine", {found[1].key: 11_000.0})
    console = Console(width=80, file=io.StringIO(), force_terminal=True)
    print_fitting(table.render(found, "a title", told), console, NARROW)
    shown = Text.from_ansi(console.file.getvalue()).plain.splitlines()
    assert any("predicted" in line and "error" in line for line in shown)
    (line,) = (line for line in shown if name in line)
    assert "11000" in line
    assert "+10%" in line


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_what_was_measured_is_simulated_where_that_can_be():
    own = machine.parse('[lanes]\nnumber=2\nlatency="100 us"\nbandwidth="1 GB/s"\n', "m.toml")
    found = [summary("native", 9), summary("lane#again", 10), summary("no_such", 10),
             summary("chain(segment=4K)", 10)]  # fmt: skip
    told = prediction.predict(found, own, lambda _told, _part: None)
    assert {key.algorithm for key in told.times_us} == {"lane#again", "chain(segment=4K)"}
    assert all(time >= 100 for time in told.times_us.values())


def predicted(*rows):
    """The predictions of the machine hydra for rows."""
    found = summarise(rows)
    return prediction.predict(found, machine.load("hydra"), lambda _told, _part: None)


def predicted_us(size, **facts):
    """The predicted time of an allreduce by lanes."""
    (time,) = predicted(
        campaigns.sample("allreduce", "lane", size // 4, 1, 10, **facts)
    ).times_us.values()
    return time


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize("size", [16, 1 << 20])
def test_components_are_those_that_the_library_has(size):
    """Where it is not described, the faster of few rounds and few bytes."""
    known = native_profiles.of_library("MPICH 4.0.2")
    scene = Scene(machine.load("hydra").with_lanes(2), known, 4, 4)
    described = predicted_us(size, library="MPICH 4.0.2")
    assert described == scene.time("allreduce", "lane", size)
    unknown = predicted_us(size, library="Another MPI 1.0")
    assert unknown == predicted_us(size, library="MPICH 9.9"), "another release, another library"
    assert (unknown < described) == (size > 16)


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_ranks_are_placed_as_they_were():
    """Subtrees of a binomial gather are on one node, or on all."""
    in_order, dealt = (
        predicted(campaigns.sample("gather", "binomial", 1 << 16, 1, 10, **placed))
        for placed in ({}, {"placement": "cyclic"})
    )
    assert max(dealt.times_us.values()) > 1.5 * max(in_order.times_us.values())


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_predictions_say_whose_the_components_are():
    found = summarise([campaigns.sample("allreduce", "lane", 4, 1, 10, library="MPICH 4.0.2")])
    told = prediction.predict(found, machine.load("hydra"), lambda _told, _part: None)
    assert told.closing(found).startswith("Predicted by hydra (components by mpich-4.0): median")


@pytest.mark.parametrize(
    ("library", "profile"),
    [
        ("Open MPI 4.1.4", "openmpi-4.1"),
        ("MPICH 4.0.2", "mpich-4.0"),
        ("MPICH 5.0.1", None),
        ("Another MPI 4.1", None),
    ],
)
def test_native_profiles_go_by_the_library_and_its_release(library, profile):
    found = native_profiles.of_library(library)
    assert (found and found.name) == profile


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize("collective", ["allreduce", "allgather"])
def test_imported_rows_that_do_not_say_their_shape_are_not_predicted(collective):
    assert not predicted(campaigns.sample(collective, "lane", 1000, 1, 10, ppn=None)).times_us


# ---- the commands -----------------------------------------------------------------------------

SMALL = ("--cluster", "none", "--nodes", 2, "--ppn", 2, "--lanes", 2)


def trust(monkeypatch):
    """Any calibration is good enough: the machine may be busy with other tests."""
    monkeypatch.setattr(predictions, "doubt", lambda *_: "")


@pytest.mark.parametrize("build", ONE_BUILD)  # thousands of simulations
def test_a_calibrated_machine_predicts(build, tmp_path, monkeypatch):
    """On virtual nodes, whose lanes are memory: what comes out is a machine all the same."""
    trust(monkeypatch)
    words = (*SMALL, "--mpi", build.id, "--seconds", 1, "--runs", 1, "-m", "4,1K,16K,64K")
    ran = laneway("calibrate", *words, "--name", "mine", "--predict", "--out", tmp_path / "rows",
                  XDG_CONFIG_HOME=str(tmp_path))  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    file = tmp_path / "laneway" / "machines" / "mine.toml"
    assert ran.stdout == file.read_text()
    read = machine.load(str(file))
    assert (read.name, read.lanes) == ("mine", 2)
    rows = [json.loads(line) for line in (tmp_path / "rows" / "rows.jsonl").open()]
    assert {row["collective"] for row in rows if row["kind"] == "probe"} == {
        *patterns.SIZED, *patterns.COUNTED, *patterns.LONG, *patterns.DONE,
    }  # fmt: skip
    assert not [row for row in rows if row["kind"] in ("error", "failure")]

    # The predicted profile is where jobs find it.
    profile = tmp_path / "laneway" / "predicted" / f"{build.id}-2x2-2-lanes.conf"
    if profile.exists():
        assert f"predicted profile: {profile}" in ran.stderr
        assert f"machine {file}" in profile.read_text()
    else:  # a busy machine may have anything predicted
        assert "nothing gains enough on 2 x 2: no profile is predicted" in ran.stderr

    # Resumed, it has nothing left to measure, and says the same.
    again = laneway("campaign", "resume", tmp_path / "rows", XDG_CONFIG_HOME=str(tmp_path))
    assert (again.returncode, again.stdout) == (0, ran.stdout)

    ran = laneway("simulate", "bcast", "--machine", "mine", "--algorithm", "lane", "--count", 1000,
                  "--json", XDG_CONFIG_HOME=str(tmp_path))  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (row,) = map(json.loads, ran.stdout.splitlines())
    assert row["median_us"] > 0

    words = ("bcast", *SMALL, "--mpi", build.id, "--algorithm", "lane,chain", "--count", "1,1000")
    ran = laneway("compare", *words, "--runs", 1, "--time", 0.05, "--predict", file, "--json",
                  "--out", tmp_path / "compared")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(found) == 6
    for row in found:
        own = row["algorithm"] == "native"
        assert (row["predicted_us"] is None) == (row["predicted_error"] is None) == own
    known = native_profiles.of_library(build.library)
    whose = f" (components by {known.name})" if known else ""
    assert f"Predicted by mine{whose}: median error" in ran.stderr


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("more", "told"),
    [([], True), (["--no-predict"], False), (["--predict", "--output", "mine.toml"], False)],
    ids=["virtual nodes", "refused", "elsewhere"],
)
def test_predictions_are_left_out_where_they_are_not_wanted(tmp_path, monkeypatch, more, told):
    trust(monkeypatch)
    words = (*SMALL, "--seconds", 1, "--runs", 1, "-m", "4,1K,16K,64K", "--name", "mine")
    ran = laneway("calibrate", *words, *more, "--out", "rows", cwd=tmp_path,
                  XDG_CONFIG_HOME=str(tmp_path))  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert not (tmp_path / "laneway" / "predicted").exists()
    file = tmp_path / "laneway" / "machines" / "mine.toml"
    how = f"--predict, or laneway profile predict --machine {file}"
    assert (how in ran.stderr) == told, ran.stderr
    known = "mine.toml" if "--output" in more else "mine"
    next_ = f"laneway compare bcast allreduce --predict {known} --nodes 2 --ppn 2 --mpi "
    assert f"to see how far its predictions are from measurements: {next_}" in ran.stderr


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_what_real_nodes_say_is_for_all_jobs(tmp_path, monkeypatch):
    """As far as this machine can pass for several nodes."""
    trust(monkeypatch)
    monkeypatch.setattr(Place, "real", True)
    monkeypatch.setattr(calibrate, "measured", lambda *_: Result(tmp_path, [{"kind": "probe"}]))
    monkeypatch.setattr(calibrate, "_describe", lambda *_: None)
    asked = []
    monkeypatch.setattr(calibrate, "predict_calibrated", lambda *words: asked.append(words[2:]))
    for more in ([], ["--no-predict"], ["--predict", "--layout", "ramp,single"]):
        laneway("calibrate", *SMALL, *more, XDG_CONFIG_HOME=str(tmp_path))
    assert asked == [(2, 2, ("equal",)), (2, 2, ("ramp", "single"))]


def test_with_layouts_predictions_of_vector_collectives_are_to_be_tried():
    assert calibrate._tried(("equal",)) == ["bcast", "allreduce"]
    assert calibrate._tried(("equal", "ramp")) == [
        "allgatherv", "alltoallv", "--layout", "equal,ramp",
    ]  # fmt: skip


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_nothing_is_predicted_where_something_failed(tmp_path, monkeypatch):
    def fails(*words):
        return replace(measured(*words), failures=["a run failed"])

    measured = calibrate.measured
    monkeypatch.setattr(calibrate, "measured", fails)
    trust(monkeypatch)
    words = (*SMALL, "--seconds", 1, "--runs", 1, "-m", "4,1K,16K,64K", "--predict")
    ran = laneway("calibrate", *words, "--out", tmp_path / "rows", XDG_CONFIG_HOME=str(tmp_path))
    assert ran.returncode == 1
    assert "a run failed" in ran.stderr
    assert "no profile is predicted: not all could be measured" in ran.stderr
    assert not (tmp_path / "laneway" / "predicted").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["calibrate", "-m", "4,64"], "-m: 4 sizes at least"),
        (["calibrate", "--lanes", "1,2"], "--lanes: one number"),
        (["calibrate", "--layout", "file:counts"], "--layout file:counts: a file has counts of"),
        (["calibrate", "--name", "example"], "'example' is a machine that comes with Laneway"),
        (["calibrate", "--name", "a/b"], "'a/b' is no name of a file"),
        (["compare", "bcast", "--predict", "nowhere"], "no machine 'nowhere'; known: emulated,"),
        (["compare", "bcast", "--predict", "nowhere.toml"], "nowhere.toml: cannot be read"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_bad_input(words, said, tmp_path):
    ran = laneway(*words, "--cluster", "none", XDG_CONFIG_HOME=str(tmp_path), cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("highest", [math.inf, 4.0])
def test_what_takes_far_longer_than_a_round_trip_is_no_handshake(highest):
    """A jump of ten times what 0 bytes take is one of bytes then."""
    long = {2**k: [10 + 2**k / 1000 + 100 * (k > 15)] * 3 for k in range(2, 20)}
    fit = regression.with_jumps(long, highest=highest)
    assert all(jump.time <= highest * fit.start for jump in fit.jumps)
    assert (fit.byte > 1.05 / 1000) == (highest < math.inf)
