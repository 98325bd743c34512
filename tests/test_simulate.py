# SPDX-License-Identifier: BSD-3-Clause
"""The simulated clock (tests/simulate), `laneway simulate`, and machines that are described."""

import csv
import io
import itertools
import json
import resource
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from commands import at_most, laneway
from jobs import check_unit, units
from laneway import rows
from laneway.errors import Misuse
from laneway.libraries import native
from laneway.simulation import machine, program
from laneway.simulation.program import Call

NAME = "laneway-simulate-check"

pytestmark = pytest.mark.skipif(not native.installed(), reason="no native build is installed")


@pytest.mark.parametrize("case", units(NAME))
def test_parts_of_the_simulation(case):
    check_unit(NAME, case)


def simulated(*words):
    ran = laneway("simulate", *words, "--json")
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


def test_it_needs_no_mpi_library():
    linked = subprocess.run(["ldd", program.find()], capture_output=True, text=True, check=True)
    assert "mpi" not in linked.stdout


def test_rows_are_those_of_compare():
    found, said = simulated("MPI_Bcast", "--algorithm", "lane,lane_pipeline", "--count", "2p")
    assert [row["algorithm"] for row in found] == ["lane", "lane_pipeline"]
    facts = {field.name for field in fields(rows.CaseKey)} - {"axes"}
    times = {"machine", "runs", "min_us", "median_us", "mean_us", "ratio_to_native", "floor_us"}
    for row in found:
        assert {*row} >= facts | times
        assert row["ratio_to_native"] is None
        assert (row["library"], row["count"], row["bytes"]) == ("simulated", 32, 128)
        assert row["median_us"] == row["min_us"] > 0
    assert said == ""


def test_native_does_not_exist():
    found, said = simulated("bcast", "--algorithm", "native,lane", "--count", "1")
    assert [row["algorithm"] for row in found] == ["lane"]
    assert "no MPI library on a simulated machine" in said
    ran = laneway("simulate", "bcast", "--algorithm", "native")
    assert (ran.returncode, ran.stdout) == (2, "")


def test_what_is_not_eligible_is_said():
    found, said = simulated("allreduce", "--count", "1")
    assert "recursive_doubling" in {row["algorithm"] for row in found}
    assert "lane_regular" not in {row["algorithm"] for row in found}
    assert "allreduce 1, lane_regular: not eligible: needs a count that is a multiple of" in said


@pytest.mark.parametrize("sharing", ["fifo", "fair"])
@pytest.mark.parametrize(("nodes", "ppn", "lanes"), [(2, 3, 2), (3, 2, 1), (5, 4, 2), (4, 4, 4)])
def test_nothing_is_faster_than_the_lanes_allow(tmp_path, nodes, ppn, lanes, sharing):
    """The floor is the emulated cluster's: bytes and latencies that whatever is done must take."""
    file = tmp_path / "bare.toml"
    file.write_text(f'[lanes]\nbandwidth="1 GB/s"\nlatency="1 us"\nsharing="{sharing}"\n')
    shape = ("--nodes", nodes, "--ppn", ppn, "--lanes", lanes)
    found, _ = simulated("--machine", file, *shape, "--count", "1,6000")
    assert len({row["algorithm"] for row in found}) > 10
    for row in found:
        assert row["floor_us"] is None or row["over_floor"] >= 1 - 1e-9, row
    assert any(row["over_floor"] == pytest.approx(1, abs=1e-3) for row in found)


