# SPDX-License-Identifier: BSD-3-Clause
"""Layouts of vector collectives' blocks in plans, tables and figures."""

import json

import pytest

import campaigns
import jobs
from commands import laneway
from laneway.campaign.task import Block
from laneway.collectives import NONBLOCKING, VECTORS
from laneway.errors import Misuse
from laneway.launching.place import Place, Setting
from laneway.libraries import native
from laneway.plans.plan_file import PointsTable, parse
from laneway.plans.points import Points
from laneway.results.measurements import Measured
from laneway.rows import describe, notes
from laneway.showing import figures
from laneway.showing.averages import averages_table
from laneway.showing.table import render

needs_a_build = pytest.mark.skipif(not native.installed(), reason="no native build is installed")


def blocks(**axes):
    return Points(algorithms=("native",), **axes).blocks(native.find(), Setting(Place(2, 2)))


@needs_a_build
def test_layouts_multiply_vector_collectives_alone():
    found = blocks(
        collectives=("bcast", "allgatherv", "alltoallw"),
        counts=(4, 8),
        layouts=("equal", "sparse", "file:x"),
    )
    ids = {block.id for block in found}
    assert len(ids) == len(found)
    assert {block.options.get("layout") for block in found} == {None, "equal", "sparse", "file:x"}
    of = {name: [each for each in found if each.options["collective"] == name]
          for name in ("bcast", "allgatherv", "alltoallw")}  # fmt: skip
    assert len(of["bcast"]) == 2
    assert len(of["allgatherv"]) == len(of["alltoallw"]) == 2 * 2 + 1, "a file has its counts"
    assert all("count" not in each.options for each in found if "file:x" in each.id)


@needs_a_build
def test_without_a_word_of_layouts_blocks_are_called_as_ever():
    (one,) = blocks(collectives=("allgatherv",), counts=(4,))
    assert one.id == "allgatherv/4/int/sum/root=0"


def test_a_plan_names_layouts():
    plan = parse("points = [{collectives='allgatherv', counts=1, layouts=['ramp', 'file:a']}]", "p")
    assert plan.points[0].points().layouts == ("ramp", "file:a")
    alone = {"collectives": ("allgatherv",), "layouts": ("file:a",)}
    assert PointsTable(**alone).points().counts == ()
    with pytest.raises(Misuse, match="a file of counts has none for bcast"):
        parse("points = [{collectives=['bcast', 'gatherv'], layouts='file:a'}]", "p")
    with pytest.raises(Misuse, match="give either counts"):
        parse("points = [{collectives='gatherv', layouts=['ramp', 'file:a']}]", "p")


def test_a_plan_means_the_counts_that_its_files_hold(tmp_path):
    path = tmp_path / "counts"
    block = Block("one", {"collective": "gatherv", "layout": f"file:{path}"})
    assert block.meaning() == block.line(), "the benchmark says that there is none"
    path.write_text("1\n2\n")
    before = block.meaning()
    assert before.startswith(f"{block.line()} # ")
    path.write_text("2\n1\n")
    assert block.meaning() != before
    other = Block("one", {"collective": "gatherv", "layout": "ramp"})
    assert other.meaning() == other.line()


def test_nonblocking_forms_are_those_of_all():
    assert {f"i{name}" for name in VECTORS} < NONBLOCKING.keys()


def taken(*layouts, collective="allgatherv"):
    """Rows of native in layouts, each with its digest where it is a file's."""
    return [
        campaigns.sample(collective, "native", 100, run, 10.0, layout=layout,
                         **({"layout_digest": digest} if digest else {}))
        for run in (1, 2)
        for layout, digest in layouts
    ]  # fmt: skip


def drawn(rows):
    found = render(Measured(rows).summaries, "")
    headings = [str(column.header) for column in found.columns]
    if "layout" not in headings:
        return None
    return [*found.columns[headings.index("layout")].cells]


def operations(rows):
    return {line["operation"] for line in figures.points(Measured(rows))}


def test_tables_and_figures_name_layouts_that_are_not_equal():
    equal, sparse = ("equal", None), ("sparse", None)
    assert drawn(taken(equal)) is None
    assert operations(taken(equal)) == {"allgatherv"}
    assert drawn(taken(sparse)) == ["sparse"]
    assert operations(taken(sparse)) == {"allgatherv (sparse)"}
    both = taken(equal, sparse)
    assert drawn(both) == ["equal", "sparse"]
    assert operations(both) == {"allgatherv (equal)", "allgatherv (sparse)"}
    with_bcast = [*taken(sparse), campaigns.sample("bcast", "native", 100, 1, 9.0)]
    assert drawn(with_bcast) == ["sparse", ""]
    assert operations(with_bcast) == {"allgatherv (sparse)", "bcast"}


