# SPDX-License-Identifier: BSD-3-Clause
"""Switches, interfaces and rate limits, over rtnetlink.

Every function acts on the network namespace of the calling process.

    login namespace                                     namespace of node i
    bridge mgmt  ----- port p<i>-mgmt  ======= veth ======= mgmt      no limit
    bridge sw<l>    -- port p<i>-lane<l>  ==== veth ======= lane<l>   tbf at both ends

The interface of the node limits what the node sends on that lane, the port of the switch limits
what it receives. In a joint fabric all lanes share the bridge sw0.

Where lanes have a latency or a gap, there are no bridges sw<l>. The program laneway-switch carries
frames from port to port, and keeps the rate of what a node receives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laneway.cluster import shaper
from laneway.cluster.shaper import MTU, QUEUE_PACKETS
from laneway.cluster.spec import BURST, MANAGEMENT, ClusterSpec

if TYPE_CHECKING:
    from pyroute2 import IPRoute

GSO_MAX_SIZE = 16384
"""Bytes that the TCP stack hands down in one piece. Below the burst, or the token bucket would
have to cut it up."""

OUTPUT_LIMIT = 2 * BURST
"""Bytes that one TCP connection may have queued in its own interface. The kernel refills the queue
as it drains, so that two bursts keep a lane busy. More would only delay the acknowledgements that
travel the other way on the same connection."""

_FIRST_WINDOW = 512
"""Segments that a connection may have under way from the start on: the adapters that a cluster
stands for do not begin slowly."""

_ROUTER = "02:4c:57:ff:ff:ff"
"""The address to which nodes in slow motion send whatever goes to others. The switch knows whose an
IP address is and puts the lane's hardware address in its place. So no message waits for an answer
to the question who has an address, and no node keeps a list of all."""

_ROUTER_ADDRESS = "10.255.255.254"

_PREFIX = 16
_ROUTING_TABLE = 100  # the table of lane 0 in a joint fabric; lane l has the l-th after it

_CABLE = {"mtu": MTU, "gso_max_size": GSO_MAX_SIZE, "txqlen": QUEUE_PACKETS}

_SYSCTLS = {
    "net/ipv6/conf/all/disable_ipv6": "1",  # no neighbour discovery in the byte counters
    "net/ipv6/conf/default/disable_ipv6": "1",
    "net/ipv4/conf/all/rp_filter": "0",  # answers may come in by another lane
    "net/ipv4/conf/default/rp_filter": "0",
    "net/ipv4/conf/all/arp_ignore": "1",  # an interface answers for its own address only
    "net/ipv4/conf/all/arp_announce": "2",
    "net/ipv4/tcp_congestion_control": "reno",  # whatever the machine's default is
    "net/ipv4/tcp_slow_start_after_idle": "0",
    "net/ipv4/tcp_limit_output_bytes": str(OUTPUT_LIMIT),
    "net/ipv4/tcp_no_metrics_save": "1",  # no connection learns from the one before
    # A switch asks no packet filter, which takes processors' time wherever br_netfilter is loaded.
    "net/bridge/bridge-nf-call-iptables": "0",
    "net/bridge/bridge-nf-call-ip6tables": "0",
    "net/bridge/bridge-nf-call-arptables": "0",
}


class LostError(RuntimeError):
    """An interface that is no longer there; the message is for the user."""


@dataclass(frozen=True)
class Traffic:
    """The traffic of a link since it was made, in bytes, and its drops, in packets.

    Bytes include the Ethernet header and TCP/IP headers of every packet.
    """

    tx: int
    rx: int
    drops: int


def _port(node: int, device: str) -> str:
    return f"p{node}-{device}"


def _sysctls(spec: ClusterSpec) -> dict[str, str]:
    memory = f"4096 131072 {spec.window}"
    found = {**_SYSCTLS, "net/ipv4/tcp_rmem": memory, "net/ipv4/tcp_wmem": memory}
    if spec.timed:
        # After two round trips without an acknowledgement, which receivers delay, a segment would
        # be sent a second time: no frame gets lost here.
        found["net/ipv4/tcp_early_retrans"] = "0"
    return found


def _set_sysctls(spec: ClusterSpec) -> None:
    for name, value in _sysctls(spec).items():
        path = Path("/proc/sys", name)
        if path.exists():  # a kernel without IPv6 has none of its settings
            path.write_text(value)


def _index(ipr: IPRoute, name: str) -> int:
    found: int = ipr.link_lookup(ifname=name)[0]
    return found


def _add_bridge(ipr: IPRoute, name: str) -> int:
    shaper.needing("Ethernet bridge", lambda: ipr.link("add", ifname=name, kind="bridge", mtu=MTU))
    index = _index(ipr, name)
    ipr.link("set", index=index, state="up")
    return index


def build_switches(spec: ClusterSpec, node_pids: list[int]) -> None:
    """Make the switches here, in the login namespace, and a cable from them to every node.

    The far ends come to lie in the network namespaces of the processes `node_pids`.
    """
    _set_sysctls(spec)
    with shaper.netlink() as ipr:
        ipr.link("set", index=_index(ipr, "lo"), state="up")
        management = _add_bridge(ipr, MANAGEMENT)
        ipr.addr("add", index=management, address=spec.management_address(None), prefixlen=_PREFIX)
        bridges = [
            _add_bridge(ipr, f"sw{lane}")
            for lane in range(spec.lanes if spec.fabric == "separate" else 1)
            if not spec.timed
        ]
        for node, pid in enumerate(node_pids):
            port = _add_cable(ipr, node, pid, MANAGEMENT)
            ipr.link("set", index=port, master=management)
            for lane, device in enumerate(spec.devices):
                port = _add_cable(ipr, node, pid, device, spec.hardware_address(node, lane))
                if bridges:
                    ipr.link("set", index=port, master=bridges[lane % len(bridges)])
                    shaper.limit(ipr, port, spec.rates[lane], spec.burst)


def _add_cable(
    ipr: IPRoute, node: int, pid: int, device: str, hardware_address: str | None = None
) -> int:
    """A veth from a switch to a node; returns the index of the switch's end, which is up."""
    name = _port(node, device)
    addressed = {"address": hardware_address} if hardware_address else {}
    shaper.needing(
        "veth interface",
        lambda: ipr.link(
            "add",
            ifname=name,
            kind="veth",
            **_CABLE,
            peer={"ifname": device, "net_ns_pid": pid, **_CABLE, **addressed},
        ),
    )
    index = _index(ipr, name)
    ipr.link("set", index=index, state="up")
    return index


