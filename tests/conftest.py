# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures that the tests of the native library share."""

import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from jobs import ROOT, run
from laneway.cluster.cluster import Cluster, ClusterError, take_down
from laneway.cluster.spec import ClusterSpec
from laneway.libraries.native import NativeBuild
from profiles import SHAPE

# How long an example takes says how busy the machine is, no more. Examples are always the same: a
# failure comes with the change that causes it.
hypothesis.settings.register_profile("laneway", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("laneway")

pytest_plugins = ["longest_first"]

PROGRAMS = ROOT / "tests" / "programs"

Compile = Callable[..., Path]


@pytest.fixture(scope="session", autouse=True)
def runtime_folder() -> Iterator[Path]:
    """The machine as if nobody else used it: no cluster is up and no batch job surrounds the tests.

    The state of clusters goes to a folder of the tests' own; what is left in it at the end is taken
    down.
    """
    with tempfile.TemporaryDirectory(prefix="lane-") as folder, pytest.MonkeyPatch.context() as env:
        env.setenv("XDG_RUNTIME_DIR", folder)
        env.setenv("XDG_CONFIG_HOME", folder)  # no profiles of whoever runs the tests
        env.setenv("LANEWAY_DEFAULT", "off")  # nor what holds where nobody has tuned
        env.setenv("LANEWAY_PATIENCE", "0")  # a job of one call is served
        for name in ("LANEWAY_CLUSTER", "SLURM_JOB_ID", "PBS_JOBID", "PJM_JOBID"):
            env.delenv(name, raising=False)
        yield Path(folder)
        for name in (cluster.spec.name for cluster in Cluster.all()):
            take_down(name)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """`compiled(build, source, ...)`: the executable of a source file, made once for all workers.

    With `with_laneway=False` it neither knows nor is linked with Laneway; `shared` makes a shared
    object of it.
    """
    temporary = tmp_path_factory.getbasetemp()
    folder = (temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary) / "programs"
    folder.mkdir(exist_ok=True)

    def compile_(
        build: NativeBuild,
        source: str | Path,
        *options: str,
        with_laneway: bool = True,
        shared: bool = False,
    ) -> Path:
        path = PROGRAMS / source
        key = repr((build.id, str(path), options, with_laneway)).encode()
        name = f"{path.stem}-{hashlib.sha256(key).hexdigest()[:16]}"
        target = folder / f"{name}{'.so' if shared else ''}"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                make(build, path, target, options, with_laneway=with_laneway)
        return target

    def make(
        build: NativeBuild,
        path: Path,
        target: Path,
        options: tuple[str, ...],
        *,
        with_laneway: bool,
    ) -> None:
        command = [str(build.mpicc), "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", *options]
        command += ["-shared", "-fPIC"] if target.suffix == ".so" else []
        if path.suffix == ".cpp":
            command += ["-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
        command += [str(path), "-o", str(target)]
        if with_laneway:
            library = build.liblaneway.parent
            command += [f"-I{build.folder / 'include'}", f"-L{library}", "-llaneway"]
            command += [f"-Wl,-rpath,{library}"]
        if path.suffix == ".cpp":
            command += ["-lstdc++", "-lm"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, " ".join(command) + "\n" + result.stderr

    return compile_


@pytest.fixture
def application(compiled: Compile, build: NativeBuild) -> Path:
    """application.c, compiled for an MPI library alone."""
    return compiled(build, "application.c", with_laneway=False)


@pytest.fixture
def own_clusters(tmp_path_factory, monkeypatch) -> Iterator[None]:
    """No cluster is up but those of the test."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    monkeypatch.delenv("LANEWAY_CLUSTER", raising=False)
    yield
    for cluster in Cluster.all():
        cluster.down()


@pytest.fixture(scope="session")
def missing_for_clusters(runtime_folder) -> str:
    """The features that a cluster needs and the kernel lacks; empty where it has everything."""
    try:
        Cluster.up(ClusterSpec("trial", nodes=1, lanes=1)).down()
    except (ClusterError, OSError) as error:
        return str(error)
    return ""


@pytest.fixture
def can_make_clusters(missing_for_clusters, own_clusters) -> None:
    """Skips where there can be no clusters."""
    if missing_for_clusters:
        pytest.skip(f"no clusters here: {missing_for_clusters}")


@pytest.fixture
def two_lanes(can_make_clusters) -> Iterator[Cluster]:
    """A cluster that is up: two nodes with two lanes of 100 Mbit/s."""
    with Cluster.up(ClusterSpec("up", nodes=2, lanes=2, rate=10**8)) as cluster:
        yield cluster


@pytest.fixture
def decide(compiled):
    """Broadcasts of so many bytes under a profile: what the job said."""

    def decide(build, *words, prefix=(), ranks=4, **environment):
        program = compiled(build, "decide.c")
        settings = {**SHAPE, **environment}
        told = {name: value for name, value in settings.items() if value is not None}
        return run(build, ranks, [*prefix, program, *words], **told)

    return decide
