# SPDX-License-Identifier: BSD-3-Clause
"""The switch of an emulated cluster: the parts without clock and sockets (tests/switch).

tests/cluster/test_motion.py has the rest.
"""

import subprocess

import pytest

from jobs import check_unit, units
from laneway.cluster import links, shaper, switch
from laneway.cluster.spec import BURST, ClusterSpec
from laneway.cluster.switch import SwitchTiming
from laneway.libraries import native

NAME = "laneway-switch-check"


@pytest.mark.parametrize("case", units(NAME))
def test_parts_of_the_switch(case):
    check_unit(NAME, case)


WORDS = ("2", "2", "joint", "1000000", "1000", "100", "9000", "65856", "18432")


def _switch(*words):
    paths = [build.folder / "bin" / switch.NAME for build in native.installed()]
    built = [path for path in paths if path.exists()]
    if not built:
        pytest.skip("no native build is installed")
    return subprocess.run([built[0], *words], capture_output=True, text=True, check=False)


def test_it_is_told_what_to_carry():
    ran = _switch(*WORDS, "--check")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    told = _switch("--help")
    assert told.returncode == 0
    assert "NODES LANES FABRIC RATE LATENCY GAP FULL LONGEST BURST" in told.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "NODES is required"),
        (WORDS[:8], "BURST is required"),
        ((*WORDS, "7"), "not expected: 7"),
        ((*WORDS, "--chek"), "no option '--chek'; known: --check"),
        (("2", "2", "both", *WORDS[3:]), "FABRIC: 'both' is neither separate nor joint"),
        ((*WORDS[:3], "1e6", *WORDS[4:]), "RATE: '1e6' is no number"),
        (("2", "0", *WORDS[2:]), "LANES: '0' is not from 1 to "),
        ((*WORDS[:4], "-1", *WORDS[5:]), "LATENCY: '-1' is no number"),
    ],
)
def test_a_command_line_that_is_none_is_refused(words, said):
    ran = _switch(*words, "--check")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("laneway-switch: ")
    assert said in ran.stderr
    assert ran.stderr.endswith("; see --help\n")


def _kept(classes, **more):
    frames = sum(count for _, count in classes)
    facts = {"late_ns": 0, "worst_ns": 0, "most_held_bytes": 0, "dropped": (0, 0)}
    facts["scheduling"] = "SCHED_FIFO"
    return SwitchTiming(frames=frames, classes=tuple(classes), **{**facts, **more})


def test_what_the_switch_answers_is_read():
    answer = (
        '{"frames": 4, "late_ns": 40000, "worst_ns": 30000, "classes": [[1000, 3], [31000, 1]], '
        '"most_held_bytes": 7, "dropped": [0, 2], "scheduling": "SCHED_OTHER"}'
    )
    kept = SwitchTiming.parse(answer)
    assert kept.to_json() == {
        "frames": 4,
        "late_mean_us": 10,
        "late_p99_us": 31,
        "late_worst_us": 30,
        "most_held_bytes": 7,
        "dropped": 2,
        "realtime": False,
        "scheduling": "SCHED_OTHER",
    }
    assert kept.quantile_us(0.5) == 1


@pytest.mark.parametrize(
    ("policy", "ahead", "said"),
    [
        ("SCHED_DEADLINE", True, "by deadlines, ahead of everything else"),
        ("SCHED_FIFO", True, "FIFO, ahead of everything that has no deadlines"),
        ("SCHED_OTHER", False, "without priority"),
    ],
)
def test_how_it_is_scheduled_is_told(policy, ahead, said):
    kept = _kept([], scheduling=policy)
    assert str(kept).endswith(f"scheduled {said}")
    assert kept.to_json()["realtime"] is ahead
    assert kept.to_json()["scheduling"] == policy


def _words(**spec):
    if not native.installed():
        pytest.skip("no native build is installed")
    return switch.command(ClusterSpec(latency=10**6, **spec))


def test_connections_take_turns_of_a_full_frame():
    full, longest, burst = map(int, _words()[-3:])
    assert full == shaper.MTU + 14
    assert longest > links.GSO_MAX_SIZE
    assert burst == BURST


def test_a_switch_that_may_not_open_so_many_files_is_told_before_anything_is_made():
    words = _words(nodes=16, lanes=8)
    switch.check(["prlimit", "--nofile=20:1024", *words])
    said = r"128 lanes needs 144 open files; allowed are 100 \(`ulimit -Hn`\)"
    with pytest.raises(switch.SwitchError, match=said):
        switch.check(["prlimit", "--nofile=20:100", *words])


def test_what_was_kept_in_between():
    before = _kept([(10, 1), (20, 5)], late_ns=100, dropped=(1, 0))
    after = _kept([(10, 1), (20, 7), (3000, 2)], late_ns=500, dropped=(1, 3))
    between = after.since(before)
    assert between.classes == ((20, 2), (3000, 2))
    assert (between.frames, between.late_ns, between.dropped) == (4, 400, (0, 3))
    assert between.quantile_us(0.99) == 3
    assert after.since(after).mean_us == after.since(after).quantile_us(0.5) == 0
