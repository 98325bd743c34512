# SPDX-License-Identifier: BSD-3-Clause
"""Latency in processes and bytes, and its growth with log2(p) and with bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from laneway.calibration.latency import Observation
from laneway.calibration.latency_cases import Fitted, fitted
from laneway.rows import CaseKey, Row, Samples
from laneway.showing import latency_models
from laneway_studies.figures import latency_terms
from laneway_studies.papers.latency.cases import COLLECTIVES
from laneway_studies.papers.latency.groups import allocation_of, certainty, groups_of, paper_name
from laneway_studies.study import PublishedComparison, Section

OVER_BOTH = (
    "The Bayesian criterion chooses among terms in p processes and m bytes with one "
    "breakpoint of each at most, as in `laneway model fit`. Residuals are relative."
)

OF_LOGARITHMS = (
    "One regression without intercept: a log2(p) + b m, for each algorithm and "
    "allocation. The study does not say of what; with log2 of the time in us, both are of the same "
    "size."
)


def over_both(collective: str, samples: Mapping[CaseKey, Samples]) -> Iterator[Section]:
    """Models by the criterion, and the published ones of the logarithm."""
    found, _ = fitted(samples, breakpoints=1)  # so that tables can be read
    placements = {str(each.facts["placement"]) for each in found}
    if found:
        names = ["algorithm", "placement"]
        yield Section(
            f"{COLLECTIVES[collective]}: latency in processes and bytes",
            [OVER_BOTH],
            table=[
                _line(each, line, placements)
                for each in found
                for line in latency_models.lines(each)
            ],
            plots=[latency_models.plot(each, names) for each in found],
        )
    comparisons = [*_logarithms(collective, samples)]
    if comparisons:
        yield Section(
            f"{COLLECTIVES[collective]}: growth with log2(p) and with bytes",
            [OF_LOGARITHMS],
            comparisons,
            "coefficients",
        )


def _line(each: Fitted, line: Row, placements: Collection[str]) -> Row:
    names = ("term", "estimate", "std. error", "t", "R2 adjusted", "residual")
    return {
        "algorithm": paper_name(str(each.facts["algorithm"])),
        "allocation": allocation_of(str(each.facts["placement"]), placements),
        **{name: line[name] for name in names},
    }


@dataclass(frozen=True)
class LogarithmFit:
    """An algorithm and allocation in the regression of all: a log2(p) + b m is log2 of the time."""

    estimates: Sequence[float]
    spread: Sequence[float]
    """The square of a standard error over the variance of the residuals."""
    squares: float
    """The sum of squared residuals."""
    degrees: int
    """Times beyond the coefficients."""


LOGARITHMIC = ("log2(mpi_processes)", "message_size")


def _logarithm_fit(observed: Sequence[Observation]) -> LogarithmFit | None:
    """None where processes or sizes are too few."""
    import numpy as np

    if min(len({one.p for one in observed}), len({one.m for one in observed})) < 2:
        return None
    matrix = np.array([(math.log2(one.p), float(one.m)) for one in observed])
    times = np.log2([one.time_us for one in observed])
    found, *_ = np.linalg.lstsq(matrix, times, rcond=None)
    squares = float(((times - matrix @ found) ** 2).sum())
    spread = np.linalg.inv(matrix.T @ matrix).diagonal()
    return LogarithmFit([*map(float, found)], [*map(float, spread)], squares, len(times) - 2)


def _logarithms(
    collective: str, samples: Mapping[CaseKey, Samples]
) -> Iterator[PublishedComparison]:
    """The study's regression without intercept: two coefficients for each algorithm, one error."""
    published = {
        tuple(re.split(r" : |-", one.term.lower())): one
        for one in latency_terms()
        if one.collective == collective and one.algorithm == "all"
    }
    fits = {
        group: found
        for group, observed in groups_of(samples).items()
        if (found := _logarithm_fit(observed))
    }
    degrees = sum(one.degrees for one in fits.values())
    variance = sum(one.squares for one in fits.values()) / degrees if degrees else 0.0
    for (algorithm, allocation), one in fits.items():
        for term, estimate, spread in zip(LOGARITHMIC, one.estimates, one.spread, strict=True):
            theirs = published.get((term, algorithm, allocation))
            if theirs is None:
                continue
            yield PublishedComparison(
                {
                    "algorithm": algorithm,
                    "allocation": allocation,
                    "term": term,
                    **certainty(theirs, estimate, math.sqrt(variance * spread)),
                },
                theirs.estimate,
                estimate,
            )
