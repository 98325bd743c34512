# SPDX-License-Identifier: BSD-3-Clause
"""The formulas of costs in the documentation of algorithms, worked out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil, floor


def _log(number: float, base: float) -> int:
    """The logarithm, rounded up, exactly."""
    exponent, power = 0, 1.0
    while power < number:
        exponent, power = exponent + 1, power * base
    return exponent


_LOG = re.compile(r"\blog(?:_(\w+|\([^()]*\)))?(?: (\w+)|(?=\())")
"""`log n`, `log_4 n`, `log_(k+1) N`, `log_4(3n+1)`: the base, and an argument that is a symbol."""


def _spelt(logarithm: re.Match[str]) -> str:
    base, argument = logarithm.groups()
    return f"log_to({base or 2})" + (f"({argument})" if argument else "")


def value(formula: str, **symbols: float) -> float:
    """The value of a formula as the documentation writes it. Juxtaposition is multiplication;
    logarithms are to base 2 if no other is told, and rounded up."""
    spaced = _LOG.sub(_spelt, formula.strip())
    spaced = re.sub(r"(?<=[0-9a-zA-Z)])\s+(?=[(a-zA-Z])", "*", spaced)
    spaced = re.sub(r"\b([0-9]+)(?=[a-zA-Z])", r"\1*", spaced)
    known = {
        "__builtins__": {},
        "log_to": lambda base: lambda number: _log(number, base),
        **{function.__name__: function for function in (ceil, floor, min, max)},
        **symbols,
    }
    return float(eval(spaced, known))  # noqa: S307 - our own texts


_CONDITIONS = {
    "p is no power of two": lambda known: known["p"] & (known["p"] - 1) != 0,
    "p is a power of two": lambda known: known["p"] & (known["p"] - 1) == 0,
    "p is odd": lambda known: known["p"] % 2 == 1,
    "p is even": lambda known: known["p"] % 2 == 0,
    "nodes differ in size": lambda known: known.get("differ", False),
    "processes have no lane": lambda known: known["k"] < known["n"],
}


def holds(condition: str, symbols: Mapping[str, float]) -> bool:
    """Whether a condition holds: one in words, or a comparison of symbols."""
    if condition in _CONDITIONS:
        return bool(_CONDITIONS[condition](symbols))
    return bool(eval(condition, {"__builtins__": {}, **symbols}))  # noqa: S307 - our own texts


def case(text: str, symbols: Mapping[str, float]) -> str:
    """The formula that holds there, of `X; Y where p is odd`; what follows a dash is a remark."""
    usual, *special = (part.partition(" - where ")[0].strip() for part in text.split(";"))
    for one in special:
        formula, _, condition = one.partition(" where ")
        if condition and holds(condition.strip(), symbols):
            return formula.strip()
    return usual
