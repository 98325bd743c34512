// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/partition.hpp"
#include "data/segments.hpp"
#include "decomposition/decomposition.hpp"
#include "patterns/pipelined.hpp"

namespace laneway {

/// The lanes' shares of the message, in segments.
inline std::vector<Segments> shares_of(const Buffer& whole, std::int64_t segment,
                                       const Decomposition& on)
{
    const Partition part(whole.count, on.lanes());
    std::vector<Segments> shares;
    for (int lane = 0; lane < on.lanes(); ++lane)
        shares.emplace_back(part.block(whole, lane), segment);
    return shares;
}

/// The replicas of a pattern over the nodes, from the root's on, as one process sees them.
class Replicas {
public:
    Replicas(int root, int blocks, pipelined::Pattern pattern, const Decomposition& on)
        : root_(root),
          root_node_(on.locate(root).node),
          on_(on),
          rounds_(
              pattern((on.node_index() - root_node_ + on.nodes()) % on.nodes(), on.nodes(), blocks))
    {
    }

    bool is_root() const { return on_.world.rank() == root_; }
    int rounds() const { return static_cast<int>(rounds_.size()); }

    /// Rank of the replica of a position.
    int rank(int position, int lane) const
    {
        if (position == pipelined::outside) return root_;
        return on_.port(lane, (root_node_ + position) % on_.nodes());
    }
    /// Rank of the replica of the calling process's position.
    int own(int lane) const { return on_.port(lane, on_.node_index()); }

    /// The other processes of the node, from the one after the calling process on. So not all send to one of them at
    /// once.
    std::vector<int> others() const
    {
        const auto& node = on_.members(on_.node_index());
        std::vector<int> others;
        for (int after = 1; after < on_.node.size(); ++after)
            others.push_back(
                node[static_cast<std::size_t>((on_.node.rank() + after) % on_.node.size())]);
        return others;
    }
    /// Lanes that others serve, in the order of others().
    std::vector<int> lanes_of_others() const
    {
        std::vector<int> lanes;
        for (int after = 1; after <= on_.lanes(); ++after)
            if (const int lane = (on_.node.rank() + after) % on_.lanes(); !on_.serves(lane))
                lanes.push_back(lane);
        return lanes;
    }

    /// The blocks that come and go on each replica: none before the first round and after the last one.
    const pipelined::Round& operator[](int round) const
    {
        static const pipelined::Round empty;
        return 0 <= round && round < rounds() ? rounds_[static_cast<std::size_t>(round)] : empty;
    }

    /// Blocks that leave in a round at most.
    std::size_t most_leaving() const
    {
        std::size_t most = 0;
        for (const auto& round : rounds_) most = std::max(most, round.leaving.size());
        return most;
    }

    /// @name Tags of messages along a replica, and between the replicas of a position
    /// @{
    static constexpr int along(int lane) { return 2 * lane; }
    static constexpr int across(int lane) { return 2 * lane + 1; }
    /// @}

private:
    int root_, root_node_;
    const Decomposition& on_;
    pipelined::Rounds rounds_;
};

}  // namespace laneway
