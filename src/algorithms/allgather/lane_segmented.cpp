// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"
#include "mpi/exchange.hpp"

namespace laneway {

/// Of every block the same stretch at a time: to the same process of all other nodes, then what came from there to the
/// others of the node, straight to its places.
static void allgather_lane_segmented(const Allgather& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const int nodes = on.nodes(), node = on.node_index(), size = on.node.size();
    const int local = on.node.rank();
    const std::int64_t block = call.result.count / on.world.size();
    in_segments(block, call.result.extent, tunables, on,
                [&](std::int64_t first, std::int64_t length) {
                    const auto stretch = [&](int of_node, int of_local) {
                        const int rank = on.members(of_node)[static_cast<std::size_t>(of_local)];
                        return call.result.slice(rank * block + first, length);
                    };
                    const Buffer mine = call.mine.slice(first, length), own = stretch(node, local);
                    if (mine.data != own.data) copy(mine, own, on.world);

                    Exchange lanes(on.lane(local));
                    for (int step = 1; step < nodes; ++step) {
                        const int to = (node + step) % nodes, from = (node - step + nodes) % nodes;
                        lanes.receive(stretch(from, local), from);
                        lanes.send(own, to);
                    }
                    lanes.wait();

                    Exchange inside(on.node);
                    for (int step = 1; step < size; ++step) {
                        const int to = (local + step) % size, from = (local - step + size) % size;
                        for (int of_node = 0; of_node < nodes; ++of_node) {
                            inside.receive(stretch(of_node, from), from);
                            inside.send(stretch(of_node, local), to);
                        }
                    }
                    inside.wait();
                });
}

static const Register<Allgather> entry({
    .run = allgather_lane_segmented,
    .needs = {.regular = true},
    .otherwise = "lane_reorder",
    .concurrent = true,
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(2)},
    .about = {.idea = lane_in_segments,
              .rounds = "(N + n) m/(a s), a segments of s bytes under way",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = source_of_segments},
});

}  // namespace laneway
