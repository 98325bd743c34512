// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/prefix.hpp"

#include "decomposition/node_phase.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

void lane_prefix(const Buffer& input, const Buffer& before, MPI_Op op, const Decomposition& on)
{
    const Partition part(input.count, on.lanes());
    const Scratch owned(owned_count(part, on), input.type);

    reduce_scatter_parts(input, owned.buffer(), part, op, on);
    std::int64_t done = 0;
    on.for_lanes([&](int lane) {
        const Buffer partial = owned.buffer().slice(done, part.size(lane));
        exscan(partial, part.block(before, lane), op, on.lane(lane));
        done += part.size(lane);
    });
    if (on.node_index() > 0) allgather_parts(before, part, on);
}

void leader_prefix(const Buffer& node_result, const Buffer& before, MPI_Op op,
                   const Decomposition& on)
{
    // The last lane is the last process's own wherever nodes are equal.
    const int lane = on.lanes() - 1;
    const int leader = on.owner(lane, on.node_index()), last = on.node.size() - 1;
    const bool leads = on.node.rank() == leader;

    const Scratch handed(leads && leader != last ? node_result.count : 0, node_result.type);
    if (leader != last) {
        Messages message(on.node);
        if (on.node.rank() == last) message.send(node_result, leader);
        if (leads) message.receive(handed.buffer(), last);
        message.wait();
    }
    if (leads) exscan(leader == last ? node_result : handed.buffer(), before, op, on.lane(lane));
    if (on.node_index() > 0) bcast(before, leader, on.node);
}

void exscan_on_node(const Exscan& call, const Buffer& before, const Decomposition& on)
{
    exscan(call.input, call.result, call.op, on.node);
    if (on.node_index() == 0) return;
    if (on.node.rank() == 0)
        copy(before, call.result, on.world);
    else
        reduce_local(before, call.result, call.op);
}

}  // namespace laneway
