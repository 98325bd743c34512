# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns with a sham launcher: what is kept through kills, hangs, crashes and changes."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from click.testing import CliRunner

from laneway.campaign import Folder, environment, files, measure
from laneway.campaign.plan import CampaignPlan, parse
from laneway.campaign.status import status
from laneway.cli import cli
from laneway.cluster.spec import ClusterSpec
from laneway.errors import Misuse, Problem
from laneway.native import NativeBuild
from laneway.place import Place, Setting
from test_cli import sham_prefix

LAUNCHER = """#!{python} -S
import json, os, sys, time

given = dict(word[2:].split("=", 1) for word in sys.argv if word.startswith("--") and "=" in word)
run = int(given["run"])
behaviour = json.load(open({behaviour!r}))

def say(**row):
    print(json.dumps(row), flush=True)

with open({starts!r}, "a") as file:
    file.write(given.get("plan", "start") + "\\n")
say(kind="environment", run=run, library_version=behaviour.get("library", "Sham 1.0.1"),
    library="Sham 1.0", ranks=4, nodes=2, ppn=2, settings={{}},
    hosts=sorted(behaviour.get("hosts", [["a"]])[(run - 1) % len(behaviour.get("hosts", [0]))] * 4),
    hardware=behaviour.get("hardware", {{}}))
if "--start" in sys.argv:
    now = time.time() * 1e6
    say(kind="start", run=run, ranks=4, nodes=2, ppn=2, library="Sham 1.0", main_first_us=now - 4,
        main_last_us=now - 3, init_first_us=now - 2, init_last_us=now)
    sys.exit()
blocks = [line.split() for line in open(given["plan"])]
for number, (name, *words) in enumerate(blocks):
    own = dict(word[2:].split("=", 1) for word in words)
    for repetition in range(int(given["repetitions"])):
        for algorithm in own["algorithm"].split(","):
            time.sleep(behaviour.get("seconds", 0))
            say(kind="sample", run=run, block=name, collective=own["collective"],
                algorithm=algorithm, count=int(own["count"]), datatype=own["datatype"],
                bytes=4 * int(own["count"]), served_by=algorithm, nodes=2, ppn=2, lanes=None,
                library="Sham 1.0", binding="all", repetition=repetition, time_us=100.5)
    what = behaviour.get("at", {{}}).get(f"{{own['collective']}} {{own['count']}}")
    if what == "hang":
        time.sleep(100)
    if what == "crash":
        print("the reason", file=sys.stderr)
        os._exit(9)
    say(kind="block", run=run, block=name, samples=1, seconds=0.1, timed_s=0.1)
    say(kind="progress", run=run, done=number + 1, total=len(blocks))
"""

PLAN = """
name = "sham"
[[points]]
collectives = ["bcast", "allreduce"]
algorithms = ["native", "native#b"]
counts = [1, 10, 100]
[repeat]
runs = 3
repetitions = 4
silence = {silence}
"""

POINTS = [*product(("bcast", "allreduce"), (1, 10, 100))]


class Quiet:
    """An observer that keeps what it was told."""

    def __init__(self):
        self.told = []

    def begin(self, run):
        pass

    def advance(self, done):
        self.told.append(done)

    def end(self, run, seconds):
        pass


class Sham:
    """A campaign whose launcher is a script."""

    def __init__(self, path: Path, plan=PLAN, silence=30):
        path.mkdir(exist_ok=True)
        self.path = path
        self.folder = Folder(path / "results")
        self.text = plan.format(silence=silence)
        mpirun = path / "mpirun"
        mpirun.write_text(LAUNCHER.format(python=sys.executable, starts=str(path / "starts"),
                                          behaviour=str(path / "behaviour")))  # fmt: skip
        mpirun.chmod(0o755)
        self.build = NativeBuild("openmpi-9.0", "openmpi", "9.0.1", "Sham 1.0", Path("mpicc"),
                                 mpirun, path / "openmpi-9.0")  # fmt: skip
        self.behave()

    def behave(self, **behaviour):
        (self.path / "behaviour").write_text(json.dumps(behaviour))

    @property
    def plan(self):
        return CampaignPlan(parse(self.text, "plan"), [self.build], [Setting(Place(2, 2))])

    def measure(self, **options):
        return measure(self.plan, self.folder.path, Quiet(), text=self.text, **options)

    @property
    def starts(self):
        return len((self.path / "starts").read_text().splitlines())

    def check_complete(self, runs=3, repetitions=4, without=()):
        """Every sample there is, once."""
        samples = self.folder.samples()
        keys = ["run", "collective", "count", "algorithm", "repetition"]
        found = Counter(samples.select(keys).iter_rows())
        expected = {
            (run, collective, count, algorithm, repetition)
            for run, (collective, count) in product(range(1, runs + 1), POINTS)
            for algorithm, repetition in product(("native", "native#b"), range(repetitions))
            if (run, collective, count) not in without
        }
        assert set(found) == expected
        assert set(found.values()) == {1}


