# SPDX-License-Identifier: BSD-3-Clause
"""A rate for an interface and turns for its connections, which make it a lane.

    tbf   the rate: a token bucket
     +- htb   no limit of its own; queues that are served in turn, a frame at a time
         +- 16 first-in-first-out queues, each for the connections of which some bits of the two
            ports agree

The adapters of the networks that a cluster stands for serve their queue pairs in turn, and so does
a lane its connections. An answer to a message may be the go-ahead for a long one. In a single queue
it would wait behind whatever long message was sent to somebody else before. The lane would be idle
at the other end meanwhile, and two lanes less than twice as fast as one. Turns make no lane any
faster: the token bucket sees every byte.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pyroute2 import IPRoute

MTU = 9000

QUEUE_PACKETS = 10_000
"""Room of each queue (an interface's `txqlen`). The fabrics that a cluster stands for don't drop,
so there is room for every window that can be open at once, in small packets."""

FULL_FRAME = MTU + 14
"""Bytes of a full frame: with the header of Ethernet."""

_TCP_PORTS = 20
"""Where the ports of source and target stand in an IP packet without options."""

_PORT_BITS = 0b110  # the kernel gives even ports to those who connect: the lowest bit says little
_PORT_VALUES = range(0, _PORT_BITS + 1, 2)

_RATE = 0x10000  # handles and classes: major number, minor number
_TURNS = 0x20000

_UNLIMITED = 32 * 10**9 // 8
"""Bytes a second of each queue of its own: as much as the fastest lane."""

_SLACK = 2**20
"""Bytes by which a queue may be ahead of that: never the limit."""


_IPV4 = 0x0800
"""The type of a frame that carries IPv4, as its header says it."""


def netlink() -> IPRoute:
    """A connection to the kernel's network settings, as a context."""
    from pyroute2 import IPRoute

    return IPRoute()


def prepare() -> None:
    """Have the kernel's clock read by pyroute2, to be called before a cluster is entered.

    Bursts are set in its ticks. There, /proc has no entry of a process from outside, and with
    /proc/self/net the ticks are missing.
    """
    from pyroute2.netlink.rtnl.tcmsg import common  # noqa: F401 - read as it is loaded


class MissingKernelFeatureError(RuntimeError):
    """A kernel without a kind of link or queueing discipline that a cluster needs."""


def needing(feature: str, request: Callable[[], Any]) -> None:
    """Make a netlink request; raise MissingKernelFeatureError if the kernel lacks `feature`."""
    from pyroute2.netlink.exceptions import NetlinkError

    try:
        request()
    except NetlinkError as error:
        if error.code in (errno.EOPNOTSUPP, errno.ENOENT, errno.ENODEV):
            raise MissingKernelFeatureError(
                f"this kernel has no {feature}; load or build its module"
            ) from error
        raise


def set_rate(
    ipr: IPRoute, index: int, rate: int, burst: int, how: Literal["add", "change"] = "change"
) -> None:
    """Limit what an interface sends to so many bits a second, and to a burst in bytes."""
    needing(
        "tbf queueing discipline (sch_tbf)",
        lambda: ipr.tc(how, "tbf", index, _RATE, rate=rate // 8, burst=burst, limit=burst),
    )


def limit(ipr: IPRoute, index: int, rate: int, burst: int) -> None:
    """Limit what an interface sends to the rate of a lane, and let its connections take turns."""
    set_rate(ipr, index, rate, burst, "add")
    needing(
        "htb queueing discipline (sch_htb)",
        lambda: ipr.tc("add", "htb", index, _TURNS, parent=_RATE + 1, default=1),
    )
    ports = [(source, target) for source in _PORT_VALUES for target in _PORT_VALUES]
    for queue, (source, target) in enumerate(ports, 1):
        ipr.tc(
            "add-class",
            "htb",
            index,
            _TURNS + queue,
            parent=_TURNS,
            rate=_UNLIMITED,
            burst=_SLACK,
            cburst=_SLACK,
            quantum=FULL_FRAME,
        )
        _classify(ipr, index, source << 16 | target, _TURNS + queue)


def _classify(ipr: IPRoute, index: int, ports: int, target: int) -> None:
    mask = _PORT_BITS << 16 | _PORT_BITS
    needing(
        "u32 classifier (cls_u32)",
        lambda: ipr.tc(
            "add-filter",
            "u32",
            index,
            parent=_TURNS,
            prio=1,
            protocol=_IPV4,
            target=target,
            keys=[f"{ports:#x}/{mask:#x}+{_TCP_PORTS}"],
        ),
    )


def drops() -> dict[int, int]:
    """Packets dropped by the lanes in this network namespace, by the interface's index."""
    with netlink() as ipr:
        return {
            qdisc["index"]: qdisc.get_attr("TCA_STATS2").get_attr("TCA_STATS_QUEUE")["drops"]
            for qdisc in ipr.get_qdiscs()
            if qdisc.get_attr("TCA_KIND") == "tbf"
        }
