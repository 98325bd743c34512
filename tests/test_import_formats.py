# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of other benchmarks, by version, part and launcher: read, or left out with a reason."""

import codecs
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from laneway.campaign import Folder
from laneway.cli import cli
from laneway.errors import Misuse
from laneway.results.imports import import_files, parse
from laneway.results.imports.table import DamageError
from laneway.results.imports.text import decoded

OUTPUTS = Path(__file__).parent / "outputs"

RULE = f"#{'-' * 60}\n"
RANGE = "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"


def imb(title, *rows, processes="# #processes = 4 \n", columns=RANGE):
    """A table of the Intel MPI Benchmarks."""
    return f"{RULE}# Benchmarking {title} \n{processes}{RULE}{columns}{''.join(rows)}\n"


def row(size, most, reps=1000):
    return f"{size:13d}{reps:13d}{most - 1:13.2f}{most:13.2f}{most - 0.5:13.2f}\n"


def osu(title, *rows, columns="# Size       Avg Latency(us)\n", version=" v7.5"):
    """A table of the OSU micro-benchmarks."""
    return f"\n# OSU MPI{title} Test{version}\n{columns}{''.join(rows)}"


def times(text):
    return [(each.collective, each.bytes, each.time_us) for each in parse(text).entries]


def left_out(text):
    return [str(each) for each in parse(text).left_out]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        (
            "imb-multi",
            [("allreduce", 2, 7), ("allreduce", 4, 17), ("bcast", 2, 3), ("bcast", 4, 4)],
        ),
        ("imb-timeout", [("alltoall", 144, 3490.81), ("barrier", 144, 14.03)]),
        ("imb-tail", [("pingpong", 2, 1.17), ("pingpong", 2, 1.8)]),
        ("imb-nbc", [("iallreduce", 4, 6), ("iallreduce_pure", 4, 6.1)]),
        ("osu-tagged", [("allreduce", None, 21.76), ("allreduce", None, 22.88)]),
        ("osu-iallreduce", [("iallreduce", None, 50.52), ("iallreduce", None, 66.14)]),
        ("osu-full-header", [("reduce", None, 50.89), ("reduce", None, 50.2)]),
        ("osu-persistent", [("allreduce_init", None, 9.55), ("allreduce_init", None, 9.61)]),
        ("osu-stopped", [("alltoall", None, 10.05)]),
    ],
)
def test_each_time_stands_under_its_own_name(name, right):
    found = parse((OUTPUTS / f"{name}.txt").read_text()).entries
    assert [(each.collective, each.more.get("ranks"), each.time_us) for each in found] == right


def test_columns_whose_heads_were_forgotten_are_read():
    first, _ = parse((OUTPUTS / "osu-full-header.txt").read_text()).entries
    assert first.more == {"min_us": 18.27, "max_us": 89.23, "repetitions": 1000, "memory": "CUDA"}


def test_the_last_line_of_a_job_that_was_ended_is_named():
    told = left_out((OUTPUTS / "osu-stopped.txt").read_text())
    assert (
        "line 5: a part of 10. is missing: a latency has 2 decimals; the table ends there" in told
    )
    assert "lines 6 to 7: no output of the benchmark" in told


@pytest.mark.parametrize(
    ("end", "complaint"),
    [
        ("", "1 figure in a table of 2 columns"),
        (" 1", "a part of 1 is missing"),
        (" 10.1", "a part of 10.1 is missing"),
    ],
)
def test_a_line_is_cut_at_the_end_of_a_table_and_damaged_within(end, complaint):
    cut = osu(" Bcast Latency", "1   5.00\n", f"2  {end}\n")
    assert times(cut) == [("bcast", 1, 5.0)]
    assert left_out(cut) == [
        next(each for each in left_out(cut) if each.startswith("line 5:") and complaint in each)
    ]
    assert times(cut + osu(" Reduce Latency", "1 6.00\n"))[1:] == [("reduce", 1, 6.0)]
    with pytest.raises(DamageError, match=f"line 5: {complaint}"):
        parse(cut + "4   7.00\n")


