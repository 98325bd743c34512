// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/network.hpp"

namespace laneway {

/// How many network lanes the node of this process has, as far as can be found.
struct FoundLanes {
    int number = 0;       ///< 0: nobody knows
    std::string by = {};  ///< the source of the number, for people: `mlx5_0:1, mlx5_1:1`
};

/// The lanes of this process's node, read once: as an emulated cluster says (LANEWAY_EMULATED_LANES), else by the
/// machine's devices. None where nodes are virtual ones (LANEWAY_NODE_SIZE), which share the machine's devices.
const FoundLanes& found_lanes();

/// The lanes of the machine whose devices are described in `folder`, as /sys/class, and have this machine's addresses.
std::vector<NetworkDevice> lanes_of(const std::string& folder);

/// Whether a list such as `eth0,10.1.0.0/16` (Open MPI's btl_tcp_if_include) has a device with that IPv4 address, the
/// first byte of which is the highest.
bool is_listed(std::string_view list, std::string_view device, unsigned address);

/// The value of a parameter in the text of Open MPI's openmpi-mca-params.conf, of lines `name = value`; empty: none.
std::string parameter_in(std::string_view text, std::string_view name);

}  // namespace laneway
