# SPDX-License-Identifier: BSD-3-Clause
import ipaddress
import json

import pytest

from laneway.cluster import pace
from laneway.cluster.spec import (
    ClusterSpec,
    SpecError,
    format_rate,
    format_time,
    parse_rate,
    parse_time,
    rates_in_words,
)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("200mbit", 2 * 10**8),
        ("1gbit", 10**9),
        ("999600 kbit", 9996 * 10**5),
        ("1.5Gbit", 15 * 10**8),
        ("64000 kbit", 64 * 10**6),
    ],
)
def test_rates_are_decimal_bits_a_second(text, bits):
    assert parse_rate(text) == bits
    assert parse_rate(format_rate(bits)) == bits


@pytest.mark.parametrize("text", ["200", "fast", "200mbps", "-1mbit", "1e3mbit", ""])
def test_other_rates_are_refused(text):
    with pytest.raises(SpecError, match="expected a number"):
        parse_rate(text)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "../up"},
        {"name": "x" * 33},
        {"nodes": 0},
        {"nodes": 1000},
        {"lanes": 0},
        {"rate": 10},
        {"fabric": "mesh"},
        {"slots": (4, 4)},
        {"slots": (4, 4, 4, 0)},
        {"latency": -1},
        {"gap": 2 * 10**9},
        {"slower": 0},
        {"slower": 1000},
        {"rate": 10**10, "latency": 10**9},
        {"lanes": 2, "lane_rates": (10**8,)},
        {"lanes": 2, "lane_rates": (10**8, 10)},
        {"lanes": 2, "lane_rates": (10**8, 10**7), "latency": 1000},
    ],
)
def test_impossible_clusters_are_refused(fields):
    with pytest.raises(SpecError):
        ClusterSpec(**fields)


def test_a_spec_survives_json():
    spec = ClusterSpec(
        "x", 4, 3, 10**9, fabric="joint", slots=(4, 4, 4, 1), latency=1500, gap=7, slower=9
    )
    assert ClusterSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    unlike = ClusterSpec("y", lanes=2, lane_rates=(2 * 10**8, 10**8))
    assert ClusterSpec.from_json(json.loads(json.dumps(unlike.to_json()))) == unlike


def test_lanes_that_are_not_alike_are_told_each():
    spec = ClusterSpec(lanes=2, lane_rates=(2 * 10**8, 10**8))
    assert str(spec) == "4 nodes, 2 lanes of 200mbit,100mbit, separate fabric"
    assert spec.rates == (2 * 10**8, 10**8)
    assert spec.axes == {"rate_mbit": 150}
    asked = pace.asked(lane_rates="200mbit,100mbit")
    assert pace.mismatch(spec, asked) is None
    assert pace.mismatch(ClusterSpec(), asked) == (
        "cluster 'default' has lane_rates , not 200mbit,100mbit"
    )
    assert pace.mismatch(spec, {"rate": spec.rate}) == (
        "cluster 'default' has lanes of 200mbit and 100mbit, not 200mbit"
    )
    written = json.loads(json.dumps(spec.to_json()))
    assert [*pace.options(written)] == ["--lane-rates", "200mbit,100mbit"]
    assert not [*pace.options(json.loads(json.dumps(ClusterSpec().to_json())))]


def test_a_node_whose_lanes_differ_is_told_by_itself():
    usual = (2 * 10**8, 2 * 10**8)
    assert rates_in_words([usual, usual]) == "200mbit"
    assert rates_in_words([usual, (2 * 10**8, 2 * 10**7), usual]) == (
        "200mbit, on node1 200mbit and 20mbit"
    )


def test_addresses_are_private_and_distinct():
    spec = ClusterSpec(nodes=64, lanes=16)
    addresses = [spec.address(node, lane) for node in range(64) for lane in range(16)]
    addresses += [spec.management_address(node) for node in (None, *range(64))]
    assert len(set(addresses)) == len(addresses)
    assert all(ipaddress.ip_address(one) in ipaddress.ip_network("10.0.0.0/8") for one in addresses)


def test_unequal_slots_overrule_ppn():
    assert ClusterSpec(nodes=3).ppn(2) == (2, 2, 2)
    assert ClusterSpec(nodes=3, slots=(4, 4, 1)).ppn(2) == (4, 4, 1)


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("1ms", 10**6), ("100us", 10**5), ("1.5us", 1500), ("0", 0), ("0us", 0), ("2 s", 2 * 10**9)],
)
def test_times_are_read_to_the_nanosecond(text, nanoseconds):
    assert parse_time(text) == nanoseconds
    assert parse_time(format_time(nanoseconds)) == nanoseconds


@pytest.mark.parametrize("text", ["1", "1 d", "-1ms", "fast", ""])
def test_other_times_are_refused(text):
    with pytest.raises(SpecError, match="expected a number with ns, us, ms or s"):
        parse_time(text)


def test_a_cluster_without_latency_says_nothing_of_it():
    spec = ClusterSpec()
    assert (spec.timed, spec.pace, spec.axes) == (False, "", {})
    assert str(spec) == "4 nodes, 2 lanes of 200mbit, separate fabric"


def test_a_cluster_in_slow_motion_says_so():
    spec = ClusterSpec(**pace.asked(preset=True))
    assert str(spec) == (
        "4 nodes, 2 lanes of 100mbit, latency 1ms, gap 100us, 1000 times slower, separate fabric"
    )
    assert spec.axes == {"latency_us": 1000, "gap_us": 100, "rate_mbit": 100, "slower": 1000}


def test_slow_motion_by_another_factor():
    spec = ClusterSpec(**pace.asked(preset=True, slower=3000))
    assert (spec.latency, spec.gap, spec.slower) == (3 * 10**6, 3 * 10**5, 3000)
    assert format_rate(spec.rate) == "33.3mbit"


def test_what_is_said_wins_over_slow_motion():
    given = pace.asked(preset=True, latency="2ms", gap="0", rate="1gbit")
    assert given == {"latency": 2 * 10**6, "gap": 0, "rate": 10**9, "slower": 1000}
    assert pace.asked(latency="2ms", slower=5) == {"latency": 2 * 10**6, "slower": 5}


def test_a_cluster_of_another_pace_is_another_cluster():
    spec = ClusterSpec("x", latency=10**6)
    assert pace.mismatch(spec, {"latency": 10**6}) is None
    assert pace.mismatch(spec, {"gap": 10**5}) == "cluster 'x' has gap 0, not 100us"


def test_a_cluster_whose_lanes_were_changed_is_another_one():
    spec, usual, sick = ClusterSpec("x"), (2 * 10**8,) * 2, (2 * 10**8, 2 * 10**7)
    now = (usual, sick, usual, usual)
    assert pace.mismatch(spec, {"rate": spec.rate}, (usual,) * 4) is None
    assert pace.mismatch(spec, {"rate": spec.rate}, now) == (
        "cluster 'x' has lanes of 200mbit, on node1 200mbit and 20mbit, not 200mbit"
    )
    assert pace.mismatch(spec, {"lane_rates": sick}, (sick,) * 4) is None, "they all were"
    assert pace.mismatch(spec, {"latency": 0}, now) is None, "nobody asked for rates"
    assert pace.rates_mismatch(spec, now, now) is None
    other_node = (sick, usual, usual, usual)
    assert pace.rates_mismatch(spec, now, other_node), "the same rates on other nodes"


def test_a_state_of_before_there_was_latency_is_read():
    fields = ClusterSpec().to_json()
    for name in ("latency", "gap", "slower"):
        del fields[name]
    assert ClusterSpec.from_json(fields) == ClusterSpec()
