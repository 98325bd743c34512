// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/ordered.hpp"
#include "messages/exchange.hpp"

namespace laneway {

/// Operands come from the positions before one's own, descending, and then from the last one on. So a process has two
/// sums, each in order.
static void reduce_scatter_block_pairwise(const ReduceScatterBlock& call, const Decomposition& on,
                                          const Tunables& tunables)
{
    const Order order = order_for(call.op, 0, on, tunables);
    const int size = on.world.size(), position = order.position(on.world.rank());
    const std::int64_t length = call.result.count;
    const auto block = [&](int rank) { return call.input.slice(rank * length, length); };

    const Scratch scratch(3 * length, call.input.type);
    const auto room = [&](int number) { return scratch.buffer().slice(number * length, length); };
    const Buffer sum = room(0), above = room(1), arriving = room(2);
    copy(block(on.world.rank()), sum, on.world);
    for (int distance = 1; distance < size; ++distance) {
        const int from = (position - distance + size) % size, to = (position + distance) % size;
        const Buffer& operand = from == size - 1 ? above : arriving;
        Exchange messages(on.world);
        messages.receive(operand, order.rank(from));
        messages.send(block(order.rank(to)), order.rank(to));
        messages.wait();
        if (from != size - 1) reduce_local(operand, from < position ? sum : above, call.op);
    }
    if (position == size - 1) return copy(sum, call.result, on.world);
    reduce_local(sum, above, call.op);
    copy(above, call.result, on.world);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_pairwise,
    .needs = {.elementwise = true},
    .flat = true,
    .memory = {.node_blocks = 3},
    .tunables = {order_tunable},
    .about = {.idea = "in round i to the process i places on, from the one i places before",
              .rounds = "p - 1",
              .volume = "(p - 1) m a process",
              .memory = "3m",
              .source = "Thakur, Rabenseifner, Gropp 2005; any operator, as lower and higher ranks "
                        "have a sum each"},
});

}  // namespace laneway
