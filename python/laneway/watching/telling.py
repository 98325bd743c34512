# SPDX-License-Identifier: BSD-3-Clause
"""Findings in words, and as objects of JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from laneway.units import counted
from laneway.watching.world import WatchFinding

_NOT_OURS = ("libc.so", "ld-linux", "libpthread")
_FRAMES = 4


def in_words(finding: WatchFinding) -> list[str]:
    """The lines that tell of a finding, a sentence or two each."""
    told = _WORDS[finding.kind](finding)
    return [told[0].upper() + told[1:], *_where(finding)]


def to_json(finding: WatchFinding) -> dict[str, Any]:
    """The finding as an object of JSON, with its words."""
    return {**dataclasses.asdict(finding), "words": " ".join(in_words(finding))}


def _call(finding: WatchFinding) -> str:
    where = communicator(finding.members, finding.made_by)
    return f"{finding.call} no. {finding.number} on {where}"


def communicator(members: Sequence[int], made_by: str) -> str:
    """A communicator by its processes and the call that made it."""
    if not made_by:
        return f"MPI_COMM_WORLD ({ranks(members)})"
    return f"the communicator of {ranks(members)} ({made_by})"


def ranks(members: Sequence[int]) -> str:
    """Ranks in a few words: `rank 3`, `ranks 0 to 15`, `ranks 0, 2, 4 to 7`."""
    if len(members) == 1:
        return f"rank {members[0]}"
    runs: list[list[int]] = []
    for rank in members:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    words = [
        str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}"
        for run in ([[one] for one in members] if len(members) == 2 else runs)
    ]
    if len(words) > 8:
        words = [*words[:8], "others"]
    return f"ranks {', '.join(words)}"


def seconds(value: float) -> str:
    """A time as people say it."""
    return f"{value:.0f} s" if value >= 10 else f"{value:.1f} s"


def _who(finding: WatchFinding) -> str:
    node = finding.detail.get("node")
    return ranks(finding.ranks) + (f" ({node})" if node else "")


def _others(finding: WatchFinding) -> str:
    others = [rank for rank in finding.waiting if rank not in finding.ranks]
    absent = len(finding.members) - len(finding.ranks)
    who = "the others have" if len(others) == absent and absent > 1 else f"{ranks(others)} has"
    if not who.startswith("the") and len(others) != 1:
        who = f"{ranks(others)} have"
    return f"{who} waited {seconds(finding.waited)}"


def _missing(finding: WatchFinding) -> str:
    told = f"{_who(finding)} is not in {_call(finding)}: {_others(finding)}"
    if finding.detail["is"] == "ended":
        return f"{told}; it has left MPI_Finalize"
    if finding.detail["is"] == "unknown":
        return f"{told}; nothing is known of it, as no node tells of such a process"
    return told


def _slow(finding: WatchFinding) -> str:
    return (
        f"{_who(finding)} is slow: it has not come to {_call(finding)} yet, and {_others(finding)}"
    )


def _dead(finding: WatchFinding) -> str:
    return f"{_who(finding)} is dead, and is not in {_call(finding)}: {_others(finding)}"


def _stopped(finding: WatchFinding) -> str:
    return (
        f"{_who(finding)} is stopped by a signal or a debugger, on the way to, or in, "
        f"{_call(finding)}: {_others(finding)}"
    )


def _not_completed(finding: WatchFinding) -> str:
    return (
        f"{_who(finding)} has begun {_call(finding)}, and neither waits for it nor tests it: "
        f"{_others(finding)}"
    )


def _inside(finding: WatchFinding) -> str:
    return (
        f"all processes are in {_call(finding)}, with arguments that match, for "
        f"{seconds(finding.waited)}: it is slow, or the MPI library or the network stands still"
    )


def _order(finding: WatchFinding) -> str:
    parts = [
        f"{ranks(part['ranks'])} in {part['call']} no. {part['number']} on "
        f"{communicator(part['members'], part['made_by'])}"
        for part in finding.detail["waits"]
    ]
    return (
        f"processes wait for each other on different communicators, for "
        f"{seconds(finding.waited)}: {'; '.join(parts)}"
    )


def _different(what: str, unit: str = "") -> Any:
    def words(finding: WatchFinding) -> str:
        values = "; ".join(
            f"rank {rank}: {_value(value)}{unit}"
            for rank, value in finding.detail["values"].items()
        )
        waits = f", which has waited {seconds(finding.waited)}" if finding.waiting else ""
        return f"{ranks(finding.ranks)}: {what} in {_call(finding)}{waits} ({values})"

    return words


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"{counted(len(value), 'block')} of {sum(value)} in all"
    return str(value)


_WORDS = {
    "missing": _missing,
    "slow": _slow,
    "dead": _dead,
    "stopped": _stopped,
    "not-completed": _not_completed,
    "inside": _inside,
    "order": _order,
    "different-collectives": _different("another collective"),
    "different-roots": _different("another root"),
    "different-counts": _different("another count", " B"),
    "different-types": _different("another type"),
    "different-operators": _different("another operator"),
}


def _where(finding: WatchFinding) -> list[str]:
    """Sentences on the process itself, where something is known of it."""
    detail = finding.detail
    lines = []
    if last := detail.get("last"):
        lines.append(
            f"Its last collective was {last['call']} no. {last['number']} on "
            f"{communicator(last['members'], last['made_by'])}, {seconds(last['age'])} ago."
        )
    if where := detail.get("in"):
        partner = "any rank" if where["partner"] < 0 else f"rank {where['partner']}"
        on = communicator(where["members"], where["made_by"])
        tag = "" if where["tag"] < 0 else f" with tag {where['tag']}"
        of = f", for a message of {partner}{tag} on {on}"
        lines.append(
            f"It has been in MPI_{where['function'].capitalize()} for {seconds(where['age'])}"
            f"{of if where['members'] else ''}."
        )
    elif detail.get("processor", 0) >= 0.05:
        share = min(100 * detail["processor"], 100)
        lines.append(f"It is outside MPI, and on a processor for {share:.0f} % of the time.")
    frames = [one for one in detail.get("stack", ()) if not any(name in one for name in _NOT_OURS)]
    if frames:
        lines.append(f"Its functions, from the innermost: {', '.join(frames[:_FRAMES])}.")
    return lines
