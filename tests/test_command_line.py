# SPDX-License-Identifier: BSD-3-Clause
"""One command line: names as MPI and OSU have them, mistakes with what was meant, tables' forms."""

import csv
import functools
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import campaigns
from commands import laneway
from laneway import simulation
from laneway.campaign import bench
from laneway.campaign.bench import must_make_sense
from laneway.cli import cli
from laneway.cluster import cluster
from laneway.cluster.spec import ClusterSpec
from laneway.collectives import choices, collective
from laneway.commands import algorithms
from laneway.commands.shared.console import errors, say
from laneway.commands.shared.forms import Form, markdown, print_fitting, show
from laneway.commands.shared.parameters import Duration
from laneway.errors import Misuse, with_suggestion
from laneway.launching.place import Place
from laneway.libraries import native, profile, registry
from laneway.plans.plan_file import parse
from laneway.showing import averages as averages_shown
from laneway.units import counted, duration, in_full, parse_seconds, parse_size, parse_sizes
from laneway_studies import registry as studies

# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("MPI_Bcast", "bcast"),
        ("mpi_allreduce", "allreduce"),
        ("BCAST", "bcast"),
        ("MPI_Reduce_scatter_block", "reduce_scatter_block"),
        ("reduce-scatter-block", "reduce_scatter_block"),
    ],
)
def test_collectives_may_be_spelled_as_in_mpi(spelled, name):
    assert collective(spelled) == name
    assert parse(f"[[points]]\ncollectives=['{spelled}']\ncounts=[1]", "plan").points[
        0
    ].collectives == (name,)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1K:4K", (1024, 2048, 4096)),
        ("4", (1, 2, 4)),
        (":2", (1, 2)),
        ("2M:", (2**21, 2**22)),
        ("0:2", (0, 1, 2)),
        ("3:20", (3, 6, 12)),
        ("8,64,4k", (8, 64, 4096)),
    ],
)
def test_message_sizes_are_those_of_the_benchmark(text, found):
    assert parse_sizes(text) == found


@pytest.mark.parametrize("text", ["8:4", "many", "1T", "-4", "4K:x", "9999G", ","])
def test_what_is_no_size_is_said(text):
    with pytest.raises(ValueError, match=r"size|large"):
        parse_sizes(text)


def of_plan(sizes):
    return (
        parse(f"[[points]]\ncollectives=['bcast']\nsizes={json.dumps(sizes)}", "plan")
        .points[0]
        .sizes
    )


def test_plans_take_ranges_of_sizes():
    assert of_plan(["1K:4K", "4 KiB", 7]) == (1024, 2048, 4096, 7)
    assert of_plan("8,64,4K") == (8, 64, 4096)


SPELLED = {"4K": 4096, "4k": 4096, "4KiB": 4096, "4 kiB": 4096, "4KIB": 4096, "4 kB": 4000, "7": 7,
           "7 B": 7, "4KB": 4000, "1M": 2**20, "1m": 2**20, "1 MiB": 2**20, "1 MB": 10**6,
           "1mB": 10**6, "2G": 2**31, "0": 0}  # fmt: skip
NO_SIZES = (
    "many",
    "4T",
    "4 K i",
    "1e6",
    "4.5K",
    "K",
    "",
    "٤",
    "4i",
    "4iB",
    "1Mb",
    "4kb",
    "4 gb",
    "8b",
    "4Kib",
    "4 kib",
)
COULD_BE_BITS = "b could mean bits; 1M is 1048576 bytes, 1MB"


@pytest.mark.parametrize("text", SPELLED)
def test_a_size_is_spelled_alike_in_plans_and_on_the_command_line(text):
    assert parse_size(text) == SPELLED[text]
    assert parse_sizes(f"{text},") == (SPELLED[text],)
    if SPELLED[text] < 2**31:
        assert of_plan(text) == of_plan([text]) == (SPELLED[text],)


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_a_size_is_spelled_alike_in_profiles_and_for_the_benchmark(tmp_path):
    build = native.find()
    spelled = [text.replace(" ", "") for text in SPELLED]
    rules = [f"bcast bytes={text} use lane\n" for text in spelled]
    found = profile.check(build, [written(tmp_path, "".join(rules))])
    assert [rule["where"]["bytes"] for rule in found] == [[size] * 2 for size in SPELLED.values()]
    must_make_sense(build.bench, [f"--message-size={','.join(SPELLED)}"])
    for text in filter(str.isascii, NO_SIZES[:-1]):
        with pytest.raises(Misuse, match="is no number"):
            must_make_sense(build.bench, [f"--mem-limit={text}"])
    with pytest.raises(Misuse, match=COULD_BE_BITS):
        must_make_sense(build.bench, ["--message-size=1Mb"])
    (wrong,) = profile.check(build, [written(tmp_path, "bcast bytes=1Mb use lane\n")])
    assert COULD_BE_BITS in wrong["error"]


