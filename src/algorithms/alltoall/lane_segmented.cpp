// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"
#include "mpi/exchange.hpp"
#include "mpi/scratch.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

/// What a process has brought from another node, for everyone of its own, is shared out while the next is on its way.
static void alltoall_lane_segmented(const Alltoall& call, const Decomposition& on,
                                    const Tunables& tunables)
{
    const int nodes = on.nodes(), node = on.node_index();
    const std::int64_t length = call.result.count / nodes;
    const Buffer& result = call.result;
    const Leaving input(call.input, result, on.world);

    under_way(nodes, tunables, [&](int step) {
        const int distance = (step + 1) % nodes;  // its own node the last
        const int to = (node + distance) % nodes, from = (node - distance + nodes) % nodes;
        const Buffer leaving = input.buffer().slice(to * length, length);
        const Scratch room(distance > 0 ? length : 0, result.type);
        const Buffer brought = distance > 0 ? room.buffer() : leaving;
        if (distance > 0) {
            Exchange messages(on.lane(on.node.rank()));
            messages.receive(brought, from);
            messages.send(leaving, to);
            messages.wait();
        }
        alltoall(brought, result.slice(from * length, length), on.node);
    });
}

static const Register<Alltoall> entry({
    .run = alltoall_lane_segmented,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane_reorder",
    .concurrent = true,
    .memory = {.message = 2},
    .tunables = {ahead_tunable.with_preset(2)},
    .about =
        {.idea =
             "lane, one other node after the other: what has come from one is shared out on the "
             "node while what comes from the next is on the lanes",
         .rounds = "n + N",
         .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
         .memory = "min(a, N-1) n m; (p + min(a, N-1) n) m where the call is in place",
         .source = "the text of lane; several nodes' blocks under way at once are ours"},
});

}  // namespace laneway
