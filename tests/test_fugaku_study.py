# SPDX-License-Identifier: BSD-3-Clause
"""`laneway study fugaku`: every published number has its place, whatever was simulated."""

import itertools
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

import studies
from laneway.simulation import machine
from laneway_studies import figures, registry
from laneway_studies.papers import fugaku
from laneway_studies.papers.fugaku import imb, imb_told, portfolio, shapes
from laneway_studies.study import parts


def sample(collective, bytes_, time=5.0, algorithm="native", **facts):
    shape = {"ppn": 4, "count": bytes_, "bytes": bytes_, "time_us": time}
    return studies.sample(collective, algorithm, **{**shape, **facts})


told = partial(studies.told, "fugaku")


def test_every_published_number_stands_beside_ours_where_there_is_one():
    rows = [
        sample(one.collective, one.bytes, one.time_us, nodes=one.nodes, ppn=one.ppn,
               simulated=True, machine="fugaku")
        for one in figures.times_on("fugaku")
    ]  # fmt: skip
    assert len(rows) == 757
    found = told(rows, "fugaku")
    first = found["IMB: published times with one of ours"]
    assert first.said == ["757 published times of 757 have one of ours."]
    assert sum(line["within a factor of 2"] for line in first.table) == 757
    names = {*imb.MESSAGES.values(), *portfolio.COLLECTIVES.values()}
    compared = [one for name in names for one in found[name].comparisons]
    assert len(compared) == 757
    assert all(one.quotient == pytest.approx(1) for one in compared)
    assert "Without a section" not in found


def test_published_numbers_without_ours_have_a_reason():
    rows = [sample("allreduce", 4, nodes=384, simulated=True, machine="fugaku")]
    found = told(rows, "fugaku")
    remarks = {one.case["bytes"]: one.remark for one in found["Allreduce"].comparisons}
    assert remarks[0] == "no data"
    assert remarks[4] == "published ones may use the barrier interface"
    assert remarks[4194304] == "its messages cross more links than --most-hops"
    (said,) = found["IMB: published times with one of ours"].said
    assert said.startswith("1 published time of 22 have one of ours. The others have none: ")


def test_sizes_that_were_not_asked_for_are_told_so():
    """They cross no more links than others, and a measurement has no such bound."""
    rows = [sample("allreduce", 1024, nodes=384, simulated=True, machine="fugaku")]
    for origin in ("fugaku", None):
        found = told(rows, origin, sizes="1K,1M")
        remarks = {one.case["bytes"]: one.remark for one in found["Allreduce"].comparisons}
        assert remarks[0] == "no data"
        assert remarks[4] == remarks[4194304] == "not among --sizes"
    assert remarks[1048576] == "not measured"
    found = told([sample("barrier", 0, nodes=384)], None, sizes="1K")
    assert [one.ours for one in found["Barrier"].comparisons] == [5.0]


def test_each_operation_is_measured_at_its_own_sizes(monkeypatch):
    """Reductions add up ints; blocks are of bytes, as only so there are some of one byte."""
    campaigns = {}

    def planned(_, arms, names, __, sizes, *, datatype, **___):
        campaigns.update(dict.fromkeys(names, (datatype, [*sizes], arms[0].algorithms)))

    monkeypatch.setattr(fugaku.comparison, "ComparisonPlan", planned)
    monkeypatch.setattr(fugaku, "StartPlan", lambda *_: None)
    settings = [SimpleNamespace(place=SimpleNamespace(ppn=ppn)) for ppn in (4, 1)]
    effort = {"runs": 1, "silence": None}
    fugaku.plans(None, settings, effort, registry.load("fugaku").asked({}))
    assert {*campaigns} == {*imb.MESSAGES, *portfolio.COLLECTIVES}
    for name, (datatype, sizes, algorithms) in campaigns.items():
        assert sizes == imb.sizes(name) or name == "barrier"
        assert datatype == ("int" if name in ("allreduce", "reduce") else "byte")
        if name in portfolio.COLLECTIVES:
            ways = (way for way in portfolio.PORTFOLIO[name] if not way.stands_in)
            assert {"native", *(way.algorithm for way in ways)} <= {*algorithms}


def test_operations_of_any_shape_are_shown():
    rows = [sample(name, 64) for name in (*imb.MESSAGES, *portfolio.COLLECTIVES)]
    rows.append(sample("allreduce", 64, 3.0, "lane"))
    found = told(rows)
    assert "Without a section" not in found
    for name in (*imb.MESSAGES.values(), *portfolio.COLLECTIVES.values()):
        assert [line["ours"] for line in found[name].lines if line.get("ours")]
    (line,) = found["Allreduce"].table
    assert (line["nodes"], line["ppn"], line["by"], line["native us"]) == (2, 4, "lane", 5.0)
    said = [sentence for section in found.values() for sentence in section.said]
    assert not any("fitted" in sentence for sentence in said)


def test_a_pair_of_processes_stands_beside_the_published_pair():
    (one,) = [one for one in told([sample("pingpong", 8)])["PingPong"].comparisons if one.ours]
    assert (one.case["nodes"], one.case["ppn"], one.published) == (2, 1, pytest.approx(1.05))


