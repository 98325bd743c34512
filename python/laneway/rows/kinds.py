# SPDX-License-Identifier: BSD-3-Clause
"""The contents of rows, a type for each kind; docs/rows.schema.json is made of these.

Readers rely on the required keys in every row of a kind that a campaign has kept. The benchmark, a
simulation or an import of another benchmark's output may have written it. Times are in
microseconds unless said.
"""

# Without `from __future__ import annotations`: `NotRequired` has no effect in a text.

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar, cast, get_args

OnLanes = list[list[int]]
"""Numbers by node and lane, or device."""


RunNumber = Annotated[int, "number of the run in its campaign, from 1"]
LaunchNumber = Annotated[int, "the start of the launcher, from 1"]
BlockName = Annotated[str, "block of a plan, which counts once its row of kind block is there"]
TaskName = Annotated[str, "the setting of a campaign"]


class _OfALaunch(TypedDict):
    """The job of a campaign that wrote a row."""

    launch: NotRequired[LaunchNumber]
    block: NotRequired[BlockName]
    task: NotRequired[TaskName]


class _OfARun(_OfALaunch):
    """The run in which a row was written."""

    run: NotRequired[RunNumber]


class _About(TypedDict):
    """The call that is measured."""

    collective: Annotated[str, "collective, or another operation, such as pingpong or start"]
    algorithm: Annotated[str, "`native`: the MPI library's own choice"]
    count: Annotated[int, "as in the MPI call; 0 where there is none; a layout's mean"]
    layout: NotRequired[Annotated[str | None, "layout of a vector collective's blocks"]]
    layout_digest: NotRequired[Annotated[str, "digest of the counts, where a file has them"]]


class _Placed(TypedDict):
    """The nodes, lanes and library of a measurement."""

    nodes: Annotated[int | None, "null: not known"]
    ppn: Annotated[int | None, "processes a node, the most of one; null: not known"]
    unequal: NotRequired[Annotated[str | None, "processes of each node; null: all have as many"]]
    lanes: Annotated[int | None, "lanes of a node; null: as the library finds"]
    library: Annotated[str, "the MPI library, in short"]
    binding: Annotated[str, "lanes of its node that a rank sees: lane, all or one"]


class _Case(_About, _Placed):
    """The keys that tell cases apart; keys that are not named here do so, too."""

    datatype: str
    bytes: Annotated[int, "count times the datatype's size"]
    ranks: NotRequired[Annotated[int | None, "null: not known"]]
    op: NotRequired[Annotated[str | None, "null: it does not reduce"]]
    root: NotRequired[Annotated[int | str | None, "a rank, or `rotate`; null: it has none"]]
    in_place: NotRequired[Annotated[bool | None, "null: it has no such form"]]
    cold: NotRequired[Annotated[bool, "buffers are out of the caches"]]
    sync: NotRequired[Annotated[str, "how ranks begin together: barrier, clock or none"]]
    arrival: NotRequired[Annotated[str, "which pattern ranks arrive by"]]
    arrival_us: NotRequired[float]
    placement: NotRequired[
        Annotated[str | None, "order of ranks on nodes; null: as the launcher does"]
    ]
    delay: NotRequired[Annotated[float, "so many times as long as it takes, for tests"]]
    latency_us: NotRequired[Annotated[float, "latency of an emulated lane"]]
    gap_us: NotRequired[Annotated[float, "gap of an emulated lane"]]
    rate_mbit: NotRequired[Annotated[float, "rate of an emulated lane"]]
    slower: NotRequired[Annotated[float, "times than the machine that a cluster stands for"]]


class _Timed(_Case):
    """How a case is timed."""

    threads: NotRequired[int]
    inner_repetitions: NotRequired[Annotated[int, "calls that one repetition times together"]]


class _Simulated(TypedDict):
    """Further keys in rows of simulated machines."""

    simulated: NotRequired[bool]
    machine: NotRequired[Annotated[str, "the one that is simulated"]]


