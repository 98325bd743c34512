// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "algorithms/families/k_ported.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "messages/messages.hpp"

namespace laneway {

static void reduce_k_ported(const Reduce& call, const Decomposition& on)
{
    const int head = head_of_reduction(call, on);
    const PortTree tree(head, on);
    const std::int64_t count = call.input.count;
    const MPI_Datatype type = call.input.type;
    const bool to_result = on.world.rank() == call.root && head == call.root;
    const Scratch one(tree.is_holder() && !to_result ? count : 0, type);
    Buffer sum = to_result ? call.result : one.buffer();

    serve(Reduce{call.input, sum, call.op, tree.holder()}, on.node);
    const Scratch other(tree.is_holder() && tree.below().size > 1 ? count : 0, type);
    Buffer next = other.buffer();
    tree.up({.type = type,
             .count = [&](PortTree::Row) { return count; },
             .place = [&](PortTree::Row row) { return row.first == tree.position() ? sum : next; },
             .arrived =
                 [&] {
                     reduce_local(sum, next, call.op);
                     std::swap(sum, next);
                 }});

    if (to_result && sum.data != call.result.data) copy(sum, call.result, on.world);
    Messages message(on.world);
    if (on.world.rank() == head && head != call.root) message.send(sum, call.root);
    if (on.world.rank() == call.root && head != call.root) message.receive(call.result, head);
    message.wait();
}

static const Register<Reduce> entry({
    .run = reduce_k_ported,
    .needs = {.rank_order = true},
    .own_up_to = plain::short_bytes,
    .memory = {.message = 2},
    .about =
        {.idea =
             "a node is one processor with k ports: reduce on every node; the processes of a node "
             "receive the sums of k nodes at once, and one of them combines these",
         .rounds = "at most 1 + log_4 n + 2 log_(k+1) N; at most log_(k+1) N where n < 2",
         .volume = "k m a round and m once a process; k m a round a node",
         .memory = "2m",
         .source = "the tree of Traeff and Hunold 2020, Section 5, backwards"},
});

}  // namespace laneway
