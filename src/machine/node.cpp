// SPDX-License-Identifier: BSD-3-Clause
#include "machine/node.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "library/error.hpp"
#include "library/identity.hpp"
#include "machine/cores.hpp"
#include "machine/launched.h"
#include "machine/processors.hpp"
#include "text/hash.hpp"

namespace laneway {
namespace {

std::atomic<int> virtual_node{-1};

const std::string& boot_id()
{
    static const std::string id = first_line_of("/proc/sys/kernel/random/boot_id");
    return id;
}

std::string host()
{
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(PMPI_Get_processor_name(name.data(), &length));
    return {name.data(), static_cast<std::size_t>(length)};
}

const std::vector<int>& sockets_here()
{
    static const std::vector<int> sockets = sockets_of_processors(folder_of_processors);
    return sockets;
}

/// The number of processes of its node that come before this one in MPI_COMM_WORLD. Where only the processes themselves
/// put themselves on nodes, those of a node are taken to follow each other.
std::optional<int> rank_on_node(const VirtualNodes& said)
{
    const auto rank = world_rank();
    if (!rank || virtual_node >= 0) return rank;
    if (said.size > 0) return *rank % said.size;
    const auto& map = said.map;
    if (static_cast<std::size_t>(*rank) < map.size()) {
        const auto own = map.begin() + *rank;
        return static_cast<int>(std::count(map.begin(), own, *own));
    }
    for (const char* variable : {LANEWAY_LOCAL_RANK_VARIABLES})
        if (const char* local = secure_getenv(variable); local != nullptr && *local != '\0')
            return static_cast<int>(std::strtol(local, nullptr, 10));
    return rank;
}

}  // namespace

std::optional<int> world_rank()
{
    static std::atomic<int> known{-1};
    if (known < 0 && world_is_there()) {
        int rank = 0;
        check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
        known = rank;
    }
    if (known >= 0) return known;
    for (const char* variable : {LANEWAY_RANK_VARIABLES})
        if (const char* rank = secure_getenv(variable); rank != nullptr && *rank != '\0')
            return static_cast<int>(std::strtol(rank, nullptr, 10));
    return std::nullopt;
}

int world_size()
{
    int size = 0;
    if (world_is_there()) check(PMPI_Comm_size(MPI_COMM_WORLD, &size));
    return size;
}

void prepare_node()
{
    boot_id();
    sockets_here();
    own_cores();
}

void set_virtual_node(int node) { virtual_node = node; }

bool nodes_are_virtual(const VirtualNodes& said) { return virtual_node >= 0 || said.any(); }

namespace {

/// The virtual node that the process is on: who says so, and its name; none: it is on a physical one.
struct Virtual {
    const char* kind;
    std::string name;
};
std::optional<Virtual> virtual_node_of(const VirtualNodes& said)
{
    if (const int node = virtual_node; node >= 0) return Virtual{"set ", std::to_string(node)};
    if (!nodes_are_virtual(said)) return std::nullopt;
    const auto& map = said.map;
    const auto rank = world_rank();
    if (rank && said.size > 0) return Virtual{"block ", std::to_string(*rank / said.size)};
    if (rank && static_cast<std::size_t>(*rank) < map.size())
        return Virtual{"map ", map[static_cast<std::size_t>(*rank)]};
    return std::nullopt;
}

}  // namespace

std::uint64_t node_of_this_process(const VirtualNodes& said)
{
    if (const auto its = virtual_node_of(said)) return hash(its->kind + its->name);
    static const std::uint64_t physical = hash(host() + " " + boot_id());
    return physical;
}

std::string name_of_node(const VirtualNodes& said)
{
    if (const auto its = virtual_node_of(said)) return its->name;
    static const std::string physical = host();
    return physical;
}

int socket_of_this_process(const VirtualNodes& said)
{
    if (said.socket_size > 0)
        if (const auto local = rank_on_node(said)) return *local / said.socket_size;
    static const int physical = common_socket(sockets_here(), own_processors()).value_or(0);
    return physical;
}

}  // namespace laneway