def written(folder, rules):
    path = folder / "rules.conf"
    path.write_text(f"laneway profile 1\n{rules}")
    return path


TIMES = {"0.5": 0.5, "30": 30, "30s": 30, "20m": 1200, "2h": 7200, "1ms": 1e-3, "1.5 us": 1.5e-6,
         "10ns": 1e-8, "1e-3": 1e-3, "0": 0}  # fmt: skip
NO_TIMES = ("soon", "1d", "-1s", "s", "", "1 0", "1e999", "nan", "inf", "1MS", "1M", "2 H", "30S")


def test_a_time_is_spelled_alike_on_the_command_line_in_plans_and_for_the_benchmark():
    for text, seconds in TIMES.items():
        assert parse_seconds(text) == pytest.approx(seconds), text
        assert Duration(least=0).convert(text, None, None) == pytest.approx(seconds)
    for text in NO_TIMES:
        with pytest.raises(ValueError, match="is no time"):
            parse_seconds(text)
    of_repeat = "[[points]]\ncollectives=['bcast']\ncounts=[1]\n[repeat]\ntime='10ms'\nsilence='2m'"
    repeat = parse(of_repeat, "plan").repeat
    assert (repeat.time, repeat.silence) == (0.01, 120)
    if native.installed():
        bench = native.find().bench
        for text in TIMES:
            must_make_sense(bench, [f"--time={text}", f"--arrival=late:{text}"])
        for text in NO_TIMES:
            with pytest.raises(Misuse, match="is no time"):
                must_make_sense(bench, [f"--time={text}"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["compare", "bcast", "--time", "0"], "'0' is no time at all"),
        (["compare", "bcast", "--timeout", "10ms"], "'10ms': 1s at least"),
        (["calibrate", "--seconds", "1h"], "'1h': 1s at least, 300s at most"),
        (["compare", "bcast", "-m", "1Mb"], COULD_BE_BITS),
        (["explain", "choice", "bcast", "--nodes", 2, "--ppn", 2, "--bytes", "4kb"], COULD_BE_BITS),
        (["tune", "--max-bytes", "1Mb"], COULD_BE_BITS),
        (["tune", "--max-bytes", "1Mib"], COULD_BE_BITS),
        (["compare", "bcast", "--time", "1MS"], "the units of times are in small letters"),
    ],
)
def test_what_is_no_time_or_size_here_is_answered_by_what_is(words, told):
    said = laneway(*words)
    assert said.returncode == 2
    assert told in said.stderr


MANY_DIGITS = "9" * 5000
"""More than int() reads."""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["compare", "bcast", "-m", MANY_DIGITS], "9...' is too large"),
        (["compare", "bcast", "-m", f"{MANY_DIGITS}K"], "9...' is too large"),
        (["compare", "bcast", "--count", MANY_DIGITS], "9...' is no count"),
        (["compare", "bcast", "--count", f"{MANY_DIGITS}p"], "9...' is no count"),
        (["compare", "bcast", "--time", MANY_DIGITS], "9...' is no time"),
        (["compare", "bcast", "--ppn", MANY_DIGITS], "9...' is no number of processes"),
        (["scale", "bcast", "--nodes", MANY_DIGITS], "9...' are no node counts"),
        (["scale", "bcast", "--nodes", f"1..{MANY_DIGITS}"], "9...' are no node counts"),
        (["exec", "--node-size", MANY_DIGITS, "--", "true"], "9...' is neither a number"),
        (["study", "allreduce", "--node-counts", MANY_DIGITS], "9...' is no list of numbers"),
    ],
)
def test_of_a_number_of_many_digits_is_said_what_is_wrong_with_it(words, told):
    said = laneway(*words)
    assert said.returncode == 2
    assert told in said.stderr
    assert len(said.stderr) < 300


@pytest.mark.parametrize("text", NO_SIZES)
def test_what_is_no_size_is_none_in_a_plan(text):
    with pytest.raises(Misuse, match="is no size"):
        of_plan([text])


