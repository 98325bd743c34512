# SPDX-License-Identifier: BSD-3-Clause
"""Alltoall on Fugaku by size and by shape of the torus, one process a node; throughput."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from laneway.errors import Misuse
from laneway.rows import Row
from laneway.showing.diagram import Curve, Plot
from laneway.simulation import torus
from laneway.simulation.machine import Machine
from laneway.simulation.program import Call, in_words
from laneway.units import size
from laneway_studies.papers.fugaku.shapes import mean_hops, nodes_of, shaped, sides
from laneway_studies.simulated import of_call
from laneway_studies.study import Asked, Section, SimulatedPoint, StudyPart

FORMS = (
    "2x3x2,2x3x4,4x3x4,4x6x4,4x6x8,4x6x16,8x6x16,8x12x16,16x12x16,16x24x16,16x24x32,"
    "8x12x8,32x6x4,4x6x32"
)
"""The study's eleven shapes; then three more of 768 nodes, which its starts of jobs have."""

SIZES = (8, 512, 32768, 524288)

SHORT, LONG = "bruck", "spread"
"""Our algorithms that stand for modified_bruck and doublespread of Fugaku's MPI library."""

SIX, THREE = "by_dimension", "by_three_dimensions"
"""Our algorithms that stand for blacc6d and blacc3d: all six dimensions in turn, or two at once."""


@dataclass(frozen=True)
class Exchange:
    """An algorithm on a shape: with its tunables, and about how many messages it sends in all."""

    served: str
    messages: int


def exchanges(form: str) -> dict[str, Exchange]:
    """The algorithms that are compared on a shape, by their names in the rows."""
    six, nodes = sides(form), nodes_of(form)
    three = [first * second for first, second in zip(six[::2], six[1::2], strict=True)]
    pairs = nodes * nodes
    return {
        SHORT: Exchange(SHORT, nodes * (nodes - 1).bit_length()),
        "pairwise": Exchange("pairwise", pairs),
        LONG: Exchange(f"{LONG}(window=16)", pairs),
        SIX: Exchange(_by(six), nodes * sum(six)),
        THREE: Exchange(_by(three), nodes * sum(three)),
    }


def _by(lengths: Sequence[int]) -> str:
    names = ("x", "y", "z", "a", "b", "c")
    told = ",".join(f"{name}={own}" for name, own in zip(names, lengths, strict=False))
    return f"by_dimension({told})"


def points(machine: Machine, asked: Asked) -> Iterator[SimulatedPoint]:
    """Alltoall on each shape, by all algorithms that send few enough messages there."""
    if torus.shape_of(machine) is None:
        raise Misuse(f"the machine {machine.name} is no torus: this study is of tori")
    for form in asked["forms"]:
        own = shaped(machine, form)
        for bytes_ in SIZES:
            for name, one in exchanges(form).items():
                work = one.messages * mean_hops(sides(form))
                if work <= asked["most-hops"]:
                    call = Call("alltoall", one.served, bytes_, (1,) * nodes_of(form), "byte")
                    yield of_call(call, own, work=work, algorithm=name, torus=form)


# ---- what rows say -------------------------------------------------------------------------------

_GRAPHS = (
    "The study prints graphs alone. Its library's modified_bruck is the fastest for short blocks, "
    "doublespread for long ones, and the nodes decide where one gives way to the other. The "
    "algorithms for the torus, blacc3d and blacc6d, are not the fastest in every case, and "
    "blacc6d is slow for short blocks."
)
_STANDING = (
    f"{SHORT} stands for modified_bruck, {LONG} for doublespread, {THREE} for blacc3d, {SIX} for "
    "blacc6d. The latter two are not published."
)
_LEFT_OUT = "The messages of an algorithm without a time cross more links than --most-hops."
_TAKES_OVER = (
    "The study: with more nodes the default changes to doublespread at longer blocks. The number "
    f"is the longest block for which {SHORT} is faster than {LONG} here."
)
_CUBIC = (
    "The study expects more of cubic shapes, by the links across the middle. Ours are of as many "
    "nodes, the fastest algorithm of each; a ratio is over that of the shape with most such links."
)
_THROUGHPUT = "The study has one process a node. Its throughput a node falls with more nodes."

Alltoalls = Mapping[str, Mapping[int, Mapping[str, float]]]
"""Microseconds by shape, bytes and algorithm."""


@dataclass(frozen=True)
class TorusSize:
    """The size of a shape."""

    nodes: int
    ranks: int


