# SPDX-License-Identifier: BSD-3-Clause
"""Rows: the output of laneway-bench, one JSON object a line, and what follows from them alone.

`row` reads them, `kinds` has the contents of each kind, and `cases` gathers the samples of a case.
`summaries` summarises their times, `gain` says how many times as fast one is as another, and
`lane_traffic` says what each lane carried.
"""

from laneway.rows.cases import (
    FACTS,
    FORCED,
    NATIVE,
    SIMULATED,
    SLOWEST_RANK,
    TUNED,
    WIDTHS,
    CaseKey,
    Samples,
    axes_of,
    collect,
    span_us,
)
from laneway.rows.row import (
    LEFT_OUT,
    NOT_AXES,
    Row,
    complete,
    describe,
    frame,
    lane_use,
    notes,
    parse,
    read,
    share_done,
)
from laneway.rows.summaries import CaseSummary, impossible, summaries_of, summarise

__all__ = [
    "FACTS",
    "FORCED",
    "LEFT_OUT",
    "NATIVE",
    "NOT_AXES",
    "SIMULATED",
    "SLOWEST_RANK",
    "TUNED",
    "WIDTHS",
    "CaseKey",
    "CaseSummary",
    "Row",
    "Samples",
    "axes_of",
    "collect",
    "complete",
    "describe",
    "frame",
    "impossible",
    "lane_use",
    "notes",
    "parse",
    "read",
    "share_done",
    "span_us",
    "summaries_of",
    "summarise",
]
