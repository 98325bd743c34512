# SPDX-License-Identifier: BSD-3-Clause
"""The report's page: what it holds, what it says, and that it needs nothing else."""

import base64
import gzip
import json
import re
from html import unescape

import pytest

import campaigns
from laneway.choosing.conclusion import conclude
from laneway.choosing.profile import profile_text
from laneway.choosing.recommendation import recommendations
from laneway.cli import main
from laneway.results import reference
from laneway.results.measurements import Measured, read
from laneway.showing import figures, table
from laneway.showing.report import render
from laneway.simulation.prediction import Predictions

TWO = "Open MPI 4.1.4, 4 nodes x 4 ranks, 2 lanes"


def packed(html, name):
    """The data that are packed into a page under that id."""
    (text,) = re.findall(rf'id="packed-{name}">([^<]*)<', html)
    return gzip.decompress(base64.b64decode(text)).decode()


def data_of(html):
    return json.loads(packed(html, "data"))


def rows(**more):
    return [*campaigns.campaign(("bcast",), sizes=3, **{"runs": 7, "samples": 3, **more})]


@pytest.fixture(scope="module", autouse=True)
def _light():
    """The drawing library is 4 MB, and alike in each page: it is left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("laneway.showing.report.data.plotly", lambda: "/* draws */")
        yield


@pytest.fixture(scope="module")
def measured():
    return Measured(
        [*campaigns.campaign(("bcast", "allreduce"), sizes=3, runs=7, samples=3, lanes=(1, 2))]
    )


@pytest.fixture(scope="module")
def html(measured):
    return render(measured, reference.load("hydra"))


@pytest.fixture
def laneway(monkeypatch, capsys):
    """`laneway(word, ...)`: exit code, output and errors of the command, in this process."""
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["laneway", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


# ---- the numbers ----------------------------------------------------------------------------


def test_the_page_holds_the_tables_of_the_figures(measured, html):
    data = data_of(html)
    for name in ("points", "lanes", "carried", "counters"):
        assert data[name] == getattr(figures, name)(measured)
        assert data[name]
    assert data["reference"] == [one.line() for one in reference.load("hydra")]
    assert data["algorithms"] == ["native", "hierarchical", "lane"]
    for line in figures.samples(measured):
        key = "|".join(str(line[name]) for name in ("place", "operation", "curve", "bytes"))
        shown = data["samples"][key][str(line["run"])]
        assert shown[line["order"]] == pytest.approx(line["time_us"], rel=1e-3)


def test_the_map_shows_ratios_and_verdicts_of_the_rows(measured, html):
    cells = re.findall(
        r'data-operation="([^"]*)" data-curve="([^"]*)" data-bytes="(\d+)"[^>]*'
        r'aria-label="([^"]*)">'
        r"([\d.]+)(?:<i>(.)</i>)?</button>",
        html,
    )
    table = figures.ratios(measured)
    assert len(cells) == len(table)
    marks = {"VIOLATED": "▲", "HOLDS": "▽", "UNDECIDED": "?", "INVALID": "!"}
    expected = sorted(
        (line["operation"], line["curve"], str(line["bytes"]), f"{line['ratio_to_native']:.2f}",
         marks[line["verdict"]])
        for line in table
    )  # fmt: skip
    assert sorted((*cell[:3], cell[4], cell[5]) for cell in cells) == expected
    for line in table:
        assert any(line["verdict"] in cell[3] for cell in cells)
    assert "VIOLATED: native is slower" in html, "in words that need no knowledge"


def test_the_case_with_the_largest_gain_shown_comes_first(measured, html):
    focus = data_of(html)["focus"]
    shown = [line for line in figures.ratios(measured)
             if line["verdict"] == "VIOLATED" and line["lanes"] == 2]  # fmt: skip
    best = max(shown, key=lambda line: line["low"])
    assert focus == {name: best[name] for name in ("place", "operation", "bytes")}
    assert focus["place"] == TWO, "one lane is but the control"


def test_the_table_of_the_wires_tells_why_an_algorithm_is_slow(html):
    """As planted: native leaves all to the first lane, the others spread the least over all."""
    (section,) = re.findall(r'<section id="wires".*?</section>', html, re.DOTALL)
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", section, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>([^<]*)<", line) for line in lines]
    largest = {
        line[0]: dict(zip(cells[0], line, strict=True))
        for line in cells
        if line[1:2] == ["4 MiB"] and line[-1].count("lane1") == 1
    }
    assert largest["native"]["share of each lane"] == "lane0 100%, lane1 0%"
    assert largest["native"]["bytes over the least"] == "2.04 ×"
    assert largest["lane"]["share of each lane"] == "lane0 50%, lane1 50%"
    assert largest["lane"]["bytes over the least"] == "1.02 ×"
    (lane,) = [p for p in data_of(html)["points"]
               if (p["place"], p["operation"], p["curve"], p["bytes"])
               == (TWO, "allreduce", "lane", 4 * 4**10)]  # fmt: skip
    assert f"{100 / lane['over_floor']:.0f}%" in section


def test_of_very_many_samples_evenly_spaced_ones_are_shown(measured, monkeypatch):
    total = len(figures.samples(measured))
    monkeypatch.setattr("laneway.showing.report.data.SAMPLES_SHOWN", total // 2)
    html = render(measured)
    shown = data_of(html)["samples"]
    assert sum(len(run) for own in shown.values() for run in own.values()) <= total * 2 // 3
    assert f"One repetition of every 2 is shown, out of {total:,}." in html


# ---- the words ------------------------------------------------------------------------------


def test_what_to_use_stands_on_top_with_its_command(measured, html):
    recommended = recommendations(measured)
    own = [each for each in recommended if each.where.lanes == 2]
    best = max(own, key=lambda each: each.best.low)
    (answer,) = re.findall(r'<div class="answer">.*?</div>\n', html, re.DOTALL)
    assert f"{best.sentence()}." in unescape(answer)
    assert html.index(answer) < html.index('id="time-chart"')
    assert "laneway exec --profile open-mpi-4.1.4.conf -- laneway cluster run" in html
    (link,) = re.findall(r'href="data:text/plain;base64,([^"]*)"', html)
    profile = base64.b64decode(link).decode()
    for each in recommended:
        assert each.rule(with_lanes=True) in profile
    assert profile == profile_text(
        sorted(recommended, key=lambda each: -(each.where.lanes or 0)), measured
    )


def test_the_winner_is_the_same_in_box_chart_map_profile_terminal_and_conclusion(tmp_path):
    """By the lowest median among those that are confirmed, whose ratio is not the greatest here."""
    measured = Measured([*campaigns.two_winners()])
    ratios = {line["curve"]: line["ratio_to_native"] for line in figures.ratios(measured)}
    assert ratios["lane"] > ratios["lane_pipeline"]
    html = render(measured)
    sentence = "lane_pipeline is 4.00 times as fast as Open MPI 4.1.4's own bcast at 3.91 KiB"
    (answer,) = re.findall(r'<div class="answer">.*?</div>\n', html, re.DOTALL)
    assert sentence in unescape(answer)
    (told,) = data_of(html)["fastest"].values()
    assert told["curve"] == "lane_pipeline"
    assert told["told"].startswith(sentence)
    assert [line["winner"] for line in figures.winners(measured)] == ["lane_pipeline"]
    assert "use lane_pipeline" in profile_text(recommendations(measured), measured)
    first, *_ = conclude(measured, tmp_path).lines
    assert first.startswith(sentence)
    drawn = table.render(measured.summaries, "", winners=measured.winners)
    (names,) = [[*column.cells] for column in drawn.columns if column.header == "algorithm"]
    styles = [row.style for row in drawn.rows]
    assert [name for name, style in zip(names, styles, strict=True) if style] == ["lane_pipeline"]


def test_where_nothing_is_confirmed_the_library_is_kept():
    html = render(Measured(rows(runs=2)))
    assert "no other is confirmed to be faster. Of 6 cases: 6 undecided." in html
    (total, more) = map(int, re.search(r"with --runs (\d+): (\d+) more", html).groups())
    assert total == 2 + more
    assert "laneway exec" not in html
    as_fast = [row for row in rows() if row.get("algorithm") != "lane"]
    as_fast = [
        {**row, "time_us": row["time_us"] * 3} if row.get("algorithm") == "hierarchical" else row
        for row in as_fast if row["kind"] != "carried"
    ]  # fmt: skip
    assert "Keep what you have" in render(Measured(as_fast))


def test_predictions_have_a_sentence_and_two_columns():
    measured = Measured([*rows()])
    (first, *_) = [each for each in measured.summaries if each.key.algorithm == "lane"]
    html = render(measured, predictions=Predictions("mine", {first.key: 1.5 * first.median_us}))
    assert "Predicted by mine: median error 50% of 1 time." in html
    assert html.count("<td>+50%</td>") == 1
    assert "predicted" not in render(measured).split("<script")[0]


def cards(rows):
    """The page's facts at a glance, by label."""
    found = re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)<small>([^<]*)", render(Measured([*rows])))
    return {label: (value, detail) for label, value, detail in found}