class CampaignRow(_OfARun):
    """A campaign begins: the command, the machine and the place."""

    kind: Literal["campaign"]
    command: str
    date: Annotated[str, "UTC, in ISO 8601"]
    machine: Annotated[dict[str, Any], "the machine that starts the jobs"]
    cluster: Annotated[dict[str, Any] | None, "the emulated one; null: none"]
    name: NotRequired[str]
    job: NotRequired[Annotated[str, "the command line of the first job"]]
    laneway: NotRequired[Annotated[str, "version"]]
    seed: NotRequired[int]
    oversubscribed: NotRequired[Annotated[bool, "more ranks than cores"]]
    load: NotRequired[Annotated[float, "load of the machine in the minute before"]]
    place: NotRequired[str]
    realtime: NotRequired[bool]


class EnvironmentRow(_Simulated, _OfARun):
    """A job begins: MPI library, hosts and settings as the ranks found them."""

    kind: Literal["environment"]
    library: str
    library_version: Annotated[str, "as the library says itself"]
    laneway: Annotated[str, "version"]
    hosts: Annotated[list[str], "host of each rank"]
    settings: Annotated[dict[str, str], "variables that set Laneway or the MPI library"]
    date: NotRequired[Annotated[str, "UTC, in ISO 8601"]]
    ranks: NotRequired[int]
    nodes: NotRequired[int]
    ppn: NotRequired[int]
    threads: NotRequired[int]
    processors: NotRequired[Annotated[int, "processors of rank 0's host"]]
    hardware: NotRequired[Annotated[dict[str, str], "ranks on each kind of host"]]
    command: NotRequired[list[str]]
    place: NotRequired[str]
    cluster: NotRequired[dict[str, Any] | None]
    realtime: NotRequired[bool]
    launched: NotRequired[Annotated[dict[str, Any] | None, "how, on an emulated cluster"]]
    started: NotRequired[Annotated[list[str], "how to start another program in the same way"]]


class _OfASimulation(_Simulated):
    """Further keys in simulated samples."""

    components: NotRequired[Annotated[str, "components of algorithms: rounds, bytes or native"]]
    busiest_lane: NotRequired[Annotated[dict[str, Any], "name, bytes, messages, busy (a share)"]]
    busiest_link: NotRequired[Annotated[dict[str, Any], "link of a network, with the same facts"]]
    bound_by: NotRequired[Annotated[dict[str, float], "shares of the time by their causes"]]
    native: NotRequired[Annotated[str, "the description of the MPI library"]]
    inferred: NotRequired[Annotated[bool, "by published times alone a rule of it is known"]]
    stand_in: NotRequired[Annotated[str, "the library whose rules are taken instead"]]


class _OfAnImport(TypedDict):
    """Further keys in samples of another benchmark's output."""

    benchmark: NotRequired[str]
    source: NotRequired[Annotated[str, "file and line"]]
    min_us: NotRequired[float]
    max_us: NotRequired[float]


class SampleRow(_Timed, _OfASimulation, _OfAnImport, _OfALaunch):
    """One repetition of one case."""

    kind: Literal["sample"]
    run: RunNumber
    time_us: Annotated[float, "time of the slowest rank, unless `statistic` says otherwise"]
    served_by: NotRequired[Annotated[str, "the algorithm that served"]]
    repetition: NotRequired[Annotated[int, "number of the repetition in its run, from 0"]]
    statistic: NotRequired[Annotated[str, "statistic that the time is"]]
    longest: NotRequired[Annotated[int, "count of a vector collective's longest block"]]
    crossing: NotRequired[
        Annotated[
            dict[str, Any],
            "traffic of a vector collective between nodes: `bytes` and `peers` of the node that "
            "has most, and whether all peers are `mutual`",
        ]
    ]
    mean_us: NotRequired[Annotated[float, "mean of the ranks"]]
    fastest_us: NotRequired[Annotated[float, "time of the fastest rank"]]
    skew_us: NotRequired[Annotated[float, "between the first rank's start and the last one's"]]
    planned_skew_us: NotRequired[float]
    last_us: NotRequired[Annotated[float, "from the last rank's start to the last one's end"]]
    late: NotRequired[Annotated[int | None, "ranks that missed the start; null: not by the clock"]]


