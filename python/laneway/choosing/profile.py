# SPDX-License-Identifier: BSD-3-Clause
"""Profiles that use what is recommended: their text, and how to run a program by one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from laneway import files
from laneway.choosing import next_commands
from laneway.choosing.recommendation import Gain, Recommendation, recommendations
from laneway.collectives import OF_UNKNOWN_BYTES
from laneway.libraries import profile_header
from laneway.modelling.lane_weights import LaneWeights
from laneway.results.measurements import Measured
from laneway.rows import NATIVE
from laneway.units import counted, exact_range, ratio


def profile_text(
    recommended: Sequence[Recommendation],
    measured: Measured | None = None,
    tuned: Tuned | None = None,
) -> str:
    """A profile of what is recommended for one MPI library; `measured` says where it comes from.

    Collectives that were `tuned` are native where nothing is recommended, whatever earlier profiles
    say.
    """
    libraries = {each.library for each in recommended} | ({tuned.library} if tuned else set())
    if len(libraries) != 1:
        raise ValueError("a profile is about one MPI library: rules cannot tell them apart")
    library = libraries.pop()
    numbers = {each.where.lanes for each in recommended}
    several = len(numbers) > 1
    provenance = _comment(_provenance(library, recommended, measured))
    when = profile_header.dated("\n".join(provenance))
    lines = [
        "laneway profile 1",
        *provenance,
        f"library {library}",
        *([" ".join(when)] if when else []),
        *(tuned.header if tuned else ()),
        *(_lanes(next(iter(numbers)), measured) if len(numbers) == 1 else []),
    ]
    lines += tuned.elsewhere() if tuned else []
    for each in recommended:
        lines += [
            "",
            *_comment([f"{_told(gain)}, {', '.join(each.datatypes)}" for gain in each.gains]),
        ]
        lines.append(each.rule(with_lanes=several or tuned is not None))
    lines += tuned.kept if tuned else []
    return files.sealed("\n".join(lines) + "\n")


def _lanes(lanes: int | None, measured: Measured | None) -> list[str]:
    """The lanes with which was measured, and the weights that they had in all runs."""
    rows = measured.of_kind("environment") if measured is not None else ()
    told = {str(row.get("settings", {}).get("LANEWAY_LANE_WEIGHTS", "")) for row in rows}
    weights = next(iter(told)) if len(told) == 1 else ""
    fits = weights not in ("", "auto") and LaneWeights.parse(weights).lanes == lanes
    return [f"lanes {lanes} weights {weights}" if fits else f"lanes {lanes}"] if lanes else []


@dataclass(frozen=True)
class Tuned:
    """The parts of a profile of `laneway tune` besides its rules."""

    library: str
    shape: str
    """The conditions of the communicators that were measured: nodes=4 ppn=4 lanes=2."""
    policy: str
    """The profile's use on other shapes: use, ignore."""
    collectives: Sequence[str]
    kept: Sequence[str] = ()
    """Lines of an earlier profile about other collectives."""
    parts: Sequence[Tuned] = ()
    """The parts for each shape by itself, where several were measured."""
    whole: bool = True
    """Whether it covers its collectives at all sizes, or at some alone."""
    place: str = ""
    """The kind of nodes that are no real ones, emulated or virtual: it holds on such alone."""
    left: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    """Least and most bytes of sizes that it leaves undecided, by collective."""

    @property
    def header(self) -> list[str]:
        """The profile's statements before the rules."""
        shapes = [part.shape for part in self.parts] or [self.shape]
        place = [f"place {self.place}"] if self.place else []
        return [*place, *(f"shape {shape}" for shape in shapes), f"elsewhere {self.policy}"]

    def elsewhere(self) -> list[str]:
        """Rules by which native serves all calls that the later rules do not cover."""
        if not self.whole:
            return []
        if self.parts:
            return [line for part in self.parts for line in part.elsewhere()]
        found = [""]
        for name in self.collectives:
            left = self.left.get(name, ())
            found += [f"undecided {name} {self.shape}{_condition(*each)}" for each in left]
            found += [f"{name:<10} {self.shape}{_condition(*each)}  use native"
                      for each in besides([(0, math.inf)], left)]  # fmt: skip
        return found

    def keeping(self, earlier: str) -> Tuned:
        """These parts with the rules of an earlier profile for other collectives.

        That profile must be of the same library, place and shapes: of others nothing is kept.
        """
        lines = earlier.split("\n")
        about = {line for line in lines if line.startswith(("library ", "place ", "shape "))}
        if about != {f"library {self.library}", *self.header[:-1]}:
            return self
        return replace(self, kept=of_others(earlier, self.collectives))


