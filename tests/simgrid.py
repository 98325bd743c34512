# SPDX-License-Identifier: BSD-3-Clause
"""Schedules of ours on SimGrid's SMPI: the machine as its platform, the schedule as its trace."""

import math
import re
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call

SPEED = 1e9
"""Flops a second of SimGrid's hosts: calculations are told in nanoseconds."""

OPTIONS = (
    # Plain flows: no factors by message size, no windows of TCP, no traffic of acknowledgements.
    "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0", "network/TCP-gamma:0",
    "network/weight-S:0",
    # A message begins when both sides are ready, and takes none of their processors' time.
    "smpi/send-is-detached-thresh:0", "smpi/async-small-thresh:0",
)  # fmt: skip


def time_us(call: Call, machine: Machine, folder: Path) -> float:
    """The time that SMPI gives for the schedule of a call."""
    goal, trace, traces, platform, hosts = (
        folder / name for name in ("call.goal", "call.trace", "traces", "machine.xml", "hosts")
    )
    program.write("goal", {**call.options, **machine.options}, goal)
    trace.write_text("".join(f"{line}\n" for line in actions(goal.read_text())))
    traces.write_text(f"{trace}\n")
    platform.write_text(xml(machine, len(call.nodes)))
    ranks = [(node, rank) for node, size in enumerate(call.nodes) for rank in range(size)]
    hosts.write_text("".join(f"h{node}.{rank % machine.lanes}\n" for node, rank in ranks))
    settings = [f"--cfg={option}" for option in OPTIONS]
    ran = subprocess.run(
        ["smpirun", "-np", str(len(ranks)), "-platform", platform, "-hostfile", hosts, *settings,
         "-replay", traces],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return 1e6 * float(re.findall(r"Simulation time ([\d.e+-]+)", ran.stdout + ran.stderr)[-1])


def actions(goal: str) -> Iterator[str]:
    """A schedule in GOAL as a trace: a `calc 0` is a wait for what it requires."""
    rank, messages = "", {}
    ranks = re.findall(r"^rank (\d+)", goal, re.MULTILINE)
    yield from (f"{each} init" for each in ranks)
    for line in goal.splitlines():
        match line.split():
            case ["rank", number, "{"]:
                rank, messages = number, {}
            case [label, "send", size, "to", peer, "tag", tag]:
                messages[label.rstrip(":")] = f"{rank} wait {rank} {peer} {tag}"
                yield f"{rank} isend {peer} {tag} {size.rstrip('b')}"
            case [label, "recv", size, "from", peer, "tag", tag]:
                messages[label.rstrip(":")] = f"{rank} wait {peer} {rank} {tag}"
                yield f"{rank} irecv {peer} {tag} {size.rstrip('b')}"
            case [_, "calc", nanoseconds] if nanoseconds != "0":
                yield f"{rank} compute {nanoseconds}"
            case [label, "requires", before] if before in messages and label not in messages:
                yield messages[before]
    yield from (f"{each} finalize" for each in ranks)


def xml(machine: Machine, nodes: int) -> str:
    """A host for each lane of each node, with a link out and one in; on a torus, links between."""

    def value(option: str) -> float:
        return float(machine.values.get(option, 0))

    hosts = [(node, lane) for node in range(nodes) for lane in range(machine.lanes)]
    lane = f'bandwidth="{value("lane-bandwidth"):.17g}Bps" latency="0s"'
    own = f'bandwidth="{value("node-bandwidth"):.17g}Bps" latency="{value("node-latency"):.17g}s"'
    wire = f'bandwidth="1e18Bps" latency="{value("lane-latency"):.17g}s" sharing_policy="FATPIPE"'

    shape = [int(size) for size in machine.values.get("shape", "").split("x") if size]
    link = f'bandwidth="{value("link-bandwidth"):.17g}Bps" latency="{value("hop-latency"):.17g}s"'

    def route(one: tuple[int, int], other: tuple[int, int]) -> str:
        between = _torus(one[0], other[0], shape)
        links = (f"o{_name(one)}", "w", *between, f"i{_name(other)}")
        if one[0] == other[0]:
            links = (f"n{one[0]}",)
        told = "".join(f'<link_ctn id="{each}"/>' for each in links)
        return f'<route src="h{_name(one)}" dst="h{_name(other)}" symmetrical="NO">{told}</route>'

    return "\n".join(
        [
            '<?xml version="1.0"?>',
            '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
            '<platform version="4.1"><zone id="all" routing="Full">',
            *(f'<host id="h{_name(host)}" speed="{SPEED:.17g}f" core="1024"/>' for host in hosts),
            *(f'<link id="{way}{_name(host)}" {lane}/>' for host in hosts for way in "oi"),
            *(f'<link id="n{node}" {own}/>' for node in range(nodes)),
            f'<link id="w" {wire}/>',
            *(
                f'<link id="t{node}.{dimension}.{step}" {link}/>'
                for node in range(math.prod(shape) if shape else 0)
                for dimension in range(len(shape))
                for step in (1, -1)
            ),
            *(route(one, other) for one, other in product(hosts, hosts)),
            "</zone></platform>",
            "",
        ]
    )


def _torus(one: int, other: int, shape: list[int]) -> Iterator[str]:
    """The links between two nodes of a torus, as docs/simulation.md says how routes go."""
    for dimension, size in enumerate(shape):
        row = math.prod(shape[dimension + 1 :])
        here, there = one // row % size, other // row % size
        ahead = (there - here) % size
        step = 1 if 2 * ahead < size or (2 * ahead == size and here % 2 == 0) else -1
        while here != there:
            yield f"t{one}.{dimension}.{step}"
            one += ((here + step) % size - here) * row
            here = (here + step) % size


def _name(host: tuple[int, int]) -> str:
    return f"{host[0]}.{host[1]}"
