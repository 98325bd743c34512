// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/calls.hpp"
#include "collectives/tunables.hpp"
#include "data/partition.hpp"
#include "decomposition/components.hpp"
#include "patterns/splits.hpp"

/// Nodes as processors with k ports. The processes of a node send to, or receive from, another node
/// each, at the same time (Traeff and Hunold 2020, Section 5).
namespace laneway {

/// Broadcasts a message as a whole, over nodes by a tree of the fewest rounds: ceil(log N / log(k+1)). In
/// each round, a node that has the message sends it to k others, which share it out at home.
void broadcast_whole(const Bcast& call, const Decomposition& on);

/// The tree of broadcast_whole(), for data that differ from node to node. On each node one process, the holder, has the
/// data that go to or come from the nodes below. The other processes are the node's ports: they hand on the data that
/// are theirs to send or receive. Nodes are counted from the root's on.
class PortTree {
public:
    PortTree(int root, const Decomposition& on);

    /// Rank of the holder on its node: at the root's node, the root.
    int holder() const { return holder_; }
    bool is_holder() const { return holder_ == on_.node.rank(); }
    /// The position of this node.
    int position() const { return position_; }

    /// Consecutive positions.
    struct Row {
        int first, size;
    };
    /// This node and all below it.
    Row below() const { return below_; }

    /// The data that holders have for, or of, a row of nodes.
    struct Load {
        MPI_Datatype type;
        std::function<std::int64_t(Row row)> count;
        std::function<Buffer(Row row)> place;
        std::function<void()> arrived = [] {};  ///< called when the data for a place have come
    };
    /// Sends from the root's node to all others. A node first receives the data of all of below().
    void down(const Load& load) const;
    /// Sends to the root's node. A node takes in data in the order of positions.
    void up(const Load& load) const;

    /// @name A row of blocks of `length` elements a rank
    /// @{
    Partition blocks(std::int64_t length) const;
    /// The places of the blocks in the row, ordered by position.
    Datatype places(std::int64_t length, MPI_Datatype type) const;
    /// The load of blocks; holders have those of the nodes below in `held`.
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
    int port_ = 0, parent_ = 0;  ///< the port that this node hangs on, and its parent's position
    std::vector<Split> splits_;  ///< the cuts of the nodes below
};

/// The rank at which a reduction ends that is combined in the order of nodes. This is its root. If the order matters
/// and other nodes stand before the root's, it is rank 0.
int head_of_reduction(const Reduce& call, const Decomposition& on);

/// For algorithms that cut messages into shares or leave the lanes to one process. A message so short that
/// latency alone counts travels as a whole.
constexpr Tunable whole_tunable{
    "whole",
    bytes_unit,
    2048,
    0,
    1 << 30,
    "a message that travels as a whole, by k_ported: fewer rounds on the lanes, more bytes"};
inline bool is_whole(const Bcast& call, const Tunables& tunables)
{
    return call.data.count * size_of(call.data.type) <= tunables["whole"];
}

}  // namespace laneway
