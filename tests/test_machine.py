# SPDX-License-Identifier: BSD-3-Clause
"""`laneway machine`: what descriptions say of themselves, and how they are made of measurements."""

import json
from pathlib import Path

import pytest

from commands import laneway
from laneway.calibration import point_to_point
from laneway.calibration.lane_pattern import Known
from laneway.errors import Problem, WrongFileError
from laneway.simulation import derived, described, machine, torus
from laneway_studies import figures

REFERENCE = Path(figures.__file__).parent / "multilane_collectives.csv"


def wrong(*words, code=2):
    """The complaint where the command line, or a file, is wrong."""
    ran = laneway("machine", *words)
    assert ran.returncode == code
    return ran.stderr


def rows(*words):
    return [json.loads(line) for line in laneway("machine", *words, "--json").stdout.splitlines()]


# ---- what comes with Laneway ---------------------------------------------------------------------


@pytest.mark.parametrize("name", machine.own_names())
def test_every_number_says_where_it_comes_from(name):
    text = machine.text_of(name)
    assert [entry.name for entry in described.without_source(text)] == []
    assert all(entry.source for entry in described.entries(text) if entry.is_number)


@pytest.mark.parametrize("name", machine.own_names())
def test_nothing_of_them_is_hard_to_believe(name):
    assert described.doubts(machine.load(name)) == []


def test_they_are_listed():
    found = {row["name"]: row for row in rows("list")}
    assert {"example", "juqueen", "fugaku", "emulated"} <= found.keys()
    assert found["fugaku"]["lanes"] == 6
    assert found["fugaku"]["topology"] == "torus 24x23x24x2x3x2"
    assert found["juqueen"]["nodes"] == 28672
    assert found["emulated"]["lane_bandwidth"] == pytest.approx(23.07e6)


def test_a_torus_has_as_many_nodes_as_are_said():
    for name in machine.own_names():
        own = machine.load(name)
        assert torus.nodes_of(own) in (None, own.nodes)


def test_show_prints_the_file_and_what_follows():
    said = laneway("machine", "show", "juqueen").stdout
    assert machine.text_of("juqueen") in said
    assert "n 1/2" in said
    values = {row["key"]: row for row in rows("show", "juqueen")}
    assert values["links"]["value"] == 9  # ten, two of them between the same nodes
    assert values["eager"]["source"].startswith("IBM Redbook")


def test_a_value_of_several_lines_is_one_with_its_source():
    values = {row["key"]: row for row in rows("show", "hydra")}
    assert values["delays"]["value"].startswith('[["2", "0.00283 us"], ["20", "0.223 us"],')
    assert values["delays"]["value"].endswith('"28.7 us"]]')
    assert values["delays"]["source"].startswith("What is left of the times by the length")
    assert values["sharing"]["value"] == "fair"


def test_a_comment_behind_an_array_is_its_source():
    text = '[network]\nshape = [4,\n  2] # a guess\n[lanes]\ndelays = [["1", "2 us"]] # read [1]\n'
    told = [(each.line, each.value, each.source) for each in described.entries(text)]
    assert told == [(2, "[4, 2]", "a guess"), (5, '[["1", "2 us"]]', "read [1]")]


def test_markdown_has_the_numbers_with_their_sources():
    said = laneway("machine", "show", "hydra", "--markdown").stdout
    assert "| [lanes] number | 2 | Table 1 |" in said
    assert "| n 1/2 within a node |" in said


def test_derived_figures():
    found = derived.derived(machine.load("example"))
    assert found.node_rate == pytest.approx(25e9)
    assert found.memory_over_lane == pytest.approx(8)
    assert found.start_us == pytest.approx(2.25)
    assert found.half_bandwidth == pytest.approx(2.25e-6 * 12.5e9)
    assert found.message_rate == pytest.approx(1e7)


