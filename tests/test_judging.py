# SPDX-License-Identifier: BSD-3-Clause
"""The findings in accounts of processes: `laneway.watching.judging`, without any process."""

import dataclasses
from types import SimpleNamespace

from laneway.commands import hang
from laneway.watching.account import Account, CallAccount, GroupAccount, Inside
from laneway.watching.jobs import RunningJob
from laneway.watching.judging import judge, mismatches
from laneway.watching.telling import in_words, ranks

WORLD, ROW, COLUMN = "world", "row", "column"


def call(group=WORLD, number=0, function="barrier", *, state="done", age=0.0, **more):
    usual = {"start": None, "form": "blocking", "rule": "none", "bytes": 0, "root": -1}
    usual |= {"op": "", "signature": "", "thread": 1, "seen": None}
    return CallAccount(group, number, function=function, state=state, age=age, **{**usual, **more})


def account(rank, calls, size=4, *, members=None, numbers=None, **more):
    """A process; its groups have as many calls as `numbers` says, or as it has made."""
    members = members or {WORLD: tuple(range(size))}
    groups = tuple(
        GroupAccount(
            name,
            (numbers or {}).get(
                name, 1 + max((one.number for one in calls if one.group == name), default=-1)
            ),
            len(of),
            of.index(rank),
            is_inter=False,
            is_alone=False,
            is_freed=False,
            ranks=of,
        )
        for name, of in members.items()
        if rank in of
    )
    usual = {"condition": "running", "processor": 0.0, "is_busy": False}
    return Account(
        "node", 100 + rank, "job", rank, size, made=len(calls), groups=groups, calls=tuple(calls),
        **{**usual, **more},
    )  # fmt: skip


def waiting(number=1, **more):
    return [call(number=0), call(number=number, state="entered", age=70, **more)]


def behind(rank, **more):
    return account(rank, [call(number=0, age=70)], **more)


def found(accounts, **options):
    return [(one.kind, one.ranks, one.call, one.number) for one in judge(accounts, 60, **options)]


def test_the_process_that_does_not_come_is_missing():
    accounts = [account(rank, waiting(function="bcast")) for rank in (0, 1, 3)]
    assert found([*accounts, behind(2)]) == [("missing", (2,), "bcast", 1)]
    assert judge([*accounts, behind(2)], 80) == []


def test_a_process_that_computes_or_makes_progress_is_slow():
    accounts = [account(rank, waiting()) for rank in (0, 1, 3)]
    assert found([*accounts, behind(2, processor=0.9)]) == [("slow", (2,), "barrier", 1)]
    assert found([*accounts, behind(2, is_busy=True)])[0][0] == "slow"
    goes_on = account(2, [call(number=0, age=70), call("own", 900, age=0.1)])
    assert found([*accounts, goes_on])[0][0] == "slow"


def test_a_process_that_waits_for_a_message_is_missing_however_busy_it_is():
    inside = Inside("recv", WORLD, 3, 9, 69.0, 1)
    accounts = [account(rank, waiting()) for rank in (0, 1, 3)]
    (one,) = judge([*accounts, behind(2, processor=1.0, is_busy=True, inside=(inside,))], 60)
    assert one.kind == "missing"
    assert "It has been in MPI_Recv for 69 s, for a message of rank 3 with tag 9" in " ".join(
        in_words(one)
    )


def test_what_the_system_says_of_a_process_goes_first():
    accounts = [account(rank, waiting()) for rank in (0, 1, 3)]
    for condition, kind in (("dead", "dead"), ("stopped", "stopped"), ("ended", "missing")):
        assert found([*accounts, behind(2, condition=condition)])[0][:2] == (kind, (2,))
    inside = account(2, waiting(), condition="stopped")
    assert found([*accounts, inside]) == [("stopped", (2,), "barrier", 1)]


def test_a_process_that_nobody_tells_of_is_blamed_only_where_all_nodes_have_told():
    accounts = [account(rank, waiting()) for rank in (0, 1, 3)]
    assert found(accounts) == [("missing", (2,), "barrier", 1)]
    assert found(accounts, is_complete=False) == []