def prepare_node(spec: ClusterSpec) -> None:
    """Settings of a node's network namespace that interfaces take over when they appear."""
    _set_sysctls(spec)


def configure_node(spec: ClusterSpec, node: int) -> None:
    """Give this node's interfaces, which build_switches put here, addresses and rate limits."""
    with shaper.netlink() as ipr:
        ipr.link("set", index=_index(ipr, "lo"), state="up")
        management = _index(ipr, MANAGEMENT)
        ipr.addr("add", index=management, address=spec.management_address(node), prefixlen=_PREFIX)
        ipr.link("set", index=management, state="up")
        for lane, device in enumerate(spec.devices):
            index = _index(ipr, device)
            ipr.addr("add", index=index, address=spec.address(node, lane), prefixlen=_PREFIX)
            ipr.link("set", index=index, state="up")
            shaper.limit(ipr, index, spec.rates[lane], spec.burst)
        if spec.timed:
            _know_the_router(ipr, spec, node)
        if spec.fabric == "joint":
            _route_by_source(ipr, spec, node)


def set_switch_rate(spec: ClusterSpec, node: int, lane: int, rate: int) -> None:
    """Limit what a node receives on a lane, here, at the switch. Raises LostError."""
    _set_rate(_port(node, spec.devices[lane]), rate, spec.burst)


def set_node_rate(spec: ClusterSpec, lane: int, rate: int) -> None:
    """Limit what this node sends on a lane. Raises LostError."""
    _set_rate(spec.devices[lane], rate, spec.burst)


