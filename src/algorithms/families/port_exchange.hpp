// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "data/partition.hpp"
#include "decomposition/components.hpp"
#include "patterns/splits.hpp"

namespace laneway {

/// All nodes, cut into one part more than a node has ports, these parts cut again, and so on. The data of a part go
/// to all other parts of a cut, from the innermost cut on: ceil(log N / log(k+1)) rounds on the lanes.
class PortExchange {
public:
    explicit PortExchange(const Decomposition& on);

    /// The cuts of the caller's node, the outermost one first.
    const std::vector<Split>& splits() const { return splits_; }
    /// Parts that a node hears of in a round.
    int most_parts() const { return splits_.empty() ? 0 : splits_.front().parts - 1; }

    /// Sends `own`, which all nodes of this node's part have, to the other parts. The ports receive theirs in
    /// `brought`, in the order of parts.
    void bring(const Split& split, const Buffer& own, const Buffer& brought,
               const Partition& by_port) const;

    /// @name Reductions of `own.count` elements
    /// @{
    /// Brings the sums of all other parts to everyone, one after the other.
    void bring_sums(const Split& split, const Buffer& own, const Buffer& brought) const;
    /// Makes `own` the sum of all parts. The sums in `brought` are used up.
    void add_up(const Split& split, const Buffer& own, const Buffer& brought, MPI_Op op) const;
    /// Adds up the blocks of the other parts that the node's processes have, and sends the sums to one node of each
    /// part. `whole` has the blocks of all `nodes`. The sums that come for the node's own part are added to `whole`
    /// where they come.
    void hand_over(const Split& split, const Partition& nodes, const Buffer& whole,
                   MPI_Op op) const;
    /// The sum of the nodes before this one, which is not written on the first node. `total` is this node's sum, and is
    /// overwritten.
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
