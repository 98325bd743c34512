# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of other benchmarks that were damaged at random: no time stands under another's name."""

import os
import random
from collections import Counter

import pytest

from laneway.errors import Misuse
from laneway.results.imports import parse
from laneway.results.imports.table import DamageError
from test_import_formats import OUTPUTS, VARIANTS

SEEDS = 20
"""Mutations of each text. LANEWAY_TEST_SEEDS asks for more."""

WHOLE = [
    text.replace("\n# OSU", "\n\n# OSU")
    for text in (
        *(path.read_text() for path in sorted(OUTPUTS.glob("*.txt"))),
        *(path.read_text() for path in sorted((OUTPUTS / "violated").glob("*-0.txt"))),
        *(text for text, _, told in VARIANTS.values() if "under no head" not in str(told)),
    )
    if "Energy" not in text
]
"""Outputs with a blank line before each title, as benchmarks print them."""

NOISE = (
    "WARNING: 3 devices", "slurmstepd: error: *** STEP ***", "# srun: job 4711", "12 of 13 done",
    "", "#----", "\x00\x00\x00", "7 8 9", "[1,3]<stderr>:4 5.00", "é\u2028x",
)  # fmt: skip


def is_title(line):
    return "OSU" in line or "Benchmarking" in line


def mutated(lines, chance):
    """Lines with what was at random done to them, and the number of the line each one was."""
    kept = [*enumerate(lines)]
    others = [line for line in lines if not is_title(line)]
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(kept))
        _, line = kept[at]
        place = chance.randint(0, len(line))
        match chance.randrange(8):
            case 0:
                del kept[at]
            case 1:
                kept.insert(at, (None, chance.choice(NOISE)))
            case 2:
                kept[at] = (None, line[:place] + chance.choice("0x.#-[]e ") + line[place:])
            case 3:
                kept[at] = (None, line[:place] + line[place + 1 :])
            case 4:
                kept[at] = (None, line[:place])
            case 5:
                kept[at : at + 2] = [(None, "".join(each for _, each in kept[at : at + 2]))]
            case 6:
                kept.insert(at, (None, chance.choice(others)))
            case _:
                del kept[at:]
        if not kept:
            return [*enumerate(lines)]
    return kept


def check(text, seed):
    """Whatever was done to other lines, a line that is whole has its own name, or none."""
    lines = text.split("\n")
    right = {
        entry.line - 1: (entry.collective, entry.bytes, entry.time_us)
        for entry in parse(text).entries
    }
    kept = mutated(lines, random.Random(seed))  # noqa: S311 - damage, no secrets
    try:
        found = parse("\n".join(line for _, line in kept))
    except (Misuse, DamageError):
        return
    titles = {line for line in lines if is_title(line)}
    if not {line for _, line in kept if is_title(line)} <= titles:
        return  # a title that has become another one's names what comes after it
    lost = Counter(lines) - Counter(line for _, line in kept)
    if lost[""] and any(map(is_title, lost)):
        return  # the datatype that comes next may be another one of the collective before
    for entry in found.entries:
        number, line = kept[entry.line - 1]
        if number is not None:
            own = (entry.collective, entry.bytes, entry.time_us)
            assert own == right.get(number), (entry, line)
    named = {line for each in found.left_out for line in each.lines}
    read = {entry.line for entry in found.entries}
    for position, (number, line) in enumerate(kept, 1):
        assert number not in right or position in named | read, line


@pytest.mark.parametrize("text", WHOLE, ids=range(len(WHOLE)))
def test_no_time_gets_under_another_name(text):
    for seed in range(int(os.environ.get("LANEWAY_TEST_SEEDS", SEEDS))):
        check(text, seed)
