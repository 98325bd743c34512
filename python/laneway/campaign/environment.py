# SPDX-License-Identifier: BSD-3-Clause
"""What the times of a campaign depend on besides the plan, and what of it has changed."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from laneway import __version__, machine
from laneway.native import NativeBuild
from laneway.place import Place
from laneway.rows import Row

PREFIXES = (
    "COLL_", "FI_", "GOMP_", "HWLOC_", "HYDRA_", "I_MPI_", "KMP_", "LANEWAY", "LD_", "MPICH_",
    "MPIEXEC_", "MPIR_", "MV2_", "OMPI_", "OMP_", "OPAL_", "ORTE_", "PMIX_", "PMI_", "PRTE_",
    "PSM", "SLURM_JOB_NUM_NODES", "SLURM_JOB_PARTITION", "SLURM_NTASKS", "UCC_", "UCX_",
)  # fmt: skip
"""Beginnings of the names of variables that MPI libraries, launchers and Laneway read."""

PASSING = ("LANEWAY_CLUSTER", "PMIX_MCA_", "OMPI_COMM_WORLD_", "PMIX_RANK", "PMIX_NAMESPACE")
"""Of these, the ones that only say where a process is at the moment."""

OF_RANKS = ("library_version", "ranks", "nodes", "ppn", "hosts", "settings")
"""What the ranks themselves find, in the row `environment`, and what must stay as it is."""


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that decide how fast a job is."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.startswith(PREFIXES) and not name.startswith(PASSING)
    }


def facts(builds: Iterable[NativeBuild], places: Mapping[str, Place]) -> dict[str, Any]:
    """The environment as this process sees it: machine, Laneway, libraries, places, variables."""
    return {
        "machine": {**machine.facts(), "host": platform.node(), "governor": _governor()},
        "laneway": __version__,
        "commit": _commit(),
        "builds": {
            build.id: {
                "library": build.library,
                "version": build.version,
                "mpiexec": str(build.mpiexec),
                "bench": _digest(build.bench),
            }
            for build in builds
        },
        "places": {name: _place(where) for name, where in places.items()},
        "variables": variables(os.environ),
    }


def _place(place: Place) -> dict[str, Any]:
    """Its facts without the cluster's name: one made anew with another name is as good."""
    found = place.facts()
    cluster = found["cluster"]
    if cluster:
        # As it comes back from the manifest: JSON knows no tuples.
        plain = json.loads(json.dumps(cluster))
        found["cluster"] = {key: value for key, value in plain.items() if key != "name"}
    return {**found, "launcher_options": [*place.options]}


def _governor() -> str | None:
    path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return path.read_text().strip() if path.exists() else None


@functools.cache
def _commit() -> str | None:
    """The commit of the source tree around this package, marked where files differ from it.

    None for an installed package.
    """
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() or None


def _digest(path: Path) -> str | None:
    """The first 64 bits of a file's SHA-256: enough to see that it is another one."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else None


def differences(before: Mapping[str, Any], now: Mapping[str, Any], name: str = "") -> Iterator[str]:
    """What is not as it was, a line for each fact."""
    for key in sorted({*before, *now}):
        path = f"{name}.{key}" if name else key
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, path)
        elif old != new:
            yield f"{path} was {_told(old)}, is {_told(new)}"


def _told(value: object) -> str:
    return "not set" if value is None else str(value)


def of_ranks(row: Row) -> dict[str, Any]:
    """What must stay as it is of a row `environment`."""
    return {key: row[key] for key in OF_RANKS if key in row}
