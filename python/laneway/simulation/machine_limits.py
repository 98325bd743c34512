# SPDX-License-Identifier: BSD-3-Clause
"""Limits of a simulated machine: laneway-simulate counts no further."""

from __future__ import annotations

MOST_LANES = 1024
MOST_WEIGHT = 10_000
MOST_NODES = 2**24
MOST_LINKS = 2**26
"""Links between lanes, both directions of each."""

LONGEST = 3600.0
"""Seconds that anything may take."""

LEAST_RATE, MOST_RATE = 1e3, 1e15
"""Rates in bytes a second."""
