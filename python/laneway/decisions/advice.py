# SPDX-License-Identifier: BSD-3-Clause
"""What would pay, from the times that `exec --advise` measures."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from laneway.decisions.counts import Case, Count, Elements, most_common
from laneway.units import duration, exact_size

LATE = 0.5
"""Where processes wait for others for this share of a collective's time, balance comes first."""

NO_ALGORITHM = "Laneway has no algorithm for it"
"""Why vector collectives are native."""


def advice(case: Case, count: Count) -> str:
    """What would pay for a collective that was measured, in words."""
    reasons = (
        (not count.seconds, "not measured: the processes need not meet in it"),
        (late({case: count}), "balance the work first: processes come late"),
        (case.place.nodes is None, "nothing: only the library serves it"),
        (case.collective == "barrier" or not count.bytes, "little: no data"),
        (case.place.nodes == 1, "nothing: no lanes within a node"),
        (case.why == NO_ALGORITHM, f"nothing yet: {NO_ALGORITHM}"),
    )
    at_most = f"at most {duration(count.a_process(count.seconds))}"
    return next((words for holds, words in reasons if holds), at_most)


_OF_C = (
    "byte", "char", "wchar", "signed_char", "unsigned_char", "short", "unsigned_short", "int",
    "unsigned", "long", "unsigned_long", "long_long", "unsigned_long_long", "int8_t", "int16_t",
    "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "aint", "offset", "count",
    "float", "double", "long_double", "c_bool", "c_float_complex", "c_double_complex",
    "c_long_double_complex", "short_int", "2int", "long_int", "float_int", "double_int",
    "long_double_int",
)  # fmt: skip

DATATYPES = {
    **{f"MPI_{name.upper()}": name for name in _OF_C},
    "MPI_LONG_LONG_INT": "long_long",
    "MPI_C_COMPLEX": "c_float_complex",
    "MPI_CHARACTER": "char",
    "MPI_INTEGER": "int",
    "MPI_INTEGER4": "int32_t",
    "MPI_INTEGER8": "int64_t",
    "MPI_REAL": "float",
    "MPI_REAL4": "float",
    "MPI_REAL8": "double",
    "MPI_DOUBLE_PRECISION": "double",
    "MPI_COMPLEX": "c_float_complex",
    "MPI_DOUBLE_COMPLEX": "c_double_complex",
    "MPI_2INTEGER": "2int",
}
"""What `compare` calls MPI's datatypes; those of Fortran by what they are in C."""

_UNEVEN = {"short_int": 6, "long_int": 12, "double_int": 12, "long_double_int": 20}
"""Bytes of the datatypes of which no power of two is a multiple."""

SHOWN = 3
"""Comparisons that are advised, at most."""


@dataclass
class _Worth:
    """What one comparison is to tell."""

    seconds: float = 0.0
    sizes: set[int] = field(default_factory=set)
    elements: Counter[Elements] = field(default_factory=Counter)


def comparisons(cases: Mapping[Case, Count], where: Sequence[str]) -> list[str]:
    """The commands that tell how much there is to gain, the most expensive collectives first.

    `where` are the options of `compare` by which it measures where the job ran. Each spans the
    sizes that occurred, so that the profile that comes of it has rules for them, and is on what
    most of the calls are on.
    """
    worth: dict[tuple[str, int, int], _Worth] = {}
    for case, count in cases.items():
        if not advice(case, count).startswith("at most") or not case.bytes_to:
            continue
        key = (case.collective, case.place.nodes or 1, case.place.ppn_most or 1)
        own = worth.setdefault(key, _Worth())
        own.seconds += count.seconds
        # Its class of sizes, from one power of two up to the next; ints of 4 bytes fit into both.
        own.sizes |= {max(4, case.bytes_from or 0), max(4, case.bytes_to + 1)}
        own.elements.update(count.elements)
    largest = sorted(worth.items(), key=lambda item: -item[1].seconds)[:SHOWN]
    return [
        shlex.join(
            [
                *("laneway", "compare", collective, *_measured(own)),
                *("--nodes", str(nodes), "--ppn", str(ppn), *where),
            ]
        )
        for (collective, nodes, ppn), own in largest
    ]


def _measured(worth: _Worth) -> list[str]:
    """Sizes, datatype and operator, as options."""
    datatype, op = most_common(worth.elements)
    known = DATATYPES.get(datatype or "")
    options = ["-m", _listed(_whole(worth.sizes, _UNEVEN.get(known or "", 1)))]
    if known and known != "int":
        options += ["--datatype", known]
    if known and op and op != "MPI_SUM":
        options += ["--op", op.removeprefix("MPI_").lower()]
    return options


def _whole(sizes: set[int], element: int) -> set[int]:
    """Multiples of an element's bytes that span the sizes: of others there is no count."""
    below = max(element, min(sizes) // element * element)
    return {below, *(-(-size // element) * element for size in sizes if size > min(sizes))}


def _listed(sizes: set[int]) -> str:
    """As `-m` takes them: a range where they are consecutive powers of two."""
    ordered = sorted(sizes)
    doubled = all(more == 2 * less for less, more in pairwise(ordered))
    if doubled:
        return f"{exact_size(ordered[0])}:{exact_size(ordered[-1])}"
    return ",".join(map(exact_size, ordered))


def late(cases: Mapping[Case, Count]) -> bool:
    """Whether waiting for the last process is most of the time.

    Finding that out is a barrier, and a barrier that is measured takes as long itself: half of its
    time is no sign of late processes.
    """
    seconds = sum(count.seconds for count in cases.values())
    barriers = sum(count.seconds for case, count in cases.items() if case.collective == "barrier")
    waited = sum(count.waited_s for count in cases.values()) - barriers
    return waited > LATE * (waited + seconds)
