# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe: the command `laneway`, with the native build for one MPI library or the wheel's.

In a clone of the repository: spack repo add packaging/spack, then

    spack install laneway ^openmpi      compiles for one MPI library
    spack install laneway@0.1.0         after `make wheel`: compiles nothing, serves all libraries
"""

import hashlib
from pathlib import Path

from spack.package import *

CLONE = Path(__file__).resolve().parents[3]


class Laneway(PythonPackage):
    """MPI collectives for nodes with several network lanes."""

    # Laneway has no public address yet. The recipe builds the clone that it stands in; copied into
    # a site's own Spack repository it is told of the site's clone in packages.yaml:
    #     packages:
    #       laneway:
    #         package_attributes:
    #           git: https://git.example.org/laneway.git
    git = str(CLONE) if (CLONE / ".git").exists() else None

    license("BSD-3-Clause AND MIT")

    version("main", branch="main")

    # The wheels that lie in the clone. Spack hands a wheel that it does not expand to pip.
    for wheel in sorted((CLONE / "dist").glob("laneway-*-manylinux*.whl")):
        version(
            wheel.name.split("-")[1],
            sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
            url=wheel.as_uri(),
            expand=False,
        )

    depends_on("python@3.11:", type=("build", "run"))
    with when("@main"):
        depends_on("c", type="build")
        depends_on("cxx", type="build")
        depends_on("cmake@3.22:", type="build")
        depends_on("ninja", type="build")
        depends_on("mpi@3.1:")
        depends_on("py-scikit-build-core@0.11:", type="build")
    with default_args(type="run"):
        depends_on("py-click@8.1:")
        depends_on("py-jinja2@3.1:")
        depends_on("py-matplotlib@3.7:")
        depends_on("py-numpy@1.24:")
        depends_on("py-plotly@6:")
        depends_on("py-polars@1.20:")
        depends_on("py-pydantic@2.6:")
        depends_on("py-psutil@5.9.4:")
        depends_on("py-pyroute2@0.7:")
        depends_on("py-rich@13:")
        depends_on("py-scipy@1.13:")

    conflicts("%gcc@:10", when="@main", msg="Laneway is written in C++20")

    def config_settings(self, spec, prefix):  # noqa: ARG002 - as Spack calls it
        return {"cmake.define.MPI_C_COMPILER": spec["mpi"].mpicc}

    def setup_run_environment(self, env):
        env.set("LANEWAY_PREFIX", self.prefix)
        preloads = [*Path(self.prefix).glob("lib/laneway/*/lib/liblaneway_preload.so")]
        # Of a wheel's builds `laneway exec` takes the one that fits the program.
        if len(preloads) == 1:
            env.set("LANEWAY_PRELOAD", str(preloads[0]))
