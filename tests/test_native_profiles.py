# SPDX-License-Identifier: BSD-3-Clause
"""MPI libraries in the simulation: `laneway simulate --native`."""

import csv
import json
import re

import pytest

from commands import laneway
from laneway.errors import Misuse
from laneway.libraries import native as builds
from laneway.libraries import profile_header
from laneway.simulation import machine, native, program

pytestmark = pytest.mark.skipif(not builds.installed(), reason="no native build is installed")

SIMULATE = ("simulate", "--machine", "hydra", "--nodes", "4", "--ppn", "4")
CALLS = ("allgather", "allreduce", "alltoall", "bcast", "exscan", "gather", "reduce",
         "reduce_scatter_block", "scan", "scatter")  # fmt: skip


def time_of(library, **options):
    told = {"nodes": "4x4", "algorithm": "native", **options}
    (result,) = program.lines("time", {**told, **machine.load("hydra").options, **library.options})
    return result


def serving(name, collective, count, nodes):
    """The algorithm that a library chooses by its native profile."""
    library = native.load(name)
    return time_of(library, collective=collective, count=str(count), nodes=nodes)["served_by"]


@pytest.fixture
def profile(tmp_path):
    def written(*lines, name="mine"):
        path = tmp_path / f"{name}.conf"
        path.write_text("\n".join(("laneway profile 1", *lines)) + "\n")
        return native.load(str(path))

    return written


def rules(name):
    """A profile without its head: the comments before the first of its parts."""
    lines = native.load(name).path.read_text().splitlines()
    return lines[lines.index(next(line for line in lines if line.startswith("# MPIR_"))) :]


def test_a_stand_in_has_the_rules_of_mpich():
    name = "intelmpi-2018"
    own = [line for line in rules(name) if line not in rules("mpich-3.3")]
    # The rule that only its own published times speak for, and why.
    assert [line.partition("#")[0].split()[:1] for line in own] == [[], ["scan"]]
    assert profile_header.inferred(own[1]) == "hydra-intelmpi"
    assert len(rules(name)) == len(rules("mpich-3.3"))
    assert native.load(name).stand_in == "MPICH 3.3's rules"
    assert native.load(name).facts([])["stand_in"] == "MPICH 3.3's rules"
    for own in ("mpich-3.3", "mpich-4.0", "mvapich2-2.3", "openmpi-4.0", "openmpi-4.1"):
        assert "stand_in" not in native.load(own).facts([])


@pytest.mark.parametrize(
    ("collective", "count", "nodes", "served"),
    [
        ("allreduce", 256, "4x4", "hierarchical"),  # up to 1 KiB before any table
        ("allreduce", 8192, "4x4", "rabenseifner"),  # 32 KiB: not by two levels any more
        ("allreduce", 1 << 19, "4x4", "ring"),  # 2 MiB
        ("reduce", 16383, "4x4", "hierarchical"),
        ("reduce", 16384, "4x4", "binomial"),  # 64 KiB
        ("scatter", 2047, "4x4", "hierarchical"),
        ("scatter", 2048, "4x4", "linear"),  # blocks of 8 KiB
        ("alltoall", 1023, "4x4", "bruck(radix=2)"),
        ("alltoall", 1024, "4x4", "pairwise"),  # blocks of 4 KiB
        ("allgather", 4095, "16x1", "recursive_doubling"),
        ("allgather", 4096, "16x1", "ring"),  # blocks of 16 KiB on a node
        ("bcast", 256, "1x32", "knomial(radix=8)"),
    ],
)
def test_mvapich2_chooses_by_its_tables(collective, count, nodes, served):
    assert serving("mvapich2-2.3", collective, count, nodes) == served


