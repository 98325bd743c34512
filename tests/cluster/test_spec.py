# SPDX-License-Identifier: BSD-3-Clause
import ipaddress
import json

import pytest

from laneway.cluster.spec import ClusterSpec, SpecError, format_rate, parse_rate


@pytest.mark.parametrize(
    ("text", "bits"),
    [("200mbit", 2 * 10**8), ("1gbit", 10**9), ("1.5Gbit", 15 * 10**8), ("64000 kbit", 64 * 10**6)],
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
    ],
)
def test_impossible_clusters_are_refused(fields):
    with pytest.raises(SpecError):
        ClusterSpec(**fields)


def test_a_spec_survives_json():
    spec = ClusterSpec("x", 4, 3, 10**9, fabric="joint", slots=(4, 4, 4, 1))
    assert ClusterSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_addresses_are_private_and_distinct():
    spec = ClusterSpec(nodes=64, lanes=16)
    addresses = [spec.address(node, lane) for node in range(64) for lane in range(16)]
    addresses += [spec.management_address(node) for node in (None, *range(64))]
    assert len(set(addresses)) == len(addresses)
    assert all(ipaddress.ip_address(one) in ipaddress.ip_network("10.0.0.0/8") for one in addresses)


def test_unequal_slots_overrule_ppn():
    assert ClusterSpec(nodes=3).ppn(2) == (2, 2, 2)
    assert ClusterSpec(nodes=3, slots=(4, 4, 1)).ppn(2) == (4, 4, 1)
