# SPDX-License-Identifier: BSD-3-Clause
"""Who wins where: which algorithm is to serve which sizes, of times that are given."""

import pytest

from laneway.simulation.wins import Forecast, Win, in_all, whole, wins
from profiles import forecast


def ranges(forecasts, margin=1.25):
    return [(win.algorithm, win.least, win.most) for win in wins(forecasts, margin)]


def test_an_algorithm_must_gain_the_margin_at_each_size():
    sizes = [
        forecast(4, lane=81),
        forecast(8, lane=80),
        forecast(16, lane=50),
        forecast(32, lane=90),
    ]
    assert ranges(sizes) == [("lane", 8, 16)]
    assert ranges(sizes, 2) == [("lane", 16, 16)]
    assert ranges(sizes, 1) == [("lane", 4, 32)]
    assert ranges([]) == ranges([forecast(4)]) == []


def test_between_sizes_with_different_algorithms_the_geometric_mean_divides():
    sizes = [forecast(4, lane=20, chain=50), forecast(16, lane=20, chain=50),
             forecast(64, lane=50, chain=20)]  # fmt: skip
    assert ranges(sizes) == [("lane", 4, 32), ("chain", 33, 64)]
    apart = [sizes[0], forecast(16, lane=90), sizes[2]]
    assert ranges(apart) == [("lane", 4, 4), ("chain", 64, 64)]


def test_what_is_nearly_as_fast_serves_as_many_sizes_as_possible():
    """Predictions cannot tell within 5%; the best of the whole range is taken."""
    sizes = [forecast(4, lane=20, chain=20.5), forecast(8, lane=20.5, chain=20),
             forecast(16, lane=40, chain=20)]  # fmt: skip
    assert ranges(sizes) == [("chain", 4, 16)]
    sizes[0] = forecast(4, lane=20, chain=22)
    assert ranges(sizes) == [("lane", 4, 11), ("chain", 12, 16)]
    assert ranges([forecast(4, b=20, a=20)]) == [("a", 4, 4)], "always the same"


def test_what_serves_already_is_kept_unless_another_is_clearly_faster():
    assert ranges([forecast(4, standing="chain", lane=20, chain=24)]) == [("chain", 4, 4)]
    assert ranges([forecast(4, standing="chain", lane=20, chain=25)]) == [("lane", 4, 4)]
    assert ranges([forecast(4, standing="chain", lane=70, chain=81)]) == [("chain", 4, 4)], (
        "whatever it gains itself"
    )
    assert ranges([forecast(4, standing="chain", lane=70, chain=85)]) == [("lane", 4, 4)]
    assert ranges([forecast(4, standing="chain", lane=81, chain=82)]) == [], "nothing gains enough"


def test_no_algorithm_serves_far_from_what_was_simulated():
    sizes = [forecast(1 << 10, lane=20, chain=50), forecast(1 << 14, lane=50, chain=20)]
    assert ranges(sizes) == [("lane", 1 << 10, 1 << 11), ("chain", 1 << 13, 1 << 14)]


def test_what_serves_already_and_would_be_slower_than_native_makes_room_for_that():
    slow = forecast(8, standing="chain", chain=121)
    assert ranges([slow]) == [("native", 8, 8)]
    assert ranges([forecast(8, standing="chain", chain=120)]) == []
    around = [forecast(4, lane=20), slow, forecast(16, lane=20)]
    assert ranges(around) == [("lane", 4, 5), ("native", 6, 11), ("lane", 12, 16)]


def test_a_win_tells_what_it_is_made_of():
    own = forecast(4, lane=20, chain=30)
    assert wins([own]) == [Win("lane", 4, 4, (own,))]
    assert (own.gain("lane"), own.gain("native"), own.gain("no_such")) == (5, 1, 0)
    assert own.next_to("lane") == ("chain", 1.5)
    several = Forecast(4, 100, {"lane": 20, "lane(segment=8)": 10, "chain": 30})
    assert several.next_to("lane(segment=8)") == ("chain", 3), "its own other segments do not count"
    assert forecast(4, lane=20).next_to("lane") is None


def for_all(*forecasts):
    return [(win.algorithm, win.least, win.most) for win in whole(forecasts)]


def test_a_rule_for_all_sizes_gains_on_the_mean_and_loses_nowhere():
    assert for_all(forecast(4, lane=50), forecast(8, lane=100)) == [("lane", 4, 8)]
    assert for_all(forecast(4, lane=50), forecast(8, lane=101)) == []
    assert for_all(forecast(4, lane=90), forecast(8, lane=90)) == [], "too little"
    assert for_all(forecast(4, lane=20), forecast(8, chain=20)) == [], "each serves one size"
    both = [forecast(4, standing="chain", lane=50, chain=60)] * 2
    assert for_all(*both) == [("chain", 4, 4)], "it serves already"
    assert for_all(forecast(4), forecast(8)) == []


def test_with_several_layouts_the_worst_counts():
    together = in_all([forecast(4, 100, lane=50, ring=10), forecast(4, 400, lane=400, chain=1)])
    assert together.native_us == pytest.approx(200)
    assert {*together.times_us} == {"lane"}
    assert together.gain("lane") == pytest.approx(1)
    alone = forecast(4, lane=50)
    assert in_all([alone]) is alone