@pytest.fixture
def sham(tmp_path):
    return Sham(tmp_path / "sham")


@contextmanager
def child(work):
    """A process that does some work; it is killed at the end, if it lives."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    try:
        yield process
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


# ---- the engine -----------------------------------------------------------------------------


def test_the_launcher_starts_once_a_run_and_blocks_are_shuffled(sham):
    result = sham.measure()
    assert not result.failures
    sham.check_complete()
    assert sham.starts == 3
    orders = [path.read_text().splitlines() for path in sorted(sham.folder.launches.iterdir())]
    assert len({tuple(order) for order in orders}) == 3
    assert len({tuple(sorted(order)) for order in orders}) == 1
    again = [[block.line() for block in sham.plan.tasks(run)[0].blocks] for run in (1, 2, 3)]
    assert again == orders, "the order follows from the seed"

    manifest = sham.folder.manifest
    assert manifest["seed"] == 1
    assert manifest["environment"]["builds"]["openmpi-9.0"]["library"] == "Sham 1.0"
    assert manifest["environment"]["machine"]["cores"] >= 1
    found = status(sham.folder)
    assert (found.done, found.blocks, found.launches, found.complete) == (18, 18, 3, True)
    assert found.timed_seconds == pytest.approx(18 * 0.1)


def test_job_start_is_timed_in_each_run(sham):
    sham.text += "start = true\n"
    sham.measure()
    found = status(sham.folder)
    assert (found.done, found.blocks, found.launches, found.complete) == (21, 21, 6, True)
    samples = sham.folder.samples().filter(pl.col("collective") == "start")
    assert sorted(samples["run"]) == [1, 2, 3]
    starts = [row for row in sham.folder.rows() if row["kind"] == "start"]
    assert samples["time_us"].to_list() == [row["init_last_us"] for row in starts]
    assert all(1000 < row["first_us"] < row["init_last_us"] < 60e6 for row in starts)
    sham.measure(resume=True, runs=4)
    assert status(sham.folder).launches == 8, "what is there is not done again"


def test_killed_at_twenty_moments_it_resumes_without_loss_or_doubles(tmp_path):
    kills = campaigns = 0
    rng = random.Random(1)  # noqa: S311
    while kills < 20:
        sham = Sham(tmp_path / str(campaigns))
        sham.behave(seconds=0.004)
        campaigns += 1
        done = set()
        finished = None
        while not finished:
            begun = (sham.folder.path / "manifest.json").exists()
            patience = rng.uniform(0.1, 0.7) if kills < 20 else 60
            with child(lambda begun=begun, sham=sham: sham.measure(resume=begun)) as process:
                end = time.monotonic() + patience
                finished = None
                while time.monotonic() < end and not finished:
                    finished = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                    time.sleep(0.005)
                kills += not finished
            assert finished is None or finished.si_status == 0
            assert done <= sham.folder.done()
            done = sham.folder.done()
        sham.check_complete()


def test_a_torn_line_is_taken_off_and_its_block_done_again(sham):
    sham.measure()
    text = sham.folder.raw.read_text()
    end = text.rindex('{"kind": "block"')
    sham.folder.raw.write_text(text[: end + 20])
    assert status(sham.folder).done == 17
    sham.measure(resume=True)
    sham.check_complete()
    lines = sham.folder.raw.read_text().splitlines()
    assert all(json.loads(line) for line in lines)
    assert sham.starts == 4


def test_a_hung_run_is_ended_recorded_and_the_rest_done(tmp_path):
    sham = Sham(tmp_path / "sham", silence=2)
    sham.behave(at={"bcast 10": "hang"})
    result = sham.measure()
    assert [failure.splitlines()[0] for failure in result.failures] == [
        "run 1 hung: no row for 2 s",
        "run 2 hung: no row for 2 s",
    ], "what hung twice is not tried again"
    missing = {(run, "bcast", 10) for run in (1, 2, 3)}
    sham.check_complete(without=missing)
    failures = [row for row in sham.folder.rows() if row["kind"] == "failure"]
    assert {row["during"] for row in failures} == {"bcast/10/int/sum/root=0"}
    assert not status(sham.folder).complete

    sham.behave()
    sham.measure(resume=True)
    sham.check_complete()


def test_a_crash_costs_its_block_and_a_start(sham):
    sham.behave(at={"allreduce 1": "crash"})
    result = sham.measure()
    assert "run 1 failed (exit code 9)\nthe reason" in result.failures
    sham.check_complete(without={(run, "allreduce", 1) for run in (1, 2, 3)})
    assert sham.starts <= 3 + 2


def test_another_environment_is_noticed(sham, monkeypatch):
    sham.measure()
    with pytest.raises(Misuse, match="holds results already"):
        sham.measure()
    cut = sham.folder.raw.read_text().splitlines(keepends=True)
    sham.folder.raw.write_text("".join(cut[: len(cut) // 2]))

    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    with pytest.raises(Problem, match=r"variables\.OMPI_MCA_btl was not set, is tcp,self"):
        sham.measure(resume=True)
    monkeypatch.delenv("OMPI_MCA_btl")
    sham.behave(library="Sham 1.0.2")
    with pytest.raises(Problem, match=r"library_version was Sham 1\.0\.1, is Sham 1\.0\.2"):
        sham.measure(resume=True)
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    sham.measure(resume=True, force=True)
    sham.check_complete()
    changes = [row["changes"] for row in sham.folder.rows() if row["kind"] == "changed"]
    assert changes == [
        ["variables.OMPI_MCA_btl was not set, is tcp,self"],
        ["library_version was Sham 1.0.1, is Sham 1.0.2"],
    ]


def test_a_named_cluster_is_the_same_after_the_manifest_was_read():
    cluster = SimpleNamespace(spec=ClusterSpec("one", nodes=2, lanes=2))
    facts = environment.facts([], {"there": Place(2, 2, cluster)})
    kept = json.loads(json.dumps(facts))
    assert kept["places"]["there"]["cluster"]["nodes"] == 2
    assert not [*environment.differences(kept, facts)]


def laneway(*words, **variables):
    return subprocess.run(
        [sys.executable, "-m", "laneway", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        timeout=120,
        check=False,
    )


def cut_in_half(folder):
    rows = (folder / "rows.jsonl").read_text().splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(rows[: len(rows) // 2]))


def test_a_comparison_goes_on_where_it_stopped(sham, tmp_path):
    prefix = sham_prefix(tmp_path, "")
    shutil.copy(sham.path / "mpirun", tmp_path / "mpirun")
    words = ["compare", "--mpi", "openmpi-9.0", "--cluster", "none", "--nodes", 2, "--ppn", 2]
    words += ["--collective", "bcast,allreduce", "--count", "1,10,100", "--repetitions", 4]
    words += ["--algorithm", "native,native#b", "--out", sham.folder.path]
    said = laneway(*words, LANEWAY_PREFIX=str(prefix))
    assert said.returncode == 0, said.stderr
    table = said.stdout
    cut_in_half(sham.folder.path)
    again = laneway("campaign", "resume", sham.folder, LANEWAY_PREFIX=str(prefix))
    assert again.returncode == 0, again.stderr
    sham.check_complete()
    assert again.stdout == table, "the table is that of all runs"
    changed = laneway("campaign", "resume", sham.folder, LANEWAY_PREFIX=str(prefix), UCX_TLS="tcp")
    assert changed.returncode == 1
    assert "variables.UCX_TLS was not set, is tcp" in changed.stderr


def test_what_no_campaign_began_does_not_go_on(tmp_path):
    Folder(tmp_path).create({"command": "laneway campaign import osu.txt"})
    said = laneway("campaign", "resume", tmp_path)
    assert said.returncode == 2
    assert "neither campaign run nor compare nor probe began it" in said.stderr


def test_two_campaigns_in_one_folder_are_refused(sham):
    sham.behave(seconds=1)
    with child(sham.measure) as process:
        while not sham.folder.is_running:
            time.sleep(0.01)
        while not sham.folder.raw.exists():
            time.sleep(0.01)
        assert status(sham.folder).running
        with pytest.raises(Problem, match=f"going on in .* already, process {process}"):
            sham.measure(resume=True)
    assert not sham.folder.is_running


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    files.replace_text(path, "before")

    def fail(draft):
        draft.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        files.replace(path, fail)
    assert path.read_text() == "before"
    assert [*tmp_path.iterdir()] == [path]


def test_the_share_done_never_falls_and_ends_at_one(sham):
    observer = Quiet()
    measure(sham.plan, sham.folder.path, observer)
    assert observer.told == sorted(observer.told)
    assert observer.told[-1] == pytest.approx(1)


def test_differences_name_what_changed():
    before = {"a": {"b": 1, "c": [1]}, "d": "x"}
    now = {"a": {"b": 2, "c": [1]}, "e": "y"}
    assert [*environment.differences(before, now)] == [
        "a.b was 1, is 2", "d was x, is not set", "e was not set, is y",
    ]  # fmt: skip
    assert environment.variables({"UCX_TLS": "tcp", "HOME": "/", "LANEWAY_CLUSTER": "x"}) == {
        "UCX_TLS": "tcp"
    }


# ---- plans ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x =", "Invalid value"),
        ("", "points: Field required"),
        ("points = [{}]", "points.0.collectives: Field required"),
        ("points = [{collectives='bcast'}]", "give either counts"),
        ("points = [{collectives='bcast', counts=1, sizes=4}]", "give either counts"),
        ("points = [{collectives='bcast', counts='2q'}]", "points.0.counts.0: Input should be"),
        ("points = [{collectives='bcast', sizes='many'}]", "'many' is no size"),
        ("points = [{collectives='bcast', counts=-1}]", "points.0.counts.0: Input should be"),
        ("points = [{collectives='bcast', count=1}]", "points.0.count: there is no such key"),
        ("points = [{collectives='b cast', counts=1}]", "points.0.collectives.0: String should"),
        ("points = [{collectives='bcast', counts=1}]\nrepeat.runs = 0", "repeat.runs: Input"),
        ("points = [{collectives='bcast', counts=1}]\nplace.placement = 'far'", "'far' is none of"),
        ("points = [{collectives='bcast', counts=1}]\nplace.launcher = 'ssh'", "'ssh' is none of"),
        (
            "points = [{collectives='bcast', counts=1}]\nplace.launcher_options = \"it's\"",
            "place.launcher_options: No closing quotation",
        ),
    ],
)
def test_a_mistake_in_a_plan_is_named(text, complaint):
    with pytest.raises(Misuse, match=r"plan\.toml: ") as error:
        parse(text, "plan.toml")
    assert complaint in str(error.value)


def test_axes_multiply_where_they_mean_something(sham):
    sham.text = """
        [[points]]
        collectives = ["bcast", "allreduce", "barrier"]
        sizes = ["4", "1 KiB"]
        datatypes = ["int", "double"]
        ops = ["sum", "max"]
        roots = [0, "rotate"]
        [points.options]
        sync = ["barrier", "clock"]
        in-place = true
    """
    blocks = sham.plan.tasks(1)[0].blocks
    of = Counter(block.options["collective"] for block in blocks)
    assert of == {"bcast": 2 * 2 * 2 * 2, "allreduce": 2 * 2 * 2 * 2, "barrier": 2 * 2}
    assert {block.options["message-size"] for block in blocks} == {"4:4", "1024:1024"}
    assert all(block.line().endswith("--in-place --algorithm=native") for block in blocks)
    assert len({block.id for block in blocks}) == len(blocks)
    assert "--verify=no" not in " ".join(sham.plan.tasks(1)[0].job(1, Path("x")).program)
    assert "--verify=no" in " ".join(sham.plan.tasks(2)[0].job(2, Path("x")).program)


def test_plans_take_what_the_benchmark_takes(sham):
    sham.text = """
        [[points]]
        collectives = ["allreduce"]
        counts = [10, "p", "2p"]
        datatypes = ["2int"]
        ops = ["minloc"]
    """
    blocks = sham.plan.tasks(1)[0].blocks
    assert sorted(block.options["count"] for block in blocks) == ["10", "2p", "p"]
    assert {block.options["datatype"] for block in blocks} == {"2int"}


def test_the_same_point_with_other_algorithms_is_a_mistake(sham):
    point = "[[points]]\ncollectives='bcast'\ncounts=1\nalgorithms="
    sham.text = f"{point}'native'\n{point}['native', 'native#b']\n"
    with pytest.raises(Misuse, match="twice, with different algorithms"):
        sham.plan.tasks(1)


# ---- the command ----------------------------------------------------------------------------


def invoke(*words):
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_commands_of_a_campaign(sham, monkeypatch, tmp_path):
    facts = {"id": "openmpi-9.0", "family": "openmpi", "version": "9.0.1", "library": "Sham 1.0",
             "mpicc": "mpicc", "mpiexec": str(sham.build.mpiexec)}  # fmt: skip
    sham.build.folder.mkdir()
    (sham.build.folder / "build.json").write_text(json.dumps(facts))
    monkeypatch.setenv("LANEWAY_PREFIX", str(sham.build.folder.parent))
    plan = tmp_path / "plan.toml"
    plan.write_text(sham.text + "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n")

    said = invoke("campaign", "run", plan, "--out", sham.folder, "--json")
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert (found["complete"], found["done"], found["samples"]) == (True, 18, 144)
    sham.check_complete()
    assert pl.read_parquet(sham.folder.path / "rows.parquet").height == 144
    assert pl.read_csv(sham.folder.path / "rows.csv").height == 144

    assert "complete, 18 of 18 blocks in 3 runs" in invoke("campaign", "status", sham.folder).stdout
    (sham.folder.path / "rows.csv").unlink()
    assert "rows.csv" in invoke("campaign", "export", sham.folder).stdout
    assert invoke("campaign", "resume", sham.folder).exit_code == 0
    assert sham.starts == 3
    with pytest.raises(Misuse, match="is no campaign"):
        invoke("campaign", "status", tmp_path)

    judged = invoke("verify", sham.folder, "--json")
    assert judged.exit_code == 3, "three runs decide nothing"
    findings = [json.loads(line) for line in judged.stdout.splitlines()]
    assert {each["guideline"] for each in findings} >= {"native <= native#b", "monotony"}
    assert {each["verdict"] for each in findings} == {"UNDECIDED"}
    told = invoke("verify", sham.folder, "--guideline", "native#b")
    assert "3 runs can never decide" in told.stdout
    assert invoke("verify", sham.folder, "--algorithm", "lane").exit_code == 2


def test_the_launcher_of_a_complaint_ends_the_campaign(sham):
    sham.build.mpiexec.write_text("#!/bin/sh\necho 'laneway-bench: no such thing' >&2\nexit 2\n")
    with pytest.raises(Misuse, match="no such thing"):
        sham.measure()
    assert not sham.folder.path.exists(), "nothing was measured, nothing stays"


# ---- what may change on resume ----------------------------------------------------------------


@pytest.fixture
def planned(sham, monkeypatch, tmp_path):
    """`run(*words)` calls `laneway campaign` on a complete campaign of three runs."""
    prefix = sham_prefix(tmp_path, "")
    shutil.copy(sham.path / "mpirun", tmp_path / "mpirun")
    monkeypatch.setenv("LANEWAY_PREFIX", str(prefix))
    plan = tmp_path / "plan.toml"
    plan.write_text(sham.text + "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n")
    assert invoke("campaign", "run", plan, "--out", sham.folder).exit_code == 0
    return Folder(sham.folder.path)


def edited(folder, old, new):
    path = folder.path / "plan.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("repetitions = 4", "repetitions = 9", "repetitions was 4, is 9"),
        ("runs = 3", "runs = 3\ntime = 2.5", "time was 1.0, is 2.5"),
        ("runs = 3", "runs = 3\nverify = 'always'", "verify was no, is not set"),
        ("runs = 3", "runs = 6", "campaign resume --runs 6"),
        ("[1, 10, 100]", "[1, 10, 200]", "new: bcast/200/int/sum/root=0 "),
        ("[1, 10, 100]", "[1, 10, 200]", "gone: bcast/100/int/sum/root=0 "),
    ],
)
def test_a_changed_plan_does_not_go_on(planned, old, new, complaint):
    edited(planned, old, new)
    before = planned.raw.read_text()
    with pytest.raises(Misuse) as said:
        invoke("campaign", "resume", planned)
    assert complaint in str(said.value)
    assert planned.raw.read_text() == before
    assert "complete, 18 of 18 blocks in 3 runs" in invoke("campaign", "status", planned).stdout


def test_comments_and_patience_are_no_part_of_a_plan(planned):
    edited(planned, "runs = 3", "runs = 3  # as ever")
    edited(planned, "silence = 30", "silence = 60")
    assert invoke("campaign", "resume", planned).exit_code == 0


def test_a_campaign_takes_more_runs(planned, sham):
    with pytest.raises(Misuse, match="only become more"):
        invoke("campaign", "resume", planned, "--runs", 2)
    told = invoke("verify", planned, "--guideline", "native#b").stdout
    assert f"laneway campaign resume --runs 7 {planned}\n" in told, "1/2^7 <= 0.05 / 6 points"
    said = invoke("campaign", "resume", planned, "--runs", 5)
    assert said.exit_code == 0
    assert "complete, 30 of 30 blocks in 5 runs" in said.stdout
    sham.check_complete(runs=5)
    assert invoke("campaign", "resume", planned).exit_code == 0, "the plan as given still serves"
    assert Folder(planned.path).manifest["runs"] == 5


def test_time_left_of_a_campaign_that_was_killed(sham):
    sham.measure()
    rows = [json.loads(line) for line in sham.folder.raw.read_text().splitlines()]
    ends = [number for number, row in enumerate(rows) if row["kind"] == "block"]
    sham.folder.raw.write_text("".join(json.dumps(row) + "\n" for row in rows[: ends[3] + 1]))
    found = status(sham.folder)
    assert (found.done, found.launches) == (4, 1)
    assert found.seconds == pytest.approx(0.4), "what the blocks say: no start has ended"
    assert found.seconds_left == pytest.approx(0.1 * 14)


@pytest.mark.parametrize(
    "name", ["HCOLL_ENABLE", "SHARP_COLL_LOG", "MVP_X", "MV2_X", "MALLOC_ARENA_MAX",
             "GLIBC_TUNABLES"],
)  # fmt: skip
def test_variables_that_decide_are_watched(name):
    assert environment.variables({name: "1", "HOME": "/"}) == {name: "1"}


def test_parameter_files_are_watched(sham, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPAL_PREFIX", str(tmp_path / "mpi"))
    own = tmp_path / ".openmpi" / "mca-params.conf"
    installed = tmp_path / "mpi" / "etc" / "openmpi-mca-params.conf"
    for path in (own, installed):
        path.parent.mkdir(parents=True)
        path.write_text("# nothing = set\n")
    sham.measure()
    own.write_text("btl = tcp,self  # not the fabric\n")
    installed.write_text("coll_tuned_use_dynamic_rules = 1\n")
    with pytest.raises(Problem) as said:
        sham.measure(resume=True)
    assert f"parameters.{own}" in str(said.value)
    assert "'btl': 'tcp,self'" in str(said.value)
    assert "'coll_tuned_use_dynamic_rules': '1'" in str(said.value)


def test_the_manifest_has_the_map_of_ranks(sham):
    sham.measure()
    (ranks,) = Folder(sham.folder.path).manifest["ranks"].values()
    assert [each["node"] for each in ranks] == [0, 0, 1, 1], "virtual nodes"
    assert [each["host"] for each in ranks] == ["a"] * 4
    cluster = SimpleNamespace(spec=ClusterSpec("one", nodes=2, lanes=2))
    row = {"hosts": ["n0", "n0", "n0", "n1", "n1", "n1"]}

    def lanes(binding):
        setting = Setting(Place(2, 3, cluster), 2, binding)
        return [each["lanes"] for each in environment.map_of(row, setting)]

    assert lanes("lane") == [[0], [1], [0]] * 2
    assert lanes("all") == [[0, 1]] * 6
    assert lanes("one") == [[0]] * 6
    real = Setting(Place(2, 3, launcher="srun"))
    assert [each["node"] for each in environment.map_of(row, real)] == [0, 0, 0, 1, 1, 1]


def test_other_hosts_of_the_same_kind_go_on(sham, monkeypatch):
    sham.behave(hosts=[["a", "b"], ["c", "d"], ["e", "f"]], hardware={"a processor": "4"})
    sham.measure()
    sham.check_complete()
    cut_in_half(sham.folder.path)
    monkeypatch.setattr(environment.platform, "node", lambda: "another")
    monkeypatch.setattr(environment, "_commit", lambda: "another")
    sham.measure(resume=True)
    sham.check_complete()
    cut_in_half(sham.folder.path)
    sham.behave(hosts=[["a", "b"]], hardware={"another processor": "4"})
    with pytest.raises(Problem, match=r"hardware\.a processor was 4, is not set"):
        sham.measure(resume=True)
    result = sham.measure(resume=True, force=True)
    assert "hardware.another processor was not set, is 4" in result.changes
    sham.check_complete()


def test_what_force_waves_through_is_said(planned, monkeypatch):
    cut_in_half(planned.path)
    monkeypatch.setenv("UCX_TLS", "tcp")
    said = invoke("campaign", "resume", "--force", planned)
    assert said.exit_code == 0
    assert "--force waves through: variables.UCX_TLS was not set, is tcp" in said.stderr


def test_what_measured_nothing_leaves_nothing(sham, monkeypatch, tmp_path):
    sham.build.mpiexec.write_text("#!/bin/sh\necho 'srun: no such partition' >&2\nexit 1\n")
    result = sham.measure()
    assert "srun: no such partition" in result.failures[0]
    assert not sham.folder.path.exists()

    prefix = sham_prefix(tmp_path, "echo 'srun: no such partition' >&2; exit 1")
    monkeypatch.setenv("LANEWAY_PREFIX", str(prefix))
    plan = tmp_path / "plan.toml"
    plan.write_text(sham.text + "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n")
    said = invoke("campaign", "run", plan, "--out", sham.folder)
    assert said.exit_code == 1
    assert "no such partition" in said.stderr
    assert "nothing was measured" in said.stderr
    assert not sham.folder.path.exists()


@pytest.mark.parametrize(
    ("complaint", "key"),
    [
        ("unknown collective 'nonsense'; known: bcast", "collectives"),
        ("unknown datatype 'nonsense'; known: int", "datatypes"),
        ("unknown op 'nonsense'; known: sum", "ops"),
        ("--root: there is no rank 30 among 4", "roots"),
        ("--sync: 'x' is none of barrier, clock", "options.sync"),
    ],
)
@pytest.mark.parametrize("folder", ["/x", "/my results, new"])
def test_a_mistake_that_the_benchmark_finds_is_one_of_the_plan(
    tmp_path, monkeypatch, complaint, key, folder
):
    said = f'echo "laneway-bench: {folder}/launches/1.txt, line 1: {complaint}" >&2; exit 2'
    monkeypatch.setenv("LANEWAY_PREFIX", str(sham_prefix(tmp_path, said)))
    plan = tmp_path / "plan.toml"
    plan.write_text(
        "[[points]]\ncollectives=['bcast']\ncounts=1\n"
        "[place]\nmpi='openmpi-9.0'\ncluster='none'\nnodes=2\nppn=2\n"
    )
    with pytest.raises(Misuse) as error:
        invoke("campaign", "run", plan, "--out", tmp_path / "out")
    assert str(error.value) == f"{plan}: points.{key}: {complaint}"
    with pytest.raises(Misuse) as error:
        invoke("compare", "--mpi", "openmpi-9.0", "--cluster", "none", "--algorithm", "native",
               "--collective", "bcast", "--out", tmp_path / "out")  # fmt: skip
    assert "launches" not in str(error.value)
    assert str(error.value).startswith("--")


def test_verdicts_name_their_folder(planned, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(planned.path, other)
    judged = invoke("verify", planned, other, "--guideline", "native#b", "--json")
    folders = Counter(json.loads(line)["folder"] for line in judged.stdout.splitlines())
    assert folders == {str(planned): 6, str(other): 6}
    told = invoke("verify", planned, other, "--guideline", "native#b").stdout
    first, second = told.index(f"== {planned}\n"), told.index(f"== {other}\n")
    assert first < told.index(f"--runs 7 {planned}") < second < told.index(f"--runs 7 {other}")
