# SPDX-License-Identifier: BSD-3-Clause
"""Carrying out a campaign: one start of the launcher for each task of a run, watched."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from laneway import files
from laneway.campaign import environment, manifest
from laneway.campaign.bench import BAD_USAGE, WRONG_RESULT, complaint
from laneway.campaign.dropped import FirstRun
from laneway.campaign.folder import Done, Folder, Journal
from laneway.campaign.standing import StandingJob
from laneway.campaign.startup import sample, since
from laneway.campaign.task import Block, Observer, Plan, Task
from laneway.cluster.links import Traffic
from laneway.errors import Misuse, Problem
from laneway.launching.place import OnCluster, Setting
from laneway.launching.run import GRACE, Run
from laneway.rows import Row, describe, parse, share_done

PATIENCE_WITH_A_BLOCK = 2
"""A block that brought down its job in so many runs is left out of the other runs."""

ABOUT_JOBS = frozenset(("campaign", "changed", "environment", "counters", "failure", "end"))
"""Kinds of rows that hold no result."""

OF_CASES = frozenset(("sample", "carried"))
"""Kinds of rows that belong to a case: all its axes are in each of them."""


LeaveOut = Callable[[int, Iterable[Row]], Collection[str]]
"""A function that names blocks, by the number of a run and the rows of those before."""


class RejectedError(Misuse):
    """The benchmark rejects its options."""

    def __init__(self, complaint: str) -> None:
        # Where the block stands in a file of ours is not what the user wrote.
        super().__init__(re.sub(r"^.*?, line \d+: ", "", complaint))

    @property
    def option(self) -> str | None:
        """The option of laneway-bench that the complaint is about; None where it is unknown."""
        found = re.match(r"unknown (\w+) |--([\w-]+)", str(self))
        return (found[1] or found[2]) if found else None


@dataclass
class Result:
    """The results that a campaign left, complete or not."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    """All rows, but for those that only told the progress."""
    failures: list[str] = field(default_factory=list)
    """Failures: each is about a run that failed, or a wrong result."""
    interrupted: bool = False
    changes: list[str] = field(default_factory=list)
    """Changes in the environment that `force` waved through."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no result, only reasons why the jobs failed."""
        return all(row["kind"] in ABOUT_JOBS for row in self.rows)


def measure(
    plan: Plan,
    path: Path,
    observer: Observer,
    *,
    resume: bool = False,
    force: bool = False,
    runs: int | None = None,
    text: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    leave_out: LeaveOut = lambda _run, _rows: (),
    standing: StandingJob | None = None,
) -> Result:
    """Carries out the part of a plan that is not done yet; keeps every row in the folder `path`.

    A job that fails or hangs is recorded, and the next one tried. An interrupt ends the campaign;
    `resume` goes on with it, to so many `runs` where these are given. `force` goes on in another
    environment as well, and has `say` tell what of it has changed. `text` is the plan as the user
    wrote it. A campaign without any result leaves no folder. `leave_out` names blocks that a run
    goes without, by the rows so far. A `standing` job does all runs, and stays for later campaigns.

    Raises RejectedError where the benchmark rejects the plan. Raises Misuse where the folder holds
    other results, or the plan is another one than that of the campaign. Raises Problem where
    nothing can be started, the folder cannot be written, or the environment has changed.
    """
    folder = Folder(path)
    result = Result(path)
    with folder.locked():
        if not resume:
            folder.refuse_if_taken()
        try:
            if resume:
                # Where nothing is left to be measured, no times of two kinds come together.
                left = _is_left(folder, plan, runs)
                changes = manifest.resume(folder, plan, runs, force=force or not left)
                result.changes = changes if left else []
            else:
                manifest.begin(folder, plan, text)
            with folder.writing() as journal:
                campaign = _Campaign(plan, folder, result, journal, observer, say=say, force=force)
                campaign.leave_out = leave_out
                campaign.standing = standing
                if next(folder.all_rows(), None) is None:
                    campaign.keep(plan.heading())
                if result.changes:
                    campaign.changed(result.changes)
                campaign.run()
        except KeyboardInterrupt:
            result.interrupted = True
        except files.UnwritableError as error:
            if result.is_empty:
                raise
            raise Problem(
                f"{error}; what is there counts, go on with: {folder.resume()}"
            ) from error
        finally:
            if result.is_empty and not (resume or result.interrupted):
                folder.remove()
    return result


