// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"

#include <vector>

#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "data/stretches.hpp"
#include "messages/exchange.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"
#include "patterns/circulant.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

void circulant_bcast(const Buffer& data, std::int64_t segment, const Order& order, const Comm& comm)
{
    const Segments segments(data, segment);
    const CirculantBroadcast schedule(order.position(comm.rank()), comm.size(), segments.count());
    for (int round = 0; round < schedule.rounds(); ++round) {
        const auto [sent, to, received, from] = schedule[round];
        Messages messages(comm);
        if (received >= 0) messages.receive(segments[received], order.rank(from));
        if (sent >= 0) messages.send(segments[sent], order.rank(to));
        messages.wait();
    }
}

void circulant_reduce(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t segment,
                      const Order& order, const Comm& comm)
{
    const bool is_root = order.position(comm.rank()) == 0;
    const bool in_place = is_root && input.data == result.data;
    if (comm.size() == 1 && !in_place) copy(input, result, comm);

    const Scratch partial(is_root ? 0 : input.count, input.type);
    const Segments operands(input, segment);
    const Segments sums(is_root ? result : partial.buffer(), segment);
    const Scratch arrived(operands[0].count, input.type);
    std::vector<bool> has_sum(static_cast<std::size_t>(operands.count()), in_place);

    const CirculantBroadcast schedule(order.position(comm.rank()), comm.size(), operands.count());
    const auto is_known = [&](int block) { return has_sum[static_cast<std::size_t>(block)]; };
    for (int round = schedule.rounds() - 1; round >= 0; --round) {
        const auto [received, from, sent, to] = schedule[round];
        Messages messages(comm);
        Buffer room = arrived.buffer();
        if (received >= 0) {
            const Buffer sum = sums[received];
            room = is_known(received) ? room.slice(0, sum.count) : sum;
            messages.receive(room, order.rank(from));
        }
        if (sent >= 0) messages.send(is_known(sent) ? sums[sent] : operands[sent], order.rank(to));
        messages.wait();
        if (received < 0) continue;
        reduce_local(is_known(received) ? room : operands[received], sums[received], op);
        has_sum[static_cast<std::size_t>(received)] = true;
    }
}

void circulant_reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part,
                              MPI_Op op, const Order& order, const Order& blocks, const Comm& comm)
{
    const Circulant graph(comm.size());
    const int position = order.position(comm.rank()), last = graph.rounds() - 1;
    if (last < 0 && input.data == result.data) return;
    if (last < 0) return copy(input, result, comm);
    const auto of_positions = [&](int first, int count) {
        std::vector<int> numbers;
        for (int at = first; at < first + count; ++at)
            numbers.push_back(blocks.rank(at % comm.size()));
        return Stretches(input, part, numbers);
    };

    // The sums of the positions from the own one on, which get fewer. The sums of other positions leave first.
    std::vector<std::int64_t> sizes;
    for (int at = 0; at < graph.skip(last); ++at)
        sizes.push_back(part.size(blocks.rank((position + at) % comm.size())));
    const Partition sums(sizes);
    const Scratch scratch(sums.count(), input.type);
    const Scratch arrived(sums.first(graph.size() - graph.skip(last)), input.type);
    std::int64_t copied = 0;
    of_positions(position, graph.skip(last)).for_each([&](const Buffer& stretch) {
        copy(stretch, scratch.buffer().slice(copied, stretch.count), comm);
        copied += stretch.count;
    });

    for (int round = last; round >= 0; --round) {
        const int stay = graph.skip(round), leave = graph.skip(round + 1) - stay;
        const int to = order.rank(graph.after(position, round));
        const std::int64_t first = sums.first(stay);
        const Buffer come = arrived.buffer().slice(0, sums.first(leave));
        Exchange messages(comm);
        messages.receive(come, order.rank(graph.before(position, round)));
        if (round == last)
            messages.send(of_positions(position + stay, leave), to);
        else
            messages.send(scratch.buffer().slice(first, sums.first(stay + leave) - first), to);
        messages.wait();
        reduce_local(come, scratch.buffer().slice(0, come.count), op);
    }
    copy(sums.block(scratch.buffer(), 0), result, comm);
}

}  // namespace laneway
