# SPDX-License-Identifier: BSD-3-Clause
"""The studies that there are: one for each module of `papers`."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import cast

from laneway.errors import Misuse
from laneway_studies import papers
from laneway_studies.study import Study


def names() -> list[str]:
    """The names of all studies, without loading them."""
    return sorted(module.name for module in pkgutil.iter_modules(papers.__path__))


def load(name: str) -> Study:
    """The study of a name: STUDY of its module. Raises Misuse where there is none."""
    if name not in names():
        raise Misuse(f"no study '{name}'; known: {', '.join(names())}")
    return cast("Study", import_module(f"{papers.__name__}.{name}").STUDY)
