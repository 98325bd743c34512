# SPDX-License-Identifier: BSD-3-Clause
"""Tests that take long begin first, so that no worker has one left when the others are done.

durations.txt beside this has those that take a second or more, as they took last time that
`make test ARGS=--record-durations` wrote them. Nothing depends on it but the order.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

DURATIONS = Path(__file__).with_name("durations.txt")

LEAST = 1.0
"""Seconds: shorter ones make no difference."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", action="store_true", help=f"write {DURATIONS.name} anew")


def recorded() -> dict[str, float]:
    """Seconds of each test that is known to take long."""
    if not DURATIONS.exists():
        return {}
    lines = (line.partition(" ") for line in DURATIONS.read_text().splitlines())
    return {test: float(seconds) for seconds, _, test in lines}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seconds = recorded()
    items.sort(key=lambda item: -seconds.get(item.nodeid, 0))  # those alike stay in their order


def _lines(stats: dict[str, list[object]]) -> Iterator[str]:
    seconds: dict[str, float] = defaultdict(float)
    for reports in stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("@")[0]] += report.duration
    for test, taken in sorted(seconds.items(), key=lambda one: (-round(one[1], 1), one[0])):
        if taken >= LEAST:
            yield f"{taken:.1f} {test}\n"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.config.getoption("--record-durations"):
        DURATIONS.write_text("".join(_lines(terminalreporter.stats)))
