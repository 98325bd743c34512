# SPDX-License-Identifier: BSD-3-Clause
"""Runs of laneway-bench, for the tests of it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
    found = [*rows.read(outcome.output.splitlines())]
    wrong = [misfit for row in found for misfit in misfits({"launch": 1, **row})]
    assert not wrong, wrong[0]
    return found


SCHEMA = json.loads((jobs.ROOT / "docs" / "rows.schema.json").read_text())
KINDS = {each["properties"]["kind"]["const"]: each for each in SCHEMA["$defs"].values()}
TYPES = {"array": list, "boolean": bool, "integer": int, "null": type(None), "number": (int, float),
         "object": dict, "string": str}  # fmt: skip


def misfits(row: rows.Row) -> Iterator[str]:
    """The ways in which a benchmark's row misses docs/rows.schema.json; no key is unnamed."""
    kind = KINDS[row["kind"]]
    for name in {*kind["required"]} - row.keys():
        yield f"{row['kind']} without {name}"
    for name, value in row.items():
        if name not in kind["properties"] or not fits(value, kind["properties"][name]):
            yield f"{row['kind']}: {name} {value!r}"


def fits(value: Any, schema: dict[str, Any]) -> bool:
    if "const" in schema:
        return bool(value == schema["const"])
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, bool):
        return "boolean" in types
    within = schema.get("items") or schema.get("additionalProperties")
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(value, TYPES[each]) for each in types) and all(
        fits(part, within) for part in parts if within
    )


def of_kind(kind: str, found: list[rows.Row]) -> list[rows.Row]:
    return [row for row in found if row["kind"] == kind]
