// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "own/library.hpp"
#include "own/own.hpp"
#include "walks/all_to_all.hpp"
#include "walks/gossip.hpp"
#include "walks/ring.hpp"
#include "walks/signals.hpp"

namespace laneway::own {

using pmpi::copy;

void barrier(const Comm& comm)
{
    if (const Library* const library = Library::current()) return library->barrier(comm);
    if (comm.size() == 1) return;
    barrier_dissemination(radix, Order(0, comm.size()), comm);
}

void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    if (const Library* const library = Library::current())
        return library->allgatherv(mine, whole, part, comm);
    const Order order(0, comm.size());
    place(mine, whole, part, comm);
    if (comm.size() == 1) return;
    if (saves_bytes()) return allgather_ring(whole, part, order, comm);
    allgather_in_rounds(bruck(comm.rank(), comm.size(), radix), whole, part, order, comm);
}

void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm)
{
    if (const Library* const library = Library::current())
        return library->allgather(mine, whole, comm);
    allgatherv(mine, whole, Partition(whole.count, comm.size()), comm);
}

void alltoallv(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, const Comm& comm)
{
    all_to_all(input, input_part, result, result_part, comm.size(), one_way, comm);
}

void alltoall(const Buffer& input, const Buffer& result, const Comm& comm)
{
    if (const Library* const library = Library::current())
        return library->alltoall(input, result, comm);
    alltoallv(input, Partition(input.count, comm.size()), result,
              Partition(result.count, comm.size()), comm);
}

}  // namespace laneway::own
