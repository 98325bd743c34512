# SPDX-License-Identifier: BSD-3-Clause
"""laneway-bench: its operations, plans and options."""

import subprocess

import pytest

import jobs
from benchmark import measured, of_kind
from crossings import of_blocks, of_pairs
from laneway import rows
from laneway.modelling.crossing import Crossing

NATIVE_W = {("neighbor_alltoallw", "native"), ("ineighbor_alltoallw", "native")}
EXTENSIONS = {
    *("pingpong", "pingping", "sendrecv", "exchange", "hypercube", "binomial_reduce"),
    *("allgatherv", "gatherv", "scatterv", "alltoallv", "alltoallw", "reduce_scatter"),
    *("neighbor_alltoallv", "neighbor_alltoallw"),
}
COLLECTIVES = {
    *("allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather"),
    *("reduce", "reduce_scatter_block", "scan", "scatter"),
}


FORMS = {
    "as it comes": ("--count=0,1,7,2p",),
    "in place, rotating root, uneven blocks": (
        *("--count=3", "--in-place", "--root=rotate", "--layout=ramp"),
    ),
    "cold, all at one rank": ("--count=5", "--off-cache=0.1", "--layout=single"),
    "several calls in a repetition, doubles": ("-T", "MPI_DOUBLE", "-m", "8:64", "-I", "3"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("build", jobs.BUILDS)
def test_every_operation_gives_the_right_result_and_is_timed(build, form):
    found = measured(build, 3, *FORMS[form], "-a", "native", "-i", "3", "--time", "0.02")
    assert not of_kind("error", found)
    assert {row["collective"] for row in of_kind("sample", found)} == EXTENSIONS | COLLECTIVES
    for row in of_kind("sample", found):
        assert 0 <= row["fastest_us"] <= row["mean_us"] <= row["time_us"] + 0.001
        assert row["skew_us"] >= 0


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_nonblocking_forms_are_timed_by_the_algorithms_that_serve_them(build):
    """They are timed up to their end; what goes on beside a computation is told apart."""
    forms = {f"i{name}" for name in COLLECTIVES}
    found = measured(
        build, 4, "--collective", ",".join(forms), "--count=600", "-a", "native,lane,hierarchical",
        "-i", "3", "--time", "0.1", environment={"LANEWAY_NODE_SIZE": "2"},
    )  # fmt: skip
    assert not of_kind("error", found)
    served = {(row["collective"], row["served_by"]) for row in of_kind("sample", found)}
    assert served == {(form, name) for form in forms for name in ("native", "lane", "hierarchical")}
    hidden = of_kind("overlap", found)
    assert {(row["collective"], row["algorithm"]) for row in hidden} == served
    assert all(0 <= row["overlap"] <= 1 and row["whole_us"] > 0 for row in hidden)


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_the_threads_of_a_process_share_the_local_part_of_a_reduction(build):
    asked = ("--collective", "binomial_reduce", "--count=0,1,2,1000", "--root=rotate")
    found = measured(build, 3, *asked, "-a", "native", "--threads", "3", "-i", "4")
    assert not of_kind("error", found)
    assert {row["threads"] for row in of_kind("sample", found)} == {3}
    assert len({row["count"] for row in of_kind("sample", found)}) == 4


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_a_wrong_result_is_found(build, compiled):
    wrong = compiled(build, "wrong_results.c", with_laneway=False, shared=True)
    asked = (
        "--collective",
        "sendrecv,allgatherv,alltoallv,bcast",
        "--count=5",
        "-i",
        "2",
        "-a",
        "native",
    )
    found = measured(build, 2, *asked, code=1, preload=[wrong])
    assert {row["collective"] for row in of_kind("error", found)} == {"sendrecv"}
    assert {row["collective"] for row in of_kind("sample", found)} == {
        "allgatherv", "alltoallv", "bcast"
    }  # fmt: skip


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_every_operator_on_a_type_of_each_group(build, tmp_path):
    pairs = {
        "int": "sum,prod,max,min,land,lor,lxor,band,bor,bxor",
        "unsigned_char": "sum,max,band,lxor",
        "byte": "band,bor,bxor",
        "c_bool": "land,lor,lxor",
        "aint": "sum,min,bxor",
        "long_double": "sum,prod,max",
        "c_double_complex": "sum,prod",
        "double_int": "minloc,maxloc",
        "short_int": "minloc,maxloc",
    }
    plan = [
        f"{datatype}-{op} --datatype {datatype} --op {op}"
        for datatype, ops in pairs.items()
        for op in ops.split(",")
    ]
    found = _planned(
        build, tmp_path, plan, "--collective", "allreduce,reduce_scatter", "--count", "13"
    )
    assert not of_kind("error", found)
    assert {row["block"] for row in of_kind("sample", found)} == {line.split()[0] for line in plan}


def _planned(build, folder, lines, *options):
    path = folder / "plan"
    path.write_text("\n".join(lines))
    return measured(build, 2, *options, "-a", "native", "-i", "2", "--time", "20", "--plan", path)


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_a_plan_is_done_block_by_block(build, tmp_path):
    plan = [
        "# what is planned",
        "first --collective bcast --count 4 --algorithm native,native#b --delay native#b=3",
        "",
        "second --collective pingpong -m 8:8",
    ]
    found = _planned(build, tmp_path, plan)
    blocks = [row["block"] for row in found if row["kind"] in ("sample", "block")]
    assert blocks == sorted(blocks)
    assert [row["samples"] for row in of_kind("block", found)] == [4, 2]
    assert {row["algorithm"] for row in of_kind("sample", found)} == {"native", "native#b"}
    assert found[-1]["kind"] == "progress"
    assert found[-1]["done"] == found[-1]["total"]


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a --collective nonsense", "line 2: unknown collective"),
        ("a --count many", "line 2: --count"),
        ("first", "line 2: there is a block 'first' already"),
        ("a --threads 2", "hold for a whole plan"),
    ],
)
def test_a_plan_is_checked_before_anything_is_measured(build, line, said, tmp_path):
    path = tmp_path / "plan"
    path.write_text(f"first --collective bcast\n{line}\n")
    outcome = jobs.run(build, 2, [build.bench, "--plan", path])
    assert outcome.code == 2
    assert said in outcome.errors
    assert '"sample"' not in outcome.output


