#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The JSON schema of rows, from their types in python/laneway/rows/kinds.py.

    scripts/rows_schema.py [--check] FILE

Writes it to a file. With --check nothing is written: exit code 1 where the file holds another one.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from laneway.rows import kinds

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TYPES = {
    bool: "boolean", dict: "object", float: "number", int: "integer", NoneType: "null",
    str: "string",
}  # fmt: skip


def of(type_: Any) -> dict[str, Any]:
    """The schema of a value of a type."""
    arguments = get_args(type_)
    match get_origin(type_) or type_:
        case origin if origin in (NotRequired, Annotated):
            described = {"description": arguments[1]} if len(arguments) > 1 else {}
            return {**described, **of(arguments[0])}
        case origin if origin is Literal:
            return {"const": arguments[0]}
        case origin if origin is UnionType:
            return {"type": [_TYPES[get_origin(each) or each] for each in arguments]}
        case origin if origin is list:
            return {"type": "array", "items": of(arguments[0])}
        case origin if origin is dict and arguments[1] is not Any:
            return {"type": "object", "additionalProperties": of(arguments[1])}
        case origin:
            return {"type": _TYPES[origin]}


def of_row(row: Any) -> dict[str, Any]:
    """The schema of a kind of rows."""
    hints = get_type_hints(row, include_extras=True)
    kind = hints.pop("kind")
    return {
        "description": inspect.getdoc(row),
        "type": "object",
        "properties": {name: of(type_) for name, type_ in {"kind": kind, **hints}.items()},
        "required": ["kind", *(name for name in hints if name in row.__required_keys__)],
    }


def schema() -> dict[str, Any]:
    """The schema of any row: its kind says which keys it has."""
    rows = get_args(kinds.AnyRow)
    return {
        "$schema": DIALECT,
        "title": "Rows of Laneway",
        "description": "A line of rows.jsonl. Keys that are not named tell cases apart, too.",
        "oneOf": [{"$ref": f"#/$defs/{row.__name__}"} for row in rows],
        "$defs": {row.__name__: of_row(row) for row in rows},
    }


def main() -> int:
    """Writes the file anew, or checks it."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--check", action="store_true", help="write nothing")
    asked.add_argument("file", type=Path, metavar="FILE")
    options = asked.parse_args()
    text = json.dumps(schema(), indent=1) + "\n"
    if not options.check:
        options.file.write_text(text, encoding="utf-8")
    elif not options.file.exists() or options.file.read_text(encoding="utf-8") != text:
        print(
            f"{options.file}: not as types of rows say: {sys.argv[0]} {options.file}",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
