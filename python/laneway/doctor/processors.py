# SPDX-License-Identifier: BSD-3-Clause
"""Checks of processors, memory and the operating system."""

from __future__ import annotations

import re
from collections.abc import Set

import psutil

from laneway.doctor.finding import Files, Finding, Status
from laneway.launching import this_machine
from laneway.units import counted

CPU = "sys/devices/system/cpu"

ADMINISTRATORS = 2
"""The ptrace_scope up to which a process with CAP_SYS_PTRACE may enter others; beyond, nobody."""

CAP_SYS_PTRACE = 1 << 19

BUSY = 0.2
"""Load a core from which on other work disturbs."""

WATCHED = 0.3
"""Seconds for which the processors are watched."""

STOLEN = 0.01
"""Share of its time that a hypervisor may take from a machine."""


def cores(files: Files, allowed: Set[int]) -> Finding:
    """Cores that may be used, out of how many."""
    usable = this_machine.cores(allowed, files.root)
    nodes = len([*files.matching("sys/devices/system/node/node[0-9]*")])
    found = f"{counted(usable, 'core')} in {counted(max(1, nodes), 'NUMA node')}"
    processors = psutil.cpu_count() or usable
    if len(allowed) < processors:
        return Finding(
            "cores",
            Status.WARNING,
            f"{found}; {len(allowed)} of {processors} processors may be used",
            "ranks crowd on what is allowed: ask the batch system for whole nodes, or start "
            "without taskset",
        )
    if usable < 4:
        return Finding(
            "cores",
            Status.WARNING,
            found,
            "jobs of more ranks share cores: only times of some milliseconds and more tell "
            "something; on a cluster of your own use --realtime",
        )
    return Finding("cores", Status.GOOD, found)


def threads(files: Files) -> Finding:
    """Whether cores run several hardware threads."""
    active = files.text(f"{CPU}/smt/active")
    if active is None:
        return Finding("SMT", Status.UNKNOWN, "the kernel does not say")
    if active == "0":
        return Finding("SMT", Status.GOOD, "off, or not there")
    return Finding(
        "SMT",
        Status.WARNING,
        "on: two ranks may share a core",
        "bind ranks to cores (mpirun --bind-to core, srun --hint=nomultithread)",
    )


def node_messages(files: Files) -> Finding:
    """How messages can go between processes of a node by shared memory (docs/node-messages.md)."""
    scope = files.number("proc/sys/kernel/yama/ptrace_scope") or 0
    if scope == 0 or (scope <= ADMINISTRATORS and _may_enter_all(files)):
        return Finding("node messages", Status.GOOD, "by shared memory; long ones are copied once")
    return Finding(
        "node messages",
        Status.NOTE,
        "by shared memory; long ones are copied twice, as processes of this user may not "
        f"enter each other's memory (kernel.yama.ptrace_scope is {scope})",
    )


def _may_enter_all(files: Files) -> bool:
    """Whether this process may enter others' memory whatever the scope: as an administrator's."""
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", files.text("proc/self/status") or "", re.MULTILINE)
    return found is not None and bool(int(found[1], 16) & CAP_SYS_PTRACE)


def governor(files: Files) -> Finding:
    """Who decides on the clock rate."""
    named = {
        files.text(path) for path in files.matching(f"{CPU}/cpu[0-9]*/cpufreq/scaling_governor")
    }
    if not named:
        return Finding("governor", Status.UNKNOWN, "no cpufreq: a virtual machine, or fixed clocks")
    told = ", ".join(sorted(filter(None, named)))
    if named == {"performance"}:
        return Finding("governor", Status.GOOD, told)
    return Finding(
        "governor",
        Status.WARNING,
        f"{told}: clock rates follow the load",
        "cpupower frequency-set -g performance",
    )


def turbo(files: Files) -> Finding:
    """Whether clock rates depend on temperature and on neighbours."""
    off = files.number(f"{CPU}/intel_pstate/no_turbo")
    boost = files.number(f"{CPU}/cpufreq/boost")
    if off is None and boost is None:
        return Finding("turbo", Status.UNKNOWN, "the kernel does not say")
    if off == 1 or boost == 0:
        return Finding("turbo", Status.GOOD, "off")
    return Finding(
        "turbo",
        Status.WARNING,
        "on: rates change with temperature and with busy neighbours",
        "compare within one run, as laneway does; for absolute times switch it off in "
        "/sys/devices/system/cpu (intel_pstate/no_turbo or cpufreq/boost)",
    )


def load(available: int) -> Finding:
    """Whether something else is running: now, or in the last minute."""
    busy, most = _busy()
    average = psutil.getloadavg()[0]
    found = (
        f"{busy:.1f} of {psutil.cpu_count()} processors busy{f' ({most})' if most else ''}, "
        f"{average:.1f} processes running in the last minute"
    )
    if busy > BUSY * available:
        return Finding("load", Status.BAD, found, "end other work, or use --realtime")
    if average > BUSY * available:
        return Finding("load", Status.BAD, found, "see what comes and goes (top), or wait a minute")
    return Finding("load", Status.GOOD, found)


def _busy() -> tuple[float, str]:
    """How many processors are busy, and with which processes above all."""
    processes = [*psutil.process_iter(["name"])]
    for each in processes:
        _percent(each)
    busy = psutil.cpu_percent(WATCHED) / 100 * (psutil.cpu_count() or 1)
    shares = sorted(((_percent(each), each.info["name"]) for each in processes), reverse=True)
    return busy, ", ".join(f"{name} {share:.0f}%" for share, name in shares[:3] if share >= 10)


