# SPDX-License-Identifier: BSD-3-Clause
"""How far a campaign is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from laneway.campaign.folder import Folder


@dataclass(frozen=True)
class CampaignStatus:
    """What a campaign's folder tells."""

    name: str
    runs: int
    blocks: int
    """Of all runs."""
    done: int
    samples: int
    launches: int
    """Starts of the launcher so far."""
    seconds: float
    """That these took, from before each start to after its end; of one that was killed or still
    goes on, its complete blocks."""
    measuring_seconds: float
    """Of these, what went into complete blocks: checks, warm-up, synchronisation, repetitions."""
    repeating_seconds: float
    """Of these, repetitions and what makes their ranks start together."""
    timed_seconds: float
    """Of these, the repetitions themselves, from their start to the end of the slowest rank."""
    failures: tuple[str, ...]
    running: bool

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.done >= self.blocks

    @property
    def seconds_left(self) -> float | None:
        """What the rest will take if it goes on as so far; None where nothing is done yet."""
        return self.seconds / self.done * (self.blocks - self.done) if self.done else None

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
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
