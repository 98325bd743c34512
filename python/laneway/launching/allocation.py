# SPDX-License-Identifier: BSD-3-Clause
"""The nodes that a command gets for what it asks for, and where there are none, has made.

They are those of a cluster that is up, of one made for the occasion, of a real machine, or virtual.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from laneway.cluster.cluster import Cluster, ClusterError, borrowed, not_up
from laneway.cluster.pace import Pace, rates_mismatch
from laneway.cluster.pace import mismatch as other_pace
from laneway.cluster.spec import BINDINGS, MADE_FOR_IT, ClusterSpec, SpecError
from laneway.errors import Misuse, Problem
from laneway.launching import batch, this_machine
from laneway.launching.place import Place, Setting
from laneway.units import counted

CLUSTER_NODES = 4
CLUSTER_PPN = 4
CLUSTER_LANES = 2
"""Lanes of the cluster that is made where none is up: as many as two cores can keep busy."""


@dataclass(frozen=True)
class Wanted:
    """A place as asked for on the command line. None: what suits."""

    cluster: str = "auto"
    """The name of a cluster, none, or auto: one that is up and fits, else one made for the time."""
    nodes: int | None = None
    """The number of nodes: of a cluster that has more, the first ones."""
    ppn: int | None = None
    lanes: Sequence[int] = ()
    binding: str | None = None
    realtime: bool = False
    options: Sequence[str] = ()
    launcher: str | None = None
    """One of LAUNCHERS; None: not said, which is `local` where this is no batch job."""
    placement: str = "node"
    threads: int = 1
    pace: Pace = field(default_factory=dict)
    """The pace of the lanes of a cluster."""
    rates: tuple[tuple[int, ...], ...] = ()
    """The rates of a cluster's lanes, [node][lane], where nodes differ: `pace` has none then."""
    unequal: tuple[int, ...] = ()
    """Processes of each node of a cluster, where they are to differ."""
    equal: bool = False
    """Whether nodes must be equal: patterns of messages and shapes of profiles need it."""

    @property
    def real(self) -> bool:
        """Whether real nodes are asked for, by a launcher or its options."""
        return bool(self.options) or self.launcher not in (None, "local")

    def place(self, nodes: int, ppn: int, cluster: Cluster | None = None) -> Place:
        """A place of that size, with all else as asked for."""
        return Place(
            nodes,
            ppn,
            cluster,
            self.realtime,
            self.options,
            self.placement,
            self.launcher or "local",
            self.threads,
        )


def find_cluster(name: str | None) -> Cluster | None:
    """The cluster of that name; of no name, the one that is up; None for `none` or where none is.

    Raises Misuse where it is not up, or where several are and none of them is called default.
    """
    if name == "none":
        return None
    up = {cluster.spec.name: cluster for cluster in Cluster.all()}
    if name is None and len(up) > 1 and "default" not in up:
        raise Misuse(f"several clusters are up: say which with --cluster {'|'.join(up)}|none")
    if name is None:
        return up.get("default") or next(iter(up.values()), None)
    if name not in up:
        raise Misuse(not_up(name))
    return up[name]


def mismatch(spec: ClusterSpec, nodes: int | None, ppn: int | None) -> str | None:
    """Why a cluster cannot serve as so many nodes of `ppn` ranks; None where it can."""
    if nodes is not None and nodes > spec.nodes:
        return f"cluster {spec.name!r} has {counted(spec.nodes, 'node')}, not {nodes}"
    if spec.slots and ppn is not None and {*spec.slots[:nodes]} != {ppn}:
        told = ",".join(map(str, spec.slots[:nodes]))
        return f"cluster {spec.name!r} has {told} processes on its nodes, not {ppn} each"
    return None


def unequal_mismatch(spec: ClusterSpec, wanted: Wanted) -> str | None:
    """Why a cluster cannot serve where unequal nodes, or equal ones, are asked for."""
    if wanted.equal and len({*spec.slots[: wanted.nodes]}) > 1:
        return f"cluster {spec.name!r} has unequal nodes: equal ones are needed"
    if wanted.unequal in ((), spec.slots):
        return None
    told = ",".join(map(str, wanted.unequal))
    return f"the nodes of cluster {spec.name!r} do not have {told} processes"


def lanes_mismatch(spec: ClusterSpec, lanes: Sequence[int]) -> str | None:
    """Why a cluster cannot serve with these numbers of lanes; None where it can."""
    if set(lanes) <= {1, spec.lanes}:
        return None
    told = counted(spec.lanes, "lane")
    return f"cluster {spec.name!r} has {told}: --lanes can be {spec.lanes}, or 1"


@contextlib.contextmanager
def settings(wanted: Wanted, say: Callable[[str], None]) -> Iterator[list[Setting]]:
    """A setting for each number of lanes asked for; clusters made for it end with the context.

    Where no cluster can be made for `auto`, the setting is virtual nodes, and `say` is told why.
    Raises Misuse for what makes no sense.
    """
    _check(wanted)
    if wanted.cluster == "none" or wanted.real:
        yield [_without_cluster(wanted)]
        return
    if wanted.binding not in (None, *BINDINGS):
        raise Misuse(f"--binding: '{wanted.binding}' is none of {', '.join(BINDINGS)}")
    with contextlib.ExitStack() as clusters:
        try:
            found = _up(wanted, say)
            chosen = _on(found, wanted) if found else _on_own(wanted, clusters)
        except SpecError as error:
            raise Misuse(str(error)) from error
        except (ClusterError, OSError) as error:
            if wanted.realtime or wanted.pace:
                option = "--realtime" if wanted.realtime else _option(wanted.pace)
                raise Problem(f"{option} needs a cluster, and none can be made: {error}") from error
            say(f"virtual nodes instead of a cluster, which cannot be made here: {error}")
            chosen = [_without_cluster(wanted)]
        yield chosen


