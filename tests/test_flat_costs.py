# SPDX-License-Identifier: BSD-3-Clause
"""Messages and rounds of algorithms that know no nodes, against their formulas.

They are counted from the recorded programs of all ranks, one on each node.
"""

from __future__ import annotations

import functools
import re
from math import lcm

import pytest

from formulas import case, value
from laneway.collectives import IN_BLOCKS, VECTORS
from laneway.simulation import program
from laneway.simulation.program import Call

SIZES = (*range(2, 44), 47, 48, 63, 64, 65, 96, 100, 127, 128, 129)
"""Processes: 52 shapes."""

ROOTED = ("bcast", "gather", "reduce", "scatter")
INT = 4
SEGMENTS = (1, 6)
RADICES = (2, 3, 4, 8)


@functools.cache
def algorithms():
    """The flat algorithms, by collective and name; none where nothing is built."""
    try:
        found = program.algorithms()
    except Exception:  # noqa: BLE001 - collected before it can be said
        return {}
    return {
        (entry.collective, entry.algorithm): entry
        for entry in found
        if entry.flat and entry.algorithm != "native"
    }


def tuned(entry):
    """Values of its tunables that it is tried with, and the symbols that these have in formulas."""
    names = {tunable.name for tunable in entry.tunables}
    segments = SEGMENTS if "segment" in names else (1,)
    radices = RADICES if "radix" in names else (2,)
    for at, ranks in enumerate(SIZES):
        yield ranks, segments[at % len(segments)], radices[at % len(radices)]


def costs(entry, ranks, segments, radix, *, times=1):
    """The counted costs and the symbols, of so many times as much data as need be."""
    parts = lcm(ranks, 1 << (ranks.bit_length() - 1), 1 << ranks.bit_length())
    count = 24 * times * SEGMENTS[-1] * (1 if entry.collective in IN_BLOCKS else parts)
    names = {tunable.name for tunable in entry.tunables}
    values = {"segment": count * INT // segments, "radix": radix, "longest": 1 << 30}
    chosen = ",".join(f"{name}={number}" for name, number in values.items() if name in names)
    named = f"{entry.algorithm}({chosen})" if chosen else entry.algorithm
    root = ranks // 3 if entry.collective in ROOTED else 0
    call = Call(entry.collective, named, count, [1] * ranks, "int", root, "rounds")
    (found,) = program.lines("explain", call.options)
    symbols = {"p": ranks, "N": ranks, "n": 1, "k": 1, "m": count * INT, "r": radix}
    presets = {tunable.name: tunable.preset for tunable in entry.tunables}
    return found, {**presets, **symbols, "S": segments, "s": count * INT // segments}


def agrees(counted, formula, symbols):
    bound = formula.removeprefix("at most ")
    expected = value(bound, **symbols)
    if bound == formula:
        return counted == pytest.approx(expected)
    return counted <= expected and (symbols["p"] < 4 or expected <= 1.5 * counted)


@pytest.mark.parametrize(("collective", "algorithm"), algorithms())
def test_rounds_and_bytes_are_what_is_documented(collective, algorithm):
    entry = algorithms()[collective, algorithm]
    served = 0
    for ranks, segments, radix in tuned(entry):
        found, symbols = costs(entry, ranks, segments, radix)
        if found["served_by"] != algorithm:
            continue
        served += 1
        shape = f"p = {ranks}, S = {segments}, r = {radix}"
        rounds = case(entry.rounds, symbols)
        assert agrees(found["rounds"], rounds, symbols), (shape, rounds, found["rounds"])
        if collective == "barrier":
            continue
        told = [part.rpartition(" a process") for part in entry.volume.split(";")]
        volume = case("; ".join(own + rest for own, said, rest in told if said), symbols)
        bytes_ = found["process_bytes"]
        assert agrees(bytes_, volume, symbols), (shape, volume, bytes_ / symbols["m"], "m")
    assert served >= len(SIZES) // 2


def test_there_are_algorithms_to_test():
    """Other tests have no cases where the registry cannot be read."""
    assert len(algorithms()) > 50


LINE = 64
"""Temporaries take whole cache lines."""


def bounds(text, symbols):
    """The values of `2m; 4s where S > 1; 3m where the call is in place` where it is not in place.

    A comparison of symbols that holds decides; what other words say may hold for some process.
    """
    possible = []
    for part in text.replace("a byte", "64").replace("none", "0").split(";"):
        formula, _, condition = part.strip().partition(" where ")
        if "in place" in part and not re.search(r"\bor\b", condition):
            continue
        bare = re.sub(r" (at|there)\b.*", "", formula).removeprefix("at most ")
        try:
            if condition and holds(condition, symbols):
                return [value(bare, **symbols)]
        except (SyntaxError, NameError):
            possible.append(value(bare, **symbols))
        if not condition:
            possible.append(value(bare, **symbols))
    return possible


@pytest.mark.parametrize(("collective", "algorithm"), algorithms())
def test_memory_is_what_is_documented(collective, algorithm):
    entry = algorithms()[collective, algorithm]
    reached = False
    for ranks, segments, radix in [*tuned(entry)][::5]:
        found, symbols = costs(entry, ranks, segments, radix, times=32)
        if found["served_by"] != algorithm:
            continue
        possible = bounds(entry.memory, symbols)
        most = max(possible)
        shape = f"p = {ranks}, S = {segments}, r = {radix}: {entry.memory}"
        assert found["scratch_bytes"] <= most + 8 * LINE, (shape, found["scratch_bytes"], most)
        reached = reached or min(possible) <= 1.1 * found["scratch_bytes"] + 8 * LINE
    assert reached, entry.memory


def messages(entry, ranks):
    """Everything that is sent among so many processes, whose blocks differ where they may."""
    count = ranks * 2048 * (1 if entry.collective in IN_BLOCKS else ranks)
    of_short_blocks = any(tunable.name == "longest" for tunable in entry.tunables)
    named = f"{entry.algorithm}(longest=1G)" if of_short_blocks else entry.algorithm
    layout = "ramp" if entry.collective in VECTORS else "equal"
    call = Call(entry.collective, named, count, [1] * ranks, "int", 0, "rounds", layout=layout)
    rows = program.lines("explain", {**call.options, "messages": "yes"})
    sent = [row for row in rows if row["kind"] == "message"]
    return frozenset(
        (at, row["round"], row["from"], row["to"], row["bytes"]) for at, row in enumerate(sent)
    )


@pytest.mark.parametrize("collective", sorted({collective for collective, _ in algorithms()}))
def test_no_two_algorithms_are_the_same(collective):
    known = {}
    for (owner, name), entry in algorithms().items():
        if owner == collective:
            known.setdefault(messages(entry, 13), []).append(name)
    assert all(len(names) == 1 for names in known.values()), list(known.values())
