// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"
#include "mpi/exchange.hpp"
#include "mpi/scratch.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

/// `body` for what lies in one piece: the blocks of each process of a node, or all of them where their ranks follow
/// each other and blocks are whole. It gets the first block's process on the node, and how many there are.
template <class Body>
static void for_runs(int node, bool whole_blocks, const Decomposition& on, const Body& body)
{
    const std::vector<int>& ranks = on.members(node);
    const int size = static_cast<int>(ranks.size());
    const int run = whole_blocks && ranks.back() - ranks.front() == size - 1 ? size : 1;
    for (int local = 0; local < size; local += run) body(local, run);
}

static void alltoall_lane_segmented(const Alltoall& call, const Decomposition& on,
                                    const Tunables& tunables)
{
    const int nodes = on.nodes(), node = on.node_index();
    const int size = on.node.size(), self = on.node.rank();
    const Buffer& result = call.result;
    const std::int64_t block = result.count / on.world.size();
    const Leaving input(call.input, result, on.world);
    const Partition segments = segments_of(block, result.extent, tunables, on);

    // Its own node comes first: what is last is shared out when nothing is on the lanes any more.
    under_way(segments.parts() * nodes, tunables, [&](int child) {
        const int segment = child / nodes, distance = child % nodes;
        const int to = (node + distance) % nodes, from = (node - distance + nodes) % nodes;
        const std::int64_t first = segments.first(segment), length = segments.size(segment);
        const bool whole_blocks = length == block;
        const auto stretch = [&](const Buffer& all, int of_node, int local, int run) {
            const int rank = on.members(of_node)[static_cast<std::size_t>(local)];
            return all.slice(rank * block + first, run * length);
        };

        const Scratch room(distance > 0 ? size * length : 0, result.type);
        const auto brought = [&](int local, int run) {
            return distance > 0 ? room.buffer().slice(local * length, run * length)
                                : stretch(input.buffer(), node, local, run);
        };
        if (distance > 0) {
            Exchange lane(on.lane(self));
            for_runs(node, whole_blocks, on,
                     [&](int local, int run) { lane.receive(brought(local, run), from); });
            for_runs(to, whole_blocks, on, [&](int local, int run) {
                lane.send(stretch(input.buffer(), to, local, run), to);
            });
            lane.wait();
        }

        Exchange inside(on.node);
        for (int step = 1; step < size; ++step) {
            const int target = (self + step) % size, origin = (self - step + size) % size;
            inside.receive(stretch(result, from, origin, 1), origin);
            inside.send(brought(target, 1), target);
        }
        copy(brought(self, 1), stretch(result, from, self, 1), on.world);
        inside.wait();
    });
}

static const Register<Alltoall> entry({
    .run = alltoall_lane_segmented,
    .needs = {.regular = true},
    .otherwise = "lane",
    .concurrent = true,
    .memory = {.message = 2},
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(3)},
    .about = {.idea = "lane, one other node after the other, a segment of each block: what has "
                      "come from one is shared out on the "
                      "node while what comes from the next is on the lanes",
              .rounds = "(n + N) m/s for segments of s bytes of a block",
              .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory =
                  "a n s, a segments of s bytes under way; p m more where the call is in place",
              .source = "the text of lane; several segments under way at once are ours"},
});

}  // namespace laneway
