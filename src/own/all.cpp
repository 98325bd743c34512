// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "own/own.hpp"
#include "walks/gossip.hpp"
#include "walks/ring.hpp"
#include "walks/signals.hpp"

namespace laneway::own {

using pmpi::copy;

namespace {

constexpr int tag = 0;

}  // namespace

void barrier(const Comm& comm) { barrier_dissemination(2, Order(0, comm.size()), comm); }

void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    const Order order(0, comm.size());
    place(mine, whole, part, comm);
    if (saves_bytes()) return allgather_ring(whole, part, order, comm);
    allgather_in_rounds(bruck(comm.rank(), comm.size(), 2), whole, part, order, comm);
}

void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm)
{
    allgatherv(mine, whole, Partition(whole.count, comm.size()), comm);
}

void alltoallv(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    // In place, what leaves must be safe before its place is written to.
    const bool in_place = input.data == result.data;
    const Scratch saved(in_place ? input.count : 0, input.type);
    const Buffer leaving = in_place ? saved.buffer() : input;
    if (in_place) copy(input, leaving, comm);

    Messages messages(comm);
    for (int step = 1; step < size; ++step) {
        const int from = (rank - step + size) % size, to = (rank + step) % size;
        messages.receive(result_part.block(result, from), from, tag);
        messages.send(input_part.block(leaving, to), to, tag);
    }
    if (!in_place) copy(input_part.block(input, rank), result_part.block(result, rank), comm);
    messages.wait();
}

void alltoall(const Buffer& input, const Buffer& result, const Comm& comm)
{
    alltoallv(input, Partition(input.count, comm.size()), result,
              Partition(result.count, comm.size()), comm);
}

}  // namespace laneway::own
