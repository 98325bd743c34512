// SPDX-License-Identifier: BSD-3-Clause
#include "walks/gossip.hpp"

#include <algorithm>
#include <vector>

#include "mpi/exchange.hpp"
#include "mpi/pmpi.hpp"
#include "walks/runs.hpp"

namespace laneway {
namespace {

/// `body(buffer)` for all blocks of a transfer, neighbours in memory in one.
template <class Body>
void for_blocks(const Transfer& transfer, const Buffer& whole, const Partition& part,
                const Order& order, const Body& body)
{
    std::vector<int> ranks;
    for (const int position : transfer.blocks) ranks.push_back(order.rank(position));
    std::ranges::sort(ranks);
    for_runs(ranks, part,
             [&](std::int64_t first, std::int64_t count) { body(whole.slice(first, count)); });
}

}  // namespace

void place(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    const Buffer own = part.block(whole, comm.rank());
    if (own.data != mine.data) pmpi::copy(mine, own, comm);
}

void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Comm& comm)
{
    for (const auto& [leaving, arriving] : rounds) {
        Exchange messages(comm);
        for (const Transfer& transfer : arriving)
            for_blocks(transfer, whole, part, order, [&](const Buffer& blocks) {
                messages.receive(blocks, order.rank(transfer.peer));
            });
        for (const Transfer& transfer : leaving)
            for_blocks(transfer, whole, part, order, [&](const Buffer& blocks) {
                messages.send(blocks, order.rank(transfer.peer));
            });
        messages.wait();
    }
}

}  // namespace laneway
