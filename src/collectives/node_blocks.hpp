// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/layout.hpp"

namespace laneway {

/// The lengths of the blocks of an alltoallv that the processes of one node send, and of those that they receive. Sums
/// of lengths are at hand: who asks for those of a whole node need not look at its blocks.
class NodeBlocks {
public:
    /// `told`: process after process of the node, the lengths that it sends to every rank, and then those that it
    /// receives from every rank.
    NodeBlocks(std::span<const std::int64_t> told, int node, const Layout& on);

    /// Elements that process `local` of the node sends to the processes before place `before` of all processes in a
    /// row, node after node.
    std::int64_t sent(int local, int before) const
    {
        return sent_[static_cast<std::size_t>(local) * (ranks_ + 1) +
                     static_cast<std::size_t>(before)];
    }
    /// Elements that the first processes of the node, so many, receive from rank `origin`.
    std::int64_t received(int origin, int processes) const
    {
        return received_[static_cast<std::size_t>(processes) * ranks_ +
                         static_cast<std::size_t>(origin)];
    }

    /// Calls `body` for the numbers from which all lengths follow.
    template <class Body>
    void for_numbers(const Body& body) const
    {
        for (const std::int64_t number : sent_) body(number);
        for (const std::int64_t number : received_) body(number);
    }

private:
    std::size_t ranks_;
    std::vector<std::int64_t> sent_;      ///< a row of sums a process, the first one 0
    std::vector<std::int64_t> received_;  ///< a row of sums a process, after a row of zeros
};

}  // namespace laneway
