// SPDX-License-Identifier: BSD-3-Clause
#include "walks/allreduce.hpp"

#include <algorithm>

#include "mpi/exchange.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "walks/parts.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// A partial result, and room for those of others that it is combined with, in the same way on all of them: so
/// the result is the same to the last bit.
class Partial {
public:
    Partial(const Buffer& sum, const Buffer& rooms, int others) : sum_(sum)
    {
        for (int other = 0; other < others; ++other)
            rooms_.push_back(rooms.slice(other * sum.count, sum.count));
    }

    const Buffer& sum() const { return sum_; }

    /// With those of all others of the group.
    void combine(const Group& group, MPI_Op op, const Comm& comm)
    {
        const auto last = static_cast<std::size_t>(group.size()) - 1;
        std::vector<Buffer> operands(rooms_.begin(), rooms_.begin() + group.size() - 1);
        operands.insert(operands.begin() + group.place, sum_);
        Exchange messages(comm);
        group.for_others([&](int from, int to) {
            messages.receive(operands[static_cast<std::size_t>(from)], group.member(from));
            messages.send(sum_, group.member(to));
        });
        messages.wait();
        for (std::size_t place = last; place-- > 0;)
            reduce_local(operands[place], operands[last], op);
        sum_ = operands[last];
        std::ranges::copy(operands.begin(), operands.end() - 1, rooms_.begin());
    }

private:
    Buffer sum_;
    std::vector<Buffer> rooms_;
};

}  // namespace

void allreduce_multiplying(const Buffer& input, const Buffer& result, MPI_Op op, int radix,
                           const Order& order, const Comm& comm)
{
    const auto factors = radix_factors(comm.size(), radix);
    const Folded folded({comm.size(), product(factors)}, order, comm);
    const Buffer own = folded.take_in(input, result, op);
    if (folded.acts()) {
        if (own.data != result.data) copy(own, result, comm);
        const int others = factors.empty() ? 0 : std::ranges::max(factors) - 1;
        const Scratch rooms(others * result.count, result.type);
        Partial partial(result, rooms.buffer(), others);
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
