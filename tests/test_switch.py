# SPDX-License-Identifier: BSD-3-Clause
"""The switch of an emulated cluster: what of it needs no clock and no sockets (tests/switch).

tests/cluster/test_motion.py has the rest.
"""

import subprocess

import pytest

from jobs import check_program
from laneway import native
from laneway.cluster.switch import Kept

NAME = "laneway-switch-check"


def _cases():
    for build in native.installed()[:1]:
        try:
            program = check_program(build, name=NAME)
        except pytest.skip.Exception:
            return []
        said = subprocess.run([program], capture_output=True, text=True, check=True, timeout=20)
        return said.stdout.splitlines()
    return []


@pytest.mark.parametrize("case", _cases())
def test_parts_of_the_switch(case):
    program = check_program(native.installed()[0], name=NAME)
    ran = subprocess.run([program, case], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _kept(classes, **more):
    frames = sum(count for _, count in classes)
    facts = {"late_ns": 0, "worst_ns": 0, "most_held_bytes": 0, "dropped": (0, 0), "realtime": True}
    return Kept(frames=frames, classes=tuple(classes), **{**facts, **more})


def test_what_the_switch_answers_is_read():
    answer = (
        '{"frames": 4, "late_ns": 40000, "worst_ns": 30000, "classes": [[1000, 3], [31000, 1]], '
        '"most_held_bytes": 7, "dropped": [0, 2], "realtime": false}'
    )
    kept = Kept.parse(answer)
    assert kept.to_json() == {
        "frames": 4,
        "late_mean_us": 10,
        "late_p99_us": 31,
        "late_worst_us": 30,
        "most_held_bytes": 7,
        "dropped": 2,
        "realtime": False,
    }
    assert kept.quantile_us(0.5) == 1
    assert "without real-time priority" in str(kept)


def test_what_was_kept_in_between():
    before = _kept([(10, 1), (20, 5)], late_ns=100, dropped=(1, 0))
    after = _kept([(10, 1), (20, 7), (3000, 2)], late_ns=500, dropped=(1, 3))
    between = after.since(before)
    assert between.classes == ((20, 2), (3000, 2))
    assert (between.frames, between.late_ns, between.dropped) == (4, 400, (0, 3))
    assert between.quantile_us(0.99) == 3
    assert after.since(after).mean_us == after.since(after).quantile_us(0.5) == 0
