# SPDX-License-Identifier: BSD-3-Clause
"""Models of a collective's latency in its processes p and its message of m bytes.

A model is a sum of terms, as in "Modeling the latency of MPI collective communication algorithms".
The terms are 1, p, m and p m, and the same ones again beyond a breakpoint b of p or of m. There,
`p > 128` is a jump, and `p : p > 128` another slope. Where times grow with rounds, log2(p) stands
for p.

Errors of times are relative, so the squares of relative residuals are made least. Their weights
follow from the fit itself (Carroll and Ruppert, Transformation and Weighting in Regression, 1988,
Section 2). The Bayesian information criterion decides how many breakpoints there are and where,
whether p or its logarithm stands, and which terms stay (G. Schwarz, Annals of Statistics 6(2),
1978). In it, the place of a breakpoint is one more parameter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from laneway.calibration.regression import ENOUGH, FEWEST, MOST, criterion
from laneway.errors import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

CONFIDENCE = 0.95
"""The probability with which a prediction interval holds a further time."""

_ROUNDS = 5
"""Rounds of weights that follow from the fit: they no longer change after so many."""


@dataclass(frozen=True)
class Observation:
    """A time that was measured or simulated."""

    p: int
    """Processes."""
    m: int
    """Bytes."""
    time_us: float


GROWTHS: Mapping[str, Callable[[float], float]] = {"p": float, "log2(p)": math.log2}
"""The functions of p, by name, with which times may grow."""


@dataclass(frozen=True, order=True)
class Break:
    """A place where further terms begin to hold: beyond `value`, the last p or m seen before it."""

    variable: str
    value: int

    def __str__(self) -> str:
        return f"{self.variable} > {self.value}"

    def beyond(self, p: int, m: int) -> bool:
        """Whether a case is beyond the breakpoint."""
        return (p if self.variable == "p" else m) > self.value


@dataclass(frozen=True)
class Term:
    """A product: 1, p or log2(p); times m, perhaps; beyond a breakpoint alone, perhaps."""

    growth: str | None = None
    bytes: bool = False
    beyond: Break | None = None

    def __str__(self) -> str:
        factors = (self.growth, "m" if self.bytes else None, self.beyond)
        return " : ".join(str(each) for each in factors if each) or "(Intercept)"

    def value(self, p: int, m: int) -> float:
        """The value that the term's coefficient is multiplied by."""
        if self.beyond and not self.beyond.beyond(p, m):
            return 0.0
        return (GROWTHS[self.growth](p) if self.growth else 1.0) * (m if self.bytes else 1.0)


@dataclass(frozen=True)
class Coefficient:
    """A term as it was fitted: microseconds for each unit of it."""

    term: Term
    estimate: float
    error: float
    """Standard error."""

    @property
    def t(self) -> float:
        """The number of standard errors between the estimate and 0."""
        return self.estimate / self.error if self.error else math.inf


@dataclass(frozen=True)
class PredictedTime:
    """A time that was not observed, in microseconds, and where such a time lies."""

    p: int
    m: int
    time_us: float
    low_us: float
    high_us: float


@dataclass(frozen=True)
class Model:
    """A fitted model, and how good it is."""

    observations: Sequence[Observation]
    coefficients: Sequence[Coefficient]
    covariance: Sequence[Sequence[float]]
    breaks: Sequence[Break]
    r_squared: float
    """R squared, of weighted squares, adjusted for the number of terms."""
    residual: float
    """Root of the mean square of residuals, over degrees of freedom."""
    criterion: float
    relative: bool = True
    """Whether the residuals that are made least are relative; else they are in microseconds."""

    def time_us(self, p: int, m: int) -> float:
        """The time that a call takes, by the model."""
        return sum(each.estimate * each.term.value(p, m) for each in self.coefficients)

    def predict(self, p: int, m: int) -> PredictedTime:
        """The predicted time, with the interval that holds a further time with CONFIDENCE.

        The interval has the uncertainty of the coefficients and the noise of a time. The chance
        that another model holds where nothing was observed is not in it.
        """
        from scipy.stats import t

        time = self.time_us(p, m)
        row = [each.term.value(p, m) for each in self.coefficients]
        spread = sum(
            one * other * covariance
            for one, own in zip(row, self.covariance, strict=True)
            for other, covariance in zip(row, own, strict=True)
        )
        noise = self.residual * (time if self.relative else 1)
        half = t.ppf((1 + CONFIDENCE) / 2, self.freedom) * math.sqrt(spread + noise**2)
        return PredictedTime(p, m, time, max(0.0, time - half), time + half)

    @property
    def freedom(self) -> int:
        """Observations beyond those that the coefficients take."""
        return len(self.observations) - len(self.coefficients)

    @cached_property
    def residuals(self) -> list[float]:
        """The part by which each observation is longer than the model says."""
        return [one.time_us / self.time_us(one.p, one.m) - 1 for one in self.observations]

    def row(self) -> dict[str, Any]:
        """The model as JSON."""
        return {
            "terms": [
                {
                    "term": str(each.term),
                    "estimate_us": each.estimate,
                    "std_error": each.error,
                    "t_value": each.t,
                }
                for each in self.coefficients
            ],
            "breakpoints": [{"variable": each.variable, "after": each.value}
                            for each in self.breaks],
            "r_squared_adjusted": self.r_squared,
            "residual": self.residual,
            "observations": len(self.observations),
            "residuals": [
                {"p": one.p, "m": one.m, "time_us": one.time_us, "residual": residual}
                for one, residual in zip(self.observations, self.residuals, strict=True)
            ],
        }  # fmt: skip


