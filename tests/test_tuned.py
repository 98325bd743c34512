# SPDX-License-Identifier: BSD-3-Clause
"""The settings' choice as a contestant: `tuned`, in the benchmark and in `laneway compare`."""

import json

import pytest

from commands import laneway
from jobs import BUILDS
from laneway.interposition.announcement import announcement
from laneway.libraries import native, profile

RULES = "laneway profile 1\nbcast bytes=4K.. use lane\n"
WORDS = ("--cluster", "none", "--nodes", 2, "--ppn", 2, "--runs", 1, "--time", 0.01)


@pytest.mark.parametrize("build", BUILDS)
def test_rows_of_tuned_tell_what_served(build, tmp_path):
    own = tmp_path / "own.conf"
    own.write_text(RULES)
    said = laneway(
        *("compare", "bcast", "scan", *WORDS, "-m", "1K,4K", "--algorithm", "native,tuned"),
        *("--profile", own, "--mpi", build.id, "--json", "--out", tmp_path / "rows"),
    )
    assert said.returncode == 0, said.stderr
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    served = {(row["collective"], row["bytes"]): row["served_by"] for row in rows
              if row["algorithm"] == "tuned"}  # fmt: skip
    assert served == {
        ("bcast", 1024): "native", ("bcast", 4096): "lane",
        ("scan", 1024): "native", ("scan", 4096): "native",
    }  # fmt: skip
    assert all(row["ratio_to_native"] for row in rows)


@pytest.mark.parametrize("build", BUILDS)
def test_what_a_profile_leaves_open_is_served_as_for_programs(build, tmp_path):
    own = tmp_path / "own.conf"
    own.write_text("laneway profile 1\nbcast bytes=1M use chain\n")
    shape = profile.CommunicatorShape(4, 4, 2)
    settings = {**profile.alone([own]), "LANEWAY_LANES": "2"}
    served = {
        size: profile.show(build, shape, "bcast", size, settings)["algorithm"]
        for size in ("256K", "1M")
    }
    brought = profile.standing(build, shape, "bcast", 256 << 10)
    assert served == {"256K": brought.partition("(")[0], "1M": "chain"}
    assert brought != "native"


def test_a_damaged_profile_is_refused_before_anything_is_measured(tmp_path):
    own = tmp_path / "own.conf"
    own.write_text("laneway profile 1\nbcast use nothing\n")
    said = laneway("compare", "bcast", *WORDS, "--profile", own, "--out", tmp_path / "rows")
    assert said.returncode == 2
    assert f"{own}:2: no bcast algorithm 'nothing'" in said.stderr
    assert not (tmp_path / "rows").exists()


def test_exec_says_what_chooses(tmp_path):
    build = native.installed()[0]
    profile = tmp_path / "own.conf"
    profile.write_text(RULES.replace("profile 1\n", "profile 1\ntuned 2026-11-20\n"))
    nothing = {"LANEWAY_DEFAULT": "off", "LANEWAY_PROFILE_DIR": ""}
    assert "no profile, all calls are native" in announcement(build, nothing)
    assert "--lanes" not in announcement(build, nothing), "it would change nothing"
    assert "say --lanes 2" in announcement(build, {"LANEWAY_PROFILE_DIR": ""})
    one = announcement(build, {**nothing, "LANEWAY_PROFILE": str(profile)})
    assert one == f"laneway: profile {profile}, 1 rule, tuned 2026-11-20"
    learns = announcement(build, {**nothing, "LANEWAY_LEARN": "data"})
    assert learns.endswith("learning from collectives without sums while the program runs")
    forced = announcement(build, {**nothing, "LANEWAY_ALGORITHM": "bcast=lane"})
    assert forced == "laneway: bcast=lane at all sizes"
    for quiet in ({"LANEWAY": "off"}, {"LANEWAY_ADVISE": "1"}, {"LANEWAY_PROFILE": "missing"}):
        assert announcement(build, {**nothing, **quiet}) == ""
    default = announcement(build, {"LANEWAY_PROFILE_DIR": "", "LANEWAY_LANES": "2"})
    assert default.startswith("laneway: built-in choices, ")
    assert default.endswith("; `laneway tune` does better")
    found = announcement(build, {"LANEWAY_PROFILE_DIR": "", "LANEWAY_EMULATED_LANES": "2"})
    assert found == default.replace(
        "laneway: ", "laneway: 2 lanes a node (emulated cluster); ", 1
    ), "by which number it chooses, where nobody has said it"
    auto = announcement(build, {"LANEWAY_PROFILE_DIR": "", "LANEWAY_EMULATED_LANES": "2",
                                "LANEWAY_LANE_WEIGHTS": "auto"})  # fmt: skip
    assert "; what lanes carry is found while the program runs; " in auto
    one_lane = announcement(build, {"LANEWAY_PROFILE_DIR": "", "LANEWAY_EMULATED_LANES": "1"})
    assert "1 lane a node" in one_lane
    assert "--lanes" not in one_lane
    both = announcement(build, {"LANEWAY_PROFILE": str(profile), "LANEWAY_LANES": "2",
                                "LANEWAY_PROFILE_DIR": ""})  # fmt: skip
    assert "does better" not in both, "somebody has tuned"


def test_exec_says_what_was_predicted(tmp_path):
    build = native.installed()[0]
    folder = tmp_path / "laneway" / "predicted"
    folder.mkdir(parents=True)
    profile = folder / "some.conf"
    profile.write_text(
        RULES.replace("\n", "\n# machine: /home/of me/mine.toml\npredicted 2026-11-25\n", 1)
    )
    variables = {"XDG_CONFIG_HOME": str(tmp_path), "LANEWAY_LANES": "1"}
    assert announcement(build, variables) == (
        f"laneway: profile {profile}, 1 rule, predicted 2026-11-25 for mine; "
        "`laneway tune` does better"
    )
    assert "no profile" in announcement(build, {**variables, "LANEWAY_DEFAULT": "off"})