@pytest.mark.parametrize(
    ("collective", "count", "nodes", "served"),
    [
        ("bcast", 1023, "4x4", "knomial"),
        ("bcast", 1024, "4x4", "binomial"),  # 4 KiB
        ("bcast", 1 << 18, "4x4", "scatter_recursive_doubling"),  # 1 MiB
        ("bcast", 1 << 18, "2x2", "chain(segment=1073741824)"),
        ("reduce", 1023, "4x4", "binary(segment=1073741824)"),
        ("reduce", 1024, "4x4", "binomial"),
        ("allreduce", 1023, "4x4", "recursive_doubling"),
        ("allreduce", 1024, "4x4", "rabenseifner"),
        ("allreduce", 12, "4x4", "recursive_doubling"),  # a ring of fewer elements than ranks
        ("allgather", 4000, "4x4", "recursive_doubling"),
        ("allgather", 4000, "3x4", "bruck"),  # no power of two
        ("allgather", 4000, "8x4", "neighbor_exchange"),
        ("alltoall", 127, "4x4", "bruck(radix=2)"),
        ("alltoall", 1024, "4x4", "linear_sync(window=1048576)"),
        ("alltoall", 2048, "4x4", "linear"),
        ("reduce_scatter_block", 7, "4x4", "reduce_scatter"),
        ("reduce_scatter_block", 8, "4x4", "recursive_halving"),
        ("gather", 4000, "4x4", "binomial"),
        ("scatter", 4096, "4x4", "linear"),  # 16 KiB
        ("scatter", 1 << 18, "2x4", "linear_sync(window=1)"),  # blocking sends of long messages
        ("scan", 10, "4x4", "linear"),
        ("barrier", 1, "4x4", "recursive_doubling"),
    ],
)
def test_open_mpi_4_1_has_rules_of_its_own(collective, count, nodes, served):
    assert serving("openmpi-4.1", collective, count, nodes) == served


@pytest.mark.parametrize(
    ("collective", "count", "nodes", "served"),
    [
        ("bcast", 3071, "4x4", "hierarchical(whole=0)"),
        ("bcast", 4000, "4x4", "hierarchical(whole=0)"),  # 16 ranks: up to 512 KiB
        ("bcast", 4000, "3x4", "scatter_ring"),  # no power of two: up to 12 KiB
        ("bcast", 1 << 17, "4x4", "scatter_recursive_doubling"),  # 512 KiB, and no more
        ("bcast", 1 << 18, "4x4", "scatter_ring"),
        ("bcast", 1 << 18, "3x2", "hierarchical(whole=0)"),  # fewer than 8 ranks
        ("bcast", 1 << 17, "1x16", "scatter_recursive_doubling"),
        ("allreduce", 1, "4x4", "hierarchical"),
        ("allreduce", 15, "1x16", "recursive_doubling"),
        ("allreduce", 16, "1x16", "rabenseifner"),
        ("reduce", 513, "1x16", "reduce_scatter_gather"),
        ("alltoall", 64, "4x4", "bruck(radix=2)"),
        ("alltoall", 65, "4x4", "linear_sync(window=32)"),
        ("allgather", 8191, "4x4", "recursive_doubling"),  # 512 KiB in all
        ("allgather", 8192, "4x4", "ring"),
        ("scan", 10, "4x4", "hierarchical"),
        ("exscan", 10, "4x4", "recursive_doubling"),
        ("barrier", 1, "4x4", "hierarchical"),
    ],
)
def test_mpich_4_0_chooses_by_its_trees(collective, count, nodes, served):
    assert serving("mpich-4.0", collective, count, nodes) == served


@pytest.mark.parametrize("name", native.names())
def test_profiles_say_what_serves_every_call_and_component(name):
    library = native.load(name)
    for collective in CALLS:
        for count in (1, 4000):
            called = {"collective": collective, "count": str(count)}
            own = time_of(library, **called)
            assert own["time_us"] > 0
            assert own["rules"]
            for algorithm in ("hierarchical", "lane"):
                assert time_of(library, **called, algorithm=algorithm)["time_us"] > 0


def test_open_mpi_chooses_by_its_fixed_rules():
    def served(collective, count, nodes="32x36"):
        return serving("openmpi-4.0", collective, count, nodes)

    assert served("bcast", 11520) == "split_binary(segment=1024)"
    assert served("bcast", 115200) == "chain"
    assert served("reduce", 115200) == "binomial(segment=1024)"
    assert served("allreduce", 1152) == "recursive_doubling"
    assert served("allreduce", 11520) == "ring"
    assert served("alltoall", 1, "4x4") == "bruck(radix=2)"
    assert served("scan", 10, "4x4") == "linear"


