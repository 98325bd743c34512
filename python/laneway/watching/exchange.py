# SPDX-License-Identifier: BSD-3-Clause
"""How the nodes of a job are asked, and answer: files in its folder, which all of them see.

- `watch.json` says what the watch is to do, and is there before the job;
- `ask.json` is the latest question, with its number and the ranks whose stacks are wanted;
- `NODE/wait.json` has the seconds for which a process of the node waits by now;
- `NODE/found.json` is the node's answer, with the number of the question.

Each file is opened anew each time: so file systems of networks tell what is new.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laneway.watching.account import Account


@dataclass(frozen=True)
class NodeQuestion:
    """A question to all nodes."""

    number: int
    stacks: tuple[int, ...] = ()
    """Ranks whose functions are wanted."""


def _write(path: Path, value: Any) -> None:
    """Puts a file there in one step. Never makes a folder: that of a job that is over is gone."""
    whole = path.with_name(f".{path.name}-{os.getpid()}")
    with suppress(OSError):
        whole.write_text(json.dumps(value))
        whole.replace(path)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


class NodeSide:
    """The side of a node."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.limit = float((_read(folder.parent / "watch.json") or {}).get("limit", 60))
        self.pause = min(max(self.limit / 40, 0.05), 1.0)
        self._answered = -1
        self._told = 0.0

    def goes_on(self) -> bool:
        """Whether the job's folder is there."""
        return self._folder.is_dir()

    def tell_wait(self, longest: float) -> None:
        """Tells how long a process has waited, where somebody wants to know it by now."""
        if longest >= self.limit or self._told:
            self._told = longest if longest >= self.limit else 0.0
            _write(self._folder / "wait.json", {"longest": longest})

    def asked(self) -> NodeQuestion | None:
        """A question that is not answered yet."""
        read = _read(self._folder.parent / "ask.json")
        if read is None or read["number"] == self._answered:
            return None
        return NodeQuestion(read["number"], tuple(read["stacks"]))

    def answer(self, question: NodeQuestion, accounts: Sequence[Account]) -> None:
        """Answers a question."""
        told = [one.to_json() for one in accounts]
        _write(self._folder / "found.json", {"number": question.number, "accounts": told})
        self._answered = question.number


class JobSide:
    """The side of the one that asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, limit: float) -> None:
        """Says what the watch is to do, before the job begins."""
        _write(self.folder / "watch.json", {"limit": limit, "owner": os.getpid()})

    def goes_on(self) -> bool:
        """Whether the job's folder is there."""
        return self.folder.is_dir()

    def nodes(self) -> list[Path]:
        """The folders of the nodes whose processes have come."""
        with suppress(OSError):
            return sorted(one for one in self.folder.iterdir() if one.is_dir())
        return []

    def longest_wait(self) -> float:
        """Seconds for which some process waits, as far as nodes have told."""
        told = [_read(node / "wait.json") for node in self.nodes()]
        return max((one["longest"] for one in told if one), default=0.0)

    def ask(self, stacks: Sequence[int] = (), patience: float = 10.0) -> tuple[list[Account], int]:
        """All nodes' accounts, and the number of nodes that have not answered."""
        number = time.time_ns()
        _write(self.folder / "ask.json", {"number": number, "stacks": list(stacks)})
        end = time.monotonic() + patience
        nodes = self.nodes()
        answers: dict[Path, list[Account]] = {}
        while len(answers) < len(nodes) and time.monotonic() < end and self.goes_on():
            for node in nodes:
                read = None if node in answers else _read(node / "found.json")
                if read is not None and read["number"] == number:
                    answers[node] = [Account.from_json(one) for one in read["accounts"]]
            time.sleep(0.02)
        found = [one for accounts in answers.values() for one in accounts]
        return found, len(nodes) - len(answers)
