// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"
#include "providers/providers.hpp"
#include "walks/all_to_all.hpp"
#include "walks/gossip.hpp"
#include "walks/ring.hpp"
#include "walks/signals.hpp"

namespace laneway::ours {

void serve(const Barrier&, const Comm& comm)
{
    if (comm.size() == 1) return;
    barrier_dissemination(radix, Order(0, comm.size()), comm);
}

void serve(const Allgatherv& call, const Comm& comm)
{
    const Order order(0, comm.size());
    place(call.mine, call.result, call.part, comm);
    if (comm.size() == 1) return;
    if (saves_bytes()) return allgather_ring(call.result, call.part, order, comm);
    allgather_in_rounds(bruck(comm.rank(), comm.size(), radix), call.result, call.part, order,
                        comm);
}

void serve(const Allgather& call, const Comm& comm)
{
    serve(Allgatherv{call.mine, call.result, Partition(call.result.count, comm.size())}, comm);
}

void serve(const Alltoallv& call, const Comm& comm)
{
    all_to_all(call.input, call.input_part, call.result, call.result_part, comm.size(), one_way,
               comm);
}

void serve(const Alltoall& call, const Comm& comm)
{
    serve(Alltoallv{call.input, Partition(call.input.count, comm.size()), call.result,
                    Partition(call.result.count, comm.size())},
          comm);
}

}  // namespace laneway::ours