def test_counts_and_sizes_at_once_are_a_mistake():
    for words in (("compare", "bcast"), ("probe", "lane-pattern")):
        said = laneway(*words, "--count", "1", "-m", "4")
        assert said.returncode == 2
        assert "--count or -m, not both" in said.stderr
    assert "no size is a multiple of 4" in laneway("compare", "bcast", "-m", "1:2").stderr


# ---- mistakes ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A campaign in which nothing is faster than native."""
    return campaigns.write(
        tmp_path_factory.mktemp("measured"), campaigns.versus({"lane": {1000: 2}})
    )


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["comapre"], "compare"),
        (["compare", "--colective", "bcast"], "--collective"),
        (["compare", "bcast", "--algorithm", "lane_pipelin"], "lane_pipeline"),
        (["compare", "bcast", "--mpi", "openmpy"], "openmpi"),
        (["probe", "lane-patern"], "lane-pattern"),
        (["profile", "chek"], "check"),
        (["exec", "--algorithm", "bcast=lanes", "--", "true"], "lane"),
        (["plot", "x", "--format", "sgv"], "svg"),
        (["scale", "bcsat"], "bcast"),
        (["scale", "--collective", "bcsat"], "bcast"),
        (["scale", "bcast", "--algorithm", "lanee"], "lane"),
        (["algorithms", "bcast", "--algorithm", "lanee"], "lane"),
        (["model", "fit", "FOLDER", "--collective", "bcsat"], "bcast"),
        (["model", "fit", "FOLDER", "--algorithm", "lanee"], "lane"),
        (["plot", "FOLDER", "--operation", "bcsat"], "bcast"),
        (["verify", "FOLDER", "--algorithm", "lanee"], "lane"),
        (["verify", "FOLDER", "--guideline", "monotny"], "monotony"),
    ],
)
def test_a_mistake_is_answered_by_what_was_meant(words, meant, measured):
    words = [measured if word == "FOLDER" else word for word in words]
    said = laneway(*words, "--cluster", "none") if words[0] == "compare" else laneway(*words)
    assert said.returncode == 2
    assert meant in said.stderr.lower().partition("did you mean")[2].partition("?")[0], said.stderr


def test_of_a_name_that_no_row_has_is_only_said_that_there_is_none(measured, tmp_path):
    for words in (("model", "fit", measured, "--collective", "scan"),
                  ("plot", measured, "--operation", "MPI_Scan", "--out", tmp_path)):  # fmt: skip
        said = laneway(*words)
        assert said.returncode == 2
        assert "known:" not in said.stderr


def test_where_nothing_is_judged_native_is_not_praised(measured):
    said = laneway("verify", measured, "--guideline", "bcast <= scatter")
    assert said.returncode == 2
    assert "nothing to judge: no guideline of that name" in said.stderr
    assert not said.stdout


@pytest.mark.parametrize(
    ("up", "asked", "told"),
    [
        ([], "default", "no cluster 'default' is up: laneway cluster up"),
        ([], "mine", "no cluster 'mine' is up: laneway cluster up --name mine"),
        (["default"], "defualt", "no cluster 'defualt' is up, did you mean default?"),
        (["default"], "mine", "no cluster 'mine' is up: laneway cluster up --name mine"),
    ],
)
def test_a_cluster_that_is_not_up_is_answered_by_what_to_do(monkeypatch, up, asked, told):
    found = [cluster.Cluster(SimpleNamespace(spec=ClusterSpec(name))) for name in up]
    monkeypatch.setattr(cluster.Cluster, "all", lambda: found)
    monkeypatch.setattr("laneway.cluster.state.read", lambda _: None)
    for words in (
        ("compare", "bcast", "--cluster", asked),
        ("cluster", "run", "--name", asked, "--", "true"),
        ("cluster", "shell", "--name", asked, "node0"),
        ("cluster", "check", "--name", asked),
    ):
        said = laneway(*words)
        assert said.returncode == 2
        assert said.stderr.strip() == f"laneway: {told}"
    if not up:
        assert laneway("cluster", "status").stderr == "no cluster is up: laneway cluster up\n"


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_choices_and_calls_may_be_spelled_as_in_mpi():
    for choice in ("MPI_Bcast=lane,Scan=chain(segment=8K)", "bcast=lane,scan=chain(segment=8K)"):
        said = laneway("env", "--algorithm", choice).stdout
        assert "LANEWAY_ALGORITHM='bcast=lane,scan=chain(segment=8K)'" in said
    for command in (("explain", "choice"), ("profile", "show")):
        said = laneway(*command, "MPI_Bcast", "--nodes", "2", "--ppn", "2").stdout
        assert said.startswith("bcast of 0 bytes")


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
def test_choices_may_be_given_one_at_a_time():
    said = laneway("env", "--algorithm", "bcast=lane", "--algorithm", "scan=chain").stdout
    assert "LANEWAY_ALGORITHM=bcast=lane,scan=chain" in said