def _percent(process: psutil.Process) -> float:
    """The share of a processor since the last call; none for one that has ended or is hidden."""
    try:
        return float(process.cpu_percent())
    except psutil.Error:
        return 0.0


def hypervisor(files: Files) -> Finding:
    """Whether this is a virtual machine, and what is taken from it."""
    flags = re.search(r"^flags\s*:(.*)$", files.text("proc/cpuinfo") or "", re.MULTILINE)
    if flags is None:
        return Finding("hypervisor", Status.UNKNOWN, "the kernel does not say")
    if "hypervisor" not in flags.group(1).split():
        return Finding("hypervisor", Status.GOOD, "none")
    times = psutil.cpu_times()
    stolen = times.steal / (sum(times) - times.guest - times.guest_nice)
    found = f"a virtual machine; {100 * stolen:.1f}% of its time was taken by others"
    if stolen > STOLEN:
        return Finding("hypervisor", Status.BAD, found, "measure on a machine of your own")
    return Finding(
        "hypervisor",
        Status.WARNING,
        found,
        "its neighbours cannot be seen: take many runs, compare only within runs",
    )


def clock(files: Files) -> Finding:
    """The clock that MPI_Wtime reads."""
    source = files.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
    if source is None:
        return Finding("clock", Status.UNKNOWN, "the kernel does not say")
    if source in (
        "tsc",
        "kvm-clock",
        "arch_sys_counter",
        "timebase",
        "hyperv_clocksource_tsc_page",
    ):
        return Finding("clock", Status.GOOD, f"{source}: read without a system call")
    return Finding(
        "clock",
        Status.BAD,
        f"{source}: each look at the clock takes about a microsecond",
        "boot with clocksource=tsc if the processor's counter is stable",
    )


def limits(files: Files, available: int) -> list[Finding]:
    """Limits of the control group: processor time, memory, processes."""
    path = next(
        (
            line.partition("::")[2].strip("/")
            for line in (files.text("proc/self/cgroup") or "").splitlines()
            if line.startswith("0::")
        ),
        "",
    )
    found = []
    for folder in dict.fromkeys((f"sys/fs/cgroup/{path}".rstrip("/"), "sys/fs/cgroup")):
        quota, _, period = (files.text(f"{folder}/cpu.max") or "max").partition(" ")
        if quota != "max" and int(quota) / int(period) < available:
            found.append(
                Finding(
                    "processor quota",
                    Status.BAD,
                    f"{int(quota) / int(period):.2g} of {available} cores' time: ranks are stopped "
                    "when it is used up",
                    "raise cpu.max of the control group (a container's --cpus)",
                )
            )
            break
    processes = files.text(f"sys/fs/cgroup/{path}".rstrip("/") + "/pids.max")
    if processes and processes != "max" and int(processes) < 1000:
        found.append(
            Finding(
                "process limit",
                Status.WARNING,
                f"{processes} processes and threads",
                "MPI libraries start several threads a rank: raise pids.max",
            )
        )
    return found or [Finding("limits", Status.GOOD, "the control group sets none that matters")]


def open_files(files: Files) -> Finding:
    """How many files a process may have open: mpirun of Open MPI 4 closes each that could be."""
    name = "open files"
    line = re.search(r"^Max open files\s+(\w+)", files.text("proc/self/limits") or "", re.MULTILINE)
    if line is None:
        return Finding(name, Status.UNKNOWN, "the kernel does not say")
    allowed = line.group(1)
    if allowed.isdigit() and int(allowed) <= 1 << 20:
        return Finding(name, Status.GOOD, f"a process may have {int(allowed):,}")
    return Finding(
        name,
        Status.WARNING,
        f"a process may have {int(allowed):,}" if allowed.isdigit() else "no limit",
        "mpirun of Open MPI 4 closes each that could be open before it starts another node, which "
        "takes minutes: ulimit -n 65536",
    )


def memory() -> Finding:
    """Memory that is free, and whether pages are swapped."""
    free = psutil.virtual_memory().available / 1024**3
    swapped = psutil.swap_memory().used / 1024**2
    found = f"{free:.1f} GiB free, {swapped:.0f} MiB swapped out"
    if free < 1 or swapped > 100:
        return Finding("memory", Status.WARNING, found, "end what fills it; swapoff -a")
    return Finding("memory", Status.GOOD, found)


def pages(files: Files) -> Finding:
    """Huge pages that come by themselves, and pages that move between NUMA nodes."""
    mode = re.search(r"\[(\w+)\]", files.text("sys/kernel/mm/transparent_hugepage/enabled") or "")
    moving = files.number("proc/sys/kernel/numa_balancing") or 0
    found = f"transparent huge pages: {mode.group(1) if mode else 'unknown'}"
    if moving:
        return Finding(
            "pages",
            Status.WARNING,
            f"{found}; the kernel moves pages between NUMA nodes",
            "sysctl kernel.numa_balancing=0, and bind ranks",
        )
    if mode and mode.group(1) == "always":
        return Finding(
            "pages",
            Status.WARNING,
            f"{found}: which buffers get them differs from run to run",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        )
    return Finding("pages", Status.GOOD, found)


def realtime(files: Files, *, root: bool) -> Finding:
    """Whether ranks may run undisturbed."""
    budget = files.number("proc/sys/kernel/sched_rt_runtime_us")
    if not root:
        return Finding("real time", Status.UNKNOWN, "needs root: --realtime is not to be had")
    if budget == -1:
        return Finding("real time", Status.GOOD, "ranks under --realtime are never stopped")
    return Finding(
        "real time",
        Status.GOOD,
        f"--realtime works; the kernel keeps {1e6 - (budget or 950_000):,.0f} us of a second",
    )