class AveragesRow(_Timed, _OfARun):
    """A case ends: its times as OSU's and IMB's benchmarks print them."""

    kind: Literal["averages"]
    repetitions: int
    avg_us: Annotated[float, "mean over ranks of each rank's mean"]
    min_us: Annotated[float, "the least of these"]
    max_us: Annotated[float, "the most of these"]
    median_us: Annotated[float, "median of the slowest rank's times"]
    low_us: Annotated[float | None, "least of the median's interval; null: too few repetitions"]
    high_us: float | None
    confidence: Annotated[float, "confidence of that interval"]
    late: Annotated[int | None, "how often some rank missed a start; null: not by the clock"]
    stopped_by: Annotated[str, "repetitions, time, precision or dropped"]


class OverlapRow(_Timed, _OfARun):
    """How much of a nonblocking call a computation hides."""

    kind: Literal["overlap"]
    repetitions: int
    pure_us: Annotated[float, "the call alone"]
    whole_us: Annotated[float, "the call with a computation as long as it"]
    overlap: Annotated[float, "the share that is hidden, from 0 to 1"]


class CarriedRow(_Case, _OfARun):
    """Bytes that network devices carried in the repetitions of a case, [node][device]."""

    kind: Literal["carried"]
    inner_repetitions: int
    threads: int
    repetitions: int
    devices: Annotated[list[str], "by name"]
    tx_bytes: OnLanes
    rx_bytes: OnLanes


class ProbeRow(_Placed, _OfARun):
    """One repetition of a probe's pattern."""

    kind: Literal["probe"]
    probe: str
    collective: str
    algorithm: str
    count: int
    datatype: str
    bytes: int
    communicator: Annotated[str, "world, node or lane"]
    virtual_lanes: Annotated[int | None, "processes of a node that send; null: all"]
    processes: int
    node: NotRequired[Annotated[int, "sends to the next one, while all others wait"]]
    process: NotRequired[Annotated[int, "of each of these two nodes"]]
    window: NotRequired[Annotated[int, "messages that are under way at once"]]
    inner_repetitions: int
    network_bytes: Annotated[list[int], "sent by process 0, 1 ... of a node over the network"]
    repetition: int
    time_us: float


class TrafficRow(_Placed, _OfARun):
    """Bytes that network devices sent in some repetitions of a probe's pattern."""

    kind: Literal["traffic"]
    probe: str
    collective: str
    algorithm: str
    count: int
    datatype: str
    bytes: int
    communicator: str
    virtual_lanes: int | None
    processes: int
    node: NotRequired[Annotated[int, "exchanges with the next one, while all others wait"]]
    process: NotRequired[Annotated[int, "of each of these two nodes"]]
    window: NotRequired[int]
    inner_repetitions: int
    network_bytes: list[int]
    repetitions: int
    devices: list[str]
    tx_bytes: Annotated[list[int], "by device, of all nodes"]


class CountersRow(_OfARun):
    """The traffic of an emulated cluster's lanes during a job, [node][lane]."""

    kind: Literal["counters"]
    lanes: int | None
    binding: str
    tx_bytes_before: NotRequired[Annotated[OnLanes, "since the cluster was made"]]
    tx_bytes: OnLanes
    rx_bytes: OnLanes
    drops: Annotated[OnLanes, "packets"]


class NoteRow(_About, _OfARun):
    """An algorithm that did not serve a case, or was dropped."""

    kind: Literal["note"]
    datatype: NotRequired[str]
    bytes: NotRequired[int]
    message: str


class ErrorRow(_About, _OfARun):
    """A wrong result."""

    kind: Literal["error"]
    datatype: NotRequired[str]
    bytes: NotRequired[int]
    message: str


class BlockRow(TypedDict):
    """A block of a plan is complete."""

    kind: Literal["block"]
    run: NotRequired[RunNumber]
    launch: LaunchNumber
    block: BlockName
    task: NotRequired[TaskName]
    samples: NotRequired[Annotated[int, "how many"]]
    seconds: NotRequired[float]
    repeating_s: NotRequired[Annotated[float, "repetitions, with their synchronised starts"]]
    timed_s: NotRequired[Annotated[float, "the sum of the slowest rank's times"]]


