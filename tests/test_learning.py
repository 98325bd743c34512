# SPDX-License-Identifier: BSD-3-Clause
"""`laneway exec --learn`: what a job learns of its own calls, and what stays of it.

MPI's clock says what the tests want algorithms to take (learning.c), so that nothing depends on the
machine's.
"""

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from applications import well
from commands import laneway
from jobs import BUILDS, run
from laneway.errors import Misuse
from laneway.interposition import exec as execution
from laneway.libraries import native

LANE_WINS = "lane=1,native=3"
"""Milliseconds; other algorithms take 5."""

LEARNS = {"LANEWAY_LEARN": "1", "LANEWAY_NODE_SIZE": "2", "LANEWAY_DEFAULT": "on"}

RULE = re.compile(
    r"allreduce ranks=4 nodes=2 ppn=2 lanes=1 bytes=16384\.\.32767 "
    r"learned=\d{4}-\d\d-\d\d calls=\d+ gain=\d\.\d\d\.\.\d\.\d\d use lane"
)


@pytest.fixture
def one():
    """One of the builds, where all do alike."""
    return native.installed()[0]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The user's folder of settings, in which jobs of this test write."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def learn(compiled, build, *words, ranks=4, **settings):
    """A job of learning.c that ends well; how many calls each algorithm served, and the last."""
    program = compiled(build, "learning.c", "-rdynamic")
    outcome = run(build, ranks, [program, *words], **{**LEARNS, **settings})
    served = re.findall(r"served (\S+) (\d+)", well(outcome))
    (last,) = re.findall(r"last (\S+)", outcome.output)
    return {name: int(calls) for name, calls in served}, last, outcome


def learnt(home: Path) -> list[str]:
    """The rules that jobs have left."""
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    lines = file.read_text().splitlines()
    assert lines[0] == "laneway profile 1"
    return [line for line in lines if " use " in line]


def from_that(home: Path, rule: str) -> None:
    """Writes a rule as if a job had learnt it."""
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    header = [line for line in file.read_text().splitlines() if " use " not in line]
    file.write_text("\n".join([*header, rule, ""]))


@pytest.mark.parametrize("build", BUILDS)
def test_the_fastest_serves_and_the_next_job_begins_with_it(compiled, build, home):
    served, last, _ = learn(compiled, build, 400, LANE_WINS)
    assert last == "lane"
    assert served["lane"] > 300
    assert served["native"] < 50
    assert sum(served.values()) == 400
    (rule,) = learnt(home)
    assert RULE.fullmatch(rule)

    served, last, _ = learn(compiled, build, 100, LANE_WINS)
    assert served == {"lane": 100}
    assert learnt(home) == [rule]

    served, _, _ = learn(compiled, build, 100, LANE_WINS, LANEWAY_LEARN="0")
    assert served == {"lane": 100}


def test_what_is_slower_than_native_never_serves_in_the_end(compiled, one, home):
    served, last, _ = learn(compiled, one, 400, "native=1,lane=1.5")
    assert last == "native"
    assert served["native"] > 350
    (rule,) = learnt(home)
    assert rule.endswith("use native")
    assert "gain" not in rule


@pytest.mark.parametrize("build", BUILDS)
def test_lateness_is_not_learnt(compiled, build, home):
    served, last, _ = learn(compiled, build, 600, LANE_WINS, "late")
    assert last == "lane"
    assert served["lane"] > 450
    assert RULE.fullmatch(learnt(home)[0])


def test_what_becomes_slower_is_replaced_within_200_calls(compiled, one, home):
    served, last, _ = learn(compiled, one, 800, LANE_WINS, "drift")
    assert last == "native"
    assert served["native"] > 200
    assert learnt(home)[0].endswith("use native")


