// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace laneway {

/// A device of a machine's network, or a port of one.
struct NetworkDevice {
    std::string name;     ///< `mlx5_0:1`, `cxi0`, `eth2`
    std::string network;  ///< infiniband (Omni-Path, too), roce, slingshot, ethernet
    double rate;          ///< gigabits a second; 0: it is down, or does not say
    bool whole;           ///< no part of another device (SR-IOV, bonds)
};

/// All devices of a machine; `folder` is /sys/class.
std::vector<NetworkDevice> devices_of(const std::string& folder);

/// The subnet of an Ethernet device, and whether the MPI library sends by it: empty where it does not.
using Subnet = std::function<std::string(const std::string& device)>;

/// The devices that are lanes: of one network, of the highest rate, up, and whole. A fabric's devices go before
/// Ethernet, of which only those count that have a `subnet`, one each: the kernel sends by one device a subnet.
/// This is the one place that counts lanes by devices.
std::vector<NetworkDevice> lanes_among(const std::vector<NetworkDevice>& devices,
                                       const Subnet& subnet);

}  // namespace laneway
