# SPDX-License-Identifier: BSD-3-Clause
"""The words of `laneway exec` before a job on what its calls will be chosen by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from laneway.libraries import profile
from laneway.libraries.native import NativeBuild
from laneway.libraries.profile import Fact
from laneway.libraries.profile_header import header
from laneway.modelling.lane_weights import LaneWeights
from laneway.units import counted


def announcement(build: NativeBuild, variables: Mapping[str, str]) -> str:
    """The words in one line, for the variables of a job; empty where nothing is to be chosen.

    The library itself says what is wrong with profiles.
    """
    if variables.get("LANEWAY") == "off" or variables.get("LANEWAY_ADVISE") == "1":
        return ""
    facts = [fact for fact in profile.used(build, variables) if "left_out" not in fact]
    if any("error" in fact or "remark" in fact for fact in facts):
        return ""
    lanes = [
        f"{counted(fact['lanes'], 'lane')} a node ({_seen(fact['found'])}){_bound(fact)}"
        for fact in facts
        if "lanes" in fact
    ]
    lanes += [
        f"lanes that carry {LaneWeights(fact['weights'], fact.get('of_nodes', {}))}"
        for fact in facts
        if "weights" in fact
    ]
    if variables.get("LANEWAY_LANE_WEIGHTS") == "auto":
        lanes.append("what lanes carry is found while the program runs")
    files = [fact for fact in facts if "file" in fact]
    told = [_told(fact) for fact in files]
    if files and all(_is_unmeasured(fact) for fact in files):
        told[-1] += "; `laneway tune` does better"
    if (learnt := variables.get("LANEWAY_LEARN", "0")) not in ("", "0"):
        which = "collectives without sums" if learnt == "data" else "all collectives"
        told.append(f"learning from {which} while the program runs")
    if forced := variables.get("LANEWAY_ALGORITHM"):
        told.append(f"{forced} at all sizes")
    if variables.get("LANEWAY_REPRODUCIBLE") == "1":
        told.append("reductions by reproducible algorithms")
    if told:
        return f"laneway: {'; '.join([*lanes, *told])}"
    # Most of Laneway's algorithms are for nodes with several lanes, as far as that is known.
    if not lanes and "LANEWAY_LANES" not in variables and variables.get("LANEWAY_DEFAULT") != "off":
        lanes = ["where nodes have two network lanes, say --lanes 2"]
    native = f"no profile, {_served(build, variables)}; `laneway tune` makes one for this machine"
    return f"laneway: {'; '.join([native, *lanes])}"


def _served(build: NativeBuild, variables: Mapping[str, str]) -> str:
    """The words on what serves without profiles: only the job itself knows the cores it has."""
    cores = {"LANEWAY_CORES": "each", **variables}
    if any(profile.is_built_in(fact) for fact in profile.used(build, cores) if "file" in fact):
        return (
            "calls are native unless all processes are on one machine with a core for each, where "
            "there are built-in choices"
        )
    return "all calls are native"


def _seen(found: str) -> str:
    """The place where lanes were found: ranks look again, on their own nodes."""
    return found if found == "emulated cluster" else f"here {found}"


def _bound(fact: Fact) -> str:
    """The binding of the ranks, where it does not go without saying: all have all lanes."""
    binding = fact.get("binding")
    return "" if binding in (None, "all", "unknown") else f", binding {binding}"


def _is_unmeasured(fact: Fact) -> bool:
    """Whether nobody has measured on this machine what a profile says."""
    return profile.is_built_in(fact) or "predicted" in fact or "learned" in fact


def _told(fact: Fact) -> str:
    """A profile, its rules, and when it was tuned or predicted, as far as it says so."""
    file, rules = Path(fact["file"]), counted(fact["rules"], "rule")
    if "learned" in fact:
        return f"what earlier jobs have learnt, {rules} ({file})"
    if profile.is_built_in(fact):
        return f"built-in choices, {rules} ({file})"
    told = header(_text(file))
    if "predicted" in fact:
        whose = f" for {Path(told['machine']).stem}" if "machine" in told else ""
        return f"profile {file}, {rules}, predicted {fact['predicted']}{whose}"
    how = next((word for word in ("tuned", "measured") if word in told), "")
    return f"profile {file}, {rules}{f', {how} {told[how]}' if how else ''}"


def _text(file: Path) -> str:
    """The text of a profile; empty where it cannot be read: nothing is to be said of it then."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