class EndRow(_OfARun):
    """A job has ended."""

    kind: Literal["end"]
    handed: NotRequired[Annotated[bool, "it did not start the job, which did other blocks before"]]
    code: Annotated[int | None, "its exit code; null: it had to be ended"]
    seconds: float


class FailureRow(_OfARun):
    """A job broke off."""

    kind: Literal["failure"]
    message: str
    stderr: NotRequired[Annotated[str, "the end of what it said"]]
    during: NotRequired[Annotated[str | None, "the first block that was not done"]]


class ChangedRow(_OfARun):
    """A campaign went on although its environment was another one."""

    kind: Literal["changed"]
    date: str
    changes: list[str]


class StartRow(_OfARun):
    """Times when ranks began, by the clock of rank 0's node.

    A campaign's folder has times since before the launcher, the benchmark prints them since 1970.
    """

    kind: Literal["start"]
    ranks: int
    nodes: int
    ppn: int
    library: str
    first_us: NotRequired[Annotated[float, "the first rank is in main"]]
    last_us: NotRequired[Annotated[float, "the last rank is in main"]]
    main_first_us: NotRequired[Annotated[float, "the first rank is in main, since 1970"]]
    main_last_us: NotRequired[Annotated[float, "the last rank is in main, since 1970"]]
    init_first_us: Annotated[float, "the first rank has returned from MPI_Init"]
    init_last_us: Annotated[float, "the last rank has returned from MPI_Init"]
    serves_requests: NotRequired[
        Annotated[bool, "nonblocking and persistent collectives can be served with the library"]
    ]


class ClockRow(_OfARun):
    """The clocks of ranks against rank 0's."""

    kind: Literal["clock"]
    clocks: Annotated[int, "how many different ones"]
    offset_us: Annotated[list[float], "by rank"]
    drift_ppm: Annotated[list[float], "by rank"]
    rtt_us: Annotated[list[float], "the shortest round trip, by rank"]


class ProgressRow(_OfARun):
    """How far a job is; not kept."""

    kind: Literal["progress"]
    done: Annotated[float, "cases, in part"]
    total: int


class HopsRow(_OfARun):
    """Round trips between the first rank and the last one."""

    kind: Literal["hops"]
    times_us: list[float]


class OverheadRow(_OfARun):
    """The time that the preload adds to a call."""

    kind: Literal["overhead"]
    collective: str
    bytes: int
    ranks: int
    library: str
    provider: Annotated[str, "the file that the function is from"]
    blocks: int
    calls: Annotated[int, "calls of a block"]
    mpi_us: Annotated[float, "by its name"]
    pmpi_us: Annotated[float, "by PMPI"]
    difference_ns: Annotated[float, "nanoseconds"]
    difference_percent: float


class RequestsRow(_OfARun):
    """The time that a form of a call takes: blocking, nonblocking or persistent."""

    kind: Literal["requests"]
    collective: str
    form: str
    algorithm: str
    bytes: int
    ranks: int
    library: str
    blocks: int
    calls: Annotated[int, "calls of a block"]
    us: Annotated[float, "time of a call"]
    over_native_blocking: float
    overlap: NotRequired[float]
    added_us: NotRequired[Annotated[float, "beside a computation"]]


AnyRow = (
    CampaignRow
    | EnvironmentRow
    | SampleRow
    | AveragesRow
    | OverlapRow
    | CarriedRow
    | ProbeRow
    | TrafficRow
    | CountersRow
    | NoteRow
    | ErrorRow
    | BlockRow
    | EndRow
    | FailureRow
    | ChangedRow
    | StartRow
    | ClockRow
    | ProgressRow
    | HopsRow
    | OverheadRow
    | RequestsRow
)

Kind = TypeVar("Kind")


def name_of(kind: Any) -> str:
    """The `kind` of the rows of a type."""
    return str(get_args(kind.__annotations__["kind"])[0])


def of_kind(rows: Iterable[Mapping[str, Any]], kind: type[Kind]) -> Iterator[Kind]:
    """The rows of a type among others."""
    name = name_of(kind)
    return (cast(Kind, row) for row in rows if row["kind"] == name)