def _condition(least: int, most: float) -> str:
    """A rule's condition for these bytes, after a blank; empty for all sizes."""
    found = exact_range(least, most)
    return f" bytes={found}" if found else ""


def besides(
    ranges: Iterable[tuple[int, float]], others: Iterable[tuple[int, float]]
) -> list[tuple[int, float]]:
    """The parts of ranges of bytes that are outside of others."""
    left = [*ranges]
    for first, last in others:
        parts = [(least, min(most, first - 1)) for least, most in left]
        if last < math.inf:
            parts += [(max(least, int(last) + 1), most) for least, most in left]
        left = sorted({(least, most) for least, most in parts if least <= most})
    return left


def of_others(text: str, collectives: Container[str]) -> list[str]:
    """The rules of a profile for other collectives than these, with the comments above each.

    Lines that say what is undecided of these other collectives are kept, too.
    """
    kept: list[str] = []
    above: list[str] = []
    lines = text.split("\n")
    for line in lines[lines.index("") :] if "" in lines else []:
        if (left := profile_header.undecided(line)) is not None:
            kept += [f"undecided {left}"] if left.partition(" ")[0] not in collectives else []
        elif not line or line.startswith("#"):
            above = [line] if not line else [*above, line]
        else:
            kept += [*above, line] if line.split(" ")[0] not in collectives else []
            above = []
    return kept


@dataclass(frozen=True)
class Profile:
    """A file for one MPI library: rules cannot tell libraries apart."""

    name: str
    """The name of the file."""
    text: str
    recommended: tuple[Recommendation, ...]

    @property
    def library(self) -> str:
        """The MPI library that the profile is about."""
        return self.recommended[0].library


def profiles(measured: Measured) -> list[Profile]:
    """A profile for each library for which something is recommended."""
    by_library: dict[str, list[Recommendation]] = defaultdict(list)
    for each in recommendations(measured):
        by_library[each.library].append(each)
    several = len(measured.libraries) > 1
    return [
        Profile(
            f"profile-{files.slug(library)}.conf" if several else "profile.conf",
            profile_text(own, measured),
            tuple(own),
        )
        for library, own in by_library.items()
    ]


def profile_names(measured: Measured) -> set[str]:
    """All names that profiles of these measurements may have."""
    return {
        "profile.conf",
        *(f"profile-{files.slug(library)}.conf" for library in measured.libraries),
    }


def command(recommended: Recommendation, profile: str) -> str:
    """How to run a program by a profile, where its best gain was measured."""
    where = recommended.where
    return next_commands.command(recommended.environment, where.nodes, where.ppn, profile)


def _comment(texts: Iterable[str]) -> list[str]:
    return [f"# {' '.join(text.split())}".rstrip() for text in texts]


def _provenance(
    library: str, recommended: Sequence[Recommendation], measured: Measured | None
) -> Iterator[str]:
    """Library, place, date, command and version, and what a rule means."""
    yield "Written by laneway from measurements, and anew with each unless somebody has changed it."
    yield "A rule holds at the measured sizes at which its algorithm was shown to be faster than"
    within = any(each.where.binding for each in recommended)
    which = "with the same binding" if within else "at the better of its bindings"
    yield f"native {which}, by more than 5% in tests over runs of mpirun, and"
    yield "between two neighbouring ones of them. Elsewhere serves what would without this file."
    if any(each.collective in OF_UNKNOWN_BYTES for each in recommended):
        yield "Rules of alltoallv, gatherv and scatterv hold at all sizes. Their algorithms were"
        yield "that much faster at one size at least, and at none slower by more than 5%."
    yield ""
    own = measured.of_kind("environment") if measured is not None else []
    own = [row for row in own if row["library"] == library]
    yield from dict.fromkeys(str(each.where) for each in recommended)
    yield from dict.fromkeys(f"{row['place']}" for row in own if row.get("place"))
    yield from dict.fromkeys(f"Laneway {row['laneway']}" for row in own)
    for row in measured.of_kind("campaign") if measured is not None else ():
        yield f"{row['date']}: {row['command']}"


def _told(gain: Gain) -> str:
    floor = f", {gain.above_floor}" if gain.above_floor else ""
    name, longer = gain.runner_up
    following = "" if name == NATIVE else f"; next {name}, {ratio(longer)} times as long"
    return (
        f"{gain.bytes} bytes: {ratio(gain.ratio)} times as fast as native ({ratio(gain.low)} to "
        f"{ratio(gain.high)}, {counted(gain.runs, 'run')}){floor}{following}"
    )
