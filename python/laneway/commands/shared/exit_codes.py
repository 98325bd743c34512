# SPDX-License-Identifier: BSD-3-Clause
"""Exit codes, as docs/questions.md tells them."""

NOT_WELL = 1
"""Something is judged not to be well: a guideline violated, a time grown, a profile wrong."""

NOTHING = 2
"""Nothing to judge, or a mistake."""

UNDECIDED = 3
"""Nothing is judged not to be well, and something is undecided."""

INTERRUPTED = 130
"""After Ctrl-C."""
