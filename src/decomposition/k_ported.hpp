// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/calls.hpp"
#include "collectives/tunables.hpp"
#include "decomposition/components.hpp"
#include "mpi/partition.hpp"
#include "patterns/splits.hpp"

/// Nodes as processors with k ports: each process of a node sends to, or receives from, another node at
/// the same time (Traeff and Hunold 2020, Section 5).
namespace laneway {

/// Broadcasts a message as a whole, over nodes by a tree of the fewest rounds, ceil(log N / log(k+1)): in
/// each, a node that has the message sends it to k others, which share it out at home.
void broadcast_whole(const Bcast& call, const Decomposition& on);

/// The same tree for what is not the same for all nodes. On each node one process, the holder, has what goes to or
/// comes from the nodes below it, and the others are its ports: they hand on what is theirs to send or receive.
/// Nodes are counted from the root's on.
class PortTree {
public:
    PortTree(int root, const Decomposition& on);

    /// Rank of the holder on its node: at the root's node, the root.
    int holder() const { return holder_; }
    bool is_holder() const { return holder_ == on_.node.rank(); }
    /// Of this node.
    int position() const { return position_; }

    /// Consecutive positions.
    struct Row {
        int first, size;
    };
    /// This node and all below it.
    Row below() const { return below_; }

    /// What holders have for, or of, a row of nodes.
    struct Load {
        MPI_Datatype type;
        std::function<std::int64_t(Row row)> count;
        std::function<Buffer(Row row)> place;
        std::function<void()> arrived = [] {};  ///< what the place had room for has come
    };
    /// From the root's node to all others: first of all what `below` says.
    void down(const Load& load) const;
    /// To the root's node. A node takes in what comes in the order of positions.
    void up(const Load& load) const;

    /// @name Of a row of blocks of `length` elements a rank
    /// @{
    Partition blocks(std::int64_t length) const;
    /// Where they stand in the row, ordered by position.
    Datatype places(std::int64_t length, MPI_Datatype type) const;
    /// Holders have those of the nodes below in `held`.
    Load load(const Partition& blocks, const Buffer& held) const;
    /// @}

private:
    template <class Body>
    void for_children(const Split& split, const Body& body) const;
    bool serves(int port) const { return on_.serves(port); }
    int process(int port, int position) const;
    void hand_on(const Load& load, Row row, int from, int to, int port) const;

    const Decomposition& on_;
    int root_node_, position_, holder_;
    Row below_;
    int port_ = 0, parent_ = 0;  ///< by which, and at which position, this node is connected
    std::vector<Split> splits_;  ///< of those below
};

/// Where a reduction ends that is combined in the order of nodes: at its root; if the order matters and others stand
/// before the root's node, at rank 0.
int head_of_reduction(const Reduce& call, const Decomposition& on);

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

/// For algorithms that cut messages into shares or leave the lanes to one process: what is so short that
/// latency alone counts travels as a whole.
constexpr Tunable whole_tunable{
    "whole",
    bytes_unit.data(),
    2048,
    0,
    1 << 30,
    "a message that travels as a whole, by k_ported: fewer rounds on the lanes, more bytes"};
inline bool is_whole(const Bcast& call, const Tunables& tunables)
{
    return call.data.count * size_of(call.data.type) <= tunables["whole"];
}

}  // namespace laneway
