# SPDX-License-Identifier: BSD-3-Clause
"""`laneway scale`: which algorithm is the fastest on how many nodes, and from where on."""

import itertools
import json
from dataclasses import replace

import pytest

from commands import laneway
from laneway.errors import Misuse
from laneway.showing import scaling as shown
from laneway.simulation import machine, program, scaling, torus
from laneway.simulation.scaling import Question

EXAMPLE = machine.load("example")


def asked(**more):
    return Question(
        **{
            "machine": EXAMPLE,
            "collective": "bcast",
            "size": 65536,
            "nodes": scaling.grid(2, 16),
            "ppn": 2,
            "algorithms": scaling.known("bcast", ["chain", "binomial", "linear"]),
            "seconds": 600.0,
            **more,
        }
    )


def still():
    return 0.0


def answered(clock=still, **more):
    return scaling.answer(asked(**more), lambda _told, _part: None, clock)


def time_us(algorithm, nodes):
    call = program.Call("bcast", algorithm, 65536 // 4, [2] * nodes)
    (result,) = program.lines("time", {**call.options, **EXAMPLE.options})
    return result["time_us"]


def test_a_grid_is_powers_of_two_and_its_ends():
    assert scaling.grid(2, 16) == [2, 4, 8, 16]
    assert scaling.grid(3, 20) == [3, 4, 8, 16, 20]
    assert scaling.grid(1, 1) == [1]


def test_times_are_those_of_the_simulation():
    found = answered()
    for nodes in (2, 16):
        for one in found.at(nodes):
            assert one.time_us == pytest.approx(time_us(one.algorithm, nodes))
    assert found.at(16)[0].algorithm == "binomial"


def test_from_a_crossover_on_the_other_one_is_faster():
    found = answered(nodes=[2, 32], algorithms=scaling.known("bcast", ["chain", "binomial"]))
    (crossover,) = found.crossovers
    old, new = crossover.before, crossover.after
    assert crossover.nodes - crossover.not_yet == 1
    assert time_us(new, crossover.nodes) < time_us(old, crossover.nodes)
    assert time_us(new, crossover.not_yet) >= time_us(old, crossover.not_yet)


def test_what_falls_behind_is_dropped_and_told():
    found = answered(nodes=scaling.grid(2, 64))
    (left,) = (one for one in found.left_out if one.algorithm == "linear")
    assert "times as long as the fastest" in left.reason
    assert all(one.nodes <= left.nodes for one in found.times if one.algorithm == "linear")


def test_what_there_is_no_time_for_is_left_out_and_told():
    ticks = itertools.count()
    found = answered(clock=lambda: float(next(ticks)), seconds=40.0)
    assert found.left_out
    assert any("would take" in one.reason or "--time" in one.reason for one in found.left_out)
    lost = {one.algorithm for one in found.left_out}
    assert not any(crossover.before in lost for crossover in found.crossovers)


def test_a_crossover_says_where_time_was_over():
    """Bisection looks no closer; nothing is left out for that."""
    pair = scaling.known("bcast", ["chain", "binomial"])
    looks = itertools.count()
    assert not answered(lambda: float(next(looks)), nodes=[2, 32], algorithms=pair, seconds=1e9
                        ).crossovers[0].coarse  # fmt: skip
    all_looks, early = next(looks), itertools.count()
    found = answered(lambda: float(next(early) >= all_looks - 4), nodes=[2, 32], algorithms=pair,
                     seconds=0.5)  # fmt: skip
    (crossover,) = found.crossovers
    assert crossover.nodes - crossover.not_yet > 1
    assert "no closer, as --time was over" in shown.told(crossover)
    assert not found.left_out
    assert [row["coarse"] for row in found.rows() if row["kind"] == "crossover"]


def test_rows_say_that_they_are_simulated():
    for row in answered(nodes=[2, 4]).rows():
        assert row["simulated"] is True
        assert row["machine"] == "example"


def test_flat_algorithms_are_tried_once():
    known = scaling.known("bcast", ["all"])
    assert known["binomial"] == ("rounds",)
    assert known["lane"] == ("rounds", "bytes")
    with pytest.raises(Misuse, match="no bcast algorithm 'no'"):
        scaling.known("bcast", ["no"])


# ---- tori ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "sides"),
    [(1, [1, 1, 1, 1, 1]), (2, [1, 1, 1, 1, 2]), (16, [1, 2, 2, 2, 2]), (512, [4, 4, 4, 4, 2])],
)
def test_a_job_gets_an_even_block_of_a_torus(nodes, sides):
    assert torus.block([28, 8, 8, 8, 2], nodes) == sides


def test_a_whole_torus_is_a_block_of_itself():
    assert torus.block([24, 23, 24, 2, 3, 2], 158976) == [24, 23, 24, 2, 3, 2]


def test_figures_of_a_torus():
    assert torus.links([4, 4, 2]) == 5
    assert torus.bisection([4, 4, 2]) == 16
    assert torus.diameter([4, 4, 2]) == 5


def test_no_more_nodes_than_there_are():
    small = replace(EXAMPLE, values={**EXAMPLE.values, "topology": "torus", "shape": "3x4"})
    assert scaling.shortened(asked(machine=small)).nodes == [2, 4, 8, 12]
    with pytest.raises(Misuse, match="has 12 nodes"):
        scaling.shortened(asked(machine=small, nodes=[16]))


# ---- the command ---------------------------------------------------------------------------------


def test_the_command_prints_rows_and_draws(tmp_path):
    drawing = tmp_path / "scale.svg"
    ran = laneway(
        "scale", "--collective", "bcast", "--bytes", "4K", "--nodes", "2..8", "--ppn", "2",
        "--algorithm", "lane,binomial", "--plot", str(drawing), "--json",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert {row["nodes"] for row in rows if row["kind"] == "scale"} == {2, 4, 8}
    assert sum(row["fastest"] for row in rows if row["kind"] == "scale") == 3
    assert "binomial" in drawing.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nodes", "8..2"], "no node counts"),
        (["--nodes", "many"], "no node counts"),
        (["--bytes", "3"], "no multiple"),
        (["--plot", "x.gif"], "none of svg, png"),
        (["--algorithm", "nothing"], "no bcast algorithm 'nothing'"),
        (["--machine", "nowhere"], "no machine 'nowhere'"),
        (["--collective", "scan"], "name one collective"),
    ],
)
def test_what_makes_no_sense_is_told(words, said):
    ran = laneway("scale", "bcast", *words)
    assert ran.returncode == 2
    assert said in ran.stderr
