// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

/// Which ranks share a node: for each rank, the first rank of its node.
namespace laneway::bench {

/// A communicator of those processes that share memory with the calling one, in their order. Collective.
MPI_Comm split_node(MPI_Comm comm);

/// The nodes by shared memory. Collective.
std::vector<int> physical_nodes(MPI_Comm comm);

/// The nodes that LANEWAY_NODE_SIZE makes of the `size` ranks of MPI_COMM_WORLD. None where the variable is not set
/// or makes no sense, which the library then complains of.
std::optional<std::vector<int>> virtual_nodes(int size);

/// The number from 1 up that a variable of the environment holds; 0 where it holds none.
int positive_setting(const char* variable);

}  // namespace laneway::bench
