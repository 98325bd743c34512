# SPDX-License-Identifier: BSD-3-Clause
"""How many files a job on a cluster may have open."""

import resource

import pytest

from laneway.cluster import job


@pytest.mark.parametrize(
    ("soft", "expected"),
    [
        (1024, None),
        (job.OPEN_FILES, None),
        (1 << 30, job.OPEN_FILES),
        (resource.RLIM_INFINITY, job.OPEN_FILES),
    ],
)
def test_few_enough_that_closing_each_of_them_takes_no_time(monkeypatch, soft, expected):
    said = {}
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: said.update(limits=limits))
    job.limit_open_files()
    assert said.get("limits") == (expected and (expected, resource.RLIM_INFINITY))
