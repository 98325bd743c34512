// SPDX-License-Identifier: BSD-3-Clause
#include "walks/gossip.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "mpi/messages.hpp"

namespace laneway {
namespace {

/// `body(buffer)` for all blocks of a transfer, neighbours in memory in one.
template <class Body>
void for_runs(const Transfer& transfer, const Buffer& whole, const Partition& part,
              const Order& order, const Body& body)
{
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    std::vector<int> ranks;
    for (const int position : transfer.blocks) ranks.push_back(order.rank(position));
    std::ranges::sort(ranks);
    for (std::size_t first = 0, last = 0; first < ranks.size(); first = last) {
        const std::int64_t start = part.first(ranks[first]);
        std::int64_t end = start;
        for (; last < ranks.size() && part.first(ranks[last]) == end; ++last) {
            const std::int64_t next = end + part.size(ranks[last]);
            if (last > first && next - start > most) break;
            end = next;
        }
        body(whole.slice(start, end - start));
    }
}

}  // namespace

void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Comm& comm)
{
    constexpr int tag = 0;
    for (const auto& [leaving, arriving] : rounds) {
        Messages messages(comm);
        for (const Transfer& transfer : arriving)
            for_runs(transfer, whole, part, order, [&](const Buffer& blocks) {
                messages.receive(blocks, order.rank(transfer.peer), tag);
            });
        for (const Transfer& transfer : leaving)
            for_runs(transfer, whole, part, order, [&](const Buffer& blocks) {
                messages.send(blocks, order.rank(transfer.peer), tag);
            });
        messages.wait();
    }
}

}  // namespace laneway
