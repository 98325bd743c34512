# SPDX-License-Identifier: BSD-3-Clause
"""The command that uses a profile: for the place where it was measured, and one that runs."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

import campaigns
from laneway.campaign import Folder
from laneway.choosing.conclusion import conclude
from laneway.choosing.next_commands import command, comparison, judging, trying
from laneway.choosing.recommendation import recommendations
from laneway.cluster.launch import Launch, MpiLibrary
from laneway.cluster.spec import ClusterSpec, slow_motion
from laneway.commands import cluster as cli
from laneway.commands.compare import compare_command
from laneway.launching.launchers import Job
from laneway.launching.place import OnCluster, Place
from laneway.libraries import native
from laneway.results.measurements import Measured
from laneway.showing.report.answer import answers


def on_cluster(name="default", *, binding="lane", realtime=False, used=None, **spec):
    """The facts in the rows of a job on an emulated cluster."""
    cluster = ClusterSpec(name, **spec)
    library = MpiLibrary("openmpi", "4.1.4", "/usr/bin/mpirun.openmpi", "btl")
    launch = Launch((), {}, library, cluster, cluster.ppn(4)[:used], binding, realtime, 0, "", None)
    started = OnCluster(launch).started(Job(native.find(), 16, ["./bench"]))
    return {"cluster": cluster.to_json(), "launched": launch.to_json(), "started": started}


UP = "laneway cluster up"
RUN = "laneway exec --profile p.conf -- laneway cluster run"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (on_cluster(), f"{RUN} --mpi openmpi --ppn 4 -- ./app"),
        (
            on_cluster("big", binding="all", realtime=True),
            f"{RUN} --name big --mpi openmpi --ppn 4 --binding all --realtime -- ./app",
        ),
        (
            on_cluster("own-12-2"),
            f"{UP} && {RUN} --mpi openmpi --ppn 4 -- ./app",
        ),
        (
            on_cluster("own-12-3", nodes=8, lanes=3, rate=10**8),
            f"{UP} --nodes 8 --lanes 3 --rate 100mbit && {RUN} --mpi openmpi --ppn 4 -- ./app",
        ),
        (
            on_cluster("own-12-2", **slow_motion(3000)),
            f"{UP} --slow-motion --slower 3000 && {RUN} --mpi openmpi --ppn 4 -- ./app",
        ),
        (
            on_cluster("own-12-2", latency=10**6, rate=33_333_333),
            f"{UP} --rate 33333333bit --latency 1ms && {RUN} --mpi openmpi --ppn 4 -- ./app",
        ),
        (
            on_cluster("big", nodes=4, used=2),
            f"{RUN} --name big --mpi openmpi --ppn 4 --nodes 2 -- ./app",
        ),
        (
            on_cluster("own-12-2", slots=(4, 4, 4, 1)),
            f"{UP} --unequal 4,4,4,1 && {RUN} --mpi openmpi -- ./app",
        ),
        ({"cluster": {"rate": 1}}, f"{RUN} --ppn 4 -- ./app"),
    ],
)
def test_on_an_emulated_cluster_the_program_runs_there(environment, expected):
    said = command({"settings": {}, **environment}, 4, 4, "p.conf")
    assert said == expected
    up, run = ([*each] for each in _split(shlex.split(said)))
    assert cli.run.make_context("run", run).params["program"] == ("./app",)
    assert cli.up.make_context("up", up).params["nodes"] == environment["cluster"].get("nodes", 4)


def _split(words):
    """The arguments of `cluster up`, if that comes first, and of `cluster run`."""
    end = words.index("&&") if "&&" in words else 0
    return words[3:end], words[words.index("run") + 1 :]


@pytest.mark.parametrize("build", native.installed(), ids=lambda build: build.id)
def test_elsewhere_by_the_launcher_that_measured(build, monkeypatch):
    def told(place, **more):
        job = place.job(build, ["./bench"], 2, "all")
        return command({"settings": job.environment, "started": job.launcher.started(job)}, 4, 2,
                       "my p.conf")  # fmt: skip

    use = "laneway exec --profile 'my p.conf' --"
    srun = told(Place(4, 2, launcher="srun", options=("--partition=a b",)))
    assert srun.startswith(f"{use} srun --mpi=")
    assert srun.endswith(
        "--nodes=4 --ntasks=8 --ntasks-per-node=2 --distribution=block:block "
        "--kill-on-bad-exit=1 '--partition=a b' ./app"
    )
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("laneway.launching.this_machine.cores", lambda: 64)
    monkeypatch.setattr("shutil.which", {"mpirun": str(build.mpiexec)}.get)
    hosts = told(Place(4, 2, options=("--hostfile", "hosts")))
    assert hosts.startswith(f"{use} mpirun -np 8 ")
    assert hosts.endswith("--hostfile hosts ./app")
    assert told(Place(4, 2, launcher="mpirun")) == f"{use} mpirun -np 8 ./app"
    virtual = "laneway exec --node-size 2 --profile 'my p.conf' -- mpirun -np 8 ./app"
    assert told(Place(4, 2)) == virtual
    monkeypatch.setattr("shutil.which", lambda name: f"/elsewhere/{name}")
    assert f"-- {build.mpiexec} -np 8" in told(Place(4, 2)), "mpirun is another library's"
    monkeypatch.setattr("laneway.launching.this_machine.cores", lambda: 1)
    oversubscribed = "--oversubscribe" in told(Place(4, 2))
    assert oversubscribed == (build.family == "openmpi")


def measured(*environments, binding="lane"):
    """A comparison that `lane` has won, measured by jobs of these environments."""
    rows = [*campaigns.versus({"lane": {100: 0.5}}, binding=binding)]
    own = [row for row in rows if row["kind"] != "environment"]
    return Measured([*(campaigns.environment(1, **each) for each in environments), *own])


def test_of_several_jobs_it_is_the_one_that_measured_the_gain():
    both = measured(on_cluster(binding="lane"), on_cluster(binding="all"), binding="all")
    expected = f"{RUN} --mpi openmpi --ppn 4 --binding all -- ./app"
    (one,) = recommendations(both)
    assert command(one.environment, 4, 4, "p.conf") == expected


def test_the_last_line_and_the_report_say_the_same(tmp_path):
    rows = measured(on_cluster("mine"))
    where = "-- laneway cluster run --name mine --mpi openmpi --ppn 4 -- ./app"
    assert conclude(rows, tmp_path).lines[-1].endswith(where)
    (answer,) = answers(rows)
    assert answer.command == f"laneway exec --profile {Path(answer.file)} {where}"


@dataclass(frozen=True)
class Up:
    """A cluster that is up, as far as it matters here."""

    spec: ClusterSpec


@pytest.mark.parametrize(
    ("place", "there"),
    [
        (Place(4, 2), "--cluster none"),
        (Place(4, 2, launcher="srun"), "--launcher srun"),
        (Place(4, 2, options=("-H", "a b")), "--launcher-options '-H '\"'\"'a b'\"'\"''"),
        (Place(4, 2, Up(ClusterSpec("my")), realtime=True), "--cluster my --realtime"),
        (Place(4, 2, Up(ClusterSpec("own-3-4", lanes=4))), "--lanes 4"),
        (Place(4, 2, Up(ClusterSpec("own-3-2")), placement="cyclic"), "--placement cyclic"),
    ],
)
def test_a_comparison_is_made_where_the_measurement_was(place, there):
    said = comparison(["bcast", "-m", "4K:"], place, "mpich")
    assert said == f"laneway compare bcast -m 4K: --nodes 4 --ppn 2 --mpi mpich {there}"
    words = shlex.split(said)[2:]
    asked = compare_command.make_context("compare", words).params
    assert asked["launcher_options"] == tuple(place.options)


def test_a_machine_is_tried_where_it_was_calibrated():
    assert trying(["bcast"], "my machine.toml", Place(4, 2), "mpich") == (
        "laneway compare bcast --predict 'my machine.toml' --nodes 4 --ppn 2 --mpi mpich "
        "--cluster none"
    )


def test_folders_are_judged_together():
    assert judging([Path("a"), Path("my runs")]) == "laneway verify a 'my runs'"


def test_a_folder_with_blanks_is_quoted_in_the_command_that_goes_on():
    assert Folder(Path("my runs")).resume("--runs", "9") == (
        "laneway campaign resume --runs 9 'my runs'"
    )