def test_no_gain_is_claimed_that_runs_do_not_show():
    few = cards(rows(runs=2))
    assert few["gain over native"] == ("none shown yet", "of 6 cases; 6 undecided")
    assert "shown to be faster" not in few
    html = render(Measured(rows(runs=2)))
    assert 'class="clear"' not in html, "two runs settle no order"
    assert re.search(r'title="not shown yet: \d more runs">lane \?<small>', html)
    many = cards(rows(runs=8))
    assert int(many["shown to be faster"][0].split()[0]) >= 3, "lane at each size"


def test_cases_that_cannot_be_judged_are_not_called_decided():
    own = [row for row in rows(runs=8) if row.get("algorithm") != "hierarchical"]
    wrong = [
        {**campaigns.sample("bcast", "lane", count, 1, 0), "kind": "error", "message": "wrong"}
        for count in (0, 4**9, 4**10)
    ]
    assert cards(own)["shown to be faster"][1].endswith("all decided")
    assert cards([*own, *wrong[:1]])["shown to be faster"][1] == "cases; 1 invalid"


def test_errors_are_folded_and_each_is_told_once():
    error = {"kind": "error", "message": "wrong result"}
    wrong = [{**campaigns.sample("bcast", "lane", 10, run, 0), **error} for run in (1, 2, 3)]
    html = render(Measured([*rows(runs=1), *wrong, {"kind": "failure", "message": "run 2 hung"}]))
    (box,) = re.findall(r'<details class="box bad">.*?</details>', html, re.DOTALL)
    assert "Something went wrong: 2 things to look at" in box
    assert "bcast 10, lane: wrong result (3 times)" in box
    assert "run 2 hung" in box
    assert "Something went wrong" not in render(Measured(rows(runs=1)))