def test_what_an_earlier_job_has_learnt_is_checked(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    served, last, _ = learn(compiled, one, 600, "native=1,lane=3")
    assert last == "native"
    assert served["lane"] > 200
    assert learnt(home)[0].endswith("use native")


def test_the_leader_serves_while_a_new_race_waits(compiled, one, home):
    """Calls take so long that turns of a race are beyond the budget for a while."""
    costs = "lane=200,lane_segmented=9000,rabenseifner=9000,hierarchical=9000,native=6000"
    served, last, _ = learn(compiled, one, 800, costs, "drift")
    assert last == "lane"
    assert served["lane"] > 700


def test_a_rule_of_who_knows_more_stays(compiled, one, home):
    """The other communicator has forgotten it, but has seen less."""
    costs = "lane=1,lane_segmented=90,rabenseifner=90,native=30"
    learn(compiled, one, 100, costs, "two")
    (rule,) = learnt(home)
    assert rule.endswith("use lane")


@pytest.mark.parametrize("build", BUILDS)
def test_calls_that_do_not_meet_learn_in_those_that_do(compiled, build, home):
    served, last, _ = learn(compiled, build, 600, "hierarchical=1,native=3", "bcast")
    assert last == "hierarchical"
    assert served["hierarchical"] > 400
    assert {rule.split()[0] for rule in learnt(home)} == {"barrier", "bcast"}


def learn_forms(compiled, build, *words, **settings):
    """A job of learning_forms.c under the preload that ends well, as `learn` tells of it."""
    program = compiled(build, "learning_forms.c", "-rdynamic", "-ldl", with_laneway=False)
    outcome = run(build, 4, [program, *words], preload=[build.preload], **{**LEARNS, **settings})
    served = re.findall(r"served (\S+) (\d+)", well(outcome))
    (last,) = re.findall(r"last (\S+)", outcome.output)
    return {name: int(calls) for name, calls in served}, last


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("scene", "target"),
    [
        ("isum", "iallreduce"),
        ("ireduce", "ireduce"),
        ("burst", "iallreduce"),
        ("late", "iallreduce"),
        ("freed", "iallreduce"),
        ("gatherv", "gatherv"),
        ("alltoallv", "alltoallv"),
    ],
)
def test_every_form_is_learnt(compiled, build, home, scene, target):
    calls = 1200 if scene == "burst" else 600
    served, last = learn_forms(compiled, build, calls, LANE_WINS, scene)
    assert last == "lane"
    assert served["lane"] > calls / 2
    bytes_ = "" if target.endswith("v") else r"bytes=16384\.\.32767 "
    learned = r"learned=\S+ calls=\d+ gain=\S+ use lane"
    rule = re.compile(rf"{target} ranks=4 nodes=2 ppn=2 lanes=1 {bytes_}{learned}")
    assert any(map(rule.fullmatch, learnt(home))), learnt(home)
    served, _ = learn_forms(compiled, build, 30, LANE_WINS, scene)
    assert served["lane"] >= 24


@pytest.mark.parametrize("build", BUILDS)
def test_a_request_that_lasts_stops_nobody(compiled, build, home):
    served, last = learn_forms(compiled, build, 400, LANE_WINS, "never")
    assert sum(served.values()) == 400
    assert last != "none"


@pytest.mark.parametrize("build", BUILDS)
def test_threads_learn_of_nonblocking_calls(compiled, build, home):
    learn_forms(compiled, build, 200, LANE_WINS, "threads")


def test_nonblocking_sums_are_left_alone_where_data_alone_are_learnt(compiled, one, home):
    served, _ = learn_forms(compiled, one, 200, LANE_WINS, "isum", LANEWAY_LEARN="data")
    assert served == {"native": 200}


@pytest.mark.parametrize("build", BUILDS)
def test_communicators_that_live_shortly_share_what_they_learn(compiled, build, home):
    served, last, _ = learn(compiled, build, 600, LANE_WINS, "short")
    assert last == "lane"
    assert served["lane"] > 450
    assert len(learnt(home)) == 1


@pytest.mark.parametrize("build", BUILDS)
def test_processes_that_have_learnt_different_things_agree(compiled, build, home):
    costs = "rabenseifner=1,native=4"  # on the other half native takes 2, and all else less
    served, last, _ = learn(compiled, build, 800, costs, "differ", ranks=8, LANEWAY_NODE_SIZE="4")
    assert sum(served.values()) == 800
    assert last != "none"


@pytest.mark.parametrize("build", BUILDS)
def test_threads_learn_on_communicators_of_their_own(compiled, build, home):
    learn(compiled, build, 0, LANE_WINS, "threads")
    assert len(learnt(home)) <= 1


