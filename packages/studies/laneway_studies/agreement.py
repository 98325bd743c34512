# SPDX-License-Identifier: BSD-3-Clause
"""How near our ratios come to published ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from laneway_studies.study import PublishedComparison

TELLING = 0.2
"""A published ratio that is nearer to 1 says too little to be judged by."""

NEAR = 0.35
"""A ratio of ratios that is above 1 by no more, or below it the other way round, is near."""


@dataclass(frozen=True)
class Agreement:
    """Published ratios that tell something, and how many of them ours agree with."""

    judged: Sequence[PublishedComparison]
    """Comparisons that we have a ratio for, or should have one for: the latter are missed."""

    @property
    def found(self) -> list[PublishedComparison]:
        """Comparisons that we have a ratio for."""
        return [one for one in self.judged if one.ours is not None]

    @property
    def sided(self) -> int:
        """How many lie on the same side of 1."""
        return sum(map(_sided, self.judged))

    @property
    def near(self) -> int:
        """How many have a ratio of ratios from 1/(1 + NEAR) to 1 + NEAR."""
        return sum(map(_near, self.judged))

    @property
    def within(self) -> int:
        """How many have a ratio of ratios from 1 - NEAR to 1 + NEAR, which is less strict."""
        return sum(_within(one, 1 - NEAR) for one in self.judged)

    def reaches(self, same_side: float, near: float) -> bool | None:
        """Whether such shares are on the same side, and near; None: there is nothing to judge."""
        if not self.found:
            return None
        number = len(self.judged)
        return self.sided >= same_side * number and self.near >= near * number

    def __str__(self) -> str:
        number, missing = len(self.judged), len(self.judged) - len(self.found)
        if not number:
            return f"No published ratio differs from 1 by more than {TELLING:.0%}."
        told = f"{number} published ratios differ from 1 by more than {TELLING:.0%}"
        if not self.found:
            return f"{told}; there is nothing to judge, as none of them has one of ours."
        without = f" For {missing} there is none of ours: these are missed." if missing else ""
        return (
            f"{told}. Ours lie on the same side in {_share(self.sided, number)} and are near, "
            f"ours/published from 1/{1 + NEAR} to {1 + NEAR}, in {_share(self.near, number)}; "
            f"from {1 - NEAR} to {1 + NEAR} in {_share(self.within, number)}.{without}"
        )

    @property
    def missed(self) -> list[PublishedComparison]:
        """Comparisons on the other side, not near, or without one of ours."""
        return [one for one in self.judged if not (_sided(one) and _near(one))]


def agreement(comparisons: Iterable[PublishedComparison]) -> Agreement:
    """The agreement of comparisons of ratios, as far as they count and tell something."""
    return Agreement(
        [one for one in comparisons if one.counts and abs(one.published - 1) > TELLING]
    )


def _share(number: int, of: int) -> str:
    return f"{number} ({number / of:.0%})"


def _sided(one: PublishedComparison) -> bool:
    return one.ours is not None and (one.ours > 1) == (one.published > 1)


def is_near(quotient: float) -> bool:
    """Whether ours over the published one is from 1/(1 + NEAR) to 1 + NEAR."""
    return 1 / (1 + NEAR) <= quotient <= 1 + NEAR


def _near(one: PublishedComparison) -> bool:
    return one.quotient is not None and is_near(one.quotient)


def _within(one: PublishedComparison, least: float) -> bool:
    return one.quotient is not None and least <= one.quotient <= 1 + NEAR
