// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"

#include <optional>
#include <vector>

#include "mpi/datatype.hpp"
#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "mpi/segments.hpp"
#include "patterns/circulant.hpp"
#include "walks/runs.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// The blocks of so many positions from `first` on, wherever they stand in a row of blocks by rank.
class Blocks {
public:
    Blocks(const Buffer& whole, const Partition& part, const Order& order, int first, int count)
        : buffer_(whole.slice(0, 0))
    {
        std::vector<int> ranks, lengths, places;
        for (int position = first; position < first + count; ++position) {
            const int rank = order.rank(position % order.ranks());
            if (part.size(rank) > 0) ranks.push_back(rank);
        }
        for_runs(ranks, part, [&](std::int64_t start, std::int64_t length) {
            places.push_back(static_cast<int>(start));
            lengths.push_back(static_cast<int>(length));
        });
        if (places.empty()) return;
        if (places.size() == 1) {
            buffer_ = whole.slice(places[0], lengths[0]);
        } else {
            type_ = Datatype::indexed(lengths, places, whole.type);
            buffer_ = Buffer::of(whole.data, 1, *type_);
        }
    }

    const Buffer& buffer() const { return buffer_; }

private:
    std::optional<Datatype> type_;
    Buffer buffer_;
};

}  // namespace

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

void circulant_allgather(const Buffer& whole, const Partition& part, const Order& order,
                         const Comm& comm)
{
    const Circulant graph(comm.size());
    const int position = order.position(comm.rank());
    for (int round = 0; round < graph.rounds(); ++round) {
        const int have = graph.skip(round), come = graph.skip(round + 1) - have;
        const Blocks arriving(whole, part, order, position + have, come);
        const Blocks leaving(whole, part, order, position, come);
        Messages messages(comm);
        messages.receive(arriving.buffer(), order.rank(graph.after(position, round)));
        messages.send(leaving.buffer(), order.rank(graph.before(position, round)));
        messages.wait();
    }
}

void circulant_reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part,
                              MPI_Op op, const Order& order, const Comm& comm)
{
    const Circulant graph(comm.size());
    const int position = order.position(comm.rank()), last = graph.rounds() - 1;
    if (last < 0 && input.data == result.data) return;
    if (last < 0) return copy(input, result, comm);

    // The sums of the positions from the own one on, which get fewer; the others' leave first.
    std::vector<std::int64_t> sizes;
    for (int at = 0; at < graph.skip(last); ++at)
        sizes.push_back(part.size(order.rank((position + at) % comm.size())));
    const Partition sums(sizes);
    const Scratch scratch(sums.count(), input.type);
    const Scratch arrived(sums.first(graph.size() - graph.skip(last)), input.type);
    copy(Blocks(input, part, order, position, graph.skip(last)).buffer(), scratch.buffer(), comm);

    for (int round = last; round >= 0; --round) {
        const int stay = graph.skip(round), leave = graph.skip(round + 1) - stay;
        const Blocks inputs(input, part, order, position + stay, round == last ? leave : 0);
        const std::int64_t first = sums.first(stay), come = sums.first(leave);
        Messages messages(comm);
        messages.receive(arrived.buffer().slice(0, come),
                         order.rank(graph.before(position, round)));
        messages.send(round == last
                          ? inputs.buffer()
                          : scratch.buffer().slice(first, sums.first(stay + leave) - first),
                      order.rank(graph.after(position, round)));
        messages.wait();
        reduce_local(arrived.buffer().slice(0, come), scratch.buffer().slice(0, come), op);
    }
    copy(sums.block(scratch.buffer(), 0), result, comm);
}

}  // namespace laneway
