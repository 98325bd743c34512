// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/segmented.hpp"
#include "messages/exchange.hpp"

namespace laneway {

/// Reduces, on the node, the shares of a lane to its leader: one share of each node's stretches. Their sums stand in
/// `sum` one after the other. Pieces leave straight from their places in the input.
static void reduce_to_leaders(const Buffer& input, const Buffer& sum, const Shares& shares,
                              MPI_Op op, const Decomposition& on)
{
    const int size = on.node.size(), self = on.node.rank(), last = size - 1;
    const bool leads = self < on.lanes();
    const Scratch others(sum.count * last, sum.type);
    const auto column_of = [&](int local) {
        return local == last ? sum : others.buffer().slice(local * sum.count, sum.count);
    };
    const auto for_pieces = [&](int lane, const auto& body) {  // body(piece, its place in a column)
        std::int64_t done = 0;
        for (int node = 0; node < on.nodes(); ++node)
            shares.for_pieces(lane, node, [&](std::int64_t place, std::int64_t count) {
                body(input.slice(place, count), done);
                done += count;
            });
    };
    const auto in_column = [&](int local, std::int64_t at, const Buffer& piece) {
        return column_of(local).slice(at, piece.count);
    };

    Exchange messages(on.node);
    for (int step = 1; step < size; ++step) {
        const int to = (self + step) % size, from = (self - step + size) % size;
        if (leads)
            for_pieces(self, [&](const Buffer& piece, std::int64_t at) {
                messages.receive(in_column(from, at, piece), from);
            });
        if (to < on.lanes())
            for_pieces(to, [&](const Buffer& piece, std::int64_t) { messages.send(piece, to); });
    }
    if (leads && self == last)
        for_pieces(self, [&](const Buffer& piece, std::int64_t at) {
            copy(piece, in_column(self, at, piece), on.world);
        });
    messages.wait();
    for (int local = last - 1; leads && local >= 0; --local) {
        if (local != self)
            reduce_local(column_of(local), sum, op);
        else
            for_pieces(self, [&](const Buffer& piece, std::int64_t at) {
                reduce_local(piece, in_column(last, at, piece), op);
            });
    }
}

static void reduce_scatter_block_lane_segmented(const ReduceScatterBlock& call,
                                                const Decomposition& all, const Tunables& tunables)
{
    const Decomposition on = all.with_leaders(tunables["leaders"]);
    const std::int64_t block = call.result.count;
    in_segments(block, call.result.extent, as_told(tunables), on,
                [&](std::int64_t first, std::int64_t length) {
                    const Buffer input = call.input.slice(first, 0);
                    const Buffer result = call.result.slice(first, length);
                    const Shares shares(length, block, on);
                    if (!all.regular())
                        return reduce_scatter_by_lanes(input, result, call.op, shares, on);
                    const int lane = on.node.rank();
                    const bool leads = lane < on.lanes();
                    const Partition by_node = leads ? shares.on_lane(lane) : Partition(0, 1);
                    const Scratch column(by_node.count(), input.type);
                    reduce_to_leaders(input, column.buffer(), shares, call.op, on);
                    const Scratch share(shares.are_blocks() ? 0 : shares.owned(), input.type);
                    const Buffer owned = shares.are_blocks() ? result : share.buffer();
                    if (leads)
                        serve(ReduceScatter{column.buffer(), owned, by_node, call.op},
                              on.lane(lane));
                    if (!shares.are_blocks()) shares.to_blocks(owned, result);
                });
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_lane_segmented,
    .needs = {.rank_order = true, .elementwise = true},
    .concurrent = true,
    .memory = {.message = 1, .shares = 1, .redistributed = 1},
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable.with_preset(2),
                 all_leaders},
    .about =
        {.idea = lane_in_segments,
         .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
         .volume = "(p-1) m a process; (p-n) m a node",
         .memory =
             "p a s, a segments of s bytes under way; at most 4 p a s where nodes differ in size",
         .source = "the text of lane; several leaders as in Bayatpour et al. 2017; several "
                   "segments under way at once are ours"},
});

}  // namespace laneway
