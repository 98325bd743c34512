# SPDX-License-Identifier: BSD-3-Clause
"""The times of measured algorithms by the simulated clock, and how far these are off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any

from laneway.collectives import EQUAL, LABEL, OF_A_FILE
from laneway.rows import NATIVE, CaseKey, CaseSummary
from laneway.simulation import native, program
from laneway.simulation.machine import Machine
from laneway.simulation.program import COMPONENTS, Call, placement_of
from laneway.units import counted

AS_FAST = 1.1
"""Time over the fastest's up to which a predicted winner is as good."""


@dataclass(frozen=True)
class Predictions:
    """The times that a machine predicts, by case and algorithm, in microseconds."""

    machine: str
    times_us: Mapping[CaseKey, float]
    """The predicted times. Native and algorithms that cannot be simulated have none."""
    described: Sequence[str] = ()
    """The native profiles by which the libraries' collectives serve as components."""

    def row(self, summary: CaseSummary) -> dict[str, Any]:
        """The row of a summary, with the prediction."""
        time, error = self.times_us.get(summary.key), self.error(summary)
        return {
            **summary.row(),
            "predicted_us": None if time is None else round(time, 3),
            "predicted_error": None if error is None else round(error, 4),
        }

    def error(self, summary: CaseSummary) -> float | None:
        """The prediction's excess over the measured median, as a part of it; negative: shorter."""
        time = self.times_us.get(summary.key)
        return time / summary.median_us - 1 if time is not None and summary.median_us > 0 else None

    def closing(self, summaries: Sequence[CaseSummary]) -> str:
        """How good the predictions are, in a line."""
        errors = [abs(error) for each in summaries if (error := self.error(each)) is not None]
        if not errors:
            return f"Predicted by {self.machine}: nothing that was measured can be simulated."
        whose = f" (components by {', '.join(self.described)})" if self.described else ""
        told = f"Predicted by {self.machine}{whose}: median error {100 * median(errors):.0f}%"
        right, cases = self.winners(summaries)
        if not cases:
            return f"{told} of {counted(len(errors), 'time')}."
        return (
            f"{told}; the predicted winner takes at most {100 * (AS_FAST - 1):.0f}% longer than "
            f"the true one in {right} of {counted(cases, 'case')}."
        )

    def winners(self, summaries: Sequence[CaseSummary]) -> tuple[int, int]:
        """The cases in which the predicted winner is as good as the fastest, and all cases.

        Only cases that have several algorithms with predictions count.
        """
        right = cases = 0
        for _, group in groupby(summaries, key=lambda each: each.key.case):
            own = [each for each in group if each.key in self.times_us]
            if len(own) > 1:
                predicted = min(own, key=lambda each: self.times_us[each.key])
                least = min(each.median_us for each in own)
                right += predicted.median_us <= AS_FAST * least
                cases += 1
        return right, cases


def predict(
    summaries: Iterable[CaseSummary], machine: Machine, progress: Callable[[str, float], None]
) -> Predictions:
    """Simulates the measured cases, each on its shape and lanes; `progress` is told how far."""
    keys = [summary.key for summary in summaries if summary.key.algorithm != NATIVE]
    libraries = {name: native.of_library(name) for name in {key.library for key in keys}}
    found = {}
    for number, key in enumerate(keys):
        progress(f"{key.collective} {key.count}, {key.algorithm}", number / len(keys))
        # Imported rows may lack these facts, and no row says where a file of counts is.
        if key.bytes is None or not all(key.processes) or key.layout.startswith(OF_A_FILE):
            continue
        on = machine.with_lanes(1 if key.binding == "one" else key.lanes)
        library = libraries[key.library]
        suitable = [{"components": each} for each in COMPONENTS]
        ways = [library.under_laneway] if library else suitable
        several = (program.time_us(_call(key), on.options, way) for way in ways)
        times = [time for time in several if time is not None]
        if times:
            found[key] = min(times)
    described = sorted({known.name for known in libraries.values() if known})
    return Predictions(machine.name, found, described)


def _call(key: CaseKey) -> Call:
    axes = dict(key.axes)
    root = axes.get("root")
    return Call(
        key.collective,
        key.algorithm.partition(LABEL)[0],
        key.count,
        key.processes,
        key.datatype,
        root if isinstance(root, int) else 0,
        placement=placement_of(axes.get("placement")),
        layout=key.layout or EQUAL,
    )
