# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns: the benchmark under mpirun, several times, its rows kept as they come.

`task` says what is done, `engine` does it, `folder` keeps what comes of it, `environment` notices
what has changed meanwhile, `plan` reads a campaign from a file.
"""

from laneway.campaign.engine import BAD_USAGE, Result, measure, new_folder
from laneway.campaign.folder import Folder
from laneway.campaign.task import Block, Observer, Plan, Task

__all__ = [
    "BAD_USAGE",
    "Block",
    "Folder",
    "Observer",
    "Plan",
    "Result",
    "Task",
    "measure",
    "new_folder",
]
