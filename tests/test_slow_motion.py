# SPDX-License-Identifier: BSD-3-Clause
"""Times of a cluster in slow motion: what tables, rows and reports say of them. No MPI."""

import io
import json

import pytest
from py_mini_racer import MiniRacer
from rich.console import Console

import campaigns
from laneway import rows
from laneway.cluster.spec import slow_motion
from laneway.commands.shared.forms import markdown
from laneway.modelling import full_speed
from laneway.results.measurements import Measured
from laneway.showing import figures, plot, table
from laneway.showing.caveats import caveats
from laneway.showing.report import HERE, render, said

SLOW = {**slow_motion(), "burst": 18432, "lanes": 2}
AXES = {"latency_us": 1000.0, "gap_us": 100.0, "slower": 1000}
"""Axes as the campaign writes them into samples."""
UNIT = "1ms here = 1us at full speed"
NOTE = (
    f"Times are of a machine 1000 times slower: {UNIT}; memory, reductions and copies inside nodes "
    "are not slowed down."
)


def measured(cluster=SLOW, axes=AXES, *, lane_us=1400.0):
    """A broadcast of an int, a large one and a barrier, a run each."""
    found = [campaigns.heading(), campaigns.environment(1, cluster=cluster)]
    for collective, count, native_us in (
        ("bcast", 1, 3500.0), ("bcast", 62_500, 30_000.0), ("barrier", 0, 4000.0),
    ):  # fmt: skip
        for algorithm, factor in (("native", 1), ("lane", lane_us / 3500)):
            time = native_us * factor
            found.append(campaigns.sample(collective, algorithm, count, 1, time, **axes))
    return Measured(found)


@pytest.fixture(scope="module")
def slow():
    return measured()


@pytest.fixture(scope="module")
def plain():
    fast = {"rate": campaigns.RATE, "burst": campaigns.BURST, "lanes": 2}
    return measured(fast, {}, lane_us=3000.0)


def test_a_unit_is_told_where_something_is_slowed():
    assert full_speed.note([1000, 1, 1000]) == NOTE
    assert full_speed.note([1, 1]) == full_speed.note([]) == ""
    assert full_speed.unit(1) == ""
    assert full_speed.unit(3000) == "3ms here = 1us at full speed"
    assert full_speed.note([3000, 1000]).startswith(
        "Times are of machines 1000 and 3000 times slower: 1ms here = 1us at full speed; 3ms here ="
    )


def test_a_table_says_it_below_its_title(slow, plain):
    found = table.render(slow.summaries, "Open MPI 4.1.4")
    assert found.title == f"Open MPI 4.1.4\n{NOTE}"
    assert markdown(found).startswith(f"**Open MPI 4.1.4<br>{NOTE}**")
    shown = io.StringIO()
    Console(file=shown, width=200).print(found)
    assert "3500" in shown.getvalue(), "times stay as measured"
    assert table.render(plain.summaries, "Open MPI 4.1.4").title == "Open MPI 4.1.4"


def test_rows_say_what_the_lanes_are_like(slow, plain):
    (small, *_) = [each.row() for each in slow.summaries if each.key.count == 1]
    assert {name: small[name] for name in AXES} == AXES
    assert (small["median_us"], small["lane_rate"], small["lane_burst"]) == (3500, 10**8, 0)
    assert small["floor_us"] == 1100
    assert not AXES.keys() & plain.summaries[0].row().keys()


def test_times_stand_beside_a_floor_of_messages_and_cannot_lie_below(slow):
    floors = {(each.key.collective, each.key.count): each.floor_us for each in slow.summaries}
    assert {name: round(floor) for name, floor in floors.items()} == {
        ("barrier", 0): 1100,
        ("bcast", 1): 1100,
        ("bcast", 62_500): 11_667,
    }
    assert rows.impossible(slow.summaries) == []
    too_fast = measured(lane_us=900.0).summaries
    assert rows.impossible(too_fast) == [
        "error: barrier 0, lane: 1029 us lies below the floor of 1100 us",
        "error: bcast 1, lane: 900 us lies below the floor of 1100 us",
        "error: bcast 62500, lane: 7714 us lies below the floor of 11667 us",
    ]


