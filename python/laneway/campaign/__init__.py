# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns: the benchmark under mpirun, several times, its rows kept as they come.

`task` says what is done, `engine` does it, and `folder` keeps the results. `manifest` says whether
a campaign may go on, `environment` what has changed meanwhile, `status` how far it is, `estimate`
how long it may take. `bench` is a single run of the benchmark without all that, `startup` the time
that a job takes to start. Plans say what to measure.
"""

from laneway.campaign.engine import RejectedError, Result, measure
from laneway.campaign.folder import Folder
from laneway.campaign.task import Block, Observer, Plan, Task

__all__ = [
    "Block",
    "Folder",
    "Observer",
    "Plan",
    "RejectedError",
    "Result",
    "Task",
    "measure",
]
