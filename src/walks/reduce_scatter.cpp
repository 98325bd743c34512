// SPDX-License-Identifier: BSD-3-Clause
#include "walks/reduce_scatter.hpp"

#include <algorithm>
#include <numeric>

#include "data/scratch.hpp"
#include "data/stretches.hpp"
#include "messages/pmpi.hpp"
#include "walks/allreduce.hpp"
#include "walks/parts.hpp"

namespace laneway {
namespace {

/// Blocks in the order of actors.
struct Moved {
    std::vector<int> numbers;
    std::vector<std::int64_t> sizes;  ///< elements in the blocks of an actor

    Moved(const std::vector<int>& actors, const Folded& folded, const Partition& part,
          const Order& blocks)
    {
        for (const int actor : actors) {
            sizes.push_back(0);
            for (const int position : folded.served_by(actor)) {
                numbers.push_back(blocks.rank(position));
                sizes.back() += part.size(numbers.back());
            }
        }
    }
};

}  // namespace

void reduce_scatter_in_phases(const Buffer& input, const Buffer& result, const Partition& part,
                              MPI_Op op, const Phases& phases, const std::vector<int>& actors,
                              const Folded& folded, const Order& blocks, const Comm& comm)
{
    const Moved moved(actors, folded, part, blocks);
    const Scratch scratch(input.count, input.type);
    const Buffer& sums = scratch.buffer();
    const bool takes_in = folded.acts() && folded.paired();
    if (takes_in) folded.receive(sums);
    std::int64_t start = 0;
    Stretches(input, part, moved.numbers).for_each([&](const Buffer& own) {
        const Buffer sum = sums.slice(start, own.count);
        takes_in ? pmpi::reduce_local(own, sum, op) : pmpi::copy(own, sum, comm);
        start += own.count;
    });
    if (!folded.acts()) {
        folded.send(sums);
        return folded.receive(result);
    }

    const Partition parts(moved.sizes);
    reduce_scatter_in_phases(sums, sums, parts, op, folded.ranks(phases), comm);
    const auto mine = std::ranges::find(actors, folded.actor()) - actors.begin();
    const Buffer own = parts.block(sums, static_cast<int>(mine));
    const std::int64_t length = part.size(blocks.rank(folded.position()));
    if (folded.paired()) folded.send(own.slice(length, own.count - length));
    pmpi::copy(own.slice(0, length), result, comm);
}

void reduce_scatter_halving(const Buffer& input, const Buffer& result, const Partition& part,
                            MPI_Op op, const Order& order, const Order& blocks, const Comm& comm)
{
    const Folded folded(onto_cube(comm.size()), order, comm);
    std::vector<int> actors(static_cast<std::size_t>(folded.actors()));
    std::iota(actors.begin(), actors.end(), 0);
    reduce_scatter_in_phases(input, result, part, op,
                             far_first(folded.actor(), prime_factors(folded.actors())), actors,
                             folded, blocks, comm);
}

void reduce_scatter_by_butterfly(const Buffer& input, const Buffer& result, const Partition& part,
                                 MPI_Op op, const Order& order, const Comm& comm)
{
    const Folded folded(onto_cube(comm.size()), order, comm);
    std::vector<int> actors;
    for (int half = 0; half < folded.actors(); ++half)
        actors.push_back(mirrored(half, folded.actors()));
    reduce_scatter_in_phases(input, result, part, op,
                             near_first(folded.actor(), prime_factors(folded.actors())), actors,
                             folded, order, comm);
}

void reduce_scatter_by_allreduce(const Buffer& input, const Buffer& result, const Partition& part,
                                 MPI_Op op, const Order& order, const Comm& comm)
{
    constexpr int pairs = 2;
    const Scratch all(input.count, input.type);
    allreduce_multiplying(input, all.buffer(), op, pairs, order, comm);
    pmpi::copy(part.block(all.buffer(), comm.rank()), result, comm);
}

}  // namespace laneway
