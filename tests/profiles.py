# SPDX-License-Identifier: BSD-3-Clause
"""The common parts of tests of profiles: files, the command, what a job said that used one."""

import re
from functools import partial

import commands
from laneway.simulation.wins import Forecast

FIRST = "laneway profile 1\n"
SHAPE = {"LANEWAY_NODE_SIZE": 2, "LANEWAY_PROFILE_DIR": ""}
"""Two nodes of two processes, and no profiles of the site's."""

laneway = partial(commands.laneway, "profile", LANEWAY_PROFILE_DIR="")


def served(outcome) -> dict[int, str]:
    assert outcome.code == 0, outcome.told
    return {int(n): name for n, name in re.findall(r"(\d+) by (\w+)", outcome.output)}


def written(folder, text, name="user.conf"):
    path = folder / name
    path.write_text(FIRST + text)
    return path


def forecast(
    size: int, native_us: float = 100, standing: str = "native", **times: float
) -> Forecast:
    """A forecast of one size, by what each algorithm takes."""
    return Forecast(size, native_us, times, standing)
