# SPDX-License-Identifier: BSD-3-Clause
"""Launchers and job scripts; srun and sbatch against a Slurm of the test's own."""

import contextlib
import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import commands
from commands import laneway
from jobs import LIMIT
from laneway.errors import Misuse
from laneway.launching import batch, launchers, this_machine
from laneway.launching.place import Place
from laneway.libraries import native

BUILDS = [pytest.param(build, id=build.id) for build in native.installed()]

"""Its daemons live as long as the tests of one process that ask for them."""
ONE_SLURM = pytest.mark.xdist_group("slurm")
SMALL = ["--collective", "bcast", "--algorithm", "native", "--count", "8", "--runs", "1",
         "--time", "0.05", "--repetitions", "5"]  # fmt: skip


process = partial(commands.process, LANEWAY_CLUSTER="auto")
"""A process as who has set nothing calls it."""


# ---- command lines --------------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_srun_gets_the_shape_and_the_ranks_their_variables(build):
    job = Place(3, 4, launcher="srun", options=("--partition=test",)).job(
        build, ["./app"], 2, "all"
    )
    command = job.command()
    assert command[:2] == ["srun", f"--mpi={launchers.PMI[build.family]}"]
    assert {"--nodes=3", "--ntasks=12", "--ntasks-per-node=4", "--partition=test"} <= {*command}
    assert command[-3:] == ["env", "LANEWAY_LANES=2", "./app"]
    assert not job.oversubscribed, "how many cores its nodes have is not known here"


@pytest.mark.parametrize("build", BUILDS)
def test_mpirun_inside_a_batch_job_makes_no_virtual_nodes(build):
    job = Place(2, 4, launcher="mpirun").job(build, ["./app"], None, "all")
    assert "LANEWAY_NODE_SIZE" not in job.environment
    assert job.command()[-3:] == ["-np", "8", "./app"]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("placement", launchers.PLACEMENTS)
def test_mpirun_understands_every_placement(build, placement, tmp_path):
    said = laneway("compare", *SMALL, "--mpi", build.id, "--launcher", "mpirun", "--nodes", 1,
                   "--ppn", 2, "--placement", placement, "--out", tmp_path)  # fmt: skip
    assert said.returncode == 0, said.stderr
    kept = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    (environment,) = [row for row in kept if row["kind"] == "environment"]
    assert environment["ranks"] == 2
    told = None if placement == "node" else placement
    assert {row["placement"] for row in kept if row["kind"] == "sample"} == {told}


def test_threads_need_cores_too():
    build = native.find()
    crowd = Place(1, 2, threads=this_machine.cores()).job(build, ["./app"], None, "all")
    assert crowd.oversubscribed
    assert not Place(1, 1).job(build, ["./app"], None, "all").oversubscribed


PLAN = """
[[points]]
collectives = ["bcast"]
counts = [8]
[repeat]
runs = 1
time = 0.05
repetitions = 5
[place]
cluster = "none"
nodes = 1
ppn = [1, 2]
threads = [1, 2]
"""