def fit(
    observations: Sequence[Observation],
    growths: Sequence[str] = tuple(GROWTHS),
    breakpoints: int = MOST,
) -> Model:
    """The model that the criterion prefers, with so many breakpoints at most of p and of m each.

    Raises Problem where there are too few observations to fit anything to.
    """
    usable = _usable(observations, ENOUGH)
    searches = (_Search(usable, growth, breakpoints) for growth in growths)
    return min((search.model() for search in searches), key=lambda found: found.criterion)


def fit_terms(observations: Sequence[Observation], terms: Sequence[Term]) -> Model:
    """The model of these terms and no other, by ordinary least squares, to compare with others.

    Raises Problem as `fit` does.
    """
    breaks = dict.fromkeys(term.beyond for term in terms if term.beyond)
    search = _Search(_usable(observations, len(terms) + 1), "p", 0)
    return search.of_terms(terms, [*breaks], relative=False)


def _usable(observations: Sequence[Observation], cases: int) -> list[Observation]:
    """The observations with a time, if they are of so many cases at least."""
    usable = [one for one in observations if one.time_us > 0]
    if len({(one.p, one.m) for one in usable}) < cases:
        raise Problem(f"a model needs times of {cases} processes or sizes at least")
    return usable


class _Search:
    """The search for the breakpoints and for the terms."""

    def __init__(self, observations: Sequence[Observation], growth: str, most: int) -> None:

        self.observations = observations
        self.most = most
        self.cases = _Cases(observations)
        ps = sorted({one.p for one in observations})
        ms = sorted({one.m for one in observations})
        self.basis = [
            Term(own, bytes_)
            for bytes_ in (False, *([True] if len(ms) > 1 else ()))
            for own in (None, *([growth] if len(ps) > 1 else ()))
        ]
        self.places = [
            Break(variable, value)
            for variable, values in (("p", ps), ("m", ms))
            for value in values[FEWEST - 1 : -FEWEST]
        ]
        self.columns: dict[Term, Vector] = {}

    def model(self) -> Model:
        """The best model of all."""
        breaks = self._breaks()
        terms = [*self._terms(breaks)]
        while True:
            found = self.of_terms(terms, breaks)
            if len(terms) == 1:
                return found
            weakest = min(found.coefficients, key=lambda each: abs(each.t)).term
            fewer = [term for term in terms if term != weakest]
            less = self.of_terms(fewer, self._still(fewer, breaks))
            if less.criterion > found.criterion:
                return found
            terms, breaks = fewer, [*less.breaks]

    def _breaks(self) -> list[Break]:
        """The breakpoints, added while the criterion asks for more, each where it fits best."""
        breaks: list[Break] = []
        best = self._criterion(breaks)
        while True:
            tried = {self._criterion([*breaks, each]): each for each in self._open(breaks)}
            if not tried or min(tried) >= best:
                return sorted(breaks)
            best = min(tried)
            breaks = self._settled([*breaks, tried[best]])
            best = min(best, self._criterion(breaks))

    def _settled(self, breaks: list[Break]) -> list[Break]:
        """The breakpoints, each moved to where it fits best beside the others, until none moves."""
        moved = True
        while moved:
            moved = False
            for each in tuple(breaks):
                others = [other for other in breaks if other != each]
                places = [place for place in self._open(others) if place.variable == each.variable]
                best = min(places, key=lambda place: self._criterion([*others, place]))
                if self._criterion([*others, best]) < self._criterion(breaks):
                    breaks, moved = [*others, best], True
        return breaks

    def _open(self, breaks: Sequence[Break]) -> Iterator[Break]:
        """Breakpoints to add perhaps: with sizes enough on both sides, and data for their terms."""
        terms = len(self.basis) * (len(breaks) + 2) + len(breaks) + 1
        if len(self.observations) < ENOUGH * terms:
            return
        for place in self.places:
            own = [each.value for each in breaks if each.variable == place.variable]
            order = [each.value for each in self.places if each.variable == place.variable]
            apart = all(
                abs(order.index(place.value) - order.index(value)) >= FEWEST for value in own
            )
            if len(own) < self.most and apart:
                yield place

    def _terms(self, breaks: Sequence[Break]) -> Iterator[Term]:
        return chain(
            self.basis,
            (Term(term.growth, term.bytes, each) for each in breaks for term in self.basis),
        )

    @staticmethod
    def _still(terms: Sequence[Term], breaks: Sequence[Break]) -> list[Break]:
        """The breakpoints that some of the terms still have."""
        return [each for each in breaks if any(term.beyond == each for term in terms)]

    def _criterion(self, breaks: Sequence[Break]) -> float:
        """The criterion of all terms, weighted by the times as they were observed."""
        terms = [*self._terms(breaks)]
        squares = self.cases.least_squares(self._matrix(terms))
        count = len(self.observations)
        return criterion(math.sqrt(squares / count), count, len(terms) + len(breaks))

    def of_terms(
        self, terms: Sequence[Term], breaks: Sequence[Break], *, relative: bool = True
    ) -> Model:
        """The model by weights that follow from the fit; by none if residuals aren't relative."""
        import numpy as np

        cases = self.cases
        matrix = self._matrix(terms)
        unit = cases.means if relative else np.ones(len(cases.means))
        for _ in range(_ROUNDS if relative else 1):
            weights = np.sqrt(cases.numbers) / unit
            weighted = matrix * weights[:, None]
            scale = _scale(weighted)
            found, *_ = np.linalg.lstsq(weighted / scale, cases.means * weights, rcond=None)
            estimates = found / scale
            fitted = matrix @ estimates
            if relative:  # where a fit is beside all bounds, the observed time is the better unit
                unit = np.where(fitted > cases.means / 2, fitted, cases.means)
        count = len(self.observations)
        squares = cases.squares(fitted, unit)
        variance = squares / max(1, count - len(terms))
        mean = np.average(cases.means, weights=cases.numbers / unit**2)
        total = cases.squares(mean, unit) / (count - 1)
        inverse = np.linalg.pinv((weighted / scale).T @ (weighted / scale))
        covariance = variance * inverse / np.outer(scale, scale)
        errors = np.sqrt(np.maximum(0.0, covariance.diagonal()))
        return Model(
            self.observations,
            tuple(map(Coefficient, terms, estimates.tolist(), errors.tolist())),
            covariance.tolist(),
            tuple(breaks),
            1 - variance / total if total else 1.0,
            math.sqrt(variance),
            criterion(math.sqrt(squares / count), count, len(terms) + len(breaks)),
            relative,
        )

    def _matrix(self, terms: Sequence[Term]) -> Vector:
        """The matrix with a line a case and a column a term."""
        import numpy as np

        for term in terms:
            if term not in self.columns:
                values = [term.value(p, m) for p, m in self.cases.cases]
                self.columns[term] = np.array(values)
        return np.column_stack([self.columns[term] for term in terms])


