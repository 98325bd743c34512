# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines: which are known, how times are held against them, and what they say.

`rules` names them, `statistics` decides one comparison, `judge` finds the comparisons among rows.
"""

from laneway.guideline.judge import Finding, Terms, against_native, judge, judge_rows
from laneway.guideline.statistics import Verdict

__all__ = ["Finding", "Terms", "Verdict", "against_native", "judge", "judge_rows"]
