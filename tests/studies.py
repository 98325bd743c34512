# SPDX-License-Identifier: BSD-3-Clause
"""Rows as a study gets them, and what it says of them."""

import random

from laneway_studies import folder, registry, simulated
from laneway_studies.study import StudyPart, TimesOrigin, parts

MEASURED_ON = {"nodes": 2, "ppn": 1, "lanes": 1, "library": "Sham 1.0", "binding": "all"}
"""Where rows were measured, unless something else is said."""


def sample(collective, algorithm="native", **facts):
    """A measured time: 64 bytes that took 5 us, unless something else is said."""
    return {
        "kind": "sample", "run": 1, **MEASURED_ON, "collective": collective,
        "algorithm": algorithm, "count": 64, "datatype": "byte", "bytes": 64, "time_us": 5.0,
        **facts,
    }  # fmt: skip


def measured(collective, times, runs=6, **facts):
    """Rows of times by algorithm, nodes and bytes, with noise of 1%."""
    noise = random.Random(7)  # noqa: S311
    place = {
        "kind": "environment", "library": "Sham 1.0", "library_version": "Sham", "laneway": "1",
        "hosts": ["a"], "settings": {}, "place": "64 nodes of a test",
    }  # fmt: skip
    return [
        place,
        *(
            sample(
                collective, algorithm, run=run, count=size // 8, datatype="double", bytes=size,
                nodes=nodes, ranks=nodes, time_us=time * noise.gauss(1, 0.01), **facts,
            )
            for run in range(1, runs + 1)
            for (algorithm, nodes, size), time in times.items()
        ),
    ]  # fmt: skip


def told(name, rows, origin=None, **words):
    """The sections of a study on rows of one origin, by their titles; nothing is drawn."""
    study = registry.load(name)
    part = StudyPart(TimesOrigin(origin), rows, study.asked(words))
    (found,) = folder.told(study, [part])
    return {section.title: section for section in found.sections}


def sections(name, rows, **words):
    """The lines of what a study says of rows, by section, whatever their origins are."""
    study = registry.load(name)
    found = folder.told(study, parts(rows, study.asked(words)))
    lines = {}
    for line in folder.lines(found):
        lines.setdefault(line["section"], []).append(line)
    return lines


def simulated_rows(points, machine):
    """The rows of points on a machine, which nobody keeps."""
    return simulated.found([*points], machine, [], lambda _: None, lambda *_: None).rows
