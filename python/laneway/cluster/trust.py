# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a time on a cluster with latency: the network's, and this machine's own.

A message of a few bytes goes back and forth between two nodes, over TCP and by each MPI library.
Meanwhile the other ranks of the job wait as they do in a collective: they look for messages. Half
of a round trip, a hop, should take as long as the lanes' model says. Any longer time is this
machine's: TCP, MPI, and processes that take turns on its processors.
"""

from __future__ import annotations

import contextlib
import json
import math
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from laneway import helpers
from laneway.cluster import check, launch, pace
from laneway.cluster.check import Stream
from laneway.cluster.cluster import Cluster
from laneway.cluster.spec import ClusterSpec, format_time
from laneway.cluster.state import State
from laneway.libraries import native
from laneway.libraries.native import NativeBuild

QUICK = (16,)
"""The approximate number of ranks of the jobs."""

FULL = (4, 16, 32)

GOOD = 0.1
"""The share of the model's time that a hop may take on top of it."""

_HEADERS = 66
"""Bytes of a frame before its data."""

_SECONDS = 0.5  # seconds of round trips in each case
_LEAST, _MOST = 20, 200  # round trips in each case
_PATIENCE = 60.0  # seconds beside the round trips themselves
_SPIN = "from laneway.cluster import namespaces; namespaces.die_with_parent()\nwhile True: pass"


@dataclass(frozen=True)
class HopCase:
    """The conditions under which a hop is measured."""

    build: NativeBuild | None
    """The library; None: TCP, without MPI."""
    ppn: tuple[int, ...]
    busy: bool
    realtime: bool

    @property
    def who(self) -> str:
        """The sender of the message: a library, or TCP."""
        return self.build.library if self.build else "TCP"


@dataclass(frozen=True)
class Hop:
    """How long a message of a few bytes took from node to node, in microseconds."""

    who: str
    ranks: int
    busy: bool
    realtime: bool
    model_us: float
    least_us: float
    quartiles_us: tuple[float, float, float]

    @property
    def share(self) -> float:
        """The part by which the median is above the model: taking turns, TCP, MPI."""
        return self.quartiles_us[1] / self.model_us - 1

    @property
    def stretch(self) -> float:
        """The factor by which lanes had to be slower for that to be 10%: it stays the same time."""
        return max(0.0, self.share / GOOD)

    def to_json(self) -> dict[str, Any]:
        """All of it, in plain types."""
        return {**asdict(self), "share": round(self.share, 4), "stretch": round(self.stretch, 3)}


def model_us(spec: ClusterSpec) -> float:
    """The microseconds that a hop takes at least."""
    return spec.latency / 1000 + _HEADERS * 8e6 / spec.rate


def cases(cluster: Cluster, *, full: bool) -> list[HopCase]:
    """The cases to measure: one number of ranks; `full`: all, and beside a busy process, too."""
    spec = cluster.spec
    if spec.nodes < 2:
        return []
    shapes = [spec.ppn(max(1, round(ranks / spec.nodes))) for ranks in (FULL if full else QUICK)]
    priorities = (True, False) if cluster.state.privileged else (False,)
    found = []
    for busy in (False, True) if full else (False,):
        found.append(HopCase(None, (1,) * spec.nodes, busy, realtime=False))
        found += [
            HopCase(build, ppn, busy, realtime)
            for ppn in dict.fromkeys(shapes)
            for realtime in priorities
            for build in native.installed()
        ]
    return found


class HopError(RuntimeError):
    """A hop that could not be measured; the message is for the user."""


def measure(
    cluster: Cluster, wanted: Sequence[HopCase], done: Callable[[], None]
) -> tuple[list[Hop], list[str]]:
    """A hop in each case, and a call of `done` after each; why there is none in some of them."""
    found, failed = [], []
    for case in wanted:
        with _busy() if case.busy else contextlib.nullcontext():
            try:
                times = _by_mpi(cluster, case) if case.build else cluster.inside(_by_tcp)
            except HopError as error:
                failed.append(f"no hop by {case.who} on {sum(case.ppn)} ranks: {error}")
                times = []
        if times:
            quartiles = statistics.quantiles(times, n=4, method="inclusive")
            found.append(
                Hop(
                    case.who,
                    sum(case.ppn) if case.build else 2,
                    case.busy,
                    case.realtime,
                    round(model_us(cluster.spec), 3),
                    min(times),
                    (quartiles[0], quartiles[1], quartiles[2]),
                )
            )
        done()
    return found, failed


