# SPDX-License-Identifier: BSD-3-Clause
"""Completions of options' values in a shell: names that this installation knows.

Each function is a `shell_complete` of click's. Where nothing can be asked, as without a native
build, nothing completes a word: a shell has no room for a complaint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress

import click

from laneway.collectives import LAYOUTS, NONBLOCKING, OPERATORS, WITH_VECTORS, collective
from laneway.errors import Misuse, Problem
from laneway.libraries import native, registry

_TYPED = re.compile(r"((?:[^()]|\([^()]*\))*,)?([^,(]*(?:\(.*)?)")
"""The words that are complete, up to a comma outside of parentheses, and the last one."""

Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def _completed(
    names: Callable[[click.Context], Iterable[str]],
    *,
    several: bool,
    spelled: Callable[[str], str] = str,
) -> Completion:
    """Completes a word by names; the last one where there may be `several`, with commas between.

    Components, bcast@lane, are offered only once the @ is typed. Tunables, as chain(segment=, are
    offered once the parenthesis is typed; those before the last one stay as they are. `spelled`
    says how Laneway writes the typed word.
    """

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        found = _TYPED.fullmatch(incomplete) if several else None
        before, last = found.groups("") if found else ("", incomplete)
        head, parenthesis, inside = spelled(last).partition("(")
        tuned, comma, begun = inside.rpartition(",")
        last, kept = head + parenthesis + begun, before + head + parenthesis + tuned + comma
        with suppress(Misuse, Problem):
            return [
                kept + each.removeprefix(head + parenthesis)
                for each in names(context)
                if each.startswith(last) and all((mark in each) <= (mark in last) for mark in "@(")
            ]
        return []

    return complete


def among(names: Iterable[str], *, several: bool = False) -> Completion:
    """Completes by names that the option itself knows."""
    fixed = tuple(names)
    return _completed(lambda _: fixed, several=several)


def _build(context: click.Context) -> native.NativeBuild:
    return native.find(context.params.get("mpi"))


def _libraries(_: click.Context) -> Iterable[str]:
    known = native.installed()
    return dict.fromkeys(name for build in known for name in (build.family, build.id))


def _datatypes(_: click.Context) -> Iterable[str]:
    from laneway.decisions.advice import DATATYPES  # noqa: PLC0415 - slow to load

    return dict.fromkeys(DATATYPES.values())


def _collectives(_: click.Context) -> Iterable[str]:
    return (*WITH_VECTORS, *NONBLOCKING)


def _components(context: click.Context) -> Iterable[str]:
    return (f"{name}{scope}" for name in _collectives(context) for scope in _SCOPES)


def _named(context: click.Context) -> set[str]:
    """The words typed before, in any option or argument; collectives are among them."""
    asked = context.params
    groups = [*(asked.get("named") or ()), asked.get("collectives") or (), asked.get("words") or ()]
    return {collective(word) for group in (*groups, [asked.get("collective") or ""])
            for word in group}  # fmt: skip


def _algorithms(context: click.Context) -> Iterable[str]:
    """The algorithms of the collectives named before, or of all; with their tunables."""
    known = registry.load(_build(context))
    named = _named(context)
    own = [each for each in known if each.collective in named] or known
    return dict.fromkeys(word for each in own for word in _tuned(each))


def _tuned(entry: registry.Algorithm) -> Iterable[str]:
    """An algorithm, alone and with each of its tunables: chain, chain(segment=."""
    return (entry.algorithm, *(f"{entry.algorithm}({each.name}=" for each in entry.tunables))


def _choices(context: click.Context) -> Iterable[str]:
    return (
        f"{each.collective}{scope}={word}"
        for each in registry.load(_build(context))
        for scope in _SCOPES
        for word in _tuned(each)
    )


def _operations(context: click.Context) -> Iterable[str]:
    """Operations of the benchmark; or behind an option of it, the option's values."""
    from laneway.campaign import bench  # noqa: PLC0415 - slow to load

    words = context.params.get("words") or ("",)
    if words[-1] in _OF_THE_BENCHMARK:
        return _OF_THE_BENCHMARK[words[-1]](context)
    return (*bench.operations(str(_build(context).bench)), "start")


def options_of_the_benchmark(context: click.Context, incomplete: str) -> list[str]:
    """The options of laneway-bench that begin so."""
    from laneway.campaign import bench  # noqa: PLC0415 - slow to load

    with suppress(Misuse, Problem):
        known = bench.options(str(_build(context).bench))
        return [
            each
            for each in known
            if each.startswith(incomplete) and each not in bench.WITHOUT_A_JOB
        ]
    return []


def _machines(_: click.Context) -> Iterable[str]:
    from laneway.simulation import machine  # noqa: PLC0415 - not every command simulates

    return machine.names()


def _natives(_: click.Context) -> Iterable[str]:
    from laneway.simulation import native as described  # noqa: PLC0415 - as above

    return described.names()


def _references(_: click.Context) -> Iterable[str]:
    from laneway.results import reference  # noqa: PLC0415 - only what shows measurements has them

    return ("all", *reference.names())


def _clusters(_: click.Context) -> Iterable[str]:
    from laneway.cluster.cluster import Cluster  # noqa: PLC0415 - not every command has one

    return ("auto", "none", *(each.spec.name for each in Cluster.all()))


_SCOPES = ("", "@node", "@lane")
_OF_THE_BENCHMARK: dict[str, Callable[[click.Context], Iterable[str]]] = {
    **dict.fromkeys(("-a", "--algorithm"), _algorithms),
    **dict.fromkeys(("-O", "--op"), lambda _: OPERATORS),
    **dict.fromkeys(("-T", "--datatype"), _datatypes),
}

libraries = _completed(_libraries, several=False)
datatypes = _completed(_datatypes, several=False)
operators = among(OPERATORS)
layouts = among(LAYOUTS)
collectives = _completed(_collectives, several=False, spelled=collective)
components = _completed(_components, several=False, spelled=collective)
"""Collectives, also as parts of an algorithm: bcast@lane."""
algorithm = _completed(_algorithms, several=False)
algorithms = _completed(_algorithms, several=True)
choices = _completed(_choices, several=True)
"""Algorithms by collective or component: bcast=lane, bcast@lane=chain."""
operations = _completed(_operations, several=True)
"""Operations of the benchmark, and values of its options."""
machines = _completed(_machines, several=True)
"""Descriptions that --machine finds by their names."""
natives = _completed(_natives, several=False)
"""Native profiles."""
references = _completed(_references, several=False)
"""Machines of which there are published figures."""
clusters = _completed(_clusters, several=False)
