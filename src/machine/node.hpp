// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace laneway {

/// Nodes and sockets that somebody has said are there, in place of the machine's.
struct VirtualNodes {
    int size = 0;  ///< processes a node; 0: not said
    std::vector<std::string> map =
        {};               ///< names of nodes, one a process of MPI_COMM_WORLD; empty: not said
    int socket_size = 0;  ///< processes a socket; 0: not said

    bool any() const { return size > 0 || !map.empty(); }
};

/// The node that the calling process lies on, as a number that is equal on the processes of one
/// node and differs between nodes. It is a property of the process, the same in every communicator.
/// Virtual nodes (set_virtual_node, a node map, a node size) go before the physical one. That is
/// told by host name and boot: containers may share the one, machines never share the other.
std::uint64_t node_of_this_process(const VirtualNodes& said);

/// The name of that node: of the host, or, where nodes are virtual, the map's; else its number.
std::string name_of_node(const VirtualNodes& said);

/// Whether that node is a virtual one, so that several may be on one machine.
bool nodes_are_virtual(const VirtualNodes& said);

/// The socket of its node that the calling process is on, as a number. Virtual sockets go before the physical one;
/// where the process may run on several, or that cannot be told, it is 0.
int socket_of_this_process(const VirtualNodes& said);

/// Reads in advance those of these facts that want a file descriptor.
void prepare_node();

/// Rank in MPI_COMM_WORLD, while it is there and later; where there never was one, the launcher's word.
std::optional<int> world_rank();

/// Processes in MPI_COMM_WORLD; 0 while it is not there.
int world_size();

/// Puts the calling process on virtual node `node` from now on; negative: no longer.
void set_virtual_node(int node);

}  // namespace laneway
