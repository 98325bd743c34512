# SPDX-License-Identifier: BSD-3-Clause
"""`laneway study multilane --launcher`: what is measured, and which published time is beside it."""

from functools import partial

import pytest

import studies
from laneway.collectives import IN_BLOCKS
from laneway.launching.allocation import Wanted
from laneway_studies import folder, registry
from laneway_studies.papers.multilane import measured
from laneway_studies.papers.multilane.measured import PaperCounts, Tables, system_of
from laneway_studies.papers.multilane.tables import SYSTEMS, PublishedCase, published
from laneway_studies.study import StudyPart, TimesOrigin

HYDRA = SYSTEMS["hydra"]


def test_published_counts_are_measured_on_a_machine_of_that_size():
    counts = PaperCounts(36, 32, 10**9)
    for name in ("hydra", "hydra-mpich", "hydra-intelmpi"):
        for case in published(SYSTEMS[name]):
            if case.benchmark == "node_vs_lane":
                own = measured.BLOCKS_BETWEEN
            elif case.benchmark == "collective" and case.collective in IN_BLOCKS:
                own = counts.blocks(case.ppn)
            else:
                own = counts.whole
            assert case.count in own
    assert max(PaperCounts(36, 32, 4096).whole) == 1000
    assert max(PaperCounts(36, 32, 4608 * 87).blocks(32)) == 87


def test_published_cases_stand_beside_themselves_on_a_machine_of_that_size():
    times = Tables(HYDRA, 36, 32).times
    for case, time in published(HYDRA).items():
        ppn = 32 if case.benchmark == "node_vs_lane" else case.ppn
        here = times[case.benchmark, case.collective, ppn, case.count]
        if case.section == "main" or (case.section, case.ppn) != ("A", 32):
            assert here[case.virtual_lanes or case.variant] == time


def test_published_counts_become_multiples_of_other_machines():
    times = Tables(HYDRA, 8, 4).times
    fastest = published(HYDRA)

    def case(section, collective, ppn, count):
        return fastest[PublishedCase("collective", section, collective, 36, ppn, count, "lane", 0)]

    assert times["collective", "bcast", 4, 3200]["lane"] == case("main", "bcast", 32, 115200)
    assert times["collective", "bcast", 4, 1000]["lane"] == case("A", "bcast", 32, 1000)
    assert times["collective", "bcast", 2, 3200]["lane"] == case("A", "bcast", 2, 115200)
    assert times["collective", "alltoall", 4, 100]["lane"] == case("main", "alltoall", 32, 100)
    assert times["collective", "alltoall", 2, 200]["lane"] == case("A", "alltoall", 2, 1600)
    assert times["collective", "alltoall", 4, 313]["lane"] == case("A", "alltoall", 32, 9)


@pytest.mark.parametrize(
    ("library", "system"),
    [
        ("Open MPI 5.0.3", "hydra"),
        ("MPICH 4.0.2", "hydra-mpich"),
        ("Intel MPI 2021.18", "hydra-intelmpi"),
        ("MVAPICH 3.0", "jupiter"),
        ("Sham 1.0", "hydra"),
    ],
)
def test_the_published_system_is_that_of_the_library(library, system):
    assert system_of(library) is SYSTEMS[system]


def test_fewer_processes_a_node_are_measured_as_well():
    study = registry.load("multilane")
    found = measured.places(Wanted(nodes=4, ppn=16), study.asked({}))
    assert [(place.nodes, place.ppn) for place in found] == [(4, 16), (4, 8), (4, 2), (4, 1)]
    found = measured.places(Wanted(ppn=2), study.asked({"ppn-each": "1"}))
    assert [place.ppn for place in found] == [2, 1]


PLACE = {"nodes": 8, "lanes": 2, "library": "Open MPI 4.1.4", "binding": "lane", "run": 1}


def probe(name, collective, ppn, count, time, *, k=None, communicator="world"):
    return {
        "kind": "probe", **PLACE, "ppn": ppn, "probe": name, "collective": collective,
        "algorithm": "native", "count": count, "datatype": "int", "bytes": 4 * count,
        "communicator": communicator, "virtual_lanes": k, "processes": 8,
        "inner_repetitions": 1, "repetition": 0, "time_us": time,
        "network_bytes": [4 * count] * (k or 1)
        if name == "multi-collective" else [4 * count],
    }  # fmt: skip


