# SPDX-License-Identifier: BSD-3-Clause
"""What `laneway exec` says before a job: by what its calls will be chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from laneway.libraries import profile
from laneway.libraries.native import NativeBuild
from laneway.units import counted

_DATE = re.compile(r"^# (\d{4}-\d\d-\d\d)T[\d:]+\S*: laneway (\w+)", re.MULTILINE)


def announcement(build: NativeBuild, variables: Mapping[str, str]) -> str:
    """In one line, for the variables of a job; empty where there is nothing to be chosen.

    What is wrong with profiles the library says itself.
    """
    if variables.get("LANEWAY") == "off" or variables.get("LANEWAY_ADVISE") == "1":
        return ""
    facts = profile.used(build, variables)
    if any("error" in fact or "remark" in fact for fact in facts):
        return ""
    told = [_told(Path(fact["file"]), fact["rules"]) for fact in facts]
    if forced := variables.get("LANEWAY_ALGORITHM"):
        told.append(f"{forced} at all sizes")
    if variables.get("LANEWAY_REPRODUCIBLE") == "1":
        told.append("reductions by reproducible algorithms")
    if told:
        return f"laneway: {'; '.join(told)}"
    # What Laneway brings is for nodes with several lanes, as far as that is known.
    unknown = "LANEWAY_LANES" not in variables and variables.get("LANEWAY_DEFAULT") != "off"
    lanes = "; where nodes have two network lanes, say --lanes 2" if unknown else ""
    return (
        "laneway: no profile, all calls are native; `laneway tune` makes one for this machine"
        + lanes
    )


def _told(file: Path, rules: int) -> str:
    """A profile, its rules, and when it was tuned, as far as it says so."""
    if file.parent.parts[-3:] == ("share", "laneway", "profiles"):
        return f"built-in choices, {counted(rules, 'rule')} ({file}); `laneway tune` does better"
    try:
        found = _DATE.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    how = "tuned" if found and found[2] == "tune" else "measured"
    when = f", {how} {found[1]}" if found else ""
    return f"profile {file}, {counted(rules, 'rule')}{when}"
