# SPDX-License-Identifier: BSD-3-Clause
"""The example campaigns on the emulated cluster: what their verdicts are worth."""

from pathlib import Path

import pytest

from jobs import ROOT
from laneway.campaign import Folder, measure
from laneway.campaign.status import status
from laneway.cluster.cluster import ClusterError
from laneway.errors import Problem
from laneway.guideline import GuidelineVerdict, judge_rows
from laneway.plans import plan_file as plans

from .conftest import Quiet

PLANS = sorted((ROOT / "examples" / "campaigns").glob("*.toml"))


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_the_example_plans_are_understood(path):
    file, text = plans.read(path)
    assert file.points
    assert f"campaign run examples/campaigns/{path.name}" in text or "verify --run" in text


def carried_out(name: str, folder: Path) -> Folder:
    file, text = plans.read(ROOT / "examples" / "campaigns" / name)
    try:
        with plans.settled(file, pytest.skip) as plan:
            result = measure(plan, folder, Quiet(), text=text)
    except (Problem, ClusterError) as error:
        pytest.skip(f"no cluster here: {error}")
    assert not result.failures
    return Folder(folder)


@pytest.mark.timed
@pytest.mark.timeout(3600)
def test_the_same_is_rarely_called_different_and_what_is_planted_is_found(tmp_path):
    folder = carried_out("a-a.toml", tmp_path / "rows")
    planted = {row["block"].split("/delay")[0] for row in folder.rows()
               if row["kind"] == "sample" and row.get("delay")}  # fmt: skip
    assert len(planted) == 10
    found = {f"{each.collective}/{each.count}": each for each in judge_rows(folder.rows())
             if each.guideline == "native <= native#b"}  # fmt: skip
    slowed = {name for name in found if any(each.startswith(f"{name}/") for each in planted)}
    same = [found[name] for name in found.keys() - slowed]
    assert len(same) == 200
    assert sum(each.verdict is GuidelineVerdict.VIOLATED for each in same) <= 10
    verdicts = [found[name].verdict for name in slowed if found[name].left_us > 2000]
    assert verdicts.count(GuidelineVerdict.VIOLATED) >= 0.8 * len(verdicts)
    assert GuidelineVerdict.HOLDS not in verdicts


@pytest.mark.timed
@pytest.mark.timeout(3600)
def test_a_campaign_starts_the_launcher_once_a_run(tmp_path):
    found = status(carried_out("ten.toml", tmp_path / "rows"))
    assert (found.done, found.launches) == (600, 5)
    assert found.seconds < 1.2 * found.timed_seconds, "what is not timed costs little"
