# SPDX-License-Identifier: BSD-3-Clause
"""The limits of what a comparison's figures can show, in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from laneway.modelling import full_speed
from laneway.modelling.floor import Wire
from laneway.rows import Row
from laneway.units import counted

RUNS_FOR_A_DECISION = 5


def caveats(rows: Sequence[Row]) -> list[str]:
    """A sentence or two for each thing that a reader of these rows must know."""
    machines = dict.fromkeys(row["machine"] for row in rows if row.get("simulated"))
    simulated = [
        f"Nothing ran on {each}: all of its times are simulated, by the description of that "
        "machine (docs/simulation.md). Compare algorithms by them, and sizes of machines."
        for each in machines
    ]
    measured = [row for row in rows if not row.get("simulated")]
    if simulated and not any(row["kind"] in ("environment", "sample") for row in measured):
        return simulated
    return simulated + _of_measured(measured)


def _of_measured(rows: Sequence[Row]) -> list[str]:
    environments = [row for row in rows if row["kind"] == "environment"]
    comparisons = [row for row in rows if row["kind"] == "campaign"]
    statistics = dict.fromkeys(row["statistic"] for row in rows if row.get("statistic"))
    if not environments:
        return [f"Times are as another benchmark printed them: {each}." for each in statistics] or [
            "Nothing was measured."
        ]

    told = []
    one_host = all(len(set(row["hosts"])) == 1 for row in environments)
    if one_host:
        told.append(
            "All ranks ran on one machine; its nodes are virtual, so there is no network and there "
            "are no network lanes. The figures show that the algorithms give the right results: "
            "each is checked before it is timed. They show what messages and copies through shared "
            "memory cost. They cannot show what lanes gain: that takes several nodes, or an "
            "emulated cluster."
        )
    clusters = [row for row in environments if row.get("cluster")]
    if clusters:
        told.extend(_of_clusters(clusters, comparisons[0]["machine"]["cores"]))
    cores = [row["machine"]["cores"] for row in comparisons if row.get("oversubscribed")]
    cores += [row["processors"] for row in environments if _crowded(row)]
    if cores:
        told.append(
            f"There were more ranks, or threads of ranks, than cores ({cores[0]}). They waited for "
            "the operating system to let them run. So the times measure its scheduler at least as "
            "much as the algorithms."
        )
        if any(row["library"].startswith("MPICH") for row in environments):
            told.append(
                "MPICH keeps its core while it waits. For these figures a small library in its "
                "ranks gave the core up after each empty poll (liblaneway_yield.so), as Open MPI "
                "does when told to. Without it a job is slower by orders of magnitude."
            )
    runs = min(Counter(row["library"] for row in environments).values())
    if runs == 1:
        told.append(
            "There was one run of mpirun for each library. Whether another gives the same is not "
            "known: take several (`--runs`) for a decision."
        )
    elif runs < RUNS_FOR_A_DECISION:
        told.append(
            f"There were {runs} runs of mpirun for each library. Runs differ from each other, on a "
            "busy machine by tens of percent: take smaller differences for noise, and more runs "
            "(`--runs`) for a decision."
        )
    told.append(
        "A time is that of the slowest rank in one repetition, from a common start to the return "
        "of the call. The median is that of the medians of the runs. The column x native says how "
        "many times as fast as the MPI library itself that is. It comes from the ratios of their "
        "medians in each run. Where native was "
        "measured with ranks that see all lanes and with ranks that see one each, the better "
        "of the two counts."
    )
    if clusters:
        told.append(
            "/ floor: the median over the least time that the lanes allow. No algorithm can get "
            "below 1."
        )
    return told


def _crowded(environment: Row) -> bool:
    """Whether threads shared processors on a real host; on a cluster's they always do."""
    if environment.get("cluster") or "processors" not in environment:
        return False
    ranks = max(Counter(environment["hosts"]).values())
    return bool(ranks * environment["threads"] > environment["processors"])


_UNTIMED = (
    "x native and / floor mean something for times above about 2 ms; times below measure the "
    "scheduler. The lanes have next to no latency: nothing here tells what the latency of a real "
    "network would do to small messages."
)
_TIMED = (
    "A switch keeps the time of every message ({}). Times are those of messages as long as the "
    "machine's own part is small beside that: `laneway cluster check` says how large it is."
)


def _of_clusters(environments: Sequence[Row], cores: int) -> list[str]:
    """The caveats about figures from emulated clusters."""
    wires = dict.fromkeys(wire for row in environments if (wire := Wire.of(row["cluster"])))
    rates = " and ".join(dict.fromkeys(wire.told for wire in wires))
    general = (
        f"The cluster is emulated: its lanes are real network interfaces, limited to {rates}, "
        "whose bytes go through this machine's kernel; all ranks share its "
        f"{counted(cores, 'core')}."
    )
    paces = [wire.pace for wire in wires if wire.timed]
    told = [f"{general} {_TIMED.format('; '.join(paces)) if paces else _UNTIMED}"]
    if note := full_speed.note(wire.slower for wire in wires):
        told.append(f"{note} So time that an algorithm spends on these counts for less here.")
    if any(row["library"].startswith("MPICH") for row in environments):
        told.append(
            "MPICH keeps its core while it waits. A small library in its ranks gave the core up "
            "after each empty poll, as Open MPI does when told to."
        )
    if len({row["cluster"]["lanes"] for row in environments}) == 1:
        told.append(
            "To be faster on two lanes is no proof that both were used: compare with one lane, too "
            "(`laneway compare --lanes 1,2`), and see what each lane carried."
        )
    return told
