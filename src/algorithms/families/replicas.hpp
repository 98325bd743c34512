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

/// How the lanes' shares of a message are cut into segments. The longest share has segments of the bytes that are
/// asked for. No other share has more segments: so all lanes take as many rounds.
class LaneSegments {
public:
    LaneSegments(const Buffer& whole, std::int64_t bytes, const Decomposition& on)
        : part_(on.by_lanes(whole.count))
    {
        std::int64_t longest = 0;
        for (int lane = 0; lane < on.lanes(); ++lane) longest = std::max(longest, part_.size(lane));
        const Segments usual(whole.slice(0, longest), bytes);
        blocks_ = usual.count();
        const auto fewest = std::max(blocks_, 1);
        for (int lane = 0; lane < on.lanes(); ++lane) {
            const std::int64_t share = part_.size(lane);
            lengths_.push_back(on.alike() ? usual.length() : (share + fewest - 1) / fewest);
            longest_ = std::max(longest_, std::min(share, lengths_.back()));
        }
    }

    const Partition& part() const { return part_; }
    /// Segments of a share, at most.
    int blocks() const { return blocks_; }
    /// Elements of a segment, at most.
    std::int64_t longest() const { return longest_; }

    /// A lane's share, wherever it stands, in segments.
    Segments of_share(const Buffer& share, int lane) const
    {
        return Segments::of_length(share, lengths_[static_cast<std::size_t>(lane)]);
    }
    /// The shares of a message, by lane.
    std::vector<Segments> of(const Buffer& whole) const
    {
        std::vector<Segments> shares;
        for (int lane = 0; lane < part_.parts(); ++lane)
            shares.push_back(of_share(part_.block(whole, lane), lane));
        return shares;
    }

private:
    Partition part_;
    int blocks_ = 0;
    std::int64_t longest_ = 0;
    std::vector<std::int64_t> lengths_;
};

/// The replicas of a pattern over the nodes, from the root's on, as one process sees them.
class Replicas {
public:
    Replicas(int root, int blocks, pipelined::Pattern pattern, const Decomposition& on)
        : root_(root),
          root_node_(on.locate(root).node),
          on_(on),
          rounds_(pattern(position(), on.nodes(), blocks))
    {
    }

    /// The calling process's position of the pattern.
    int position() const { return (on_.node_index() - root_node_ + on_.nodes()) % on_.nodes(); }
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
