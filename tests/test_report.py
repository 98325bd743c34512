# SPDX-License-Identifier: BSD-3-Clause
"""The report: what it holds, and what a browser makes of it."""

import base64
import gzip
import json
import re
import resource
import shutil
import subprocess
import sys
import time

import pytest
from selenium.webdriver.common.keys import Keys

import campaigns
from laneway import figures, reference
from laneway.measured import Measured, read
from laneway.report import render, write

MEGABYTE = 1e6


def packed(html, name):
    """What is packed into a page under that id."""
    (text,) = re.findall(rf'id="packed-{name}">([^<]*)<', html)
    return gzip.decompress(base64.b64decode(text)).decode()


@pytest.fixture(scope="module")
def measured():
    return Measured(
        list(campaigns.campaign(("bcast", "allreduce"), sizes=8, runs=5, samples=6, lanes=(1, 2)))
    )


def laneway(*words):
    return subprocess.run(
        [sys.executable, "-m", "laneway", *map(str, words)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


# ---- the file -------------------------------------------------------------------------------


def test_the_page_holds_the_tables_of_the_figures(measured):
    data = json.loads(packed(render(measured, reference.load("hydra")), "data"))
    assert data["points"] == figures.points(measured)
    assert data["lanes"] == figures.lanes(measured)
    assert data["counters"] == figures.counters(measured)
    assert data["reference"] == [one.line() for one in reference.load("hydra")]
    assert data["algorithms"] == ["native", "hierarchical", "lane"]
    for line in figures.samples(measured):
        key = "|".join(str(line[name]) for name in ("place", "operation", "curve", "bytes"))
        shown = data["samples"][key][str(line["run"])]
        assert shown[line["order"]] == pytest.approx(line["time_us"], rel=1e-3)


def test_the_map_shows_ratios_and_verdicts_of_the_rows(measured):
    html = render(measured)
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


def cards(rows):
    """What the page says at a glance, by label."""
    found = re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)<small>([^<]*)", render(Measured([*rows])))
    return {label: (value, detail) for label, value, detail in found}


def test_no_gain_is_claimed_that_runs_do_not_show():
    few = cards(campaigns.campaign(("bcast",), sizes=4, runs=2, samples=3))
    assert few["gain over native"] == ("none shown yet: 5 more runs", "of 8 cases; 8 undecided")
    assert "largest gain over native" not in few
    html = render(Measured([*campaigns.campaign(("bcast",), sizes=4, runs=2, samples=3)]))
    assert 'class="clear"' not in html, "two runs settle no order"
    assert re.search(r'title="not shown yet: \d more runs">lane \?<small>', html)
    many = cards(campaigns.campaign(("bcast",), sizes=4, runs=8, samples=3))
    assert many["shown to be faster"][0] == "7 of 8", "lane at each size"
    value, detail = many["largest gain over native"]
    low, high = map(float, re.match(r"([\d.]+) to ([\d.]+): bcast, lane, ", detail).groups())
    assert low <= float(value.split()[0]) <= high


def test_cases_that_cannot_be_judged_are_not_called_decided():
    rows = [*campaigns.campaign(("bcast",), sizes=4, runs=8, samples=3)]
    wrong = [
        {**campaigns.sample("bcast", "lane", count, 1, 0), "kind": "error", "message": "wrong"}
        for count in (0, 4**8, 4**9, 4**10)
    ]
    assert cards(rows)["shown to be faster"][1].endswith("all decided")
    assert cards([*rows, *wrong[1:2]])["shown to be faster"][1] == "cases; 1 invalid"
    of_lane = [row for row in rows if row.get("algorithm") != "hierarchical"]
    assert cards([*of_lane, *wrong])["gain over native"] == ("none shown", "of 4 cases; 4 invalid")


def test_a_report_needs_no_network_and_lets_no_text_out_of_its_place():
    rows = [
        campaigns.heading(command="laneway compare '</script><script>alert(1)</script>'"),
        campaigns.environment(1, hosts=["<script>", "a"]),
        campaigns.sample("bcast", "native", 1000, 1, 5000.0),
        campaigns.sample("bcast", "</script>lane", 1000, 1, 2500.0),
        {**campaigns.sample("bcast", "ring", 10, 1, 0), "kind": "note", "message": "not eligible"},
        {**campaigns.sample("bcast", "bad", 10, 1, 0), "kind": "error", "message": "wrong result"},
        {"kind": "failure", "message": "run 2 hung"},
    ]
    html = render(Measured(rows, ["rows.jsonl: 3 lines that are no rows, left out"]))
    outside = re.sub(r"<script>\s*// SPDX.*?</script>", "", html, flags=re.DOTALL)
    assert "<script>" not in outside, "only our own"
    assert "&lt;script&gt;" in outside
    for reference_ in (" src=", 'href="http', "@import", "url(http", '<link rel="style'):
        assert reference_ not in html
    for text in ("not eligible", "wrong result", "run 2 hung", "3 lines that are no rows", "2.00"):
        assert text in html
    assert render(Measured(rows, ["rows.jsonl: 3 lines that are no rows, left out"])) == html


def test_a_cluster_shows_floor_binding_and_machine():
    rows = [
        campaigns.heading(),
        campaigns.environment(1),
        campaigns.sample("bcast", "native", 100_000, 1, 30_000.0),
        campaigns.sample("bcast", "lane", 100_000, 1, 8000.0),
        campaigns.sample("bcast", "ring", 100_000, 1, 7000.0),
        campaigns.environment(1),
        campaigns.sample("bcast", "native", 100_000, 1, 24_000.0, binding="all"),
    ]
    html = render(Measured(rows))
    assert "an emulated cluster: 4 nodes, 2 lanes" in html
    assert "lanes of 200mbit with a burst of 18432 B" in html
    assert "<td>7263</td>" in html, "the floor"
    assert "<td>1.10</td>" in html, "8000 over it"
    assert "7000 us lies below the floor of 7263 us" in html
    names = {point["curve"] for point in json.loads(packed(html, "data"))["points"]}
    assert names == {"native (all)", "native (lane)", "lane", "ring"}


@pytest.mark.slow
def test_the_report_of_a_large_campaign_is_made_in_seconds_and_small(tmp_path):
    """10 collectives x 12 sizes x 3 algorithms x 5 runs, each with 60 samples."""
    folder = campaigns.write(tmp_path, campaigns.campaign(samples=60))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = laneway("report", folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert said.returncode == 0, said.stderr
    page = folder / "report.html"
    assert page.stat().st_size < 5 * MEGABYTE
    # Of a processor, not by the wall: what else runs here is not the report's doing.
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 10, f"{spent:.1f} s"
    data = json.loads(packed(page.read_text(encoding="utf-8"), "data"))
    assert len(data["points"]) == 10 * 12 * 3
    assert sum(len(run) for own in data["samples"].values() for run in own.values()) == 108_000


def test_of_very_many_samples_evenly_spaced_ones_are_shown(measured, monkeypatch):
    monkeypatch.setattr("laneway.report.SAMPLES_SHOWN", 1000)
    html = render(measured)
    total = len(figures.samples(measured))
    shown = json.loads(packed(html, "data"))["samples"]
    assert sum(len(run) for own in shown.values() for run in own.values()) <= 1000
    assert f"One repetition of every 3 is shown, out of {total:,}." in html


# ---- the commands ---------------------------------------------------------------------------


def test_report_prints_tables_and_numbers_instead(tmp_path):
    folder = campaigns.write(tmp_path, campaigns.campaign(("bcast",), sizes=4, runs=2, samples=3))
    tables = laneway("report", folder, "--table")
    assert tables.returncode == 0, tables.stderr
    for text in (
        "Times as fast as native",
        "Fastest",
        "hierarchical",
        "lanes 2, binding lane",
        "?",
    ):
        assert text in tables.stdout
    printed = laneway("report", folder, "--json", "--reference", "jupiter")
    lines = [json.loads(line) for line in printed.stdout.splitlines()]
    expected = read([folder])
    for name, figure in figures.FIGURES.items():
        own = [{key: value for key, value in line.items() if key != "figure"}
               for line in lines if line["figure"] == name]  # fmt: skip
        assert own == figure.table(expected)
    assert any(line["figure"] == "reference" for line in lines)
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["report", "nowhere"], "nowhere: no such file or folder"),
        (["report", ".", "--reference", "summit"], "no published figures of 'summit'"),
        (["plot", ".", "--figure", "pie"], "'pie' is none of time, ratio"),
        (["plot", ".", "--format", "gif"], "'gif' is none of svg, png, csv"),
        (["report", ".", "--table", "--json"], "not both"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(words, complaint):
    said = laneway(*words)
    assert said.returncode in (1, 2)
    assert complaint in said.stderr
    assert "Traceback" not in said.stderr


# ---- in a browser ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    """A headless browser without a network."""
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("no browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--window-size=1300,1000", "--force-prefers-reduced-motion",
                 "--host-resolver-rules=MAP * ~NOTFOUND"):  # fmt: skip
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.set_page_load_timeout(120)
    opened.set_script_timeout(120)
    yield opened
    opened.quit()


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "the page did not get there"
        time.sleep(0.1)
    return found


@pytest.fixture
def page(browser, measured, tmp_path):
    """`page(script)`: the value of a script in the report, once it has been drawn."""
    path = tmp_path / "report.html"
    write(measured, path, reference.load())
    browser.get(path.as_uri())
    wait_for(lambda: browser.execute_script("return document.documentElement.dataset.ready"))
    yield browser.execute_script
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors


def traces(page, chart, meta="curve"):
    """What a chart shows now: name, x and y of its traces of a kind."""
    return page(
        "return document.getElementById(arguments[0]).data.filter(t => t.meta === arguments[1])"
        ".map(t => ({name: t.name, x: [...t.x], y: [...t.y]}))",
        chart,
        meta,
    )


def choose(page, control, value):
    page(
        "const c = document.getElementById(arguments[0]); c.value = arguments[1];"
        "c.dispatchEvent(new Event('change'))",
        control,
        value,
    )


def expected_curve(measured, place, operation, curve, column="median_us"):
    wanted = (place, operation, curve)
    return [
        line[column]
        for line in figures.points(measured)
        if (line["place"], line["operation"], line["curve"]) == wanted
    ]


TWO = "Open MPI 4.1.4, 4 nodes x 4 ranks, 2 lanes"


@pytest.mark.slow
def test_a_browser_draws_the_numbers_and_asks_for_nothing_else(page, browser, measured):
    place, operation = page(
        "return ['place', 'operation'].map(id => document.getElementById(id).value)"
    )
    drawn = traces(page, "time-chart")
    assert {trace["name"] for trace in drawn} == {"native", "hierarchical", "lane"}
    for trace in drawn:
        assert trace["y"] == expected_curve(measured, place, operation, trace["name"])
    (floor,) = traces(page, "time-chart", "floor")
    assert all(value >= 0 for value in floor["y"])
    asked = [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:", "blob:", "chrome")) for url in asked), asked


@pytest.mark.slow
def test_the_navigation_marks_one_section(page):
    def marked():
        return page("return [...document.querySelectorAll('nav [aria-current]')].map(a => a.hash)")

    where = {name: page("return document.getElementById(arguments[0]).offsetTop", name)
             for name in ("overview", "ratio", "winners", "curves")}  # fmt: skip
    for name, top in where.items():
        # The lower end of the section before and the upper one of this are both in the window.
        page("window.scrollTo(0, arguments[0] - 0.25 * window.innerHeight)", top)
        wait_for(lambda: len(marked()) == 1 and marked()[0] in [f"#{each}" for each in where])
        page("window.scrollTo(0, arguments[0])", top)
        wait_for(lambda name=name: marked() == [f"#{name}"])


@pytest.mark.slow
def test_a_cell_of_the_map_chooses_what_is_shown_below(page, measured):
    page(
        'document.querySelector(`table[data-place="${arguments[0]}"] '
        'button[data-operation=bcast][data-curve=lane][data-bytes="16384"]`).click()',
        TWO,
    )
    chosen = [page(f"return document.getElementById('{name}').value")
              for name in ("place", "operation", "size")]  # fmt: skip
    assert chosen == [TWO, "bcast", "16384"]
    assert "bcast, 16 KiB: fastest is lane" in page(
        "return document.getElementById('status').innerText"
    )
    assert page("return document.querySelectorAll('.heat [aria-pressed=true]').length") == 2
    shown = {trace["name"]: trace["x"] for trace in traces(page, "distribution-chart", "all")}
    for curve, times in shown.items():
        own = [line["time_us"] for line in figures.samples(measured)
               if (line["place"], line["operation"], line["curve"], line["bytes"])
               == (TWO, "bcast", curve, 16384)]  # fmt: skip
        assert times == pytest.approx(sorted(own), rel=1e-3)


@pytest.mark.slow
def test_controls_change_unit_curves_and_published_figures(page, measured):
    choose(page, "place", TWO)
    choose(page, "operation", "bcast")
    choose(page, "unit", "ratio")
    ratios = {trace["name"]: trace["y"] for trace in traces(page, "time-chart")}
    for curve, values in ratios.items():
        own = expected_curve(measured, TWO, "bcast", curve, "ratio_to_native")
        assert values == pytest.approx(own)
    choose(page, "unit", "rate")
    assert len(traces(page, "time-chart")[0]["x"]) == 7, "nothing is no rate"
    choose(page, "unit", "time")
    page("document.querySelector('#legend input[value=hierarchical]').click()")
    assert {trace["name"] for trace in traces(page, "time-chart")} == {"native", "lane"}
    place = reference.load("hydra")[0].place
    choose(page, "reference", place)
    published = {trace["name"]: trace["y"] for trace in traces(page, "time-chart", "published")}
    own = [one.time_us for one in reference.load("hydra")
           if (one.place, one.collective, one.algorithm) == (place, "bcast", "lane")]  # fmt: skip
    assert published["published: lane"] == own


@pytest.mark.slow
def test_lanes_and_counters_are_drawn(page, measured):
    choose(page, "lanes-what", "bcast: Open MPI 4.1.4, 4 nodes x 4 ranks")
    drawn = {trace["name"]: trace["y"] for trace in traces(page, "lanes-chart")}
    size = int(page("return document.getElementById('lanes-size').value"))
    for curve, values in drawn.items():
        assert values == [line["speedup"] for line in figures.lanes(measured)
                          if (line["operation"], line["curve"], line["bytes"])
                          == ("bcast", curve, size)]  # fmt: skip
    choose(page, "counters-what", "Open MPI 4.1.4, 2 lanes, binding lane")
    bars = page(
        "return document.getElementById('counters-chart').data.map(t => [t.name, [...t.y]])"
    )
    assert [name for name, _ in bars] == ["lane 0", "lane 1"]
    for lane, (_, sent) in enumerate(bars):
        own = [line["sent_bytes"] / 1e6 for line in figures.counters(measured)
               if (line["lanes"], line["lane"]) == (2, lane)]  # fmt: skip
        assert sent == pytest.approx(own)


@pytest.mark.slow
def test_everything_can_be_reached_by_keys_and_read_in_the_dark(page, browser):
    def focused(what):
        return page(f"return document.activeElement.{what}")

    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert focused("className") == "skip"
    first = browser.find_element("css selector", ".heat button[tabindex='0']")
    page("arguments[0].focus()", first)
    before = focused("dataset.bytes")
    browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert focused("dataset.bytes") != before
    browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert focused("dataset.curve") == "lane"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert page("return document.getElementById('size').value") == focused("dataset.bytes")

    light = page("return getComputedStyle(document.body).backgroundColor")
    page("document.getElementById('theme').click()")
    dark = page("return getComputedStyle(document.body).backgroundColor")
    assert light != dark
    ink = page("return getComputedStyle(document.body).color")
    assert contrast(ink, dark) >= 7
    font = page("return document.getElementById('time-chart').layout.font.color")
    assert font == page("return getComputedStyle(document.documentElement)"
                        ".getPropertyValue('--ink').trim()")  # fmt: skip
    unnamed = page(
        "return [...document.querySelectorAll('button, select, input, [role=img]')].filter(e =>"
        " !(e.labels && e.labels.length) && !e.getAttribute('aria-label') && !e.textContent.trim()"
        ").length"
    )
    assert unnamed == 0


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_cells_of_the_map_can_be_read(page, theme):
    if page("return document.documentElement.dataset.theme") != theme:
        page("document.getElementById('theme').click()")
    pairs = page(
        "const canvas = document.createElement('canvas').getContext('2d');"
        "const rgb = (c) => { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);"
        "  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;"
        "  return `rgb(${r}, ${g}, ${b})`; };"
        "return [...document.querySelectorAll('.heat button')].map(b => {"
        "  const s = getComputedStyle(b); return [rgb(s.color), rgb(s.backgroundColor)]; })"
    )
    assert min(contrast(*pair) for pair in pairs) >= 4.5


def contrast(first, second):
    """The contrast of two colours by the Web Content Accessibility Guidelines."""

    def luminance(colour):
        parts = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(
            weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
        )

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.slow
def test_it_prints_on_paper(page, browser):
    page("document.getElementById('theme').click()")
    pdf = base64.b64decode(browser.print_page())
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
