# SPDX-License-Identifier: BSD-3-Clause
"""Variables for the ranks of a launcher's command line, beside those that it gives them itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from laneway.errors import Misuse
from laneway.interposition.mpirun import AppContext
from laneway.launching.launchers import forward

_PRELOAD = "LD_PRELOAD"
_LIST = "mca_base_env_list"
_DELIMITER = ";"

Merge = Callable[[str], str]
"""LD_PRELOAD for ranks that were to be given this one."""


def give(
    parts: Sequence[AppContext],
    family: str,
    variables: Mapping[str, str],
    environment: Mapping[str, str],
    merge: Merge,
) -> dict[str, str]:
    """Gives variables to the ranks of `parts`; returns the environment that the launcher needs.

    An LD_PRELOAD that the command line sets is taken out of it and merged.
    """
    if family == "openmpi":
        if (changed := _extend_list(parts[0], variables, environment, merge)) is not None:
            return changed
        for part in parts:  # -x is for the ranks of one part
            part.given = forward(family, {**variables, **_taken(part, {"x"}, environment, merge)})
        return dict(environment)
    everywhere = dict(variables)
    for part in parts:
        everywhere |= _taken(part, {"genv"}, environment, merge)
        for name, value in _taken(part, {"env"}, environment, merge).items():
            part.given += ["-env", name, value]
    parts[0].given = [*forward(family, everywhere), *parts[0].given]
    return dict(environment)


def _taken(
    part: AppContext, options: set[str], environment: Mapping[str, str], merge: Merge
) -> dict[str, str]:
    """Takes LD_PRELOAD out of a part's options; what the last of them makes it, merged."""
    found = {}
    for option in list(part.options):
        set_here = option.assignment() if option.name in options else None
        if set_here is not None and set_here[0] == _PRELOAD:
            part.options.remove(option)
            found = {_PRELOAD: merge(_value(set_here[1], environment))}
    return found


def _value(given: str | None, environment: Mapping[str, str]) -> str:
    """A variable of the ranks that is given its value here if no other."""
    return environment.get(_PRELOAD, "") if given is None else given


def _extend_list(
    part: AppContext, variables: Mapping[str, str], environment: Mapping[str, str], merge: Merge
) -> dict[str, str] | None:
    """Adds variables to Open MPI's list of them, beside which it allows no -x, where there is one.

    It counts in the environment, and on the command line before the first colon.
    """
    options = [
        option
        for option in part.options
        if option.name in {"mca", "gmca"} and option.values[:-1] == [_LIST]
    ]
    listed = options[-1].values[1] if options else environment.get(f"OMPI_MCA_{_LIST}")
    if listed is None:
        return None
    variables = dict(variables)
    kept = []
    for entry in listed.split(_DELIMITER):
        name, equals, value = entry.partition("=")
        if name == _PRELOAD:
            variables[_PRELOAD] = merge(_value(value if equals else None, environment))
        elif entry:
            kept.append(entry)
    if any(_DELIMITER in value for value in variables.values()):
        raise Misuse(f"beside Open MPI's {_LIST} no setting may hold a '{_DELIMITER}'")
    extended = _DELIMITER.join([*kept, *(f"{name}={v}" for name, v in variables.items())])
    if not options:
        return {**environment, f"OMPI_MCA_{_LIST}": extended}
    options[-1].words[2] = extended
    return dict(environment)