@pytest.mark.parametrize(("ppn", "lanes"), [("4,3,5", 2), ("1,4", 2), ("2,2,1,5", 3)])
def test_nodes_may_differ(tmp_path, ppn, lanes):
    """The rows say how, and no time is below the floor of nodes of these sizes."""
    file = tmp_path / "bare.toml"
    file.write_text('[lanes]\nbandwidth="1 GB/s"\nlatency="1 us"\n')
    found, _ = simulated("--machine", file, "--ppn", ppn, "--lanes", lanes, "--count", "2p,6000")
    sizes = [int(word) for word in ppn.split(",")]
    assert len({row["collective"] for row in found}) == 17
    for row in found:
        assert (row["nodes"], row["ppn"], row["unequal"]) == (len(sizes), max(sizes), ppn)
        assert row["count"] in (0, 2 * sum(sizes), 6000)
        assert row["floor_us"] is None or row["over_floor"] >= 1 - 1e-9, row
    # Not the floor of as many nodes of the largest size, below which some come. A node of few ranks
    # may use the lanes of the others', as where the system sends by the address of the peer.
    (floor,) = {
        row["floor_us"] for row in found if (row["collective"], row["count"]) == ("alltoall", 6000)
    }
    least = max(-(-own * (sum(sizes) - own) * 24_000 // min(lanes, max(sizes))) for own in sizes)
    assert floor == pytest.approx(least / 1000 + 1)


def test_a_list_of_equal_nodes_is_a_regular_shape():
    words = ("bcast", "--count", "1000", "--json")
    listed = laneway("simulate", "--ppn", "3,3", *words)
    assert listed.stdout == laneway("simulate", "--nodes", 2, "--ppn", 3, *words).stdout
    assert '"unequal"' not in listed.stdout


@pytest.mark.parametrize(
    ("order", "taken"), [(1, [5, 6, 7, 4, 0, 1, 2, 3]), (2, [5, 4, 6, 7, 0, 1, 2, 3])]
)
def test_a_chain_goes_socket_after_socket_where_it_is_told(order, taken):
    call = Call("bcast", f"chain(order={order})", 1, [4, 4], root=5)
    options = {**call.options, "socket-size": "2", "messages": "yes"}
    rows = [row for row in program.lines("explain", options) if row["kind"] == "message"]
    assert {(row["from"], row["to"]) for row in rows} == {*itertools.pairwise(taken)}


def test_two_runs_are_alike():
    words = ("allreduce", "bcast", "--count", "1000", "--nodes", "3")
    assert simulated(*words) == simulated(*words)


def test_more_lanes_and_tuning_make_a_pipeline_faster():
    def time(*words):
        ((row,), _) = simulated("bcast", "--count", "1000000", *words)
        return row["median_us"]

    one, two = (time("--algorithm", "lane_pipeline", "--lanes", each) for each in (1, 2))
    assert 1.8 < one / two < 2
    assert time("--algorithm", "lane_pipeline(segment=1K)") > two


@pytest.mark.timed
@pytest.mark.parametrize(
    ("collective", "algorithm", "count"),
    [
        ("bcast", "lane_pipeline", 2**18),
        ("bcast", "lane_pipeline(segment=10K)", 2**18),  # more than a hundred segments
        ("allreduce", "recursive_doubling", 1000),
        ("allreduce", "lane", 1000),
    ],
)
def test_a_hundred_thousand_processes(collective, algorithm, count):
    call = Call(collective, algorithm, count, [16] * 6912)
    options = {**call.options, **machine.load("example").options}
    with at_most(8 * 2**30, resource.RLIMIT_AS):
        found = [next(program.lines("time", options)) for _ in range(3)]
    assert min(each["recorded_s"] + each["simulated_s"] for each in found) < 60
    assert max(each["events"] / each["simulated_s"] for each in found) > 10**6
    if collective == "bcast":
        assert max(each["messages"] / each["simulated_s"] for each in found) > 10**6


# ---- machines ------------------------------------------------------------------------------------


def test_the_example_is_as_it_is_said():
    example = machine.load("example")
    options = {name: value for name, value in example.options.items() if name != "sharing"}
    assert {name: float(value) for name, value in options.items()} == pytest.approx(
        {
            "lanes": 2, "lane-bandwidth": 12.5e9, "lane-latency": 2e-6, "lane-message": 50e-9,
            "node-bandwidth": 100e9, "node-latency": 0.3e-6, "send": 1e-7, "receive": 1e-7,
            "reduce": 8e9, "copy": 12e9, "pack": 6e9, "eager": 16384,
        }
    )  # fmt: skip
    assert example.wire.rate == 100 * 10**9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[lanes]\nnumber = \n", "m.toml:2: Invalid value"),
        ("[lanes]\n\nnumber = 0\n", "m.toml:3: number: 0 is no number from 1 to 1024"),
        ("name='x'\n[lanes]\nspeed = 1\n", "m.toml:3: [lanes] has no key 'speed'; known: number"),
        (
            "[lanes]\n[networks]\n",
            "m.toml:2: nothing here is called 'networks'; known: name, [lanes]",
        ),
        ("[node]\nlatency='1 us'\n[lanes]\nlatency='1 m'", "m.toml:4: latency: '1 m' is not of"),
        ("[lanes]\nbandwidth='0 GB/s'", "m.toml:2: bandwidth: nothing would ever arrive"),
        ("[lanes]\nbandwidth=12", "m.toml:2: bandwidth: 12 is not of the form"),
        ("[lanes]\nsharing='both'", "m.toml:2: sharing: 'both' is neither"),
        ("[process]\neager='much'", "m.toml:2: eager: 'much' is no size"),
        ("\nname = 5", "m.toml:2: name: 5 is no text"),
        ("\nlanes = 3", "m.toml:2: 'lanes' has keys of its own: write [lanes]"),
        ("\n\n[[lanes]]", "m.toml:3: 'lanes' has keys of its own: write [lanes]"),
        ("[lanes]\n[lanes.rail]", "m.toml:2: [lanes] has no key 'rail'; known: number"),
        ("\nlanes = {number = 0}", "m.toml:2: number: 0 is no number from 1 to 1024"),
        (
            "[process]\nfast = 1",
            "m.toml:2: [process] has no key 'fast'; known: send, receive, reduce, copy",
        ),
        ("[a]\n[node]\nlatency='1'\n[lanes]\nnumber=0", "m.toml:1: nothing here is called 'a'"),
        ("", "m.toml: no time and no rate is told"),
        ("name = 'x'\n[lanes]\nnumber = 3\n[process]\neager = '1K'", "m.toml: no time and no"),
        ("[lanes]\nlatency='99999999999999 s'", "m.toml:2: latency: '99999999999999 s' is more"),
        ("[lanes]\nbandwidth='1 B/s'", "m.toml:2: bandwidth: '1 B/s' is not from 1 kB/s"),
        (
            "[lanes]\nbandwidth='1 MB/s'\nburst='4G'",
            "m.toml:3: [lanes]: 'burst' takes a lane more than an hour",
        ),
    ],
)
def test_mistakes_are_told_with_file_line_and_reason(text, said):
    with pytest.raises(Misuse) as error:
        machine.parse(text, "m.toml")
    assert str(error.value).startswith(said)


