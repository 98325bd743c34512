// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/algorithm.hpp"
#include "core/node_phase.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// Where the elements of `result`, a block of `length` elements a rank, stand once they are gathered
/// lane by lane, and on each lane node by node: `shares[v]` cuts the blocks of node v into lanes.
static Datatype lane_order(const Buffer& result, int length, const std::vector<Partition>& shares,
                           const Decomposition& on)
{
    std::vector<int> lengths, displacements;
    for (int lane = 0; lane < on.lanes(); ++lane)
        for (int node = 0; node < on.nodes(); ++node) {
            const Partition& share = shares[static_cast<std::size_t>(node)];
            int at = static_cast<int>(share.first(lane)),
                end = static_cast<int>(share.first(lane + 1));
            while (at < end) {
                const int rank = on.members(node)[static_cast<std::size_t>(at / length)];
                lengths.push_back(std::min(end - at, length - at % length));
                displacements.push_back(rank * length + at % length);
                at += lengths.back();
            }
        }
    return Datatype::indexed(lengths, displacements, result.type);
}

static void allgather_lane_reorder(const Allgather& call, const Decomposition& on)
{
    const int length = static_cast<int>(call.result.count / on.world.size());

    // The blocks of each node, a share a lane; and the shares of each lane, one a node.
    std::vector<Partition> shares, by_lane;
    for (int node = 0; node < on.nodes(); ++node)
        shares.emplace_back(std::int64_t{length} * static_cast<int>(on.members(node).size()),
                            on.lanes());
    std::vector<std::int64_t> lane_counts;
    for (int lane = 0; lane < on.lanes(); ++lane) {
        std::vector<std::int64_t> sizes;
        for (const Partition& share : shares) sizes.push_back(share.size(lane));
        by_lane.emplace_back(sizes);
        lane_counts.push_back(by_lane.back().count());
    }
    const Partition sections(lane_counts);
    const Scratch gathered(call.result.count, call.result.type);

    // On a regular communicator a process's share is its own block; elsewhere the node meets first.
    const Partition& share = shares[static_cast<std::size_t>(on.node_index())];
    const Scratch meeting(on.regular() ? 0 : share.count(), call.result.type);
    if (!on.regular())
        allgatherv(call.mine, meeting.buffer(), Partition(share.count(), on.node.size()), on.node);

    on.for_lanes([&](int lane) {
        const Buffer mine = on.regular() ? call.mine : share.block(meeting.buffer(), lane);
        allgatherv(mine, sections.block(gathered.buffer(), lane),
                   by_lane[static_cast<std::size_t>(lane)], on.lane(lane));
    });
    allgather_parts(gathered.buffer(), sections, on);
    const Datatype places = lane_order(call.result, length, shares, on);
    copy(gathered.buffer(), Buffer::of(call.result.data, 1, places), on.world);
}

static const Register<Allgather> entry({
    .run = allgather_lane_reorder,
    .memory_bound = 2,
    .about = {.idea = "allgather on all lanes at once, then on every node, in consecutive buffers; "
                      "one local reordering brings the blocks to their places",
              .rounds = "log n + log N; 2 log n + log N where nodes differ in size",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "p m; (p+n) m where nodes differ in size",
              .source = "Traeff and Hunold 2020, Section 4.3; irregular communicators are ours"},
});

}  // namespace laneway
