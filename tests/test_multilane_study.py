# SPDX-License-Identifier: BSD-3-Clause
"""`laneway study multilane`: which of our times stands beside which published one."""

import pytest

import studies
from laneway.errors import Misuse
from laneway.libraries import native
from laneway.simulation import machine
from laneway_studies.agreement import agreement
from laneway_studies.papers.multilane import described as multilane
from laneway_studies.papers.multilane import ported, reasons, reduced
from laneway_studies.papers.multilane.tables import SYSTEMS, TABLES, PublishedCase, published
from laneway_studies.study import StudyPart, TimesOrigin


def case(collective, variant, count=1152, ppn=32, virtual_lanes=0):
    kind = "lane_pattern" if virtual_lanes else "collective"
    return PublishedCase(kind, "main", collective, 36, ppn, count, variant, virtual_lanes)


@pytest.mark.parametrize(
    ("of", "algorithm"),
    [
        (case("bcast", "native"), "native"),
        (case("bcast", "lane"), "lane_regular"),
        (case("bcast", "lane", 1000), "lane(whole=0)"),
        (case("bcast", "lane_irregular"), "lane(whole=0)"),
        (case("bcast", "hier"), "hierarchical(whole=0)"),
        (case("allgather", "lane", 1), "lane"),
        (case("allgather", "lane_no_datatypes", 1), "lane_reorder"),
        (case("scatter", "lane", 1), "lane_regular"),
        (case("scan", "hier"), "hierarchical"),
        (case("sendrecv", "", virtual_lanes=4), "native"),
    ],
)
def test_mock_ups_are_those_of_the_paper(of, algorithm):
    assert of.algorithm == algorithm


def test_every_published_table_has_points():
    found = sum(len(published(system)) for system in SYSTEMS.values())
    with TABLES.open(encoding="utf-8") as file:
        assert found == len(file.readlines()) - 2  # the heading, and what is printed twice
    points = [*multilane.points(machine.load("hydra"), {})]
    assert len(points) == len(published(SYSTEMS["hydra"]))
    with pytest.raises(Misuse, match="no tables were published for the machine example"):
        next(multilane.points(machine.load("example"), {}))


def rows(name, factor=1.0, inferred=()):
    """Rows as if all were simulated: the lanes' as published, others longer by a factor."""
    for each, time in published(SYSTEMS[name]).items():
        own = factor if each.variant in ("native", "hier") else 1
        yield {
            "kind": "sample", **vars(each), "algorithm": each.algorithm, "datatype": "int",
            "bytes": 4 * each.count, "lanes": 2, "library": "simulated", "binding": "lane",
            "run": 1,
            "served_by": "chain", "time_us": own * time, "inferred": each.collective in inferred,
        }  # fmt: skip


def sections(name, **options):
    return [*multilane.sections(StudyPart(TimesOrigin(name), [*rows(name, **options)], {}))]


@pytest.mark.parametrize("name", SYSTEMS)
def test_times_as_published_agree_in_all(name):
    first, *others = sections(name)
    assert "(100%)" in first.said[0]
    assert "reached" in first.said[-1]
    assert "not reached" not in first.said[-1]
    stands_in = any("is a stand-in" in sentence for sentence in first.said)
    assert stands_in == (SYSTEMS[name].native == "intelmpi-2018")
    assert not first.table
    titles = {section.title for section in others}
    assert {"The lane pattern", "bcast: ratios", "bcast: times"} <= titles
    assert "off by 0.0% at most" in others[0].said[0]
    compared = [one for section in others for one in section.comparisons]
    assert all(one.quotient == pytest.approx(1) for one in compared)


def test_what_misses_is_listed_with_a_reason():
    first = sections("hydra", factor=0.5)[0]
    assert "not reached" in first.said[-1]
    missed = {(line["collective"], line["ratio"]): line["reason"] for line in first.table}
    assert missed["reduce", "native/lane"].startswith("Open MPI's segmented reductions")


def test_what_has_no_simulated_time_is_missed():
    kept = [row for row in rows("vsc3") if row["collective"] != "scan"]
    first = next(multilane.sections(StudyPart(TimesOrigin("vsc3"), kept, {})))
    assert "there is none of ours: these are missed" in first.said[0]
    assert {(line["collective"], line["reason"]) for line in first.table} == {
        ("scan", reasons.NOT_FOUND)
    }
    probes = [row for row in kept if row["benchmark"] == "lane_pattern"]
    first = next(multilane.sections(StudyPart(TimesOrigin("vsc3"), probes, {})))
    assert "nothing to judge" in first.said[0]
    assert first.said[-1].startswith("Asked for are 80% and 50%: nothing to judge.")


