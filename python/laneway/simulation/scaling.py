# SPDX-License-Identifier: BSD-3-Clause
"""The fastest algorithm by number of nodes of a machine, and the crossovers between winners.

Node counts are a grid; between two of them with different winners, bisection finds from where on
the second one wins. Hopeless algorithms are dropped early, so that thousands of nodes stay
affordable, and those that would take too long are left out: both are told.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from laneway.errors import Misuse
from laneway.rows import NATIVE, Row
from laneway.simulation import program, torus
from laneway.simulation.comparison import LIBRARY
from laneway.simulation.machine import Machine
from laneway.simulation.program import COMPONENTS, Call
from laneway.units import INT, counted

HOPELESS = 2.0
"""Time over the fastest's above which an algorithm is dropped, unless it has come closer."""

GRID = 0.75
"""The share of the time that the grid may take; the rest is for bisection."""

FINE = 1 / 32
"""The share of the number of nodes to which a crossover is found."""

MOMENT = 1e-3
"""Seconds that any case takes at least."""

STEEPEST = 2.5
"""Power of the nodes with which a case grows at most: p^2 messages, on ever busier links."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Question:
    """The algorithms, node counts and machine that are asked about."""

    machine: Machine
    collective: str
    size: int
    """Bytes of the message, or of a block of it where there is one a rank."""
    nodes: Sequence[int]
    """The grid, ascending."""
    ppn: int
    algorithms: Mapping[str, Sequence[str]]
    """The algorithms to compare, each with the components that it is tried with."""
    seconds: float
    """Seconds that the whole answer may take."""


@dataclass(frozen=True)
class Time:
    """The time of an algorithm on so many nodes, with the components that suit it best."""

    nodes: int
    algorithm: str
    components: str
    time_us: float


@dataclass(frozen=True)
class Crossover:
    """The number of nodes from which on another algorithm is the fastest."""

    nodes: int
    """The least number of nodes at which it is the fastest."""
    not_yet: int
    """A number at which it is not the fastest; bisection went no closer."""
    before: str
    after: str
    coarse: str = ""
    """The reason why bisection ended early; empty: it did not."""


@dataclass(frozen=True)
class AlgorithmLeftOut:
    """An algorithm that was not looked at any further, and why."""

    nodes: int
    """The node count where it was dropped, or would have taken too long."""
    algorithm: str
    reason: str


@dataclass
class ScalingResult:
    """The answer to a question."""

    question: Question
    times: list[Time] = field(default_factory=list)
    """The times on the grid."""
    crossovers: list[Crossover] = field(default_factory=list)
    left_out: list[AlgorithmLeftOut] = field(default_factory=list)

    def at(self, nodes: int) -> list[Time]:
        """The times on so many nodes, the fastest first."""
        return sorted((each for each in self.times if each.nodes == nodes), key=_length)

    def rows(self) -> Iterable[Row]:
        """Times as rows of a comparison, then crossovers, then what is left out."""
        asked = self.question
        about = {"collective": asked.collective, "bytes": asked.size}
        facts = {"simulated": True, "machine": asked.machine.name}
        for each in self.times:
            yield {
                "kind": "scale",
                **about,
                "nodes": each.nodes,
                "ppn": asked.ppn,
                "lanes": asked.machine.lanes,
                "library": LIBRARY,
                "algorithm": each.algorithm,
                "components": each.components,
                "time_us": each.time_us,
                "fastest": each == self.at(each.nodes)[0],
                **facts,
            }
        for crossover in self.crossovers:
            yield {
                "kind": "crossover",
                **about,
                "nodes": crossover.nodes,
                "not_yet": crossover.not_yet,
                "before": crossover.before,
                "algorithm": crossover.after,
                **({"coarse": crossover.coarse} if crossover.coarse else {}),
                **facts,
            }
        for one in self.left_out:
            yield {
                "kind": "left_out",
                **about,
                "nodes": one.nodes,
                "algorithm": one.algorithm,
                "reason": one.reason,
                **facts,
            }


def answer(
    question: Question, progress: Callable[[str, float], None], clock: Clock = time.monotonic
) -> ScalingResult:
    """Simulates what it takes to answer. Raises Misuse for unknown names.

    `progress` is told what is simulated, and which part of the grid is done; `clock` has seconds.
    """
    return _Search(question, progress, clock).run()


def known(collective: str, asked: Sequence[str]) -> dict[str, Sequence[str]]:
    """The algorithms of a collective that are asked for, with the components each is tried with.

    `all` stands for all; those that know no nodes have no components. Raises Misuse.
    """
    every = program.algorithms()
    own = {
        entry.algorithm: COMPONENTS[:1] if entry.flat else COMPONENTS
        for entry in every
        if entry.collective == collective and entry.algorithm != NATIVE
    }
    if not own:
        collectives = dict.fromkeys(entry.collective for entry in every)
        raise Misuse(f"nothing to simulate of '{collective}'; known: {', '.join(collectives)}")
    for name in asked:
        if name != "all" and name.partition("(")[0] not in own:
            raise Misuse(f"no {collective} algorithm '{name}'; known: {', '.join(own)}")
    names = dict.fromkeys(each for name in asked for each in (own if name == "all" else [name]))
    return {name: own[name.partition("(")[0]] for name in names}


def grid(first: int, last: int) -> list[int]:
    """Powers of two from one number to another, with both of them."""
    powers = (1 << power for power in range(last.bit_length()))
    return sorted({first, *(each for each in powers if first <= each <= last), last})


Variant = tuple[str, str]
"""An algorithm, and the kind of its components, as in COMPONENTS."""


class _TooLongError(Exception):
    """A case has taken longer than there was time."""


def _length(one: Time) -> float:
    return one.time_us


class _Search:
    def __init__(
        self, question: Question, progress: Callable[[str, float], None], clock: Clock
    ) -> None:
        self._asked = question
        self._progress = progress
        self._clock = clock
        self._deadline = clock() + question.seconds
        self._answer = ScalingResult(question)
        self._live: list[Variant] = [
            (algorithm, components)
            for algorithm, tried in question.algorithms.items()
            for components in tried
        ]
        self._costs: dict[Variant, list[tuple[int, float]]] = {}
        """Nodes and seconds of cases so far."""
        self._behind: dict[Variant, float] = {}
        """Time over the fastest's, on the last node count."""
        self._part = 0.0

    def run(self) -> ScalingResult:
        sizes = self._asked.nodes
        for number, nodes in enumerate(sizes):
            self._part = number / len(sizes)
            self._leave_out(sizes[number:])
            self._on(nodes)
        for before, after in pairwise(sizes):
            self._between(before, after)
        return self._answer

    def _on(self, nodes: int) -> None:
        """Times all live variants on a node count of the grid."""
        found = {}
        for variant in [*self._live]:
            try:
                time_us = self._time(variant, nodes)
            except _TooLongError:
                self._drop(variant, nodes, "was under way when --time was over")
                continue
            if time_us is not None:
                found[variant] = time_us
        if not found:
            return
        best: dict[str, Time] = {}
        for (algorithm, components), time_us in found.items():
            one = Time(nodes, algorithm, components, time_us)
            if algorithm not in best or time_us < best[algorithm].time_us:
                best[algorithm] = one
        self._answer.times += best.values()
        least = min(found.values())
        for variant, time_us in found.items():
            behind = time_us / least if least else 1.0
            before = self._behind.get(variant)
            if before is not None and behind > HOPELESS and behind >= before:
                self._drop(variant, nodes, f"{behind:.1f} times as long as the fastest")
            self._behind[variant] = behind

    def _leave_out(self, sizes: Sequence[int]) -> None:
        """Drops variants for which there is no time on the next of these node counts.

        The fastest so far come first. Time is kept for those that can be followed to the last node
        count. The time left after that goes to the others, for the next node count.
        """
        nodes = sizes[0]
        left = self._deadline - (1 - GRID) * self._asked.seconds - self._clock()
        waiting = []
        for variant in sorted(self._live, key=lambda each: self._behind.get(each, 1.0)):
            whole = sum(self._expected(variant, size) for size in sizes)
            if whole <= left:
                left -= whole
            else:
                waiting.append(variant)
        for_next = left
        for variant in waiting:
            expected = self._expected(variant, nodes)
            if expected <= for_next:
                for_next -= expected
                continue
            behind = self._behind.get(variant, 1.0)
            told = (
                f"{behind:.2f} times as long as the fastest before"
                if behind > 1
                else ("the fastest before")
            )
            lack = f"would take about {expected:.0f} s" if left > 0 else "no time is left"
            self._drop(variant, nodes, f"{told}; {lack}")

    def _drop(self, variant: Variant, nodes: int, reason: str) -> None:
        self._live.remove(variant)
        if variant[0] not in {algorithm for algorithm, _ in self._live}:
            self._answer.left_out.append(AlgorithmLeftOut(nodes, variant[0], reason))

    def _time(self, variant: Variant, nodes: int) -> float | None:
        """The time in microseconds; None where the variant cannot serve. Raises _TooLongError."""
        algorithm = variant[0]
        self._progress(f"{counted(nodes, 'node')}, {algorithm}", self._part)

        def watch(_: float) -> None:
            if self._clock() > self._deadline:
                raise _TooLongError

        began = self._clock()
        watch(0)
        call = self._call(variant, nodes)
        options = {**call.options, **torus.part(self._asked.machine, nodes).options}
        (result,) = program.lines("time", options, watch)
        self._costs.setdefault(variant, []).append((nodes, max(MOMENT, self._clock() - began)))
        if not call.is_served(result):
            return None
        return float(result["time_us"])

    def _call(self, variant: Variant, nodes: int) -> Call:
        asked = self._asked
        algorithm, components = variant
        return Call(
            asked.collective,
            algorithm,
            asked.size // INT,
            [asked.ppn] * nodes,
            components=components,
        )

    def _expected(self, variant: Variant, nodes: int) -> float:
        """Seconds as they grew so far, by a power of the nodes; 0 after fewer than two cases."""
        known_costs = sorted(self._costs.get(variant, ()))
        if len(known_costs) < 2:
            return 0.0
        (before, less), (last, cost) = known_costs[-2:]
        power = min(STEEPEST, max(1.0, math.log(cost / less, last / before)))
        return cost * float((nodes / last) ** power)

    def _between(self, before: int, after: int) -> None:
        """Looks for the crossover between two node counts."""
        first, second = self._answer.at(before), self._answer.at(after)
        if not first or not second or first[0].algorithm == second[0].algorithm:
            return
        old, new = first[0].algorithm, second[0].algorithm
        if old not in {each.algorithm for each in second}:
            return  # left out, not outrun
        low, high, coarse = before, after, ""
        while high - low > max(1, FINE * high):
            middle = (low + high) // 2
            self._part = 1.0
            try:
                times = [self._best(name, middle) for name in (old, new)]
            except _TooLongError:
                coarse = "--time was over"
                break
            if times[0] is None or times[1] is None:
                coarse = f"{old if times[0] is None else new} does not serve {middle} nodes"
                break
            if times[1] < times[0]:
                high = middle
            else:
                low = middle
        self._answer.crossovers.append(Crossover(high, low, old, new, coarse))

    def _best(self, algorithm: str, nodes: int) -> float | None:
        tried = self._asked.algorithms[algorithm]
        times = [self._time((algorithm, components), nodes) for components in tried]
        return min((each for each in times if each is not None), default=None)


def shortened(question: Question) -> Question:
    """The question without node counts that the machine does not have. Raises Misuse for none."""
    most = torus.nodes_of(question.machine)
    if most is None or question.nodes[-1] <= most:
        return question
    nodes = [each for each in question.nodes if each <= most]
    if not nodes:
        raise Misuse(f"--nodes: {question.machine.name} has {counted(most, 'node')}")
    return replace(question, nodes=sorted({*nodes, most}))