def test_native_is_a_contestant_with_rows_of_its_own():
    ran = laneway(*SIMULATE, "bcast", "--native", "openmpi-4.0", "--count", "100000",
                  "--algorithm", "native,lane", "--json")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    own, lane = (json.loads(line) for line in ran.stdout.splitlines())
    assert (own["algorithm"], own["served_by"]) == ("native", "chain")
    assert own["ratio_to_native"] == 1
    assert lane["ratio_to_native"] == pytest.approx(own["median_us"] / lane["median_us"], rel=1e-3)
    for row in (own, lane):
        assert (row["native"], row["inferred"], row["simulated"]) == ("openmpi-4.0", False, True)


def test_pictures_and_loads_are_those_of_the_library(tmp_path):
    drawn, traced, loads = (tmp_path / name for name in ("a.svg", "a.json", "a.csv"))

    def written(algorithm, *words):
        ran = laneway(*SIMULATE, "bcast", "--count", "1000", "--algorithm", algorithm, "--json",
                      "--loads", loads, "--chrome-trace", traced, *words)  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        events = json.loads(traced.read_text())["traceEvents"]
        ends = [event["ts"] + event["dur"] for event in events if event["ph"] == "X"]
        row = json.loads(ran.stdout)
        assert max(ends) == pytest.approx(row["median_us"], abs=0.01)
        return row["busiest_lane"]

    for algorithm in ("native", "lane"):
        busiest = written(algorithm, "--native", "openmpi-4.0", "--timeline", drawn)
        assert drawn.read_text().startswith("<svg")
        with loads.open() as file:
            rows = {row["name"]: int(row["bytes"]) for row in csv.DictReader(file)}
        assert rows[busiest["name"]] == busiest["bytes"]
    assert json.loads(traced.read_text())["otherData"]["native"] == "openmpi-4.0"


def test_components_are_the_librarys(profile):
    chains = profile(
        "bcast use chain(segment=1K)", "scatter use linear", "allgather use ring", name="chains"
    )
    trees = profile("bcast use binomial", "scatter use linear", "allgather use ring")
    called = {"collective": "bcast", "count": "4", "algorithm": "lane_regular", "nodes": "2x64"}
    assert time_of(chains, **called)["time_us"] > 2 * time_of(trees, **called)["time_us"]


@pytest.mark.parametrize("segment", ["8K", "128K"])
@pytest.mark.parametrize("collective", ["allreduce", "bcast", "exscan"])
def test_components_of_concurrent_segments_are_ours_also_where_there_is_one(collective, segment):
    called = ("simulate", collective, "--machine", "example", "-m", "64K:64K", "--json",
              "--algorithm", f"lane_segmented(segment={segment})")  # fmt: skip
    times = [
        json.loads(line)["median_us"]
        for words in ((), ("--native", "openmpi-4.1"))
        for line in laneway(*called, *words).stdout.splitlines()
    ]
    assert len(times) == 2
    assert times[0] == times[1]


def test_vector_collectives_may_have_rules_of_their_own(profile):
    rules = ("bcast use binomial", "scatter use binomial", "allgather use ring")
    called = {"collective": "bcast", "count": "6", "algorithm": "lane(whole=0)"}
    assert len(time_of(profile(*rules), **called)["rules"]) == 3
    other = profile(*rules, "allgatherv use bruck", "scatterv use linear")
    decided = {rule.rpartition(":")[2] for rule in time_of(other, **called)["rules"]}
    assert decided == {"2", "5", "6"}


@pytest.mark.parametrize(
    "rule", ["bcast bytes=1K.. inferred use chain", "bcast bytes=1K.. use chain  # inferred"]
)
def test_a_rule_that_was_inferred_is_told(profile, rule):
    library = profile("bcast use binomial", rule)
    short = time_of(library, collective="bcast", count="1")
    long = time_of(library, collective="bcast", count="1000")
    assert not library.inferred(short["rules"])
    assert library.inferred(long["rules"])