def test_data_alone_leaves_sums_alone(compiled, one, home):
    served, _, _ = learn(compiled, one, 200, LANE_WINS, LANEWAY_LEARN="data")
    assert served == {"native": 200}
    costs = "hierarchical=1,native=3"
    for scene in ("bcast", "beside"):  # all meet in a call that is learnt, or in one that is not
        _, last, _ = learn(compiled, one, 400, costs, scene, LANEWAY_LEARN="data")
        assert last == "hierarchical"


@pytest.mark.parametrize(
    ("setting", "serves"),
    [({"LANEWAY_ALGORITHM": "allreduce=ring"}, "ring"), ({"LANEWAY_REPRODUCIBLE": "1"}, None)],
)
def test_what_somebody_has_said_goes_before_what_is_learnt(compiled, one, home, setting, serves):
    served, last, _ = learn(compiled, one, 200, LANE_WINS, **setting)
    assert served == {last: 200}
    assert last != "native"
    assert serves in (None, last)
    assert not (home / "laneway").exists()


def test_a_written_profile_goes_before_what_is_learnt(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    (home / "laneway" / "mine.conf").write_text("laneway profile 1\nallreduce use ring\n")
    served, _, _ = learn(compiled, one, 200, LANE_WINS)
    assert served == {"ring": 200}


def test_without_learning_nothing_is_kept(compiled, one, home):
    served, _, _ = learn(compiled, one, 200, LANE_WINS, LANEWAY_LEARN="0")
    assert served == {"native": 200}
    assert not (home / "laneway").exists()


def test_other_rules_that_were_learnt_stay(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    other = "bcast ranks=8 nodes=2 ppn=4 lanes=2 bytes=0 learned=2026-01-02 calls=9 use lane"
    from_that(home, other)
    learn(compiled, one, 400, LANE_WINS)
    rules = learnt(home)
    assert len(rules) == 2
    assert other in rules


def test_choices_say_from_how_many_calls_they_were_learnt(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    shape = ["--bytes", "16384", "--nodes", "2", "--ppn", "2", "--mpi", one.id]
    told = laneway("explain", "choice", "allreduce", *shape, **LEARNS)
    assert told.returncode == 0, told.stderr
    assert re.search(
        r"lane\nby .*/learned/\S+:\d+\n  learnt on \d{4}-\d\d-\d\d from \d+ calls: "
        r"\d\.\d\d to \d\.\d\d times as fast as native",
        told.stdout,
    )


def test_a_gain_that_few_turns_speak_for_is_not_told(compiled, one, home):
    """Native is so slow in the check of what is known that it leaves after two rounds."""
    learn(compiled, one, 400, LANE_WINS)
    _, last, _ = learn(compiled, one, 600, "lane=1,native=30")
    assert last == "lane"
    (rule,) = learnt(home)
    assert "calls=" in rule
    assert "gain" not in rule


@pytest.mark.parametrize("gain", ["0.00..148413159.10", "0.01..2.00"])
def test_a_gain_that_says_nothing_in_an_earlier_file_is_passed_over(compiled, one, home, gain):
    learn(compiled, one, 400, LANE_WINS)
    (rule,) = learnt(home)
    from_that(home, re.sub(r"gain=\S+", f"gain={gain}", rule))
    shape = ["--bytes", "16384", "--nodes", "2", "--ppn", "2", "--mpi", one.id]
    told = laneway("explain", "choice", "allreduce", *shape, **LEARNS)
    assert told.returncode == 0, told.stderr
    assert re.search(r"lane\nby .*\n  learnt on \S+ from \d+ calls$", told.stdout, re.MULTILINE)
    served, _, _ = learn(compiled, one, 100, LANE_WINS)
    assert served == {"lane": 100}


# ---- what may go wrong with the file --------------------------------------------------------


def test_no_home_is_no_harm(compiled, one, monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME")
    _, last, outcome = learn(compiled, one, 400, LANE_WINS)
    assert last == "lane"
    assert "not kept" not in outcome.errors


@pytest.mark.parametrize("what", ["a file for the folder", "a folder", "a link", "another user's"])
def test_what_is_there_stays_as_it_is(compiled, one, home, what):
    learn(compiled, one, 400, LANE_WINS)
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    text, elsewhere = file.read_text(), home / "elsewhere"
    if what == "a file for the folder":
        (home / "laneway").rename(elsewhere)
        (home / "laneway").write_text("mine")
    elif what == "a folder":
        file.unlink()
        file.mkdir()
    elif what == "a link":
        file.rename(elsewhere)
        file.symlink_to(elsewhere)
    else:
        if os.geteuid() != 0:
            pytest.skip("root alone gives files away")
        os.chown(file, 12345, 12345)
    served, last, outcome = learn(compiled, one, 600, "native=1,lane=3")
    assert sum(served.values()) == 600
    assert last == "native"
    assert outcome.errors.count("what was learnt is not kept in") == 1
    if what == "a file for the folder":
        assert (home / "laneway").read_text() == "mine"
    elif what == "a folder":
        assert list(file.iterdir()) == []
    else:
        assert file.is_symlink() == (what == "a link")
        assert file.read_text() == text


def test_a_full_disk_leaves_the_file_as_it_was(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    text = file.read_text()
    program = compiled(one, "learning.c", "-rdynamic")
    limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@" | cat', "sh", program]
    outcome = run(one, 4, [*limited, 600, "native=1,lane=3"], **LEARNS)
    assert "last native" in well(outcome)
    assert file.read_text() == text
    assert [each.name for each in file.parent.iterdir() if each.name != ".lock"] == [file.name]


def test_a_job_that_is_killed_leaves_the_file_whole(compiled, one, home):
    """The beginning of a new file that it has left does not stop the next one."""
    learn(compiled, one, 400, LANE_WINS)
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    text = file.read_text()
    half = file.with_name(f".{file.name}.new")
    half.write_text(text[:20])
    served, _, _ = learn(compiled, one, 100, LANE_WINS)
    assert served == {"lane": 100}
    assert file.read_text() == text
    learn(compiled, one, 600, "native=1,lane=3")
    assert learnt(home)[0].endswith("use native")
    assert not half.exists()


def test_a_file_that_is_locked_is_not_waited_for(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    text = file.read_text()
    with subprocess.Popen(
        ["flock", file.parent / ".lock", "sh", "-c", "echo; sleep 600"], stdout=subprocess.PIPE
    ) as holder:
        holder.stdout.read(1)
        _, last, outcome = learn(compiled, one, 600, "native=1,lane=3")
        holder.terminate()
    assert last == "native"
    assert "another job is writing there" in outcome.errors
    assert file.read_text() == text


def test_a_damaged_file_is_written_anew(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    file.write_text("laneway profile 1\nallreduce use nothing\n")
    _, last, outcome = learn(compiled, one, 400, LANE_WINS)
    assert last == "lane"
    assert "what is said there is left out" in outcome.errors
    assert RULE.fullmatch(learnt(home)[0])


def test_nobody_else_reads_or_changes_the_file(compiled, one, home):
    learn(compiled, one, 400, LANE_WINS)
    (file,) = (home / "laneway" / "learned").glob("*.conf")
    assert not file.stat().st_mode & (stat.S_IWOTH | stat.S_IXUSR)


# ---- the command ----------------------------------------------------------------------------


def test_the_command_says_what_is_learnt():
    learns = execution.Settings(learn="all").variables()
    assert learns == {"LANEWAY_LEARN": "1"}
    data = execution.Settings(learn="data", reproducible=True).variables()
    assert data == {"LANEWAY_LEARN": "data", "LANEWAY_REPRODUCIBLE": "1"}
    with pytest.raises(Misuse, match="--learn=data"):
        execution.Settings(learn="all", reproducible=True).variables()


@pytest.mark.parametrize(
    ("words", "setting"), [(["--learn"], "1"), (["--learn=data"], "data"), ([], None)]
)
def test_options_reach_the_settings(words, setting, one):
    told = laneway("env", *words, "--mpi", one.id)
    assert told.returncode == 0, told.stderr
    found = re.search(r"LANEWAY_LEARN=(\S+)", told.stdout)
    assert (found and found[1]) == setting


def test_a_setting_that_is_none_is_said(compiled, one, home):
    served, _, outcome = learn(compiled, one, 20, LANE_WINS, LANEWAY_LEARN="maybe")
    assert served == {"native": 20}
    assert "LANEWAY_LEARN: 'maybe' is neither '1' nor '0'" in outcome.errors
