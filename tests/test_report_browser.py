# SPDX-License-Identifier: BSD-3-Clause
"""A report in a browser: it is drawn, can be used, and asks for nothing else.

test_report.py tests what the page holds, test_report_script.py what its script computes.
"""

import base64
import json
import re
import shutil
import time

import pytest
from selenium.webdriver.common.keys import Keys

import campaigns
from jobs import wait_for
from laneway.results import reference
from laneway.results.measurements import Measured
from laneway.showing import figures
from laneway.showing.report import render, write

# One browser serves them all.
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("browser")]

TWO = "Open MPI 4.1.4, 4 nodes x 4 ranks, 2 lanes"
MEGABYTE = 1e6


@pytest.fixture(scope="module")
def measured():
    return Measured(
        [*campaigns.campaign(("bcast", "allreduce"), sizes=8, runs=6, samples=4, lanes=(1, 2))]
    )


@pytest.fixture(scope="module")
def report(measured, tmp_path_factory):
    """The page's file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write(measured, path, reference.load())
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A headless browser without a network."""
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("no browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--disable-quic", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--force-prefers-reduced-motion",
                 f"--user-data-dir={tmp_path_factory.mktemp('browser')}",
                 "--host-resolver-rules=MAP * ~NOTFOUND"):  # fmt: skip
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.set_page_load_timeout(120)
    opened.set_script_timeout(120)
    yield opened
    opened.quit()


@pytest.fixture
def visit(browser):
    """`visit(path, width)`: opens a page, and waits until it has been drawn."""

    def go(path, width=1300):
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(path.as_uri())
        drawn = "return document.documentElement.dataset.ready"
        assert wait_for(lambda: browser.execute_script(drawn))
        return browser.execute_script

    yield go
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


@pytest.fixture
def page(visit, report):
    """`page(script)`: the value of a script in the report."""
    return visit(report)


def traces(page, chart, meta="curve"):
    """The data that a chart shows now: name, x and y of its traces of a kind."""
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


def show_as(page, unit):
    page(f"document.querySelector('#unit input[value={unit}]').click()")


def expected_curve(measured, place, operation, curve, column="median_us"):
    wanted = (place, operation, curve)
    return [
        line[column]
        for line in figures.points(measured)
        if (line["place"], line["operation"], line["curve"]) == wanted
    ]


