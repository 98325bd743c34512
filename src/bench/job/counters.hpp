// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace laneway::bench {

/// Bytes that went over the nodes' network devices, [node][device].
struct Traffic {
    std::vector<std::vector<std::int64_t>> sent;
    std::vector<std::vector<std::int64_t>> received;
};

/// The traffic of the nodes over their network devices, as the kernel counts it: payload and headers, of every
/// program on the node. Traffic that bypasses the kernel (verbs, say) is not seen.
class Counters {
public:
    /// Collective over `comm`, which spans MPI_COMM_WORLD in its order. Virtual nodes have no
    /// devices, and one node needs none.
    explicit Counters(MPI_Comm comm);

    /// Whether there is anything to be read; alike on all ranks.
    bool readable() const { return !devices_.empty(); }

    /// The devices' names on the node of rank 0, the loopback device left out.
    const std::vector<std::string>& devices() const { return devices_; }

    /// The bytes that one node's devices have sent, and then those that they have received.
    using Reading = std::vector<std::int64_t>;

    /// The bytes of the calling rank's node since it booted; zeros where another rank reads for the node.
    Reading read() const;

    /// The traffic of all nodes, from `grown`, the differences of readings on each rank; on rank 0 of `comm`.
    /// Collective. Nodes are numbered by their first ranks.
    Traffic gather(const Reading& grown, MPI_Comm comm) const;

private:
    int nodes_ = 0;
    int node_ = 0;        ///< The calling rank's node.
    bool reads_ = false;  ///< Whether this process reads for its node; one does.
    std::vector<std::string> devices_;
};

/// Adds `after - before` to `sum`.
void add_growth(Counters::Reading& sum, const Counters::Reading& before,
                const Counters::Reading& after);

}  // namespace laneway::bench
