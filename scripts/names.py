#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a public type of the Python part has a name of its own: one name, one thing.

Usage: names.py [FOLDER]...      (default: python and packages beside this folder)

Types are classes, wherever they stand, and aliases at the top of a module. Type variables mean
nothing outside the function that they stand at, and what begins with an underscore nothing outside
its module. Functions may share a name: they are called by that of their module (`machine.load`,
`native.load`), types by their own.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

_TYPE = re.compile(r"[A-Z]\w*[a-z]\w*")
"""How the name of a type is written; that of a constant has no small letters."""


def _is_variable(value: ast.expr | None) -> bool:
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Name) and called.id in ("TypeVar", "ParamSpec")


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """The aliases that a statement at the top of a module makes."""
    match statement:
        case ast.Assign(targets=targets, value=value) if not _is_variable(value):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def types(text: str) -> Iterator[str]:
    """The names of the public types that a module defines."""
    tree = ast.parse(text)
    yield from (
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    for statement in tree.body:
        yield from filter(_TYPE.fullmatch, _assigned(statement))


def modules_of_types(folders: Iterable[Path]) -> dict[str, list[str]]:
    """By the name of a type, the modules that define one of this name; one twice if it has two."""
    modules = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            for name in types(path.read_text()):
                modules[name].append(path.relative_to(folder).as_posix())
    return modules


def complaints(modules: dict[str, list[str]]) -> Iterator[str]:
    """Names of several types, a line each."""
    for name, where in sorted(modules.items()):
        if len(where) > 1:
            yield f"{name} names {len(where)} types: {', '.join(where)}"


def main() -> int:
    """Returns the exit code."""
    beside = [Path(__file__).parents[1] / folder for folder in ("python", "packages")]
    found = [*complaints(modules_of_types([*map(Path, sys.argv[1:])] or beside))]
    for line in found:
        print(f"names: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