def test_other_readings_of_the_tables_are_told_beside_the_one_as_printed():
    own = rows("jupiter")
    names = {"lane": "hier", "hier": "lane"}
    has_both = {row["collective"] for row in rows("jupiter") if row["variant"] == "hier"}
    exchanged = [{**row, "variant": names.get(row["variant"], row["variant"])}
                 if row["collective"] in has_both else row for row in own]  # fmt: skip
    first = next(multilane.sections(StudyPart(TimesOrigin("jupiter"), exchanged, {})))
    assert "(100%)" not in first.said[0]
    assert first.said[1].startswith("With lane and hierarchical exchanged: 83 published ratios")
    assert "(100%)" in first.said[1]
    said = sections("hydra")[0].said
    assert said[1].startswith("Without hierarchical reduce, whose times seem to lack the lanes: ")
    assert "273 published ratios" in said[1]


def test_what_was_inferred_does_not_count():
    found = [one for section in sections("hydra", inferred=["bcast"])
             if section.ratios for one in section.comparisons]  # fmt: skip
    assert {one.counts for one in found if one.case["collective"] == "bcast"} == {False}
    judged = {one.case["collective"] for one in agreement(found).judged}
    assert "bcast" not in judged
    assert "reduce" in judged


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_a_point_is_a_row_of_its_case():
    points = {point.told: point for point in multilane.points(machine.load("hydra"), {})}
    (row,) = points["collective bcast native 1152, 36 x 2"].rows(lambda _: None)
    assert (row["served_by"], row["native"]) == ("split_binary(segment=1024)", "openmpi-4.0")
    (row,) = points["lane_pattern sendrecv 2 1152, 36 x 2"].rows(lambda _: None)
    assert row["time_us"] == pytest.approx(103.7, rel=0.05)


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("name", "told", "served"),
    [
        ("hydra", "collective allreduce lane 1, 36 x 32", "lane"),  # fewer elements than lanes
        ("hydra", "collective scan lane 10, 36 x 32", "lane"),
        ("jupiter", "collective bcast lane 560, 35 x 16", "lane"),  # units of 64 B: 35, not 16 k
        ("hydra", "collective bcast lane 1152, 36 x 32", "lane_regular"),
    ],
)
def test_mock_ups_serve_all_lengths(name, told, served):
    points = {point.told: point for point in multilane.points(machine.load(name), {})}
    (row,) = points[told].rows(lambda _: None)
    assert row["served_by"] == served


def test_reasons_name_machine_and_library():
    def reasons(name):
        return {
            (line["collective"], line["ratio"]): line["reason"]
            for line in sections(name, factor=0.5)[0].table
        }

    assert "0.1 ms" in reasons("jupiter")["gather", "hierarchical/lane"]
    assert "Intel MPI" in reasons("vsc3")["gather", "native/lane"]
    assert "than lanes allow" in reasons("hydra")["reduce", "hierarchical/lane"]


@pytest.mark.full
@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize(
    ("name", "same_side", "near"),
    [("hydra", 0.87, 0.6), ("vsc3", 0.73, 0.35), ("jupiter", 0.54, 0.28)],
)
def test_as_many_simulated_ratios_agree_as_ever(name, same_side, near):
    """They are as many as are reached, less than the study asks for; longer messages take long."""
    described = machine.load(name)
    points = (p for p in multilane.points(described, {}) if p.facts["case"]["count"] < 10**6)
    found = studies.simulated_rows(points, described)
    said = [*multilane.sections(StudyPart(TimesOrigin(name), found, {}))]
    ratios = [one for section in said if section.ratios for one in section.comparisons]
    assert agreement(one for one in ratios if one.case["count"] < 10**6).reaches(same_side, near)


def test_the_block_from_which_on_mock_ups_are_faster_is_told():
    def row(collective, algorithm, count, time):
        return studies.sample(collective, algorithm, count=count, time_us=time, model="k-lane")

    rows = [row("gather", "k_ported", count, 10.0) for count in (1, 10, 100)]
    rows += [row("gather", "lane", count, time) for count, time in ((1, 20), (10, 12), (100, 5))]
    rows += [row("scatter", name, 1, time) for name, time in (("k_ported", 3.0), ("lane", 2.0))]
    (section,) = ported.sections(StudyPart(TimesOrigin("hydra"), rows, {}))
    assert section.said[1:] == [
        "In gather it is faster up to 10 ints a block, and no longer at 100.",
        "In scatter it is faster for no block.",
    ]
    assert [line["lane / k-ported"] for line in section.table[:3]] == [2.0, 1.2, 0.5]


def test_hierarchical_reductions_are_laid_beside_their_parts():
    """Times as published by a node alone: all are near, and those of three messages too short."""
    system = SYSTEMS["vsc3"]
    theirs = {case: time for case, time in published(system).items()
              if (case.collective, case.variant) == ("reduce", "hier")}  # fmt: skip
    alone = [
        studies.sample(
            "reduce", nodes=1, ppn=case.ppn, count=case.count, time_us=time, alone="node"
        )
        for case, time in theirs.items()
    ]
    (section,) = reduced.sections(StudyPart(TimesOrigin("vsc3"), [*rows("vsc3"), *alone], {}))
    assert section.said[1] == (
        "3 of 6 published times are below the least. Ours are within 35% of 6 by the whole, 6 by a "
        "node alone, and 0 by one process a node alone."
    )
    assert len(section.table) == len(theirs)
