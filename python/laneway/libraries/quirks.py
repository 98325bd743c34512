# SPDX-License-Identifier: BSD-3-Clause
"""Facts known of single versions of the MPI libraries, for whoever measures with them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quirk:
    """Something to know of an MPI library when measuring with it."""

    family: str
    releases: str
    """The beginning of its version; empty: all."""
    what: str
    advice: str


QUIRKS = (
    Quirk(
        "openmpi",
        "4.",
        "ranks that each see all lanes cut only large messages over them, never eager ones",
        "compare with ranks bound to a lane each (--native best does)",
    ),
    Quirk(
        "openmpi",
        "4.",
        "with PMIX_MCA_gds=hash and mpirun on a node without ranks, jobs of several nodes may hang",
        "unset PMIX_MCA_gds (jobs on emulated clusters do)",
    ),
    Quirk(
        "openmpi",
        "4.",
        "before 4.1.6 its component han may crash in an allreduce of several segments on nodes",
        "leave coll_han_priority low (measurements leave native:han out there)",
    ),
    Quirk(
        "openmpi",
        "5.",
        "prterun may print 'setpgid failed' where a child ends early",
        "take no notice: a harmless race",
    ),
    Quirk(
        "mpich",
        "",
        "ranks that wait keep their core: with more ranks than cores a job crawls",
        "laneway preloads liblaneway_yield.so then; in your own jobs do the same, or start fewer",
    ),
    Quirk(
        "mpich",
        "4.0",
        "fails after 2046 communicators, and may hang in MPI_Finalize over UCX's TCP",
        "earlier measurements are kept; MPICH 4.1 and later end cleanly",
    ),
    Quirk(
        "mpich",
        "4.0",
        "persistent gather, scatter and allgather copy blocks when made, not when started: wrong "
        "results, or the job ends",
        "leave them to Laneway (its own rules do), or use the blocking calls",
    ),
    Quirk(
        "mpich",
        "",
        "under srun without --mpi=pmi2 each rank believes to be alone, and says nothing",
        "use --launcher srun, which asks for it",
    ),
)


def quirks(family: str, version: str) -> list[Quirk]:
    """The facts known of a version of an MPI library."""
    return [
        quirk for quirk in QUIRKS if quirk.family == family and version.startswith(quirk.releases)
    ]
