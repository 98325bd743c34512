# SPDX-License-Identifier: BSD-3-Clause
"""Vector collectives whose blocks differ, in `laneway simulate` and `laneway explain schedule`."""

import json
import math
from dataclasses import asdict

import pytest

from commands import laneway
from crossings import BETWEEN_PAIRS, of_blocks, of_pairs
from laneway.collectives import EQUAL, NEIGHBORS, OF_A_FILE, REGULAR, VECTORS
from laneway.libraries import native
from laneway.simulation import machine, program
from laneway.simulation.program import Call

pytestmark = pytest.mark.skipif(not native.installed(), reason="no native build is installed")

NAMED = ("equal", "ramp", "single", "random", "sparse")
SERVED = sorted({*VECTORS} - {"alltoallw", *NEIGHBORS})  # these are served as an alltoallv
INT = 4


def rows_of(*words):
    ran = laneway(*words, "--json")
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("shape", ["4,4,4", "1,1,1", "3,1,2"])
@pytest.mark.parametrize("collective", SERVED)
def test_nothing_is_faster_than_its_blocks_allow(collective, shape):
    found = rows_of("simulate", collective, "--ppn", shape, "--layout", ",".join(NAMED),
                    "--count", "1,500")  # fmt: skip
    assert {row["layout"] for row in found} == {*NAMED}
    for row in found:
        assert row["median_us"] >= row["floor_us"] * (1 - 1e-6), row


def counts_of(collective):
    """The counts of two nodes of two ranks and one, a line a rank."""
    if collective in BETWEEN_PAIRS:
        return [[1, 2, 3], [4, 0, 6], [0, 8, 9]]
    return [[5], [0], [7]]


def expected(collective):
    counts = counts_of(collective)
    if collective in BETWEEN_PAIRS:
        return of_pairs([[0, INT * (3 + 6)], [INT * (0 + 8), 0]])
    first, second, third = (INT * count for (count,) in counts)
    return of_blocks(collective, [first + second, third])


@pytest.mark.parametrize("collective", SERVED)
def test_a_file_has_the_counts(collective, tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("".join(f"{' '.join(map(str, line))}\n" for line in counts_of(collective)))
    layout = f"{OF_A_FILE}{path}"
    call = Call(collective, "hierarchical", 0, [2, 1], layout=layout)
    (result,) = program.lines("time", {**call.options, **machine.load("example").options})
    assert result["crossing"] == asdict(expected(collective))
    (row,) = rows_of("simulate", collective, "--ppn", "2,1", "--algorithm", "hierarchical",
                     "--layout", layout)  # fmt: skip
    assert (row["layout"], row["count"]) == ("file:counts.txt", result["count"])


def test_counts_below_one_on_average_are_counts(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("0\n0\n0\n1\n")
    schedule, *_ = rows_of("explain", "schedule", "gatherv", "--algorithm", "linear",
                           "--layout", f"file:{path}", "--nodes", 2, "--ppn", 2)  # fmt: skip
    assert (schedule["messages"], schedule["process_bytes"]) == (1, INT)


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (("gatherv", "linear", "single"), 1),
        (("gatherv", "linear", "sparse"), 3),  # from ranks 4, 8 and 12 to rank 0
        (("gatherv", "lane", "sparse"), 3),  # a short block alone goes straight
        (("scatterv", "lane_segmented", "single"), 1),
        (("scatterv", "linear", "ramp"), 15),  # rank 0 has nothing
        (("alltoallv", "sparse", "sparse"), 48),
        (("alltoallv", "sparse", "single"), 30),
    ],
)
def test_who_has_nothing_sends_nothing(words, messages):
    collective, algorithm, layout = words
    schedule, *_ = rows_of("explain", "schedule", collective, "--algorithm", algorithm,
                           "--layout", layout, "--count", 16, "--nodes", 4, "--ppn", 4)  # fmt: skip
    assert (schedule["messages"], schedule["layout"]) == (messages, layout)


def around(one, other, lengths):
    """Whether two ranks are around each other in a grid whose ends meet."""
    places = [[], []]
    for length in reversed(lengths):
        for place, rank in zip(places, (one, other), strict=True):
            place.append(rank % length)
        one, other = one // length, other // length
    steps = [
        {(own - its) % length, (its - own) % length}
        for own, its, length in zip(*places, reversed(lengths), strict=True)
    ]
    return all(step & {0, 1} for step in steps)


