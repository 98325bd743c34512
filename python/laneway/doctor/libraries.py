# SPDX-License-Identifier: BSD-3-Clause
"""Checks of MPI libraries: which there are, what they are known for, whether they bind ranks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from laneway.doctor.finding import Finding, Status, numbers_of
from laneway.errors import Problem
from laneway.launching import batch, launchers
from laneway.launching.run import Run
from laneway.libraries import native
from laneway.libraries.identity import identify
from laneway.libraries.native import NativeBuild
from laneway.libraries.quirks import quirks

PATIENCE = 60.0
"""Seconds that a launcher may take to start two programs."""

PREFIXES = ("OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_", "MPICH_", "MPIR_CVAR_", "I_MPI_", "UCX_", "FI_")
"""Variables by which MPI libraries and their transports are set."""


def builds(installed: Sequence[NativeBuild]) -> list[Finding]:
    """Whether each native build still fits its library, and facts to know of that library."""
    if not installed:
        return [Finding("MPI libraries", Status.BAD, "no native build", native.building())]
    if not any(build.mpiexec.name for build in installed):
        told = "none was found on this machine"
        return [Finding("MPI libraries", Status.WARNING, told, native.FINDING_ONE)]
    return [finding for build in installed for finding in _build(build)]


def _build(build: NativeBuild) -> list[Finding]:
    name = f"MPI library {build.id}"
    try:
        found = identify(str(build.mpiexec))
    except Problem as problem:
        return [
            Finding(name, Status.BAD, str(problem), f"install it again, or {native.building()}")
        ]
    # Builds for the standard ABI have a version of their own.
    version = found.version if found and build.interface == "abi" else build.version
    if found is None or (found.family, found.version) != (build.family, version):
        told = f"{found.family} {found.version}" if found else "something else"
        return [
            Finding(
                name,
                Status.BAD,
                f"built for {build.library}, but {build.mpiexec} is {told}",
                native.building(build.family),
            )
        ]
    return [
        Finding(name, Status.GOOD, f"{build.library}: {build.mpiexec}"),
        *(
            Finding(f"{build.id}: quirk", Status.NOTE, quirk.what, quirk.advice)
            for quirk in quirks(build.family, version)
        ),
    ]


def pinning(build: NativeBuild, ranks: int) -> Finding:
    """Whether ranks under the library's launcher, called as users do, keep a core of their own.

    Starts a job that looks at its own affinity.
    """
    name = f"pinning by {build.id}"
    program = ["grep", "Cpus_allowed_list", "/proc/self/status"]
    try:
        with Run(launchers.Job(build, ranks, program)) as job:
            lines = [line for line in job.lines(PATIENCE) if line.startswith("Cpus_allowed_list")]
    except (Problem, TimeoutError) as error:
        told = str(error) or f"the launcher said nothing for {PATIENCE:.0f} s"
        return Finding(name, Status.BAD, told, f"try {build.mpiexec} -np {ranks} hostname")
    masks = [set(numbers_of(line.split()[1])) for line in lines]
    if len(masks) != ranks:
        return Finding(name, Status.BAD, f"{len(masks)} of {ranks} ranks started",
                       f"try {build.mpiexec} -np {ranks} hostname")  # fmt: skip
    if ranks == 1 or sum(map(len, masks)) == len(set.union(*masks)):
        return Finding(name, Status.GOOD, f"each of {ranks} ranks has processors of its own")
    return Finding(
        name,
        Status.WARNING,
        f"{ranks} ranks share processors: the system moves them about",
        "mpirun --bind-to core (Open MPI), -bind-to core (Hydra), srun --cpu-bind=cores",
    )


def variables(environment: Mapping[str, str] = os.environ) -> Finding:
    """Variables that change what is measured without being seen."""
    own = [name for name in sorted(environment) if name.startswith(PREFIXES)]
    preload = ["LD_PRELOAD"] if environment.get("LD_PRELOAD") else []
    if not (own or preload):
        return Finding("variables", Status.GOOD, "none that set an MPI library")
    return Finding(
        "variables",
        Status.WARNING,
        ", ".join(f"{name}={environment[name]}" for name in (*own, *preload)),
        "part of what is measured: keep them on purpose (they are recorded), or unset them",
    )


def in_batch_job(environment: Mapping[str, str] = os.environ) -> Finding | None:
    """The batch job that this runs in, and the launcher for it; None outside of one."""
    job = batch.current(environment)
    if job is None:
        return None
    return Finding("batch job", Status.GOOD, str(job), f"measure with {job.system.launcher}")


def slurm() -> Finding | None:
    """The jobs that srun can start, where there is Slurm; else None."""
    try:
        answer = subprocess.run(
            ["srun", "--mpi=list"], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    told = answer.stdout + answer.stderr
    if answer.returncode != 0:
        return Finding("Slurm", Status.UNKNOWN, "srun is here, but not its configuration")
    missing = {
        build.id: interface
        for build in native.installed()
        if (interface := launchers.PMI[build.family]) not in told
    }
    if not missing:
        return Finding("Slurm", Status.GOOD, "srun starts every library: --launcher srun")
    return Finding(
        "Slurm",
        Status.WARNING,
        ", ".join(f"{build} needs --mpi={interface}" for build, interface in missing.items())
        + ", which srun does not have",
        "use --launcher mpirun inside a job",
    )