@pytest.mark.skipif(not native.installed(), reason="no native build is installed")
@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_a_wrong_choice_is_told_of_the_option_that_was_typed(strict):
    said = laneway("exec", *strict, "--algorithm", "bcast=lanee", "--", "true")
    assert said.returncode == 2
    assert said.stderr.startswith("laneway: --algorithm: no bcast algorithm 'lanee', did you mean")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("unknown datatype 'duoble'; known: byte, double", ", did you mean double? Known: byte"),
        ("unknown datatype 'MPI_DUOBLE'; known: byte, double", "did you mean double?"),
        ("unknown collective 'MPI_Bcats'; known: barrier, bcast", "did you mean bcast?"),
        ("unknown thing 'xyz'; known: byte, double", "unknown thing 'xyz'; known: byte, double"),
        ("something else", "something else"),
    ],
)
def test_what_the_native_programs_say_is_answered_likewise(message, told):
    assert told in with_suggestion(message)


# ---- tables --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    wins = {"lane": {100: 0.5, 1000: 0.25}}
    return campaigns.write(tmp_path_factory.mktemp("own"), campaigns.versus(wins))


@pytest.mark.parametrize(
    ("words", "column"),
    [(["report"], "median_us"), (["verify", "--all"], "verdict"), (["algorithms"], "idea")],
)
def test_tables_come_as_csv_and_markdown(folder, words, column):
    sources = [] if words == ["algorithms"] else [folder]
    rows = [*csv.DictReader(io.StringIO(laneway(*words, "--csv", *sources).stdout))]
    assert rows
    assert all(row[column] for row in rows)
    assert "|---|" in laneway(*words, "--markdown", *sources).stdout.replace(" ", "").replace(
        ":", ""
    )
    both = laneway(*words, "--json", "--csv", *sources)
    assert both.returncode == 2
    assert "not both" in both.stderr


def test_profiles_and_decisions_have_all_forms(tmp_path):
    rules = tmp_path / "own.conf"
    rules.write_text("laneway profile 1\nbcast bytes=4K.. use lane\n")
    shape = ["--nodes", "4", "--ppn", "4", "--bytes", "8K", "--profile", rules]
    for words in (["check", rules], ["show", "MPI_Bcast", *shape]):
        (row,) = csv.DictReader(io.StringIO(laneway("profile", *words, "--csv").stdout))
        assert row["algorithm"] == "lane"
        (one,) = laneway("profile", *words, "--json").stdout.splitlines()
        assert json.loads(one)["algorithm"] == "lane"
        assert "| lane(whole=2048) |" in laneway("profile", *words, "--markdown").stdout


def table_of(columns=("name", "first", "second", "third")):
    table = Table(title="some | title")
    for name in columns:
        table.add_column(name, justify="left" if name == "name" else "right")
    table.add_row(*(f"{name * 3}" for name in columns))
    return table


def printed(width, less=(), keys=(), *, terminal=True):
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=terminal, color_system=None)
    print_fitting(table_of(), console, less, keys)
    return text.getvalue()


def test_in_a_pipe_a_title_is_one_line():
    table = table_of()
    table.title = "a title that is much longer than all of the columns of the table are together"
    text = io.StringIO()
    print_fitting(table, Console(file=text, width=10_000))
    assert text.getvalue().startswith(f"{table.title}\n")
    assert table.title


def test_text_of_the_user_is_printed_as_it_is(capsys):
    table = Table(escape(":x:"), title=":x: [b]bold[/b]")
    table.add_row(escape("c[bold]:x:"))
    show(Form.TEXT, (), [table])
    show(Form.MARKDOWN, (), [table])
    say("c[bold]:x:")
    said = capsys.readouterr()
    assert said.out.count("c[bold]:x:") == 2
    assert said.out.count(":x:") == 6
    assert "c[bold]:x:" in said.err


