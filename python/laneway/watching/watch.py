# SPDX-License-Identifier: BSD-3-Clause
"""The watch of a job: it asks the nodes when somebody has waited too long, judges, and tells.

usage: python -m laneway.watching.watch FOLDER OPTIONS

`laneway exec --watch` starts it beside the job. It ends with its parent, whose pipe it reads.
OPTIONS is an object of JSON: see Options.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from laneway.units import counted
from laneway.watching.account import Account
from laneway.watching.exchange import JobSide
from laneway.watching.judging import judge, mismatches
from laneway.watching.telling import in_words, seconds, to_json
from laneway.watching.world import WatchFinding

USUAL_LIMIT = 60.0
"""Seconds for which a process may wait in a collective, where nothing is said."""


@dataclass(frozen=True)
class Options:
    """The things that a watch is to do."""

    limit: float
    """Seconds for which a process may wait in a collective."""
    before: float | None = None
    """The time, in seconds since 1970, at which it tells what it knows, whoever waits."""
    kill: bool = False
    """Whether it ends the job when something is wrong, and not only slow."""
    output: str | None = None
    """A file that findings are added to, as lines of JSON."""


def judge_with_stacks(
    accounts: Sequence[Account],
    limit: float,
    stacks_of: Callable[[list[int]], Mapping[tuple[str, int], tuple[str, ...]]],
    *,
    is_complete: bool,
    wanted: Callable[[WatchFinding], bool] = lambda _: True,
) -> list[WatchFinding]:
    """The findings of `judge`, with the functions of who is the reason.

    `stacks_of` tells the functions of processes with certain ranks, by the keys of their accounts.
    The job goes on meanwhile: so whatever else it sees then is not judged.
    """
    found = judge(accounts, limit, is_complete=is_complete)
    blamed = {rank for one in found if wanted(one) for rank in one.ranks[:4]}
    if not blamed:
        return found
    stacks = stacks_of(sorted(blamed))
    accounts = [replace(one, stack=stacks.get(one.key, ())) for one in accounts]
    return judge(accounts, limit, is_complete=is_complete)


def found_by(
    side: JobSide, limit: float, *, wanted: Callable[[WatchFinding], bool] = lambda _: True
) -> tuple[list[WatchFinding], int]:
    """The findings, with the functions of who is the reason, and the number of silent nodes."""
    accounts, silent = side.ask()

    def stacks_of(ranks: list[int]) -> dict[tuple[str, int], tuple[str, ...]]:
        return {one.key: one.stack for one in side.ask(ranks, patience=30.0)[0]}

    complete = not silent
    found = judge_with_stacks(accounts, limit, stacks_of, is_complete=complete, wanted=wanted)
    return found, silent


class Watch:
    """The watch of one job."""

    def __init__(
        self,
        side: JobSide,
        options: Options,
        say: Callable[[str], None],
        end_job: Callable[[], None],
    ) -> None:
        self._side = side
        self._options = options
        self._say = say
        self._end_job = end_job
        self._told: dict[Any, WatchFinding] = {}
        self._looked = 0.0
        self._checked = time.monotonic()

    def look(self) -> None:
        """Looks once; to be called again and again."""
        now = time.monotonic()
        limit = self._options.limit
        due = self._options.before is not None and time.time() >= self._options.before
        if due:
            self._options = replace(self._options, before=None)
        is_time = now - self._looked >= max(limit / 4, 0.25)
        if due or (is_time and (self._side.longest_wait() >= limit or self._told)):
            self._looked = now
            self._tell(min(limit, 1.0) if due else limit, at_least_a_line=due)
        elif now - self._checked >= max(2 * limit, 1.0):
            self._checked = now
            self._end_where_wrong(self.check())

    def check(self) -> list[WatchFinding]:
        """Tells of calls that do not match, whether anybody waits or not."""
        found = mismatches(self._side.ask()[0])
        self._tell_new(found)
        return found

    def _tell(self, limit: float, *, at_least_a_line: bool) -> None:
        found, silent = found_by(
            self._side, limit, wanted=lambda finding: finding.key not in self._told
        )
        self._tell_what_is_over(found)
        new = self._tell_new(found)
        if new and silent:
            self._say(f"{counted(silent, 'node')} did not answer")
        if at_least_a_line and not found:
            self._say("the job's time is nearly over; nobody waits for a process that is not there")
        self._end_where_wrong(found)

    def _end_where_wrong(self, found: Iterable[WatchFinding]) -> None:
        if self._options.kill and any(_is_wrong(one) for one in found):
            self._say("the job is ended (--watch-kill)")
            self._end_job()

    def _tell_new(self, found: Iterable[WatchFinding]) -> bool:
        new = [finding for finding in found if finding.key not in self._told]
        for finding in new:
            self._told[finding.key] = finding
            for line in in_words(finding):
                self._say(line)
            self._write(to_json(finding))
        return bool(new)

    def _tell_what_is_over(self, found: Iterable[WatchFinding]) -> None:
        """Whoever was late and has come was slow."""
        there = {(one.ranks, one.group, one.number) for one in found}
        for key, finding in list(self._told.items()):
            if finding.kind not in ("missing", "slow", "inside", "not-completed"):
                continue
            if (finding.ranks, finding.group, finding.number) in there:
                continue
            del self._told[key]
            at_most = finding.waited + max(self._options.limit, 1.0)
            self._say(
                f"the job goes on: {finding.call} no. {finding.number} was slow, no more; somebody "
                f"waited {seconds(finding.waited)} to {seconds(at_most)}"
            )
            self._write({"kind": "goes-on", "call": finding.call, "number": finding.number})

    def _write(self, line: dict[str, Any]) -> None:
        if self._options.output is not None:
            with suppress(OSError), open(self._options.output, "a") as file:  # noqa: PTH123
                file.write(json.dumps(line) + "\n")


def _is_wrong(finding: WatchFinding) -> bool:
    return finding.kind not in ("slow", "inside")


def main(folder: Path, options: Options) -> None:
    """Watches until the job or the parent process has ended."""
    side = JobSide(folder)
    parent = os.getppid()

    def end_job() -> None:
        (folder / "killed").touch()
        os.kill(parent, signal.SIGTERM)
        sys.exit()

    def say(line: str) -> None:
        print(f"laneway: {line}", file=sys.stderr, flush=True)

    watch = Watch(side, options, say, end_job)
    pause = min(max(options.limit / 40, 0.05), 1.0)
    while side.goes_on() and not select.select([sys.stdin], [], [], pause)[0]:
        watch.look()
    if side.goes_on():  # the job has ended, and its files are there yet
        watch.check()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Options(**json.loads(sys.argv[2])))
