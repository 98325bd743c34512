// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/exchange.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/segmented.hpp"
#include "messages/exchange.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

/// Calls `body` for each run of blocks of a node that lie in one piece. All are one run where the node's ranks follow
/// each other and blocks are whole; else each block is one. `body` gets the first block's process on the node, and the
/// number of blocks.
template <class Body>
static void for_runs(int node, bool whole_blocks, const Decomposition& on, const Body& body)
{
    const std::vector<int>& ranks = on.members(node);
    const int size = static_cast<int>(ranks.size());
    const int run = whole_blocks && ranks.back() - ranks.front() == size - 1 ? size : 1;
    for (int local = 0; local < size; local += run) body(local, run);
}

/// Sends a stretch of everyone's blocks, first from process j straight to process j of the other node, which shares it
/// out there. At a distance of 0, all stays on the node.
static void by_columns(int to, int from, const Alltoall& call, std::int64_t length,
                       std::int64_t stride, const Decomposition& on)
{
    const int node = on.node_index(), size = on.node.size(), self = on.node.rank();
    const bool away = to != node, whole_blocks = length == stride;
    const auto stretch = [&](const Buffer& row, int of_node, int local, int run) {
        const int rank = on.members(of_node)[static_cast<std::size_t>(local)];
        return row.slice(rank * stride, run * length);
    };

    const Scratch room(away ? size * length : 0, call.result.type);
    const auto brought = [&](int local, int run) {
        return away ? room.buffer().slice(local * length, run * length)
                    : stretch(call.input, node, local, run);
    };
    if (away) {
        Exchange lane(on.lane(self));
        for_runs(node, whole_blocks, on,
                 [&](int local, int run) { lane.receive(brought(local, run), from); });
        for_runs(to, whole_blocks, on,
                 [&](int local, int run) { lane.send(stretch(call.input, to, local, run), to); });
        lane.wait();
    }

    Exchange inside(on.node);
    for (int step = 1; step < size; ++step) {
        const int target = (self + step) % size, origin = (self - step + size) % size;
        inside.receive(stretch(call.result, from, origin, 1), origin);
        inside.send(brought(target, 1), target);
    }
    copy(brought(self, 1), stretch(call.result, from, self, 1), on.world);
    inside.wait();
}

static void alltoall_lane_segmented(const Alltoall& call, const Decomposition& on,
                                    const Tunables& tunables)
{
    const int nodes = on.nodes(), node = on.node_index();
    const Leaving input(call.input, call.result, on.world);
    const std::int64_t block = call.result.count / on.world.size();
    const Cut cut = as_told(tunables);
    const Partition segments = segments_of(block, call.result.extent, cut, on);

    // A process's own node comes first: the last stretch is shared out when nothing is on the lanes any more.
    under_way(segments.parts() * nodes, cut.ahead, [&](int child) {
        const int segment = child / nodes, distance = child % nodes;
        const int to = (node + distance) % nodes, from = (node - distance + nodes) % nodes;
        const std::int64_t first = segments.first(segment), length = segments.size(segment);
        const Alltoall part{input.buffer().slice(first, 0), call.result.slice(first, 0)};
        if (on.regular() || distance == 0)
            by_columns(to, from, part, length, block, on);
        else
            exchange_with(to, from, part, length, block, on);
    });
}

static const Register<Alltoall> entry({
    .run = alltoall_lane_segmented,
    .concurrent = true,
    .memory = {.message = 2, .row_shares = 2},
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(4)},
    .about = {.idea = "lane, one other node after the other, a segment of each block: what has "
                      "come from one is shared out on the "
                      "node while what comes from the next is on the lanes",
              .rounds = "at most 2 ceil(N S/a); at most ceil(N S/a) where n < 2",
              .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory = "a n s, a segments of s bytes under way, at most 2 a n (n + k) s/k where "
                        "nodes differ in size; p m more where the call is in place",
              .source = "the code of lane; several segments under way at once are ours"},
});

}  // namespace laneway
