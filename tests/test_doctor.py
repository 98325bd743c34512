# SPDX-License-Identifier: BSD-3-Clause
"""`laneway doctor`: what it finds on machines made of files, and on this one."""

import json
from collections import namedtuple
from inspect import signature
from types import SimpleNamespace

import psutil
import pytest

from commands import laneway
from laneway.cluster.spec import ClusterSpec
from laneway.doctor import Status, libraries, processors, rails
from laneway.doctor.finding import Files, numbers_of
from laneway.libraries import native
from laneway.libraries.quirks import quirks

BUILDS = [pytest.param(build, id=build.id) for build in native.installed()]

CPU = "sys/devices/system/cpu"

Times = namedtuple("Times", "user nice system idle iowait irq softirq steal guest guest_nice")
TIMES = Times(50, 0, 0, 40, 0, 0, 0, 10, guest=20, guest_nice=0)
"""The kernel counts a guest's time as the user's, too."""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """`machine({what: value, ...})`: one that has nothing else.

    A value is the text of a file, or what a function of psutil returns.
    """
    monkeypatch.setattr(psutil, "net_if_stats", dict)

    def make(facts):
        for name, value in facts.items():
            if hasattr(psutil, name):
                monkeypatch.setattr(psutil, name, lambda *_, value=value: value)
                continue
            target = tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(f"{value}\n")
        return Files(tmp_path)

    return make


@pytest.mark.parametrize(
    ("text", "numbers"), [("", []), ("0", [0]), ("0-3,8", [0, 1, 2, 3, 8]), ("2,4-5", [2, 4, 5])]
)
def test_sets_of_processors_are_read_as_the_kernel_writes_them(text, numbers):
    assert numbers_of(text) == numbers


