# SPDX-License-Identifier: BSD-3-Clause
"""Exit codes, as docs/questions.md tells them."""

NOT_WELL = 1
"""Something is judged to be wrong: a guideline violated, a time grown, a profile wrong."""

NOTHING = 2
"""Nothing to judge, or a mistake."""

UNDECIDED = 3
"""Nothing is judged to be wrong, and something is undecided."""

STOOD_STILL = 4
"""The job stood still, and its watch has ended it."""

INTERRUPTED = 130
"""The command was interrupted by Ctrl-C."""
