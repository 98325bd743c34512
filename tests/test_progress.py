# SPDX-License-Identifier: BSD-3-Clause
"""How a command shows that it goes on where there is no terminal for a bar."""

import io

from rich.console import Console

from laneway.commands.shared.progress import NOW_AND_THEN, of_parts


def test_without_a_terminal_a_line_comes_now_and_then():
    times = iter([0, 1, NOW_AND_THEN, NOW_AND_THEN, NOW_AND_THEN + 1, 2 * NOW_AND_THEN])
    said = io.StringIO()
    with of_parts(Console(file=said), lambda: next(times)) as told:
        told("too soon", 0.1)
        told("alltoall 1000, ring", 0.25)
        told("too soon again", 0.5)
    assert said.getvalue() == "25% done: alltoall 1000, ring\n"
