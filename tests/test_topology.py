# SPDX-License-Identifier: BSD-3-Clause
"""Networks of simulated machines, what bounds their times, and what is drawn of them."""

import csv
import json
import xml.etree.ElementTree as ET

import pytest

from commands import laneway
from laneway.errors import Misuse
from laneway.libraries import native
from laneway.results.measurements import read
from laneway.rows import SIMULATED, CaseKey
from laneway.showing import caveats, figures, report
from laneway.simulation import bounds, machine, program, timeline, trace
from laneway.simulation.program import Call

pytestmark = pytest.mark.skipif(not native.installed(), reason="no native build is installed")

LANES = '[lanes]\nbandwidth = "10 GB/s"\nlatency = "1 us"\n'
TORUS = '[network]\ntopology = "torus"\nshape = [3, 2]\nbandwidth = "5 GB/s"\nlatency = "50 ns"\n'
ONE = ("bcast", "--algorithm", "lane", "--count", "1000", "--nodes", "3", "--ppn", "2")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('[network]\ntopology = "ring"', 2, '\'ring\' is neither "flat" nor "torus" nor'),
        ('[network]\ntopology = "torus"', 2, "needs the key 'shape'"),
        ('[network]\ntopology = "torus"\nshape = []', 3, "no list of the nodes"),
        ('[network]\ntopology = "torus"\nshape = [4, 0]', 3, "0 is no number from 1"),
        ('[network]\ntopology = "torus"\nshape = [4, true]', 3, "True is no number"),
        ('[network]\ntopology = "torus"\nshape = [65536, 65536]', 3, "4294967296 nodes are more"),
        (
            '[network]\ntopology = "torus"\nshape = [4]\n\nup = 2',
            5,
            "'up' is a key of \"fat_tree\"",
        ),
        ('[network]\ntopology = "fat_tree"\nleaf = 4', 2, "needs the key 'up'"),
        ('burst = "1K"\n[network]\ntopology = "torus"\nshape = [4]', 1, "there are no bursts"),
        ('[network]\ntopology = "torus"\nshape = [4096, 4096, 1]', 3, "100663296 links are more"),
        (
            '[network]\ntopology = "fat_tree"\nleaf = 1\nup = 16777216\n[node]\nnumber = 3',
            4,
            "100663296 links are more",
        ),
        ('[network]\nbandwidth = "1 GB/s"', 2, "no links in a \"flat\" network: no 'bandwidth'"),
        ('[network]\ntopology = "torus"\nshape = [4]\nbandwidth = "0 GB/s"', 4, "nothing would"),
        (
            '[network]\ntopology = "torus"\nshape = [4]',
            2,
            "links need lanes with a [lanes] bandwidth",
        ),
    ],
)
def test_a_wrong_network_is_told_with_its_line(text, line, reason):
    lanes = "" if "need lanes" in reason else LANES
    before = len(lanes.splitlines())
    with pytest.raises(Misuse) as told:
        machine.parse(lanes + text, "mine.toml")
    assert str(told.value).startswith(f"mine.toml:{line + before}: ")
    assert reason in str(told.value)


def test_more_nodes_than_a_torus_has_are_refused(tmp_path):
    file = tmp_path / "torus.toml"
    file.write_text(LANES + TORUS)
    words = ("simulate", "bcast", "--machine", file, "--count", 1, "--algorithm", "binomial")
    ran = laneway(*words, "--nodes", 7)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "a torus of 3x2 has 6 nodes, which are fewer than 7" in ran.stderr
    assert laneway(*words, "--nodes", 7, "--shape", "7").returncode == 0
    assert "no shape" in laneway(*words, "--shape", "7x").stderr
    assert "no torus" in laneway("simulate", "bcast", "--shape", "7").stderr


def timed(text, call, **options):
    (row,) = program.lines("time", {**call.options, **machine.parse(text, "m").options, **options})
    return row


