# SPDX-License-Identifier: BSD-3-Clause
"""Two users of one machine at the same time: what one does is nothing to the other."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from jobs import BUILDS, LIMIT, ROOT, wait_for

OTHER = "nobody"
CLUSTER = f"users-{os.getpid()}"
"""Both of them call their cluster that."""

STEPS = """
set -e
cd "$HOME"
laneway() { "$PYTHON" -m laneway "$@"; }
trap 'laneway cluster down --name $CLUSTER' EXIT
laneway cluster up --name $CLUSTER --nodes 2
laneway cluster status --json > status.json
laneway cluster shell --name $CLUSTER node1 hostname
laneway exec --mpi "$MPI" --report -- "$MPIEXEC" -n 2 ./application
laneway exec --mpi "$MPI" --watch 100s -- "$MPIEXEC" -n 2 ./application
laneway compare bcast --mpi "$MPI" --cluster $CLUSTER --ppn 1 --count 100 --algorithm lane \\
    --runs 1 --time 0.1s
touch ready
while [ ! -e "$TOGETHER" ]; do sleep 0.1; done
"""

OPEN = """
mount --bind "$1" "$3" && mount -t tmpfs -o mode=755 tmpfs "$2" && mkdir -p "$1" &&
mount --bind "$3" "$1" && shift 3 && exec "$@"
"""
"""Opens an interpreter whose user keeps the folders above it closed, for one command."""


def as_other(folder):
    """The words before a command that have another user run it, with the interpreter open to it."""
    user = pwd.getpwnam(OTHER)
    words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    prefix = Path(sys.base_prefix)
    closed = next((one for one in reversed(prefix.parents) if not one.stat().st_mode & 0o001), None)
    if closed is None:
        return words
    place = folder / "interpreter"
    place.mkdir()
    opening = ["unshare", "--mount", "--propagation", "private", "sh", "-c", OPEN, "sh"]
    return [*opening, str(prefix), str(closed), str(place), *words]


@pytest.fixture
def homes():
    """A home for each of two users, and a folder that both of them see."""
    if os.getuid() != 0:
        pytest.skip("only root may be two users")
    with tempfile.TemporaryDirectory(prefix="laneway-users-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for user in ("root", OTHER):
            home = folder / user
            home.mkdir(mode=0o700)
            facts = pwd.getpwnam(user)
            os.chown(home, facts.pw_uid, facts.pw_gid)
        yield folder


def environment(home, build):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    crowded = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    return kept | root | crowded | {
        "HOME": str(home),
        "CLUSTER": CLUSTER,
        "PYTHON": sys.executable,
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPI": build.id,
        "MPIEXEC": str(build.mpiexec),
        "TOGETHER": str(home.parent / "together"),
        "XDG_RUNTIME_DIR": "/run/user/0",
    }  # fmt: skip


@pytest.mark.parametrize("build", BUILDS[:1])
def test_two_users_do_everything_at_the_same_time(build, application, homes, can_make_clusters):
    prefixes = {"root": [], OTHER: as_other(homes)}
    probe = [*prefixes[OTHER], sys.executable, "-c", "import laneway.cli"]
    if subprocess.run(probe, check=False, cwd="/", capture_output=True).returncode:
        pytest.skip(f"{OTHER} may not read {ROOT} or its interpreter")
    unshare = [*prefixes[OTHER], "unshare", "--user", "--map-root-user", "--net", "true"]
    if subprocess.run(unshare, check=False, cwd="/", capture_output=True).returncode:
        pytest.skip("users other than root may make no clusters here")
    jobs = {}
    for user, prefix in prefixes.items():
        home = homes / user
        shutil.copy(application, home / "application")
        (home / "application").chmod(0o755)
        os.chown(home / "application", pwd.getpwnam(user).pw_uid, -1)
        with (home / "said").open("w") as said:
            jobs[user] = subprocess.Popen(
                [*prefix, "sh", "-c", STEPS],
                env=environment(home, build),
                cwd="/",
                stdout=said,
                stderr=subprocess.STDOUT,
            )
    try:
        finished = {user: _ready(homes / user, job) for user, job in jobs.items()}
        (homes / "together").touch()
        codes = {user: job.wait(LIMIT) for user, job in jobs.items()}
    finally:
        for job in jobs.values():
            job.kill()
    said = {user: (homes / user / "said").read_text() for user in jobs}
    assert codes == dict.fromkeys(jobs, 0), said
    assert all(finished.values())
    for user, text in said.items():
        assert f"cluster '{CLUSTER}' is down" in text
        assert "right" in text
        number = pwd.getpwnam(user).pw_uid
        owners = {file.lstat().st_uid for file in (homes / user).rglob("*") if file.name != "said"}
        assert owners == {number}, user
    lines = (homes / OTHER / "status.json").read_text().splitlines()
    assert {json.loads(line)["spec"]["name"] for line in lines} == {CLUSTER}


def _ready(home, job):
    """Waits until a user has done everything but take the cluster down."""
    return wait_for(lambda: (home / "ready").exists() or job.poll() is not None)