@pytest.mark.parametrize(
    ("lengths", "neighbors"), [((2, 2, 4), 11), ((3, 3, 3), 26), ((4, 4, 4), 26), ((1, 1, 7), 2)]
)
@pytest.mark.parametrize("collective", ["alltoallv", "neighbor_alltoallv"])
def test_ranks_exchange_with_those_around_them_in_a_grid(collective, lengths, neighbors):
    ranks = math.prod(lengths)
    mean = 3 * neighbors
    pairs = [
        [
            INT * mean * ranks // neighbors if one != other and around(one, other, lengths) else 0
            for other in range(ranks)
        ]
        for one in range(ranks)
    ]
    assert {sum(map(bool, row)) for row in pairs} == {neighbors}
    call = Call(collective, "sparse", mean, [1] * ranks, layout="stencil")
    (result,) = program.lines("time", {**call.options, **machine.load("example").options})
    assert result["crossing"] == asdict(of_pairs(pairs))
    (found,) = program.lines("explain", call.options)
    assert found["messages"] == ranks * neighbors


@pytest.mark.parametrize("collective", sorted({*SERVED} - {*BETWEEN_PAIRS}))
def test_collectives_with_a_block_a_rank_have_no_layout_of_pairs(collective):
    ran = laneway("simulate", collective, "--layout", "stencil", "--algorithm", "lane")
    assert ran.returncode == 2
    assert f"--layout stencil: {collective} has no blocks between pairs of ranks" in ran.stderr


@pytest.mark.parametrize("collective", SERVED)
def test_a_schedule_of_equal_blocks_is_explained_as_the_regular_one_s(collective):
    words = ("--algorithm", "lane", "--nodes", 2, "--ppn", 2)
    said = laneway("explain", "schedule", collective, *words)
    assert said.returncode == 0, said.stderr
    heard = laneway("explain", "schedule", REGULAR[collective], *words).stdout.splitlines()
    least = next(line for line in heard if "at most double in each" in line)
    assert least in said.stdout.splitlines()


def test_short_blocks_take_a_round_on_the_lanes_however_they_differ():
    """Round the nodes, long ones of one node would take a round for each other node."""
    words = ("--algorithm", "lane_segmented", "--count", 64, "--nodes", 4, "--ppn", 4)
    for layout in NAMED:
        rows = rows_of("explain", "schedule", "allgatherv", *words, "--layout", layout)
        (one,) = (row for row in rows if row["kind"] == "round" and row["on_lanes"])
        assert one["on_lanes"] <= 4 * 4 * 3, f"{layout}: a message a lane for each pair of nodes"


# ---- bars ----------------------------------------------------------------------------------------

SHORT = 8
"""Bytes of a block."""


