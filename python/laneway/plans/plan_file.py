# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a campaign: a TOML file that says what, how often and where."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)

from laneway.campaign.task import Block, Task, heading, patience, shuffled
from laneway.cluster.pace import Pace, asked
from laneway.collectives import EQUAL, OF_A_FILE, VECTORS, blocking, collective
from laneway.errors import Misuse, Problem
from laneway.launching import allocation
from laneway.launching.launchers import PLACEMENTS
from laneway.launching.place import LAUNCHERS, Place, Setting
from laneway.libraries import native
from laneway.libraries.native import NativeBuild
from laneway.plans.points import PlacedPoints, Points
from laneway.plans.start import start_task
from laneway.rows import Row
from laneway.units import is_multiple, parse_seconds, parse_size, parse_sizes


def _several(value: object) -> object:
    """A single value stands for a list of one."""
    return value if isinstance(value, list | tuple) else (value,)


def _sizes(value: object) -> object:
    """Numbers of bytes, spelled as for `-m`; a single one stands for itself, not for a range."""
    several = _several(value)
    assert isinstance(several, list | tuple)  # noqa: S101 - that is what it makes
    found: list[object] = []
    for each in several:
        if isinstance(each, str):
            ranged = ":" in each or "," in each
            found += parse_sizes(each) if ranged else [parse_size(each)]
        else:
            found.append(each)
    return tuple(dict.fromkeys(found))


def _seconds(value: object) -> object:
    """A number of seconds, or a time spelled as on the command line."""
    return parse_seconds(value) if isinstance(value, str) else value


def _text(value: str | int | None) -> str | None:
    return None if value is None else str(value)


def _texts(value: object) -> object:
    several = _several(value)
    assert isinstance(several, list | tuple)  # noqa: S101 - that is what it makes
    return tuple(each if isinstance(each, bool) else str(each) for each in several)


def _collectives(value: object) -> object:
    """Names of collectives; MPI_Bcast is bcast."""
    several = _texts(value)
    assert isinstance(several, tuple)  # noqa: S101 - that is what it makes
    return tuple(collective(str(each)) for each in several)


def _amount(value: object, as_count: ValidatorFunctionWrapHandler) -> object:
    """A count, or a multiple of the number of ranks."""
    return value if isinstance(value, str) and is_multiple(value) else as_count(value)