def test_threads_and_ranks_of_a_plan_are_axes(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    said = laneway("campaign", "run", tmp_path / "plan.toml", "--out", tmp_path / "out")
    assert said.returncode == 0, said.stderr
    kept = (json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text().splitlines())
    shapes = {(row["ppn"], row["threads"]) for row in kept if row["kind"] == "sample"}
    assert shapes == {(1, 1), (1, 2), (2, 1), (2, 2)}


@pytest.mark.parametrize(
    "words", [["campaign", "run"], ["verify", "--run"]], ids=["campaign", "verify"]
)
def test_a_plan_goes_to_a_batch_system_with_its_own_size(words, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace("nodes = 1", "nodes = 36"))
    said = laneway(*words, path, "--launcher", "slurm", "--dry-run")
    assert said.returncode == 0, said.stderr
    assert {"--nodes=36", "--ntasks-per-node=2"} <= {*directives(said.stdout, "#SBATCH")}
    assert said.stdout.splitlines()[-1].endswith(f"{' '.join(words)} {path} --launcher srun")
    path.write_text(PLAN.replace("nodes = 1", ""))
    unsized = laneway(*words, path, "--launcher", "slurm", "--dry-run")
    assert unsized.returncode == 2
    assert "the job's size is needed" in unsized.stderr


def test_a_plan_starts_by_the_launcher_that_is_asked_for(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.replace("[1, 2]", "[2]"))
    out = tmp_path / "out"
    said = laneway("campaign", "run", tmp_path / "plan.toml", "--launcher", "mpirun", "--out", out)
    assert said.returncode == 0, said.stderr
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    (environment,) = [row for row in rows if row["kind"] == "environment"]
    assert "LANEWAY_NODE_SIZE" not in environment["settings"], "its nodes are no virtual ones"
    assert environment["place"] == "1 node, as the batch system allots them"


def directives(text, mark):
    return [line.removeprefix(mark).strip() for line in text.splitlines() if line.startswith(mark)]


MARKS = {"slurm": "#SBATCH", "pbs": "#PBS", "pjm": "#PJM", "lsf": "#BSUB"}
"""The marks that begin a directive."""

SCRIPTS = {
    "slurm": (
        {"--nodes=36", "--ntasks-per-node=32", "--time=00:20:01", "--account=me"},
        "--launcher srun",
    ),
    "pbs": (
        {"-l select=36:ncpus=32:mpiprocs=32", "-l walltime=00:20:01", "--account=me"},
        '--launcher mpirun --launcher-options "-machinefile $PBS_NODEFILE"',
    ),
    "lsf": (
        {"-n 1152", '-R "span[ptile=32]"', "-x", "-W 21", "--account=me"},
        '--launcher mpirun --launcher-options "-machinefile $LSB_DJOB_HOSTFILE"',
    ),
    "pjm": (
        {"-L node=36", "--mpi max-proc-per-node=32", "-L elapse=00:20:01", "--account=me"},
        "--launcher mpirun",
    ),
}


@pytest.mark.parametrize("system", batch.SYSTEMS)
def test_a_job_script_calls_the_same_command_on_the_nodes(system, tmp_path):
    wanted, how = SCRIPTS[system]
    said = laneway("compare", *SMALL, "--nodes", 36, "--ppn", 32, "--launcher", system, "--dry-run",
                   "--walltime=00:20:01", "--job-option", "--account=me",
                   "--out", tmp_path / "it's", LANEWAY_ALGORITHM="bcast=a b")  # fmt: skip
    assert said.returncode == 0, said.stderr
    text = said.stdout
    assert text.startswith("#!/bin/bash\n")
    assert wanted <= {*directives(text, MARKS[system])}
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0
    assert "export LANEWAY_ALGORITHM='bcast=a b'" in text
    last = text.splitlines()[-1]
    assert last.endswith(how)
    assert "--dry-run" not in last
    # From the last line, the shell makes the command that was given.
    files = "PBS_NODEFILE=nodes LSB_DJOB_HOSTFILE=nodes"
    shown = f"laneway() {{ shift 2; printf '%s\\n' \"$@\"; }}\n{files}\n{last}"
    shown = shown.replace(f"{sys.executable} -P", "laneway", 1)
    words = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True)
    expected = ["compare", *SMALL, "--nodes", "36", "--ppn", "32", "--out", str(tmp_path / "it's")]
    assert words.stdout.splitlines()[: len(expected)] == expected


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--launcher", "slurm"], "say --dry-run to see the script, or --submit"),
        (["--launcher", "slurm", "--submit", "--dry-run"], "say --dry-run"),
        (["--launcher", "pbs", "--dry-run"], "the job's size is needed"),
        (["--submit"], "need --launcher slurm|pbs|pjm|lsf"),
        (["--launcher", "slurm", "--dry-run", "--walltime", "soon"], "'soon' is no time"),
        (["--launcher", "srun", "--cluster", "one"], "go with --cluster none"),
    ],
)
def test_what_makes_no_sense_is_said(words, complaint):
    said = laneway("compare", *SMALL, *words)
    assert said.returncode == 2
    assert complaint in said.stderr


