# SPDX-License-Identifier: BSD-3-Clause
"""The file that describes a calibrated machine, every number with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laneway import files
from laneway.calibration.parameters import Parameters, ParameterValue

_ORDER = {
    "lanes": ("bandwidth", "latency", "message", "burst", "eager", "handshake"),
    "node": ("bandwidth", "latency", "eager", "handshake"),
    "process": ("send", "receive", "reduce", "copy", "pack"),
}

_RATES = {"bandwidth", "reduce", "copy", "pack"}
_BYTES = {"burst", "eager"}


def text(
    name: str, facts: Sequence[str], found: Parameters, shape: tuple[int, int] | None = None
) -> str:
    """The machine file, sealed; `facts` say what was measured, where and when.

    `shape`: nodes and processes a node of a machine that was calibrated.
    """
    lines = [*(f"# {fact}" for fact in (*facts, *found.remarks)), f'name = "{name}"']
    for table in _ORDER:
        if own := [*_table(table, found)]:
            lines += ["", f"[{table}]", *own]
    if shape:
        lines += ["", "[fit]", f"nodes = {shape[0]}", f"processes = {shape[1]}"]
    for table in _ORDER:
        if own := [*_residuals(table, found)]:
            lines += ["", f"[fit.{table}]", *own]
    return files.sealed("\n".join(lines) + "\n")


def _table(table: str, found: Parameters) -> Iterator[str]:
    if table == "lanes":
        yield f"number = {found.lanes}"
        if found.weights:
            yield "# lane-rates: each lane by itself, on the node where it is slowest"
            yield f"weights = {[*found.weights]}"
    for key in _ORDER[table]:
        if figure := found.figures.get((table, key)):
            yield f"# {figure.source}"
            yield f'{key} = "{_value(key, figure)}"'
    if table == "lanes":
        if found.delays:
            yield "# what is left of the times by the length of a message"
            yield "delays = ["
            yield from (f'    ["{size}", "{_decimal(own)} us"],'
                        for size, own in found.delays.items())  # fmt: skip
            yield "]"
        yield '# not measured: "fair" is the other choice'
        yield 'sharing = "fifo"'
        if found.by_receiver is not None:
            yield "# cross, the longest: one process to one on each lane, against to one alone"
            yield f'leaves_by = "{"receiver" if found.by_receiver else "sender"}"'


def _residuals(table: str, found: Parameters) -> Iterator[str]:
    for key in _ORDER[table]:
        figure = found.figures.get((table, key))
        if figure and figure.residual is not None:
            yield f"{key} = {figure.residual:.3f}"


def _value(key: str, figure: ParameterValue) -> str:
    if key in _BYTES:
        return f"{figure.value:.0f}"
    if key in _RATES:
        return f"{_decimal(1 / figure.value)} MB/s"
    return f"{_decimal(figure.value)} us"


def _decimal(value: float) -> str:
    """Four digits, without an exponent."""
    rounded = float(f"{value:.4g}")
    return f"{rounded:.12f}".rstrip("0").rstrip(".")
