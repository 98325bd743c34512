// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/segmented.hpp"
#include "messages/exchange.hpp"

namespace laneway {

/// Reduces, on the node, a stretch of each block for the calling process's lane. There is one such block a node; their
/// sums stand in `sum` one after the other. Stretches leave straight from their places, `stretch(node, local)`.
template <class Stretch>
static void reduce_to_lane(const Stretch& stretch, const Buffer& sum, const Partition& by_node,
                           MPI_Op op, const Decomposition& on)
{
    const int size = on.node.size(), self = on.node.rank(), last = size - 1;
    const Scratch others(sum.count * last, sum.type);
    const auto column_of = [&](int local) {
        return local == last ? sum : others.buffer().slice(local * sum.count, sum.count);
    };

    Exchange messages(on.node);
    for (int step = 1; step < size; ++step) {
        const int to = (self + step) % size, from = (self - step + size) % size;
        for (int node = 0; node < on.nodes(); ++node) {
            messages.receive(by_node.block(column_of(from), node), from);
            messages.send(stretch(node, to), to);
        }
    }
    for (int node = 0; node < on.nodes() && self == last; ++node)
        copy(stretch(node, self), by_node.block(sum, node), on.world);
    messages.wait();
    for (int local = last - 1; local >= 0; --local) {
        if (local != self) {
            reduce_local(column_of(local), sum, op);
            continue;
        }
        for (int node = 0; node < on.nodes(); ++node)
            reduce_local(stretch(node, self), by_node.block(sum, node), op);
    }
}

static void reduce_scatter_block_lane_segmented(const ReduceScatterBlock& call,
                                                const Decomposition& on, const Tunables& tunables)
{
    const std::int64_t block = call.result.count;
    in_segments(block, call.result.extent, as_told(tunables), on,
                [&](std::int64_t first, std::int64_t length) {
                    const Buffer result = call.result.slice(first, length);
                    if (!on.regular())
                        return reduce_scatter_by_lanes(call.input.slice(first, 0), result, call.op,
                                                       Shares(length, block, on), on);
                    const auto stretch = [&](int node, int local) {
                        const int rank = on.members(node)[static_cast<std::size_t>(local)];
                        return call.input.slice(rank * block + first, length);
                    };
                    const Partition by_node(on.nodes() * length, on.nodes());
                    const Scratch column(by_node.count(), call.input.type);
                    reduce_to_lane(stretch, column.buffer(), by_node, call.op, on);
                    serve(ReduceScatter{column.buffer(), result, by_node, call.op},
                          on.lane(on.node.rank()));
                });
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_lane_segmented,
    .needs = {.rank_order = true, .elementwise = true},
    .concurrent = true,
    .memory = {.message = 1, .shares = 1, .redistributed = 1},
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(2)},
    .about =
        {.idea = lane_in_segments,
         .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
         .volume = "(p-1) m a process; (p-n) m a node",
         .memory =
             "p a s, a segments of s bytes under way; at most 4 p a s where nodes differ in size",
         .source = source_of_segments},
});

}  // namespace laneway
