// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "switch/pace.hpp"

namespace laneway::lanes {

/// A number in network byte order; 0 beyond the end.
std::size_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t length);

/// The facts that the headers of a frame say.
struct Facts {
    Size size;
    /// Whether the frame is more than an acknowledgement of TCP. Acknowledgements are the emulation's own traffic: a
    /// lane carries their bytes, but an adapter that the cluster stands for has no work with them.
    bool message = true;
    /// A number that is equal for all frames of a connection in one direction.
    std::uint64_t connection = 0;
};

/// The facts of an Ethernet frame. A large segment is to be cut into pieces of `segment` bytes; 0: the frame is none.
Facts facts_of(std::span<const std::byte> frame, std::size_t segment);

/// A frame on its way.
struct Frame {
    Facts facts;
    std::vector<std::byte> data;  ///< Bytes as the packet sockets give and take them.
};

}  // namespace laneway::lanes