@pytest.mark.parametrize("build", jobs.ONE_BUILD)
def test_hops_between_the_first_rank_and_the_last(build):
    (row,) = of_kind("hops", measured(build, 3, "--hops", "--repetitions=4"))
    assert len(row["times_us"]) == 4
    assert min(row["times_us"]) > 0
    measured(build, 1, "--hops", code=2)


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_nodes_of_equal_memory_are_of_one_kind(build, compiled):
    memory = compiled(build, "equal_memory.c", "-ldl", with_laneway=False, shared=True)
    asked = ("--collective", "barrier", "-a", "native", "-i", "1")
    hardware = of_kind("environment", measured(build, 2, *asked, preload=[memory]))[0]["hardware"]
    assert len(hardware) == 1
    assert ", 512 GiB, " in next(iter(hardware))


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_sizes_that_do_not_fit_are_left_out_with_a_note(build):
    found = measured(
        *(build, 2, "--collective", "alltoall", "-m", "1K:4M", "--mem", "0.001", "-i", "2"),
        *("-a", "native"),
    )
    done = {row["bytes"] for row in of_kind("sample", found)}
    left = {row["bytes"] for row in of_kind("note", found)}
    assert done == {1024 << i for i in range(8)}
    assert left == {1024 << i for i in range(8, 13)}
    assert "--mem allows 0.001" in of_kind("note", found)[0]["message"]


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_fewer_ranks_and_threads(build):
    asked = ("--collective", "allreduce", "--count", "10", "-a", "native", "-i", "3")
    some = measured(build, 4, *asked, "-npmin", "1")
    assert {row["ranks"] for row in of_kind("sample", some)} == {1, 2, 4}
    both = of_kind("sample", measured(build, 2, *asked, "--threads", "2"))
    assert {row["threads"] for row in both} == {2}


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_names_of_options_that_people_know(build):
    known = ("-msglog", "3:5", "-iter", "4", "-x", "1", "-off_cache", "0.1", "-mem", "1")
    found = of_kind("sample", measured(build, 2, "--collective", "pingping", *known))
    assert [row["bytes"] for row in found] == [0] * 4 + [8] * 4 + [16] * 4 + [32] * 4
    assert all(row["cold"] for row in found)


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
@pytest.mark.parametrize(
    ("words", "bytes_"),
    [
        (("-m", "1M:"), {1 << 20, 1 << 21, 1 << 22}),
        (("-m", ":4"), {1, 2, 4}),
        (("-m", "4"), {1, 2, 4}),
        (("-msglog", "21:"), {0, 1 << 21, 1 << 22}),
        (("-f", "-m", "8:8"), {8}),
        (("-c", "-m", "8:8"), {8}),
        (("--count=5", "-m", "64:128", "-m8:8"), {8}),
        (("-m", "8:8", "--count", "5,6", "-T", "int"), {20, 24}),
        (("--mes", "8:8", "-place", "node", "--placement="), {8}),
        (("--off-cache", "-1", "-m", "8:8"), {8}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_people_type_for_osu_means_the_same_here(build, words, bytes_):
    found = measured(build, 2, *words, "-i", "1", "bcast", "-a", "native", "-x", "0")
    assert {row["bytes"] for row in of_kind("sample", found)} == bytes_
    assert {row["collective"] for row in of_kind("sample", found)} == {"bcast"}


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
@pytest.mark.parametrize(
    ("ranks", "words", "said"),
    [
        (1, ("pingpong",), "pingpong needs 2 ranks; there is 1"),
        (2, ("bcats",), "unknown collective 'bcats'"),
        (2, ("bcast", "--collective", "barrier"), "named by --collective already"),
        (2, ("start", "bcast"), "'start' is measured for itself"),
        (2, ("bcast", "-m", ""), "--message-size"),
        (2, ("bcast", "--threads", "0"), "--threads: '0' is no number from 1 up"),
        (2, ("bcast", "--message-size"), "--message-size needs a value"),
        (2, ("bcast", "--verify", "maybe"), "--verify: 'maybe' is neither yes nor no"),
        (2, ("bcast", "--me", "8"), "no option '--me'"),  # --mem, --mem-limit, --message-size
    ],
    ids=str,
)
def test_what_makes_no_sense_is_said(build, ranks, words, said):
    outcome = jobs.run(build, ranks, [build.bench, *words])
    assert outcome.code == 2
    assert said in outcome.errors
    assert "sample" not in outcome.output


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_rows_are_text_whatever_the_environment_holds(build):
    """Settings are copied to a row: a byte that is no UTF-8 made it unreadable."""
    odd = 'caf\udce9 "1" \\'  # as Python passes the byte on
    found = measured(build, 1, "barrier", "-a", "native", "-i", "1", LANEWAY_ODD=odd)
    (row,) = of_kind("environment", found)
    assert row["settings"]["LANEWAY_ODD"] == 'caf\ufffd "1" \\'


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_a_barrier_is_one_case(build):
    found = measured(build, 2, "barrier", "-m", "0:4M", "-a", "native", "-i", "2")
    assert [row["bytes"] for row in of_kind("sample", found)] == [0, 0]


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_pairs_are_of_an_even_number_of_ranks(build):
    """Who has no partner neither takes part nor counts in the averages."""
    found = measured(build, 3, "pingpong", "-m", "4:8", "-i", "2", "--arrival", "late:20000")
    assert {row["ranks"] for row in of_kind("averages", found)} == {2}
    # Rank 1 comes late, so that the times of two differ: their mean is no third's.
    for row in of_kind("sample", found):
        assert 2 * row["mean_us"] == pytest.approx(row["time_us"] + row["fastest_us"], abs=0.01)
    said = [row["message"] for row in of_kind("note", found)]
    assert said == ["ranks play in pairs: the last of 3 takes no part"]


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_messages_of_many_pieces_arrive_whole(build):
    """Messages of more than a window of pieces go on when the first ones have arrived."""
    asked = ("--collective", "allreduce,allgather,alltoall", "--count=600001")
    by = "rabenseifner,recursive_multiplying,bruck,ring,pairwise,linear"
    found = measured(build, 4, *asked, "-a", by, "-i", "1", "--time", "0.1")
    assert not of_kind("error", found)
    assert {row["collective"] for row in of_kind("sample", found)} == set(asked[1].split(","))


# ---- blocks of vector collectives ----------------------------------------------------------------

VECTORS = ("allgatherv", "gatherv", "scatterv", "reduce_scatter", "alltoallv", "alltoallw")
PAIRS = ("alltoallv", "alltoallw")
LAYOUTS = ("equal", "ramp", "single", "random", "sparse")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("build", jobs.BUILDS)
def test_blocks_of_every_layout_on_every_number_of_ranks(build, layout):
    """-npmin: on 1, 2, 4 and 5 ranks."""
    asked = ("--layout", layout, "--count=0,1,7,1p", "--root=rotate", "-a", "native", "-i", "1")
    for more in ((), ("--in-place",)):
        found = measured(build, 5, *VECTORS, *asked, *more, "-npmin", "1", "--time", "0.01")
        assert not of_kind("error", found)
        samples = of_kind("sample", found)
        assert {(row["collective"], row["layout"]) for row in samples} == {
            (name, layout) for name in VECTORS
        }
        assert {row["ranks"] for row in samples} == {1, 2, 4, 5}


NEIGHBORS = ("neighbor_alltoallv", "neighbor_alltoallw")


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_neighbours_are_the_pairs_that_have_something_for_each_other(build, tmp_path):
    """By every algorithm, blocking and not; what they exchange is checked before it is timed."""
    of_a_file = counts_file(tmp_path, ["0 1 0 3", "0 0 0 0", "9 0 2 0", "0 4 0 5"])
    forms = (*NEIGHBORS, *(f"i{name}" for name in NEIGHBORS))
    # MPICH 4.0.2's own one is wrong where a process has several targets (docs/interposition.md).
    known = NATIVE_W if build.library == "MPICH 4.0.2" else set()
    asked = ("--count=0,9", "-i", "1", "--time", "0.01")
    for layout in ("sparse", "stencil", "single", of_a_file):
        outcome = jobs.run(build, 4, [build.bench, *forms, "--layout", layout, *asked],
                           LANEWAY_NODE_SIZE="2")  # fmt: skip
        found = [*rows.read(outcome.output.splitlines())]
        wrong = {(row["collective"], row["algorithm"]) for row in of_kind("error", found)}
        assert wrong <= known, outcome.told
        samples = of_kind("sample", found)
        assert {row["collective"] for row in samples} == {*forms}
        assert {row["algorithm"] for row in samples} == {"native", "lane", "node_aware", "sparse"}
    right = [name for name in NEIGHBORS if (name, "native") not in known]
    pairs = crossings(build, 4, "alltoallv", *right, "--layout", of_a_file, node_size=2)
    assert len({*pairs.values()}) == 1


def sampled(build, ranks, *options, node_size=1):
    """A row of each collective by native; nodes of so many ranks."""
    asked = (*options, "-a", "native", "-i", "1", "--time", "0.01")
    found = measured(build, ranks, *asked, LANEWAY_NODE_SIZE=str(node_size))
    assert not of_kind("error", found)
    return {row["collective"]: row for row in of_kind("sample", found)}


def crossings(*asked, **more):
    """The data that a call must bring from node to node, by collective."""
    return {name: Crossing.of_row(row) for name, row in sampled(*asked, **more).items()}


def laid_out(layout, mean, ranks):
    """The counts of a layout that its description gives, by rank and between pairs."""
    all_of = mean * ranks
    fourth = dict.fromkeys(range(0, ranks, 4), all_of // -(-ranks // 4))
    blocks = {
        "equal": [mean] * ranks,
        "ramp": [2 * mean * rank // (ranks - 1) for rank in range(ranks)],
        "single": [0] * (ranks - 1) + [all_of],
        "sparse": [fourth.get(rank, 0) for rank in range(ranks)],
    }[layout]
    each = all_of * ranks // (2 * ranks - 1)
    apart = {ranks // 4, ranks // 2, 3 * ranks // 4}
    pairs = {
        "equal": lambda *_: mean,
        "ramp": lambda one, two: blocks[(one + two) % ranks],
        "single": lambda one, two: each if ranks - 1 in (one, two) else 0,
        "sparse": lambda one, two: all_of // 3 if (two - one) % ranks in apart else 0,
    }[layout]
    return blocks, [[pairs(one, two) for two in range(ranks)] for one in range(ranks)]


@pytest.mark.parametrize("layout", [each for each in LAYOUTS if each != "random"])
@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_blocks_are_as_the_layout_says(build, layout):
    """With a node for each rank, what must cross follows from the counts alone."""
    ranks, mean = 8, 21  # which three partners share
    blocks, pairs = laid_out(layout, 4 * mean, ranks)  # in bytes of ints
    found = crossings(build, ranks, *VECTORS, "--layout", layout, f"--count={mean}", "--root=5")
    for name in VECTORS:
        expected = of_pairs(pairs) if name in PAIRS else of_blocks(name, blocks, 5)
        if layout == "single" and name in PAIRS:  # whole elements
            assert found[name].bytes == pytest.approx(expected.bytes, rel=0.01)
        else:
            assert found[name] == expected, name


@pytest.mark.parametrize("layout", [each for each in LAYOUTS if each != "random"])
@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_rows_name_the_count_of_the_longest_block(build, layout):
    ranks, mean = 8, 15  # which divides among all pairs, and partners
    blocks, pairs = laid_out(layout, mean, ranks)
    rows = sampled(build, ranks, *VECTORS, "--layout", layout, f"--count={mean}")
    for name in VECTORS:
        longest = max(map(max, pairs)) if name in PAIRS else max(blocks)
        assert rows[name]["longest"] == longest, name


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_random_blocks_are_alike_in_all_runs_and_differ(build):
    asked = (*VECTORS, "--layout", "random", "--count=1000")
    one, two = (crossings(build, 6, *asked, "--seed", seed) for seed in ("1", "2"))
    assert one == two
    equal = crossings(build, 6, *VECTORS, "--count=1000")
    for name in VECTORS:
        assert one[name] != equal[name]
        assert 0 < one[name].bytes < 2 * equal[name].bytes


def counts_file(folder, lines, name="counts.txt"):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return f"file:{path}"


BLOCKS = ["# of four ranks", "3", "0  # nothing", "", "7", "1"]
MATRIX = ["0 1 2 3", "4 0 0 0", "# the third", "9 9 9 9", "0 0 0 5"]


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_counts_of_a_file(build, tmp_path):
    """The mean of the counts is the count of the rows; nodes have two ranks each."""
    one, two = [3, 0, 7, 1], [[0, 1, 2, 3], [4, 0, 0, 0], [9, 9, 9, 9], [0, 0, 0, 5]]
    layout = counts_file(tmp_path, BLOCKS)
    asked = ("--layout", layout, "-T", "short", "--count=5,6", "--root=rotate")
    found = crossings(build, 4, *VECTORS[:4], *asked, node_size=2)
    by_node = [2 * sum(one[:2]), 2 * sum(one[2:])]
    assert found == {
        **{name: of_blocks(name, by_node) for name in ("allgatherv", "reduce_scatter")},
        **{name: Crossing(min(by_node), 1) for name in ("gatherv", "scatterv")},
    }
    matrix = counts_file(tmp_path, MATRIX, "matrix")
    found = crossings(build, 4, *PAIRS, "--layout", matrix, node_size=2)
    nodes = [[sum(4 * two[i][j] for i in (a, a + 1) for j in (b, b + 1)) for b in (0, 2)]
             for a in (0, 2)]  # fmt: skip
    assert found == dict.fromkeys(PAIRS, of_pairs(nodes))
    rows = measured(build, 4, *PAIRS, "--layout", matrix, "-a", "native", "-i", "1")
    (row, *others) = of_kind("sample", rows)
    assert {each["longest"] for each in (row, *others)} == {9}
    assert (row["layout"], row["count"], row["bytes"]) == ("file:matrix", 3, 12)
    assert len(row["layout_digest"]) == 16
    assert {each["layout_digest"] for each in others} == {row["layout_digest"]}


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_counts_of_a_file_in_place(build, tmp_path):
    symmetric = counts_file(tmp_path, ["1 2 3", "2 0 5", "3 5 9"])
    asked = ("--in-place", "-a", "native", "-i", "1", "--layout")
    assert not of_kind("error", measured(build, 3, *PAIRS, *asked, symmetric))
    blocks = counts_file(tmp_path, ["1", "0", "5"])
    assert not of_kind("error", measured(build, 3, *VECTORS[:4], *asked, blocks))


@pytest.mark.parametrize("build", jobs.BUILDS)
def test_files_of_other_counts_are_told_apart(build, tmp_path):
    digests = set()
    for lines in (["1", "2"], ["2", "1"]):
        layout = counts_file(tmp_path, lines)
        found = measured(build, 2, "allgatherv", "--layout", layout, "-a", "native", "-i", "1")
        digests |= {row["layout_digest"] for row in of_kind("sample", found)}
    assert len(digests) == 2


@pytest.mark.parametrize("build", jobs.BUILDS)
@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("allgatherv", ["1"], "line 1: 1 line of counts, where allgatherv among 2 ranks needs one"),
        ("allgatherv", ["1", "#", "2", "3"], "line 4: 3 lines of counts"),
        ("allgatherv", ["1 2", "1 2"], "line 1: 2 counts, where allgatherv among 2 ranks has 1"),
        ("alltoallv", ["1", "2"], "line 1: 1 count, where alltoallv among 2 ranks has 2 a line"),
        ("alltoallw", ["1 2", "2 1 0"], "line 2: 3 counts, where alltoallw"),
        ("gatherv", ["1", "-1"], "line 2: '-1' is no count"),
        ("gatherv", ["1", "", "two"], "line 3: 'two' is no count"),
        ("gatherv", ["2147483648", "1"], "line 1: '2147483648' is no count"),
        ("gatherv", ["1.5", "1"], "line 1: '1.5' is no count"),
        ("gatherv", ["# none"], "there is no count in it"),
        ("alltoallv", ["1 2", "3 4"], "line 2: rank 1 sends 3 to rank 0, which sends 2 back"),
        ("alltoallw", None, "cannot read"),
    ],
    ids=str,
)
def test_a_bad_file_of_counts_is_said(build, name, lines, said, tmp_path):
    layout = f"file:{tmp_path}/none" if lines is None else counts_file(tmp_path, lines)
    outcome = jobs.run(build, 2, [build.bench, name, "--layout", layout, "--in-place"])
    assert outcome.code == 2
    assert f"--layout: {layout.removeprefix('file:')}" in outcome.errors or lines is None
    assert said in outcome.errors
    assert "sample" not in outcome.output


@pytest.mark.parametrize("build", jobs.BUILDS[:1])
def test_a_bad_file_of_counts_is_said_without_a_job_and_in_a_plan(build, tmp_path):
    layout = counts_file(tmp_path, ["1", "x"])
    checked = subprocess.run(
        [build.bench, "allgatherv", "--layout", layout, "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 2
    assert "line 2: 'x' is no count" in checked.stderr
    plan = tmp_path / "plan"
    plan.write_text(f"one --collective allgatherv --layout {layout}\n")
    outcome = jobs.run(build, 2, [build.bench, "--plan", plan])
    assert outcome.code == 2
    assert f"{plan}, line 1: --layout: {tmp_path}/counts.txt, line 2" in outcome.errors
    unknown = jobs.run(build, 2, [build.bench, "allgatherv", "--layout", "nosuch"])
    assert unknown.code == 2
    names = "equal, ramp, single, random, sparse, stencil, file:PATH"
    assert f"'nosuch' is none of {names}" in unknown.errors