@pytest.mark.parametrize(
    ("number", "what", "told"),
    [(1, "rule", "1 rule"), (0, "rule", "0 rules"), (2, "process", "2 processes")],
)
def test_things_are_counted_in_words(number, what, told):
    assert counted(number, what) == told


def test_the_collectives_of_choices_are_spelled_as_mpi_does_or_as_here():
    told = choices("bcast=lane, MPI_Scan@node=chain(a=1,Big-X=2),Reduce=ring")
    assert told == "bcast=lane, scan@node=chain(a=1,Big-X=2),reduce=ring"


@pytest.mark.parametrize("words", [("algorithms", "all", "bcast"), ("bench", "all", "bogus")])
def test_all_and_other_names_are_not_both_meant(words):
    refused = laneway(*words)
    assert refused.returncode == 2
    assert "'all' is all of them" in refused.stderr


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (7.14e-05, "71.4 us"),
        (0.0123, "12.3 ms"),
        (5.6, "5.6 s"),
        (1234.5, "1234 s"),
        (0, "0 us"),
        (0.0009999, "1 ms"),
    ],
)
def test_a_time_has_a_unit_that_suits_it(seconds, told):
    assert duration(seconds) == told


def test_a_narrow_terminal_goes_without_columns_and_says_so():
    whole = printed(200, ["third", "second"])
    assert "thirdthirdthird" in whole
    assert "no room" not in whole
    narrow = printed(60, ["third", "second"])
    assert "no room here for third" in narrow
    assert "secondsecondsecond" in narrow
    assert max(map(len, narrow.splitlines()[:-1])) <= 60


@pytest.mark.parametrize("blank", [False, True])
def test_the_columns_that_come_below_stand_beside_as_many_others_as_tell_lines_apart(blank):
    table = Table()
    for name in ("collective", "bytes", "algorithm", "a long time in us", "verdict"):
        table.add_column(name, justify="left" if name != "bytes" else "right")
    words = ("bcast 4 native 1 PASS", "bcast 4 lane 2 FAIL", "bcast 8 lane 3 PASS")
    lines = [each.split() for each in words]
    for number, line in enumerate(lines):
        table.add_row(*("" if blank and number and i == 0 else cell for i, cell in enumerate(line)))
    text = io.StringIO()
    print_fitting(table, Console(file=text, width=55))
    first, second = (part.split("┏")[0] for part in text.getvalue().split("┏", 1)[1].split("┏", 1))
    assert "verdict" not in first
    for line in lines[1:]:
        assert re.search(r"\W+".join([*line[1:3], line[4]]), second)
    once = Table("name", "value", "more")
    once.add_row("same", "1" * 9, "2" * 9)
    once.add_row("same", "1" * 9, "2" * 9)
    text = io.StringIO()
    print_fitting(once, Console(file=text, width=25))
    assert text.getvalue().count("1" * 9) == 2, "columns that tell nothing apart come once"


def test_what_cannot_be_left_out_comes_below_and_nothing_is_cut():
    narrow = printed(40)
    assert "…" not in narrow
    for cell in ("firstfirstfirst", "secondsecondsecond", "thirdthirdthird"):
        assert cell in narrow
    assert narrow.count("namenamename") == 3
    assert "thirdthirdthird" in printed(200, ["third"], terminal=False)


def headings_of(text):
    lines = [line.strip("┃") for line in text.splitlines() if line.startswith("┃")]
    return [[*map(str.strip, line.split("┃"))] for line in lines]


def test_each_part_has_the_columns_that_the_caller_names():
    headings = headings_of(printed(60, keys=["second"]))
    assert headings == [["second", "name", "first"], ["second", "third"]]


def test_where_all_columns_that_tell_lines_apart_leave_no_room_the_first_is_in_each_part():
    headings = headings_of(printed(40, keys=["name", "second"]))
    assert headings == [["name", "first"], ["name", "second"], ["name", "third"]]


@pytest.fixture
def narrow():
    """The command on a terminal of 80 columns without colours."""
    terminal = {"FORCE_COLOR": "1", "TERM": "dumb", "COLUMNS": "80"}
    errors.cache_clear()
    yield functools.partial(laneway, **terminal)
    errors.cache_clear()


NATIVE = Path(simulation.__file__).parent / "machines" / "native"

