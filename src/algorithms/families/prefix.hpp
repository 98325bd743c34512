// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition/components.hpp"

/// The part that scans share: the reduction of the inputs of all earlier nodes, for consecutive ranks.
namespace laneway {

/// Brings that reduction to `before` on every process but those of node 0, where it is undefined. Inputs
/// are reduced on every node by shares, scanned on the lanes, and put together on the node. Reads
/// `input`, the caller's own.
void lane_prefix(const Buffer& input, const Buffer& before, MPI_Op op, const Decomposition& on);

/// Does as lane_prefix(), by one lane: `node_result` is the node's reduction, on the last process of each node.
void leader_prefix(const Buffer& node_result, const Buffer& before, MPI_Op op,
                   const Decomposition& on);

/// A scan, inclusive or not, whose node phases are two exchanges. The owner of a share gets it from everyone on the
/// node, and gives everyone that share of the result. So it sends fewer bytes in fewer rounds than lane_prefix() with a
/// scan on the node behind it.
void prefix_by_shares(const Buffer& input, const Buffer& result, bool inclusive, MPI_Op op,
                      const Decomposition& on);

/// The exclusive scan of the call on the node, combined with `before`, the reduction of the earlier nodes. On rank 0
/// the result is not written.
void exscan_on_node(const Exscan& call, const Buffer& before, const Decomposition& on);

}  // namespace laneway