def test_throughput_counts_messages_as_imb_does():
    rows = [sample(name, 1024, 2.0, nodes=384, ppn=1) for name in ("exchange", "sendrecv")]
    lines = told(rows)["Throughput of messages"].comparisons
    ours = {one.case["operation"]: one.ours for one in lines if one.ours}
    assert ours == {"Exchange": 2048, "Sendrecv": 1024}


def test_a_measured_alltoall_is_imbs_and_one_of_a_shape():
    found = told([sample("alltoall", 64), sample("alltoall", 64, 3.0, "bruck")])
    (line,) = found[
        "Throughput: a block over the time of the fastest alltoall, times processes"
    ].table
    assert (line["shape"], line["nodes"], line["processes"]) == ("2 nodes x 4 ranks", 2, 8)
    (line,) = found["Alltoall"].table
    assert line["by"] == "bruck"


def test_shapes_of_as_many_nodes_are_compared_by_the_links_across():
    rows = [
        sample("alltoall", 8, time, "bruck", nodes=768, ppn=1, torus=form, simulated=True,
               machine="fugaku")
        for form, time in (("8x12x8", 10.0), ("4x6x32", 15.0), ("2x3x2", 1.0))
    ]  # fmt: skip
    lines = told(rows, "fugaku")["Cubic and long shapes of as many nodes"].table
    ratios = {line["shape"]: line["ratio"] for line in lines}
    across = {line["shape"]: line["links across the middle"] for line in lines}
    assert across["8x12x8"] > across["4x6x32"]
    assert ratios == {"8x12x8": 1.0, "4x6x32": 1.5, "2x3x2": pytest.approx(0.1)}


def test_starts_are_the_least_and_the_most_of_several_jobs():
    rows = [sample("start", 0, time) for time in (2e6, 3e6)]
    lines = told(rows)["Start of a job"].table
    (line,) = [line for line in lines if line["nodes"] == 432]
    assert (line["jobs"], line["last process, least s"], line["last process, most s"]) == (
        4, 2.777, 2.898,
    )  # fmt: skip
    assert {line["shape"] for line in lines if line["nodes"] == 768} == {
        "noncont", "32x6x4", "8x12x8", "4x6x32",
    }  # fmt: skip
    assert lines[-1]["ours, least s"] == 2.0


@pytest.mark.parametrize("shape", [(2, 3), (4, 5), (1, 6, 2)])
def test_the_mean_of_links_is_that_of_all_pairs(shape):
    nodes = [*itertools.product(*map(range, shape))]

    def hops(one, other):
        apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
        return sum(min(own, size - own) for own, size in zip(apart, shape, strict=True))

    distances = [hops(one, other) for one in nodes for other in nodes]
    assert shapes.mean_hops(shape) == pytest.approx(sum(distances) / len(distances))


def test_calls_that_cross_too_many_links_are_left_out():
    study, own = registry.load("fugaku"), machine.load("fugaku")
    words = {"imb-form": "2x3x2", "forms": "2x3x4", "sizes": "64"}

    def simulated_by(most):
        asked = study.asked({**words, "most-hops": most})
        return {point.told.rpartition(", ")[0] for point in study.points(own, asked)}

    assert "alltoall 64, spread" in simulated_by("1M")
    assert "alltoall 64, spread" not in simulated_by("1K")
    assert "gather 64, binomial" in simulated_by("1K")


def test_published_times_with_a_simulated_one_are_as_many_as_is_said():
    study, own = registry.load("fugaku"), machine.load("fugaku")
    there = set()
    for point in imb.points(own, study.asked({})):
        words, nodes = point.told.split(", ")[0].split(), point.told.split(", ")[-1].split()[0]
        axes = point.facts.get("axes") or {}
        operation = axes.get("collective", words[0])
        unit = 4 if portfolio.datatype(operation) == "int" else 1
        there.add((operation, int(nodes), axes.get("bytes", unit * int(words[1]))))
    theirs = [(one.collective, one.nodes, one.bytes) for one in figures.times_on("fugaku")]
    found = sum(one in there for one in theirs)
    for page in ("papers.md", "studies.md"):
        text = (Path(__file__).parents[1] / "docs" / page).read_text()
        assert re.findall(r"(\d+) of (?:the )?757", text) == [str(found)]


def test_neighbours_on_a_ring_hear_from_the_next_node():
    """A message and a hop; an exchange has two, by two lanes, and each takes a process's work."""
    own = machine.load("fugaku")
    asked = registry.load("fugaku").asked({"sizes": "64", "imb-form": "2x3x2"})
    points = {point.told: point for point in imb.points(own, asked)}
    rows = {
        name: studies.simulated_rows([points[f"{name} 64, {nodes} nodes x 1 rank"]], own)
        for name, nodes in (("pingping", 2), ("sendrecv", 384), ("exchange", 384))
    }  # fmt: skip
    times = {name: row["time_us"] for name, (row,) in rows.items()}
    assert times["pingping"] == pytest.approx(times["sendrecv"], rel=0.01)
    assert times["exchange"] == pytest.approx(times["sendrecv"] + 0.3, rel=0.05)
    (part,) = parts([row for own in rows.values() for row in own], asked)
    assert {section.title for section in imb_told.sections(part)} >= {
        "PingPing",
        "Sendrecv",
        "Exchange",
    }
