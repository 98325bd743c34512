# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe, of use where it stands: in a clone of the repository, which it builds.

spack repo add packaging/spack, then spack install laneway ^openmpi
"""

from pathlib import Path

from spack.package import *


class Laneway(CMakePackage):
    """MPI collectives for nodes with several network lanes."""

    git = str(Path(__file__).resolve().parents[3])

    license("BSD-3-Clause")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("mpi@3.1:")

    conflicts("%gcc@:10", msg="Laneway is written in C++20")

    def cmake_args(self):
        return [self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc)]

    def setup_run_environment(self, env):
        env.set("LANEWAY_PRELOAD", join_path(self.prefix.lib, "liblaneway_preload.so"))
        env.set("LANEWAY_PROFILE_DIR", join_path(self.prefix.etc, "laneway"))
