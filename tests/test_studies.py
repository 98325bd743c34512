# SPDX-License-Identifier: BSD-3-Clause
"""Published studies: what a study leaves, that it goes on, and what it says of known times."""

import csv
import io
import json
import math
import re
import tarfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from commands import laneway
from laneway.collectives import COLLECTIVES
from laneway.errors import Misuse, Problem
from laneway.libraries import native
from laneway.probe.summary import ProbeKey
from laneway.rows import CaseKey
from laneway.simulation import machine
from laneway.simulation.program import Call
from laneway_studies import archive, folder, registry, simulated
from laneway_studies.agreement import agreement
from laneway_studies.figures import latency_terms
from laneway_studies.study import PublishedComparison, Study, parts
from studies import measured, sections, simulated_rows

SMALL = ("study", "allreduce", "--machine", "example", "--node-counts", "2,3",
         "--native", "mpich-3.3")  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study of three numbers of nodes, in its folder."""
    path = tmp_path_factory.mktemp("study") / "allreduce"
    said = laneway(*SMALL, "--output", path)
    assert said.returncode == 0, said.stderr
    return path


def rows(path):
    return [*map(json.loads, (path / "rows.jsonl").read_text().splitlines())]


# ---- the frame ------------------------------------------------------------------------------


def test_every_module_is_a_study():
    assert {"allreduce", "latency"} <= {*registry.names()}
    for name in registry.names():
        assert isinstance(registry.load(name), Study)
    listed = [*map(json.loads, laneway("study", "list", "--json").stdout.splitlines())]
    assert [each["study"] for each in listed] == registry.names()
    with pytest.raises(Misuse, match="no study 'alreduce'; known: allreduce"):
        registry.load("alreduce")


def test_a_study_leaves_report_rows_tables_and_an_archive(done):
    page = (done / "report.html").read_text()
    assert page.count("simulated, by the machine file example") >= 6  # at every figure and table
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    samples = [row for row in rows(done) if row["kind"] == "sample"]
    assert {row["machine"] for row in samples} == {"example"}
    assert all(row["simulated"] for row in samples)
    with (done / "tables" / "example-allreduce-of-8-b.csv").open() as file:
        table = [*csv.DictReader(file)]
    assert [line["nodes"] for line in table] == ["2", "3"]
    assert {line["library"] for line in table} == {"mpich-3.3"}
    assert all(float(line["native/optimal"]) >= 1 for line in table)
    assert table[0]["simulated"] == "True"
    with tarfile.open(done / "allreduce.tar.gz") as packed:
        assert {Path(name).name for name in packed.getnames()} == {
            "study.json", "rows.jsonl", "report.html", "environments.json",
        }  # fmt: skip


def test_what_is_there_is_not_simulated_again(done, monkeypatch):
    before = (done / "rows.jsonl").read_bytes()
    monkeypatch.setattr("laneway.simulation.program.lines", None)
    again = laneway(*SMALL, "--output", done, "--json")
    assert again.returncode == 0, again.stderr
    assert (done / "rows.jsonl").read_bytes() == before
    lines = [*map(json.loads, again.stdout.splitlines())]
    assert {line["machine"] for line in lines} == {"example"}


def test_a_point_that_was_cut_short_is_found_once_more(tmp_path):
    own = machine.load("example")
    point = simulated.of_call(Call("bcast", "chain", 10, (2, 2)), own)
    kept = []
    first = simulated.found([point], own, [], kept.append, lambda *_: None).rows
    assert simulated.complete(kept) == first
    assert simulated.complete(kept[:1]) == []  # without the row that ends the point
    assert simulated.complete([kept[0], *kept]) == first
    slower = machine.parse('name = "example"\n[lanes]\nlatency = "1 s"\n', "other")
    other = simulated.of_call(Call("bcast", "chain", 10, (2, 2)), slower)
    (row,) = simulated.found([other], slower, kept, kept.append, lambda *_: None).rows
    assert row["time_us"] >= 1e6  # another machine has points of its own


def test_the_least_work_comes_first_and_none_begins_when_time_is_over(monkeypatch):
    own = machine.load("example")
    works = {10: 3, 20: 1, 30: 2}
    points = [
        simulated.of_call(Call("bcast", "chain", count, (2, 2)), own, work=work)
        for count, work in works.items()
    ]
    kept, told = [], []

    def found(seconds, ends):
        clock = iter(seconds)
        monkeypatch.setattr(simulated, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        return simulated.found(
            points, own, [*kept], kept.append, lambda _, part: told.append(part), ends=ends
        )

    first = found([1, 2], ends=2)
    assert ([row["count"] for row in first.rows], first.left) == ([20, 30], 1)
    assert told[0] == 0
    assert pytest.approx(1 / 6) in told  # the part of the whole work
    told.clear()
    second = found([5], ends=math.inf)
    assert ([row["count"] for row in second.rows], second.left) == ([10, 20, 30], 0)
    assert told[0] == pytest.approx(3 / 6)


def test_a_study_without_time_for_all_says_what_is_left(tmp_path):
    place = tmp_path / "short"
    said = laneway(*SMALL, "--within", "1ms", "--out", place)
    assert said.returncode == 0, said.stderr
    left = re.search(r"--within: (\d+) simulations left\. To go on, call", said.stderr)
    assert left
    again = laneway(*SMALL, "--out", place)
    assert again.returncode == 0, again.stderr
    assert "left" not in again.stderr
    assert (place / "report.html").exists()


def test_an_archive_is_reported_elsewhere(done, tmp_path):
    packed = tmp_path / "from-a-cluster.tar.gz"
    packed.write_bytes((done / "allreduce.tar.gz").read_bytes())
    said = laneway("report", packed)
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "allreduce.html").read_text() == (done / "report.html").read_text()
    lines = laneway("report", packed, "--json").stdout
    assert lines == laneway("report", done, "--json").stdout
    assert json.loads(lines.splitlines()[0])["section"] == "Allreduce of 8 B"


def test_what_is_no_archive_is_told(tmp_path):
    (tmp_path / "a.tar.gz").write_text("nothing")
    with pytest.raises(Problem, match=r"cannot read .*a\.tar\.gz"):
        archive.load(tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as empty:
        empty.addfile(tarfile.TarInfo("x/y"), io.BytesIO())
    with pytest.raises(Problem, match=r"no rows\.jsonl and no study\.json"):
        archive.load(tmp_path / "b.tar.gz")


def test_a_damaged_archive_is_told(done, tmp_path):
    whole = (done / "allreduce.tar.gz").read_bytes()
    middle = len(whole) // 2
    for number, data in enumerate(
        (
            whole[:middle],  # cut short
            whole[:middle] + bytes(100) + whole[middle + 100 :],  # no deflated stream
            whole[:-8] + bytes(8),  # another checksum
            whole + b"x",  # something behind it
        )
    ):
        file = tmp_path / f"{number}.tar.gz"
        file.write_bytes(data)
        with pytest.raises(Problem, match="cannot read"):
            archive.load(file)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["allreduce", "--machine", "nowhere"], "no machine 'nowhere'"),
        (["allreduce", "--node-counts", "1,x"], "--node-counts: '1,x' is no list"),
        (["allreduce", "--machine", "example", "--rows", "x"], "one of them"),
        (["alreduce"], "did you mean allreduce?"),
        (["latency", "--cores", "0"], "--cores: '0' is no number of processes"),
    ],
)
def test_what_makes_no_sense_is_told(words, said, tmp_path):
    found = laneway("study", *words, *(["--output", tmp_path] if len(words) > 1 else []))
    assert found.returncode == 2
    assert said in found.stderr


def test_a_folder_holds_one_study(done):
    said = laneway("study", "latency", "--machine", "example", "--output", done)
    assert said.returncode == 2
    assert "holds the study allreduce" in said.stderr


def test_a_folder_holds_rows_of_one_kind_and_of_the_same_machines(done, tmp_path):
    before = (done / "rows.jsonl").read_bytes()
    slower = tmp_path / "slower.toml"
    slower.write_text('name = "example"\n[lanes]\nlatency = "1 s"\n')
    for words, held in (
        (("--rows", done / "rows.jsonl"), "holds what was simulated"),
        (("--machine", "hydra"), "holds machines as they were: example"),
        (("--machine", slower), "holds machines as they were: example"),
    ):
        said = laneway("study", "allreduce", *words, "--output", done)
        assert said.returncode == 2
        assert held in said.stderr
    assert (done / "rows.jsonl").read_bytes() == before


def test_simulated_and_measured_rows_are_never_one_part():
    def sample(**more):
        return {"kind": "sample", "time_us": 1.0, **more}

    mixed = [
        sample(simulated=True, machine="a"),
        sample(),
        sample(simulated=True, machine="b"),
        {"kind": "environment", "place": "4 nodes"},
    ]
    found = {str(part.origin): len(part.rows) for part in parts(mixed, {})}
    assert found == {
        "simulated, by the machine file a": 1,
        "simulated, by the machine file b": 1,
        "measured on 4 nodes": 2,
    }


def test_rows_that_were_measured_before_are_reported_as_measured(tmp_path):
    lines = measured("allreduce", {("native", 2, 8): 3.0, ("ring", 2, 8): 2.0}, runs=1)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    said = laneway("study", "allreduce", "--rows", path, "--output", tmp_path / "study")
    assert said.returncode == 0, said.stderr
    assert "native takes 1.49 times as long as the best" in said.stdout
    page = (tmp_path / "study" / "report.html").read_text()
    assert "measured on 64 nodes of a test" in page
    assert "simulated, by" not in page


def test_a_measured_study_ends_with_the_command_that_judges_its_times(tmp_path, monkeypatch):
    rows = measured("allreduce", {("native", 2, 8): 3.0, ("ring", 2, 8): 2.0}, runs=1)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    monkeypatch.setattr("laneway_studies.command.measured_rows", lambda *_: ((path,), {}))
    said = laneway("study", "allreduce", "--launcher", "local", "--output", tmp_path / "study")
    assert said.returncode == 0, said.stderr
    *_, last = said.stderr.splitlines()
    assert last == f"to see what tests over the runs confirm: laneway verify {path}"


def test_ratios_agree_on_their_side_of_one_and_within_a_third():
    told = agreement(
        PublishedComparison({}, published, ours, counts)
        for published, ours, counts in (
            (1.1, 5.0, True),  # nearer to 1 than tells anything
            (2.0, 2.5, True),
            (2.0, 1.1, True),  # on one side, far off
            (0.5, 1.2, True),  # the other side
            (3.0, 0.1, False),
            (3.0, None, True),
        )
    )
    assert (len(told.judged), len(told.found), told.sided, told.near) == (4, 3, 2, 1)
    assert "same side in 2 (50%)" in str(told)
    assert "For 1 there is none of ours" in str(told)
    assert [one.published for one in told.missed] == [2.0, 0.5, 3.0]
    assert told.reaches(0.5, 0.25)
    assert not told.reaches(0.5, 0.5)
    looser = agreement([PublishedComparison({}, 2.0, 1.4)])  # 0.7 of it
    assert (looser.near, looser.within) == (0, 1)
    assert agreement([PublishedComparison({}, 2.0, None)]).reaches(0, 0) is None


# ---- the studies ----------------------------------------------------------------------------


def test_allreduce_says_how_far_native_is_from_the_best_and_what_it_prefers():
    rounds = {2: 1, 3: 3, 4: 2, 5: 6, 8: 3, 12: 8, 16: 4, 32: 5}
    times = {("native", nodes, 8): 20.0 * own for nodes, own in rounds.items()}
    times |= {("ring", nodes, 8): 10.0 * (nodes - 1).bit_length() for nodes in rounds}
    times |= {("lane", nodes, 8): 1000.0 for nodes in rounds}
    found = sections("allreduce", measured("allreduce", times))
    by_nodes = {line["nodes"]: line for line in found["Allreduce of 8 B"]}
    assert {line["by"] for line in by_nodes.values()} == {"ring"}
    assert by_nodes[4]["native/optimal"] == pytest.approx(2, rel=0.03)
    assert not by_nodes[4]["simulated"]
    growth = {(line["which"], line["law"]): line for line in found["Growth with P"]}
    assert growth["optimal", "a + b log2(P)"]["preferred"] == "yes"
    powers = {line["nodes"]: line for line in found["Powers of two"]}
    assert {*powers} == {3, 5, 12}
    assert powers[5]["native"] == pytest.approx(2, rel=0.03)
    assert powers[5]["optimal"] == pytest.approx(1, rel=0.03)
    assert {line["verdict on native"] for line in powers.values()} == {"VIOLATED"}


def test_allreduce_has_both_intervals_and_each_number_of_processes():
    times = {("ring", nodes, 8): 10.0 for nodes in (2, 60, 64)}
    several = [{**row, "ppn": 4} if "ppn" in row else row for row in measured("allreduce", times)]
    study = registry.load("allreduce")
    (part,) = parts([*measured("allreduce", times), *several], study.asked({}))
    titles = {section.title: section for section in study.sections(part)}
    assert {"Allreduce of 8 B", "Allreduce of 8 B, 4 processes a node"} <= {*titles}
    common, all_nodes = titles["Allreduce of 8 B"].plots
    assert common.title.endswith("up to 60 nodes")
    assert [x for x, _ in common.curves[0].points] == [2, 60]
    assert [x for x, _ in all_nodes.curves[0].points] == [2, 60, 64]


def test_simulated_machines_are_laid_against_each_other():
    def simulated_on(name, time):
        rows = measured("allreduce", {("ring", 2, 8): time, ("native", 2, 8): 2 * time}, runs=1)
        return [{**row, "simulated": True, "machine": name, "library": "simulated"}
                for row in rows if row["kind"] == "sample"]  # fmt: skip

    study = registry.load("allreduce")
    rows = [*simulated_on("hydra", 5.0), *simulated_on("vsc3", 10.0)]
    *each, together = folder.told(study, parts(rows, study.asked({})))
    assert len(each) == 2
    assert str(together.part.origin) == "simulated, by the machine files hydra, vsc3"
    (section,) = together.sections
    assert section.title == "Allreduce of 8 B: machines against each other"
    (line,) = section.table
    assert line["vsc3: optimal, us"] / line["hydra: optimal, us"] == pytest.approx(2, rel=0.1)
    assert len(section.plots[0].curves) == 4
    measured_too = [*rows, *measured("allreduce", {("ring", 2, 8): 1.0}, runs=1)]
    *_, together = folder.told(study, parts(measured_too, study.asked({})))
    assert "measured" not in str(together.part.origin)


def test_the_optimum_is_over_other_segments_as_well():
    study, own = registry.load("allreduce"), machine.load("example")

    def algorithms(tunables):
        asked = study.asked({"node-counts": "2", "native": "", "tunables": tunables})
        return {part["time"]["algorithm"] for point in study.points(own, asked)
                for part in point.facts["fastest"]}  # fmt: skip

    tuned = algorithms("yes") - algorithms("no")
    assert tuned
    assert all("(segment=" in name for name in tuned)
    with pytest.raises(Misuse, match="--tunables: 'some' is neither yes nor no"):
        study.asked({"tunables": "some"})


def test_latency_finds_the_published_coefficients_in_times_that_have_them():
    """By node, as published: other terms than these are zero."""
    published = {
        (one.collective, one.algorithm): one.estimate
        for one in latency_terms()
        if one.allocation == "node" and one.term == "MPI_Processes"
    }
    times = {
        (ours, nodes, 8): published["bcast", theirs] * nodes
        for theirs, ours in (("linear", "linear"), ("pipeline", "chain"))
        for nodes in range(8, 257, 8)
    }
    found = sections("latency", measured("bcast", times, runs=40, placement="cyclic", root=0))
    lines = found["Broadcast of 8 B: latency over processes"]
    by_algorithm = {line["algorithm"]: line for line in lines}
    assert {line["allocation"] for line in lines} == {"node"}
    for line in by_algorithm.values():
        assert line["ours/published"] == pytest.approx(1, rel=0.01)
    best = found["Broadcast: latency in processes and bytes"]
    assert [(line["algorithm"], line["term"]) for line in best] == [
        ("linear", "p"),
        ("pipeline", "p"),
    ]


def test_latency_says_how_sure_each_coefficient_is():
    """Growth is one regression of all algorithms, as published."""
    rows = []
    for algorithm, slope in (("linear", 0.8), ("chain", 1.2)):
        for size in (1024, 65536):
            times = {(algorithm, p, size): 2.0 ** (slope * math.log2(p) + 8e-6 * size)
                     for p in (4, 8, 16, 32)}  # fmt: skip
            rows += measured("bcast", times, runs=5, placement="cyclic", root=0)
    found = sections("latency", rows)
    lines = found["Broadcast: growth with log2(p) and with bytes"]
    design, logs = [], []
    for row in rows:
        if row["kind"] == "sample":
            of = {"linear": (1, 0), "chain": (0, 1)}[row["algorithm"]]
            both = math.log2(row["nodes"]), row["bytes"]
            design.append([own * term for own in of for term in both])
            logs.append(math.log2(row["time_us"]))
    matrix, times = np.array(design), np.array(logs)
    estimates, (squares,), *_ = np.linalg.lstsq(matrix, times, rcond=None)
    errors = np.sqrt(squares / (len(times) - 4) * np.linalg.inv(matrix.T @ matrix).diagonal())
    assert [line["ours"] for line in lines] == pytest.approx([*estimates])
    assert [line["our error"] for line in lines] == pytest.approx([*errors])
    assert [line["our t"] for line in lines] == pytest.approx([*(estimates / errors)])
    assert lines[0]["published error"] == 0.0308
    over = found["Broadcast of 1 KiB: latency over processes"]
    assert all(line["our t"] == line["ours"] / line["our error"] for line in over)


def test_latency_by_node_crosses_nodes_at_each_hop():
    words = {"process-counts": "2,4,8,16", "cores": "8", "sizes": "1"}
    study, own = registry.load("latency"), machine.load("example")
    points = [point for point in study.points(own, study.asked(words)) if "bcast" in point.told]
    rows = simulated_rows(points, own)
    found = sections("latency", rows, **words)
    slopes = {
        line["allocation"]: line["ours"]
        for line in found["Broadcast of 1 B: latency over processes"]
        if line["algorithm"] == "pipeline" and line["term"] == "p"
    }
    assert slopes["node"] > 2 * slopes["socket"]


def test_sockets_are_a_factor_where_ranks_go_round_them():
    """A pipeline by socket crosses sockets at each hop, one by core in the middle of a node."""
    words = {"process-counts": "2,4,8", "cores": "8", "sizes": "1", "sockets": "2"}
    study = registry.load("latency")
    own = machine.parse('name = "s"\n[node]\nlatency = "1 us"\nsocket_latency = "1 us"\n', "a test")
    rows = simulated_rows(study.points(own, study.asked(words)), own)
    found = sections("latency", rows, **words)
    times = {
        line["processes"]: (line["by core, us"], line["by socket, us"])
        for line in found["Broadcast of 1 B: sockets of a node"] if line["algorithm"] == "pipeline"
    }  # fmt: skip
    assert times == {2: (1, 2), 4: (3, 6), 8: (8, 14)}
    assert {line["allocation"] for line in found["Broadcast of 1 B: latency over processes"]} == {
        "socket", "node",
    }  # fmt: skip
    alone = {**words, "sockets": "1"}
    rows = simulated_rows(study.points(own, study.asked(alone)), own)
    assert "Broadcast of 1 B: sockets of a node" not in sections("latency", rows, **alone)


def test_warming_up_is_in_the_samples():
    """The first repetition takes ten times as long, later ones are alike."""
    lines = [
        {
            "kind": "sample", "run": run, "collective": "bcast", "algorithm": "chain", "count": 1,
            "datatype": "byte", "bytes": 1, "nodes": 2, "ppn": 1, "lanes": 1, "library": "Sham 1.0",
            "binding": "all", "root": 0, "repetition": repetition,
            "time_us": 1.0 if repetition else 10.0,
        }
        for run in (1, 2)
        for repetition in range(40)
    ]  # fmt: skip
    found = sections("latency", lines)
    means = {
        (line["warm-up"], line["iterations"]): line["mean / settled mean"]
        for line in found["Warm-up and iterations"]
    }
    assert means[0, 10] == pytest.approx(1.9)
    assert means[1, 10] == pytest.approx(1)


APART = {
    "fugaku": "allreduce", "juqueen": "reduce", "latency": "bcast", "multilane": "bcast",
}  # fmt: skip
"""The studies that tell libraries apart, each with a collective of its own."""


def test_studies_tell_libraries_apart_or_compare_them():
    compared = {name for name in registry.names() if "library" in registry.load(name).compares}
    assert {*APART} | compared == {*registry.names()}


def of_a_pair(name, fact, value):
    """Rows, and those of another library or number of lanes that is ten times as slow."""
    times = {
        (own, nodes, size): 2.0 * nodes + size / 100
        for own in ("lane", "native", "binomial", "chain") for nodes in (2, 4, 8)
        for size in (8, 64, 1024)
    }  # fmt: skip
    one = [{**row, "ppn": 4} for row in measured(APART[name], times, runs=1)]
    slower = [{**row, **({"time_us": 10 * row["time_us"]} if "time_us" in row else {})}
              for row in one]  # fmt: skip
    return one, [{**row, fact: value} for row in slower]


@pytest.mark.parametrize(
    ("name", "fact", "value", "titles"),
    [
        (name, *others)
        for name in APART
        for others in (
            ("library", "Other 2.0", ("Sham 1.0", "Other 2.0")),
            ("lanes", 2, ("1 lane", "2 lanes")),
        )
        if others[0] not in registry.load(name).compares
    ],
)
def test_libraries_and_lanes_are_told_apart(name, fact, value, titles):
    """As if each had been measured alone."""
    one, other = of_a_pair(name, fact, value)
    alone = {**sections(name, one)}
    both = sections(name, [*one, *other])
    for found in (alone, both):  # cases without a section are counted for all together
        found.pop("Without a section", None)
    assert {title.rpartition(", ")[2] for title in both} == {*titles}
    own = one[-1][fact]
    for title, lines in alone.items():
        named = [{fact: own, **line, "section": f"{title}, {titles[0]}"} for line in lines]
        assert both[f"{title}, {titles[0]}"] == named


@pytest.mark.parametrize("name", [*registry.names()])
def test_all_that_was_measured_is_shown_or_counted(name):
    """Each operation, on shapes that no paper has: in a section, or among those without one."""
    algorithms = {
        "allreduce": ("native", "lane", "ring"),
        "bcast": ("native", "binomial", "chain", "lane"),
        "binomial_reduce": ("native",),
        "hypercube": ("native",),
        "pingping": ("native",),
        "exchange": ("native",),
        "alltoall": ("native", "bruck"),
        "scan": ("native", "lane"),
        "start": ("native",),
    }
    rows = [
        {**row, "ppn": ppn} if row["kind"] == "sample" else row
        for collective, own in algorithms.items()
        for ppn in (1, 3)
        for row in measured(collective, {(each, 2, 64): 5.0 for each in own}, runs=1)
    ]
    study = registry.load(name)
    (part,) = parts(rows, study.asked({}))
    (told,) = folder.told(study, [part])
    cases = {CaseKey.of(row) for row in rows if row["kind"] == "sample"}
    counted = sum(
        line["cases"] for one in told.sections if one.title == "Without a section"
        for line in one.table
    )  # fmt: skip
    assert part.shown <= cases
    assert len(part.shown) + counted == len(cases)
    assert counted < len(cases)


FEW = {
    "allreduce": {"node-counts": "2,3,4"},
    "fugaku": {"imb-form": "2x3x2", "forms": "2x3x2,2x3x4,4x3x2", "sizes": "4,1K"},
    "juqueen": {"nodes-simulated": "4", "threads-simulated": "4", "elements": "64,128,256,65536"},
    "latency": {"process-counts": "2,4,6,8", "cores": "2", "sizes": "1,1K,4K"},
    "multilane": {"largest": "64", "ppn-each": "2"},
}
"""Each study's parameters where it is done in seconds."""