def _patience(spec: ClusterSpec) -> float:
    """Seconds that a case may take."""
    return _PATIENCE + 10 * repetitions(spec) * 2e-6 * model_us(spec)


def repetitions(spec: ClusterSpec) -> int:
    """Round trips in each case."""
    fitting = round(_SECONDS / (2e-6 * model_us(spec)))
    return min(_MOST, max(_LEAST, fitting))


@contextlib.contextmanager
def _busy() -> Iterator[None]:
    """A process that wants a processor for itself."""
    with subprocess.Popen([*helpers.PYTHON, "-c", _SPIN]) as process:
        try:
            yield
        finally:
            process.kill()


def _by_tcp(state: State) -> list[float]:
    sender, receiver = check.connect(state, Stream(0, state.spec.nodes - 1, lane=0))
    times = []
    with sender, receiver:
        for end in (sender, receiver):
            end.settimeout(_patience(state.spec))
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(repetitions(state.spec)):
            start = time.monotonic_ns()
            sender.send(b"!")
            receiver.send(receiver.recv(1))
            sender.recv(1)
            times.append((time.monotonic_ns() - start) / 2000)
    return times


def _by_mpi(cluster: Cluster, case: HopCase) -> list[float]:
    assert case.build is not None  # noqa: S101 - that is what it is for
    how = cluster.launch(
        launch.identify(str(case.build.mpiexec)),
        ppn=case.ppn[0],
        realtime=case.realtime,
        timeout=_patience(cluster.spec),
    )
    words = ["--hops", "--repetitions", str(repetitions(cluster.spec))]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [*how.argv, str(case.build.bench), *words],
            env=how.environment(),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as job,
    ):
        for line in job.stdout or ():
            with contextlib.suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict) and row.get("kind") == "hops":
                    job.terminate()  # MPICH 4.0 can hang in MPI_Finalize
                    return [float(each) for each in row["times_us"]]
        job.wait()
        errors.seek(0)
        said = [line.strip() for line in errors if line.strip()]
        raise HopError(said[-1] if said else f"exit status {job.returncode}")


def problems(hops: Sequence[Hop]) -> list[str]:
    """Measured times that cannot be."""
    return [
        f"{hop.who}: a hop of {hop.least_us:.1f} us is shorter than the lanes allow, "
        f"{hop.model_us:.1f} us"
        for hop in hops
        if hop.least_us < hop.model_us
    ]


def sentences(spec: ClusterSpec, hops: Sequence[Hop]) -> list[str]:
    """Advice on which times to trust: a sentence for each library that was measured undisturbed."""
    told = []
    for hop in hops:
        if hop.busy or hop.who == "TCP":
            continue
        low, _, high = hop.quartiles_us
        with_ = ", ranks in real time" if hop.realtime else ""
        told.append(
            f"a hop of {hop.model_us / 1000:.2f} ms takes {low / 1000:.2f} to {high / 1000:.2f} ms "
            f"with {hop.who} ({hop.ranks} ranks{with_}): {hop.share:.0%} on top are this "
            f"machine's: taking turns, TCP, MPI{_remedy(spec, hop)}"
        )
    return told


def _remedy(spec: ClusterSpec, hop: Hop) -> str:
    """The options of lanes that are so much slower that the share would be 10%."""
    if hop.stretch <= 1 or spec.latency == 0:
        return ""
    if spec.slower == 1:
        return f"; 10% with --latency {format_time(_rounded_up(spec.latency * hop.stretch))}"
    slower = _rounded_up(spec.slower * hop.stretch)
    times = {name: getattr(spec, name) * slower // spec.slower for name in ("latency", "gap")}
    slowed = {**times, "rate": round(spec.rate * spec.slower / slower), "slower": slower}
    return "; 10% with " + " ".join(pace.options(slowed))


def _rounded_up(value: float) -> int:
    """A number rounded up to two digits."""
    unit = int(10 ** max(0, math.floor(math.log10(value)) - 1))
    return math.ceil(value / unit) * unit