@pytest.mark.parametrize(
    "rule", ["bcast inferred=hydra  use binomial", "bcast use binomial  # inferred: hydra"]
)
def test_a_rule_that_was_inferred_on_one_machine_predicts_others(profile, rule):
    library = profile(rule)
    rules = time_of(library, collective="bcast", count="10")["rules"]
    assert library.inferred(rules)
    assert library.inferred(rules, judged="hydra")
    assert not library.inferred(rules, judged="vsc3")
    assert not library.facts(rules, judged="vsc3")["inferred"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("bcast use nothing", "mine.conf:2: no bcast algorithm 'nothing'"),
        ("bcast bytes=1K.. use chain", "does not say what serves bcast of 4 bytes among 16 ranks"),
        ("bcast use native", "does not say what serves bcast of 4 bytes among 16 ranks"),
    ],
)
def test_what_a_profile_does_not_say_is_told(profile, line, reason):
    library = profile(line)
    with pytest.raises(Misuse, match=reason):
        time_of(library, collective="bcast", count="1")


def test_unknown_libraries_are_told_with_those_that_there_are():
    ran = laneway(*SIMULATE, "bcast", "--native", "openmpi-9")
    assert ran.returncode == 2
    assert "no native profile 'openmpi-9'" in ran.stderr
    assert "known: intelmpi-2018, mpich-3.3" in ran.stderr.lower()


# ---- components: the library's, or Laneway's own of short messages ------------------------------


def component_times(collective, count, nodes="4x4", algorithm="lane", library="mpich-4.0"):
    """Microseconds where components are all ours, where some are, where all are the library's."""
    call = {"collective": collective, "algorithm": algorithm, "count": str(count), "nodes": nodes}
    on = machine.load("hydra").with_lanes(2).options
    known = native.load(library)
    return tuple(
        next(program.lines("time", {**call, **on, **told}))["time_us"]
        for told in ({}, known.under_laneway, known.options)
    )


@pytest.mark.parametrize(
    ("collective", "algorithm", "count"),
    [
        ("allreduce", "lane", 4096),  # a process has 4 KiB of it
        ("reduce_scatter_block", "lane", 16),
        ("barrier", "hierarchical", 1),
    ],
)
def test_short_components_are_ours_under_laneway(collective, algorithm, count):
    ours, found, librarys = component_times(collective, count, algorithm=algorithm)
    assert found == ours != librarys


@pytest.mark.parametrize(
    ("collective", "count", "nodes"),
    [
        ("allreduce", 8192, "4x4"),
        ("allgather", 2048, "4x4"),
        ("alltoall", 16, "2x16"),
    ],
)
def test_long_components_are_the_librarys_and_those_of_many(collective, count, nodes):
    ours, found, librarys = component_times(collective, count, nodes)
    assert found == librarys != ours


def test_some_may_be_ours_and_some_the_librarys():
    """Blocks of 4 KiB on the lanes, rows of four of them on the nodes."""
    ours, found, librarys = component_times("allgather", 1024)
    assert ours < found < librarys


def test_a_library_that_is_slow_in_pairs_leaves_those_of_a_node_to_laneway():
    """As MPICH is. Two nodes of two: all components are of pairs."""
    ours, found, librarys = component_times("scan", 16, "2x2")
    assert found == ours != librarys
    ours, found, librarys = component_times("scan", 16, "2x2", library="openmpi-4.1")
    assert found == librarys != ours


def test_where_no_component_may_be_the_librarys_all_are_ours():
    """In a program such a call makes no communicators, until a longer one does: pairs are ours."""
    times = [
        component_times("barrier", 1, "2x2", "hierarchical", library=name)
        for name in ("mpich-4.0", "openmpi-4.1")
    ]
    assert all(found == ours for ours, found, _ in times)
    assert times[0][1] != times[0][2]


def test_a_part_that_is_the_whole_has_its_communicator():
    ours, found, librarys = component_times(
        "scan", 16, "2x1", "hierarchical", library="openmpi-4.1"
    )
    assert found == librarys != ours


def as_comments(text):
    """A native profile as it was when comments told what statements tell."""
    text = re.sub(r"^(quirks|stand-in) (.*)$", r"# \1: \2", text, flags=re.MULTILINE)
    return re.sub(r"^(.*) inferred=(\S+)(  use .*)$", r"\1\3  # inferred: \2", text,
                  flags=re.MULTILINE)  # fmt: skip


