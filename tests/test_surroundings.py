# SPDX-License-Identifier: BSD-3-Clause
"""Programs in surroundings that are not the usual ones, where the MPI library itself bears them."""

import os
import subprocess
from pathlib import Path

import pytest

from applications import well
from commands import COMMAND
from jobs import BUILDS, LIMIT, run
from test_fuzz import served_by

each_build = pytest.mark.parametrize("build", BUILDS)

ALLOCATORS = ("libtcmalloc_minimal.so.4", "libjemalloc.so.2")
TINY = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"'
AROUND = {
    "tiny shared memory": ["unshare", "--mount", "sh", "-c", TINY, "sh"],
    "pid namespaces": ["unshare", "--pid", "--fork"],
}
BY_NETWORK = {"UCX_TLS": "tcp,self", "OMPI_MCA_btl": "tcp,self"}
"""Within a node, both libraries want more shared memory, or each other's process ids."""

OTHER_SETTINGS = (
    'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 && export LANEWAY_ALGORITHM=allreduce=lane; '
    'exec "$@"'
)


def random_programs(compiled, build, preload, *around, ranks=4, **settings):
    """Some random programs, within one node and on two."""
    program = compiled(build, "fuzz.c", with_laneway=False)
    words = [*around, program, 901, 6]
    for node_size in (2, 8):
        said = run(
            build,
            ranks,
            words,
            preload=preload,
            LANEWAY_ALGORITHM=served_by("lane", "allreduce_init"),
            LANEWAY_NODE_SIZE=node_size,
            **settings,
        )
        assert well(said).endswith("right"), said.told


@each_build
@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_another_allocator(compiled, build, allocator):
    found = list(Path("/usr/lib").glob(f"**/{allocator}"))
    if not found:
        pytest.skip(f"there is no {allocator}")
    random_programs(compiled, build, [build.preload, found[0]])


@each_build
@pytest.mark.parametrize("where", AROUND)
def test_namespaces(compiled, build, where):
    if os.geteuid() != 0:
        pytest.skip("namespaces want root")
    program = compiled(build, "fuzz.c", with_laneway=False)
    if run(build, 4, [*AROUND[where], program, 1, 1], **BY_NETWORK).code != 0:
        pytest.skip(f"{build.library} itself does not bear {where}")
    random_programs(compiled, build, [build.preload], *AROUND[where], **BY_NETWORK)


@each_build
def test_settings_of_one_process_differ(compiled, build):
    random_programs(compiled, build, [build.preload], "sh", "-c", OTHER_SETTINGS, "sh")


@each_build
def test_processes_that_come_together_later(compiled, build, monkeypatch):
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    program = compiled(build, "joined.c", with_laneway=False)
    if run(build, 2, [program]).code != 0:
        pytest.skip(f"{build.library} cannot spawn here")
    root = ["--allow-run-as-root", "--oversubscribe"] if build.family == "openmpi" else []
    choice = ["--algorithm", "allreduce=lane,bcast=lane_segmented", "--node-size", "1"]
    said = subprocess.run(
        [
            *(*COMMAND, "exec", "--mpi", build.id, *choice, "--"),
            *(str(build.mpiexec), *root, "-np", "2", str(program)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert (said.returncode, said.stdout) == (0, "right\n"), said.stderr


@each_build
def test_reproducible_mode(compiled, build):
    random_programs(compiled, build, [build.preload], LANEWAY_REPRODUCIBLE=1)


@each_build
def test_tools_interface(compiled, build):
    program = compiled(build, "introspection.c", with_laneway=False)
    if run(build, 2, [program]).code != 0:
        pytest.skip(f"{build.library} itself does not bear it")
    said = run(
        build,
        2,
        [program],
        preload=[build.preload],
        LANEWAY_ALGORITHM="bcast=lane,allreduce=lane_segmented",
        LANEWAY_NODE_SIZE=1,
    )
    assert well(said) == "right"
