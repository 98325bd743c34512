# SPDX-License-Identifier: BSD-3-Clause
"""Earlier campaigns measured once more: the same points, places and numbers of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from laneway.campaign.folder import Folder
from laneway.campaign.task import Block, Task, heading, patience, shuffled
from laneway.cluster.cluster import Cluster
from laneway.errors import Misuse, Problem
from laneway.launching import allocation
from laneway.launching.allocation import Wanted
from laneway.launching.place import LAUNCHERS, Place, Setting
from laneway.libraries import native
from laneway.libraries.native import NativeBuild
from laneway.rows import Row

OFTEN = 0.5
"""The share of the runs in which an algorithm must have been measured: the others were dropped."""

CHOOSING = ("LANEWAY_PROFILE", "LANEWAY_PROFILE_DIR", "LANEWAY_DEFAULT")
"""Variables of the ranks by which `tuned` was measured."""

PACE = ("latency", "gap", "slower")
"""The pace of lanes besides their rates."""


@dataclass(frozen=True)
class OtherLauncher:
    """The launcher of the jobs now, where it is another one than then."""

    name: str | None = None
    options: Sequence[str] = ()


@dataclass(frozen=True)
class Again:
    """A plan for the campaign engine: the tasks of earlier campaigns."""

    jobs: Sequence[Task]
    runs: int
    seed: int = 1

    @property
    def build(self) -> NativeBuild:
        """The first MPI library, to name it."""
        return self.jobs[0].build

    @property
    def place(self) -> Place:
        """The first place."""
        return self.jobs[0].setting.place

    @property
    def patience(self) -> float:
        """Seconds of silence after which a job hangs."""
        times = [each.get("time") for job in self.jobs for each in _options(job)]
        return patience(max((float(time) for time in times if time), default=1.0))

    def tasks(self, run: int) -> list[Task]:
        """The tasks as they were, in an order of their own; the first run checks results."""
        return [
            replace(
                job,
                blocks=shuffled(job.blocks, self.seed, run, job.name),
                options={
                    name: value
                    for name, value in job.options.items()
                    if run > 1 or name != "verify"
                },
            )
            for job in self.jobs
        ]

    def heading(self) -> Row:
        """The first row: name, command, machine."""
        return heading("verify", self.tasks(1), self.seed)


def _pace(cluster: Mapping[str, Any], rates: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """The pace of a cluster's lanes: as all nodes had them, or without rates where nodes differ.

    `rates`: those of each node, at the time of measuring; empty where they were not told.
    """
    differ = len({*rates}) > 1
    names = PACE if differ else ("rate", *PACE)
    pace = {name: cluster[name] for name in names if name in cluster}
    of_all = rates[0] if rates else tuple(cluster.get("lane_rates", ()))
    return pace if differ else {**pace, "lane_rates": of_all}


def _options(job: Task) -> Iterator[Mapping[str, str]]:
    yield job.options
    yield from (block.options for block in job.blocks)


@contextmanager
def again(
    folders: Sequence[Folder], launcher: OtherLauncher, say: Callable[[str], None]
) -> Iterator[Again]:
    """The plan, on the machines that are there; clusters made for it end with the context.

    Raises Misuse for a campaign of which nothing can be measured again.
    """
    jobs: list[Task] = []
    with ExitStack() as clusters:
        places: list[tuple[Wanted, Place]] = []
        for folder in folders:
            if folder.imported or "blocks" not in folder.manifest:
                raise Misuse(
                    f"{folder} was not measured by laneway: measure anew, and name the new folder, "
                    f"too: laneway verify --against {folder} NEW"
                )
            earlier = Earlier(folder)
            for name in earlier.tasks:
                wanted = earlier.wanted(name, launcher)
                place = next((place for own, place in places if own == wanted), None)
                if place is None:
                    (setting,) = clusters.enter_context(allocation.settings(wanted, say))
                    place = setting.place
                    places.append((wanted, place))
                label = name if len(folders) == 1 else f"{folder.path.parent.name},{name}"
                jobs.append(earlier.task(name, label, place))
        if not jobs:
            raise Misuse("nothing was measured there that could be measured again")
        yield Again(jobs, max(folder.manifest["runs"] for folder in folders))


class Earlier:
    """An earlier campaign: what each of its tasks was, and where."""

    def __init__(self, folder: Folder) -> None:
        self.manifest = folder.manifest
        self._rows: dict[str, Row] = {}
        self._facts: dict[str, Row] = {}
        measured: dict[tuple[str, str, str], set[int]] = defaultdict(set)
        task_of: dict[int, str] = {}
        for row in folder.rows():
            if row["kind"] == "environment" and "task" in row:
                task_of[row.get("launch", 0)] = row["task"]
                self._rows.setdefault(row["task"], row)
            elif row["kind"] == "sample" and row.get("launch", 0) in task_of:
                task = task_of[row["launch"]]
                self._facts.setdefault(task, row)
                measured[task, row["block"], row["algorithm"]].add(row["run"])
        self._measured = measured

    @property
    def tasks(self) -> list[str]:
        """The tasks that have measured something."""
        return [name for name in self.manifest["blocks"] if name in self._facts]

    def blocks(self, task: str) -> list[Block]:
        """The points of a task, with the algorithms that were measured there in most runs."""
        least = OFTEN * self.manifest["runs"]
        found = []
        for line in self.manifest["blocks"][task]:
            name, *words = line.split()
            pairs = (word.removeprefix("--").partition("=") for word in words)
            options = {option: value for option, _, value in pairs}
            kept = [
                algorithm
                for (own, block, algorithm), runs in self._measured.items()
                if (own, block) == (task, name) and len(runs) >= least
            ]
            if kept:
                found.append(Block(name, {**options, "algorithm": ",".join(kept)}))
        return found

    def build(self, task: str) -> NativeBuild:
        """The native build for a task's MPI library; of another version where there is no other."""
        library = self._rows[task]["library"]
        builds = self.manifest["environment"]["builds"]
        name = next((id_ for id_, facts in builds.items() if facts["library"] == library), None)
        if name is None:
            raise Misuse(f"it was measured with {library}, of which its folder knows no build")
        try:
            return native.find(name)
        except Problem:
            return native.find(name.partition("-")[0])

    def task(self, name: str, label: str, place: Place) -> Task:
        """A task as it was, in a place and under another name."""
        facts, settings = self._facts[name], self._rows[name].get("settings", {})
        chosen = tuple((each, str(settings[each])) for each in CHOOSING if each in settings)
        setting = Setting(replace(place, variables=chosen), facts["lanes"], facts["binding"])
        options = self.manifest["options"].get(name, {})
        return Task(label, self.build(name), setting, self.blocks(name), options)

    def wanted(self, task: str, launcher: OtherLauncher) -> Wanted:
        """The place where a task was measured, whatever its ranks saw of the lanes."""
        row, facts = self._rows[task], self._facts[task]
        base = Wanted(
            nodes=facts["nodes"],
            ppn=facts["ppn"],
            placement=facts.get("placement") or "node",
            threads=facts.get("threads") or 1,
            launcher="local",
        )
        if launcher.name not in (None, "local") or launcher.options:
            return replace(base, launcher=launcher.name, options=tuple(launcher.options))
        if cluster := row.get("cluster"):
            up = {each.spec.name for each in Cluster.all()}
            rates = tuple(map(tuple, cluster.get("rates", ())))
            changed = len({*rates}) > 1  # some were, while the cluster was up
            unequal = tuple(map(int, filter(None, (facts.get("unequal") or "").split(","))))
            return replace(
                base,
                cluster=cluster["name"] if cluster["name"] in up else "auto",
                ppn=None if unequal else facts["ppn"],
                lanes=(cluster["lanes"],),
                realtime=bool(row.get("realtime")),
                unequal=unequal,
                pace=_pace(cluster, rates),
                rates=rates if changed else (),
            )
        if "LANEWAY_NODE_SIZE" in row.get("settings", {}):
            return replace(base, cluster="none")
        options = self.manifest["environment"]["places"].get(task, {}).get("launcher_options", ())
        started = Path((row.get("started") or ["mpirun"])[0]).name
        name = started if started in LAUNCHERS else "mpirun"
        return replace(base, launcher=name, options=tuple(options))
