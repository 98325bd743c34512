# SPDX-License-Identifier: BSD-3-Clause
"""The contents that a plan may have, and those that may change on resume."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from laneway.campaign import Folder
from laneway.cluster.spec import ClusterSpec
from laneway.errors import Misuse
from laneway.launching.place import Place
from laneway.plans.plan_file import PointsTable, parse
from test_cli import sham_prefix

from .conftest import invoke


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
        (
            "points = [{collectives='bcast', counts=1}]\nplace.latency = 'long'",
            "time 'long': expected a number",
        ),
    ],
)
def test_a_mistake_in_a_plan_is_named(text, complaint):
    with pytest.raises(Misuse, match=r"plan\.toml: ") as error:
        parse(text, "plan.toml")
    assert complaint in str(error.value)


def test_a_plan_says_how_fast_lanes_are():
    text = "points = [{collectives='bcast', counts=1}]\n[place]\nslow_motion = true\ngap = 0\n"
    (wanted,) = parse(text, "plan.toml").place.wanted()
    assert wanted.pace == {"latency": 10**6, "gap": 0, "rate": 10**8, "slower": 1000}


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


def on_lanes_with(pace, task, **more):
    """The words by which a task starts the benchmark on a cluster of that pace."""
    cluster = SimpleNamespace(
        spec=ClusterSpec("one", nodes=2, **pace),
        launch_command=lambda *_, **__: SimpleNamespace(env={}, argv=()),
    )
    setting = replace(task.setting, place=Place(2, 2, cluster))
    return replace(task, setting=setting, **more).job(1, Path("x")).program


def test_ranks_start_by_the_clock_where_a_barrier_takes_latencies(sham):
    task = sham.plan.tasks(1)[0]
    assert "--sync=clock" in on_lanes_with({"latency": 10**6}, task)
    assert "--sync=clock" in on_lanes_with({"gap": 10**5}, task)
    assert "sync" not in " ".join(on_lanes_with({}, task))
    assert "sync" not in " ".join(task.job(1, Path("x")).program)
    own = on_lanes_with({"latency": 10**6}, task, options={"sync": "barrier"})
    assert [word for word in own if "sync" in word] == ["--sync=barrier"], "who asks gets it"
    probe = on_lanes_with({"latency": 10**6}, task, planned=False)
    assert "sync" not in " ".join(probe), "a probe has no such option"


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


def test_algorithms_have_tunables():
    names = ["native", "chain(segment=8192,ahead=2)", "native#b", "lane(segment=8K)#c"]
    table = PointsTable(collectives="bcast", counts=10, algorithms=names)
    assert table.algorithms == tuple(names)
    for wrong in ("chain,lane", "chain(segment=8K", "chain)", "a b"):
        with pytest.raises(ValidationError):
            PointsTable(collectives="bcast", counts=10, algorithms=[wrong])


def test_the_same_point_with_other_algorithms_is_a_mistake(sham):
    point = "[[points]]\ncollectives='bcast'\ncounts=1\nalgorithms="
    sham.text = f"{point}'native'\n{point}['native', 'native#b']\n"
    with pytest.raises(Misuse, match="twice, with different algorithms"):
        sham.plan.tasks(1)


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
