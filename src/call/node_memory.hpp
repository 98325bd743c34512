// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "mpi/comm.hpp"

namespace laneway {

class NodeChannel;

/// The channel between the processes of a node, in memory that they share. Null, on all of them alike, where there are
/// more than it serves, some use accelerators, whose memory only the library can copy, or some have no such memory: none
/// to be had, on another machine, as a node map may have it, or kept from each other. Collective over the node, by
/// messages.
std::shared_ptr<NodeChannel> open_node_channel(const Comm& node);

}  // namespace laneway