def test_a_machine_that_there_is_none_of():
    ran = laneway("simulate", "bcast", "--machine", "exmple")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "did you mean example?" in ran.stderr
    ran = laneway("simulate", "bcast", "--machine", "none.toml")
    assert ran.returncode == 2
    assert "none.toml: cannot be read" in ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bcst",), "did you mean bcast?"),
        (("bcast", "--algorithm", "lain"), "did you mean lane"),
        (("bcast", "--algorithm", "lane_pipeline(segment=1)"), "segment: "),
        (("bcast", "--datatype", "integer"), "no datatype 'integer'"),
        (("bcast", "--root", "16"), "--root: there are 16 ranks"),
        (("bcast", "--count", "1", "-m", "4"), "--count or -m, not both"),
        (("bcast", "--nodes", "2", "--ppn", "4,3,5"), "--ppn lists 3 nodes, --nodes says 2"),
        (("bcast", "--ppn", "4,3,5", "--root", "12"), "--root: there are 12 ranks"),
        (("bcast", "--ppn", "4,0"), "'0' is no number of processes: 4, or 4,3,5"),
        (("bcast", "--ppn", "4,"), "'' is no number of processes"),
    ],
)
def test_what_makes_no_sense_is_told(words, said):
    ran = laneway("simulate", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr


# ---- laneway explain schedule --------------------------------------------------------------------


def explained(*words):
    ran = laneway("explain", "schedule", *words)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


PIPELINE = ("bcast", "--algorithm", "lane_pipeline", "--nodes", 4, "--ppn", 4, "--bytes", "400K")


def test_a_schedule_is_explained():
    said = explained(*PIPELINE)
    assert "17 rounds, 780 messages" in said
    assert "At most 200 KiB on a lane, 400 KiB on all lanes of a node" in said
    assert "a lane must carry 200 KiB: this carries 1.00 times as much" in said
    assert "one message at a time, 4 rounds at least: those that have heard of the root" in said
    assert "several at once" not in said
    said = explained("allgather", "--algorithm", "linear", "--nodes", 1, "--ppn", 9, "--lanes", 1)
    assert said.startswith("allgather, linear: 4 B, 1 node x 9 ranks, 1 lane\n")
    assert "1 round, 72 messages" in said
    assert "4 rounds at least: those that a process has heard of" in said
    assert "Here, several at once are one round." in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("barrier", "--algorithm", "lane", "--bytes", 4), "a barrier moves no data"),
        (("barrier", "--algorithm", "lane", "--count", 4), "a barrier moves no data"),
        (("bcast", "--algorithm", "lane,chain"), "one algorithm is explained at a time"),
        (("bcast", "--algorithm", "chain:segment=4K"), "in parentheses: chain(segment=4K)"),
        (("bcast", "--algorithm", "lane", "--svg", "/nonexistent/a.svg"), "no folder /nonexistent"),
        (("bcast", "--algorithm", "lane", "--goal", "/nonexistent/a"), "no folder /nonexistent"),
    ],
)
def test_what_cannot_be_explained_is_told(words, said):
    ran = laneway("explain", "schedule", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert not Path("/nonexistent").exists()


def test_a_schedule_knows_sockets_where_it_is_told():
    words = ("bcast", "--algorithm", "chain(order=2)", "--ppn", "4,4", "--root", 5, "--json")
    (costs, *rows) = map(
        json.loads, explained(*words, "--rank", 4, "--socket-size", 2).splitlines()
    )
    assert costs["socket_size"] == 2
    assert [row["peer"] for row in rows if row.get("step") == "receive"] == [5]


def test_nodes_of_a_schedule_may_differ():
    words = ("scatter", "--algorithm", "lane", "--ppn", "4,3,5", "--count", 10)
    said = explained(*words)
    assert said.startswith("scatter, lane: 40 B, 3 nodes of 4,3,5 ranks, 2 lanes")
    # The root's node sends the blocks of the 8 ranks of the others.
    assert "320 B on all lanes of a node" in said
    (costs, *_) = map(json.loads, explained(*words, "--json").splitlines())
    assert (costs["nodes"], costs["ppn"], costs["unequal"]) == (3, 5, "4,3,5")
    assert len(costs["of_lanes"]) == 3 * 2


def refused(**options):
    """The complaint of laneway-simulate about options that it refuses."""
    told = {"collective": "bcast", "algorithm": "lane", "nodes": "4x4", **options}
    words = program.command("time", {name.replace("_", "-"): each for name, each in told.items()})
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    return ran.stderr


@pytest.mark.parametrize("nodes", ["4+x", "4,3", "0", "4x", "4x0"])
def test_laneway_simulate_says_how_nodes_are_told(nodes):
    said = refused(nodes=nodes)
    assert "--nodes: " in said
    assert "are told as 4+4+3, or 16x6912" in said


TREE = {"topology": "fat_tree", "lane_bandwidth": "1e9"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lanes": "4294967296"}, "--lanes: '4294967296' is not from 1 to 1024"),
        ({"root": "4294967296"}, "--root: '4294967296' is not from 0 to 2147483647"),
        ({**TREE, "leaf": "4294967296"}, "--leaf: '4294967296' is not from 1 to 16777216"),
        ({**TREE, "up": "1000000000"}, "--topology: 8000000000 links are more than"),
        ({**TREE, "lane_burst": "1"}, "--lane-burst: only where there is no --topology"),
        ({"lane_latency": "1e20"}, "--lane-latency: more than an hour"),
        ({"lane_delays": "0=1e20"}, "--lane-delays: more than an hour"),
        ({"copy": "1"}, "--copy: less than 1 kB/s"),
        ({"short": "laneway"}, "--short: without --library all components are Laneway's"),
        ({"short": "mine"}, "--short: 'mine' is neither 'laneway' nor 'library'"),
    ],
)
def test_laneway_simulate_refuses_what_it_cannot_count(options, said):
    assert said in refused(**options)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--help"], 0, "explain"),
        (["time", "--help"], 0, "--lane-bandwidth RATE"),
        (["explain", "--help"], 0, "--messages yes"),
        (["list", "--help"], 0, "the algorithms"),
        ([], 2, "subcommand is required"),
        (["tim"], 2, "no command 'tim'"),
        (["time", "--collectiv", "bcast"], 2, "--collectiv"),
        (["time", "--nodes"], 2, "--nodes"),
        (["time", "--rank", "3"], 2, "--rank"),
    ],
)
def test_laneway_simulate_says_what_it_can_be_asked(words, code, said):
    command = [str(program.find()), *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == code
    told, silent = (ran.stderr, ran.stdout) if code else (ran.stdout, ran.stderr)
    assert said in told
    assert not silent


def test_a_schedule_as_json():
    costs, *others = map(json.loads, explained(*PIPELINE, "--json", "--rank", 5).splitlines())
    assert (costs["collective"], costs["rounds"], costs["lane_bytes"]) == ("bcast", 17, 204800)
    assert (costs["least_lane_bytes"], costs["least_rounds"]) == (204800, 4)
    rounds = [row for row in others if row["kind"] == "round"]
    assert sum(row["messages"] for row in rounds) == costs["messages"]
    assert sum(row["lane_bytes"] for row in rounds) == sum(sent for sent, _ in costs["of_lanes"])
    steps = [row for row in others if row["kind"] == "step"]
    assert {row["step"] for row in steps} == {"send", "receive", "wait"}


def test_a_schedule_as_csv_and_markdown():
    rounds = [*csv.DictReader(io.StringIO(explained(*PIPELINE, "--csv")))]
    assert len(rounds) == 17
    assert sum(int(row["messages"]) for row in rounds) == 780
    steps = [*csv.DictReader(io.StringIO(explained(*PIPELINE, "--csv", "--rank", 5)))]
    assert {row["step"] for row in steps} == {"send", "receive", "wait"}
    assert explained(*PIPELINE, "--markdown").startswith("| round | messages | on lanes |")
    assert "\n| receive from 1, lane 1 | 8 KiB |" in explained(*PIPELINE, "--markdown", "--rank", 5)


def test_the_steps_of_a_rank():
    said = explained("allreduce", "--algorithm", "recursive_doubling", "--rank", 5)
    for words in ("receive from 4", "send to 7, lane", "wait: from 1, to 1", "reduce"):
        assert words.replace(", to", "; to").replace("7, lane", "7") in said
    said = explained(
        "allreduce", "--algorithm", "lane_segmented(segment=4K)", "--count", 9000, "--rank", 1
    )
    assert "segment 0 begins" in said
    assert "segment 7 has ended" in said


def test_blocks_of_many_segments_need_no_more_types():
    """They need not one for each segment, of which a program cannot have so many."""
    said = explained(
        *("gather", "--algorithm", "lane_segmented(segment=64)", "--nodes", 2, "--ppn", 2),
        *("--bytes", 2_500_000, "--json"),
    )
    assert json.loads(said.splitlines()[0])["scratch_bytes"] <= 5_000_000


def test_the_steps_of_a_rank_have_80_columns():
    """Each process is named once, however often it is waited for."""
    said = explained(*PIPELINE, "--rank", 5)
    table = said[: said.index("17 rounds")].splitlines()
    assert table[1].split() == ["step", "bytes", "round"]
    assert max(map(len, table)) <= 80
    assert "wait: from 4 (x11), 6 (x10), 7 (x10);" in said
    said = explained("alltoall", "--algorithm", "linear", "--rank", 5, "--ppn", 8)
    assert "wait: from 0-4, 6-31; to 0-4, 6-31" in said


def test_a_drawing_has_an_arrow_a_message(tmp_path):
    file = tmp_path / "bcast.svg"
    explained(*PIPELINE, "--svg", file)
    drawn = file.read_text()
    assert drawn.count("<line") == 780
    assert "0 to 4: 8192 bytes" in drawn
    assert "<title>bcast, lane_pipeline: 400 KiB</title>" in drawn
    ran = laneway("explain", "schedule", *PIPELINE[:3], "--nodes", 100, "--svg", file)
    assert ran.returncode == 2
    assert "400 ranks are too many for a drawing" in ran.stderr


def test_goal_is_that_of_loggopsim(tmp_path):
    file = tmp_path / "bcast.goal"
    explained("allreduce", "--algorithm", "recursive_doubling", "--nodes", 1, "--ppn", 2,
              "--count", 4000, "--goal", file)  # fmt: skip
    _, first, second = file.read_text().strip().split("\n\n")
    assert first.splitlines() == [
        "rank 0 {",
        "l0: send 16000b to 1 tag 0",
        "l1: recv 16000b from 1 tag 2",  # becomes its sum
        "l2: calc 0",
        "l2 requires l0",
        "l2 requires l1",
        "l3: calc 2000",
        "l3 requires l2",
        "}",
    ]
    assert second.splitlines() == [
        "rank 1 {",
        "l0: send 16000b to 0 tag 2",
        "l1: calc 1333",  # a copy of what it has becomes its sum
        "l2: recv 16000b from 0 tag 0",
        "l2 requires l1",
        "l3: calc 0",
        "l3 requires l1",
        "l3 requires l0",
        "l3 requires l2",
        "l4: calc 2000",
        "l4 requires l3",
        "}",
    ]


@pytest.mark.parametrize("name", machine.own_names())
def test_goal_has_the_times_of_every_machine(name, tmp_path):
    """The times are those of data in caches, where the machine has any."""
    file = tmp_path / "allreduce.goal"
    explained("allreduce", "--algorithm", "recursive_doubling", "--nodes", 1, "--ppn", 2,
              "--count", 4000, "--machine", name, "--goal", file)  # fmt: skip
    own = machine.load(name)
    (calc,) = {
        int(line.split()[2])
        for line in file.read_text().splitlines()
        if line.startswith("l4: calc")
    }
    reduce = own.rate("cached-reduce") or own.rate("reduce")
    assert calc == round(16_000 / reduce * 1e9)


def test_more_nodes_than_a_machine_has_are_told():
    words = ("bcast", "--machine", "jupiter", "--algorithm", "binomial", "--count", "1")
    assert "jupiter has 36 nodes: 37 are simulated" in simulated(*words, "--nodes", "37")[1]
    assert simulated(*words, "--nodes", "36")[1] == ""


def test_what_an_algorithm_cannot_serve_is_told():
    ran = laneway("explain", "schedule", "bcast", "--algorithm", "lane_regular", "--count", 1)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert (
        "lane_regular does not serve this call: it needs a count that is a multiple of"
        in ran.stderr
    )


@pytest.mark.parametrize(
    ("collective", "algorithm"), [("bcast", "lane_pipeline"), ("allgather", "lane_segmented")]
)
def test_shares_by_weight_take_as_long_over_the_floor_as_alike_ones(collective, algorithm):
    """Lanes of 2:1 carry three quarters of what two of the faster ones do."""
    words = [collective, "--algorithm", algorithm, "--count", 1_000_000, "--machine", "example"]
    (alike,), _ = simulated(*words, "--lanes", 2)
    (weighed,), _ = simulated(*words, "--lane-weights", "2:1")
    assert weighed["floor_us"] == pytest.approx(alike["floor_us"] * 4 / 3, rel=0.02)
    assert weighed["over_floor"] < 1.05 * alike["over_floor"]


LANES = """name = "lanes alone"
[lanes]
number = 2
bandwidth = "200 Mbit/s"
burst = "18 KiB"
sharing = "fair"
"""


@pytest.mark.parametrize(
    ("collective", "algorithm"),
    [
        *itertools.product(
            ("gather", "scatter", "gatherv", "scatterv"), ("lane", "lane_segmented")
        ),
        ("alltoall", "lane_reorder"),
        ("alltoall", "lane_segmented"),
    ],
)
@pytest.mark.parametrize("sick", ["1=10:1", "3=1:10", "1=10:0"])
def test_one_node_alone_with_a_slow_lane_costs_no_more_than_it_must(
    collective, algorithm, sick, tmp_path
):
    """With one weight a lane, gather and scatter took 1.82 times the floor."""
    file = tmp_path / "lanes.toml"
    file.write_text(LANES.replace("number = 2", f'number = 2\nweights = "10:10,{sick}"'))
    words = [collective, "--algorithm", algorithm, "--count", 62_500, "--machine", file]
    (found,), _ = simulated(*words, "--nodes", 4, "--ppn", 4, "--root", 8)
    assert 1 <= found["over_floor"] < 1.05
    said, _ = simulated(*words, "--lane-weights", f"10:10,{sick}", "--root", 8)
    assert said[0]["median_us"] == found["median_us"]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("2:x", "no number from 0 to"),
        ("0:0", "some lane must carry"),
        ("2:", "no number from"),
        ("2:1,1=2", "not as many weights as there are lanes"),
        ("2:1,node1=2:1", "no number of a node"),
        ("2:1,9=2:1", "no number of a node: '9' is not from 0 to 3"),
        ("2:1,2:1", "has no weights of another node"),
    ],
)
def test_weights_that_are_none_are_refused(weights, said):
    ran = laneway("simulate", "bcast", "--count", "1", "--lane-weights", weights)
    assert ran.returncode == 2
    assert said in " ".join(ran.stderr.split())
