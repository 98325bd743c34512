// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"

namespace laneway {

static void reduce_hierarchical(const Reduce& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int node = on.node_index();
    const bool is_root = on.world.rank() == call.root;

    // Takes the root's lane, if it has one, and no other carries more; else the leader of the root's node gives it the
    // result.
    const int lane = on.leading_lane(root_local % on.lanes());
    const int leader = on.owner(lane, node);
    const bool leads = on.node.rank() == leader;

    std::optional<Scratch> scratch;
    if (leads && !is_root) scratch.emplace(call.input.count, call.input.type);
    const Buffer result = scratch ? scratch->buffer() : call.result;

    serve(Reduce{call.input, result, call.op, leader}, on.node);
    if (leads) serve(Reduce{result, result, call.op, root_node}, on.lane(lane));

    Messages last(on.node);
    if (node == root_node && leader != root_local) {
        if (leads) last.send(result, root_local);
        if (is_root) last.receive(call.result, leader);
    }
    last.wait();
}

static const Register<Reduce> entry({
    .run = reduce_hierarchical,
    .needs = {.rank_order = true},
    .own_up_to = plain::short_bytes,
    .memory = {.message = 2},
    .about = {.idea = "reduce on every node to its process on the root's lane, then on that lane",
              .rounds = "at most log_4(3n+1) + log_4(3N+1) - 2 - where the operator commutes; "
                        "else two more",
              .volume = "m a process, leaders 2m; m a node",
              .memory =
                  "none; m on leaders but the root; m more where MPICH reduces to a rank but 0",
              .source = "Traeff and Hunold 2020, Section 3.4"},
});

}  // namespace laneway