def test_a_script_is_handed_in_on_standard_input_and_a_refusal_told(tmp_path):
    refuses = tmp_path / "pjsub"
    refuses.write_text(f"#!/bin/sh\ncat > {tmp_path}/got\n[ -e {tmp_path}/yes ] || "
                       "{ echo no such group >&2; exit 3; }\necho Job 7 submitted.\n")  # fmt: skip
    refuses.chmod(0o755)
    words = ["compare", *SMALL, "--nodes", 2, "--ppn", 2, "--launcher", "pjm", "--submit"]
    path = f"{tmp_path}:{os.environ['PATH']}"
    said = laneway(*words, PATH=path)
    assert said.returncode == 1
    assert "pjsub refused the job: no such group" in said.stderr
    assert "#PJM -L node=2" in (tmp_path / "got").read_text()
    (tmp_path / "yes").touch()
    assert laneway(*words, PATH=path).stdout == "Job 7 submitted.\n"
    missing = laneway(*words, PATH=str(Path(sys.executable).parent))
    assert "--dry-run prints the script" in missing.stderr


BATCH_JOBS = pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("SLURM_JOB_ID", "this is Slurm job 17: --launcher srun measures its nodes"),
        ("PBS_JOBID", "this is PBS job 17: --launcher mpirun --launcher-options "),
        ("PJM_JOBID", "this is PJM job 17: --launcher mpirun measures its nodes"),
        (
            "LSB_JOBID",
            'this is LSF job 17: --launcher mpirun --launcher-options "-machinefile $LSB',
        ),
        ("COBALT_JOBID", "this is Cobalt job 17: --launcher mpirun --launcher-options "),
        ("FLUX_JOB_ID", "this is Flux job 17: --launcher flux measures its nodes"),
        ("FLUX_ENCLOSING_ID", "this is Flux job 17: --launcher flux measures its nodes"),
        ("JOB_ID", "this is Grid Engine job 17: --launcher mpirun measures its nodes"),
    ],
)


@BATCH_JOBS
@pytest.mark.parametrize("words", [["compare"], ["probe", "lane-pattern"], ["bench", "barrier"]])
def test_in_a_batch_job_no_cluster_is_emulated_unasked(words, variable, told, tmp_path):
    batch = {variable: "17", "PE_HOSTFILE": "hosts", "LANEWAY_CLUSTER": "auto"}
    said = laneway(*words, cwd=tmp_path, **batch)
    assert (said.returncode, said.stdout) == (2, "")
    assert told in said.stderr
    assert "--launcher local a cluster emulated on this machine" in said.stderr
    assert said.stderr.count("\n") == 1
    # Virtual nodes and clusters that are named are meant; here, there is none of that name.
    chosen = laneway(*words, "--cluster", "mine", cwd=tmp_path, **batch)
    assert "no cluster 'mine' is up" in chosen.stderr
    local = laneway(*words, "--launcher", "local", "--lanes", "0", cwd=tmp_path, **batch)
    assert "a node has one lane at least" in local.stderr


@BATCH_JOBS
def test_a_demo_in_a_batch_job_emulates_nothing_unasked(variable, told, tmp_path):
    batch = {variable: "17", "PE_HOSTFILE": "hosts", "LANEWAY_CLUSTER": "auto"}
    said = laneway("demo", cwd=tmp_path, **batch)
    assert (said.returncode, said.stdout) == (2, "")
    job, launcher = told.split(": ")
    assert f"{job}: `laneway compare {launcher.partition(' measures')[0]}" in said.stderr
    assert said.stderr.count("\n") == 1
    chosen = laneway("demo", "--cluster", "mine", cwd=tmp_path, **batch)
    assert "no cluster 'mine' is up" in chosen.stderr


