# SPDX-License-Identifier: BSD-3-Clause
"""A comparison on a simulated machine: rows like the benchmark's, by the simulated clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import laneway
from laneway.collectives import EQUAL, OF_A_FILE, REDUCTIONS, ROOTED, VECTORS, of_layout
from laneway.errors import Misuse
from laneway.rows import FACTS, NATIVE, SIMULATED, CaseKey, Row, axes_of
from laneway.simulation import program
from laneway.simulation.machine import Machine
from laneway.simulation.native import Native
from laneway.simulation.program import Call, in_words, unequal
from laneway.units import count_among, counted

LIBRARY = SIMULATED
"""The MPI library's name in rows: there is none."""

FURTHER = ("busiest_lane", "busiest_link", "bound_by", "inferred", "stand_in")
"""Further keys of a simulated call besides its time."""


@dataclass(frozen=True)
class SimulationPlan:
    """The calls to simulate."""

    machine: Machine
    processes: Sequence[int]
    """Processes of each node."""
    collectives: Sequence[str]
    """Empty: all of them."""
    algorithms: Sequence[str]
    """Names as in `compare`; `all` stands for all of a collective."""
    counts: Sequence[int | str]
    """Counts as in the MPI call, or multiples of the number of ranks: 2p."""
    sizes: Sequence[int]
    """Sizes in bytes, which replace the counts where there are any."""
    datatype: str
    op: str
    root: int
    components: str
    placement: str = "node"
    """Ranks fill node after node, or go round the nodes (`cyclic`)."""
    bounds: bool = False
    """Whether the parts of each time are told."""
    layouts: Sequence[str] = (EQUAL,)
    """Lengths of blocks; they count for vector collectives alone."""
    native: Native | None = None
    """The library whose collectives `native` and components are; None: there is none."""

    @property
    def title(self) -> str:
        """The shape, for a table."""
        dealt = ", cyclic" if self.placement == "cyclic" else ""
        shape = f"{in_words(self.processes)}{dealt}, {counted(self.machine.lanes, 'lane')}"
        return f"Simulated machine {self.machine.name}, {shape}, {self.datatype}"


def rows(
    plan: SimulationPlan, progress: Callable[[str, float], None], say: Callable[[str], None]
) -> Iterator[Row]:
    """A row that describes the machine, and one for each call, as they are simulated.

    `progress` is told what is simulated, and which part of all is done; `say` is told what can't
    be. Raises Misuse for unknown names, Problem.
    """
    machine = plan.machine
    marks = {"simulated": True, "machine": machine.name}
    yield {
        "kind": "environment",
        "place": f"the simulated machine {machine.name}",
        "cluster": machine.cluster(),
        "library": LIBRARY,
        "library_version": "",
        "laneway": laneway.__version__,
        "hosts": [],
        "settings": {},
        **marks,
    }
    asked = {"bounds": "yes"} if plan.bounds else {}
    if plan.native:
        asked |= plan.native.options
    wanted = calls(plan, say)
    for number, call in enumerate(wanted):
        what = f"{call.collective} {call.count}{of_layout(call.layout_name)}"
        told = f"{what}, {call.algorithm}"

        def tell(part: float, number: int = number, told: str = told) -> None:
            progress(told, (number + part) / len(wanted))

        tell(0)
        (result,) = program.lines("time", {**call.options, **machine.options, **asked}, tell)
        if not call.is_served(result):
            say(f"{told}: not eligible: needs {result['needs']}")
            continue
        yield {
            **sample(call, machine, result, plan.op),
            "components": NATIVE if plan.native else plan.components,
            "time_us": result["time_us"],
            **{name: result[name] for name in FURTHER if name in result},
            **marks,
            **_of_library(plan.native, call, result),
        }


def sample(call: Call, machine: Machine, result: Row, op: str = "sum") -> Row:
    """The row of a simulated call without its time."""
    return {
        "kind": "sample",
        "run": 1,
        "collective": call.collective,
        "algorithm": call.algorithm,
        "count": result["count"],
        "datatype": call.datatype,
        "bytes": result["bytes"],
        "nodes": len(call.nodes),
        "ppn": max(call.nodes),
        "unequal": unequal(call.nodes),
        "lanes": machine.lanes,
        "library": LIBRARY,
        "binding": "lane",
        "op": op if call.collective in REDUCTIONS else None,
        "root": call.root if call.collective in ROOTED else None,
        **({"layout": call.layout_name} if call.layout_name else {}),
        **({"crossing": result["crossing"]} if "crossing" in result else {}),
        **({"placement": call.placement} if call.placement != "node" else {}),
    }


