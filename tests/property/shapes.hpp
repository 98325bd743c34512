// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace laneway::property {

/// A communicator under test: which ranks of MPI_COMM_WORLD it has, in which order, and on which
/// virtual nodes they lie.
struct Shape {
    std::string nodes_name;    ///< such as "by-3" (three a node), "cyclic-2", "1+5+2"
    std::string group_name;    ///< world, reversed, subset, self
    std::vector<int> node_of;  ///< by rank in MPI_COMM_WORLD
    std::vector<int> members;  ///< ranks in MPI_COMM_WORLD, by rank in the communicator

    std::string name() const { return group_name + "/" + nodes_name; }
    int size() const { return static_cast<int>(members.size()); }

    /// @name What the decomposition must find, worked out a second time
    /// @{
    int nodes() const;
    bool regular() const;
    bool consecutive() const;
    int largest_node() const;  ///< its processes
    /// @}

private:
    std::vector<std::vector<int>> ranks_by_node() const;
};

/// All shapes on `processes` processes, in the same order everywhere.
std::vector<Shape> shapes(int processes);

/// The communicator of a shape; MPI_COMM_NULL on processes that are not in it. Collective over
/// MPI_COMM_WORLD. Puts the calling process on its virtual node.
MPI_Comm communicator(const Shape& shape);

}  // namespace laneway::property