def sample(collective, algorithm, ppn, count, time, **more):
    case = {"count": count, "datatype": "int", "bytes": 4 * count, "time_us": time}
    return studies.sample(collective, algorithm, **{**PLACE, "ppn": ppn, **case, **more})


def as_published(factor=1.0):
    """Rows of 8 x 4 as if times were those published; native and hierarchical by a factor."""
    for (benchmark, collective, ppn, count), times in Tables(HYDRA, 8, 4).times.items():
        for which, time in times.items():
            if benchmark == "lane_pattern" and which <= ppn:
                yield probe("lane-pattern", collective, ppn, count, time, k=which)
            elif benchmark == "multi_collective" and which <= ppn:
                yield probe("multi-collective", collective, ppn, count, time, k=which)
            elif benchmark == "node_vs_lane":
                yield probe("node-vs-lane", collective, ppn, count, time, communicator=which)
            elif benchmark == "collective":
                of = PublishedCase("collective", "", collective, 8, ppn, count, which, 0)
                own = factor if which in ("native", "hier") else 1
                yield sample(collective, of.algorithm, ppn, count, own * time)


told = partial(studies.told, "multilane")


def test_times_as_published_have_the_published_directions():
    found = told([*as_published()])
    first = found["Do the published directions hold here?"]
    assert "Published are Hydra with Open MPI 4.0.1" in first.said[0]
    assert "same side in" in first.said[1]
    assert "(100%)" in first.said[1]
    assert all(line["on the published side"] == line["judged"] for line in first.table)
    judged = {line["of"] for line in first.table}
    assert {"The lane pattern", "Alltoall on several lanes at once", "bcast: ratios"} <= judged
    for section in found.values():
        assert all(one.quotient == pytest.approx(1) for one in section.comparisons)
    assert "Without a section" not in found


def test_other_directions_are_told():
    first = told([*as_published(factor=0.2)])["Do the published directions hold here?"]
    sides = {line["of"]: line["on the published side"] / line["judged"] for line in first.table}
    assert sides["bcast: ratios"] < 0.5
    assert sides["The lane pattern"] == 1


def test_native_counts_under_its_better_binding():
    rows = [
        sample("bcast", "lane(whole=0)", 4, 33, 10.0),
        sample("bcast", "native", 4, 33, 30.0),
        {**sample("bcast", "native", 4, 33, 20.0), "binding": "all"},
        {**sample("bcast", "native", 4, 33, 90.0), "binding": "one", "lanes": 1},
    ]
    found = told(rows)
    (line,) = found["bcast: ratios"].table
    assert (line["ratio"], line["ours"]) == ("native/lane", 2.0)
    lines = {line["lanes"]: line for line in found["bcast: times"].table}
    assert lines[2]["native's binding"] == "all"
    assert lines[2]["native, us"] == 20.0
    assert lines[1]["native, us"] == 90.0
    assert "Without a section" not in found


def test_other_patterns_stand_beside_the_ring():
    """Twice as many bytes in half as long again: a third more, by k = 2 and by k = 1."""
    rows = [
        {**probe(name, "sendrecv", 4, 320, time / k, k=k), "network_bytes": [bytes_ // k] * k}
        for name, time, bytes_ in (("lane-pattern", 10.0, 1280), ("lane-both", 15.0, 2560))
        for k in (1, 2)
    ]
    lines = told(rows)["The lane pattern between other nodes"].table
    assert [line["k"] for line in lines] == [1, 2]
    for line in lines:
        assert line["with both neighbours at once / ring"] == pytest.approx(4 / 3)
    assert "Without a section" not in told(rows)
    assert "The lane pattern between other nodes" not in told(rows[:2])


def test_probes_that_no_table_has_are_counted():
    rows = [
        probe("lane-pattern", "sendrecv", 4, 32, 5.0, k=1),
        probe("multi-collective", "bcast", 4, 32, 5.0, k=1),
    ]
    (line,) = told(rows)["Without a section"].table
    assert (line["operation"], line["cases"]) == ("multi-collective", 1)
    study = registry.load("allreduce")
    (found,) = folder.told(study, [StudyPart(TimesOrigin(None), rows, study.asked({}))])
    assert sum(line["cases"] for line in found.sections[-1].table) == 2