def test_a_process_that_has_made_no_call_is_there():
    accounts = [account(rank, waiting()) for rank in (0, 1, 3)]
    young = Account("node", 1, "job", 2, 0, "running", 0, 0.0, is_busy=True)
    (one,) = judge([*accounts, young], 60)
    assert (one.kind, one.ranks, one.detail["is"]) == ("slow", (2,), "running")


MEMBERS = {WORLD: (0, 1, 2, 3), ROW: (0, 1), COLUMN: (1, 2)}


def test_who_waits_for_somebody_else_is_not_the_reason():
    """Rank 3 waits in the world for rank 0, that in its row for rank 1, which does nothing."""
    accounts = [
        account(0, [call(ROW, 0, "allreduce", state="entered", age=65)], members=MEMBERS),
        account(1, [], members=MEMBERS),
        account(2, [call(COLUMN, 0, state="entered", age=64)], members=MEMBERS),
        account(3, [call(WORLD, 0, state="entered", age=66)], members=MEMBERS),
    ]
    (one,) = judge(accounts, 60)
    assert (one.kind, one.ranks) == ("missing", (1,))
    assert one.group in (ROW, COLUMN)


def test_processes_may_wait_for_each_other():
    accounts = [
        account(0, [call(ROW, 0, state="entered", age=65)], members=MEMBERS),
        account(1, [call(COLUMN, 0, state="entered", age=65)], members=MEMBERS),
        account(2, [call(WORLD, 0, state="entered", age=65)], members=MEMBERS),
        account(3, [call(WORLD, 0, state="entered", age=65)], members=MEMBERS),
    ]
    (one,) = judge(accounts, 60)
    assert one.kind == "order"
    assert set(one.waiting) == {0, 1, 2}


def test_a_thread_that_waits_elsewhere_does_not_excuse_another():
    """Thread 5 of rank 1 waits in its column; thread 1, which used the row, does not come."""
    accounts = [
        account(0, [call(ROW, 0), call(ROW, 1, state="entered", age=70)], members=MEMBERS),
        account(
            1,
            [call(ROW, 0, age=70), call(COLUMN, 0, state="entered", age=70, thread=5)],
            members=MEMBERS,
        ),
        account(2, [call(COLUMN, 0, state="entered", age=70)], members=MEMBERS),
        account(3, [], members=MEMBERS),
    ]
    assert ("missing", (1,), "barrier", 1) in found(accounts)


def test_an_operation_that_nobody_completes():
    def one(rank, state, **more):
        own = call(function="allreduce", form="nonblocking", state=state, age=80, **more)
        return account(rank, [own])

    accounts = [one(rank, "waited", seen=70.0) for rank in (0, 1, 3)]
    assert found([*accounts, one(2, "begun")]) == [("not-completed", (2,), "iallreduce", 0)]
    # A program that tests again and again completes it, and whoever has stopped testing does not.
    assert found([*accounts, one(2, "polled", seen=0.1)])[0][0] == "inside"
    assert found([*accounts, one(2, "polled", seen=50.0)])[0][:2] == ("not-completed", (2,))


def test_starts_of_persistent_operations_count_by_themselves():
    def one(rank, starts, state="done", age=1.0):
        init = call(function="bcast", form="persistent")
        own = [
            call(function="bcast", form="start", start=start, state="done")
            for start in range(starts)
        ]
        last = dataclasses.replace(own[-1], state=state, age=age, seen=age)
        return account(rank, [init, *own[:-1], last])

    accounts = [one(rank, 3, "waited", 70) for rank in (0, 1, 3)]
    assert found([*accounts, one(2, 2)]) == [("slow", (2,), "start of bcast_init", 0)]
    assert found([*accounts, one(2, 3, "waited", 70)])[0][0] == "inside"


def bytes_of(rank, bytes_=8, **more):
    usual = {"function": "reduce", "rule": "bytes", "root": 0, "op": "MPI_SUM", "bytes": bytes_}
    return account(rank, [call(**{**usual, "signature": "MPI_INT", **more})])