def few_points(name):
    """A study, one of its machines, and points that are simulated in seconds."""
    study = registry.load(name)
    own = machine.load(study.machines[0])
    points = [*study.points(own, study.asked(FEW[name]))]
    if name == "multilane":  # its cases are those of the tables
        points = [
            p
            for p in points
            if p.facts.get("case", {"ppn": 2})["ppn"] == 2
            and any(word in p.told for word in ("1152", "11520, 2 lanes", "er 10, "))
        ]
    return study, own, points


PAPERS = Path(__file__).parents[1] / "docs" / "papers.md"


def claimed(name, how):
    """The sections that a study's report has by docs/papers.md, simulated or measured."""
    (chapter,) = (each for each in PAPERS.read_text().split("\n## ") if each.startswith(f"{name}:"))
    sections, _, _ = chapter.partition("\n### ")
    lines = [line.strip("| ").split(" | ") for line in sections.splitlines() if line[:2] == "| "]
    heads, *rows = lines
    return {row[1] for row in rows if row[heads.index(how)] == "yes"}


def test_papers_have_a_chapter_each():
    for name in registry.names():
        assert len(claimed(name, "simulated")) > 4
        assert len(claimed(name, "measured")) > 4


@pytest.mark.parametrize("name", [*registry.names()])
def test_all_that_is_simulated_is_shown(name):
    study, own, points = few_points(name)
    rows = simulated_rows(points, own)
    (part,) = parts(rows, study.asked(FEW[name]))
    (told,) = folder.told(study, [part])
    keys = {"sample": CaseKey, "probe": ProbeKey}
    assert part.shown == {keys[row["kind"]].of(row) for row in rows}
    titles = {section.title for section in told.sections}
    assert "Without a section" not in titles
    assert claimed(name, "simulated") <= titles


@pytest.mark.parametrize("name", [*registry.names()])
def test_all_that_is_measured_on_this_machine_is_shown(name, tmp_path):
    """Also with several processes a node, where juqueen has threads and others have lanes."""
    words = [word for key, own in FEW[name].items() for word in (f"--{key}", own)]
    nodes = "4" if name == "allreduce" else "2"  # as many as its numbers of nodes
    said = laneway("study", name, "--launcher", "local", "--cluster", "none", "--nodes", nodes,
                   "--ppn", "2", "--runs", "1", "--time", "0.001", *words,
                   "--output", tmp_path / "study", "--json")  # fmt: skip
    assert said.returncode == 0, said.stderr
    lines = [*map(json.loads, said.stdout.splitlines())]
    assert lines
    assert not any(line["simulated"] for line in lines)
    libraries = [build.library for build in native.installed()]
    titles = {
        line["section"].removesuffix(f", {library}") for line in lines for library in libraries
    }
    assert "Without a section" not in titles
    assert claimed(name, "measured") <= titles


def test_collectives_of_the_studies_exist():
    assert {one.collective for one in latency_terms()} <= {*COLLECTIVES}
