# SPDX-License-Identifier: BSD-3-Clause
"""The gain within one node: everything that speaks of it says what was measured."""

import re
from statistics import geometric_mean

import pytest

from jobs import ROOT
from laneway.doctor import rails
from laneway.modelling import one_node

COLLECTIVES = {"bcast", "reduce", "allreduce", "allgather"}


def words(page):
    return " ".join((ROOT / page).read_text().split())


def means():
    """The means in the table of docs/node-messages.md: by library, for 4, 8 and 16 processes."""
    page = (ROOT / "docs/node-messages.md").read_text()
    found, library = {}, None
    for line in page[page.index("### On a node of 16 cores") :].splitlines():
        head, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        library = head.partition(":")[0] if ":" in head else library
        if head.rpartition(" ")[2] in COLLECTIVES:
            ratios = [map(float, cell.split()) for cell in cells if cell]
            for row in zip(*ratios, strict=True):
                found.setdefault(library, []).append(row)
    return {
        library: [f"{geometric_mean(sum(rows[number::3], ())):.2f}" for number in range(3)]
        for library, rows in found.items()
    }


def test_the_figures_are_those_that_were_measured():
    found = means()
    every = [float(mean) for own in found.values() for mean in own]
    assert (min(every), max(every)) == one_node.GAIN
    for page in ("README.md", "docs/node-messages.md"):
        for own in found.values():
            assert "{}, {} and {}".format(*own) in words(page), page


@pytest.mark.parametrize("page", ["docs/decisions.md", "docs/node-messages.md"])
def test_pages_say_what_the_commands_say(page):
    assert one_node.SENTENCE in words(page)


def test_the_doctor_says_so_of_a_machine_with_one_lane():
    facts = {"device": "mlx5_0:1", "rate": 10**10, "up": True, "numa_node": None, "cores": ()}
    for one in (
        rails.Rail(**facts, kind="infiniband", lane=True),
        rails.Rail(**facts, kind="ethernet", lane=None),
    ):
        finding = rails.check([one], 1)
        assert one_node.SENTENCE in finding.advice
        assert not re.search("nothing|cannot", finding.advice)
