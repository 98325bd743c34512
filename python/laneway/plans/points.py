# SPDX-License-Identifier: BSD-3-Clause
"""The points that are measured: every combination of some collectives, counts, datatypes, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from laneway.campaign.task import Block
from laneway.collectives import (
    EQUAL,
    LABEL,
    OF_A_FILE,
    REDUCTIONS,
    ROOTED,
    VECTORS,
    WITHOUT_DATA,
    blocking,
)
from laneway.errors import Misuse
from laneway.launching.place import Setting
from laneway.libraries import registry
from laneway.libraries.native import NativeBuild
from laneway.rows import FORCED, NATIVE, TUNED
from laneway.simulation.program import Call, placement_of
from laneway.simulation.ruled_out import kept, nobody
from laneway.units import count_among

ALL = "all"

BEST = "best"
"""The algorithms that their costs do not rule out."""

ALL_OWN = f"{FORCED}*"
"""The MPI library's own algorithms, each by itself."""


@dataclass(frozen=True)
class Points:
    """Axes; their combinations are the points. The algorithms of a point share a block."""

    collectives: tuple[str, ...]
    """Empty, or `all` among them: all that have algorithms."""
    algorithms: tuple[str, ...]
    counts: tuple[int | str, ...] = ()
    """Counts as in the MPI call, or multiples of the number of ranks: 2p; or else"""
    sizes: tuple[int, ...] = ()
    """sizes in bytes. The benchmark leaves out those that a datatype doesn't divide; it says so."""
    datatypes: tuple[str, ...] = ("int",)
    ops: tuple[str, ...] = ("sum",)
    """Operators, which count for reductions alone."""
    roots: tuple[str, ...] = ("0",)
    """Ranks, or `rotate`; they count for rooted collectives alone."""
    layouts: tuple[str, ...] = (EQUAL,)
    """Layouts of blocks, which count for vector collectives alone. A file has the counts itself."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further options of laneway-bench; an empty value is one that takes none."""

    def blocks(self, build: NativeBuild, setting: Setting) -> list[Block]:
        """A block for each point; `best` are other algorithms at each, as the setting's costs are.

        An algorithm takes part where a collective has it. Raises Misuse for one that none has.
        """
        return [
            Block("/".join(_id(options)), {**options, "algorithm": ",".join(names)})
            for options, asked in self._each(build)
            if (names := _at(build, setting, options, asked))
        ]

    def choices(self, build: NativeBuild, setting: Setting) -> list[Choice]:
        """The calls for which `best` has to be worked out."""
        return [
            _choice(build, setting, options)
            for options, asked in self._each(build)
            if BEST in asked and ALL not in asked
        ]

    def _each(self, build: NativeBuild) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
        """The options of every point, and what is asked for there."""
        every = not self.collectives or ALL in self.collectives
        collectives = registry.usual_collectives(build) if every else self.collectives
        algorithms = self._algorithms(build, collectives)
        for collective in collectives:
            if asked := algorithms[collective]:
                yield from ((options, asked) for options in self._options(collective))

    def _options(self, collective: str) -> Iterator[dict[str, str]]:
        if blocking(collective) not in VECTORS or self.layouts == (EQUAL,):
            yield from self._of_a_layout(collective)
            return
        for layout in dict.fromkeys(self.layouts):
            for options in self._of_a_layout(collective, counted=not layout.startswith(OF_A_FILE)):
                yield {**options, "layout": layout}

    def _of_a_layout(self, collective: str, *, counted: bool = True) -> Iterator[dict[str, str]]:
        """The options of points without their layout; `counted`: with the mean of its counts."""
        amount = "message-size" if self.sizes else "count"
        amounts = [f"{size}:{size}" for size in self.sizes] or [*map(str, self.counts)]
        axes: dict[str, Iterable[str]] = {
            "collective": [collective],
            **({amount: _amounts(collective, amounts)} if counted else {}),
            "datatype": self.datatypes,
            "op": self.ops if collective in REDUCTIONS else self.ops[:1],
            "root": self.roots if collective in ROOTED else self.roots[:1],
            **self.others,
        }
        for values in product(*axes.values()):
            yield dict(zip(axes, values, strict=True))

    def _algorithms(
        self, build: NativeBuild, collectives: Iterable[str]
    ) -> dict[str, tuple[str, ...]]:
        """The algorithms of each collective that are asked for and that it has."""
        plain = set(map(registered, self.algorithms))
        everywhere = {ALL, BEST, NATIVE, TUNED}
        for name in self.algorithms:
            if name != registered(name) and registered(name) in (ALL, BEST, ALL_OWN):
                raise Misuse(f"{name!r}: only an algorithm can have another name or tunables")
            if "(" in name.partition(LABEL)[2]:
                raise Misuse(f"{name!r}: tunables stand before {LABEL!r}")
        if plain <= everywhere:
            return dict.fromkeys(collectives, self.algorithms)
        chosen = {each: {*everywhere, *registry.algorithms(build, each)} for each in collectives}
        if any(name.startswith(FORCED) for name in plain):
            _add_own(chosen, build)
        everything = set().union(*chosen.values())
        for name in sorted(plain - everything):
            raise Misuse(f"unknown algorithm '{name}'; known: {', '.join(sorted(everything))}")
        return {
            each: tuple(name for name in self.algorithms if registered(name) in names)
            for each, names in chosen.items()
        }


