// SPDX-License-Identifier: BSD-3-Clause
#include "walks/gossip.hpp"

#include <algorithm>
#include <vector>

#include "mpi/exchange.hpp"
#include "mpi/pmpi.hpp"

namespace laneway {

void place(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    const Buffer own = part.block(whole, comm.rank());
    if (own.data != mine.data) pmpi::copy(mine, own, comm);
}

void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Order& blocks, const Comm& comm)
{
    // In the order in which they lie in memory: those that are neighbours there are one stretch.
    const auto blocks_of = [&](const Transfer& transfer) {
        std::vector<int> numbers;
        for (const int position : transfer.blocks) numbers.push_back(blocks.rank(position));
        std::ranges::sort(numbers);
        return Stretches(whole, part, numbers);
    };
    for (const auto& [leaving, arriving] : rounds) {
        Exchange messages(comm);
        for (const Transfer& transfer : arriving)
            messages.receive(blocks_of(transfer), order.rank(transfer.peer));
        for (const Transfer& transfer : leaving)
            messages.send(blocks_of(transfer), order.rank(transfer.peer));
        messages.wait();
    }
}

void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Comm& comm)
{
    allgather_in_rounds(rounds, whole, part, order, order, comm);
}

}  // namespace laneway
