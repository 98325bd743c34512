// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace laneway {

/// Network lanes of this machine by its devices: ports of fabrics (InfiniBand, Omni-Path, RoCE) that are up, of those with
/// the highest rate; `folder` is /sys/class/infiniband. 0 where there is none: of Ethernet nobody knows which
/// devices carry messages and which are for administration.
int lanes_of_fabric(const std::string& folder);

/// The same of the machine that the process is on, read once; 0 where its nodes are virtual ones (LANEWAY_NODE_SIZE), which
/// share the machine's devices.
int found_lanes();

}  // namespace laneway
