# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns: the benchmark under mpirun, several times, its rows kept as they come.

`task` says what is done, `engine` does it, `folder` keeps what comes of it, `manifest` says whether
it may go on, `environment` what has changed meanwhile, `plan` reads a campaign from a file.
"""

from laneway.campaign.engine import BAD_USAGE, RejectedError, Result, measure
from laneway.campaign.folder import Folder
from laneway.campaign.task import Block, Observer, Plan, Task
from laneway.results import new_folder

__all__ = [
    "BAD_USAGE",
    "Block",
    "Folder",
    "Observer",
    "Plan",
    "RejectedError",
    "Result",
    "Task",
    "measure",
    "new_folder",
]
