# SPDX-License-Identifier: BSD-3-Clause
"""The part of a torus that a job gets, and the links of a torus."""

from __future__ import annotations

import math
from collections.abc import Sequence

from laneway.simulation.machine import Machine

_TIMES = "x"


def shape_of(machine: Machine) -> list[int] | None:
    """Nodes of each dimension; None where the machine is no torus."""
    if machine.values.get("topology") != "torus":
        return None
    return [int(size) for size in machine.values["shape"].split(_TIMES)]


def nodes_of(machine: Machine) -> int | None:
    """The number of nodes of a machine; None where it is no torus."""
    shape = shape_of(machine)
    return math.prod(shape) if shape else None


def block(shape: Sequence[int], nodes: int) -> list[int]:
    """The sides of a block of a torus for so many nodes, or some more: as even as they can be.

    Schedulers give such blocks: the shortest side is doubled, again and again, or made as long as
    the torus is there. The last of several equally short sides is taken first.
    """
    sides = [1] * len(shape)
    while math.prod(sides) < nodes:
        open_sides = [each for each, size in enumerate(sides) if size < shape[each]]
        shortest = min(reversed(open_sides), key=lambda each: sides[each])
        sides[shortest] = min(2 * sides[shortest], shape[shortest])
    return sides


def part(machine: Machine, nodes: int) -> Machine:
    """The machine; if it is a torus, the block of it that a job of so many nodes gets."""
    shape = shape_of(machine)
    if shape is None or nodes > math.prod(shape):
        return machine
    return machine.with_shape(_TIMES.join(map(str, block(shape, nodes))))


def links(shape: Sequence[int]) -> int:
    """Links of a node: two in each dimension, one where there are two nodes."""
    return sum(min(2, size - 1) for size in shape)


def bisection(shape: Sequence[int]) -> int:
    """Links, each direction, between the halves of the torus, cut across its longest side."""
    longest = max(shape)
    return math.prod(shape) // longest * min(2, longest - 1)


def diameter(shape: Sequence[int]) -> int:
    """Hops between the two nodes that are farthest apart."""
    return sum(size // 2 for size in shape)