def test_narrow_links_take_time_and_wide_ones_none():
    call = Call("alltoall", "pairwise", 10_000, [1] * 6)
    flat, torus = timed(LANES, call), timed(LANES + TORUS, call, bounds="yes")
    wide = timed(LANES + TORUS.replace("5 GB/s", "1 TB/s").replace("50 ns", "0 ns"), call)
    assert wide["time_us"] == pytest.approx(flat["time_us"])
    assert torus["time_us"] > 1.5 * flat["time_us"]
    assert max(torus["bound_by"], key=torus["bound_by"].get) == "link"
    assert sum(torus["bound_by"].values()) == pytest.approx(torus["time_us"])
    assert 0.5 < torus["busiest_link"]["busy"] <= 1
    assert "busiest_link" not in flat


def test_a_fat_tree_is_as_fast_as_its_uplinks():
    def time(up):
        tree = f'[network]\ntopology = "fat_tree"\nleaf = 4\nup = {up}\nbandwidth = "10 GB/s"\n'
        return timed(LANES + tree, Call("alltoall", "pairwise", 100_000, [1] * 8))["time_us"]

    assert time(1) > 1.5 * time(2) >= 1.5 * time(4)


def test_loads_are_those_of_the_schedule():
    call = Call("allgather", "ring", 1000, [2] * 6)
    described = machine.parse(LANES + TORUS, "m")
    found = [*bounds.loads(call, described)]
    (costs, *_) = program.lines("explain", {**call.options, **described.options})
    lanes = [row for row in found if row["kind"] == "lane"]
    assert sum(row["bytes"] for row in lanes if row["name"].endswith("out")) == sum(
        sent for sent, _ in costs["of_lanes"]
    )
    assert {*found[0]} == {*bounds.LOADS}
    assert any(row["kind"] == "link" for row in found)


@pytest.mark.parametrize("sharing", ["fifo", "fair"])
def test_bytes_that_pass_in_bursts_keep_no_lane_busy(sharing):
    call = Call("alltoall", "pairwise", 10_000, [1] * 6)
    lanes = f'{LANES}sharing = "{sharing}"\n'
    without, burst = timed(lanes, call), timed(lanes + 'burst = "100 kB"\n', call)
    assert burst["time_us"] < without["time_us"]
    assert 0 < burst["busiest_lane"]["busy"] < without["busiest_lane"]["busy"] <= 1
    assert timed(lanes + 'burst = "1 MB"\n', call)["busiest_lane"]["busy"] == 0


def test_links_that_take_no_time_are_never_the_busiest():
    call = Call("alltoall", "pairwise", 10, [1] * 6)
    fast = TORUS.replace('bandwidth = "5 GB/s"\n', "")
    assert "busiest_link" not in timed(LANES + fast, call)


def test_bounds_are_told_in_words():
    told = bounds.in_words(
        {
            "bound_by": {"latency": 25.0, "lane": 75.0},
            "busiest_lane": {"name": "node 0, lane 0 out", "messages": 1, "busy": 0.75},
        }
    )
    assert told == (
        "bound by lanes 75%, latency 25%; busiest lane: node 0, lane 0 out, 75% of the time"
    )
    ran = laneway("simulate", *ONE, "--bounds")
    assert "bcast 1000, lane: bound by " in ran.stdout


def test_a_trace_has_every_message_on_both_lanes():
    call = Call("bcast", "lane_pipeline(segment=1K)", 1000, [2] * 3)
    found = trace.trace(call, machine.load("example"))
    leave = [each for each in found.passages if not each["comes"]]
    come = [each for each in found.passages if each["comes"]]
    assert {(each["from"], each["to"]) for each in leave} == {
        (each["from"], each["to"]) for each in come
    }
    assert all(0 <= row["began_us"] < row["ended_us"] <= found.time_us for row in found.steps)
    events = json.loads(trace.chrome(found))["traceEvents"]
    named = {event["args"]["name"] for event in events if event["name"].endswith("_name")}
    assert {"node 0", "rank 5", "lane 1 out", "lane 0 in"} <= named
    bars = [event for event in events if event["ph"] == "X"]
    assert len(bars) == len(found.steps) + len(found.passages)
    assert max(bar["ts"] + bar["dur"] for bar in bars) == pytest.approx(found.time_us)
    drawn = ET.fromstring(timeline.svg(found))  # noqa: S314 - ours
    titles = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 1 + len(bars)