Word = Annotated[str, Field(pattern=r"^[^\s,]+$")]
Label = Annotated[str, Field(pattern=r"^[^\s,()]+(\([^\s()]*\))?(#[^\s,()]+)?$")]
"""An algorithm, with tunables in parentheses, and what tells it from itself."""
Collectives = Annotated[tuple[Word, ...], BeforeValidator(_collectives), Field(min_length=1)]
Texts = Annotated[tuple[Word, ...], BeforeValidator(_texts), Field(min_length=1)]
Labels = Annotated[tuple[Label, ...], BeforeValidator(_texts), Field(min_length=1)]
Number = Annotated[int, Field(ge=1, lt=2**31)]
Count = Annotated[int, Field(ge=0, lt=2**31)]
Counts = Annotated[tuple[Annotated[Count, WrapValidator(_amount)], ...], BeforeValidator(_several)]
Numbers = Annotated[tuple[Number, ...], BeforeValidator(_several), Field(min_length=1)]
Values = Annotated[tuple[bool | Word, ...], BeforeValidator(_texts), Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PointsTable(_Table):
    """`[[points]]`: axes whose combinations are measured."""

    collectives: Collectives
    algorithms: Labels = ("native",)
    counts: Counts = ()
    sizes: Annotated[tuple[Count, ...], BeforeValidator(_sizes)] = ()
    datatypes: Texts = ("int",)
    ops: Texts = ("sum",)
    roots: Texts = ("0",)
    layouts: Texts = (EQUAL,)
    options: dict[Word, Values] = {}

    @model_validator(mode="after")
    def _counts_or_sizes(self) -> PointsTable:
        files = all(layout.startswith(OF_A_FILE) for layout in self.layouts)
        if files and not (self.counts or self.sizes):
            if others := [name for name in self.collectives if blocking(name) not in VECTORS]:
                raise ValueError(f"a file of counts has none for {', '.join(others)}")
            return self
        if bool(self.counts) == bool(self.sizes):
            raise ValueError("give either counts (as in the MPI call) or sizes (in bytes)")
        return self

    def points(self) -> Points:
        """The axes as the engine takes them."""
        return Points(
            collectives=self.collectives,
            algorithms=self.algorithms,
            counts=self.counts,
            sizes=self.sizes,
            datatypes=self.datatypes,
            ops=self.ops,
            roots=self.roots,
            layouts=self.layouts,
            others={
                name: tuple("" if value is True else str(value) for value in values)
                for name, values in self.options.items()
                if values != (False,)
            },
        )


class RepeatTable(_Table):
    """`[repeat]`: how often, and how long."""

    runs: Number = 10
    time: Annotated[float, BeforeValidator(_seconds), Field(gt=0)] = 1.0
    """The seconds for each point in each run, shared by its algorithms."""
    repetitions: Number = 1000
    seed: Count = 1
    start: bool = False
    """Whether each run times the start of a job, too."""
    silence: Annotated[float, BeforeValidator(_seconds), Field(ge=1)] | None = None
    verify: Annotated[str, Field(pattern="^(always|first)$")] = "first"
    """Whether results are checked in the first run alone, or in each."""


class PlaceTable(_Table):
    """`[place]`: on which machine, by which libraries."""

    mpi: Texts | None = None
    cluster: str = "auto"
    nodes: Number | None = None
    ppn: Numbers | None = None
    lanes: Numbers | None = None
    binding: Texts | None = None
    realtime: bool = False
    placement: Texts = ("node",)
    threads: Numbers = (1,)
    launcher: str | None = None
    launcher_options: str = ""
    rate: str | None = None
    latency: str | int | None = None
    gap: str | int | None = None
    slower: Number | None = None
    slow_motion: bool = False

    @property
    def pace(self) -> Pace:
        """How fast the lanes of a cluster are to be."""
        return asked(
            rate=self.rate,
            latency=_text(self.latency),
            gap=_text(self.gap),
            slower=self.slower,
            preset=self.slow_motion,
        )

    @model_validator(mode="after")
    def _paced(self) -> PlaceTable:
        _ = self.pace  # raises SpecError, a ValueError, for what is no rate or time
        return self

    @field_validator("placement", "launcher")
    @classmethod
    def _known(cls, value: str | tuple[str, ...], info: ValidationInfo) -> str | tuple[str, ...]:
        known = LAUNCHERS if info.field_name == "launcher" else PLACEMENTS
        for each in (value,) if isinstance(value, str) else value:
            if each not in known:
                raise ValueError(f"'{each}' is none of {', '.join(known)}")
        return value

    @field_validator("launcher_options")
    @classmethod
    def _splits(cls, value: str) -> str:
        shlex.split(value)  # raises ValueError where a quotation does not end
        return value

    def wanted(self) -> Iterator[allocation.Wanted]:
        """A place for every combination of the axes."""
        axes = (self.ppn or (None,), self.binding or (None,), self.placement, self.threads)
        for ppn, binding, placement, threads in product(*axes):
            yield allocation.Wanted(
                self.cluster,
                self.nodes,
                ppn,
                self.lanes or (),
                binding,
                realtime=self.realtime,
                options=tuple(shlex.split(self.launcher_options)),
                launcher=self.launcher,
                placement=placement,
                threads=threads,
                pace=self.pace,
            )


class PlanFile(_Table):
    """The whole file."""

    name: str = "campaign"
    points: Annotated[tuple[PointsTable, ...], BeforeValidator(_several), Field(min_length=1)]
    repeat: RepeatTable = RepeatTable()
    place: PlaceTable = PlaceTable()

    def started_by(self, launcher: str | None, options: Sequence[str]) -> PlanFile:
        """The plan with another launcher and more options for it, where these are given."""
        changes: dict[str, str] = {}
        if launcher is not None:
            changes["launcher"] = launcher
        if options:
            words = [*shlex.split(self.place.launcher_options), *options]
            changes["launcher_options"] = shlex.join(words)
        return self.model_copy(update={"place": self.place.model_copy(update=changes)})


def parse(text: str, source: str) -> PlanFile:
    """A plan from its text. Raises Misuse that names what is wrong, and where."""
    try:
        return PlanFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise Misuse(f"{source}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not isinstance(part, bool))
        raise Misuse(f"{source}: {where or 'plan'}: {_complaint(first)}") from error


def key(option: str | None) -> str:
    """Where a plan names an option of laneway-bench."""
    own = {
        "message-size": "sizes",
        **{key.removesuffix("s"): key for key in PointsTable.model_fields},
    }
    return "points" if option is None else f"points.{own.get(option, f'options.{option}')}"


def _complaint(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such key; docs/campaigns.md lists them"
    return str(error["msg"]).removeprefix("Value error, ")


def read(path: Path) -> tuple[PlanFile, str]:
    """A plan and its text from a file. Raises Misuse where there is none or it makes no sense."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise Misuse(f"cannot read the plan {path}: {reason}") from error
    return parse(text, str(path)), text


@dataclass(frozen=True)
class CampaignPlan:
    """A plan on machines that are there."""

    file: PlanFile
    builds: Sequence[NativeBuild]
    settings: Sequence[Setting]

    @property
    def build(self) -> NativeBuild:
        """The first MPI library, to name it."""
        return self.builds[0]

    @property
    def place(self) -> Place:
        """The first place."""
        return self.settings[0].place

    @property
    def runs(self) -> int:
        """How often all tasks are done."""
        return self.file.repeat.runs

    @property
    def patience(self) -> float:
        """Seconds of silence after which a job hangs."""
        repeat = self.file.repeat
        return repeat.silence if repeat.silence is not None else patience(repeat.time)

    def tasks(self, run: int) -> list[Task]:
        """A task for each library in each setting, and one that only starts, if that is timed."""
        makers = [self._task, *([self._start] if self.file.repeat.start else [])]
        return [
            make(build, setting, run)
            for build, setting in product(self.builds, self.settings)
            for make in makers
        ]

    def _start(self, build: NativeBuild, setting: Setting, _: int) -> Task:
        return start_task(build, setting, f"{build.id},{setting.name},start")

    def _task(self, build: NativeBuild, setting: Setting, run: int) -> Task:
        repeat = self.file.repeat
        name = f"{build.id},{setting.name}"
        options = {
            "time": str(repeat.time),
            "repetitions": str(repeat.repetitions),
            "seed": str(repeat.seed),
        }
        if run > 1 and repeat.verify == "first":
            options["verify"] = "no"
        return Task(
            name,
            build,
            setting,
            shuffled(self._blocks(build, setting), repeat.seed, run, name),
            options,
        )

    def _blocks(self, build: NativeBuild, setting: Setting) -> list[Block]:
        """The block of each point once, also where several tables name it."""
        blocks = {
            block.line(): block
            for table in self.file.points
            for block in table.points().blocks(build, setting)
        }
        ids = [block.id for block in blocks.values()]
        for twice in {each for each in ids if ids.count(each) > 1}:
            raise Misuse(f"the plan asks for {twice} twice, with different algorithms: join them")
        return [*blocks.values()]

    def asked(self) -> list[PlacedPoints]:
        """All points, and where they are measured."""
        return [
            PlacedPoints(table.points(), build, setting)
            for build, setting in product(self.builds, self.settings)
            for table in self.file.points
        ]

    def heading(self) -> Row:
        """The first row: name, command, machine."""
        return heading(self.file.name, self.tasks(1), self.file.repeat.seed)


@contextmanager
def settled(file: PlanFile, say: Callable[[str], None]) -> Iterator[CampaignPlan]:
    """The plan on the machines that it asks for; clusters made for it end with the context."""
    builds = [native.find(name) for name in file.place.mpi or (None,)]
    with ExitStack() as clusters:
        settings: list[Setting] = []
        for wanted in file.place.wanted():
            settings += clusters.enter_context(allocation.settings(wanted, say))
        names = [setting.name for setting in settings]
        if len(set(names)) < len(names):
            raise Problem("[place] asks for the same place twice")
        yield CampaignPlan(file, builds, settings)