@pytest.mark.parametrize("name", native.names())
def test_comments_of_before_say_what_statements_say(name, tmp_path):
    new = native.load(name)
    text = new.path.read_text()
    path = tmp_path / f"{name}.conf"
    path.write_text(as_comments(text))
    old = native.load(str(path))
    assert path.read_text() != text
    assert profile_header.header(path.read_text()) == profile_header.header(text)
    assert old.stand_in == new.stand_in
    for nodes, count, algorithm in (("2x2", 16, "hierarchical"), ("4x4", 4000, "native")):
        for collective in ("scan", "bcast"):
            told = {"collective": collective, "count": str(count), "nodes": nodes,
                    "algorithm": algorithm, "short": "laneway"}  # fmt: skip
            one, other = time_of(new, **told), time_of(old, **told)
            rules = one.pop("rules"), other.pop("rules")
            assert {**one, "recorded_s": 0} == {**other, "recorded_s": 0}
            for judged in ("", "hydra", "hydra-intelmpi"):
                assert new.inferred(rules[0], judged) == old.inferred(rules[1], judged)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("stand-in", "2: stand-in: nothing follows; write: stand-in MPICH 3.3's rules"),
        ("library MPICH 3.3", "2: 'library' says nothing of a library that is only described"),
        ("bcast inferred= use chain", "2: inferred: no machine follows '='"),
        ("bcast use chain inferred", "2: 'with' is expected instead of 'inferred'"),
        ("bcast use chain\nquirks MPICH", "3: 'quirks' stands before the rules"),
        ("quirks MPICH\nquirks MPICH", "3: 'quirks' stands twice"),
    ],
)
def test_what_is_wrong_with_a_header_is_told(profile, line, reason):
    with pytest.raises(Misuse, match=re.escape(f"mine.conf:{reason}")):
        time_of(profile(line, "bcast use binomial"), collective="bcast", count="4")


@pytest.mark.parametrize("line", ["quirks mpich", "# quirks: mpich"])
def test_quirks_are_those_of_a_family_that_is_known(profile, line):
    mine = profile(line, "bcast use binomial")
    with pytest.raises(Misuse, match=r"mine\.conf:2: quirks are those of MPICH or Open MPI, not"):
        time_of(mine, collective="bcast", count="4")


def test_a_flat_algorithm_calls_no_library():
    ours, found, librarys = component_times(
        "reduce_scatter_block", 1 << 14, "4x4", "reduce_scatter"
    )
    assert found == ours != librarys


@pytest.mark.parametrize("collective", [*CALLS, "barrier"])
def test_what_the_library_serves_is_all_its_own(collective):
    known = native.load("mpich-4.0")
    call = {"collective": collective, "algorithm": "native", "count": "64", "nodes": "4x4"}
    on = machine.load("hydra").options
    times = [
        next(program.lines("time", {**call, **on, **told}))["time_us"]
        for told in (known.options, known.under_laneway)
    ]
    assert times[0] == times[1]


@pytest.mark.parametrize(
    ("name", "collective", "nodes", "served"),
    [
        ("openmpi-4.1", "alltoallv", "4x4", "sparse"),
        ("openmpi-4.1", "alltoallv", "16x4", "pairwise"),
        ("openmpi-4.0", "alltoallv", "4x4", "pairwise"),
        ("mpich-4.0", "alltoallv", "16x4", "sparse"),
    ],
)
def test_blocks_between_pairs_go_as_the_library_sends_them(name, collective, nodes, served):
    assert serving(name, collective, 4, nodes) == served


@pytest.mark.parametrize("collective", ["gatherv", "scatterv"])
def test_a_library_sends_the_blocks_that_there_are(collective):
    """One process with everything: a message, and none from those that have nothing."""
    library = native.load("mpich-4.0")
    messages = [
        time_of(library, collective=collective, count="100", layout=layout)["messages"]
        for layout in ("equal", "single")
    ]
    assert messages == [15, 1]


def test_what_no_profile_describes_is_simulated_all_the_same():
    said = laneway(*SIMULATE, "neighbor_alltoallv", "--layout", "stencil", "--count", "26",
                   "--native", "openmpi-4.1", "--algorithm", "native,sparse", "--json")  # fmt: skip
    assert said.returncode == 0, said.stderr
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    assert {row["algorithm"]: row["served_by"] for row in rows} == {"native": None, "sparse": None}
