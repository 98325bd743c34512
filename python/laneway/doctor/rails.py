# SPDX-License-Identifier: BSD-3-Clause
"""The network devices of this machine: how many lanes it has, and where."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import psutil

from laneway.cluster.pace import Rates
from laneway.cluster.spec import ClusterSpec, format_rate
from laneway.doctor.finding import Files, Finding, Status, numbers_of
from laneway.libraries import fabric, native
from laneway.modelling import one_node
from laneway.units import counted

CLASSES = "sys/class"
NET = f"{CLASSES}/net"
FABRIC = f"{CLASSES}/infiniband"
SLINGSHOT = f"{CLASSES}/cxi"


@dataclass(frozen=True)
class Rail:
    """A network device that may be a lane."""

    device: str
    kind: str
    """ethernet, infiniband, omnipath, ..."""
    rate: int | None
    """Bits a second; None where the device does not say."""
    up: bool
    numa_node: int | None
    cores: tuple[int, ...]
    """Processors of its NUMA node."""
    lane: bool | None = None
    """Whether the library counts it as a lane; None: nobody knows."""

    def __str__(self) -> str:
        where = "" if self.numa_node is None else f" at NUMA node {self.numa_node}"
        rate = "unknown rate" if self.rate is None else format_rate(self.rate)
        return f"{self.device} ({self.kind}, {rate}{where}{'' if self.up else ', down'})"


def rails(files: Files) -> list[Rail]:
    """The physical network devices: of fabrics first, then of Ethernet."""
    found = [*_fabric(files), *_slingshot(files), *_ethernet(files)]
    counted_ones = fabric.lanes(files.root / CLASSES) if found else None
    return [
        replace(rail, lane=None if counted_ones is None else rail.device in counted_ones)
        for rail in found
    ]


def lanes(found: Sequence[Rail]) -> list[Rail]:
    """The devices that the library counts as lanes."""
    return [rail for rail in found if rail.lane]


def _fabric(files: Files) -> list[Rail]:
    found = []
    for port in files.matching(f"{FABRIC}/*/ports/*"):
        device, number = port.split("/")[3], port.split("/")[5]
        name = f"{device}:{number}"
        rate = re.match(r"([\d.]+) Gb/sec", files.text(f"{port}/rate") or "")
        layer = (files.text(f"{port}/link_layer") or "infiniband").lower()
        node = files.number(f"{FABRIC}/{device}/device/numa_node")
        found.append(
            Rail(
                name,
                "roce"
                if layer == "ethernet"
                else "omnipath"
                if device.startswith("hfi")
                else layer,
                round(float(rate.group(1)) * 1e9) if rate else None,
                "ACTIVE" in (files.text(f"{port}/state") or ""),
                *_place(files, node),
            )
        )
    return found


def _slingshot(files: Files) -> list[Rail]:
    found = []
    for device in files.matching(f"{SLINGSHOT}/*"):
        interfaces = [*files.matching(f"{device}/device/net/*")]
        rates = [files.number(f"{interface}/speed") or 0 for interface in interfaces]
        found.append(
            Rail(
                device.split("/")[3],
                "slingshot",
                max(rates, default=0) * 10**6 or None,
                any(files.text(f"{interface}/operstate") == "up" for interface in interfaces),
                *_place(files, files.number(f"{device}/device/numa_node")),
            )
        )
    return found


def _ethernet(files: Files) -> list[Rail]:
    """Devices with hardware behind them: neither bridges nor tunnels nor virtual pairs."""
    return [
        Rail(
            device,
            "ethernet",
            seen.speed * 10**6 or None,
            seen.isup,
            *_place(files, files.number(f"{NET}/{device}/device/numa_node")),
        )
        for device, seen in sorted(psutil.net_if_stats().items())
        if files.exists(f"{NET}/{device}/device") and files.text(f"{NET}/{device}/type") == "1"
    ]


def _place(files: Files, node: int | None) -> tuple[int | None, tuple[int, ...]]:
    if node is None or node < 0:
        return None, ()
    cores = files.text(f"sys/devices/system/node/node{node}/cpulist") or ""
    return node, tuple(numbers_of(cores))


def check(found: Sequence[Rail], numa_nodes: int) -> Finding:
    """How many lanes there are, and whether processes of all sockets are near one."""
    used = lanes(found)
    if not used:
        up = [rail for rail in found if rail.up]
        return _check_unknown([r for r in up if r.lane is None or r.kind == "ethernet"])
    told = f"{counted(len(used), 'lane')}: {', '.join(map(str, used))}"
    if others := [rail for rail in found if rail.up and rail.lane is False]:
        told += f"; slower, or a part of another: {', '.join(rail.device for rail in others)}"
    # A server has Ethernet ports without a cable.
    kind = used[0].kind if used[0].kind != "ethernet" else None
    down = [rail for rail in found if not rail.up and rail.kind == kind]
    if down:
        return Finding(
            "rails",
            Status.WARNING,
            f"{told}; down: {', '.join(rail.device for rail in down)}",
            "a lane that is down on one node slows all: bring it up, or leave it out on all",
        )
    slower = [rail for rail in found if _is_slower(rail, used[0])]
    if len(used) == 1:
        return Finding(
            "rails",
            Status.NOTE,
            told,
            f"{_weighed(used, slower) if slower else ''}one lane: between nodes, laneway can gain "
            f"by hierarchy and pipelining, not by lanes. {one_node.SENTENCE}",
        )
    if slower:
        return Finding(
            "rails",
            Status.WARNING,
            f"{told}; slower than these: {', '.join(map(str, slower))}",
            f"see whether the link has fallen back. {_weighed(used, slower)}laneway probe "
            "lane-rates says what each lane of each node carries",
        )
    near = {rail.numa_node for rail in used}
    if numa_nodes > 1 and len(near) == 1 and None not in near:
        return Finding(
            "rails",
            Status.WARNING,
            f"{told}; all at one of {numa_nodes} NUMA nodes",
            "processes of the other sockets reach them across the sockets' link: start ranks near "
            "the devices first",
        )
    return Finding("rails", Status.GOOD, told)


def _is_slower(rail: Rail, lane: Rail) -> bool:
    """Whether a device would be a lane if it were as fast as this one."""
    fabric_alike = rail.kind == lane.kind != "ethernet"
    return bool(fabric_alike and rail.up and rail.rate and lane.rate and rail.rate < lane.rate)


def _weighed(used: Sequence[Rail], slower: Sequence[Rail]) -> str:
    """The weights by which slower devices are lanes, too, in the order of devices."""
    every = sorted((*used, *slower), key=lambda rail: rail.device)
    rates = [rail.rate or 0 for rail in every]
    weights = ":".join(str(rate // math.gcd(*rates)) for rate in rates)
    devices = ", ".join(rail.device for rail in every)
    return f"with all of {devices} as lanes: laneway exec --lane-weights {weights}; "


def _check_unknown(up: Sequence[Rail]) -> Finding:
    """The finding where no device is one that the library counts as a lane."""
    if not up:
        return Finding("rails", Status.WARNING, "no device is up that can be a lane",
                       "measure on an emulated cluster: laneway cluster up")  # fmt: skip
    devices = ", ".join(map(str, up))
    if any(rail.kind != "ethernet" for rail in up):
        return Finding(
            "rails",
            Status.UNKNOWN,
            f"{devices}: Laneway's native part counts lanes",
            native.building(),
        )
    return Finding(
        "rails",
        Status.NOTE,
        f"Ethernet: {devices}: nobody knows which of them carry messages, so none counts as a lane",
        "where several do, say how many: laneway exec --lanes N, or `lanes N` in a profile; with "
        f"one, laneway can gain by hierarchy and pipelining. {one_node.SENTENCE}",
    )


def lane_map(found: Sequence[Rail], allowed: Sequence[int]) -> list[dict[str, Any]]:
    """Which processors are near which lane: a line for each lane of this machine."""
    return [
        {
            "node": "this machine",
            **asdict(rail),
            "lane": number,
            "cores": [core for core in rail.cores or allowed if core in allowed],
        }
        for number, rail in enumerate(lanes(found))
    ]


def cluster_map(
    spec: ClusterSpec, ppn: Mapping[int, int], rates: Rates | None = None
) -> list[dict[str, Any]]:
    """The lanes of an emulated cluster, and which ranks of a node use them under binding `lane`.

    `ppn` holds the processes of each node, `rates` what its lanes have now; None: as asked for.
    """
    now = rates or (spec.rates,) * spec.nodes
    return [
        {
            "node": f"{spec.name}/{host}",
            "lane": lane,
            "device": device,
            "kind": "emulated",
            "rate": now[node][lane],
            "up": True,
            "address": spec.address(node, lane),
            "local_ranks": [*range(lane, ppn[node], spec.lanes)],
        }
        for node, host in enumerate(spec.hosts)
        for lane, device in enumerate(spec.devices)
    ]
