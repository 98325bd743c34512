// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "layout/layout.hpp"

namespace laneway {

/// Bound on the temporary memory of any process, in copies of parts of the message (where there is a
/// block a rank, of all blocks). Tunables are at their presets. A message with gaps is brought into wire form on top
/// of it.
struct Memory {
    double message = 0;
    /// The shares that a process serves on its lanes, of a message cut into one share a lane: the n-th part where
    /// nodes are equal.
    double shares = 0;
    /// The blocks of a node.
    double node_blocks = 0;
    /// Where nodes differ, a process's shares of the blocks of its node.
    double redistributed = 0;
    /// The rows of all processes of a node in an alltoall, and a process's shares of them.
    double rows = 0;
    double row_shares = 0;

    /// Bytes besides for each process of the communicator.
    std::int64_t bytes_a_process = 0;

    /// All memory but these bytes, in copies of a message of `count` elements, which are not divided.
    double copies(const Layout& on, std::int64_t count) const;
};

}  // namespace laneway