@pytest.mark.parametrize(
    ("check", "files", "status", "told"),
    [
        (processors.threads, {f"{CPU}/smt/active": "1"}, Status.WARNING, "two ranks may share"),
        (processors.threads, {f"{CPU}/smt/active": "0"}, Status.GOOD, "off"),
        (processors.threads, {}, Status.UNKNOWN, "does not say"),
        (processors.node_messages, {}, Status.GOOD, "once"),
        (processors.node_messages, {"proc/sys/kernel/yama/ptrace_scope": "1"},
         Status.NOTE, "ptrace_scope is 1"),
        (processors.node_messages, {"proc/sys/kernel/yama/ptrace_scope": "2",
                                    "proc/self/status": "Name:\tx\nCapEff:\t0000000000080000"},
         Status.GOOD, "once"),
        (processors.node_messages, {"proc/sys/kernel/yama/ptrace_scope": "1",
                                    "proc/self/status": "CapEff:\t000001fffff7ffff"},
         Status.NOTE, "ptrace_scope is 1"),
        (processors.node_messages, {"proc/sys/kernel/yama/ptrace_scope": "3",
                                    "proc/self/status": "CapEff:\t000001ffffffffff"},
         Status.NOTE, "ptrace_scope is 3"),
        (processors.governor, {f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
                               f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave"},
         Status.WARNING, "performance, powersave"),
        (processors.governor, {f"{CPU}/cpu0/cpufreq/scaling_governor": "performance"},
         Status.GOOD, "performance"),
        (processors.governor, {}, Status.UNKNOWN, "no cpufreq"),
        (processors.turbo, {f"{CPU}/intel_pstate/no_turbo": "0"}, Status.WARNING, "on"),
        (processors.turbo, {f"{CPU}/cpufreq/boost": "0"}, Status.GOOD, "off"),
        (processors.clock, {"sys/devices/system/clocksource/clocksource0/current_clocksource":
                            "hpet"}, Status.BAD, "hpet"),
        (processors.clock, {"sys/devices/system/clocksource/clocksource0/current_clocksource":
                            "tsc"}, Status.GOOD, "tsc"),
        (processors.hypervisor, {"proc/cpuinfo": "flags\t: fpu hypervisor",
                                 "cpu_times": TIMES},
         Status.BAD, "10.0% of its time"),
        (processors.hypervisor, {"proc/cpuinfo": "flags\t: fpu sse"}, Status.GOOD, "none"),
        (processors.memory, {"virtual_memory": SimpleNamespace(available=2**33),
                             "swap_memory": SimpleNamespace(used=2**30)},
         Status.WARNING, "8.0 GiB free, 1024 MiB"),
        (processors.pages, {"proc/sys/kernel/numa_balancing": "1"}, Status.WARNING, "moves pages"),
        (processors.pages, {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"},
         Status.WARNING, "differs from run to run"),
        (processors.pages, {"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"},
         Status.GOOD, "madvise"),
    ],
)  # fmt: skip
def test_what_a_machine_says_of_itself_is_understood(machine, check, files, status, told):
    files = machine(files)
    finding = check(*[files][: len(signature(check).parameters)])
    assert finding.status is status
    assert told in finding.found
    assert bool(finding.advice) == (status in (Status.WARNING, Status.BAD))


class Working:
    """A process that uses so much of a processor."""

    def __init__(self, name, percent):
        self.info = {"name": name}
        self._percent = percent
        self._asked = False

    def cpu_percent(self):
        if not self._asked:
            self._asked = True
            return 0.0
        if self._percent is None:
            raise psutil.NoSuchProcess(1)
        return self._percent


@pytest.mark.parametrize(
    ("percent", "average", "cores", "told"),
    [
        (20.0, 3.1, 4, (Status.BAD, "end other work")),
        (1.0, 3.1, 4, (Status.BAD, "see what comes and goes (top)")),
        (1.0, 3.1, 64, (Status.GOOD, "")),
        (1.0, 0.1, 4, (Status.GOOD, "")),
    ],
)
def test_a_machine_with_other_work_is_busy(machine, percent, average, cores, told):
    work = [Working("make", 5.0), Working("cc1plus", 98.2), Working("gone", None)]
    machine({"process_iter": work, "cpu_percent": percent, "cpu_count": 8,
             "getloadavg": (average, 2.0, 1.0)})  # fmt: skip
    finding = processors.load(cores)
    assert (finding.status, finding.advice.partition(",")[0]) == told
    assert finding.found == (
        f"{percent * 0.08:.1f} of 8 processors busy (cc1plus 98%), {average} processes running in "
        "the last minute"
    )


def test_processors_that_may_not_be_used_are_told(machine):
    files = machine(
        {"cpu_count": 16}
        | {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": f"{cpu % 8},{cpu % 8 + 8}"
           for cpu in range(16)}
    )  # fmt: skip
    assert processors.cores(files, set(range(16))).found.startswith("8 cores")
    few = processors.cores(files, {0, 1, 8, 9})
    assert few.status is Status.WARNING
    assert few.found == "2 cores in 1 NUMA node; 4 of 16 processors may be used"


def test_a_quota_of_the_control_group_is_found(machine):
    files = machine({"proc/self/cgroup": "0::/job", "sys/fs/cgroup/job/cpu.max": "150000 100000",
                     "sys/fs/cgroup/job/pids.max": "64"})  # fmt: skip
    quota, processes = processors.limits(files, 4)
    assert quota.status is Status.BAD
    assert quota.found.startswith("1.5 of 4 cores' time")
    assert processes.status is Status.WARNING
    free = machine({"sys/fs/cgroup/job/cpu.max": "max 100000", "sys/fs/cgroup/job/pids.max": "max"})
    assert [finding.status for finding in processors.limits(free, 4)] == [Status.GOOD]


@pytest.mark.parametrize(
    ("allowed", "status", "found"),
    [
        ("1024", Status.GOOD, "a process may have 1,024"),
        ("1073741816", Status.WARNING, "a process may have 1,073,741,816"),
        ("unlimited", Status.WARNING, "no limit"),
    ],
)
def test_a_billion_open_files_are_told(machine, allowed, status, found):
    limits = (
        f"Limit   Soft Limit  Hard Limit  Units\nMax open files  {allowed}  1073741816  files\n"
    )
    finding = processors.open_files(machine({"proc/self/limits": limits}))
    assert (finding.status, finding.found) == (status, found)


# ---- rails ----------------------------------------------------------------------------------


def infiniband(device, node, state="4: ACTIVE", rate="100 Gb/sec (4X EDR)", layer="InfiniBand"):
    port = f"sys/class/infiniband/{device}"
    return {f"{port}/ports/1/state": state, f"{port}/ports/1/rate": rate,
            f"{port}/ports/1/link_layer": layer,
            f"{port}/device/numa_node": node}  # fmt: skip


NDR, HDR, EDR, QDR = (f"{rate} Gb/sec" for rate in (400, 200, 100, 40))


def several(numbers, *words):
    return {k: v for n in numbers for k, v in infiniband(f"mlx5_{n}", 0, *words).items()}


def part(device, *words):
    """A function of another device's port (SR-IOV)."""
    return infiniband(device, 0, *words) | {f"sys/class/infiniband/{device}/device/physfn/x": ""}


def slingshot(*numbers):
    """Adapters with an interface each, as HPE's driver has them."""
    of = "sys/class/cxi/cxi{0}/device/net/hsn{0}/{1}"
    return {
        of.format(n, name): value
        for n in numbers
        for name, value in (("speed", "200000"), ("operstate", "up"))
    }


def test_adapters_of_slingshot_are_lanes(machine):
    found = rails.rails(machine(slingshot(0, 1, 2, 3)))
    told = rails.check(found, 1).found
    assert told.startswith("4 lanes: cxi0 (slingshot, 200gbit)"), told


@pytest.mark.parametrize(
    ("devices", "lanes"),
    [
        (several((0, 2, 3, 4, 5, 6, 9, 10), "4: ACTIVE", NDR)
         | several((1, 7), "4: ACTIVE", EDR, "Ethernet")
         | several((8,), "1: DOWN", QDR, "Ethernet"), 8),
        (several((0,)) | part("mlx5_1") | several((2,), "4: ACTIVE", "25 Gb/sec", "Ethernet"), 1),
        (several((0,), "4: ACTIVE", HDR) | several((1,), "4: ACTIVE", QDR, "Ethernet"), 1),
    ],
    ids=["eight", "function", "management"],
)  # fmt: skip
def test_the_doctor_counts_lanes_as_the_library_does(machine, devices, lanes):
    found = rails.rails(machine(devices))
    told = rails.check(found, 1).found
    assert told.startswith(f"{lanes} lane"), told
    assert "slower, or a part of another: mlx5_1:1" in told
    assert [line["lane"] for line in rails.lane_map(found, [0])] == [*range(lanes)]


def test_where_no_native_part_counts_lanes_the_doctor_does_not_guess(machine, monkeypatch):
    monkeypatch.setattr(native, "prefixes", list)
    finding = rails.check(rails.rails(machine(infiniband("mlx5_0", 0))), 1)
    assert (finding.status, finding.advice) == (Status.UNKNOWN, native.building())


def ethernet(*devices, state="up", hardware=True):
    """Devices with their speeds and, if not 0, NUMA nodes."""
    facts = {"net_if_stats": {}}
    for device, speed, *node in devices:
        facts["net_if_stats"][device] = SimpleNamespace(speed=speed, isup=state == "up")
        facts[f"sys/class/net/{device}/type"] = 1
        if hardware:
            facts[f"sys/class/net/{device}/device/numa_node"] = node[0] if node else 0
    return facts


NUMA = {
    "sys/devices/system/node/node0/cpulist": "0-3",
    "sys/devices/system/node/node1/cpulist": "4-7",
}


def test_lanes_are_the_fabric_and_know_the_cores_beside_them(machine):
    files = machine(NUMA | infiniband("mlx5_0", 0) | infiniband("mlx5_1", 1)
                    | ethernet(("eno1", 1000)) | {"sys/class/net/lo/type": "772"})  # fmt: skip
    found = rails.rails(files)
    assert [rail.device for rail in found] == ["mlx5_0:1", "mlx5_1:1", "eno1"]
    assert [rail.device for rail in rails.lanes(found)] == ["mlx5_0:1", "mlx5_1:1"]
    finding = rails.check(found, 2)
    assert finding.status is Status.GOOD
    assert finding.found.startswith("2 lanes: mlx5_0:1 (infiniband, 100gbit at NUMA node 0)")
    lanes = rails.lane_map(found, range(8))
    assert [(lane["lane"], lane["cores"]) for lane in lanes] == [
        (0, [0, 1, 2, 3]),
        (1, [4, 5, 6, 7]),
    ]


@pytest.mark.parametrize(
    ("devices", "status", "told"),
    [
        (infiniband("mlx5_0", 0) | infiniband("mlx5_1", 0), Status.WARNING, "one of 2 NUMA nodes"),
        (infiniband("mlx5_0", 0) | infiniband("mlx5_1", 1, "1: DOWN"), Status.WARNING,
         "down: mlx5_1:1"),
        (infiniband("mlx5_0", 0) | infiniband("mlx5_1", 1, rate=HDR), Status.NOTE,
         "1 lane: mlx5_1:1"),
        (infiniband("mlx5_0", 0), Status.NOTE, "1 lane"),
        (ethernet(("eno1", 1000), state="down"), Status.WARNING, "no device is up"),
        (ethernet(("eno1", 1000), ("ens1", 25_000), ("ens2", 25_000, 1)),
         Status.NOTE, "nobody knows which of them carry messages"),
        (ethernet(("veth0", 10_000), hardware=False), Status.WARNING, "no device is up"),
        (ethernet(("eth0", 0)), Status.NOTE, "Ethernet: eth0 (ethernet, unknown rate"),
    ],
)  # fmt: skip
def test_rails_that_spoil_a_measurement_are_told(machine, devices, status, told):
    finding = rails.check(rails.rails(machine(NUMA | devices)), 2)
    assert (finding.status, told in finding.found) == (status, True), finding


@pytest.mark.parametrize("number", [1, 2])
def test_a_lane_that_is_slower_than_others_is_told_with_the_weights_that_use_it(machine, number):
    fast = infiniband("mlx5_1", 1, rate=HDR) | (
        infiniband("mlx5_2", 0, rate=HDR) if number == 2 else {}
    )
    files = machine(NUMA | infiniband("mlx5_0", 0) | fast | ethernet(("eno1", 1000)))
    finding = rails.check(rails.rails(files), 2)
    assert finding.status is (Status.WARNING if number == 2 else Status.NOTE)
    assert "mlx5_0:1" in finding.found
    weights = "1:2:2" if number == 2 else "1:2"
    assert f"laneway exec --lane-weights {weights};" in finding.advice


def test_the_map_of_a_cluster_has_each_rank_on_its_lane():
    spec = ClusterSpec("two", nodes=2, lanes=2)
    lanes = rails.cluster_map(spec, {0: 4, 1: 3})
    assert [(lane["node"], lane["lane"], lane["local_ranks"]) for lane in lanes] == [
        ("two/node0", 0, [0, 2]),
        ("two/node0", 1, [1, 3]),
        ("two/node1", 0, [0, 2]),
        ("two/node1", 1, [1]),
    ]
    rates = ((200, 100), (200, 20))
    lanes = rails.cluster_map(spec, {0: 4, 1: 3}, rates)
    assert [lane["rate"] for lane in lanes] == [200, 100, 200, 20], "as they are now"


# ---- libraries ------------------------------------------------------------------------------


def test_variables_that_set_a_library_are_told():
    finding = libraries.variables({"UCX_TLS": "tcp", "HOME": "/", "LD_PRELOAD": "spy.so"})
    assert finding.status is Status.WARNING
    assert finding.found == "UCX_TLS=tcp, LD_PRELOAD=spy.so"
    assert libraries.variables({"HOME": "/"}).status is Status.GOOD


def test_inside_a_batch_job_its_launcher_is_named():
    assert libraries.in_batch_job({"SLURM_JOB_ID": "7"}).advice == "measure with --launcher srun"
    assert "machinefile" in libraries.in_batch_job({"PBS_JOBID": "7"}).advice
    assert libraries.in_batch_job({}) is None


def test_quirks_are_those_of_the_version():
    assert any("2046" in quirk.what for quirk in quirks("mpich", "4.0.2"))
    assert not any("2046" in quirk.what for quirk in quirks("mpich", "5.0.1"))
    assert quirks("openmpi", "4.1.4") != quirks("openmpi", "5.0.1")


def sham(tmp_path, script):
    launcher = tmp_path / "mpirun"
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o755)
    return native.NativeBuild(
        "openmpi-9.0", "openmpi", "9.0.1", "Sham 9.0.1", launcher, launcher, tmp_path, "openmpi"
    )


@pytest.mark.parametrize(
    ("script", "status", "told"),
    [
        (
            "echo Cpus_allowed_list: 0; echo Cpus_allowed_list: 1-2",
            Status.GOOD,
            "of its own",
        ),
        ("echo Cpus_allowed_list: 0-1; echo Cpus_allowed_list: 1", Status.WARNING, "share"),
        ("echo Cpus_allowed_list: 0", Status.BAD, "1 of 2 ranks started"),
        ("exit 3", Status.BAD, "0 of 2 ranks started"),
    ],
)
def test_pinning_is_judged_by_the_ranks_own_affinity(tmp_path, script, status, told):
    finding = libraries.pinning(sham(tmp_path, script), 2)
    assert (finding.status, told in finding.found) == (status, True), finding


def test_a_build_for_another_version_is_told(tmp_path):
    (finding,) = libraries.builds([sham(tmp_path, "echo 'mpirun (Open MPI) 4.1.4'")])
    assert finding.status is Status.BAD
    assert "built for Sham 9.0.1" in finding.found
    (finding,) = libraries.builds([])
    assert finding.advice == native.building()


@pytest.mark.parametrize("build", BUILDS)
def test_the_builds_here_fit_their_libraries(build):
    findings = libraries.builds([build])
    assert findings[0].status is Status.GOOD, findings


# ---- the command ----------------------------------------------------------------------------


def test_doctor_tells_all_checks_and_its_exit_code_says_the_worst():
    said = laneway("doctor", "--quick", "--json")
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    findings = [row for row in rows if row["kind"] == "finding"]
    names = {row["check"] for row in findings}
    assert {"cores", "SMT", "governor", "turbo", "load", "clock", "memory", "rails",
            "variables"} <= names  # fmt: skip
    assert said.returncode == any(row["status"] == "bad" for row in findings), said.stderr
    strict = laneway("doctor", "--quick", "--strict")
    assert "what to do" in strict.stdout
    assert "that would mislead" in strict.stdout


@pytest.mark.slow
def test_doctor_tries_launchers_and_a_cluster_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    said = laneway("doctor", "--json")
    names = {row.get("check") for row in map(json.loads, said.stdout.splitlines())}
    assert "emulated cluster" in names
    assert {f"pinning by {build.id}" for build in native.installed()} <= names
    assert not list(tmp_path.rglob("doctor-*"))
