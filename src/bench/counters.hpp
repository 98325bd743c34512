// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/decomposition.hpp"

namespace laneway::bench {

/// What the nodes send over their network devices, as the kernel counts it: payload and headers, of
/// every program on the node. What bypasses the kernel (verbs, say) is not seen.
class Counters {
public:
    /// Collective over `comm`, which spans the nodes' world in its order. Virtual nodes have no
    /// devices.
    Counters(const Decomposition& nodes, MPI_Comm comm);

    /// Names on the node of rank 0, the loopback device left out; on rank 0.
    const std::vector<std::string>& devices() const { return devices_; }

    /// Bytes sent by all nodes together since the last call, by device; on rank 0. Collective.
    std::vector<std::int64_t> advance();

private:
    std::vector<std::int64_t> now() const;

    MPI_Comm comm_;
    bool reads_ = false;  ///< One process reads for its node.
    std::vector<std::string> devices_;
    std::vector<std::int64_t> before_;
};

}  // namespace laneway::bench
