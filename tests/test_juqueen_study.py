# SPDX-License-Identifier: BSD-3-Clause
"""`laneway study juqueen`: which shape, which elements, and which published time beside it."""

from functools import partial
from types import SimpleNamespace

import pytest

import studies
from laneway.simulation import machine
from laneway.simulation.program import Call
from laneway_studies import registry, simulated
from laneway_studies.figures import JUQUEEN_ELEMENT_BYTES
from laneway_studies.papers.juqueen import cases, described, measured
from laneway_studies.papers.juqueen.cases import NodeShape, OperationCase, theirs


def sample(operation, shape, count, time, *, nodes=2):
    return studies.sample(
        *operation, count=count, datatype="double", bytes=JUQUEEN_ELEMENT_BYTES * count,
        nodes=nodes, ppn=shape.ppn, threads=shape.threads, lanes=None, time_us=time,
    )  # fmt: skip


told = partial(studies.told, "juqueen")


ONE, ALL, THREADS = NodeShape(1, 1), NodeShape(4, 1), NodeShape(1, 4)

NAMES = {
    cases.OF_TREE: ("reduce", "binomial"),
    cases.OF_MPI: ("reduce", "native"),
    cases.HYPERCUBE: ("hypercube", "native"),
}


def test_times_as_published_stand_beside_themselves():
    rows = []
    for case, time in theirs().items():
        exchange = case.operation == cases.HYPERCUBE
        count = case.elements * (16 // case.shape.ppn if exchange else 1)
        rows.append(sample(NAMES[case.operation], case.shape, count, time, nodes=512))
    found = told(rows)
    assert "Without a section" not in found
    compared = [one for section in found.values() for one in section.comparisons]
    assert all(one.quotient == pytest.approx(1) for one in compared)
    times = [one for name in ("Binomial reduction", "Hypercube exchange: times",
                              "MPI's own reduction: times")
             for one in found[name].comparisons]  # fmt: skip
    assert len(times) == len(theirs())
    for title in (
        "Reduction: shapes against each other",
        "Reduction of as many elements a core",
        "MPI's own reduction",
        "Hypercube exchange: shapes against each other",
    ):
        assert found[title].ratios
        assert found[title].comparisons
    starts = {line["whose"]: line["us a round"] for line in found["Starting threads"].table}
    assert starts["ours"] == starts["published"] == pytest.approx(25.6, rel=0.01)


def test_times_of_other_nodes_are_beside_no_published_time():
    found = told([sample(("reduce", "binomial"), ONE, 64, 5.0)])
    assert not found["Binomial reduction"].comparisons
    (line,) = found["Binomial reduction"].table
    assert (line["nodes"], line["shape"], line["ours"]) == (2, "1 process a node", 5.0)


def test_ratios_of_other_nodes_are_beside_published_ones():
    rows = [sample(("reduce", "binomial"), shape, 65536, time)
            for shape, time in ((ONE, 10.0), (ALL, 20.0), (THREADS, 5.0))]  # fmt: skip
    found = told(rows)["Reduction: shapes against each other"]
    ratios = {one.case["ratio"]: (one.published, one.ours) for one in found.comparisons}
    assert ratios == {
        "all processes / one process": (pytest.approx(12.79 / 9.51), 2.0),
        "one process with threads / one process": (pytest.approx(3.6 / 9.51), 0.5),
    }


def test_exchanges_have_as_many_elements_a_core_in_all_shapes():
    rows = [sample(("hypercube", "native"), shape, count, 8.0)
            for shape, count in ((ONE, 256), (ALL, 64), (THREADS, 64))]  # fmt: skip
    lines = told(rows)["Hypercube exchange: times"].table
    assert {line["elements a core"] for line in lines} == {64}
    assert len({line["shape"] for line in lines}) == 3


def test_reductions_are_compared_by_elements_a_core():
    reduced = "binomial_reduce", "native"
    rows = [
        sample(reduced, shape, count, time)
        for shape, count, time in ((ONE, 256, 9.0), (ALL, 64, 3.0), (THREADS, 256, 6.0))
    ]
    found = told(rows)["Reduction of as many elements a core"]
    ratios = {one.case["ratio"]: one.ours for one in found.comparisons}
    ratios |= {line["ratio"]: line["ours"] for line in found.table}
    assert ratios == {
        "one process / all processes": 3.0,
        "one process with threads / all processes": 2.0,
    }


def test_the_binomial_broadcast_is_told_apart_from_the_librarys():
    found = told([sample(("bcast", "binomial"), ONE, 64, 4.0)])
    assert [line["ours"] for line in found["Binomial broadcast"].table] == [4.0]
    assert "The library's broadcast" not in found
    found = told([sample(("bcast", "native"), ONE, 64, 8.0)])
    assert [line["ours"] for line in found["The library's broadcast"].table] == [8.0]
    assert "Binomial broadcast" not in found


def test_simulated_broadcasts_are_shown():
    study, own = registry.load("juqueen"), machine.load("juqueen")
    asked = study.asked({"nodes-simulated": "4", "threads-simulated": "4"})
    points = [point for point in study.points(own, asked) if "bcast" in point.told]
    rows = studies.simulated_rows(points, own)
    found = told(rows, "juqueen")
    assert len(found["Binomial broadcast"].table) == len(points) == 24
    assert "Without a section" not in found


def test_threads_exchange_for_themselves_all_at_once():
    """As much leaves a node as by one process, in shorter messages; nothing stays in the node."""
    study, own = registry.load("juqueen"), machine.load("juqueen")
    asked = study.asked({"nodes-simulated": "8", "threads-simulated": "4", "elements": "64,65536"})
    points = [point for point in study.points(own, asked) if "reduce 64" not in point.told]
    rows = studies.simulated_rows(points, own)
    lines = told(rows, "juqueen")["Hypercube exchange: times"].lines
    times = {line["shape"]: line["ours"] for line in lines if line["elements a core"] == 65536}
    assert 0.5 < times["1 process with 4 threads"] / times["1 process a node"] < 1
    assert times["1 process with 4 threads"] < times["4 processes a node"]


def test_starting_threads_takes_a_while_in_each_round():
    study, own = registry.load("juqueen"), machine.load("juqueen")

    def times(start):
        words = {"nodes-simulated": "8", "threads-simulated": "2", "elements": "64"}
        asked = study.asked({**words, "thread-start": start})
        rows = studies.simulated_rows(study.points(own, asked), own)
        return {(row["collective"], row["ppn"], row.get("threads")): row["time_us"] for row in rows}

    without, later = times("0"), times("10us")
    longer = {key for key in without if later[key] != without[key]}
    assert longer == {("reduce", 1, 2)}
    assert later["reduce", 1, 2] - without["reduce", 1, 2] == pytest.approx(3 * 10)


def test_every_number_of_lanes_is_measured(monkeypatch):
    monkeypatch.setattr(measured, "ComparisonPlan", lambda _, arms, *__, **___: arms)
    settings = [
        SimpleNamespace(place=SimpleNamespace(ppn=ppn, threads=threads), lanes=lanes)
        for ppn, threads in ((2, 1), (1, 1), (1, 2)) for lanes in (1, 2)
    ]  # fmt: skip
    found = measured.plans(None, settings, {}, registry.load("juqueen").asked({}))
    exchanges = [arm.setting for name, arms in found.items() for arm in arms if "exchange" in name]
    assert {*map(id, exchanges)} == {*map(id, settings)}


def test_each_campaign_names_algorithms_that_its_collective_has(monkeypatch):
    """A collective of the benchmark's own has none but native."""
    asked = []
    monkeypatch.setattr(
        measured, "ComparisonPlan", lambda _, arms, names, *__, **___: asked.append((arms, names))
    )
    places = [
        SimpleNamespace(ppn=ppn, threads=threads) for ppn, threads in ((2, 1), (1, 1), (1, 2))
    ]
    settings = [SimpleNamespace(place=place) for place in places]
    measured.plans(None, settings, {}, registry.load("juqueen").asked({}))
    algorithms = {name: {*arm.algorithms} for arms, (name,) in asked for arm in arms}
    assert algorithms == {
        "binomial_reduce": {"native"},
        "reduce": {"native"},
        "bcast": {"native", "binomial"},
        "hypercube": {"native"},
    }


def test_all_published_elements_are_simulated():
    """Exchanges by one process have as many elements a core as those by all."""
    study, own = registry.load("juqueen"), machine.load("juqueen")
    points = {point.told for point in study.points(own, study.asked({}))}
    for case in theirs():
        if case.operation == cases.HYPERCUBE:
            count = case.elements * (16 // case.shape.ppn)
            told_as = f"allreduce {count}, recursive_doubling, 512 nodes"
        elif case.operation == cases.OF_TREE:
            told_as = f"reduce {case.elements}, binomial, 512 nodes"
        else:
            continue
        assert any(point.startswith(told_as) for point in points)


def test_cases_of_published_times_are_told_apart():
    case = OperationCase("reduce", 512, NodeShape(1, 16), 4)
    assert theirs()[case] == pytest.approx(280)
    assert theirs()[OperationCase(cases.OF_MPI, 512, NodeShape(16, 1), 4)] == pytest.approx(20)
    assert len(theirs()) == 12 * 5 + 13 * 2


@pytest.mark.parametrize("name", ["juqueen", "hydra", "example"])
def test_threads_share_reductions_and_an_exchange_has_none(name):
    own = machine.load(name)
    shared, free = described.threaded(own, 16), described.exchanging(own)
    for rate in ("reduce", "cached-reduce"):
        assert free.rate(rate) is None
        if own.rate(rate) is None:
            assert shared.rate(rate) is None
        else:
            assert own.rate(rate) < shared.rate(rate) <= 16 * own.rate(rate)
    call = Call("allreduce", "recursive_doubling", 100, (2, 2), "double")
    for changed in (shared, free):
        (row,) = simulated.of_call(call, changed).rows(lambda _: None)
        assert row["time_us"] > 0
