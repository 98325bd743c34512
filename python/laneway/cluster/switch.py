# SPDX-License-Identifier: BSD-3-Clause
"""The program laneway-switch, which takes the place of the bridges where lanes have a latency."""

from __future__ import annotations

import socket
import subprocess
from dataclasses import dataclass
from typing import Any

from laneway import helpers
from laneway.cluster.links import GSO_MAX_SIZE
from laneway.cluster.shaper import FULL_FRAME
from laneway.cluster.spec import ClusterSpec
from laneway.libraries import native

NAME = "laneway-switch"

_ADDRESS = f"\0{NAME}"
"""The address of the switch: a socket of the login node's network namespace, which is no file."""

_LONGEST = GSO_MAX_SIZE + 320
"""Bytes of the longest piece that a node sends, headers included."""

_TIMEOUT = 10.0

_POLICIES = {
    "SCHED_DEADLINE": "by deadlines, ahead of everything else",
    "SCHED_FIFO": "FIFO, ahead of everything that has no deadlines",
    "SCHED_OTHER": "without priority",
}
"""How the kernel's scheduler treats the switch, see sched(7)."""


class SwitchError(RuntimeError):
    """A switch that is not there; the message is for the user."""


def command(spec: ClusterSpec) -> list[str]:
    """The command line of a cluster's switch. Raises SwitchError where there is no such program."""
    programs = [build.folder / "bin" / NAME for build in native.described()]
    found = next((program for program in programs if program.exists()), None)
    if found is None:
        raise SwitchError(
            f"lanes with a latency or a gap need {NAME} of Laneway's native part: "
            f"{native.building()}"
        )
    numbers = (spec.rate, spec.latency, spec.gap, FULL_FRAME, _LONGEST, spec.burst)
    layout = (spec.nodes, spec.lanes, spec.fabric)
    return [str(found), *map(str, (*layout, *numbers))]


def check(argv: list[str]) -> None:
    """Raise SwitchError where this machine has no room for what that switch would need."""
    said = subprocess.run([*argv, "--check"], capture_output=True, text=True, check=False)
    if said.returncode:
        raise SwitchError(said.stderr.strip() or f"{NAME} was killed")


def start(argv: list[str]) -> int:
    """Start a switch in the calling process's network namespace; returns its pid when it is ready.

    It is a child of the caller, to be waited for.
    """
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
    )
    if process.stdout and process.stdout.readline():
        return process.pid
    raise SwitchError(process.communicate()[1].strip() or f"{NAME} was killed")


@dataclass(frozen=True)
class SwitchTiming:
    """How well a switch kept the times since it was started."""

    frames: int
    late_ns: int
    """Nanoseconds by which all frames together went out after they were due."""
    worst_ns: int
    classes: tuple[tuple[int, int], ...]
    """Classes of lateness: at most so many nanoseconds, and how many frames, in ascending order."""
    most_held_bytes: int
    dropped: tuple[int, ...]
    """Dropped frames by port: lane l of node i is number i * lanes + l."""
    scheduling: str
    """The policy of the kernel's scheduler under which it runs."""

    @classmethod
    def parse(cls, text: str) -> SwitchTiming:
        """The timing that the switch's answer tells."""
        found = helpers.answer(NAME, text)
        classes = tuple((bound, frames) for bound, frames in found.pop("classes"))
        return cls(classes=classes, dropped=tuple(found.pop("dropped")), **found)

    def since(self, before: SwitchTiming) -> SwitchTiming:
        """The timing after `before`; the worst is still that of the whole time."""
        earlier = dict(before.classes)
        grown = ((bound, frames - earlier.get(bound, 0)) for bound, frames in self.classes)
        return SwitchTiming(
            frames=self.frames - before.frames,
            late_ns=self.late_ns - before.late_ns,
            worst_ns=self.worst_ns,
            classes=tuple((bound, frames) for bound, frames in grown if frames),
            most_held_bytes=self.most_held_bytes,
            dropped=tuple(x - y for x, y in zip(self.dropped, before.dropped, strict=True)),
            scheduling=self.scheduling,
        )

    @property
    def realtime(self) -> bool:
        """Whether the switch runs ahead of ranks."""
        return self.scheduling != "SCHED_OTHER"

    @property
    def mean_us(self) -> float:
        """By how much a frame was late on average."""
        return self.late_ns / max(1, self.frames) / 1000

    def quantile_us(self, share: float) -> float:
        """By how much at most that share of the frames was late, to an eighth."""
        wanted, seen = share * self.frames, 0
        for bound, frames in self.classes:
            seen += frames
            if seen >= wanted:
                return bound / 1000
        return 0.0

    def to_json(self) -> dict[str, Any]:
        """The figures that are reported."""
        return {
            "frames": self.frames,
            "late_mean_us": round(self.mean_us, 1),
            "late_p99_us": round(self.quantile_us(0.99), 1),
            "late_worst_us": round(self.worst_ns / 1000, 1),
            "most_held_bytes": self.most_held_bytes,
            "dropped": sum(self.dropped),
            "realtime": self.realtime,
            "scheduling": self.scheduling,
        }

    def __str__(self) -> str:
        told = self.to_json()
        return (
            f"switch: {told['frames']} frames, late by {told['late_mean_us']:.0f} us on average, "
            f"{told['late_p99_us']:.0f} us at the 99th percentile, {told['late_worst_us']:.0f} us "
            f"at worst. {self.most_held_bytes} B under way at most; "
            f"scheduled {_POLICIES[self.scheduling]}"
        )


def ask() -> SwitchTiming:
    """The answer of the switch in the calling process's network namespace. Raises SwitchError."""
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(_TIMEOUT)
            asking.connect(_ADDRESS)
            with asking.makefile() as answer:
                return SwitchTiming.parse(answer.read())
    except (OSError, ValueError) as error:
        raise SwitchError(f"the switch does not answer: {error}") from error
