# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of jobs on Fugaku: X, Y and Z as jobs ask for them, of a torus of six dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from laneway.simulation.machine import Machine
from laneway.units import is_whole, quoted

UNIT = (2, 3, 2)
"""Nodes of a, b and c: what the three dimensions that a job asks for consist of."""


def forms(text: str) -> tuple[str, ...]:
    """Shapes of jobs in X, Y and Z, as the study has them. Raises ValueError."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    for form in found:
        sides(form)
    if not found:
        raise ValueError("no shape is named")
    return found


def sides(form: str) -> tuple[int, ...]:
    """A shape in all six dimensions: 4x6x16 is 2, 2, 8 of 2, 3, 2. Raises ValueError."""
    words = form.split("x")
    if len(words) != len(UNIT) or not all(is_whole(word, 1) for word in words):
        raise ValueError(f"{quoted(form)} is no shape in X, Y and Z, such as 4x6x16")
    whole = [int(word) for word in words]
    if any(own % of for own, of in zip(whole, UNIT, strict=True)):
        raise ValueError(f"'{form}': jobs get multiples of {'x'.join(map(str, UNIT))}")
    return (*(own // of for own, of in zip(whole, UNIT, strict=True)), *UNIT)


def nodes_of(form: str) -> int:
    """The nodes of a shape."""
    return math.prod(sides(form))


def shaped(machine: Machine, form: str) -> Machine:
    """The part of the machine that a job of a shape gets."""
    return machine.with_shape("x".join(map(str, sides(form))))


def mean_hops(shape: Sequence[int]) -> float:
    """The links that a message crosses on average, from any node to any other one."""
    return sum(size * size // 4 / size for size in shape)


def ring(machine: Machine, nodes: int) -> Machine:
    """The part that a job of one dimension gets: each node is next to two others."""
    return machine.with_shape("x".join(map(str, (nodes, *(1 for _ in sides("2x3x2")[1:])))))