def test_headings_ask_and_each_figure_says_how_to_read_it(html):
    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", html)
    assert headings[:2] == ["What should I use?", "How much faster?"]
    assert all(heading.endswith("?") for heading in headings)
    charts = re.findall(r'id="[a-z]+-chart"', html)
    assert len(charts) == 7
    assert html.count("How to read it:") >= len(charts), "two of them share theirs"
    for id_ in re.findall(r"<nav.*?</nav>", html, re.DOTALL)[0].split('href="#')[1:]:
        assert f'id="{id_.split(chr(34))[0]}"' in html


def test_a_report_needs_no_network_and_lets_no_text_out_of_its_place():
    told = [
        campaigns.heading(command="laneway compare '</script><script>alert(1)</script>'"),
        campaigns.environment(1, hosts=["<script>", "a"]),
        campaigns.sample("bcast", "native", 1000, 1, 5000.0),
        campaigns.sample("bcast", "</script>lane", 1000, 1, 2500.0),
        {**campaigns.sample("bcast", "ring", 10, 1, 0), "kind": "note", "message": "not eligible"},
        {**campaigns.sample("bcast", "bad", 10, 1, 0), "kind": "error", "message": "wrong result"},
        {"kind": "failure", "message": "run 2 hung"},
    ]
    damage = ["rows.jsonl: 3 lines that are no rows, left out"]
    html = render(Measured(told, damage))
    outside = re.sub(r"<script>\(async.*?</script>", "", html, flags=re.DOTALL)
    assert "<script>" not in outside, "only our own"
    assert "&lt;script&gt;" in outside
    for reference_ in (" src=", 'href="http', "@import", "url(http", '<link rel="style'):
        assert reference_ not in html
    for text in ("not eligible", "wrong result", "run 2 hung", "3 lines that are no rows", "2.00"):
        assert text in html
    assert render(Measured(told, damage)) == html


