// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace laneway {

/// A port of a fabric's device: InfiniBand, Omni-Path, RoCE.
struct Port {
    std::string device, number;
    double rate;  ///< gigabits a second; 0: it is down, or does not say
    bool lane;
};

/// All ports by device and number; `folder` is /sys/class/infiniband. Lanes are those that are up and have the highest
/// rate, but no part of another device (SR-IOV). This is the one place that counts lanes by devices.
std::vector<Port> ports_of_fabric(const std::string& folder);

/// How many of them are lanes. 0 where there is none: of Ethernet nobody knows which devices carry messages and which are
/// for administration.
int lanes_of_fabric(const std::string& folder);

/// The same of the machine that the process is on, read once; 0 where its nodes are virtual ones (LANEWAY_NODE_SIZE), which
/// share the machine's devices.
int found_lanes();

}  // namespace laneway