def _set_rate(name: str, rate: int, burst: int) -> None:
    index = _link(_links(), name)["index"]
    with shaper.netlink() as ipr:
        shaper.set_rate(ipr, index, rate, burst)


def _route_by_source(ipr: IPRoute, spec: ClusterSpec, node: int) -> None:
    """In a joint fabric a packet leaves by the lane that its source address belongs to."""
    for lane, device in enumerate(spec.devices):
        table = _ROUTING_TABLE + lane
        index = _index(ipr, device)
        source = spec.address(node, lane)
        ipr.rule("add", src=source, src_len=32, table=table, priority=table)
        for far in range(spec.lanes):
            _route(ipr, spec, far, oif=index, prefsrc=source, table=table)


def _route(ipr: IPRoute, spec: ClusterSpec, lane: int, **how: Any) -> None:
    """Reach the addresses of a lane over an interface: at once, or by the router in slow motion."""
    by: dict[str, Any] = {"scope": "link"}
    if spec.timed:
        by = {
            "gateway": _ROUTER_ADDRESS,
            "flags": ["onlink"],
            "metrics": {"initcwnd": _FIRST_WINDOW},
        }
    ipr.route("replace", dst=f"10.{lane + 1}.0.0/{_PREFIX}", **by, **how)


def _know_the_router(ipr: IPRoute, spec: ClusterSpec, node: int) -> None:
    """Send all by the router, whose hardware address nobody has to ask for."""
    for lane, device in enumerate(spec.devices):
        index = _index(ipr, device)
        ipr.neigh("add", dst=_ROUTER_ADDRESS, lladdr=_ROUTER, ifindex=index, state="permanent")
        _route(ipr, spec, lane, oif=index, prefsrc=spec.address(node, lane), proto="kernel")


def switch_traffic(spec: ClusterSpec) -> list[list[Traffic]]:
    """Traffic of every lane of every node, [node][lane], read at the switches' ports.

    A port receives what its node sends. Drops are the switch's. Raises LostError.
    """
    links = _links()
    drops = shaper.drops()
    return [
        [
            _traffic(_link(links, _port(node, device)), drops, sent_by_us=False)
            for device in spec.devices
        ]
        for node in range(spec.nodes)
    ]


def node_drops(spec: ClusterSpec) -> list[int]:
    """Packets that this node's own lanes dropped before they were sent, [lane].

    Raises LostError.
    """
    links = _links()
    drops = shaper.drops()
    return [_traffic(_link(links, device), drops, sent_by_us=True).drops for device in spec.devices]


def _links() -> dict[str, Any]:
    with shaper.netlink() as ipr:
        return {link.get_attr("IFLA_IFNAME"): link for link in ipr.get_links()}


def _link(links: dict[str, Any], name: str) -> Any:
    """An interface, which goes with the node that holds its other end."""
    try:
        return links[name]
    except KeyError:
        raise LostError(f"no interface {name}") from None


def _traffic(link: Any, tbf_drops: dict[int, int], *, sent_by_us: bool) -> Traffic:
    stats = link.get_attr("IFLA_STATS64")
    here, there = stats["tx_bytes"], stats["rx_bytes"]
    tx, rx = (here, there) if sent_by_us else (there, here)
    lost = stats["tx_dropped"] + stats["rx_dropped"] + tbf_drops.get(link["index"], 0)
    return Traffic(tx, rx, lost)


def missing_limits(spec: ClusterSpec, node: int | None) -> list[str]:
    """Lane interfaces here (of the switches if `node` is None) that are down or not limited.

    The program laneway-switch limits by itself.
    """
    links = _links()
    limited = shaper.drops()
    names = (
        [_port(far, device) for far in range(spec.nodes) for device in spec.devices]
        if node is None
        else list(spec.devices)
    )
    return [
        name
        for name in names
        if name not in links
        or links[name].get_attr("IFLA_OPERSTATE") != "UP"
        or (links[name]["index"] not in limited and not (spec.timed and node is None))
    ]