def _option(pace: Pace) -> str:
    """An option by which a pace was asked for."""
    return f"--{next(iter(pace))}"


def _check(wanted: Wanted) -> None:
    """Raises Misuse where options contradict each other."""
    if 0 in wanted.lanes:
        raise Misuse("--lanes: a node has one lane at least")
    if wanted.real and wanted.cluster not in ("auto", "none"):
        raise Misuse("--launcher and --launcher-options go with --cluster none")
    if wanted.launcher is None and wanted.cluster == "auto" and not wanted.real:
        _refuse_to_guess()
    emulated = wanted.cluster != "none" and not wanted.real
    if wanted.pace and not emulated:
        raise Misuse(f"{_option(wanted.pace)}: only an emulated cluster's lanes can be slowed")
    if wanted.unequal and not emulated:
        raise Misuse("--unequal: only an emulated cluster's nodes can be told how many ranks")
    if wanted.unequal:
        _check_unequal(wanted)


def _check_unequal(wanted: Wanted) -> None:
    if wanted.nodes not in (None, len(wanted.unequal)):
        raise Misuse(
            f"--unequal tells of {counted(len(wanted.unequal), 'node')}, --nodes of {wanted.nodes}"
        )
    if wanted.ppn is not None:
        raise Misuse("--unequal or --ppn, not both: processes of each node, or of all alike")


def _refuse_to_guess() -> None:
    """Raises Misuse in a batch job: its nodes are meant, but how many ranks they get is unknown."""
    if job := batch.current():
        raise Misuse(
            f"this is {job}: {job.system.launcher} measures its nodes, --launcher local a cluster "
            "emulated on this machine"
        )


def _without_cluster(wanted: Wanted) -> Setting:
    if wanted.realtime:
        raise Misuse("--realtime needs a cluster: laneway cluster up")
    if len(wanted.lanes) > 1:
        raise Misuse("--lanes: several numbers need a cluster: laneway cluster up")
    nodes = wanted.nodes or 2
    ppn = wanted.ppn or max(2, this_machine.cores() // nodes)
    lanes = wanted.lanes[0] if wanted.lanes else None
    return Setting(wanted.place(nodes, ppn), lanes, wanted.binding or "all")


def _up(wanted: Wanted, say: Callable[[str], None]) -> Cluster | None:
    """The cluster that is up and meant; None where there is none that will do."""
    automatic = wanted.cluster == "auto"
    found = find_cluster(None if automatic else wanted.cluster)
    if found is None:
        return None
    reason = (
        mismatch(found.spec, wanted.nodes, wanted.ppn)
        or unequal_mismatch(found.spec, wanted)
        or lanes_mismatch(found.spec, wanted.lanes)
        or other_pace(found.spec, wanted.pace, found.state.rates)
        or (wanted.rates and rates_mismatch(found.spec, found.state.rates, wanted.rates))
    )
    if not reason:
        return found
    if not automatic:
        raise Misuse(reason)
    say(f"another cluster is made for this: {reason}")
    return None


def _on(cluster: Cluster, wanted: Wanted) -> list[Setting]:
    """The settings on a cluster that was up; a single lane of several is the first."""
    spec = cluster.spec
    nodes = wanted.nodes or spec.nodes
    ppn = max(spec.ppn(wanted.ppn or CLUSTER_PPN)[:nodes])
    place = wanted.place(nodes, ppn, cluster)
    binding = wanted.binding or "lane"
    own = 1 if binding == "one" else spec.lanes
    return [
        Setting(place, lanes, "one" if lanes < spec.lanes else binding)
        for lanes in wanted.lanes or (own,)
    ]


def _on_own(wanted: Wanted, clusters: contextlib.ExitStack) -> list[Setting]:
    """The settings on a cluster for each number of lanes, made here; all are up at a time."""
    chosen = []
    for lanes in wanted.lanes or (CLUSTER_LANES,):
        nodes = len(wanted.unequal) or wanted.nodes or CLUSTER_NODES
        name = f"{MADE_FOR_IT}{os.getpid()}-{nodes}-{lanes}"
        spec = ClusterSpec(name, nodes, lanes, slots=wanted.unequal, **wanted.pace)
        cluster = clusters.enter_context(borrowed(spec))
        for node, own in enumerate(wanted.rates):
            for lane, rate in enumerate(own):
                if rate != spec.rates[lane]:
                    cluster.set_rate(spec.hosts[node], lane, rate)
        ppn = max(spec.ppn(wanted.ppn or CLUSTER_PPN))
        place = wanted.place(spec.nodes, ppn, cluster)
        chosen.append(Setting(place, lanes, wanted.binding or "lane"))
    return chosen
