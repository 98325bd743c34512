# SPDX-License-Identifier: BSD-3-Clause
"""Nonblocking and persistent collectives and those of neighbours, in mpi4py.

They are called in large counts or the common form; where the MPI library has none, not at all.
"""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
size, rank = world.size, world.rank
counts = np.arange(1, size + 1)
blocks = np.repeat(np.arange(size, dtype="i"), counts)  # block i: i + 1 times i
to_all = np.concatenate([np.full(i + 1, 10 * rank + i, "i") for i in range(size)])


def check_alltoallv(received):
    own = [np.full(rank + 1, 10 * source + rank, "i") for source in range(size)]
    assert (received == np.concatenate(own)).all()


requests, results = [], []
for _ in range(3):  # several under way at once
    results.append(np.full(size * (rank + 1), -1, "i"))
    requests.append(world.Ialltoallv([to_all, counts], [results[-1], np.full(size, rank + 1)]))
value = np.full(1, rank, "i")
requests.append(world.Ibcast(value, 1))
gathered = np.empty_like(blocks)
requests.append(world.Iallgatherv(np.full(rank + 1, rank, "i"), [gathered, counts]))
MPI.Request.Waitall(requests)
for received in results:
    check_alltoallv(received)
assert value[0] == 1
assert (gathered == blocks).all()

rows = 4 * np.concatenate([[0], np.cumsum(counts)[:-1]])  # in bytes
received = np.full(size * (rank + 1), -1, "i")
types = [MPI.INT] * size
places = 4 * (rank + 1) * np.arange(size)
world.Ialltoallw(
    [to_all, counts, rows, types], [received, np.full(size, rank + 1), places, types]
).Wait()
check_alltoallv(received)

left, right = (rank - 1) % size, (rank + 1) % size
ring = world.Create_cart([size], [True])
neighbors = {rank: (left, right)}
graph = world.Create_graph(
    2 * np.arange(1, size + 1), [n for i in range(size) for n in ((i - 1) % size, (i + 1) % size)]
)
one_way = world.Create_dist_graph_adjacent([left], [right])
for comm, sources in ((ring, [left, right]), (graph, [left, right]), (one_way, [left])):
    received = np.full(sum(source + 1 for source in sources), -1, "i")
    expected = np.concatenate([np.full(source + 1, source, "i") for source in sources])
    own = np.full(rank + 1, rank, "i")
    comm.Neighbor_allgatherv(own, [received, [source + 1 for source in sources]])
    assert (received == expected).all()
    received[:] = -1
    destinations = len(sources)  # every process has as many
    comm.Ineighbor_alltoallv(
        [np.tile(own, destinations), [rank + 1] * destinations],
        [received, [source + 1 for source in sources]],
    ).Wait()
    assert (received == expected).all()
    received = np.full(len(sources), -1, "i")
    comm.Neighbor_allgather(np.full(1, rank, "i"), received)
    assert (received == sources).all()

star = world.Create_dist_graph_adjacent(
    [] if rank == 0 else [0], range(1, size) if rank == 0 else []
)
received = np.full(0 if rank == 0 else rank + 1, -1, "i")
own = to_all[1:] if rank == 0 else to_all[:0]
into = [len(received)] if rank > 0 else []
out_of = counts[1:] if rank == 0 else counts[:0]
star.Neighbor_alltoallv([own, out_of], [received, into])
assert (received == rank).all()  # 10 * 0 + rank
received[:] = -1
types = [MPI.INT] * size
star.Neighbor_alltoallw(
    [own, out_of, rows[1:] - 4 if rank == 0 else rows[:0], types[: len(out_of)]],
    [received, into, [0] * len(into), types[: len(into)]],
)
assert (received == rank).all()

try:
    value[0] = rank
    request = world.Bcast_init(value, size - 1)
    for _ in range(2):
        request.Start()
        request.Wait()
    assert value[0] == size - 1
    received = np.full(size * (rank + 1), -1, "i")
    request = world.Alltoallv_init([to_all, counts], [received, np.full(size, rank + 1)])
    request.Start()
    request.Wait()
    check_alltoallv(received)
except NotImplementedError:
    if rank == 0:
        print("no persistent collectives")
if rank == 0:
    print("right")
