# SPDX-License-Identifier: BSD-3-Clause
"""The report's script without a browser: what it makes of the figures' tables, line by line."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from py_mini_racer import MiniRacer

import campaigns
from laneway.results.measurements import Measured
from laneway.showing import figures
from laneway.showing.report import HERE, said
from laneway.simulation.prediction import Predictions

TWO = "Open MPI 4.1.4, 4 nodes x 4 ranks, 2 lanes"
PURE = ("words", "look", "traces")
"""The parts of the script that do not look at the page."""


@pytest.fixture(scope="module")
def script():
    """`script(expression, name=value, ...)`: the value of an expression in the script's scope."""
    engine = MiniRacer()
    engine.eval("\n".join((HERE / "script" / f"{name}.js").read_text() for name in PURE))
    # Each colour is another one, and known by its name.
    engine.eval("""
        const paints = [];
        const paint = (name) => {
          if (!paints.includes(name)) paints.push(name);
          return "#0000" + (16 + paints.indexOf(name)).toString(16);
        };
        const look = { algorithms: ["native", "hierarchical", "lane"], paint };
    """)

    def run(expression, **values):
        arguments = ", ".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
        return json.loads(engine.eval(f"(({arguments}) => JSON.stringify({expression}))()"))

    return run


@pytest.fixture(scope="module")
def measured():
    return Measured([*campaigns.campaign(("bcast",), sizes=4, runs=3, samples=2, lanes=(1, 2))])


@pytest.fixture(scope="module")
def points(measured):
    return [point for point in figures.points(measured) if point["place"] == TWO]


def curves(script, points, unit="time", **more):
    figure = script(
        "curvesFigure(look, {all: points, points, unit: UNITS[unit], labels: true, ...more})",
        points=points, unit=unit, more=more,
    )  # fmt: skip
    return figure, {t["name"]: t for t in figure["traces"] if t.get("meta") == "curve"}


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("time", lambda point: point["median_us"]),
        ("ratio", lambda point: point["ratio_to_native"]),
        ("rate", lambda point: point["bytes"] / point["median_us"] * 1e6),
        ("allowed", lambda point: point["over_floor"] and 1 / point["over_floor"]),
    ],
)
def test_a_curve_shows_the_numbers_of_its_algorithm(script, points, unit, value):
    figure, drawn = curves(script, points, unit)
    assert set(drawn) == {"native", "hierarchical", "lane"}
    low, high = figure["yaxis"]["range"]
    for name, trace in drawn.items():
        own = {p["bytes"] or 0.5: value(p) for p in points if p["curve"] == name and value(p)}
        assert dict(zip(trace["x"], trace["y"], strict=True)) == pytest.approx(own)
        ends = trace["y"] if unit == "allowed" else np.log10(trace["y"])
        assert low <= min(ends) <= max(ends) <= high


def test_what_was_predicted_stands_beside_what_was_measured(script, measured):
    """In all units, for those that have a prediction: a fifth longer than it took."""
    lane = [each for each in measured.summaries if each.key.algorithm == "lane"]
    predictions = Predictions("mine", {each.key: 1.2 * each.median_us for each in lane})
    points = [point for point in figures.points(measured, predictions) if point["place"] == TWO]
    for unit, factor in (("time", 1.2), ("ratio", 1 / 1.2), ("rate", 1 / 1.2)):
        figure, drawn = curves(script, points, unit)
        (predicted,) = [t for t in figure["traces"] if t.get("meta") == "predicted"]
        assert predicted["name"] == "predicted: lane"
        assert predicted["y"] == pytest.approx([factor * y for y in drawn["lane"]["y"]])


def test_lines_differ_by_colour_dashes_and_markers_each(script, points):
    _, drawn = curves(script, points)
    for kind in ("color", "dash"):
        assert len({trace["line"][kind] for trace in drawn.values()}) == 3
    assert len({trace["marker"]["symbol"] for trace in drawn.values()}) == 3
    many = [f"algorithm{i}" for i in range(20)]
    styles = script(
        "many.map((algorithm) => style({...look, algorithms: many}, {algorithm}))", many=many
    )
    assert len({(one["variable"], one["dash"]) for one in styles}) == len(many)
    hollow = script("style(look, {algorithm: 'lane', curve: 'lane (all)', binding: 'all'}).symbol")
    assert hollow.endswith("-open"), "one algorithm under two bindings"