def test_a_cluster_shows_floor_binding_and_machine():
    html = render(
        Measured(
            [
                campaigns.heading(),
                campaigns.environment(1),
                campaigns.sample("bcast", "native", 100_000, 1, 30_000.0),
                campaigns.sample("bcast", "lane", 100_000, 1, 8000.0),
                campaigns.sample("bcast", "ring", 100_000, 1, 7000.0),
                campaigns.environment(1),
                campaigns.sample("bcast", "native", 100_000, 1, 24_000.0, binding="all"),
            ]
        )
    )
    assert "an emulated cluster: 4 nodes, 2 lanes" in html
    assert "lanes of 200mbit with a burst of 18432 B" in html
    assert "<td>7263</td>" in html, "the floor"
    assert "<td>1.10</td>" in html, "8000 over it"
    assert "<td>91%</td>" in html, "and the other way round"
    assert "7000 us lies below the floor of 7263 us" in html
    names = {point["curve"] for point in data_of(html)["points"]}
    assert names == {"native (all)", "native (lane)", "lane", "ring"}


# ---- the commands ---------------------------------------------------------------------------


def test_report_prints_tables_and_numbers_instead(laneway, tmp_path):
    folder = campaigns.write(tmp_path, rows(runs=2))
    code, tables, errors = laneway("report", folder, "--table")
    assert code == 0, errors
    for text in (
        "Times as fast as native",
        "Fastest",
        "hierarchical",
        "lanes 2, binding lane",
        "?",
    ):
        assert text in tables
    _, printed, _ = laneway("report", folder, "--json", "--reference", "jupiter")
    lines = [json.loads(line) for line in printed.splitlines()]
    expected = read([folder])
    for name, figure in figures.FIGURES.items():
        own = [{key: value for key, value in line.items() if key != "figure"}
               for line in lines if line["figure"] == name]  # fmt: skip
        assert own == figure.table(expected)
    assert any(line["figure"] == "reference" for line in lines)
    assert not (folder / "report.html").exists()


def test_report_writes_a_page_beside_the_rows(laneway, tmp_path):
    folder = campaigns.write(tmp_path, rows(runs=1))
    code, _, errors = laneway("report", folder)
    assert code == 0, errors
    assert data_of((folder / "report.html").read_text(encoding="utf-8"))["points"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["report", "nowhere"], "nowhere: no such file or folder"),
        (["verify", "nowhere"], "nowhere: no such file or folder"),
        (["campaign", "resume", "nowhere"], "nowhere: no such file or folder"),
        (["report", ".", "--reference", "summit"], "no published figures of 'summit'"),
        (["plot", ".", "--figure", "pie"], "'pie' is none of time, ratio"),
        (["plot", ".", "--format", "gif"], "'gif' is none of svg, png, csv"),
        (["report", ".", "--table", "--json"], "not both"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(laneway, words, complaint):
    code, _, errors = laneway(*words)
    assert code in (1, 2)
    assert complaint in errors


def test_what_a_tuning_cost_and_what_is_open_is_told():
    row = {
        "kind": "tuning",
        "shape": "4 x 4",
        "budget": 800,
        "seconds": {"screen": 100.0, "check": 20.0},
        "open": ["bcast 64 KiB"],
        "taken_back": [],
        "left": ["bcast bytes=..63"],
    }
    page = render(Measured([row]))
    told = page[page.index('id="tuning"') :]
    assert "<td>100</td><td>20</td><td>120</td><td>800</td>" in told
    assert "not confirmed: bcast 64 KiB." in told
    assert "not decided, what serves without the profile does: bcast bytes=..63." in told
    assert "taken back" not in told
    assert 'id="tuning"' not in render(Measured([]))
