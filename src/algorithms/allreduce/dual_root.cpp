// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"
#include "messages/messages.hpp"
#include "walks/up_and_down.hpp"

namespace laneway {

static void allreduce_dual_root(const Allreduce& call, const Decomposition& on,
                                const Tunables& tunables)
{
    const int size = on.world.size(), half = (size + 1) / 2;
    const Order order = order_for(call.op, 0, on, tunables);
    const int position = order.position(on.world.rank()), top = position < half ? 0 : half;
    Tree tree = tree::binary(position - top, top == 0 ? half : size - half);
    if (tree.parent != Tree::none) tree.parent += top;
    for (int& child : tree.children) child += top;
    const Links links = links_of(tree, order, on.world);

    // The roots exchange each segment; the lower half's segment is the left operand.
    const int other = order.rank(top == 0 ? half : 0);
    const Segments sums(call.result, segment_for(call.op, on, tunables));
    const Scratch room(links.is_root() && size > 1 ? sums[0].count : 0, call.input.type);
    reduce_up_and_down(call.input, call.result, call.op, segment_for(call.op, on, tunables), links,
                       [&](int number) {
                           if (size == 1) return;
                           const Buffer sum = sums[number],
                                        others = room.buffer().slice(0, sum.count);
                           Messages exchange(on.world);
                           exchange.receive(others, other, links.tag);
                           exchange.send(sum, other, links.tag);
                           exchange.wait();
                           reduce_local(top == 0 ? sum : others, top == 0 ? others : sum, call.op);
                           if (top == 0) copy(others, sum, on.world);
                       });
}

static const Register<Allreduce> entry({
    .run = allreduce_dual_root,
    .flat = true,
    .memory = {.message = 5},
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea = "segments up two binary trees, of half of the processes each, whose roots "
                      "exchange them, and down again as soon as they are reduced",
              .rounds = "2 log(ceil(p/2) + 1) - 2 + S",
              .volume = "3m a process; m a process where p < 3; 2m a process where p < 5",
              .memory = "4s; 3m where S < 2",
              .source = "Traeff 2021 (arXiv:2109.12626), Algorithm 1; trees in preorder, which "
                        "keeps rank order as well"},
});

}  // namespace laneway
