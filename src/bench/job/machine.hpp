// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "bench/text/row.hpp"

namespace laneway::bench {

/// Where the ranks of MPI_COMM_WORLD are.
struct Machine {
    int rank = 0;
    int size = 0;
    int nodes = 0;                   ///< Virtual ones where LANEWAY_NODE_SIZE makes them.
    int ppn = 0;                     ///< Processes a node, of the fullest node.
    std::string unequal;             ///< The processes of each node, where they differ: "4,4,1".
    std::vector<int> node_of;        ///< By rank, the first rank of its node.
    std::string library;             ///< "Open MPI 4.1.4"
    std::string library_version;     ///< The library's own words about its version, in full.
    std::vector<std::string> hosts;  ///< By rank; on rank 0 only.

    /// The ranks on each kind of hardware: processor, number of processors, memory and network devices. On rank 0
    /// only.
    std::map<std::string, std::string> hardware;
};

/// Looks around. Collective over `comm`, which must span MPI_COMM_WORLD in its order.
Machine inspect(MPI_Comm comm);

/// The keys that say in every row where it was measured: nodes, ppn, lanes, library, binding.
Row placement(const Machine& machine, const std::string& binding);

/// The row a result file begins with.
Row environment(const Machine& machine, int threads, int run,
                const std::vector<std::string>& command);

}  // namespace laneway::bench