def test_one_time_alone_has_its_decimals():
    with pytest.raises(Misuse, match="line 4: a part of 1 is missing"):
        parse(osu(" Barrier Latency", "    1\n", columns="# Avg Latency(us)\n"))


OVERLAP = "       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"
FULL = "# Size   Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"
PURE = "# Size  Overall(us)  Compute(us)  Pure Comm.(us)  Overlap(%)\n"

VARIANTS = {
    "IMB -multi 1 has a column for groups": (
        imb(
            "Multi-Allreduce", "\n", "    0   1024 1000 5.00 7.00 6.00\n",
            "    1   1024 1000 5.00 8.00 6.00\n",
            processes="# ( 2 groups of 2 processes each running simultaneous ) \n"
            "# Group  0:     0    1\n# \n# Group  1:     2    3\n# \n",
            columns=f"        Group{RANGE}",
        ),
        [("allreduce", 1024, 7.0), ("allreduce", 1024, 8.0)],
        [],
    ),
    "IMB leaves out what does not fit": (
        imb("Bcast", row(1024, 5), "         2048 int-overflow.; The production rank*size\n",
            "         4096 out-of-mem.; needed X=  0.031 GB; use flag\n"),
        [("bcast", 1024, 5.0)],
        ["line 7: int-overflow, as the benchmark itself says",
         "line 8: out-of-mem, as the benchmark itself says"],
    ),
    "IMB-RMA": (
        "#    Intel(R) MPI Benchmarks 2021.3, MPI-RMA part\n"
        + imb("Unidir_put", "0 100 5.00 1.00\n4 100 5.00 1.00\n",
              columns="#bytes #repetitions t[usec] Mbytes/sec\n")
        + imb("Truly_passive_put", "0 100 5.00 1.00\n",
              columns="#bytes #repetitions t_pure[usec] t_ovrl[usec]\n")
        + imb("Bcast", row(4, 5)),
        [("bcast", 4, 5.0)],
        ["lines 7 to 8: Unidir_put is no collective of MPI",
         "line 15: Truly_passive_put is no collective of MPI"],
    ),
    "IMB-EXT, aggregate": (
        imb("Accumulate", "0 100 5.00 5.00 5.00 0.00\n", columns="#\n#    MODE: AGGREGATE \n#\n"
            "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] defects\n")
        + imb("Bcast", row(4, 5)),
        [("bcast", 4, 5.0)],
        ["line 9: Accumulate is no collective of MPI"],
    ),
    "IMB-MPI1 bandwidths of many pairs": (
        imb("Biband", "1 1000 3.00 4000000\n", columns="#bytes #repetitions Mbytes/sec Msg/sec\n")
        + imb("Bcast", row(4, 5)),
        [("bcast", 4, 5.0)],
        ["line 6: Biband is no collective of MPI"],
    ),
    "IMB-P2P times all pairs at once": (
        "#    Intel(R) MPI Benchmarks 2021.7, IMB-P2P part\n"
        + imb("PingPong", "            0         1000         0.20         0.00      4000000\n",
              columns=" #bytes #repetitions t[usec] Mbytes/sec Msg/sec\n")
        + imb("Bcast", row(4, 5)),
        [("bcast", 4, 5.0)],
        ["line 7: PingPong is a rate of many pairs at once"],
    ),
    "IMB-MT": (
        imb("AllreduceMT", "            8          100         3.00         4.00         3.50\n",
            processes="# #processes = 4 (threads: 2)\n") + imb("Bcast", row(4, 5)),
        [("bcast", 4, 5.0)],
        ["line 6: AllreduceMT is no collective of MPI"],
    ),
    "IMB-NBC barrier": (
        imb("Ibarrier", "         1000         9.00         4.00         5.00        20.00\n",
            columns=" #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"),
        [("ibarrier", 0, 4.0)],
        [],
    ),
    "IMB-MPI4 persistent": (
        imb("Allreduce_persist", "4 1000 9.00 4.00 5.00 20.00\n", columns=OVERLAP)
        + imb("Bcast_pure_persistent", row(4, 5)),
        [("allreduce_init", 4, 4.0), ("bcast_init_pure", 4, 5.0)],
        [],
    ),
    "IMB halo": (
        "# Benchmarking Halo (processes: 8; threads: 1; dimensions: 3)\n"
        "1024(x12)(bytes) 12.3(usec) 998.1(Mb/s)\n" + imb("Bcast", row(4, 5)),
        [("bcast", 4, 5.0)],
        ["line 2: figures under no head that is understood"],
    ),
    "IMB of which a title is not known": (
        imb("Allreduce", row(4, 9)) + imb("All/reduce-2", row(4, 5)) + imb("Bcast", row(4, 7)),
        [("allreduce", 4, 9.0), ("bcast", 4, 7.0)],
        ["line 13: figures under no head that is understood"],
    ),
    "IMB of which a title is lost among other output": (
        imb("Allreduce", row(4, 9)) + f"{RULE}[n1:7] warning # Benchmarking Bcast\n"
        f"# #processes = 4\n{RULE}{RANGE}{row(4, 5)}",
        [("allreduce", 4, 9.0)],
        ["line 9: no output of the benchmark",
         "line 13: figures under no head that is understood"],
    ),
    "IMB of which a whole head but its columns is lost": (
        imb("Allreduce", row(4, 9)) + RANGE + row(4, 5),
        [("allreduce", 4, 9.0)],
        ["line 9: figures under no head that is understood"],
    ),
    "IMB warnings between lines": (
        imb("Allgather", row(4, 9), "libibverbs: Warning: couldn't load driver 'mlx5'\n",
            "[1700000000.1] [n1:77:0] ucp_context.c:1 UCX WARN 3 devices\n", row(8, 10)),
        [("allgather", 4, 9.0), ("allgather", 8, 10.0)],
        ["lines 7 to 8: no output of the benchmark"],
    ),
    "OSU noise between lines": (
        osu(" Allgather Latency", "4  9.00\n", "[n1:07] 3 more processes have sent help\n",
            "WARNING: There was an error initializing an OpenFabrics device.\n", "8  9.10\n"),
        [("allgather", 4, 9.0), ("allgather", 8, 9.1)],
        ["lines 5 to 6: no output of the benchmark"],
    ),
    "OSU comment of a script ends the table": (
        osu(" Allgather Latency", "4  9.00\n", "# and now by tcp\n", "4  99.00\n"),
        [("allgather", 4, 9.0)],
        ["line 6: figures under no head that is understood"],
    ),
    "OSU 7 percentiles, validation": (
        osu(" Allgather Latency", "4  9.00  8.00  9.90  1000  Pass  9.00  9.80  9.90\n",
            columns=f"{FULL}  Validation  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)\n"),
        [("allgather", 4, 9.0)],
        [],
    ),
    "OSU 6 derived datatypes": (
        osu(" Allgather Latency", "4  9.00  2\n",
            columns="# Size       Avg Latency(us)  Transmit Size\n", version=" v6.2"),
        [("allgather", 4, 9.0)],
        [],
    ),
    "OSU a column of another kind": (
        osu(" Allgather Latency", "4  9.00  2.00\n",
            columns="# Size       Avg Latency(us)  Energy(J)\n"),
        [],
        "line 4: a column 'Energy(J)' that is not known",
    ),
    "OSU 7 several datatypes": (
        osu(" Allreduce Latency", "4  9.00\n", "# Datatype: MPI_FLOAT.\n",
            "# Size       Avg Latency(us)\n", "4  8.00\n",
            columns="# Datatype: MPI_INT.\n# Size       Avg Latency(us)\n"),
        [("allreduce", 4, 9.0), ("allreduce", 4, 8.0)],
        [],
    ),
    "OSU 7 of which a title is lost": (
        osu(" Allreduce Latency", "4  9.00\n",
            columns="# Datatype: MPI_INT.\n# Size       Avg Latency(us)\n")
        + "\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n4  8.00\n",
        [("allreduce", 4, 9.0)],
        ["line 9: figures under no head that is understood"],
    ),
    "OSU 7.5 titles without a blank": (
        osu(" Non-blocking All-to-All Personalized ExchangeLatency",
            "4  12.00  8.00  6.00  30.00\n", columns=PURE),
        [("ialltoall", 4, 6.0)],
        [],
    ),
    "OSU 5 nonblocking barrier": (
        osu(" Non-blocking Barrier Latency", "  12.00  8.00  6.00  30.00\n",
            columns="# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"
            "# Overall(us)  Compute(us)  Pure Comm.(us)  Overlap(%)\n", version=" v5.9"),
        [("ibarrier", 0, 6.0)],
        [],
    ),
    "OSU 7 neighbours": (
        osu(" Non-blocking Neighborhood All-to-Allw Latency", "4 1.00 1.00 6.00 1.00\n",
            columns=PURE) + osu(" Neighborhood Allgather Latency", "4 5.00\n"),
        [("ineighbor_alltoallw", 4, 6.0), ("neighbor_allgather", 4, 5.0)],
        [],
    ),
    "OSU point to point, one-sided": (
        osu(" Latency Test", "0  1.00\n") + osu(" Multi Latency Test", "0  2.00\n")
        + osu(" Multi-threaded Latency", "0  3.00\n",
              columns="# Number of Sender threads: 1 \n# Size          Latency (us)\n")
        + osu(" Partitioned Latency", "0  4.00\n") + osu("_Put Latency", "0  5.00\n",
              columns="# Window creation: MPI_Win_allocate\n# Synchronization: MPI_Win_flush\n"
              "# Size          Latency (us)\n")
        + osu(" Multiple Bandwidth / Message Rate", "1  5.00  500.00\n",
              columns="# [ pairs: 2 ] [ window size: 64 ]\n"
              "# Size                  MB/s        Messages/s\n"),
        [("pingpong", 0, 1.0)],
        ["line 8: 'Multi Latency' is no collective of MPI",
         "line 13: 'Multi-threaded Latency' is no collective of MPI",
         "line 17: 'Partitioned Latency' is no collective of MPI",
         "line 23: '_Put Latency' is no collective of MPI",
         "line 28: 'Multiple Bandwidth / Message Rate' is no collective of MPI"],
    ),
    "OSU init": (
        osu(" Init", columns="nprocs: 4, min: 67 ms, max: 67 ms, avg: 67 ms\n")
        + osu(" Bcast Latency", "4  5.00\n"),
        [("bcast", 4, 5.0)],
        ["line 3: no output of the benchmark"],
    ),
    "OSU by NCCL, beside it": (
        osu(" Bcast Latency", "4  5.00\n") + "\n# OSU NCCL Allreduce Latency Test v7.5\n"
        "# Size       Avg Latency(us)\n4  6.00\n",
        [("bcast", 4, 5.0)],
        ["line 8: figures under no head that is understood"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_benchmarks_print_is_read_or_named(variant):
    text, right, told = VARIANTS[variant]
    if not right:
        with pytest.raises(Misuse) as error:
            parse(text)
        assert told in str(error.value)
        return
    assert times(text) == right
    assert left_out(text) == told


TAGS = {
    "mpirun --tag-output of Open MPI 4": lambda n: "[1,0]<stdout>:",
    "mpirun --tag-output of Open MPI 5": lambda n: "[prterun-n1-4711@1,0]<stdout>: ",
    "mpirun --timestamp-output": lambda n: f"Thu Sep 14 11:29:{n:02d} 2025<stdout>:",
    "both": lambda n: f"Thu Sep 14 11:29:{n:02d} 2025[1,0]<stdout>:",
    "mpiexec -prepend-rank": lambda n: "[0] ",
    "srun --label": lambda n: " 0: ",
    "poe -labelio": lambda n: "0:",
    "PALS --label": lambda n: "nid000012 0: ",
    "ts": lambda n: f"Sep 14 11:29:{n:02d} ",
    "a log": lambda n: f"2025-09-14T11:29:{n:02d}.123Z stdout | ",
    "a letter": lambda n: "> ",
}


@pytest.mark.parametrize("launcher", TAGS)
@pytest.mark.parametrize("text", [osu(" Bcast Latency", "4  5.00\n", "8  5.10\n"),
                                  imb("Bcast", row(4, 5), row(8, 5.1))])  # fmt: skip
def test_what_launchers_write_before_lines_is_no_part_of_them(launcher, text):
    tag = TAGS[launcher]
    tagged = "".join(f"{tag(n)}{line}\n" for n, line in enumerate(text.split("\n")))
    others = f"{tag(0).replace('0', '3', 1)}[4] 16 7.00\nforeign 9\n"
    assert times(tagged) == times(text) == [("bcast", 4, 5.0), ("bcast", 8, 5.1)]
    assert not left_out(tagged)
    assert times(others + tagged) == times(text)
    assert left_out(others + tagged)[-1].endswith("no output of the benchmark")


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: codecs.BOM_UTF16_LE + text.replace("\n", "\r\n").encode("utf-16-le"),
        lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
        lambda text: text.encode("utf-16-le"),
        lambda text: codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("# OSU", "\x1b[32m# OSU\x1b[0m").encode(),
    ],
)
def test_shells_write_in_several_encodings(encoded):
    text = osu(" Bcast Latency", "4  5.00\n")
    assert times(decoded(encoded(text))) == [("bcast", 4, 5.0)]


ABOUT = {"library": "Sham 1.0", "nodes": None, "ppn": None, "algorithm": "native"}


def samples(tmp_path, text, **about):
    path = tmp_path / "text"
    path.write_text(text)
    folder = Folder(tmp_path / "out")
    told = import_files([path], folder, {**ABOUT, **about})
    return told, [row for row in folder.rows() if row["kind"] == "sample"]


def several(*numbers):
    return "".join(imb("Bcast", row(4, 5), processes=f"# #processes = {n} \n") for n in numbers)


@pytest.mark.parametrize(
    ("about", "shapes"),
    [
        ({"nodes": 2, "ppn": 4}, [(1, 2, None), (1, 4, None), (2, 4, "4,2"), (2, 4, None)]),
        ({"ppn": 4}, [(1, 2, None), (1, 4, None), (2, 4, "4,2"), (2, 4, None)]),
        ({"nodes": 4}, [(1, 2, None), (2, 2, None), (3, 2, None), (4, 2, None)]),
        ({}, [(None, None, None)] * 4),
    ],
)
def test_tables_of_fewer_processes_are_shapes_of_their_own(tmp_path, about, shapes):
    told, rows = samples(tmp_path, several(2, 4, 6, 8), **about)
    assert not told
    assert [(each["nodes"], each["ppn"], each["unequal"]) for each in rows] == shapes
    assert [each["ranks"] for each in rows] == [2, 4, 6, 8]


def test_nodes_are_unknown_where_processes_are_not_the_first_ones(tmp_path):
    mapped = imb(
        "Bcast", row(4, 5), processes="# #processes = 4; rank order (rowwise): \n#  0  2\n"
    )
    groups = "# ( 2 groups of 3 processes each running simultaneous ) \n"
    grouped = imb("Multi-Bcast", row(4, 5), processes=groups)
    told, rows = samples(tmp_path, mapped + grouped + several(16), nodes=2, ppn=4)
    assert [each["nodes"] for each in rows] == [None] * 3
    assert [each.partition(": ")[2] for each in told] == [
        "line 7: nodes unknown: -map has changed the order of processes",
        "line 14: nodes unknown: groups of 3, 4 a node",
        "line 21: nodes unknown: 16 processes are more than 2 nodes x 4",
    ]
    shown = CliRunner().invoke(cli, ["report", str(tmp_path / "out"), "--table"])
    assert shown.exit_code == 0, shown.output
    assert "16 ranks" in shown.stdout


def test_tables_tell_numbers_of_processes_apart(tmp_path):
    samples(tmp_path, several(2, 4, 8), nodes=2, ppn=4)
    shown = CliRunner().invoke(cli, ["report", str(tmp_path / "out"), "--table"]).stdout
    assert [line.split()[-6:-4] for line in shown.splitlines() if "bcast" in line] == [
        ["2", "native"], ["4", "native"], ["4", "native"],
    ]  # fmt: skip
    assert "nodes" in shown
    figure = CliRunner().invoke(cli, ["report", str(tmp_path / "out"), "--json"]).stdout
    lines = [each for each in map(json.loads, figure.splitlines()) if each["figure"] == "time"]
    assert [each["place"] for each in lines] == [
        "Sham 1.0, 1 node x 2 ranks", "Sham 1.0, 1 node x 4 ranks", "Sham 1.0, 2 nodes x 4 ranks",
    ]  # fmt: skip


VECTORS = ("allgatherv", "gatherv", "scatterv", "reduce_scatter", "alltoallv", "alltoallw")


@pytest.mark.parametrize("collective", VECTORS)
def test_collectives_with_blocks_of_any_lengths_are_read(collective):
    named = collective.capitalize()
    banner = "#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part\n"
    assert times(banner + imb(named, row(64, 5))) == [(collective, 64, 5.0)]
    pure = "#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n"
    nbc = imb(f"I{collective}", "64 1000 9.00 6.00 5.00 40.00\n", columns=pure)
    assert times(banner + nbc) == [(f"i{collective}", 64, 6.0)]
    titles = [f" {named} Latency", f" {collective} Latency"]
    if collective.startswith("alltoall"):
        titles.append(f" All-to-All{collective[-1]} Personalized Exchange Latency")
    for title in titles:
        assert times(osu(title, "4 9.00\n")) == [(collective, 4, 9.0)]
        nonblocking = osu(f" Non-blocking{title}", "4 1.00 1.00 6.00 1.00\n", columns=PURE)
        assert times(nonblocking) == [(f"i{collective}", 4, 6.0)]


def test_counts_are_those_of_the_call(tmp_path):
    _, rows = samples(
        tmp_path,
        "#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part\n"
        + imb("Reduce_scatter", row(64, 5)) + imb("Reduce_scatter_block", row(64, 5)),
    )  # fmt: skip
    assert [(each["bytes"], each["count"]) for each in rows] == [(64, 4), (64, 16)], (
        "the one prints bytes of all blocks, the other of one"
    )


def test_what_is_left_out_is_told_and_kept(tmp_path):
    out = tmp_path / "out"
    said = CliRunner().invoke(
        cli, ["campaign", "import", str(OUTPUTS / "osu-stopped.txt"), "--out", str(out)]
    )
    assert said.exit_code == 0
    assert "osu-stopped.txt: line 5: a part of 10. is missing" in said.stderr
    assert any("line 5" in each for each in Folder(out).manifest["left_out"])
    again = CliRunner().invoke(
        cli,
        ["campaign", "import", str(OUTPUTS / "osu-stopped.txt"), "--out", f"{out}2", "--json"],
    )
    assert len(json.loads(again.stdout)["left_out"]) == 2