class _Cases:
    """Observations by case, p and m: what sums of squares need of their times."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        import numpy as np

        times: dict[tuple[int, int], list[float]] = {}
        for one in observations:
            times.setdefault((one.p, one.m), []).append(one.time_us)
        self.cases = [*times]
        self.numbers = np.array([len(own) for own in times.values()])
        self.means = np.array([np.mean(own) for own in times.values()])
        self._within = np.array([np.var(own) * len(own) for own in times.values()])
        # A case has the times t and the fitted time f. The sum of (1 - f / t)^2 has two parts: one
        # that f does not change, and S (f - R / S)^2. R and S are the sums of 1 / t and 1 / t^2.
        first = np.array([sum(1 / time for time in own) for own in times.values()])
        second = np.array([sum(1 / time**2 for time in own) for own in times.values()])
        self._weights = np.sqrt(second)
        self._target = first / self._weights
        self._fixed = len(observations) - float((self._target**2).sum())

    def squares(self, fitted: Any, unit: Vector) -> float:
        """The sum of squares of residuals, each in its unit."""
        between = self.numbers * (self.means - fitted) ** 2
        return float(((between + self._within) / unit**2).sum())

    def least_squares(self, matrix: Vector) -> float:
        """The least sum of squares, relative to times, that coefficients of the columns reach."""
        import numpy as np

        weighted = matrix * self._weights[:, None]
        weighted /= _scale(weighted)
        found, *_ = np.linalg.lstsq(weighted, self._target, rcond=None)
        return max(0.0, float(((self._target - weighted @ found) ** 2).sum()) + self._fixed)


def _scale(matrix: Vector) -> Vector:
    """Divisors by which columns become alike in size."""
    import numpy as np

    largest = np.abs(matrix).max(axis=0)
    return np.where(largest == 0, 1.0, largest)
