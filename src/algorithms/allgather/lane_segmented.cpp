// SPDX-License-Identifier: BSD-3-Clause
#include <deque>

#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"
#include "decomposition/shares.hpp"
#include "messages/exchange.hpp"

namespace laneway {

/// Of every block the same stretch at a time: the lanes' shares to all other nodes, then to the others of the node,
/// always straight to their places.
static void allgather_lane_segmented(const Allgather& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const int nodes = on.nodes(), node = on.node_index(), size = on.node.size();
    const int self = on.node.rank();
    const std::int64_t block = call.result.count / on.world.size();
    in_segments(
        block, call.result.extent, as_told(tunables), on,
        [&](std::int64_t first, std::int64_t length) {
            const Shares shares(length, block, on);
            const Buffer row = call.result.slice(first, 0);
            const auto for_pieces = [&](int lane, int of_node, const auto& body) {
                shares.for_pieces(lane, of_node, [&](std::int64_t place, std::int64_t count) {
                    body(row.slice(place, count));
                });
            };
            const Buffer mine = call.mine.slice(first, length);
            const Buffer own = shares.block(row, on.world.rank());
            if (mine.data != own.data) copy(mine, own, on.world);
            shares.to_owners(row);

            std::deque<Exchange> lanes;
            on.for_lanes([&](int lane) {
                Exchange& messages = lanes.emplace_back(on.lane(lane));
                for (int step = 1; step < nodes; ++step) {
                    const int to = (node + step) % nodes, from = (node - step + nodes) % nodes;
                    for_pieces(lane, from,
                               [&](const Buffer& piece) { messages.receive(piece, from); });
                    for_pieces(lane, node, [&](const Buffer& piece) { messages.send(piece, to); });
                }
            });
            for (Exchange& messages : lanes) messages.wait();

            Exchange inside(on.node);
            for (int step = 1; step < size; ++step) {
                const int to = (self + step) % size, from = (self - step + size) % size;
                for (int lane = 0; lane < on.lanes(); ++lane) {
                    const int owner = on.owner(lane, node);
                    if (owner != from && owner != self) continue;
                    for (int of_node = 0; of_node < nodes; ++of_node)
                        for_pieces(lane, of_node, [&](const Buffer& piece) {
                            owner == self ? inside.send(piece, to) : inside.receive(piece, from);
                        });
                }
            }
            inside.wait();
        });
}

static const Register<Allgather> entry({
    .run = allgather_lane_segmented,
    .concurrent = true,
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(2)},
    .about = {.idea = lane_in_segments,
              .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = source_of_segments},
});

}  // namespace laneway