def test_the_curve_of_the_largest_gain_is_drawn_first(page, browser, measured):
    place, operation = page(
        "return ['place', 'operation'].map(id => document.getElementById(id).value)"
    )
    assert place == TWO
    drawn = traces(page, "time-chart")
    assert {trace["name"] for trace in drawn} == {"native", "hierarchical", "lane"}
    for trace in drawn:
        own = expected_curve(measured, place, operation, trace["name"], "ratio_to_native")
        assert trace["y"] == pytest.approx(own)
    asked = [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:", "blob:", "chrome")) for url in asked), asked


def test_the_navigation_marks_one_section(page):
    def marked():
        return page("return [...document.querySelectorAll('nav [aria-current]')].map(a => a.hash)")

    where = {name: page("return document.getElementById(arguments[0]).offsetTop", name)
             for name in ("answer", "faster", "wires", "sure")}  # fmt: skip
    for name, top in where.items():
        page("window.scrollTo(0, arguments[0])", top)
        assert wait_for(lambda name=name: marked() == [f"#{name}"])


def test_a_cell_of_the_map_chooses_what_is_shown(page):
    page(
        'document.querySelector(`table[data-place="${arguments[0]}"] '
        'button[data-operation=bcast][data-curve=lane][data-bytes="65536"]`).click()',
        TWO,
    )
    chosen = [page(f"return document.getElementById('{name}').value")
              for name in ("place", "operation", "size")]  # fmt: skip
    assert chosen == [TWO, "bcast", "65536"]
    assert "bcast, 64 KiB: lane is " in page("return document.getElementById('status').innerText")
    assert page("return document.querySelectorAll('.heat [aria-pressed=true]').length") == 2
    told = page("return [...document.querySelectorAll('.case')].map(each => each.innerText)")
    assert told == [f"bcast, 64 KiB, {TWO}"] * 2
    shown = {trace["name"]: len(trace["x"]) for trace in traces(page, "distribution-chart", "all")}
    assert shown == dict.fromkeys(("native", "hierarchical", "lane"), 24)


def test_controls_change_unit_curves_and_published_figures(page, measured):
    choose(page, "place", TWO)
    choose(page, "operation", "bcast")
    show_as(page, "time")
    for trace in traces(page, "time-chart"):
        assert trace["y"] == expected_curve(measured, TWO, "bcast", trace["name"])
    show_as(page, "rate")
    assert len(traces(page, "time-chart")[0]["x"]) == 7, "nothing is no rate"
    show_as(page, "time")
    page("document.querySelector('#legend input[value=hierarchical]').click()")
    for chart in ("time-chart", "allowed-chart"):
        assert {trace["name"] for trace in traces(page, chart)} == {"native", "lane"}
    place = reference.load("hydra")[0].place
    choose(page, "reference", place)
    published = {trace["name"]: trace["y"] for trace in traces(page, "time-chart", "published")}
    own = [one.time_us for one in reference.load("hydra")
           if (one.place, one.collective, one.algorithm) == (place, "bcast", "lane")]  # fmt: skip
    assert published["published: lane"] == own


def test_lanes_and_counters_are_drawn(page, measured):
    choose(page, "lanes-what", "bcast: Open MPI 4.1.4, 4 nodes x 4 ranks")
    drawn = {trace["name"]: trace["y"] for trace in traces(page, "lanes-chart")}
    size = int(page("return document.getElementById('lanes-size').value"))
    for curve, values in drawn.items():
        assert values == [line["speedup"] for line in figures.lanes(measured)
                          if (line["operation"], line["curve"], line["bytes"])
                          == ("bcast", curve, size)]  # fmt: skip
    names = {trace["name"] for trace in traces(page, "carried-chart", "lane")}
    assert names == {"lane0", "lane1"}
    page("document.getElementById('counters').open = true")
    choose(page, "counters-what", "Open MPI 4.1.4, 2 lanes, binding lane")
    bars = wait_for(lambda: page(
        "return document.getElementById('counters-chart').data?.map(t => [t.name, [...t.y]])"
    ))  # fmt: skip
    assert [name for name, _ in bars] == ["lane 0", "lane 1"]
    for lane, (_, sent) in enumerate(bars):
        own = [line["sent_bytes"] / 1e6 for line in figures.counters(measured)
               if (line["lanes"], line["lane"]) == (2, lane)]  # fmt: skip
        assert sent == pytest.approx(own)


def test_everything_can_be_reached_by_keys(page, browser):
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
    unnamed = page(
        "return [...document.querySelectorAll('button, select, input, [role=img]')].filter(e =>"
        " !e.hidden && !(e.labels && e.labels.length) && !e.getAttribute('aria-label')"
        " && !e.textContent.trim()).length"
    )
    assert unnamed == 0


def many(tmp_path):
    """10 collectives at 12 sizes, and names that are long."""
    path = tmp_path / "many.html"
    rows = campaigns.campaign(runs=2, samples=2)
    long = {"lane": "lane_pipeline_with_neighbour_exchange"}
    changed = ({**row, "algorithm": long.get(row["algorithm"], row["algorithm"])}
               if "algorithm" in row else row for row in rows)  # fmt: skip
    write(Measured([*changed, {"kind": "failure", "message": "run 2 hung " * 30}]), path)
    return path


@pytest.mark.parametrize("width", [420, 800])
def test_a_narrow_window_scrolls_tables_but_not_the_page(visit, tmp_path, width):
    page = visit(many(tmp_path), width)
    page("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page("return document.documentElement.scrollWidth") <= width
    wide = page(
        "return [...document.querySelectorAll('main *')]"
        ".filter((each) => !each.closest('.scroll, svg')"
        " && each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML)"
    )
    assert wide == []
    hint = "document.querySelector('.heat').closest('.wide').querySelector('.hint')"
    box = "document.querySelector('.heat').closest('.scroll')"
    page(f"{box}.scrollLeft = 0")
    said = wait_for(lambda: page(f"return {hint}.innerText"))
    assert re.fullmatch(r"Scroll sideways: \d+ more columns? →|← Back.*", said)
    for _ in range(12):
        page(f"if ({hint}.textContent.includes('→')) {hint}.click()")
        time.sleep(0.05)
    assert wait_for(lambda: "Back" in page(f"return {hint}.innerText"))
    head = page(
        "return document.querySelector('.heat tbody th[scope=row]').getBoundingClientRect().left"
    )
    assert head >= 0, "names stay in sight"
    page(f"{hint}.click()")
    assert wait_for(lambda: page(f"return {box}.scrollLeft") == 0)


def test_a_wide_window_needs_no_hint(page):
    hidden = page("return [...document.querySelectorAll('.heat')].map((each) =>"
                  " each.closest('.wide').querySelector('.hint').hidden)")  # fmt: skip
    assert hidden == [True, True]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read(page, theme):
    if page("return document.documentElement.dataset.theme") != theme:
        page("document.getElementById('theme').click()")
    ground = page("return getComputedStyle(document.body).backgroundColor")
    assert contrast(page("return getComputedStyle(document.body).color"), ground) >= 7
    font = page("return document.getElementById('time-chart').layout.font.color")
    assert font == page("return getComputedStyle(document.documentElement)"
                        ".getPropertyValue('--ink').trim()")  # fmt: skip
    pairs = page(
        "const canvas = document.createElement('canvas').getContext('2d');"
        "const rgb = (c) => { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);"
        "  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;"
        "  return `rgb(${r}, ${g}, ${b})`; };"
        "return [...document.querySelectorAll('.heat button, .answer, .tabs input:checked + span')]"
        "  .map(b => getComputedStyle(b)).map(s => [rgb(s.color), rgb(s.backgroundColor)])"
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


def test_it_prints_on_paper(page, browser):
    page("document.getElementById('theme').click()")
    pdf = base64.b64decode(browser.print_page())
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000


def test_one_point_alone_is_drawn(visit, tmp_path):
    path = tmp_path / "point.html"
    times = {"native": 20_000.0, "lane": 9000.0}
    taken = [campaigns.sample("bcast", name, 100_000, 1, us) for name, us in times.items()]
    write(Measured([campaigns.heading(), campaigns.environment(1), *taken]), path)
    page = visit(path)
    assert [trace["y"] for trace in traces(page, "time-chart")] == [[1], [pytest.approx(20 / 9)]]


def test_the_report_of_a_large_campaign_is_small():
    """10 collectives x 12 sizes x 3 algorithms x 5 runs, each with 60 samples."""
    html = render(Measured([*campaigns.campaign(samples=60)]))
    assert len(html.encode()) < 5 * MEGABYTE
