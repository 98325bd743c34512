# SPDX-License-Identifier: BSD-3-Clause
"""Latency and gap as proofs: no schedule of messages is faster, and some are as fast. No MPI."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway.modelling.logp import collective_ns, spread_ns

lane_numbers = st.lists(st.integers(1, 8), min_size=1, max_size=16)
times = st.integers(0, 3000)


class Search:
    """All schedules of messages among a few nodes, step by step in time: which ends in time?

    A state holds what each node knows, and messages under way (arrival, target, content). It also
    holds the starts and arrivals of the last `gap` at each node, which take its lanes.
    """

    def __init__(self, lanes, latency, gap, goals):
        self.lanes, self.latency, self.gap, self.goals = lanes, latency, gap, goals
        self.nodes = range(len(lanes))

    def reaches(self, deadline):
        """Whether each goal, a node and a set of nodes, is met: that one knows of all of those."""
        nothing = ((),) * len(self.lanes)
        todo = [(0, (tuple(1 << node for node in self.nodes), (), nothing, nothing))]
        seen = set()
        while todo:
            time, before = todo.pop()
            state = self._delivered(before, time)
            if self._done(state[0]):
                return True
            if time == deadline or (time, state) in seen:
                continue
            seen.add((time, state))
            useful = time + self.latency <= deadline
            steps = self._steps(state, time, deadline) if useful else [state]
            todo += [(time + 1, then) for then in steps]
        return False

    def _done(self, known):
        return all(known[node] & wanted == wanted for node, wanted in self.goals)

    def _delivered(self, state, time):
        known, flying, sent, received = state
        known = list(known)
        for arrival, target, content in flying:
            if arrival == time:
                known[target] |= content
        flying = tuple(message for message in flying if message[0] > time)
        sent, received = (
            tuple(tuple(at for at in own if at > time - self.gap) for own in times)
            for times in (sent, received)
        )
        return tuple(known), flying, sent, received

    def _steps(self, state, time, deadline):
        known, flying, sent, received = state
        for choice in itertools.product(
            *(self._choices(node, known, len(sent[node]), time, deadline) for node in self.nodes)
        ):
            load = [sum(target in own for own in choice) for target in self.nodes]
            taken = [len(own) + more for own, more in zip(received, load, strict=True)]
            if self.gap and any(map(int.__gt__, taken, self.lanes)):
                continue
            started = {
                (time + self.latency, target, known[node])
                for node, targets in enumerate(choice)
                for target in targets
            }
            yield (
                known,
                tuple(sorted({*flying, *started})),
                tuple(own + (time,) * len(to) for own, to in zip(sent, choice, strict=True)),
                tuple(own + (time,) * more for own, more in zip(received, load, strict=True)),
            )

    def _choices(self, node, known, busy, time, deadline):
        """The targets that a node may send to now: any of them, as far as it has lanes free.

        A message of what nobody wants is of no use. Neither is one that tells nobody who wants to
        know and comes too late to be passed on.
        """
        wanted = {of for _, want in self.goals for of in self.nodes if want >> of & 1}
        goals = {goal for goal, _ in self.goals}
        if not any(known[node] >> of & 1 for of in wanted):
            return [()]
        late = time + 2 * self.latency > deadline
        targets = [to for to in self.nodes if to != node and (to in goals or not late)]
        free = self.lanes[node] - busy if self.gap else len(targets)
        return [
            some
            for number in range(min(free, len(targets)) + 1)
            for some in itertools.combinations(targets, number)
        ]


def all_of(nodes):
    return (1 << nodes) - 1


def to_all(nodes, root=0):
    return [(node, 1 << root) for node in range(nodes)]


def to_one(nodes, root=0):
    return [(root, all_of(nodes) & ~(1 << root))]


def among_all(nodes, _root=0):
    return [(node, all_of(nodes)) for node in range(nodes)]


def up_to_own(nodes, _root=0):
    return [(node, all_of(node + 1)) for node in range(nodes)]


def before_own(nodes, _root=0):
    return [(node, all_of(node)) for node in range(1, nodes)]


GOALS = {
    **dict.fromkeys(("bcast", "scatter"), to_all),
    **dict.fromkeys(("gather", "reduce"), to_one),
    **dict.fromkeys(
        ("allgather", "allreduce", "alltoall", "barrier", "reduce_scatter_block"), among_all
    ),
    "scan": up_to_own,
    "exscan": before_own,
}
"""Who must hear from whom in a collective of nodes with a process each, by what MPI says of it."""


def cases(*, nodes, lanes, latencies, gaps):
    """Lanes of each node, latency and gap, all equal nodes."""
    for number, own, latency, gap in itertools.product(nodes, lanes, latencies, gaps):
        yield (own,) * number, latency, gap


THREE = [*cases(nodes=(2, 3), lanes=(1, 2), latencies=(1, 2, 3), gaps=(0, 1, 2, 4))]
FOUR = [*cases(nodes=(4,), lanes=(1, 2), latencies=(1, 2, 3), gaps=(0, 1, 2, 4))]
FIVE = [*cases(nodes=(5,), lanes=(1, 2), latencies=(1, 2), gaps=(0, 1))]
UNEQUAL = [((1, 2, 1), 1, 2), ((1, 2, 2, 1), 2, 1), ((2, 1, 1, 1), 1, 3), ((1, 1, 3, 1), 2, 2)]
QUICK = [
    *cases(nodes=(4,), lanes=(1,), latencies=(1,), gaps=(0, 1, 2, 4)), ((1,) * 4, 2, 2),
    ((2,) * 4, 1, 1), ((2,) * 4, 2, 1), ((2,) * 4, 3, 1),
]  # fmt: skip
"""Those of FOUR with few schedules."""


def least(lanes, latency, gap, goals):
    """The least time in which some schedule meets the goals, by trying all."""
    search = Search(lanes, latency, gap, goals)
    return next(time for time in itertools.count() if search.reaches(time))


@pytest.mark.parametrize("goal", [to_all, to_one], ids=["to all", "to one"])
def test_the_best_of_all_schedules_is_as_fast_as_the_tree_and_no_faster(goal):
    for lanes, latency, gap in [*THREE, *FOUR, *(FIVE if goal is to_all else ())]:
        assert least(lanes, latency, gap, goal(len(lanes))) == spread_ns(lanes, 0, latency, gap)


@pytest.mark.parametrize("goal", [to_all, to_one], ids=["to all", "to one"])
@pytest.mark.parametrize(("lanes", "latency", "gap"), UNEQUAL)
def test_the_tree_is_the_best_where_nodes_have_different_lanes(goal, lanes, latency, gap):
    for root in range(len(lanes)):
        goals = goal(len(lanes), root)
        assert least(lanes, latency, gap, goals) == spread_ns(lanes, root, latency, gap)


@pytest.mark.parametrize("goal", [among_all, up_to_own, before_own], ids=lambda goal: goal.__name__)
def test_no_schedule_is_faster_where_several_must_hear(goal):
    collectives = [name for name, own in GOALS.items() if own is goal]
    for lanes, latency, gap in [*THREE, *QUICK, UNEQUAL[0]]:
        (bound,) = {collective_ns(name, lanes, latency, gap) for name in collectives}
        assert not Search(lanes, latency, gap, goal(len(lanes))).reaches(bound - 1)


@pytest.mark.parametrize("collective", GOALS)
def test_a_root_that_is_not_known_is_where_it_costs_least(collective):
    for lanes, latency, gap in UNEQUAL:
        of_roots = [spread_ns(lanes, root, latency, gap) for root in range(len(lanes))]
        expected = max(of_roots) if GOALS[collective] is among_all else min(of_roots)
        assert collective_ns(collective, lanes, latency, gap) == expected


# Where nodes have one lane, knowledge doubles in a round. With two it trebles, and gaps are waited
# for.
@pytest.mark.parametrize("collective", ["barrier", "scan"])
@pytest.mark.parametrize(
    ("lanes", "latency", "gap", "bound"),
    [
        ((1,) * 4, 1, 1, 2), ((1,) * 4, 2, 2, 4), ((1,) * 3, 3, 1, 4), ((1,) * 3, 2, 2, 4),
        ((2,) * 3, 3, 3, 3), ((2,) * 4, 2, 1, 3),
    ],
)  # fmt: skip
def test_some_schedules_are_as_fast(collective, lanes, latency, gap, bound):
    assert collective_ns(collective, lanes, latency, gap) == bound
    assert least(lanes, latency, gap, GOALS[collective](len(lanes))) == bound


# ---- the tree ----------------------------------------------------------------------------------


def test_nobody_need_hear_on_one_node():
    assert spread_ns([4], 0, 1000, 100) == 0
    assert collective_ns("barrier", [4], 1000, 100) == 0
    assert collective_ns("pingpong", [4, 4], 1000, 100) is None


def test_without_a_gap_one_round_reaches_all():
    assert spread_ns([1] * 64, 0, 1000, 0) == 1000


@pytest.mark.parametrize(("lanes", "rounds"), [(1, 6), (2, 4), (3, 3), (7, 2), (63, 1)])
def test_where_a_gap_is_a_latency_every_round_multiplies_who_knows(lanes, rounds):
    assert spread_ns([lanes] * 64, 0, 1000, 1000) == 1000 * rounds


def test_where_a_latency_is_two_gaps_those_who_know_are_fibonacci_numbers():
    """Bar-Noy and Kipnis 1994."""
    knowing, more = 1, 2
    for step in range(2, 8):
        assert spread_ns([1] * more, 0, 2, 1) == step
        assert spread_ns([1] * knowing, 0, 2, 1) <= step - 1
        knowing, more = more, knowing + more


def test_the_tree_of_the_paper():
    """Karp et al. 1993, Figure 1: eight processors, L = 6, g = 4, o = 2."""
    overhead, latency, gap = 2, 6, 4
    assert spread_ns([1] * 8, 0, latency + 2 * overhead, gap) == 24


def test_a_node_of_the_cluster_in_slow_motion_reaches_three_others_at_once():
    """A process a lane, or two that send one message after the other."""
    assert spread_ns([4] * 4, 0, 1_000_000, 100_000) == 1_000_000
    assert spread_ns([2] * 4, 0, 1_000_000, 100_000) == 1_100_000
    assert spread_ns([2] * 8, 0, 1_000_000, 100_000) == 1_300_000


@given(lane_numbers, times, times, st.data())
def test_shorter_times_more_lanes_and_fewer_nodes_never_take_longer(lanes, latency, gap, data):
    root = data.draw(st.integers(0, len(lanes) - 1))
    own = spread_ns(lanes, root, latency, gap)
    assert own >= (latency if len(lanes) > 1 else 0)
    assert own <= spread_ns(lanes, root, latency + 1, gap)
    assert own <= spread_ns(lanes, root, latency, gap + 1)
    assert own <= spread_ns([*lanes, 1], root, latency, gap)
    node = data.draw(st.integers(0, len(lanes) - 1))
    more = [own + (place == node) for place, own in enumerate(lanes)]
    assert own >= spread_ns(more, root, latency, gap)
