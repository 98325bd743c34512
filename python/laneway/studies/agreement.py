# SPDX-License-Identifier: BSD-3-Clause
"""How near our ratios come to published ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from laneway.studies.study import Comparison

TELLING = 0.2
"""A published ratio that is nearer to 1 says too little to be judged by."""

NEAR = 0.35
"""A ratio of ratios that is off by no more is near."""


@dataclass(frozen=True)
class Agreement:
    """Of published ratios that tell something, how many ours agree with."""

    judged: Sequence[Comparison]
    sided: int
    """Those that lie on the same side of 1."""
    near: int
    """Those whose ratio of ratios is within NEAR."""

    @property
    def same_side(self) -> float:
        """The share of those on the same side; 1 where there is nothing to judge."""
        return self.sided / len(self.judged) if self.judged else 1.0

    @property
    def within(self) -> float:
        """The share of those that are near."""
        return self.near / len(self.judged) if self.judged else 1.0

    def __str__(self) -> str:
        number = len(self.judged)
        if not number:
            return f"No published ratio differs from 1 by more than {TELLING:.0%}."
        return (
            f"Of {number} published ratios that differ from 1 by more than {TELLING:.0%}, ours "
            f"lie on the same side in {self.sided} ({self.same_side:.0%}) and are within "
            f"{NEAR:.0%} in {self.near} ({self.within:.0%})."
        )

    @property
    def missed(self) -> list[Comparison]:
        """Those on the other side, or not near."""
        return [one for one in self.judged if not (_sided(one) and _near(one))]


def agreement(comparisons: Iterable[Comparison]) -> Agreement:
    """Of comparisons of ratios, those that count and that we have a ratio for."""
    judged = [
        one
        for one in comparisons
        if one.counts and one.ours is not None and abs(one.published - 1) > TELLING
    ]
    return Agreement(judged, sum(map(_sided, judged)), sum(map(_near, judged)))


def _sided(one: Comparison) -> bool:
    return one.ours is not None and (one.ours > 1) == (one.published > 1)


def _near(one: Comparison) -> bool:
    """Neither more than 35% above nor, the other way round, below."""
    return one.quotient is not None and 1 / (1 + NEAR) <= one.quotient <= 1 + NEAR