def _alltoalls(part: StudyPart) -> tuple[Alltoalls, dict[str, TorusSize]]:
    """Times, and the size of each shape: a torus, or what was measured in words."""
    found: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    sizes = {}
    simulated = part.origin.simulated_on is not None
    for summary in part.show(
        one
        for one in part.summaries
        if one.key.collective == "alltoall"
        and one.key.bytes
        and ("torus" in dict(one.key.axes) or not simulated)  # else it is one of IMB's
    ):
        key = summary.key
        form = str(dict(key.axes).get("torus") or in_words(key.processes))
        found[form][key.bytes][key.algorithm.partition("(")[0]] = summary.median_us
        sizes[form] = TorusSize(key.nodes, sum(key.processes))
    return found, sizes


def sections(part: StudyPart) -> Iterator[Section]:
    """Times, where one algorithm gives way to the other, shapes of as many nodes, throughput."""
    found, sizes = _alltoalls(part)
    if not found:
        return
    names = dict.fromkeys(
        name for by_size in found.values() for times in by_size.values() for name in times
    )
    yield Section(
        "Alltoall by size and shape",
        said=[_GRAPHS, _STANDING, *([_LEFT_OUT] if part.origin.simulated_on is not None else [])],
        table=[
            {
                "shape": form,
                "nodes": sizes[form].nodes,
                "bytes": bytes_,
                "fastest": min(times, key=lambda name: times[name]),
                **{f"{name} us": times.get(name) for name in names},
            }
            for form, by_size in found.items()
            for bytes_, times in sorted(by_size.items())
        ],
        plots=[_plot(form, by_size) for form, by_size in found.items()],
    )
    thresholds = [*_thresholds(found, sizes)]
    if thresholds:
        yield Section("Where the default would change", said=[_TAKES_OVER], table=thresholds)
    yield from _cubic(found, sizes)
    throughput: list[Row] = [
        {
            "shape": form,
            "nodes": sizes[form].nodes,
            "processes": sizes[form].ranks,
            "bytes": bytes_,
            "GB/s": bytes_ * sizes[form].ranks / min(times.values()) / 1e3,
        }
        for form, by_size in found.items()
        for bytes_, times in sorted(by_size.items())
    ]
    yield Section(
        "Throughput: a block over the time of the fastest alltoall, times processes",
        said=[_THROUGHPUT],
        table=throughput,
        plots=[
            Plot(
                "Throughput of the fastest alltoall",
                "bytes of a block",
                "GB/s",
                [
                    Curve(form, [(line["bytes"], line["GB/s"]) for line in throughput
                                 if line["shape"] == form])
                    for form in found
                ],
                log_x=True,
                log_y=True,
            )
        ],
    )  # fmt: skip


def _thresholds(found: Alltoalls, sizes: Mapping[str, TorusSize]) -> Iterator[Row]:
    """The longest block for which our algorithm for short ones wins, by shape."""
    for form, by_size in found.items():
        both = {bytes_: times for bytes_, times in by_size.items() if {SHORT, LONG} <= {*times}}
        short = [bytes_ for bytes_, times in both.items() if times[SHORT] < times[LONG]]
        if both:
            yield {
                "shape": form,
                "nodes": sizes[form].nodes,
                f"{SHORT} is faster up to, bytes": max(short) if short else 0,
                "of": ", ".join(map(size, sorted(both))),
            }


def _cubic(found: Alltoalls, sizes: Mapping[str, TorusSize]) -> Iterator[Section]:
    """Shapes of the torus of as many nodes: the fastest alltoall of each."""
    by_nodes: dict[int, list[str]] = defaultdict(list)
    for form in found:
        if "x" in form and form.replace("x", "").isdecimal():
            by_nodes[sizes[form].nodes].append(form)
    lines = []
    for nodes, alike in sorted(by_nodes.items()):
        across = {form: torus.bisection(sides(form)) for form in alike}
        widest = max(alike, key=lambda form: across[form])
        for bytes_ in sorted({bytes_ for form in alike for bytes_ in found[form]}):
            least = min(found[widest].get(bytes_, {"": 0.0}).values())
            lines += [
                {
                    "nodes": nodes,
                    "shape": form,
                    "links across the middle": across[form],
                    "bytes": bytes_,
                    "us": own,
                    "ratio": own / least if least else None,
                }
                for form in alike
                if len(alike) > 1 and bytes_ in found[form]
                for own in (min(found[form][bytes_].values()),)
            ]
    if lines:
        yield Section("Cubic and long shapes of as many nodes", said=[_CUBIC], table=lines)


def _plot(form: str, by_size: Mapping[int, Mapping[str, float]]) -> Plot:
    names = dict.fromkeys(name for times in by_size.values() for name in times)
    curves = [
        Curve(name, [(bytes_, times[name]) for bytes_, times in sorted(by_size.items())
                     if name in times])
        for name in names
    ]  # fmt: skip
    return Plot(f"Alltoall, {form}", "bytes of a block", "us", curves, log_x=True, log_y=True)
