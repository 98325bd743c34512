# SPDX-License-Identifier: BSD-3-Clause
"""The environment, on which a campaign's times depend besides the plan, and its changes."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import laneway
from laneway.doctor.finding import Files
from laneway.doctor.rails import rails
from laneway.launching import this_machine
from laneway.launching.place import Place, Setting
from laneway.libraries.native import NativeBuild
from laneway.rows import Row

PREFIXES = (
    "COLL_", "FI_", "GLIBC_TUNABLES", "GOMP_", "HCOLL_", "HWLOC_", "HYDRA_", "I_MPI_", "KMP_",
    "LANEWAY", "LD_", "MALLOC_", "MPICH_", "MPIEXEC_", "MPIR_", "MV2_", "MVP_", "OMPI_", "OMP_",
    "OPAL_", "ORTE_", "PMIX_", "PMI_", "PRTE_", "PSM", "SHARP_", "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION", "SLURM_NTASKS", "UCC_", "UCX_",
)  # fmt: skip
"""Beginnings of the names of variables that MPI libraries, what they use (offloaded collectives,
the allocator), launchers and Laneway read."""

PASSING = ("LANEWAY_CLUSTER", "PMIX_MCA_", "OMPI_COMM_WORLD_", "PMIX_RANK", "PMIX_NAMESPACE")
"""Beginnings of names that are passed over: they only say where a process is at the moment."""

OF_RANKS = ("library_version", "ranks", "nodes", "ppn", "hardware", "settings")
"""Facts that the ranks find, in the row `environment`, and that must stay as they are. The hosts
are recorded, too, but the next batch job has others of the same kind."""

RECORDED = frozenset(("commit", "machine.host"))
"""Facts that are worth knowing but may change. Whether the benchmark is another one, its digest
says; and a batch job's first node is seldom that of the job before."""

PARAMETER_FILES = "*mca-params*.conf"
"""The files in which Open MPI finds parameters besides the environment."""


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
        "machine": {
            **this_machine.facts(),
            "memory_gib": _memory_gib(),
            "rails": [str(rail) for rail in rails(Files())],
            "host": platform.node(),
            "governor": _governor(),
        },
        "laneway": laneway.__version__,
        "commit": _commit(),
        "builds": {
            build.id: {
                "library": build.library,
                "version": build.version,
                "mpiexec": str(build.mpiexec),
                "bench": _digest(build.folder / "bin" / build.bench.name),
                "parameters": parameters(build, os.environ),
            }
            for build in builds
        },
        "places": {name: _place(where) for name, where in places.items()},
        "variables": variables(os.environ),
    }


def parameters(build: NativeBuild, variables: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The parameters set in Open MPI's files, of the installation and of the user, by file."""
    if build.family != "openmpi":
        return {}
    prefix = Path(variables.get("OPAL_PREFIX") or build.mpiexec.resolve().parent.parent)
    home = Path(variables.get("HOME", "/"))
    folders = [
        prefix / "etc",
        prefix / "etc/openmpi",
        *(home / f".{of}" for of in ("openmpi", "pmix", "prte")),
    ]
    if prefix == Path("/usr"):
        folders += [Path("/etc"), Path("/etc/openmpi")]
    named = variables.get("OMPI_MCA_mca_base_param_files", "")
    files = [*map(Path, filter(None, named.replace(",", ":").split(":")))]
    files += [path for folder in folders for path in sorted(folder.glob(PARAMETER_FILES))]
    found = {str(path): _assignments(path) for path in files if path.is_file()}
    return {path: own for path, own in found.items() if own}


def _assignments(path: Path) -> dict[str, str]:
    """The lines `name = value` of a file, without comments."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    lines = (line.partition("#")[0].partition("=") for line in text.splitlines())
    return {name.strip(): value.strip() for name, equals, value in lines if equals}


def _place(place: Place) -> dict[str, Any]:
    """A place's facts without the cluster's name: one made anew with another name is as good."""
    found = place.facts()
    cluster = found["cluster"]
    if cluster:
        # As it comes back from the manifest: JSON knows no tuples.
        plain = json.loads(json.dumps(cluster))
        found["cluster"] = {key: value for key, value in plain.items() if key != "name"}
    return {**found, "launcher_options": [*place.options]}


def _memory_gib() -> int:
    """Installed memory: at least what the system shows, which reserves more or less of it.

    Rounded as in the row `environment` of the benchmark.
    """
    shown = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    step = 2.0 ** (math.floor(math.log2(shown)) - 4)
    return math.floor(math.ceil(shown / step) * step + 0.5)


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
    """The facts that are not as they were, a line for each."""
    for key in sorted({*before, *now}):
        path = f"{name}.{key}" if name else key
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, path)
        elif old != new and path not in RECORDED:
            yield f"{path} was {_told(old)}, is {_told(new)}"


def _told(value: object) -> str:
    return "not set" if value is None else str(value)


def of_ranks(row: Row) -> dict[str, Any]:
    """The facts in a row `environment` that must stay as they are."""
    return {key: row[key] for key in OF_RANKS if key in row}


def map_of(row: Row, setting: Setting) -> list[dict[str, Any]]:
    """The host, the node and the lanes of the node that a rank sees, by rank.

    `lanes` is None where the MPI library chooses by itself and does not tell.
    """
    place, hosts = setting.place, row["hosts"]
    names = [*dict.fromkeys(hosts)]
    members: Counter[int] = Counter()
    found = []
    for rank, host in enumerate(hosts):
        virtual = place.cluster is None and not place.real
        node = rank // place.ppn if virtual else names.index(host)
        found.append(
            {"rank": rank, "host": host, "node": node, "lanes": _lanes(setting, members[node])}
        )
        members[node] += 1
    return found


def _lanes(setting: Setting, local: int) -> list[int] | None:
    """The lanes that the rank with that number on its node sees."""
    cluster = setting.place.cluster
    if cluster is None:
        return None
    lanes = cluster.spec.lanes
    match setting.binding:
        case "all":
            return [*range(lanes)]
        case "one":
            return [0]
        case _:
            return [local % lanes]
