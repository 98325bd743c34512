# SPDX-License-Identifier: BSD-3-Clause
"""The simulated clock against SimGrid's SMPI: the same machines, the same schedules."""

import shutil

import pytest

import simgrid
from laneway.libraries import native
from laneway.simulation import machine, program
from laneway.simulation.program import Call

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not native.installed(), reason="no native build is installed"),
    pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed"),
]

MACHINE = """
[lanes]
bandwidth = "10 GB/s"
latency = "1 us"
sharing = "fair"         # SimGrid knows nothing else
eager = "0"              # so that messages begin when both sides are ready
handshake = "0.001 ns"
[node]
bandwidth = "50 GB/s"
latency = "0.2 us"
eager = "0"
handshake = "0.001 ns"
[process]
copy = "10 GB/s"
reduce = "5 GB/s"
"""

TORUS = """
[network]
topology = "torus"
shape = [4, 4, 2]
bandwidth = "4 GB/s"
latency = "50 ns"
"""

SMALL, LARGE = [4] * 16, [16] * 32
CALLS = (
    *(
        Call(collective, algorithm, count, SMALL)
        for collective, algorithm, count in (
            ("bcast", "binomial", 250_000),
            ("bcast", "scatter_ring", 250_000),
            ("bcast", "lane", 250_000),
            ("allreduce", "recursive_doubling", 20_000),
            ("allreduce", "ring", 200_000),
            ("allreduce", "lane", 200_000),
            ("alltoall", "pairwise", 2_000),
            ("alltoall", "lane", 2_000),
        )
    ),
    *(
        Call(collective, algorithm, count, LARGE)
        for collective, algorithm, count in (
            ("bcast", "binomial", 250_000),
            ("bcast", "lane", 250_000),
            ("allreduce", "recursive_doubling", 20_000),
            ("allreduce", "lane", 200_000),
        )
    ),
)


def name(call):
    """The name of a case."""
    return f"{call.collective}-{call.algorithm}-{sum(call.nodes)}"


@pytest.mark.parametrize("call", CALLS, ids=name)
@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("network", ["", TORUS], ids=["flat", "torus"])
def test_times_are_those_of_smpi(tmp_path, call, lanes, network):
    """Within 5%: SMPI tells whole microseconds, and its senders wait for the last latency, too."""
    described = machine.parse(MACHINE + network, "here").with_lanes(lanes)
    (own,) = program.lines("time", {**call.options, **described.options})
    assert own["served_by"] == call.algorithm
    assert own["time_us"] == pytest.approx(simgrid.time_us(call, described, tmp_path), rel=0.05)