SCHEDULE = ("explain", "schedule", "bcast", "--algorithm", "lane_pipeline", "--bytes", "400K")


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["algorithms"], ["algorithm"]),
        (["algorithms", "bcast", "--nodes", "4"], ["algorithm"]),
        (["doctor", "--quick"], ["check"]),
        (["machine", "gain"], ["machine", "collective"]),
        (["machine", "list"], ["machine"]),
        (["machine", "show", "fugaku"], ["what"]),
        (["profile", "check", "mpich-4.0.conf", "openmpi-4.1.conf"], ["rule", "collective"]),
        (["study", "list"], ["study"]),
        (SCHEDULE, ["round"]),
        ([*SCHEDULE, "--rank", 5], ["step"]),
        (["verify", "--all"], ["point"]),
    ],
)
def test_tables_fit_80_columns_and_each_part_tells_its_lines_apart(words, keys, narrow, folder):
    sources = [folder] if words[0] == "verify" else []
    lines = narrow(*words, *sources, cwd=NATIVE).stdout.splitlines()
    headings = [line.split() for line in lines if line.split()[:1] == keys[:1]]
    assert headings
    assert all({*keys} <= {*heading} for heading in headings), headings
    assert "…" not in "".join(lines)
    of_tables = [line for line in lines if not line.endswith(".") and not line.startswith("to ")]
    assert max(map(len, of_tables)) <= 80


def test_names_of_studies_are_whole_on_a_narrow_terminal(narrow):
    lines = narrow("study", "list").stdout.splitlines()
    assert {*studies.names()} <= {line.split()[0] for line in lines if line.strip()}


@pytest.mark.parametrize("width", [80, 84, 100, 120, 200])
def test_sentences_and_tunables_fold_and_nothing_is_cut(width):
    every = registry.load(native.find())
    for table in algorithms._tables(every, {}):
        text = io.StringIO()
        print_fitting(
            table, Console(file=text, width=width, force_terminal=True, color_system=None)
        )
        told = text.getvalue()
        words = {word for column in table.columns for cell in column.cells for word in cell.split()}
        assert words <= {*told.split()}, width
        assert max(map(len, told.splitlines())) <= width


def test_markdown_has_the_title_the_columns_and_plain_cells():
    table = Table(title="[bold]one | two[/]")
    table.add_column("name")
    table.add_column("us", justify="right")
    table.add_row("[green]a | b[/]", "1\n2")
    assert markdown(table).splitlines() == [
        "**one \\| two**", "", "| name | us |", "| --- | ---: |", "| a \\| b | 1<br>2 |",
    ]  # fmt: skip


# ---- what bench tells ----------------------------------------------------------------------------


def averages(**more):
    times = {"min_us": 1.0, "avg_us": 2.0, "max_us": 3.0, "median_us": 2.5}
    return {"kind": "averages", "collective": "bcast", "algorithm": "native", **times, **more}


def closing(found, words):
    return averages_shown.closing(found, words, Place(2, 2), "mpich")


def test_bench_measures_native_unless_told_otherwise():
    assert "--algorithm=native" in bench.DEFAULTS


def test_a_median_above_the_maximum_is_explained():
    told = " ".join(closing([averages(median_us=3.5)], ["bcast", "-m", "1K:4M"]))
    assert "above max where ranks take turns in being the slowest" in told
    there = "--nodes 2 --ppn 2 --mpi mpich --cluster none"
    assert told.endswith(f"laneway compare bcast -m 1K:4M {there}")
    assert "above max" not in " ".join(closing([averages()], []))
    for other in (["bcast", "-msglog", "10:22"], ["bcast", "-mem", "4"]):
        assert [*closing([averages()], other)][-1].endswith(f"laneway compare bcast {there}")


def test_point_to_point_has_no_other_algorithms_to_compare():
    assert "laneway compare" not in " ".join(closing([averages(collective="pingpong")], []))


def _commands(group, words=()):
    """All commands, with the words that call them."""
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            yield (*words, name), command
            if isinstance(command, click.Group):
                yield from _commands(command, (*words, name))


def test_help_tells_no_default_twice():
    """Either click tells it, or the sentence does where there is no one value."""
    found = []
    for words, command in _commands(cli):
        with click.Context(command) as context:
            for parameter in command.get_params(context):
                record = parameter.get_help_record(context) or ("", "")
                if record[1].count("default:") > 1:
                    found.append((*words, record))
    assert found == []


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(5, "5 s"), (0.5, "0.5 s"), (60, "1 minute"), (90, "90 s"), (1200, "20 minutes")],
)
def test_a_time_that_was_set_is_told_as_it_is(seconds, told):
    assert in_full(seconds) == told
