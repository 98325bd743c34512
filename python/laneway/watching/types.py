# SPDX-License-Identifier: BSD-3-Clause
"""Types that may stand for each other, by their names in MPI."""

from __future__ import annotations

import re

_KINDS = (
    ("pairs", re.compile(r"_(FLOAT|DOUBLE|LONG|SHORT)_INT$|^MPI_2")),
    ("complex numbers", re.compile("COMPLEX")),
    ("floating-point numbers", re.compile("FLOAT|DOUBLE|REAL")),
    ("bytes", re.compile("BYTE|PACKED")),
)


def kind_of_type(signature: str) -> str | None:
    """The kind of numbers that data consist of; None where anything may be in them.

    Languages and libraries have several names for one type, and programs mix them. Kinds they must
    not mix.
    """
    if not signature.startswith("MPI_"):
        return None
    for kind, names in _KINDS:
        if names.search(signature):
            return None if kind == "bytes" else kind
    return "integers"
