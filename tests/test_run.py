# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under way: which processes are theirs."""

import os

from laneway.launching.run import TAIL, processes_of, telling


def test_processes_may_end_while_they_are_looked_at(monkeypatch):
    def stat(path, **_):
        raise ProcessLookupError(path)

    own = {process.id for process in processes_of(os.getpid())}
    monkeypatch.setattr(os, "stat", stat)
    assert os.getpid() in own
    assert {process.id for process in processes_of(os.getpid())} == own


REASON = "unrecognized key algorithm=MPIR_Bcast_intra_pipelined_ring_of_2099"


def test_the_reason_of_a_job_that_failed_is_not_cut_off_by_what_follows():
    """As MPICH prints it: a line, a backtrace of each rank, and in the end that it has ended."""
    frames = [f"/lib/libmpich.so.12(+0x{n:x}) [0x7f{n:010x}]" for n in range(30)]
    of_rank = [REASON, "Assertion failed in file csel_container.c", *frames, "Abort(1): error"]
    told = telling("\n".join(of_rank * 2)).splitlines()
    assert told == [REASON, "Assertion failed in file csel_container.c", "Abort(1): error"]
    assert telling("\n".join(frames)) != "", "it has said something"
    long = telling("\n".join([REASON, *map(str, range(100)), "the end"])).splitlines()
    assert (long[0], long[-1]) == (REASON, "the end")
    assert len(long) == TAIL + 1
    assert "... (87 lines) ..." in long
