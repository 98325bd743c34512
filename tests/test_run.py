# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under way: which processes are theirs."""

import os

from laneway.launching.run import processes_of


def test_processes_may_end_while_they_are_looked_at(monkeypatch):
    def stat(path, **_):
        raise ProcessLookupError(path)

    own = {process.id for process in processes_of(os.getpid())}
    monkeypatch.setattr(os, "stat", stat)
    assert os.getpid() in own
    assert {process.id for process in processes_of(os.getpid())} == own
