# SPDX-License-Identifier: BSD-3-Clause
"""Runs of laneway-bench, for the tests of it."""

from collections.abc import Sequence
from pathlib import Path

import jobs
from laneway import rows
from laneway.libraries.native import NativeBuild


def measured(
    build: NativeBuild,
    ranks: int,
    *options: object,
    code: int = 0,
    preload: Sequence[Path] = (),
    **environment: object,
) -> list[rows.Row]:
    """The rows of a run."""
    outcome = jobs.run(build, ranks, [build.bench, *options], preload=preload, **environment)
    assert outcome.code == code, outcome.told
    return [*rows.read(outcome.output.splitlines())]


def of_kind(kind: str, found: list[rows.Row]) -> list[rows.Row]:
    return [row for row in found if row["kind"] == kind]