def test_no_line_enters_the_hatched_area(script, points):
    for unit, beyond in (("time", "below"), ("ratio", "above"), ("allowed", "above")):
        figure, drawn = curves(script, points, unit)
        (floor,) = [trace for trace in figure["traces"] if trace.get("meta") == "floor"]
        best = dict(zip(floor["x"], floor["y"], strict=True))
        (edge,) = [trace for trace in figure["traces"] if trace.get("meta") == "beyond"]
        for trace in drawn.values():
            for x, y in zip(trace["x"], trace["y"], strict=True):
                if x in best:
                    assert (y > best[x]) == (beyond == "below")
        pairs = zip(edge["y"], floor["y"], strict=True)
        assert all(far <= near if beyond == "below" else far >= near for far, near in pairs)
        assert floor["fillpattern"]["shape"]


def test_names_at_the_ends_of_lines_do_not_lie_on_each_other(script):
    lines = {"a": 0.5, "b": 0.501, "c": 0.999, "d": 1.0, "e": 0.1}
    ends = [{"name": name, "x": 1, "y": y, "colour": "red"} for name, y in lines.items()]
    labels = script("endLabels(look, ends, [0, 1], 0.05)", ends=ends)
    at = sorted(label["y"] for label in labels)
    assert min(b - a for a, b in pairwise(at)) >= 0.05 - 1e-9
    assert at[-1] <= 1 + 1e-9
    order = [label["text"] for label in sorted(labels, key=lambda label: label["y"])]
    assert order == ["e", "a", "b", "c", "d"]
    long = script("endLabels(look, [{name: 'x'.repeat(60), x: 1, y: 1, colour: 'red'}], [0, 1], 1)")
    assert len(long[0]["text"]) < 30


def test_sizes_have_ticks_that_do_not_touch(script):
    axis = script("sizeAxis(look, sizes, 0.2)", sizes=[0, 1, 2, 1000, 1024, 2**20])
    assert axis["ticktext"][0] == "1 MiB", "the largest has one"
    at = np.log10(axis["tickvals"])
    low, high = axis["range"]
    assert min(-np.diff(at)) >= 0.2 * (high - low)
    assert script("sizeAxis(look, [0], 0.2).ticktext") == ["0 B"], "one point alone"


def test_lanes_have_a_bar_for_each_algorithm_beside_the_least(script, measured):
    lines = [line for line in figures.carried(measured)
             if line["place"] == TWO and line["bytes"] == 4 * 4**10]  # fmt: skip
    figure = script("carriedFigure(look, lines)", lines=lines)
    assert [trace["name"] for trace in figure["traces"]] == ["lane0", "lane1"]
    for trace in figure["traces"]:
        own = {line["curve"]: line["busiest_bytes"] for line in lines
               if line["lane"] == trace["name"]}  # fmt: skip
        assert dict(zip(trace["y"], trace["x"], strict=True)) == own
    assert figure["shapes"][0]["x0"] == 4 * 4**10 / 2, "half of the message by each lane"
    patterns = {trace["marker"]["pattern"]["shape"] for trace in figure["traces"]}
    assert len(patterns) == 2, "not by colour alone"


@pytest.mark.parametrize(
    ("unit", "told"),
    [("time", "Lower is faster."), ("rate", "Higher is faster."),
     ("ratio", "Native is the line at 1. Higher is faster.")],
)  # fmt: skip
def test_where_the_faster_lines_are_is_said_of_the_unit_that_is_shown(script, unit, told):
    assert script("better(UNITS[unit])", unit=unit) == told


