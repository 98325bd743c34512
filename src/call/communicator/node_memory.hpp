// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition/decomposition.hpp"
#include "messages/comm.hpp"

namespace laneway {

/// From now on messages between processes of a node go through a channel in memory that they share (node/channel.hpp),
/// on all `parts`. A node has no channel if it has more processes than a channel serves. Nor has it one if some process
/// there uses accelerators, whose memory only the library can copy, or if some process has no such memory. That memory
/// may not be had, lie on another machine (as a node map may have it), or be kept from others. All processes of the
/// node know. Collective over the nodes, by messages.
void share_memory(Parts& parts);

/// To be called in each call that is served: a process that uses accelerators by now may get buffers in their memory.
void mind_devices(const Parts& parts);

}  // namespace laneway
