# SPDX-License-Identifier: BSD-3-Clause
"""A tuning whose measurements are made up."""

import json

import pytest

from jobs import BUILDS
from laneway.campaign import Result
from laneway.choosing.profile import Tuned
from laneway.launching.place import Place, Setting
from laneway.tuning import race
from laneway.tuning.budget import LOOKING
from laneway.tuning.progress import Tuning
from laneway.tuning.stage import TuningPlace, TuningPoint
from laneway.tuning.tuner import Tuner

SIZES = (64, 1024, 16384)
TUNED = Tuned("Open MPI 4.1.4", "nodes=4 ppn=4 lanes=2", "use", ["bcast"])

one_library = pytest.mark.parametrize("build", BUILDS[:1])


def sample(key, algorithm, binding, run, time):
    collective, size = key
    return {
        "kind": "sample",
        "collective": collective,
        "algorithm": algorithm,
        "count": size // 4,
        "datatype": "int",
        "bytes": size,
        "nodes": 4,
        "ppn": 4,
        "lanes": 2,
        "run": run,
        "library": "Open MPI 4.1.4",
        "binding": binding,
        "time_us": time,
        "launch": 1,
        "served_by": algorithm,
        "block": "b",
    }


def written(folder, rows):
    """A stage with these rows, in place of those that it had."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return Result(folder, rows)


class Imagined:
    """Measures nothing: native takes 100 us, `fast` algorithms 40 from 1 KiB up, all others 200.

    A job takes `start` seconds besides its blocks, those `slow` times as long as they were told.
    """

    def __init__(self, tuned=40.0, start=0.0, slow=None, fast=("lane",)):
        self.fast = fast
        self.times = {}
        self.tuned = tuned
        self.start = start
        self.slow = slow or {}
        self.plans = []
        self.seconds = 0.0

    def time(self, point, name, run):
        wobble = 1 + 0.001 * run
        if name == "tuned":
            return self.tuned * wobble
        if (own := self.times.get(race.registered(name))) is not None:
            return own * wobble
        fast = race.registered(name) in self.fast and point.bytes >= 1024
        return (100 if name == "native" else 40 if fast else 200) * wobble

    def __call__(self, plan, folder):
        self.plans.append(plan)
        (task,) = plan.tasks(1)
        runs = range(1, plan.runs + 1)
        rows = [
            sample(point, name, "lane", run, self.time(point, name, run))
            for point, names in plan.stage.contestants.items()
            for name in ("native", *names)
            for run in runs
        ]
        for run in runs:
            handed = plan.stage.name in LOOKING  # to the job of the screen
            start = 0 if handed else self.start
            seconds = sum(float(block.options["time"]) for block in task.blocks)
            seconds *= self.slow.get(plan.stage.name, 1)
            facts = {"launch": run, "run": run}
            rows.append({"kind": "block", "block": "b", "task": "t", "seconds": seconds, **facts})
            rows.append({"kind": "end", "code": 0, "seconds": start + seconds, "handed": handed,
                         **facts})  # fmt: skip
            self.seconds += start + seconds
        return written(folder, rows)


def tuner(folder, build, measure, *, budget=600.0, options=(("a", 1),)):
    machine = TuningPlace(build, Setting(Place(4, 4), 2, "lane"))
    points = [TuningPoint("bcast", size) for size in SIZES]
    return Tuner(Tuning.begin(folder, dict(options)), points, budget, machine, measure, print)
