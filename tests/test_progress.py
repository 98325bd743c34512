# SPDX-License-Identifier: BSD-3-Clause
"""How a command shows that it goes on."""

import io

import pytest
from rich.console import Console

from laneway.commands.shared.progress import NOW_AND_THEN, of_parts
from laneway.simulation import machine, program


def test_without_a_terminal_a_line_comes_now_and_then():
    times = iter([0, 1, NOW_AND_THEN, NOW_AND_THEN, NOW_AND_THEN + 1, 2 * NOW_AND_THEN])
    said = io.StringIO()
    with of_parts(Console(file=said), lambda: next(times)) as told:
        told("too soon", 0.1)
        told("alltoall 1000, ring", 0.25)
        told("too soon again", 0.5)
    assert said.getvalue() == "25% done: alltoall 1000, ring\n"


class EnoughError(Exception):
    """Ends a simulation."""


def test_ranks_of_many_messages_are_told_of_while_they_are_recorded():
    told = []

    def tell(part):
        told.append(part)
        if part > 0:
            raise EnoughError

    call = program.Call("alltoall", "linear", 1, (128,) * 9)
    with pytest.raises(EnoughError):
        [*program.lines("time", {**call.options, **machine.load("example").options}, tell)]
    assert told[0] == 0
    assert 0 < told[1] < 0.3, "recording is the first third"
