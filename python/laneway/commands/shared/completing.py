# SPDX-License-Identifier: BSD-3-Clause
"""What a shell completes the values of options with: names that this installation knows.

Each function is a `shell_complete` of click's. Where nothing can be asked, as without a native
build, nothing completes a word: a shell has no room for a complaint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

import click

from laneway.collectives import OPERATORS
from laneway.errors import Misuse, Problem
from laneway.libraries import native, registry

Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def _completed(names: Callable[[click.Context], Iterable[str]], *, several: bool) -> Completion:
    """Completes a word by names; the last one where there may be `several`, with commas between.

    Of the components, bcast@lane, is only told who has typed the @.
    """

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        with suppress(Misuse, Problem):
            fitting = (each for each in names(context) if each.startswith(last))
            return [before + comma + each for each in fitting if ("@" in each) <= ("@" in last)]
        return []

    return complete


def _build(context: click.Context) -> native.NativeBuild:
    return native.find(context.params.get("mpi"))


def _libraries(_: click.Context) -> Iterable[str]:
    known = native.installed()
    return dict.fromkeys(name for build in known for name in (build.family, build.id))


def _datatypes(_: click.Context) -> Iterable[str]:
    from laneway.decisions.advice import DATATYPES  # noqa: PLC0415 - slow to load

    return dict.fromkeys(DATATYPES.values())


def _algorithms(context: click.Context) -> Iterable[str]:
    """Those of the collectives that are named before, or of all."""
    named = [name for group in context.params.get("named") or () for name in group]
    asked = {*named, *(context.params.get("collectives") or ())}
    known = registry.load(_build(context))
    return dict.fromkeys(each.algorithm for each in known if not asked or each.collective in asked)


def _choices(context: click.Context) -> Iterable[str]:
    return (
        f"{each.collective}{scope}={each.algorithm}"
        for each in registry.load(_build(context))
        for scope in ("", "@node", "@lane")
    )


def _operations(context: click.Context) -> Iterable[str]:
    from laneway.campaign import bench  # noqa: PLC0415 - slow to load

    return (*bench.operations(str(_build(context).bench)), "start")


libraries = _completed(_libraries, several=False)
datatypes = _completed(_datatypes, several=False)
operators = _completed(lambda _: OPERATORS, several=False)
algorithms = _completed(_algorithms, several=True)
choices = _completed(_choices, several=True)
"""Algorithms by collective or component: bcast=lane, bcast@lane=chain."""
operations = _completed(_operations, several=False)
"""Of the benchmark."""
