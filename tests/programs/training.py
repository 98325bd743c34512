# SPDX-License-Identifier: BSD-3-Clause
"""Data-parallel training of a small network, as frameworks do it: each rank has its own examples.

usage: training.py allreduce|buckets|shards

`allreduce` sums all gradients in one call. `buckets` sums those of each layer by a nonblocking call
that goes on while gradients of the layers before are computed. `shards` has each rank update its
part of the weights: a reduce_scatter of gradients, an allgather of weights. Prints the losses.
"""

import sys
from itertools import pairwise

import numpy as np
from mpi4py import MPI

WIDTHS = (64, 384, 384, 16)
EXAMPLES = 32
STEPS = 12
RATE = 0.02

world = MPI.COMM_WORLD
ranks = world.size


def padded(number):
    """The next number that all ranks can divide."""
    return -(-number // ranks) * ranks


shapes = [*pairwise(WIDTHS)]
sizes = [below * above for below, above in shapes]
weights, gradients = np.zeros((2, padded(sum(sizes))))
starts = np.cumsum([0, *sizes])


def layers(flat):
    """The matrices of all layers, in one array."""
    return [
        flat[start : start + size].reshape(shape)
        for start, size, shape in zip(starts, sizes, shapes, strict=False)
    ]


of_all = np.random.default_rng(1)
for matrix in layers(weights):
    matrix[:] = of_all.normal(size=matrix.shape) / np.sqrt(matrix.shape[0])
teacher = of_all.normal(size=(WIDTHS[0], WIDTHS[-1]))
own = np.random.default_rng(2 + world.rank)
inputs = own.normal(size=(EXAMPLES, WIDTHS[0]))
targets = np.tanh(inputs @ teacher)


def step(way):
    """One step of all ranks; returns the loss before it."""
    outputs = [inputs]
    for matrix in layers(weights):
        outputs.append(np.tanh(outputs[-1] @ matrix))
    wrong = outputs[-1] - targets
    loss = world.allreduce(float((wrong**2).sum())) / (ranks * targets.size)
    requests = []
    for number in reversed(range(len(sizes))):
        wrong = wrong * (1 - outputs[number + 1] ** 2)
        layers(gradients)[number][:] = outputs[number].T @ wrong / (ranks * EXAMPLES)
        if way == "buckets":
            bucket = gradients[starts[number] : starts[number + 1]]
            requests.append(world.Iallreduce(MPI.IN_PLACE, bucket))
        wrong = wrong @ layers(weights)[number].T
    if way == "shards":
        shard = np.zeros(weights.size // ranks)
        world.Reduce_scatter_block(gradients, shard)
        first = world.rank * shard.size
        world.Allgather(weights[first : first + shard.size] - RATE * shard, weights)
        return loss
    if way == "allreduce":
        world.Allreduce(MPI.IN_PLACE, gradients)
    MPI.Request.Waitall(requests)
    weights[:] -= RATE * gradients
    return loss


losses = [step(sys.argv[1]) for _ in range(STEPS)]
if world.rank == 0:
    for number, loss in enumerate(losses):
        print(f"loss {number}: {loss:.12e}")
    print(f"falls: {losses[-1] < losses[0]}")