def test_calls_in_a_row_share_what_may_overlap():
    """Each time is a call's mean: the root of a broadcast runs ahead, that of a barrier cannot."""
    in_a_row = measured(axes={**AXES, "inner_repetitions": 10}).summaries
    assert {each.key.collective: each.floor_us for each in in_a_row if each.key.count < 2} == {
        "barrier": 1100, "bcast": 110,
    }  # fmt: skip


def test_lanes_are_busy_with_bytes_not_with_latency(slow):
    """Busy is the least time of sending over the median: the latency is no part of it."""
    carried = campaigns.carried("bcast", "native", 62_500, 1, **AXES)
    lines = figures.carried(Measured([*slow.rows, carried]))
    (busiest,) = [line for line in lines if line["lane"] == "lane0"]
    assert busiest["busy"] == pytest.approx(1.02 * 250_000 * 8 / 100 / 30_000, rel=1e-3)


def test_caveats_say_what_is_kept_and_what_is_not_slowed(slow, plain):
    told = " ".join(caveats(slow.rows))
    assert "latency 1ms, gap 100us, 1000 times slower" in told
    assert NOTE in told
    assert "next to no latency" not in told
    assert "laneway cluster check" in told
    assert "next to no latency" in " ".join(caveats(plain.rows))
    assert "slower" not in " ".join(caveats(plain.rows))


def test_a_report_says_it_at_its_top_and_what_the_floor_is(slow, plain):
    html = render(slow)
    assert f'<p class="where">{NOTE}</p>' in html
    assert "(bytes that the busiest lane must carry) / 100mbit + 1ms. " in html
    assert "lanes of 100mbit with latency 1ms, gap 100us, 1000 times slower." in html
    (told,) = said.floors(plain)
    assert told.startswith("(bytes that the busiest lane must carry - 18432) / 200mbit, for lanes")


def test_drawings_have_a_second_unit(slow, plain, tmp_path):
    for which, expected in ((slow, True), (plain, False)):
        folder = tmp_path / str(expected)
        (path,) = plot.write(which, ["time"], ["svg"], folder, operations=["barrier"])
        assert (UNIT in path.read_text()) == expected
    assert {line["slower"] for line in figures.times(slow)} == {1000}
    assert {line["slower"] for line in figures.samples(plain)} == {1}


@pytest.fixture(scope="module")
def script():
    """The value of an expression in the scope of the report's script."""
    engine = MiniRacer()
    for name in ("words", "look", "traces"):
        engine.eval((HERE / "script" / f"{name}.js").read_text())
    engine.eval("const look = { algorithms: ['native', 'lane'], paint: () => '#123456' };")
    return lambda expression, **values: json.loads(
        engine.eval(
            f"(({', '.join(f'{name} = {json.dumps(value)}' for name, value in values.items())}) "
            f"=> JSON.stringify({expression}))()"
        )
    )


def test_who_points_at_a_time_sees_both_units(script, slow, plain):
    both = "told(points[0]) + ' ' + fastest(points.slice(0, 1), undefined, new Set())"
    points = [point for point in figures.points(slow) if point["count"] == 1]
    told = script(both, points=points)
    assert told.count("3.5 ms = 3.5 µs at full speed") == 2
    assert "full speed" not in script(both, points=figures.points(plain))
    figure = """[
        curvesFigure(look, {all: points, points, unit: UNITS[unit]}).yaxis.title.text,
        distributionFigure(look, [[points[0], {1: [1, 2]}]]).xaxis.title.text,
    ]"""
    assert script(figure, points=points, unit="time") == [
        "time (1 ms = 1 µs at full speed)",
        "time of a repetition (1 ms = 1 µs at full speed)",
    ]
    assert script(figure, points=points, unit="ratio")[0] == "times as fast as native"
    assert script(figure, points=figures.points(plain), unit="time")[0] == "time"