def test_files_of_a_call(tmp_path):
    names = ("a.svg", "a.json", "a.csv", "a.html")
    drawn, traced, loads, page = (tmp_path / name for name in names)
    ran = laneway("simulate", *ONE, "--timeline", drawn, "--chrome-trace", traced,
                  "--loads", loads, "--report", page, "--placement", "cyclic",
                  "--json")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["placement"] == "cyclic"
    assert drawn.read_text().strip() in page.read_text()
    assert json.loads(traced.read_text())["otherData"]["simulated"] is True
    assert drawn.read_text().startswith("<svg")
    with loads.open() as file:
        assert next(iter(csv.DictReader(file)))["kind"] == "lane"
    two = laneway("simulate", *ONE[:-4], "--nodes", 3, "--count", "1,2", "--timeline", drawn)
    assert (two.returncode, two.stdout) == (2, "")
    assert "show one call, not 2" in two.stderr
    many = laneway("simulate", "alltoall", "--algorithm", "spread", "--count", 1, "--nodes", 16,
                   "--timeline", drawn)  # fmt: skip
    assert "4032 messages are too many for a drawing" in many.stderr


MEASURED = {
    "kind": "sample", "run": 1, "collective": "bcast", "algorithm": "lane", "count": 1000,
    "datatype": "int", "bytes": 4000, "nodes": 3, "ppn": 2, "lanes": 2, "library": "Open MPI 4.1.4",
    "binding": "lane", "root": 0, "time_us": 9.0,
}  # fmt: skip


def test_simulated_rows_are_never_among_measured_ones(tmp_path):
    ran = laneway("simulate", *ONE, "--out", tmp_path / "rows", "--json")
    (row,) = map(json.loads, ran.stdout.splitlines())
    assert (row["simulated"], row["machine"], row["library"]) == (True, "example", SIMULATED)
    (tmp_path / "measured.jsonl").write_text(json.dumps(MEASURED) + "\n")
    found = read([tmp_path / "rows", tmp_path / "measured.jsonl"])
    simulated, measured = sorted(found.summaries, key=lambda each: not each.key.simulated)
    assert (simulated.key.origin, measured.key.origin) == (
        "simulated machine example",
        "Open MPI 4.1.4",
    )
    assert simulated.key.case != measured.key.case
    for name in ("points", "times", "samples"):
        places = {line["place"] for line in getattr(figures, name)(found)}
        assert len(places) == 2, name
        assert any(place.startswith("simulated machine example, ") for place in places)
    assert "Nothing ran on example" in caveats.caveats(found.rows)[0]
    assert "Nothing ran on example" in report.render(found)
    tables = laneway("report", tmp_path / "rows", tmp_path / "measured.jsonl", "--table").stdout
    assert "Time of the slowest rank, simulated machine example" in tables
    assert tables.count("Time of the slowest rank") == 2
    judged = laneway("verify", tmp_path / "rows")
    assert judged.returncode == 2
    assert "times of the machine example are simulated" in judged.stderr


def test_simulated_machines_are_told_apart():
    def key(**axes):
        return CaseKey(
            "bcast", "lane", 1, "int", 4, 2, 2, 1, SIMULATED, "lane", tuple(axes.items())
        )

    assert key().simulated is None
    one, other = (key(simulated=True, machine=name) for name in ("hydra", "vsc3"))
    assert one.case != other.case
    assert one.origin == "simulated machine hydra"