def _is_left(folder: Folder, plan: Plan, runs: int | None) -> bool:
    done = folder.done()
    return any(
        Done(run, task.name, block.id) not in done
        for run in range(1, (runs or folder.manifest["runs"]) + 1)
        for task in plan.tasks(run)
        for block in task.blocks
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Campaign:
    """A plan being carried out."""

    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        result: Result,
        journal: Journal,
        observer: Observer,
        *,
        say: Callable[[str], None],
        force: bool,
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.result = result
        self.journal = journal
        self.observer = observer
        self.say = say
        self.force = force
        self.runs = folder.manifest["runs"]
        self.done = folder.done()
        self.culprits: Counter[tuple[str, str]] = Counter()
        self.seen: dict[str, dict[str, Any]] = {}
        self.begun = {done.task for done in self.done}
        """Tasks of which a job has said something."""
        self.launches = 0
        self.hopeless: set[str] = set()
        """Tasks of which the launcher could start no job at its first try: none is tried again."""
        self.leave_out: LeaveOut = lambda _run, _rows: ()
        self.standing: StandingJob | None = None
        self.left_out: Collection[str] = ()
        """Blocks that the run under way goes without."""
        self.first_run = FirstRun()
        for row in folder.all_rows():
            self.first_run.see(row)
            self.launches = max(self.launches, row.get("launch", 0))
            if row["kind"] == "environment":
                self.seen.setdefault(row["task"], environment.of_ranks(row))

    def run(self) -> None:
        for run in range(1, self.runs + 1):
            tasks = self.plan.tasks(run)
            self.left_out = self.leave_out(run, self.folder.all_rows())
            if not any(self.undone(run, task) for task in tasks):
                continue
            self.observer.begin(run)
            start = time.monotonic()
            for number, task in enumerate(tasks):
                self.work = (run - 1 + number / len(tasks), 1 / len(tasks))
                self._task(run, task)
            self.observer.end(run, time.monotonic() - start)

    def keep(self, row: Row) -> None:
        self.first_run.see(row)
        self.result.rows.append(row)
        self.journal.keep(row)

    def changed(self, changes: Sequence[str]) -> None:
        for change in changes:
            self.say(f"--force waves through: {change}")
        self.keep({"kind": "changed", "date": _now(), "changes": [*changes]})

    def see(self, task: Task, row: Row) -> None:
        """Compares the ranks' findings with their first ones, which the manifest keeps."""
        found = environment.of_ranks(row)
        first = self.seen.setdefault(task.name, found)
        changes = [*environment.differences(first, found)]
        if changes and not self.force:
            raise Problem(manifest.changed(changes, self.folder))
        if new := [change for change in changes if change not in self.result.changes]:
            self.result.changes += new
            self.changed(new)
        known = self.folder.manifest.get("ranks", {})
        if task.name not in known:
            own = environment.map_of(row, task.setting)
            self.folder.revise(ranks={**known, task.name: own})

    def undone(self, run: int, task: Task) -> list[Block]:
        """The blocks that a run of a task still has to do."""
        return [
            block
            for block in task.blocks
            if block.id not in self.left_out
            and task.name not in self.hopeless
            and Done(run, task.name, block.id) not in self.done
            and self.culprits[task.name, block.id] < PATIENCE_WITH_A_BLOCK
        ]

    def _task(self, run: int, task: Task) -> None:
        """Starts the launcher until all blocks are done, without those that bring a job down.

        Where the benchmark did not even begin, or two starts one after the other achieved nothing,
        the run is given up. Blocks whose rows a launcher lost are measured once more. A standing
        job gets one block after the other, and before each is asked what is left out.
        """
        blocks = self.undone(run, task)
        futile, again = 0, False
        while blocks and futile < 2:
            before = len(self.done)
            handed = blocks[:1] if self.standing else blocks
            launch = _Launch(self, run, task, handed, is_last=again)
            launch.go()
            if self.standing:
                self.left_out = self.leave_out(run, self.folder.all_rows())
            left = [block for block in self.undone(run, task) if block in blocks]
            again = launch.lost
            if again:
                self.say(f"run {run}: the launcher lost what was measured; once more")
                blocks = left
                continue
            culprit = left[0] if left and not launch.good and left[0] in handed else None
            if culprit:
                self.culprits[task.name, culprit.id] += 1
            if not (launch.spoke or task.name in self.begun):
                self.hopeless.add(task.name)
            if not launch.began:
                return
            futile = 0 if len(self.done) > before else futile + 1
            dropped = handed if launch.good else [culprit]
            blocks = [block for block in left if block not in dropped]

    def advance(self, done: float) -> None:
        """Tells the share of all runs that is done; `done` is the share of the task."""
        before, share = self.work
        self.observer.advance((before + share * done) / self.runs)


@dataclass
class _Launch:
    """One start of the launcher.

    A job has done its work with its last row; how it ends does not matter: MPICH 4.0 can hang in
    MPI_Finalize over UCX's TCP.
    """

    campaign: _Campaign
    run: int
    task: Task
    blocks: Sequence[Block]
    is_last: bool
    """Whether blocks whose rows get lost are not measured again."""
    lost: bool = False
    """Whether rows are missing though the job ended well and without a word.

    Under load, MPICH's Hydra may end before it has passed on all that ranks have written.
    """
    good: bool = False
    """Whether the job did all that it was asked for."""
    began: bool = False
    """Whether the benchmark has told what it found."""
    spoke: bool = False
    """Whether the benchmark printed any row at all."""
    handed: bool = False
    """Whether the blocks were handed to a job that had been started before."""

    def go(self) -> None:
        campaign, task = self.campaign, self.task
        campaign.launches += 1
        self.number = campaign.launches
        self.done_before = len(task.blocks) - len(campaign.undone(self.run, task))
        self.failures = len(campaign.result.failures)
        file = campaign.folder.launches / f"{self.number}.txt"
        blocks = [*self.blocks]
        if task.drops and self.run > 1:
            rests = [campaign.first_run.rest(task.name, block) for block in blocks]
            blocks = [block for block, _ in rests]
            for note in (note for _, notes in rests for note in notes):
                self._keep(note)
        before = task.setting.place.counters()
        start, self.before = time.monotonic(), time.time()
        code: int | None = None
        try:
            with ExitStack() as ended:
                self.running = self._job(file.absolute(), blocks, ended)
                code = self._watch()
        finally:
            if campaign.standing and not self.good:
                campaign.standing.end(at_once=True)
            if before:
                self._keep(_traffic(task.setting, before))
            seconds = round(time.monotonic() - start, 3)
            handed = {"handed": True} if self.handed else {}
            self._keep({"kind": "end", "code": code, "seconds": seconds, **handed})

    def _job(self, file: Path, blocks: Sequence[Block], ended: ExitStack) -> Run:
        """The job that does blocks: a standing one, or one of its own that is `ended` with it."""
        standing, task = self.campaign.standing, self.task
        if standing is None:
            if task.planned:
                files.replace(file, "".join(f"{block.line()}\n" for block in blocks))
            return ended.enter_context(Run(task.job(self.run, file)))
        if (serving := standing.serving(task)) and standing.environment:
            self.handed = True
            self.running = serving
            self._receive(standing.environment)
            standing.hand(task, self.number, blocks)
            return serving
        return standing.start(task, self.run, file, blocks)

    def _keep(self, row: Row) -> None:
        axes = self.task.setting.place.axes if row["kind"] in OF_CASES else {}
        self.campaign.keep({**row, **axes, "run": self.run, "launch": self.number})

    def _watch(self) -> int | None:
        """Takes rows in until the job ends. Returns its exit code, None if it had to be ended."""
        running, patience = self.running, self.campaign.plan.patience
        try:
            for line in running.lines(patience):
                row = parse(line)  # launchers, too, write to standard output
                if row is not None and self._receive(row):
                    self.good = True
                    break
            if self.good and self.campaign.standing:
                return 0
            for _ in running.lines(GRACE) if self.good else ():
                pass
            code = running.wait()
        except TimeoutError:
            if self.good:
                return None
            running.end()
            self._failed(f"run {self.run} hung: no row for {patience:.0f} s")
            return None
        if code == BAD_USAGE and (said := complaint(running.errors())):
            raise RejectedError(said)
        self.good = self.good and code in (0, WRONG_RESULT)
        if len(self.campaign.result.failures) == self.failures:
            self._ended(code)
        return code

    def _ended(self, code: int) -> None:
        """Reports an end that is not as it should be, where nothing else has reported it."""
        if code != 0:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            self._failed(f"run {self.run} failed ({how})")
        elif self._under_way() is not None:
            self.lost = not self.is_last and not self.running.tail()
            if not self.lost:
                self._failed(f"run {self.run} ended before it had measured everything")

    def _receive(self, row: Row) -> bool:
        """Deals with a row. Returns whether it was the last one."""
        self.spoke = True
        self.campaign.begun.add(self.task.name)
        if row["kind"] == "progress":
            share = share_done(row)
            done = self.done_before + share * len(self.blocks)
            self.campaign.advance(done / len(self.task.blocks))
            last = share >= 1
            if last and not self.task.planned:
                self._finished({"kind": "block", "block": self.blocks[0].id})
            return bool(last)
        if row["kind"] == "start":
            self._started(row)
            return True
        if row["kind"] == "environment":
            if self.campaign.standing:
                self.campaign.standing.environment = row
            row = self._environment(row)
        elif row["kind"] == "block":
            self._finished(row)
            return False
        elif not self.task.planned:
            row = {**row, "block": self.blocks[0].id}
        self._keep(row)
        if row["kind"] == "error":
            self.campaign.result.failures.append(f"run {self.run}: {describe(row)}")
        return False

    def _started(self, said: Row) -> None:
        """Deals with a row of kind `start`: its job has no other row, and tells no progress."""
        setting, block = self.task.setting, self.blocks[0].id
        row = since(self.before, said)
        self._keep({**row, "block": block})
        self._keep({**sample(row, setting.lanes, setting.binding), "block": block})
        self._finished({"kind": "block", "block": block})
        self.campaign.advance(1)

    def _environment(self, row: Row) -> Row:
        """The ranks' findings, compared with earlier ones, plus facts that they cannot know."""
        task = self.task
        self.began = True
        self.campaign.see(task, row)
        job = self.running.job
        launch = job.launcher.launch.to_json() if isinstance(job.launcher, OnCluster) else None
        how = {"launched": launch, "started": job.launcher.started(job)}
        return {**row, **task.setting.place.facts(), **how, "task": task.name}

    def _finished(self, row: Row) -> None:
        self._keep({**row, "task": self.task.name})
        self.campaign.done.add(Done(self.run, self.task.name, row["block"]))

    def _failed(self, what: str) -> None:
        """Records a job that gave no complete result, with the end of its output."""
        tail = self.running.tail()
        left = self.campaign.runs - self.run
        if left and self.task.name not in self.campaign.begun:
            others = "run is" if left == 1 else f"{left} runs are"
            what = f"{what}: no job began, and the other {others} left out"
        told = f"{what}\n{tail}" if tail else what
        if told not in self.campaign.result.failures:  # as by another binding
            self.campaign.result.failures.append(told)
        self._keep(
            {"kind": "failure", "message": what, "stderr": tail, "during": self._under_way()}
        )

    def _under_way(self) -> str | None:
        """The first block that is not done."""
        run, task, done = self.run, self.task.name, self.campaign.done
        return next((b.id for b in self.blocks if Done(run, task, b.id) not in done), None)


def _traffic(setting: Setting, before: list[list[Traffic]]) -> Row:
    """The traffic that the lanes have carried and dropped during a job, [node][lane]."""
    after = setting.place.counters()

    def grown(what: str) -> list[list[int]]:
        return [
            [getattr(last, what) - getattr(first, what) for first, last in zip(*node, strict=True)]
            for node in zip(before, after, strict=True)
        ]

    return {
        "kind": "counters",
        "lanes": setting.lanes,
        "binding": setting.binding,
        "tx_bytes_before": [[lane.tx for lane in node] for node in before],
        "tx_bytes": grown("tx"),
        "rx_bytes": grown("rx"),
        "drops": grown("drops"),
    }