def test_a_plan_in_a_batch_job_says_where_it_is_carried_out(tmp_path):
    plan = tmp_path / "plan.toml"
    points = "[[points]]\ncollectives = 'bcast'\ncounts = 1\n[place]\nbinding = 'x'\n"
    batch = {"SLURM_JOB_ID": "17", "LANEWAY_CLUSTER": "auto"}
    plan.write_text(points)
    assert "this is Slurm job 17" in laneway("campaign", "run", plan, **batch).stderr
    asked = laneway("campaign", "run", plan, "--launcher", "local", **batch)
    assert "'x' is none of lane, all, one" in asked.stderr
    plan.write_text(f"{points}launcher = 'local'\n")
    assert "'x' is none of lane, all, one" in laneway("campaign", "run", plan, **batch).stderr


def test_options_are_taken_out_with_their_values():
    words = ["a", "--x", "1", "--x=2", "--flag", "--y", "--x"]
    assert batch.without(words, {"--x": True, "--flag": False}) == ["a", "--y"]


def test_a_number_of_a_job_that_anything_may_have_set_is_no_batch_job():
    assert batch.current({"JOB_ID": "17"}) is None
    flux = {"SLURM_JOB_ID": "17", "FLUX_JOB_ID": "f18"}
    assert str(batch.current(flux)) == "Flux job f18"


FLUX = """#!/bin/sh
[ "$1 $2 $3" = "run --nodes=1 --ntasks=2" ] || exit 9
shift 3
exec {mpirun} "$@"
"""


def test_flux_starts_the_ranks_of_a_job(tmp_path):
    build = native.find()
    words = launchers.Mpirun().started(launchers.Job(build, 2, []))
    stub = tmp_path / "flux"
    stub.write_text(FLUX.format(mpirun=shlex.join([str(build.mpiexec), *words[1:]])))
    stub.chmod(0o755)
    said = laneway("compare", *SMALL, "--mpi", build.id, "--launcher", "flux", "--nodes", 1,
                   "--ppn", 2, "--out", tmp_path / "out",
                   PATH=f"{tmp_path}:{os.environ['PATH']}")  # fmt: skip
    assert said.returncode == 0, said.stderr
    rows = map(json.loads, (tmp_path / "out" / "rows.jsonl").read_text().splitlines())
    assert {row["ranks"] for row in rows if row["kind"] == "environment"} == {2}


# ---- where ranks go, said by the launcher's own options ---------------------------------------


@pytest.mark.parametrize("build", [build for build in BUILDS if "openmpi" in build.id])
def test_a_file_of_ranks_says_alone_where_they_go(build, tmp_path):
    hosts, ranks = tmp_path / "hosts", tmp_path / "ranks"
    hosts.write_text("# my hosts\nlocalhost slots=4   # this one\n")
    ranks.write_text("".join(f"rank {rank}=localhost slot=0\n" for rank in range(2)))
    options = ["--launcher-options", f"--hostfile {hosts} --rankfile {ranks} --oversubscribe"]
    said = laneway("compare", *SMALL, "--mpi", build.id, "--launcher", "mpirun", "--nodes", 1,
                   "--ppn", 2, *options, "--out", tmp_path / "out")  # fmt: skip
    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize(
    ("family", "words", "ours"),
    [
        ("openmpi", ["-rf", "file"], ()),
        ("openmpi", ["--map-by", "ppr:2:node"], ()),
        ("openmpi", ["--mca", "rmaps_rank_file_path", "file"], ()),
        ("openmpi", ["--hostfile", "rankfile"], ("--map-by", "slot")),
        ("mpich", ["-f", "hosts", "-ppn", "4"], ()),
    ],
)
def test_the_launchers_own_options_say_where_ranks_go(family, words, ours):
    assert tuple(launchers.placement_options(family, "node", words)) == ours
    if not ours:
        with pytest.raises(Misuse, match="--placement cyclic and "):
            launchers.placement_options(family, "cyclic", words)


# ---- Slurm ----------------------------------------------------------------------------------

CONFIGURATION = """\
ClusterName=laneway
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES State=UP
"""


