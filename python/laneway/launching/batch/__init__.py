# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts for batch systems: they run a `laneway` command on the nodes of a job."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from laneway import helpers
from laneway.errors import Problem


@dataclass(frozen=True)
class BatchSystem:
    """A batch system: how a script is handed in, and how its jobs are known."""

    name: str
    submit: str
    """The command that reads a script from standard input; empty: no scripts are made for it."""
    title: str
    variables: tuple[str, ...]
    """Variables by which a job is known: the first one that is set names it."""
    launcher: str
    """The options by which a command measures the nodes of the job that it is called in."""
    file: str = ""
    """A variable that is set in its jobs besides, where others have those that name a job, too."""


def _hosts_in(variable: str) -> str:
    """The launcher's options where a variable names the file of a job's hosts."""
    return f'--launcher mpirun --launcher-options "-machinefile ${variable}"'


_NOTICED = (
    # First those that run in the jobs of others.
    BatchSystem("flux", "", "Flux", ("FLUX_JOB_ID", "FLUX_ENCLOSING_ID"), "--launcher flux"),
    BatchSystem("slurm", "sbatch", "Slurm", ("SLURM_JOB_ID",), "--launcher srun"),
    BatchSystem("pbs", "qsub", "PBS", ("PBS_JOBID",), _hosts_in("PBS_NODEFILE")),
    BatchSystem("pjm", "pjsub", "PJM", ("PJM_JOBID",), "--launcher mpirun"),
    BatchSystem("lsf", "bsub", "LSF", ("LSB_JOBID",), _hosts_in("LSB_DJOB_HOSTFILE")),
    BatchSystem("cobalt", "", "Cobalt", ("COBALT_JOBID",), _hosts_in("COBALT_NODEFILE")),
    BatchSystem("sge", "", "Grid Engine", ("JOB_ID",), "--launcher mpirun", file="PE_HOSTFILE"),
)
"""The batch systems whose jobs are noticed."""

SYSTEMS = {system.name: system for system in _NOTICED if system.submit}
"""Those batch systems that scripts are handed in to: Slurm, PBS Professional and OpenPBS, Fujitsu's
Parallel Job Manager, LSF. Grid Engine wants the name of a site's parallel environment."""


@dataclass(frozen=True)
class BatchJob:
    """The job that this process is in."""

    system: BatchSystem
    id: str

    def __str__(self) -> str:
        return f"{self.system.title} job {self.id}"


def current(environment: Mapping[str, str] = os.environ) -> BatchJob | None:
    """The batch job that this process is in; None outside of one."""
    for system in _NOTICED:
        jobs = [job for name in system.variables if (job := environment.get(name))]
        if jobs and (not system.file or environment.get(system.file)):
            return BatchJob(system, jobs[0])
    return None


@dataclass(frozen=True)
class Script:
    """A job: the command to run, its nodes, and its time limit."""

    system: BatchSystem
    arguments: Sequence[str]
    """The arguments of `laneway`, without the launcher's."""
    nodes: int
    ppn: int
    walltime: str = "01:00:00"
    """Hours, minutes and seconds."""
    options: Sequence[str] = ()
    """More directives: partition, account and the like."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """The environment whose variables of Laneway's go into the job."""

    def text(self) -> str:
        """The script, as the batch system reads it."""
        import jinja2

        templates = jinja2.Environment(  # noqa: S701 - a shell script, not HTML
            loader=jinja2.FileSystemLoader(Path(__file__).parent),
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            undefined=jinja2.StrictUndefined,
        )
        return templates.get_template(f"{self.system.name}.sh.j2").render(
            name=f"laneway-{self.arguments[0] if self.arguments else 'job'}",
            nodes=self.nodes,
            ppn=self.ppn,
            walltime=self.walltime,
            minutes=_minutes(self.walltime),
            options=self.options,
            variables={
                name: shlex.quote(value)
                for name, value in sorted(self.environment.items())
                if name.startswith("LANEWAY_")
            },
            command=shlex.join(helpers.module("laneway", *self.arguments)),
        )

    def submit(self) -> str:
        """Hands the script in; returns what the batch system answers, which names the job.

        Raises Problem where there is no such batch system here, or it refuses.
        """
        command = self.system.submit
        try:
            answer = subprocess.run(
                [command], input=self.text(), capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise Problem(
                f"cannot run {command}: {error.strerror}; --dry-run prints the script, to be "
                "handed in elsewhere"
            ) from error
        if answer.returncode != 0:
            raise Problem(f"{command} refused the job: {answer.stderr.strip()}")
        return answer.stdout.strip()


def _minutes(walltime: str) -> int:
    """Hours, minutes and seconds as minutes, rounded up."""
    hours, minutes, seconds = map(int, walltime.split(":"))
    return 60 * hours + minutes + (seconds > 0)


def without(arguments: Sequence[str], options: Mapping[str, bool]) -> list[str]:
    """Arguments without the named options; the mapping says whether an option takes a value."""
    kept = []
    rest = iter(arguments)
    for word in rest:
        name = word.partition("=")[0]
        if name not in options:
            kept.append(word)
        elif options[name] and "=" not in word:
            next(rest, None)
    return kept


def is_walltime(text: str) -> bool:
    """Whether a text is a time as all batch systems read it: hours, minutes, seconds."""
    return re.fullmatch(r"\d{1,3}:[0-5]\d:[0-5]\d", text) is not None
