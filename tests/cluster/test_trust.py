# SPDX-License-Identifier: BSD-3-Clause
"""The statements of `laneway cluster check` about times on a cluster with latency."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from laneway.cluster import check, trust
from laneway.cluster.cluster import Cluster
from laneway.cluster.spec import ClusterSpec
from laneway.cluster.trust import Hop
from laneway.libraries import native

from .conftest import laneway_cluster

SPEC = ClusterSpec(latency=10**6, gap=10**5, rate=10**8, slower=1000)
HOP = Hop("MPICH 4.0.2", 16, False, False, 1000.0, 1010.0, (1040.0, 1050.0, 1070.0))


def test_a_hop_takes_the_latency_and_its_headers():
    assert trust.model_us(SPEC) == pytest.approx(1000 + 5.28)


def test_what_is_above_the_model_is_the_schedulers():
    assert HOP.share == pytest.approx(0.05)
    assert HOP.stretch == pytest.approx(0.5)
    (said,) = trust.sentences(SPEC, [HOP])
    assert said == (
        "a hop of 1.00 ms takes 1.04 to 1.07 ms with MPICH 4.0.2 (16 ranks): 5% on top are this "
        "machine's: taking turns, TCP, MPI"
    )


def test_a_factor_that_would_do_is_told():
    slow = replace(HOP, quartiles_us=(1100.0, 1234.0, 1400.0))
    told = trust.sentences(SPEC, [slow, replace(slow, busy=True), replace(slow, who="TCP")])
    assert len(told) == 1
    assert told[0].endswith("TCP, MPI; 10% with --slow-motion --slower 2400")
    (told,) = trust.sentences(replace(SPEC, slower=1), [slow])
    assert told.endswith("10% with --latency 2.4ms")
    (told,) = trust.sentences(replace(SPEC, gap=0), [slow])
    assert told.endswith("10% with --rate 41666667bit --latency 2.4ms --slower 2400")
    (told,) = trust.sentences(replace(SPEC, latency=0, slower=1), [slow])
    assert told.endswith("TCP, MPI"), "there is no latency that could be longer"


def test_a_library_that_tells_no_hop_is_a_problem(monkeypatch):
    def fails(cluster, case):
        raise trust.HopError("no such device")

    monkeypatch.setattr(trust, "_by_mpi", fails)
    build = native.installed()[0]
    hops, failed = trust.measure(
        SimpleNamespace(spec=SPEC), [trust.HopCase(build, (4, 4), False, False)], lambda: None
    )
    assert hops == []
    assert failed == [f"no hop by {build.library} on 8 ranks: no such device"]


def test_a_hop_below_the_model_cannot_be():
    assert trust.problems([HOP]) == []
    (told,) = trust.problems([replace(HOP, least_us=900.0)])
    assert told == "MPICH 4.0.2: a hop of 900.0 us is shorter than the lanes allow, 1000.0 us"


def test_the_number_of_round_trips_fits_the_latency():
    found = [trust.repetitions(ClusterSpec(latency=each)) for each in (1000, 10**6, 10**8)]
    assert found == [200, 200, 20]


@pytest.mark.parametrize(("nodes", "slots", "ppn"), [(4, (), {1, 4, 8}), (2, (3, 1), {3})])
def test_cases(nodes, slots, ppn, monkeypatch):
    build = SimpleNamespace(library="MPI")
    monkeypatch.setattr(native, "installed", lambda: [build])
    spec = replace(SPEC, nodes=nodes, slots=slots)
    cluster = SimpleNamespace(spec=spec, state=SimpleNamespace(privileged=True))
    found = [case for case in trust.cases(cluster, full=True) if case.build]
    assert {case.ppn[0] for case in found} == ppn
    assert len(found) == len(ppn) * 2 * 2  # busy, in real time
    cluster.state.privileged = False
    assert not any(case.realtime for case in trust.cases(cluster, full=False))
    assert trust.cases(SimpleNamespace(spec=replace(SPEC, nodes=1, slots=())), full=True) == []


@pytest.mark.slow  # it starts two jobs of each MPI library
def test_check_measures_hops_and_the_switch(can_make_clusters):
    spec = replace(SPEC, name="hopping", nodes=2, lanes=1, latency=5 * 10**6)
    with Cluster.up(spec):
        ran = laneway_cluster("check", "--name", "hopping", "--json")
    report = json.loads(ran.stdout)
    assert ran.returncode == bool(report["problems"])
    assert {"TCP", *(build.library for build in native.installed())} == {
        hop["who"] for hop in report["hops"]
    }
    for hop in report["hops"]:
        assert hop["least_us"] >= hop["model_us"] == pytest.approx(5005.28)
    assert report["switch"]["frames"] > 100
    if report["switch"]["realtime"]:  # without priority a switch may come too late
        assert report["switch"]["dropped"] == report["drops"] == 0


@pytest.mark.timed
def test_hops_are_what_was_asked_for(can_make_clusters):
    with Cluster.up(replace(SPEC, name="judged")) as cluster:
        hops, failed = trust.measure(cluster, trust.cases(cluster, full=False), lambda: None)
    assert not failed
    for hop in hops:
        if hop.realtime:
            assert hop.quartiles_us[1] <= 1300, hop


@pytest.mark.timed
def test_lanes_in_slow_motion_reach_their_rate_all_at_once(can_make_clusters):
    with Cluster.up(replace(SPEC, name="saturated")) as cluster:
        streams = [
            check.Stream(node, (node + 1) % 4, lane) for node in range(4) for lane in range(2)
        ]
        rates = cluster.inside(lambda state: check._measured(state, streams, check._each_matches))
        dropped = cluster.kept().dropped
    assert min(rates) >= 0.97 * 10**8
    assert not any(dropped)
