# SPDX-License-Identifier: BSD-3-Clause
"""A comparison: what is measured against what, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from laneway.campaign import Task
from laneway.campaign.task import heading, patience, shuffled
from laneway.collectives import EQUAL
from laneway.errors import Problem
from laneway.launching.place import Place, Setting
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild
from laneway.plans.points import PlacedPoints, Points, registered
from laneway.rows import NATIVE, TUNED, Row

COUNTS = (1, 1000, 100000)
"""The counts where none are asked for: from what latency decides to what lanes decide."""


@dataclass(frozen=True)
class Arm:
    """A setting and the algorithms that are measured there, in one job of every run."""

    setting: Setting
    algorithms: Sequence[str] = ("all",)


@dataclass(frozen=True)
class ComparisonPlan:
    """The points of a comparison, and how long it may take."""

    build: NativeBuild
    arms: Sequence[Arm] = (Arm(Setting(Place(2, 2))),)
    """Each arm is measured in every run, in this order."""
    collectives: Sequence[str] = ()
    """Empty: all of them."""
    counts: Sequence[int | str] = COUNTS
    """Counts as in the MPI call, or multiples of the number of ranks: 2p; where there are none,"""
    sizes: Sequence[int] = ()
    """the sizes in bytes."""
    further: Sequence[tuple[Sequence[str], Sequence[int | str]]] = ()
    """More collectives, with counts of their own."""
    layouts: tuple[str, ...] = (EQUAL,)
    """Lengths of blocks; they count for vector collectives alone."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further options of laneway-bench, with their values."""
    datatype: str = "int"
    op: str = "sum"
    root: str = "0"
    """A rank, or `rotate`."""
    runs: int = 6
    """Runs of mpirun, for each arm: exact tests over six can decide, of three never."""
    seconds: float = 0.4
    """The seconds for each collective and count in each run, shared by the algorithms of an arm."""
    repetitions: int = 1000
    """The most repetitions of each algorithm in each run."""
    seed: int = 1
    silence: float | None = None
    """Seconds without a row after which a run is given up; None: by the time of a case."""

    @property
    def place(self) -> Place:
        """The place where the first arm is measured; the others differ in lanes at most."""
        return self.arms[0].setting.place

    @property
    def patience(self) -> float:
        """Seconds of silence after which a run hangs."""
        return self.silence if self.silence is not None else patience(self.seconds)

    def tasks(self, run: int) -> list[Task]:
        """The jobs of run number `run`, from 1."""
        return [self._task(arm, run) for arm in self.arms]

    def _task(self, arm: Arm, run: int) -> Task:
        name = arm.setting.name
        options = {
            "time": str(self.seconds),
            "repetitions": str(self.repetitions),
            "seed": str(self.seed),
        }
        if run > 1:
            options["verify"] = "no"  # results that were right stay right; time goes into runs
        blocks = [
            block
            for points in self._points(arm)
            for block in points.blocks(self.build, arm.setting)
        ]
        blocks = shuffled(blocks, self.seed, run, name)
        return Task(name, self.build, arm.setting, blocks, options, drops=True)

    def _points(self, arm: Arm) -> list[Points]:
        points = Points(
            collectives=tuple(self.collectives),
            algorithms=tuple(arm.algorithms),
            counts=tuple(self.counts),
            sizes=tuple(self.sizes),
            datatypes=(self.datatype,),
            ops=(self.op,),
            roots=(self.root,),
            layouts=self.layouts,
            others=self.others,
        )
        return [
            points,
            *(
                replace(points, collectives=tuple(collectives), counts=tuple(counts))
                for collectives, counts in self.further
            ),
        ]

    def asked(self) -> list[PlacedPoints]:
        """All points, and where they are measured."""
        return [
            PlacedPoints(points, self.build, arm.setting)
            for arm in self.arms
            for points in self._points(arm)
        ]

    def heading(self) -> Row:
        """The first row: the command that was given, and the machine."""
        return heading("compare", self.tasks(1), self.seed)


def arms(
    settings: Sequence[Setting],
    algorithms: Sequence[str],
    native: str | None,
    build: NativeBuild,
    say: Callable[[str], None],
) -> list[Arm]:
    """The algorithms to measure in every setting, and native where it must be compared with.

    `native` is a binding, `best` for both `lane` and `all`, or None for the setting's. Under
    another binding than the setting's, native has an arm of its own, with `tuned`, which is native
    here and there. A library that cannot be started so is left out of `best`, and `say` is told.
    Raises Problem where nothing is left.
    """
    elsewhere = [NATIVE, *(name for name in algorithms if registered(name) == TUNED)]
    chosen = []
    for setting in settings:
        several = setting.place.cluster is not None and (setting.lanes or 1) > 1
        # An error that no binding mends is raised here, and once.
        setting.place.job(build, (), setting.lanes, setting.binding)
        own = native in (None, "best", setting.binding) or not several
        with_native = {"all", NATIVE} & set(algorithms)
        if own:
            names = [*algorithms, *(() if with_native else (NATIVE,))]
            chosen.append(Arm(setting, names))
        else:
            names = [name for name in _named(algorithms, build) if name != NATIVE]
            chosen.extend([Arm(setting, names)] if names else [])
        others = {"lane", "all"} if native == "best" else {native} - {None}
        for binding in sorted(filter(None, others - {setting.binding})) if several else ():
            other = Setting(setting.place, setting.lanes, binding)
            try:
                other.place.job(build, (), other.lanes, other.binding)
            except Problem as problem:
                if native != "best":
                    raise
                say(f"native is measured with binding {setting.binding} only: {problem}")
                continue
            chosen.append(Arm(other, elsewhere))
    return chosen


def _named(algorithms: Sequence[str], build: NativeBuild) -> list[str]:
    """The algorithms by name, `all` spelled out."""
    if "all" not in algorithms:
        return [*algorithms]
    return list(dict.fromkeys(entry.algorithm for entry in registry.load(build)))