def free_ports(number):
    with contextlib.ExitStack() as open_:
        sockets = [open_.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@pytest.fixture(scope="module")
def slurm(request, tmp_path_factory):
    """A Slurm of one node, for as long as the tests need it; its environment."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "srun", "sbatch")
               if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")]  # fmt: skip
    if missing:
        pytest.skip(f"no {missing[0]}: apt-get install slurmctld slurmd slurm-client munge")
    if os.geteuid() != 0:
        pytest.skip("a Slurm of its own takes root")
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    host = socket.gethostname().partition(".")[0]
    settings = CONFIGURATION.format(host=host, folder=folder, ports=free_ports(2))
    (folder / "slurm.conf").write_text(settings)
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(1024))
    environment = {"SLURM_CONF": str(folder / "slurm.conf"),
                   "PATH": f"{os.environ['PATH']}:/usr/sbin"}  # fmt: skip
    munge = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log",
             "seed-file": "seed"}  # fmt: skip
    commands = [
        [
            "munged",
            "--force",
            *(f"--{option}={folder}/munge.{name}" for option, name in munge.items()),
        ],
        ["slurmctld"],
        ["slurmd"],
    ]
    try:
        for command in commands:
            subprocess.run(command, env={**os.environ, **environment}, check=True,
                           capture_output=True, timeout=LIMIT)  # fmt: skip
        wait_until_idle(environment)
        yield environment
    except (subprocess.SubprocessError, OSError) as error:
        told = f"Slurm is installed and does not start: {error} {getattr(error, 'stderr', '')}"
        # `make test` is for any machine; `make test-full` has installed it.
        if "not full" in request.config.option.markexpr:
            pytest.skip(told)
        pytest.fail(told)
    finally:
        for name in ("slurmd", "slurmctld", "munge"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((folder / f"{name}.pid").read_text()), signal.SIGTERM)


def wait_until_idle(environment, seconds=LIMIT):
    end = time.monotonic() + seconds
    while True:
        said = subprocess.run(["sinfo", "--noheader", "--format=%T"], text=True, check=False,
                              env={**os.environ, **environment}, capture_output=True)  # fmt: skip
        if said.stdout.strip() == "idle":
            return
        if time.monotonic() > end:
            raise subprocess.SubprocessError(f"the node does not become idle: {said}")
        time.sleep(0.3)


def kept(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


@ONE_SLURM
@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
def test_srun_starts_every_library_as_one_job(build, slurm, tmp_path):
    said = process("compare", *SMALL, "--mpi", build.id, "--launcher", "srun",
                   "--nodes", 1, "--ppn", 2, "--out", tmp_path / "rows", **slurm)  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "1 node, as Slurm allots them" in said.stdout
    (environment,) = (row for row in kept(tmp_path / "rows") if row["kind"] == "environment")
    assert environment["ranks"] == 2, "not two jobs of one rank each"
    assert environment["place"] == "1 node, as Slurm allots them"


@ONE_SLURM
@pytest.mark.full
@pytest.mark.slow
def test_a_job_that_is_handed_in_measures(slurm, tmp_path):
    said = process("compare", *SMALL, "--launcher", "slurm", "--submit", "--nodes", 1, "--ppn", 2,
                   "--job-option", f"--output={tmp_path}/output", "--out", tmp_path / "rows",
                   **slurm)  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("Submitted batch job ")
    end = time.monotonic() + LIMIT
    while not any(row["kind"] == "sample" for row in kept_so_far(tmp_path / "rows")):
        assert time.monotonic() < end, (tmp_path / "output").read_text()
        time.sleep(0.5)
    wait_until_idle(slurm)
    assert "samples: " in (tmp_path / "output").read_text()


def kept_so_far(folder):
    return kept(folder) if (folder / "rows.jsonl").exists() else []


@ONE_SLURM
@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
def test_exec_reaches_ranks_under_srun(build, slurm):
    benchmark = [str(build.bench), "--overhead", "--repetitions", "2"]
    said = process("exec", "--mpi", build.id, "--", "srun", f"--mpi={launchers.PMI[build.family]}",
                   "-n", "2", *benchmark, **slurm)  # fmt: skip
    assert said.returncode == 0, said.stderr
    measured = [row for row in map(json.loads, said.stdout.splitlines())
                if row["kind"] == "overhead"]  # fmt: skip
    assert measured
    assert all(Path(row["provider"]).samefile(build.preload) for row in measured)