def wrong(*accounts):
    return [(one.kind, one.ranks) for one in mismatches(accounts)]


def test_calls_that_do_not_match():
    three = [bytes_of(rank) for rank in (0, 1, 3)]
    assert wrong(*three, bytes_of(2)) == []
    assert wrong(*three, bytes_of(2, 16)) == [("different-counts", (2,))]
    assert wrong(*three, bytes_of(2, root=1)) == [("different-roots", (2,))]
    assert wrong(*three, bytes_of(2, op="MPI_MAX")) == [("different-operators", (2,))]
    assert wrong(*three, bytes_of(2, signature="MPI_FLOAT")) == [("different-types", (2,))]
    assert wrong(*three, bytes_of(2, function="scan")) == [("different-collectives", (2,))]
    # Languages have names of their own for a type, and bytes are whatever they are.
    assert wrong(*three, bytes_of(2, signature="MPI_INTEGER")) == []
    assert wrong(*three, bytes_of(2, signature="MPI_BYTE")) == []
    assert wrong(*three, bytes_of(2, -1)) == []
    # Two processes differ from each other.
    assert wrong(bytes_of(0), bytes_of(1, 16)) == [("different-counts", (0, 1))]


def test_rows_that_do_not_match():
    def pairs(rank, sent, received):
        own = call(function="alltoallv", rule="exchanged", sent=sent, received=received)
        return account(rank, [own], size=3)

    alike = [pairs(rank, (4, 4, 4), (4, 4, 4)) for rank in range(3)]
    assert wrong(*alike) == []
    assert wrong(alike[0], pairs(1, (4, 4, 8), (4, 4, 4)), alike[2]) == [("different-counts", (1,))]

    def gatherv(rank, bytes_, row=None):
        own = call(function="gatherv", rule="gathered", root=0, bytes=bytes_, received=row)
        return account(rank, [own], size=3)

    root = gatherv(0, 12, (4, 4, 4))
    assert wrong(root, gatherv(1, 4), gatherv(2, 4)) == []
    assert wrong(root, gatherv(1, 4), gatherv(2, 3)) == [("different-counts", (2,))]


def test_calls_after_a_wrong_one_are_not_judged():
    calls = [call(number=0), call(number=1, function="bcast")]
    others = [call(number=0, function="bcast"), call(number=1)]
    accounts = [*(account(rank, calls) for rank in range(3)), account(3, others)]
    assert wrong(*accounts) == [("different-collectives", (3,))]


def test_ranks_in_words():
    assert ranks((3,)) == "rank 3"
    assert ranks((0, 1)) == "ranks 0, 1"
    assert ranks((0, 1, 2, 5)) == "ranks 0 to 2, 5"
    assert ranks(tuple(range(0, 40, 2))) == "ranks 0, 2, 4, 6, 8, 10, 12, 14, others"


def test_an_account_survives_json():
    own = account(
        1, waiting(sent=(1, 2), received=None), inside=(Inside("wait", None, -1, -1, 2.0, 1),)
    )
    assert Account.from_json(own.to_json()) == own


def test_a_verdict_is_that_of_one_look(monkeypatch):
    """Rank 2 comes, and the call ends, while the functions of the missing one are asked for."""
    looks = {rank: [account(rank, waiting()), account(rank, [call(), call(number=1)])]
             for rank in (0, 1, 3)}  # fmt: skip
    looks[2] = [behind(2), account(2, [call(), call(number=1)])]

    def process(rank):
        return SimpleNamespace(process=100 + rank, account=lambda **_: looks[rank].pop(0))

    monkeypatch.setattr(hang, "stack_of", lambda one: (f"main of {one.rank}",))
    job = RunningJob("job", None, tuple(process(rank) for rank in looks))
    (one,) = hang._findings(job, 60)
    assert (one.kind, one.ranks, one.detail["stack"]) == ("missing", (2,), ("main of 2",))
