# SPDX-License-Identifier: BSD-3-Clause
"""`laneway algorithms`, and which algorithms `best` are."""

import json

import pytest

from commands import laneway
from jobs import ROOT
from laneway.launching.place import Place, Setting
from laneway.libraries import native
from laneway.plans import points
from laneway.simulation import ruled_out
from laneway.simulation.program import Call


def test_the_list_is_by_collective():
    titles = [line.strip() for line in laneway("algorithms").stdout.splitlines()]
    assert titles.index("allreduce") < titles.index("bcast") < titles.index("scatter")
    only = laneway("algorithms", "MPI_Bcast").stdout
    assert "lane_pipeline" in only
    assert "recursive_multiplying" not in only
    assert laneway("algorithms", "--collective", "bcast").stdout == only


def test_costs_are_counted_for_a_shape():
    shape = ("--nodes", "4", "--ppn", "2", "--bytes", "64K")
    rows = {
        row["algorithm"]: row
        for row in map(
            json.loads, laneway("algorithms", "bcast", *shape, "--json").stdout.splitlines()
        )
    }
    assert rows["chain"]["process_bytes"] == 64 << 10
    assert rows["chain"]["counted_rounds"] == 8 - 2 + 8
    assert rows["chain"]["served_by"] is None
    assert "process_bytes" not in rows["native"]
    table = laneway("algorithms", "bcast", *shape).stdout
    line, *_ = [line for line in table.splitlines() if line.startswith("chain ")]
    assert "14" in line.split()
    assert "64 KiB" in line


def test_one_algorithm_is_described_whole():
    told = laneway("algorithms", "bcast", "--algorithm", "chain").stdout
    assert told.startswith("bcast: chain\n")
    for label in ("rounds", "bytes", "memory", "requires", "tunable", "source"):
        assert f"\n  {label} " in told
    wrong = laneway("algorithms", "bcast", "--algorithm", "chian")
    assert wrong.returncode == 2
    assert "no bcast algorithm 'chian', did you mean chain? Known: binary" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_the_documentation_of_algorithms_is_what_is_registered(tmp_path):
    told = laneway("algorithms", "--markdown", "--drawings", "patterns", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    documented = ROOT / "docs/algorithms.md"
    assert told.stdout == documented.read_text(), f"{documented}: `make docs` writes it anew"
    for drawn in (tmp_path / "patterns").iterdir():
        assert drawn.read_bytes() == (ROOT / "docs/patterns" / drawn.name).read_bytes()


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_the_library_s_own_come_as_markdown():
    said = laneway("algorithms", "bcast", "--native", "--mpi", "openmpi", "--markdown")
    assert said.returncode == 0, said.stderr
    assert "| collective | algorithm | tunables |" in said.stdout


def test_a_size_that_is_none_is_refused():
    wrong = laneway("algorithms", "bcast", "--bytes", "many")
    assert wrong.returncode == 2
    assert "--bytes" in wrong.stderr


@pytest.mark.parametrize(
    ("times", "kept"),
    [
        ({"a": (1.0, 1.0), "b": (1.9, 5.0)}, ["a", "b"]),  # near enough on one machine
        ({"a": (1.0, 1.0), "b": (2.1, 2.1)}, ["a"]),  # on none
        ({"a": (1.0, 9.0), "b": (9.0, 1.0)}, ["a", "b"]),  # each the best on one
        ({"a": (), "b": (3.0, 3.0)}, ["b"]),  # not served
        ({"a": (0.0, 0.0), "b": (0.0, 0.0)}, ["a", "b"]),  # nothing to do
        ({}, []),
    ],
)
def test_what_takes_twice_as_long_everywhere_is_ruled_out(monkeypatch, times, kept):
    monkeypatch.setattr(ruled_out, "_times", lambda _call, name, _lanes: times[name])
    call = Call("bcast", "best", 1, (1, 1))
    assert ruled_out.kept(call, tuple(times), 1) == kept


def test_what_has_no_components_is_simulated_with_one_kind(monkeypatch):
    asked = []
    lines = ruled_out.program.lines
    monkeypatch.setattr(
        ruled_out.program,
        "lines",
        lambda what, options: asked.append(options) or lines(what, options),
    )
    told = []
    call = Call("bcast", "best", 3, (2, 2), "byte", placement="cyclic")
    every = ("chain", "lane")
    assert ruled_out.kept(call, every, 1, lambda *said: told.append(said)) == [*every]
    assert [options["algorithm"] for options in asked] == ["chain"] * 2 + ["lane"] * 4
    assert {options["placement"] for options in asked} == {"cyclic"}
    assert told == [("chain", 0.0), ("lane", 0.5)]


def test_best_is_asked_as_ranks_are_placed(monkeypatch):
    asked = []
    monkeypatch.setattr(points, "kept", lambda call, *_: asked.append(call) or ["chain"])
    monkeypatch.setattr(points.registry, "algorithms", lambda *_: ["chain"])
    best = points.Points(("bcast",), ("best",), (8,))
    for placement in ("node", "socket", "cyclic"):
        setting = Setting(Place(2, 2, placement=placement))
        (block,) = best.blocks(None, setting)
        assert block.options["algorithm"] == "chain"
        points.foresee([points.PlacedPoints(best, None, setting)] * 2, ruled_out.nobody)
    assert [call.placement for call in asked] == [*["node"] * 4, *["cyclic"] * 2]


def test_best_are_other_algorithms_at_other_sizes():
    every = ("chain", "lane", "hierarchical", "k_ported", "lane_pipeline")
    small = ruled_out.kept(Call("bcast", "best", 8, (4, 4, 4, 4), "byte"), every, 2)
    large = ruled_out.kept(Call("bcast", "best", 4 << 20, (4, 4, 4, 4), "byte"), every, 2)
    assert "k_ported" in small
    assert "k_ported" not in large
    assert "lane_pipeline" in large