def test_files_of_one_name_and_other_counts_are_apart():
    rows = taken(("file:c", "0123456789"), ("file:c", "abcdefghij"))
    assert operations(rows) == {"allgatherv (file:c 01234567)", "allgatherv (file:c abcdefgh)"}
    assert len(Measured(rows).summaries) == 2


def test_notes_name_layouts():
    note = {"kind": "note", "run": 1, "collective": "gatherv", "algorithm": "x", "count": 4,
            "message": "dropped: slow"}  # fmt: skip
    assert describe({**note, "layout": "ramp"}) == "gatherv 4 of layout ramp, x: dropped: slow"
    assert describe({**note, "layout": "equal"}) == describe(note) == "gatherv 4, x: dropped: slow"
    assert len(notes([note, {**note, "layout": "ramp"}])) == 2


def test_averages_name_layouts():
    row = {"kind": "averages", "collective": "gatherv", "algorithm": "native", "ranks": 4,
           "bytes": 16, "count": 4, "repetitions": 3, "min_us": 1, "avg_us": 2, "max_us": 3,
           "median_us": 2, "low_us": None, "high_us": None, "late": None}  # fmt: skip
    plain, laid_out = (averages_table([{**row, "layout": name}]) for name in ("equal", "ramp"))
    assert "layout" not in [column.header for column in plain.columns]
    assert [*laid_out.columns[1].cells] == ["ramp"]


# ---- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_compare_measures_layouts_side_by_side(build, tmp_path):
    counts = tmp_path / "counts.txt"
    counts.write_text("100\n0\n0\n300\n")
    words = ("--mpi", build.id, "--nodes", "2", "--ppn", "2", "--count", "50", "--runs", "2")
    said = laneway(
        *("compare", "allgatherv", "scatterv", "bcast", *words, "--time", "20ms"),
        *("--layout", f"equal,sparse,file:{counts}", "--algorithm", "native", "--json"),
        *("--out", tmp_path / "rows"),
    )
    assert said.returncode == 0, said.stderr
    found = [json.loads(line) for line in said.stdout.splitlines()]
    assert {(row["collective"], row.get("layout"), row["count"]) for row in found} == {
        *((name, layout, 50) for name in ("allgatherv", "scatterv")
          for layout in ("equal", "sparse")),
        *((name, "file:counts.txt", 100) for name in ("allgatherv", "scatterv")),
        ("bcast", None, 50),
    }  # fmt: skip
    assert {row["runs"] for row in found} == {2}


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_alltoallw_is_compared_by_algorithms_of_alltoallv(build, tmp_path):
    words = ("--mpi", build.id, "--nodes", "2", "--ppn", "2", "--count", "50", "--runs", "1")
    asked = ("compare", "alltoallw", *words, "--time", "20ms", "--layout", "sparse")
    said = laneway(*asked, "--out", tmp_path / "rows")
    assert said.returncode == 0, said.stderr
    assert "node_aware" in said.stdout  # one of alltoallv's
    assert "sparse" in said.stdout


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
@pytest.mark.parametrize(
    ("layout", "complaint"),
    [
        ("nosuch", "'nosuch' is none of equal, ramp, single, random, sparse, stencil, file:PATH"),
        ("equal,file:none.txt", "cannot read none.txt"),
        ("file:bad.txt", "bad.txt, line 2: 'x' is no count"),
        ("file:a b", "a blank in 'file:a b'"),
        ("file:three.txt", "three.txt, line 3: 3 lines of counts"),
    ],
)
def test_a_layout_that_makes_no_sense_is_told(build, layout, complaint, tmp_path):
    (tmp_path / "bad.txt").write_text("1\nx\n")
    (tmp_path / "three.txt").write_text("1\n2\n3\n")
    words = ("--mpi", build.id, "--nodes", "2", "--ppn", "1", "--layout", layout)
    said = laneway("compare", "gatherv", *words, "--runs", "1", cwd=tmp_path)
    assert said.returncode == 2
    assert complaint in said.stderr
