// SPDX-License-Identifier: BSD-3-Clause
#include "machine/node.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "library/error.hpp"
#include "library/identity.hpp"
#include "machine/launched.h"
#include "text/hash.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

std::atomic<int> virtual_node{-1};

std::string line_of(const std::string& file)
{
    std::string line;
    std::getline(std::ifstream(file), line);
    return line;
}

const std::string& boot_id()
{
    static const std::string id = line_of("/proc/sys/kernel/random/boot_id");
    return id;
}

std::string physical_node()
{
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(PMPI_Get_processor_name(name.data(), &length));
    return std::string(name.data(), static_cast<std::size_t>(length)) + " " + boot_id();
}

/// No machine has more.
constexpr int most_processors = 1 << 13;

/// The processors of a list such as `0-3,8`. Throws Misunderstood.
std::vector<int> listed(std::string_view list)
{
    const auto processor = [](std::string_view word) {
        return static_cast<int>(number(word, 0, most_processors - 1));
    };
    std::vector<int> processors;
    while (!list.empty()) {
        std::string_view rest = next(list, ',');
        const int first = processor(next(rest, '-'));
        const int last = rest.empty() ? first : processor(rest);
        for (int one = first; one <= last; ++one) processors.push_back(one);
    }
    return processors;
}

const std::vector<int>& sockets_here()
{
    static const std::vector<int> sockets = sockets_of_processors("/sys/devices/system/cpu");
    return sockets;
}

}  // namespace

std::vector<int> own_processors()
{
    std::array<cpu_set_t, most_processors / CPU_SETSIZE> set{};
    std::vector<int> processors;
    if (sched_getaffinity(getpid(), sizeof set, set.data()) != 0) return processors;
    for (int one = 0; one < most_processors; ++one)
        if (CPU_ISSET_S(static_cast<std::size_t>(one), sizeof set, set.data()))
            processors.push_back(one);
    return processors;
}

namespace {

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
}

void set_virtual_node(int node) { virtual_node = node; }

bool nodes_are_virtual(const VirtualNodes& said) { return virtual_node >= 0 || said.any(); }

std::uint64_t node_of_this_process(const VirtualNodes& said)
{
    if (const int node = virtual_node; node >= 0) return hash("set " + std::to_string(node));

    if (nodes_are_virtual(said)) {
        const auto& map = said.map;
        const auto rank = world_rank();
        if (rank && said.size > 0) return hash("block " + std::to_string(*rank / said.size));
        if (rank && static_cast<std::size_t>(*rank) < map.size())
            return hash("map " + map[static_cast<std::size_t>(*rank)]);
    }
    static const std::uint64_t physical = hash(physical_node());
    return physical;
}

std::vector<int> sockets_of_processors(const std::string& folder)
{
    std::vector<int> sockets;
    try {
        for (const int first : listed(line_of(folder + "/present"))) {
            const auto known = static_cast<int>(sockets.size());
            if (first < known && sockets[static_cast<std::size_t>(first)] >= 0) continue;
            // One file a socket is read in this way; by physical_package_id it would be one a processor.
            const std::string of_first = folder + "/cpu" + std::to_string(first);
            for (const int one : listed(line_of(of_first + "/topology/core_siblings_list"))) {
                if (one >= static_cast<int>(sockets.size()))
                    sockets.resize(static_cast<std::size_t>(one) + 1, -1);
                sockets[static_cast<std::size_t>(one)] = first;
            }
        }
    } catch (const Misunderstood&) {
        sockets.clear();
    }
    return sockets;
}

std::optional<int> common_socket(const std::vector<int>& socket_of,
                                 const std::vector<int>& processors)
{
    const auto socket = [&](int processor) {
        const auto index = static_cast<std::size_t>(processor);
        return index < socket_of.size() ? socket_of[index] : -1;
    };
    if (processors.empty()) return std::nullopt;
    const int first = socket(processors.front());
    const bool is_common =
        std::ranges::all_of(processors, [&](int one) { return socket(one) == first; });
    return is_common && first >= 0 ? std::optional(first) : std::nullopt;
}

int socket_of_this_process(const VirtualNodes& said)
{
    if (said.socket_size > 0)
        if (const auto local = rank_on_node(said)) return *local / said.socket_size;
    static const int physical = common_socket(sockets_here(), own_processors()).value_or(0);
    return physical;
}

}  // namespace laneway
