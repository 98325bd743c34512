# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines: which are known, how times are held against them, and what they say.

`rules` names them, `statistics` and `signed_rank` decide one comparison, `judge` finds the
comparisons among rows, `contest` makes those that reports show.
"""

from laneway.guideline.contest import Contest, Standing, winner
from laneway.guideline.judge import (
    GuidelineFinding,
    Judgement,
    PointsLeftOut,
    Terms,
    judge_rows,
    judgement,
)
from laneway.guideline.statistics import GuidelineVerdict

__all__ = [
    "Contest",
    "GuidelineFinding",
    "GuidelineVerdict",
    "Judgement",
    "PointsLeftOut",
    "Standing",
    "Terms",
    "judge_rows",
    "judgement",
    "winner",
]
