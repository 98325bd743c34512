// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "own/own.hpp"
#include "walks/all_to_all.hpp"

namespace laneway::own {

using pmpi::copy;

namespace {

constexpr int tag = 0;

/// Blocks travel round, each to its place.
void allgather_ring(const Buffer& whole, const Partition& part, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const int after = (rank + 1) % size, before = (rank - 1 + size) % size;
    for (int step = 0; step < size - 1; ++step) {
        Messages messages(comm);
        messages.receive(part.block(whole, (rank - step - 1 + size) % size), before, tag);
        messages.send(part.block(whole, (rank - step + size) % size), after, tag);
        messages.wait();
    }
}

/// Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
/// message-passing systems", 1997: in each round everyone passes on what it has, up to twice as many blocks,
/// its own first. Each goes straight to its place, as a message of its own.
void allgather_bruck(const Buffer& whole, const Partition& part, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    for (int have = 1; have < size; have *= 2) {
        const int from = (rank + have) % size, to = (rank - have + size) % size;
        Messages messages(comm);
        for (int block = 0; block < std::min(have, size - have); ++block) {
            messages.receive(part.block(whole, (from + block) % size), from, tag);
            messages.send(part.block(whole, (rank + block) % size), to, tag);
        }
        messages.wait();
    }
}

}  // namespace

void barrier(const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Scratch signals(2, MPI_BYTE);
    for (int step = 1; step < size; step *= 2) {
        Messages messages(comm);
        messages.receive(signals.buffer().slice(0, 1), (rank - step + size) % size, tag);
        messages.send(signals.buffer().slice(1, 1), (rank + step) % size, tag);
        messages.wait();
    }
}

void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    const Buffer own = part.block(whole, comm.rank());
    if (own.data != mine.data) copy(mine, own, comm);
    saves_bytes() ? allgather_ring(whole, part, comm) : allgather_bruck(whole, part, comm);
}

void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm)
{
    allgatherv(mine, whole, Partition(whole.count, comm.size()), comm);
}

void alltoallv(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, const Comm& comm)
{
    all_to_all(input, input_part, result, result_part, comm.size(), one_way, comm);
}

void alltoall(const Buffer& input, const Buffer& result, const Comm& comm)
{
    alltoallv(input, Partition(input.count, comm.size()), result,
              Partition(result.count, comm.size()), comm);
}

}  // namespace laneway::own
