// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition/decomposition.hpp"
#include "messages/comm.hpp"

namespace laneway {

/// From now on messages between processes of a node go through a channel in memory that they share (node/channel.hpp),
/// on all `parts`. Not on a node with more processes than a channel serves, nor where some process there
/// uses accelerators, whose memory only the library can copy, or has no such memory: none to be had, or on another
/// machine, as a node map may have it, or kept from others; all processes of the node know. Collective over the nodes,
/// by messages.
void share_memory(Parts& parts);

/// To be called in each call that is served: a process that uses accelerators by now may be given their memory.
void mind_devices(const Parts& parts);

}  // namespace laneway