def test_sentences_say_what_is_fastest_and_why_others_are_not(script, measured, points):
    largest = [point for point in points if point["bytes"] == 4 * 4**10]
    winner = said.fastest(measured)[f"{TWO}|bcast|{4 * 4**10}"]
    told = script("fastest(points, winner, new Set())", points=largest, winner=winner)
    (lane,) = [point for point in largest if point["curve"] == "lane"]
    assert told.startswith(f"bcast, 4 MiB: {winner['told']}. Its median is ")
    assert winner["curve"] == "lane"
    hidden = script("fastest(points, winner, new Set(['lane']))", points=largest, winner=winner)
    assert hidden.endswith("; it is not among the lines that are shown.")
    alone = script("fastest(points, undefined, new Set())", points=[lane])
    assert alone.startswith("bcast, 4 MiB: lane alone was measured. Its median is ")
    lines = [line for line in figures.carried(measured)
             if line["place"] == TWO and line["bytes"] == 4 * 4**10]  # fmt: skip
    why = {each["curve"]: each["told"]
           for each in script("explained(points, lines)", points=largest, lines=lines)}  # fmt: skip
    assert "its busiest lane carries 2.04 times the bytes that it must" in why["native"]
    assert "lane1 is not used" in why["native"]
    assert "not used" not in why["lane"]
    assert "is busy" in why["lane"]


def test_speedups_stand_beside_the_ideal(script, measured):
    lines = [line for line in figures.lanes(measured) if line["bytes"] == 4 * 4**10]
    figure = script("scalingFigure(look, lines)", lines=lines)
    (ideal,) = [trace for trace in figure["traces"] if trace.get("meta") == "ideal"]
    assert ideal["y"] == [1, 2]
    for trace in figure["traces"]:
        if trace.get("meta") == "curve":
            assert trace["y"] == [
                line["speedup"] for line in lines if line["curve"] == trace["name"]
            ]


def test_samples_are_all_there_run_by_run(script, points):
    point = points[0]
    byRun = {"1": [3.0, 1.0], "2": [2.0, 4.0, 5.0]}  # noqa: N806 - as in the page
    spread = script("distributionFigure(look, [[point, byRun]])", point=point, byRun=byRun)
    (everything,) = [trace for trace in spread["traces"] if trace["meta"] == "all"]
    assert everything["x"] == [1, 2, 3, 4, 5]
    assert everything["y"] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1])
    assert len([trace for trace in spread["traces"] if trace["meta"] == "run"]) == 2
    order = script("orderFigure(look, [[point, byRun]])", point=point, byRun=byRun)
    assert order["traces"][0]["y"] == [3, 1, 2, 4, 5]
    assert [shape["x0"] for shape in order["shapes"]] == [2.5], "between the runs"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("size(400000)", "391 KiB"), ("size(1048576)", "1 MiB"), ("time(0.25)", "250 ns"),
        ("time(1234)", "1.23 ms"), ("amount(400000)", "400 kB"), ("rate(25e6)", "25 MB/s"),
        ("percent(0.994)", "99%"), ("percent(0.0123)", "1.2%"), ("times(10)", "10 ×"),
    ],
)  # fmt: skip
def test_numbers_are_easily_read(script, expression, text):
    assert script(expression) == text


# ---- colours --------------------------------------------------------------------------------

EYES = {
    "all colours": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868],
                        [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968],
                          [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
}  # fmt: skip
"""What is seen, of linear RGB: Machado, Oliveira and Fernandes, IEEE TVCG 15, 2009, severity 1."""


def palettes():
    """The colours of lines, and the ground they are on, by theme."""
    blocks = re.findall(
        r":root(\[[^\]]*\])? \{(.*?)\}", (HERE / "style.css").read_text(), re.DOTALL
    )
    for theme, block in blocks:
        colours = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", block))
        yield theme or "light", [colours[f"c{i}"] for i in range(8)], colours["card"]


def linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear RGB."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    relative = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("palette", [*palettes()], ids=lambda palette: palette[0])
def test_colours_of_lines_differ_for_all_eyes_and_stand_out(palette, eyes):
    _, colours, ground = palette
    seen = [lab(EYES[eyes] @ linear(colour)) for colour in colours]
    apart = {
        (colours[i], colours[j]): np.linalg.norm(seen[i] - seen[j])
        for i in range(8) for j in range(i)
    }  # fmt: skip
    # The first four, which most reports use, are told apart by colour alone; of all, markers help.
    assert min(apart[pair] for pair in apart if {*pair} <= {*colours[:4]}) > 20
    assert min(apart.values()) > 9
    weights = np.array([0.2126, 0.7152, 0.0722])
    for colour in colours:
        low, high = sorted((weights @ linear(colour), weights @ linear(ground)))
        assert (high + 0.05) / (low + 0.05) >= 4.5
