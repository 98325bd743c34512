# SPDX-License-Identifier: BSD-3-Clause
"""docs/papers.md: how many points of the papers there are, and that its commands run."""

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from commands import laneway

PAGE = (Path(__file__).parents[1] / "docs" / "papers.md").read_text()
STATES = ("done", "partly", "missing")


def rows():
    """The cells of the page's tables: names first, states last."""
    for line in PAGE.splitlines():
        if line.startswith("| ") and not line.startswith("| in the paper"):
            yield [cell.strip() for cell in line.strip("| ").split(" | ")]


COMMANDS = [cell.strip("`") for row in rows() for cell in row if cell.startswith("`laneway ")]


def test_points_are_counted():
    found = Counter(row[-1].partition(":")[0] for row in rows())
    assert {*found} <= {*STATES}
    said = re.search(r"are (\d+) points: (\d+) are done, (\d+) partly, (\d+) are\s+missing", PAGE)
    assert [*map(int, said.groups())] == [found.total(), *(found[state] for state in STATES)]


def test_what_is_not_done_says_what_is_left():
    for row in rows():
        state, _, left = row[-1].partition(": ")
        assert bool(left) == (state != "done"), row[0]


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_every_command_runs(command, tmp_path):
    _, *words = shlex.split(command)
    said = laneway(*words, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert said.stdout


def test_the_chapters_commands_are_studies():
    """The studies run in small forms in test_studies.py."""
    listed = laneway("study", "list").stdout
    for name in re.findall(r"`laneway study\s(\w+)", PAGE):
        assert name in listed
