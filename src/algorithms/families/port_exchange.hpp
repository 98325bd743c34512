// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "data/partition.hpp"
#include "decomposition/components.hpp"
#include "patterns/splits.hpp"

namespace laneway {

/// All nodes cut into as many parts as a node has ports, and itself, these again, and so on. What parts know goes
/// to all other parts of a cut, from the innermost one on: ceil(log N / log(k+1)) rounds on the lanes.
class PortExchange {
public:
    explicit PortExchange(const Decomposition& on);

    /// The cuts of the caller's node, the outermost one first.
    const std::vector<Split>& splits() const { return splits_; }
    /// Parts that a node hears of in a round.
    int most_parts() const { return splits_.empty() ? 0 : splits_.front().parts - 1; }

    /// `own`, which all of the own part have, to the other parts; theirs to the ports, in the order of parts.
    void bring(const Split& split, const Buffer& own, const Buffer& brought,
               const Partition& by_port) const;

    /// @name Of reductions of `own.count` elements
    /// @{
    /// All that the others have to everyone, one after the other.
    void bring_sums(const Split& split, const Buffer& own, const Buffer& brought) const;
    /// Becomes the sum of all parts. What was brought is used up.
    void add_up(const Split& split, const Buffer& own, const Buffer& brought, MPI_Op op) const;
    /// What the processes of the node have in `whole`, blocks of all `nodes`, of those of the other parts: added up,
    /// to one node of each of these; and what comes of the own part's, added to `whole` where it comes.
    void hand_over(const Split& split, const Partition& nodes, const Buffer& whole,
                   MPI_Op op) const;
    /// The nodes' sum before this one, which is not written on the first node; `total` is this node's.
    void prefix(const Buffer& total, const Buffer& before, MPI_Op op) const;
    /// @}

private:
    struct Peer;
    void add_up_for_ports(const Buffer& before, const Buffer& after, const Buffer& sums,
                          const Partition& by_port, MPI_Op op) const;
    template <class Body>
    void for_peers(const Split& split, const Body& body) const;

    const Decomposition& on_;
    std::vector<Split> splits_;
};

/// The sums of a row of `parts` equal parts, from the first one to each, in their place.
class Prefixes {
public:
    Prefixes(const Buffer& row, int parts, MPI_Op op);
    Buffer up_to(int part) const { return sums_.block(row_, part); }
    Buffer total() const { return up_to(sums_.parts() - 1); }

private:
    Buffer row_;
    Partition sums_;
};

}  // namespace laneway
