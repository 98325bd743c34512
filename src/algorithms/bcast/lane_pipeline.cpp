// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <limits>

#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "mpi/messages.hpp"
#include "mpi/partition.hpp"
#include "mpi/segments.hpp"

namespace laneway {

/// Segments that a process may be ahead of its node: it must not wait for one that has no core just
/// now.
constexpr std::size_t segments_ahead = 8;

/// On every lane, a chain over the nodes carries the lane's share of the data, segment by segment.
/// While the next segments travel on the lane, the processes of a node exchange the previous ones.
/// On its own node the root takes the place of the lanes' predecessors.
static void bcast_lane_pipeline(const Bcast& call, const Decomposition& on,
                                const Tunables& tunables)
{
    const int node = on.node_index(), nodes = on.nodes(), self = on.world.rank();
    const int root_node = on.locate(call.root).node;
    const int position = (node - root_node + nodes) % nodes;
    const int before = (node - 1 + nodes) % nodes, after = (node + 1) % nodes;
    const auto server = [&](int lane, int at) {
        return on.members(at)[static_cast<std::size_t>(on.owner(lane, at))];
    };
    const auto on_lane = [](int lane) { return 2 * lane; };
    const auto on_node = [](int lane) { return 2 * lane + 1; };

    const Partition part(call.data.count, on.lanes());
    std::vector<Segments> share;
    for (int lane = 0; lane < on.lanes(); ++lane)
        share.emplace_back(part.block(call.data, lane), tunables["segment"]);
    const auto segment_of = [&](int lane, int segment) {
        return share[static_cast<std::size_t>(lane)][segment];
    };

    Messages arriving(on.world), leaving(on.world), exchange(on.world);
    const auto await_segment = [&](int segment) {
        if (self == call.root) return;
        on.for_lanes([&](int lane) {
            const int from = position == 0 ? call.root : server(lane, before);
            arriving.receive(segment_of(lane, segment), from, on_lane(lane));
        });
    };
    await_segment(0);
    for (int segment = 0; segment < share[0].count(); ++segment) {
        arriving.wait();
        await_segment(segment + 1);

        // The lane comes first: it must not wait for the node to take the previous segment.
        leaving.wait();
        for (int lane = 0; lane < on.lanes(); ++lane) {
            const Buffer data = segment_of(lane, segment);
            if (on.serves(lane) && position < nodes - 1)
                leaving.send(data, server(lane, after), on_lane(lane));
            if (!on.serves(lane) && self == call.root)
                leaving.send(data, server(lane, node), on_lane(lane));
        }

        exchange.wait(segments_ahead * 2 * on.members(node).size());
        for (int lane = 0; lane < on.lanes(); ++lane) {
            const Buffer data = segment_of(lane, segment);
            if (!on.serves(lane) && self != call.root)
                exchange.receive(data, server(lane, node), on_node(lane));
            for (const int peer : on.members(node))
                if (on.serves(lane) && peer != self && peer != call.root)
                    exchange.send(data, peer, on_node(lane));
        }
    }
    leaving.wait();
    exchange.wait();
}

static const Register<Bcast> entry({
    .run = bcast_lane_pipeline,
    .own_up_to = std::numeric_limits<std::int64_t>::max(),
    .tunables = {segment_tunable},
    .about =
        {.idea = "a chain over the nodes on every lane, each carrying its share in segments; the "
                 "processes of a node exchange a segment while the next one travels",
         .rounds = "N + m/(k s), segments of s bytes",
         .volume =
             "m/k on its lane and (n-1) m/k on its node a process, the root 2m (n-1)/n + m/n; m a "
             "node",
         .memory = "none",
         .source = "Traeff and Hunold 2020, Section 5, linear pipeline on k lanes; the root itself "
                   "gives its share to its node"},
});

}  // namespace laneway
