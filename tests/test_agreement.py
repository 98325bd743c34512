# SPDX-License-Identifier: BSD-3-Clause
"""That laneway-bench and other benchmarks measure the same, where bandwidth decides."""

import os
import shutil
import subprocess
import sys

import pytest

from jobs import BUILDS, LIMIT, ROOT

NETPIPE = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}


@pytest.mark.timed
@pytest.mark.parametrize("build", BUILDS)
def test_netpipe_and_imb_agree(build, tmp_path):
    if not shutil.which(NETPIPE[build.family]):
        pytest.skip("no NetPIPE: apt-get install netpipe-openmpi netpipe-mpich2")
    if os.geteuid() != 0:
        pytest.skip("--realtime takes root")
    said = subprocess.run(
        [sys.executable, ROOT / "scripts" / "agreement.py", "--mpi", build.id, "--realtime",
         "--operations", "pingpong", "--sizes", "262144", "--runs", "3"],
        capture_output=True, text=True, timeout=LIMIT, check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    assert "| pingpong | 262144 |" in said.stdout, said.stderr
    assert said.returncode == 0, said.stdout