def _of_library(native: Native | None, call: Call, result: Row) -> Row:
    """Further keys where a library is described; `served_by` stands last, as in measured rows.

    No profile says what serves collectives of neighbours.
    """
    if native is None:
        return {}
    facts = native.facts(result["rules"])
    known = call.algorithm == NATIVE and result["served_by"]
    return {**facts, "served_by": result["served_by"]} if known else facts


def calls(plan: SimulationPlan, say: Callable[[str], None]) -> list[Call]:
    """The calls to simulate. `say` is told which cannot be; raises Misuse for unknown names."""
    return [
        Call(
            collective,
            algorithm,
            _count(plan, amount),
            plan.processes,
            plan.datatype,
            plan.root if collective in ROOTED else 0,
            plan.components,
            plan.placement,
            layout=layout,
        )
        for collective, algorithms in _named(plan, say).items()
        for layout in (plan.layouts if collective in VECTORS else (EQUAL,))
        for amount in _amounts(plan, collective, layout)
        for algorithm in algorithms
    ]


def _amounts(plan: SimulationPlan, collective: str, layout: str) -> Sequence[int | str]:
    """Counts, or bytes; 0 stands for calls that have none, or have those of a file."""
    is_one_case = collective == "barrier" or layout.startswith(OF_A_FILE)
    return (0,) if is_one_case else plan.sizes or plan.counts


def of_summary(rows: Sequence[Row]) -> dict[CaseKey, Row]:
    """The FURTHER facts of simulated calls, by the key of their summary."""
    return {
        CaseKey(**{name: row[name] for name in FACTS}, axes=axes_of(row)): {
            name: row[name] for name in FURTHER if name in row
        }
        for row in rows
        if row["kind"] == "sample"
    }


def _named(plan: SimulationPlan, say: Callable[[str], None]) -> dict[str, list[str]]:
    """The algorithms of each collective. Raises Misuse for an unknown name."""
    known: dict[str, list[str]] = {}
    for entry in program.algorithms():
        if entry.algorithm != NATIVE:
            known.setdefault(entry.collective, []).append(entry.algorithm)
    if plan.native:
        for names in known.values():
            names.insert(0, NATIVE)
    asked = _asked(plan, say)
    everything = sorted({name for names in known.values() for name in names})
    for name in asked:
        if name != "all" and name.partition("(")[0] not in everything:
            raise Misuse(f"no algorithm '{name}'; known: {', '.join(everything)}")
    found = {}
    for collective in plan.collectives or known:
        if collective not in known:
            raise Misuse(f"no collective '{collective}'; known: {', '.join(known)}")
        own = known[collective]
        names = [
            each
            for name in asked
            for each in (own if name == "all" else [name])
            if each.partition("(")[0] in own
        ]
        found[collective] = list(dict.fromkeys(names))
    if not any(found.values()):
        raise Misuse(f"none of these has an algorithm {' or '.join(asked)}: {', '.join(found)}")
    return found


def _asked(plan: SimulationPlan, say: Callable[[str], None]) -> list[str]:
    """The algorithms that can be simulated. Raises Misuse where there is none."""
    if plan.native or NATIVE not in plan.algorithms:
        return list(plan.algorithms)
    others = [name for name in plan.algorithms if name != NATIVE]
    if not others:
        raise Misuse(
            "native is the MPI library's own: there is none on a simulated machine, but for what "
            "--native names"
        )
    say("native is left out: there is no MPI library on a simulated machine; --native names one")
    return others


def _count(plan: SimulationPlan, amount: int | str) -> int:
    if plan.sizes:
        return int(amount) // _size(plan.datatype)
    return count_among(sum(plan.processes), amount)


def _size(datatype: str) -> int:
    """Bytes of an element."""
    call = Call("bcast", "chain", 1, [1], datatype)
    (result,) = program.lines("time", call.options)
    return int(result["bytes"])
