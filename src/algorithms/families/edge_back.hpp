// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "algorithms/families/replicas.hpp"
#include "data/segments.hpp"
#include "messages/messages.hpp"

namespace laneway {

/// The edge from the last position of a replica back to the first one, as one process sees it. It brings the share of
/// the root's lane to the other processes of the root's node, which the root then need not give it. (Traeff and Hunold
/// 2020, Section 5.) A block comes back two rounds after it has come to the last position. Between these, the
/// processes of that node exchange it.
class EdgeBack {
public:
    /// `share`: that of the root's lane, in `blocks` as all shares. There is an edge where nodes and lanes are alike.
    EdgeBack(bool wanted, int root, const Segments& share, int blocks, const Replicas& replicas,
             pipelined::Pattern pattern, const Decomposition& on)
        : share_(share),
          lane_(on.locate(root).local),
          from_the_node_(on.world),
          back_(on.world)
    {
        is_there_ = wanted && on.regular() && on.nodes() > 1 && on.node.size() > 1;
        if (!is_there_ || on.serves(lane_)) return;
        const int last = on.nodes() - 1, own = on.node.rank();
        sends_ = replicas.position() == last;
        receives_ = replicas.position() == 0;
        peer_ = replicas.rank(sends_ ? 0 : last, own);
        if (sends_ || receives_) rounds_ = pattern(last, on.nodes(), blocks);
    }

    /// Whether the root leaves its share to these edges.
    bool is_there() const { return is_there_; }
    /// Whether the calling process gets the share of a lane by its edge.
    bool brings(int lane) const { return receives_ && lane == lane_; }
    /// The last round in which the calling process has something to do for it.
    int last_round() const
    {
        return sends_ || receives_ ? static_cast<int>(rounds_.size()) + 1 : 0;
    }

    /// The messages by which a block of a lane comes from another process of the node.
    Messages& arriving(int lane, Messages& usual)
    {
        return sends_ && lane == lane_ ? from_the_node_ : usual;
    }
    void round(int round)
    {
        const int came = round - 2;
        if (sends_) from_the_node_.wait();
        if (came < 0 || came >= static_cast<int>(rounds_.size())) return;
        for (const auto [block, _] : rounds_[static_cast<std::size_t>(came)].arriving) {
            back_.wait(most_under_way);
            sends_ ? back_.send(share_[block], peer_, Replicas::along(lane_))
                   : back_.receive(share_[block], peer_, Replicas::along(lane_));
        }
    }
    void wait() { back_.wait(); }

private:
    static constexpr std::size_t most_under_way = 8;

    const Segments share_;
    const int lane_;
    bool is_there_ = false, sends_ = false, receives_ = false;
    int peer_ = 0;
    pipelined::Rounds rounds_;  ///< the rounds of the last position
    Messages from_the_node_, back_;
};

}  // namespace laneway
