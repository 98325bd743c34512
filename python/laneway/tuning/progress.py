# SPDX-License-Identifier: BSD-3-Clause
"""How far a tuning is: its stages, in a folder, with the time they took and their results."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from laneway import files
from laneway.campaign import Folder
from laneway.errors import Misuse, Problem
from laneway.results.measurements import Measured, read
from laneway.tuning.stage import Stage

STATE = "tune.json"
"""The file of a tuning's folder that tells its options and stages."""


@dataclass
class Tuning:
    """The options of a tuning and its stages so far: all that is needed to go on."""

    folder: Path
    options: Mapping[str, Any]
    stages: list[Stage] = field(default_factory=list)
    thought: float = 0.0
    """Seconds that were spent on costs, before anything was measured."""
    beside: float = 0.0
    """Seconds that went by between the jobs of stages."""

    @classmethod
    def begin(cls, folder: Path, options: Mapping[str, Any]) -> Tuning:
        """A new tuning, or the one that was begun in this folder with the same options.

        Raises Misuse where it was begun with other options, Problem where it cannot be read.
        """
        path = folder / STATE
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            stages = [Stage.of_json(each) for each in kept["stages"]]
            others = [name for name in options if kept["options"].get(name) != options[name]]
        except FileNotFoundError:
            if folder.is_dir() and any(folder.iterdir()):
                raise Misuse(
                    f"{folder} holds something else: name a new folder with --out"
                ) from None
            return cls(folder, options)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"{path} is damaged ({error}): name a new folder with --out") from error
        if others:
            told = ", ".join(f"--{name} was {kept['options'].get(name)}" for name in others)
            raise Misuse(f"{folder} was begun with other options: {told}")
        thought, beside = (float(kept.get(name, 0)) for name in ("thought", "beside"))
        return cls(folder, options, stages, thought, beside)

    def add(self, stage: Stage) -> None:
        """Keeps the stage to measure next."""
        self.stages.append(stage)
        self.keep()

    def keep(self) -> None:
        """Keeps the stages, and the time that went by besides their jobs."""
        stages = [each.to_json() for each in self.stages]
        spent = {"thought": self.thought, "beside": self.beside}
        kept = {"options": dict(self.options), **spent, "stages": stages}
        files.replace(self.folder / STATE, json.dumps(kept, indent=1) + "\n")

    def of(self, stage: Stage) -> Path:
        """The folder of a stage."""
        return self.folder / f"{self.stages.index(stage) + 1}-{stage.name}"

    def measured(self, *names: str) -> Measured:
        """The measurements of the stages of these names; empty where there are none."""
        folders = [self.of(each) for each in self.stages if each.name in names]
        return read([each for each in folders if Folder(each).raw.exists()])

    def seconds(self, besides: str | None = None) -> float:
        """Seconds of all jobs so far, between them, and of the costs.

        A job that was killed counts by its blocks. `besides`: a stage whose jobs do not count.
        """
        ended = [job.seconds if job.code is not None else job.blocks for job in self._jobs(besides)]
        return self.thought + self.beside + sum(ended)

    def start(self) -> float | None:
        """Seconds that a job takes besides its blocks; None where none has ended well.

        Blocks that were handed to a job that stood there tell nothing of that.
        """
        besides = [
            job.seconds - job.blocks for job in self._jobs() if job.code == 0 and not job.handed
        ]
        return max(0.5, median(besides)) if besides else None

    def seconds_of(self, stage: Stage, kind: str = "end") -> list[float]:
        """Seconds that each job (`end`) or `block` of a stage has taken."""
        rows = Folder(self.of(stage)).all_rows()
        return [float(row.get("seconds", 0)) for row in rows if row["kind"] == kind]

    def _jobs(self, besides: str | None = None) -> list[_Job]:
        """The jobs of all stages, but for those of one."""
        jobs: dict[tuple[str, int], _Job] = defaultdict(_Job)
        for stage in self.stages:
            if stage.name == besides:
                continue
            for row in Folder(self.of(stage)).all_rows():
                if row["kind"] in ("block", "end"):
                    job = jobs[stage.name, row.get("launch", 0)]
                    if row["kind"] == "block":
                        job.blocks += float(row.get("seconds", 0))
                    else:
                        job.code = row.get("code", 0)
                        job.seconds = float(row.get("seconds", 0))
                        job.handed = bool(row.get("handed"))
        return [*jobs.values()]


@dataclass
class _Job:
    """The time that a job has taken."""

    blocks: float = 0.0
    """Seconds of the blocks that it measured."""
    seconds: float = 0.0
    """Seconds of the whole job, once it has ended."""
    code: int | None = None
    """The job's exit code, once it has ended."""
    handed: bool = False
    """Whether the job had been started before, for other blocks."""