def test_the_gain_by_lanes_is_that_of_section_5():
    """In an allreduce, 2 (n - 1) m go within a node, 2 (N - 1)/N m over its lanes."""
    found = derived.gain(machine.load("example"), "allreduce", 4, 8)
    ratio = 2 * 7 / (2 * 3 / 4)
    assert found.volume_ratio == pytest.approx(ratio)
    assert found.needed == pytest.approx(2 * ratio)
    assert found.needed_in_turn == pytest.approx(2 * ratio * 9)
    assert found.most == pytest.approx(8 / ratio)
    assert found.most_in_turn == pytest.approx(1 / (1 / 2 + ratio / 8))


# ---- fit -----------------------------------------------------------------------------------------

BANDWIDTH = '[lanes]\nbandwidth = "1 GB/s"{}\n'


@pytest.mark.parametrize(
    "text",
    [
        BANDWIDTH.format("  # slope, residual 15.5%"),
        BANDWIDTH.format("  # slope") + "[fit.lanes]\nbandwidth = 0.155\n",
    ],
)
def test_how_far_times_are_from_the_fit(text):
    machine.parse(text, "mine.toml")
    entries = {entry.name: entry for entry in described.entries(text)}
    assert described.residual(entries, "lanes", "bandwidth") == pytest.approx(0.155)
    assert described.residual(entries, "lanes", "latency") is None


@pytest.mark.parametrize(
    ("fit", "line", "reason"),
    [
        (
            "[fit]\nresidual = 0.03",
            4,
            "[fit] has no key 'residual'; known: nodes, processes, lanes",
        ),
        ("[fit]\nnodes = 0", 4, "nodes: 0 is no number from 1 to"),
        ("[fit]\nlanes = 0.03", 4, "lanes: 0.03 is no table: write [fit.lanes]"),
        ("[fit.lanes]\nspeed = 0.03", 4, "[lanes] has no number 'speed' to be fitted"),
        ('[fit.lanes]\nbandwidth = "3%"', 4, "bandwidth: '3%' is no residual, such as 0.03 for 3%"),
        ("[fit.node]\nbandwidth = -1", 4, "bandwidth: -1 is no residual"),
        ("[fit.network]\nup = 1", 3, "[fit] has no key 'network'"),
    ],
)
def test_a_fit_that_is_damaged_is_named(fit, line, reason):
    with pytest.raises(WrongFileError) as raised:
        machine.parse(f"{BANDWIDTH.format('')}{fit}\n", "mine.toml")
    assert (raised.value.line, reason in str(raised.value)) == (line, True), raised.value


# ---- check ---------------------------------------------------------------------------------------

DOUBTFUL = """name = "doubtful"
[lanes]
bandwidth = "100 GB/s"  # measured
latency = "2 us"        # measured
[node]
bandwidth = "12 GB/s"
latency = "3 us"
[process]
send = "2 s"            # guessed
"""


def test_what_is_hard_to_believe_is_told_with_its_line(tmp_path):
    file = tmp_path / "doubtful.toml"
    file.write_text(DOUBTFUL)
    ran = laneway("machine", "check", str(file))
    assert ran.returncode == 0
    for line, said in (
        (3, "faster than the node's memory"),
        (6, "no source is told of [node] bandwidth, [node] latency"),
        (7, "longer within a node than between nodes"),
        (9, "is the unit right?"),
    ):
        assert any(
            told.startswith(f"{file}:{line}: warning:") and said in told
            for told in ran.stderr.splitlines()
        ), said


def test_a_wrong_file_does_not_keep_others_from_being_checked(tmp_path):
    bad, broken = tmp_path / "wrong.toml", tmp_path / "broken.toml"
    bad.write_text('[lanes]\nnumber = 2\nbandwidth = "12 apples"\n')
    broken.write_text("[lanes\n")
    said = wrong("check", str(bad), "example", str(broken), code=1)
    assert f"{bad}:3: error: bandwidth:" in said
    assert f"{broken}:1: error:" in said


def test_a_machine_that_there_is_none_of_is_an_error():
    assert "no machine 'nowhere'" in wrong("check", "nowhere")