def _amounts(collective: str, amounts: Sequence[str]) -> Iterable[str]:
    """Each amount once; without data there is one."""
    return amounts[:1] if collective in WITHOUT_DATA else dict.fromkeys(amounts)


def _add_own(chosen: Mapping[str, set[str]], build: NativeBuild) -> None:
    """Adds the MPI library's own algorithms to those of their collectives."""
    found = [entry for entry in registry.load_own(build) if entry.collective in chosen]
    if not found:
        raise Misuse(
            f"{FORCED}...: {build.library} cannot be told which of its algorithms of "
            f"{', '.join(chosen)} to use"
        )
    for entry in found:
        chosen[entry.collective] |= {entry.algorithm, ALL_OWN}


def registered(label: str) -> str:
    """The algorithm that a label names: lane_pipeline of `lane_pipeline(segment=32K)#2`."""
    return label.partition(LABEL)[0].partition("(")[0]


def _at(
    build: NativeBuild, setting: Setting, options: Mapping[str, str], names: tuple[str, ...]
) -> Iterable[str]:
    """The algorithms of one point, `best` spelled out."""
    if BEST not in names:
        return names
    if ALL in names:
        return dict.fromkeys(name for name in names if name != BEST)
    found = _choice(build, setting, options).best()
    return dict.fromkeys([*(name for name in names if name != BEST), *found])


class Choice(NamedTuple):
    """A call that some algorithms are the best for."""

    call: Call
    algorithms: tuple[str, ...]
    """The algorithms that there are."""
    lanes: int

    def best(self, told: Callable[[str, float], None] = nobody) -> list[str]:
        """The algorithms that their costs do not rule out; `told` hears which is looked at."""
        if not self.algorithms:
            return []
        return kept(self.call, self.algorithms, self.lanes, told)


class PlacedPoints(NamedTuple):
    """Points, and where they are measured."""

    points: Points
    build: NativeBuild
    setting: Setting


def foresee(asked: Iterable[PlacedPoints], told: Callable[[str, float], None]) -> None:
    """Works out what `best` is, wherever it is asked for: blocks() know it then.

    `told` hears what is under way, and which part of all is done.
    """
    choices = [*dict.fromkeys(one for each in asked for one in each.points.choices(*each[1:]))]
    for number, choice in enumerate(choices):
        call = choice.call

        def tell(name: str, part: float, before: int = number, of: Call = call) -> None:
            told(f"costs: {of.collective} {of.count}, {name}", (before + part) / len(choices))

        choice.best(tell)


def _choice(build: NativeBuild, setting: Setting, options: Mapping[str, str]) -> Choice:
    call = _call(options, setting)
    ours = [name for name in registry.algorithms(build, call.collective) if name != NATIVE]
    return Choice(call, tuple(ours), setting.lanes or 1)


def _call(options: Mapping[str, str], setting: Setting) -> Call:
    """The call of a point, as it is simulated."""
    nodes = setting.place.processes
    datatype, root = options["datatype"], options["root"]
    if "message-size" not in options:  # a file of counts has none: the benchmark knows them
        count = count_among(sum(nodes), options.get("count", "1"))
    else:
        size = int(options["message-size"].partition(":")[0])
        reduces = options["collective"] in REDUCTIONS
        datatype, count = ("int", size // 4) if reduces else ("byte", size)
    own = int(root) if root.isdecimal() else 0  # `rotate`; the benchmark refuses what is none
    placement = placement_of(setting.place.placement)
    name = blocking(options["collective"])
    return Call(name, BEST, count, nodes, datatype, own, placement=placement)


def _id(options: Mapping[str, str]) -> Iterator[str]:
    """The parts of a block's name: values whose option goes without saying, others with it."""
    for name, value in options.items():
        if name in ("collective", "count", "datatype", "op"):
            yield value
        elif name == "message-size":
            yield f"{value.partition(':')[0]}B"
        elif name == "root":
            yield f"root={value}"
        else:
            yield f"{name}={value}" if value else name
