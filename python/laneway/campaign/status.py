# SPDX-License-Identifier: BSD-3-Clause
"""How far a campaign is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from laneway.campaign.folder import Folder


@dataclass(frozen=True)
class CampaignStatus:
    """The state of a campaign, as its folder tells it."""

    name: str
    runs: int
    blocks: int
    """Blocks of all runs."""
    done: int
    samples: int
    launches: int
    """Starts of the launcher so far."""
    seconds: float
    """Seconds that these took, from before each start to after its end.

    A start that was killed or still goes on counts with the seconds of its complete blocks.
    """
    measuring_seconds: float
    """Seconds in complete blocks, part of `seconds`: checks, warm-up, synchronisation,
    repetitions."""
    repeating_seconds: float
    """Seconds for repetitions and making their ranks start together, part of
    `measuring_seconds`."""
    timed_seconds: float
    """Seconds of the repetitions alone, from their start to the end of the slowest rank, part of
    `repeating_seconds`."""
    failures: tuple[str, ...]
    running: bool

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.done >= self.blocks

    @property
    def seconds_left(self) -> float | None:
        """Seconds for the rest if it goes on as so far; None where nothing is done yet."""
        return self.seconds / self.done * (self.blocks - self.done) if self.done else None

    def to_json(self) -> dict[str, Any]:
        """The status as one JSON object."""
        return {"kind": "status", **asdict(self), "complete": self.complete,
                "seconds_left": self.seconds_left}  # fmt: skip


def status(folder: Folder) -> CampaignStatus:
    """How far the campaign in a folder is. Raises Misuse where there is none."""
    manifest = folder.manifest
    runs = manifest["runs"]
    rows = [*folder.rows()]
    blocks = [row for row in rows if row["kind"] == "block"]
    of_launches: dict[int, float] = {row["launch"]: 0.0 for row in rows if "launch" in row}
    for row in blocks:
        of_launches[row["launch"]] += row.get("seconds", 0)
    of_launches |= {row["launch"]: row["seconds"] for row in rows if row["kind"] == "end"}
    return CampaignStatus(
        name=manifest.get("name", folder.path.name),
        runs=runs,
        blocks=runs * sum(map(len, manifest["blocks"].values())),
        done=len(folder.done()),
        samples=sum(row["kind"] in ("sample", "probe") for row in rows),
        launches=len(of_launches),
        seconds=round(sum(of_launches.values()), 3),
        measuring_seconds=round(sum(row.get("seconds", 0) for row in blocks), 3),
        repeating_seconds=round(sum(row.get("repeating_s", 0) for row in blocks), 3),
        timed_seconds=round(sum(row.get("timed_s", 0) for row in blocks), 3),
        failures=tuple(row["message"] for row in rows if row["kind"] == "failure"),
        running=folder.is_running,
    )
