// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace laneway::lanes {

/// The lanes of a cluster's nodes, by number: lane l of node i is number i * lanes + l.
struct Layout {
    std::size_t nodes = 0, lanes = 0;
    bool joint = false;  ///< A lane reaches all lanes of the other nodes, not only its own kind.

    std::size_t ports() const { return nodes * lanes; }

    /// The device at the switch's end of the cable to a lane.
    std::string device(std::size_t port) const;

    /// The lanes to which a frame that came from `port` goes. It is one lane, or all others that the frame reaches
    /// where it is for everybody. There are none where nobody there has its address.
    std::vector<std::size_t> targets(std::size_t port, std::span<const std::byte> frame) const;

    /// Puts the Ethernet address of lane `to` into a frame that its sender addressed to the router.
    ///
    /// All nodes know the others' IP addresses, of which the switch makes Ethernet addresses. So nobody has to ask
    /// for these, or to keep a list.
    void direct(std::span<std::byte> frame, std::size_t to) const;

private:
    std::optional<std::size_t> owner(std::span<const std::byte> frame) const;
    std::optional<std::size_t> port(std::size_t node, std::size_t lane) const;
    bool reaches(std::size_t from, std::size_t to) const;
};

}  // namespace laneway::lanes