@pytest.mark.parametrize(("nodes", "ppn", "linear"), [(16, 4, "pairwise"), (64, 16, "sparse")])
def test_short_blocks_by_digits_are_ten_times_as_fast_as_one_by_one(nodes, ppn, linear):
    """Open MPI 4.1 sends a message for each pair: of 64 ranks in rounds, of 1024 at once."""
    what = ("alltoallv", "--count", SHORT // INT, "--algorithm", "native,tuna")
    where = ("--machine", "example", "--nodes", nodes, "--ppn", ppn, "--native", "openmpi-4.1")
    found = {row["algorithm"]: row for row in rows_of("simulate", *what, *where)}
    assert found["native"]["served_by"] == linear
    assert found["tuna"]["ratio_to_native"] >= 10


@pytest.mark.parametrize(("nodes", "ppn", "rounds"), [(16, 4, 3), (64, 16, 5)])
def test_messages_and_memory_of_a_process_are_few_by_digits(nodes, ppn, rounds):
    ranks, radix = nodes * ppn, 4
    shape = ("--nodes", nodes, "--ppn", ppn, "--count", SHORT // INT)
    by_digits, one_by_one = (
        rows_of("explain", "schedule", "alltoallv", "--algorithm", name, *shape)[0]
        for name in ("tuna", "sparse")
    )
    assert by_digits["rounds"] == rounds
    assert by_digits["process_messages"] == (radix - 1) * rounds
    assert one_by_one["process_messages"] == ranks - 1
    assert by_digits["scratch_bytes"] <= 2 * ranks * SHORT


ALL_BYTES = 4 << 20
TWO_LANES = """
name = "lanes"
[lanes]
number = 2
bandwidth = "200 Mbit/s"
"""

OVER_FLOOR = 1.25


def over_floor(collective, machine_file, *shape):
    """Times over the floor of 4 MB in all, by layout: the faster of two algorithms."""
    ranks = sum(int(own) for own in shape[1].split(","))
    blocks = ranks * ranks if collective in BETWEEN_PAIRS else ranks
    words = ("--machine", machine_file, *shape, "--algorithm", "lane,lane_segmented")
    sizes = ("--layout", ",".join(NAMED), "--count", ALL_BYTES // blocks // INT)
    found = {}
    for row in rows_of("simulate", collective, *words, *sizes):
        least = row["floor_us"]
        over = row["median_us"] / least if least else math.inf if row["median_us"] else 1.0
        found[row["layout"]] = min(over, found.get(row["layout"], math.inf))
    assert {*found} == {*NAMED}
    return found


@pytest.fixture
def two_lanes(tmp_path):
    path = tmp_path / "lanes.toml"
    path.write_text(TWO_LANES)
    return path


@pytest.mark.parametrize(
    ("shape", "alone"),
    [
        (("--ppn", "4,4,4,1"), 2),  # a node of one process has one lane of two
        (("--ppn", "4,4,4,2"), 1),
        (("--ppn", "4,4,4,4", "--placement", "cyclic"), 1),
        (("--ppn", "1,1,1,1"), 1),
        (("--ppn", "4", "--nodes", "1"), 1),
    ],
    ids=("4+4+4+1", "4+4+4+2", "cyclic", "one a node", "one node"),
)
@pytest.mark.parametrize("collective", SERVED)
def test_long_blocks_are_near_the_floor_wherever_ranks_are(collective, shape, alone, two_lanes):
    for layout, over in over_floor(collective, two_lanes, *shape).items():
        assert over <= OVER_FLOOR * alone, layout


def test_one_process_with_everything_uses_all_lanes():
    said = laneway("explain", "schedule", "gatherv", "--algorithm", "lane", "--layout", "single",
                   "--count", 1000, "--nodes", 4, "--ppn", 4).stdout  # fmt: skip
    assert said.startswith("gatherv of layout single, lane: 3.91 KiB, 4 nodes x 4 ranks, 2 lanes\n")
    assert "must carry 31.2 KiB: this carries 1.00 times as much on the busiest" in said
    assert "--layout single" in said.splitlines()[-1]


def test_the_fastest_is_told_by_layout():
    said = laneway("simulate", "allgatherv", "bcast", "--layout", f"{EQUAL},single",
                   "--algorithm", "lane,hierarchical", "--count", "1000").stdout  # fmt: skip
    *winners, further = said.splitlines()[-4:]
    assert ["of layout single" in line for line in winners] == [False, True, False]
    assert "laneway compare allgatherv bcast --count 1000 --layout equal,single" in further


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bcast", "ramp"), "--layout: bcast is no vector collective"),
        (("gatherv", "ramps"), "--layout: 'ramps', did you mean ramp? Known: "),
        (("gatherv", "file:nothing.txt"), "--layout: cannot read nothing.txt"),
        (("gatherv", "file:."), "--layout: cannot read ."),
    ],
)
def test_layouts_that_there_are_none_of(words, said):
    collective, layout = words
    ran = laneway("explain", "schedule", collective, "--algorithm", "lane", "--layout", layout)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"laneway: {said}")


def test_a_file_for_other_ranks_is_told_with_its_line(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("1\n2\n# three\n3\n4 5\n")
    for ranks, line in ((4, 5), (3, 5)):
        ran = laneway("simulate", "gatherv", "--ppn", ",".join(["1"] * ranks), "--algorithm",
                      "lane", "--layout", f"file:{path}")  # fmt: skip
        assert ran.returncode == 2
        assert f"{path}, line {line}: 2 counts" in ran.stderr
