# SPDX-License-Identifier: BSD-3-Clause
"""What latency and gap prove: no schedule of messages is faster, and some are as fast. No MPI."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laneway.logp import collective_ns, spread_ns

lane_numbers = st.lists(st.integers(1, 8), min_size=1, max_size=16)
times = st.integers(0, 3000)


class Search:
    """All schedules of messages among a few nodes, step by step in time: which ends in time?

    What a state holds: what each node knows, messages under way (arrival, target, content), and the
    starts and arrivals of the last `gap` at each node, which take its lanes.
    """

    def __init__(self, lanes, latency, gap, goals):
        self.lanes, self.latency, self.gap, self.goals = lanes, latency, gap, goals
        self.nodes = range(len(lanes))

    def reaches(self, deadline):
        """Whether each goal, a node and a set of nodes, is met: that one knows of all of those."""
        nothing = ((),) * len(self.lanes)
        states = {(tuple(1 << node for node in self.nodes), (), nothing, nothing)}
        for time in range(deadline + 1):
            states = {self._delivered(state, time) for state in states}
            if any(self._done(known) for known, _, _, _ in states):
                return True
            if time + self.latency <= deadline:
                states = {then for state in states for then in self._steps(state, time, deadline)}
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

        Of no use is a message of what nobody wants, and one that tells nobody who wants to know
        and comes too late to be passed on.
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


def among_all(nodes):
    return [(node, all_of(nodes)) for node in range(nodes)]
