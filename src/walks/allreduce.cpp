// SPDX-License-Identifier: BSD-3-Clause
#include "walks/allreduce.hpp"

#include <algorithm>

#include "data/scratch.hpp"
#include "messages/exchange.hpp"
#include "messages/pmpi.hpp"
#include "walks/parts.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// A partial result, and room for those of others that it is combined with. All combine them in the same way, so
/// the result is the same to the last bit.
class Partial {
public:
    /// The partial result is at first the caller's `own`, which stays as it is unless the result will be there.
    Partial(const Buffer& own, const Buffer& result, const Buffer& rooms, int others)
        : sum_(own),
          result_(result),
          is_input_(own.data != result.data)
    {
        for (int other = 0; other < others; ++other)
            rooms_.push_back(rooms.slice(other * own.count, own.count));
    }

    const Buffer& sum() const { return sum_; }

    /// Combines it with the partial results of all others of the group.
    void combine(const Group& group, MPI_Op op, const Comm& comm)
    {
        const auto last = static_cast<std::size_t>(group.size()) - 1;
        const auto mine = static_cast<std::size_t>(group.place);
        // Messages that are sent at once are on their way while the rest is prepared.
        Exchange messages(comm);
        group.for_others([&](int, int to) { messages.send(sum_, group.member(to)); });
        if (is_input_ && mine == last) keep_input(comm);
        // The last operand becomes the sum.
        Buffers operands;
        for (std::size_t place = 0, room = 0; place <= last; ++place)
            operands.push_back(place == mine                ? sum_
                               : place == last && is_input_ ? result_
                                                            : rooms_[room++]);
        group.for_others([&](int from, int) {
            messages.receive(operands[static_cast<std::size_t>(from)], group.member(from));
        });
        messages.wait();
        for (std::size_t place = last; place-- > 0;)
            reduce_local(operands[place], operands[last], op);
        // The place of the former sum is room for others now.
        if (mine != last && !is_input_) rooms_[last - 1] = sum_;
        sum_ = operands[last];
        is_input_ = false;
    }

private:
    using Buffers = Few<Buffer, 4>;

    void keep_input(const Comm& comm)
    {
        copy(sum_, result_, comm);
        sum_ = result_;
        is_input_ = false;
    }

    Buffer sum_, result_;
    bool is_input_;
    Buffers rooms_;
};

}  // namespace

void allreduce_multiplying(const Buffer& input, const Buffer& result, MPI_Op op, int radix,
                           const Order& order, const Comm& comm)
{
    const auto factors = radix_factors(comm.size(), radix);
    const Folded folded({comm.size(), product(factors)}, order, comm);
    const Buffer own = folded.take_in(input, result, op);
    if (folded.acts()) {
        const int others = factors.empty() ? 0 : std::ranges::max(factors) - 1;
        const Scratch rooms(others * result.count, result.type);
        Partial partial(own, result, rooms.buffer(), others);
        for (const Group& group : folded.ranks(near_first(folded.actor(), factors)))
            partial.combine(group, op, comm);
        if (partial.sum().data != result.data) copy(partial.sum(), result, comm);
    }
    folded.give_out(result);
}

void allreduce_in_phases(const Buffer& input, const Buffer& result, MPI_Op op, const Phases& phases,
                         const Folded& folded, const Comm& comm)
{
    const Buffer own = folded.take_in(input, result, op);
    if (folded.acts()) {
        const Partition part = evenly(result.count, folded.actors());
        const Phases ranks = folded.ranks(phases);
        reduce_scatter_in_phases(own, result, part, op, ranks, comm);
        allgather_in_phases(result, part, ranks, comm);
    }
    folded.give_out(result);
}

}  // namespace laneway