# ---- fit -----------------------------------------------------------------------------------------

START, BYTE, LANES = 2.0, 0.0001, 2
SIZES = [4, 64, 1024, *(2**power for power in range(12, 24))]


def probes():
    for k in (1, 2, 4):
        for size in SIZES:
            one = START + BYTE * size / min(k, LANES)
            yield {
                "kind": "probe", "probe": "lane-pattern", "virtual_lanes": k, "bytes": size,
                "inner_repetitions": 10, "time_us": 10 * one,
            }  # fmt: skip


def test_lanes_are_found_again():
    found = point_to_point.of_rows(probes())
    assert found.lanes == LANES
    assert found.figures["lanes", "bandwidth"].value == pytest.approx(BYTE, rel=3e-3)
    assert found.figures["lanes", "latency"].value == pytest.approx(START, rel=1e-3)
    assert max(found.delays.values()) == pytest.approx(0, abs=0.01 * START)


def test_what_is_known_is_of_use_for_the_lane_pattern_alone(tmp_path):
    found = point_to_point.of_rows(probes(), Known(work_us=0.5, message_us=0.1))
    assert found.figures["lanes", "latency"].value == pytest.approx(START - 0.6, rel=1e-3)
    pings = [{"kind": "sample", "collective": "pingpong", "bytes": 8, "time_us": 1.0}]
    with pytest.raises(Problem, match="not of the lane pattern"):
        point_to_point.of_rows(pings, Known())


def test_a_handshake_is_found_in_ping_pong():
    found = point_to_point.of_rows(
        {
            "kind": "sample", "collective": "pingpong", "bytes": size,
            "time_us": START + BYTE * size + (10 if size > 65536 else 0),
        }
        for size in SIZES
    )  # fmt: skip
    assert found.lanes == 1
    assert found.figures["lanes", "eager"].value == 65536
    assert found.figures["lanes", "handshake"].value == pytest.approx(10, rel=0.01)


def test_of_other_rows_no_machine_is_made():
    with pytest.raises(Problem, match="no messages between nodes"):
        point_to_point.of_rows([])


def test_a_published_table_shows_hydra_s_lanes(tmp_path):
    file = tmp_path / "lanes.toml"
    told = ("fit", str(REFERENCE), "--output", str(file))
    assert "which?" in wrong(*told)
    assert "several" in wrong(*told, "--system", "hydra")
    laneway("machine", *told, "--system", "Hydra, Open MPI 4.0.1")
    found = machine.load(str(file))
    assert found.lanes == 2
    assert found.rate("lane-bandwidth") == pytest.approx(11.5e9, rel=0.2)


def test_a_machine_file_that_somebody_has_changed_is_left_alone(tmp_path):
    file = tmp_path / "lanes.toml"
    fit = ("fit", REFERENCE, "--system", "Hydra, Open MPI 4.0.1", "--output", file)
    for _ in range(2):
        laneway("machine", *fit)
    changed = file.read_text().replace("number = 2", "number = 4")
    file.write_text(changed)
    assert f"{file} was changed by somebody" in wrong(*fit)
    said = laneway("calibrate", "--cluster", "none", "--nodes", 2, "--ppn", 1, "--output", file)
    assert said.returncode == 2
    assert f"{file} was changed by somebody" in said.stderr
    assert file.read_text() == changed
    assert described.without_source(file.read_text())[0].key == "number"


def test_a_table_with_a_wrong_line_is_told(tmp_path):
    table = tmp_path / "table.csv"
    lines = REFERENCE.read_text().splitlines()[:4]
    table.write_text("\n".join([*lines, lines[-1].replace("1152,1152,", "1152,many,")]) + "\n")
    assert f"{table}:5:" in wrong("fit", str(table), "--output", str(tmp_path / "x.toml"))
    table.write_text("a,b\n1,2\n")
    said = wrong("fit", str(table), "--output", str(tmp_path / "x.toml"))
    assert f"{table}:1: no column 'system'" in said
