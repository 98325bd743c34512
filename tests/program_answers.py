# SPDX-License-Identifier: BSD-3-Clause
"""The answers of real programs: results by name, from their output and working folders."""

import re
from collections import Counter
from pathlib import Path

Answer = dict[str, float | str]

IMB = (
    *("Bcast", "Allreduce", "Reduce", "Reduce_scatter_block", "Allgather", "Gather", "Scatter"),
    *("Alltoall", "Barrier", "Allgatherv", "Gatherv", "Scatterv", "Alltoallv", "Reduce_scatter"),
)


def rows_of_imb(output: str, _: Path) -> Answer:
    """How many sizes of each benchmark were measured, and whether it came to its end."""
    answer: Answer = {}
    benchmark = ""
    for line in output.splitlines():
        if found := re.match(r"# Benchmarking (\w+)", line):
            benchmark = found.group(1)
        elif benchmark and re.match(r"\s+\d+(\s+[\d.]+)+$", line):
            answer[benchmark] = float(answer.get(benchmark, 0)) + 1
    answer["end"] = "All processes entering MPI_Finalize" in output
    return answer


def summary_of_hpcc(_: str, folder: Path, *, exactly: bool = True) -> Answer:
    """The results that it verifies, without times and rates.

    Not `exactly`: RandomAccess may find wrong what it takes for passed, 1% of its table. On slow
    lanes the library's own runs find up to 203 of 2,097,152 wrong, another number each time.
    """
    report = (folder / "hpccoutf.txt").read_text()
    values = dict(re.findall(r"^(\w+)=(\S*)$", report, re.MULTILINE))
    names = ["Success", "MPIRandomAccess_Errors", "MPIRandomAccess_LCG_Errors", "PTRANS_residual"]
    names += ["HPL_RnormI", "HPL_Xnorm1", "HPL_XnormI", "HPL_BnormI", "MPIFFT_maxErr"]
    answer: Answer = {name: float(values[name]) for name in names}
    # The norms of a residual are rounding errors themselves: they must be small, not equal.
    for name in ("HPL_RnormI", "MPIFFT_maxErr"):
        answer[name] = float(answer[name]) < 1e-10
    if not exactly:
        for name in ("MPIRandomAccess_Errors", "MPIRandomAccess_LCG_Errors"):
            answer[name] = float(values[f"{name}Fraction"]) < 0.01
    # PTRANS prints a line by the processor's clock only where that clock has moved on meanwhile.
    report = re.sub(r"^CPU .*\n", "", report, flags=re.MULTILINE)
    answer["passed"] = len(re.findall(r"PASSED|\(passed\)|Solution Validates", report))
    answer["failed"] = len(re.findall(r"FAILED|\(failed\)", report))
    return answer


def thermodynamics(output: str, _: Path) -> Answer:
    """Every column of every line of LAMMPS's table."""
    lines = iter(output.splitlines())
    names: list[str] = next(line.split() for line in lines if line.split()[:1] == ["Step"])
    answer: Answer = {}
    for line in lines:
        if line.startswith("Loop time"):
            return answer
        step, *values = map(float, line.split())
        for name, value in zip(names[1:], values, strict=True):
            answer[f"{name} at {step:.0f}"] = value
    return {"end": "missing"}


def energies(output: str, _: Path) -> Answer:
    """The total energy of each iteration, and of the end."""
    found = re.findall(r"total energy\s+=\s+(\S+) Ry", output)
    return {f"energy {i}": float(value) for i, value in enumerate(found)}


def residuals(output: str, _: Path) -> Answer:
    """How many tests of ScaLAPACK passed, failed and were skipped."""
    found = re.findall(r"^\s*(\d+) tests ([a-z ]+)", output, re.MULTILINE)
    return {kind.strip(): float(count) for count, kind in found}


def named_values(output: str, _: Path) -> Answer:
    """Lines of a name and a number, or a word."""
    found = re.findall(r"^([a-z].*): (True|False|[-+.\de]+)$", output, re.MULTILINE)
    return {name: value if value in ("True", "False") else float(value) for name, value in found}


def unittest(_: str, folder: Path) -> Answer:
    """On how many ranks Python's unittest says what."""
    said = "".join(path.read_text() for path in folder.glob("said.*"))
    found = re.findall(r"^Ran \d+ tests|^OK.*|^FAILED.*", said, re.MULTILINE)
    return {result: float(ranks) for result, ranks in Counter(found).items()}


def approximations(output: str, _: Path) -> Answer:
    """The values that the demonstration finds for pi."""
    found = re.findall(r"pi is approximately ([\d.]+)", output)
    return {f"value {i}": float(value) for i, value in enumerate(found)}


def spectrum(output: str, _: Path) -> Answer:
    """The power of the spectrum, and whether the inverse transform came back."""
    found = re.search(r"power (\S+) deviation (\S+)", output)
    return {"power": float(found.group(1)), "deviation": found.group(2)} if found else {}


def checked_sizes(output: str, _: Path) -> Answer:
    """The sizes of NetPIPE that passed its check of the data."""
    return {
        "passed": len(re.findall(r"Integrity check passed", output)),
        "failed": len(re.findall(r"(?i)check failed", output)),
    }
