// SPDX-License-Identifier: BSD-3-Clause
#include "choose/node.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>

#include "choose/hash.hpp"
#include "choose/launched.h"
#include "mpi/error.hpp"

namespace laneway {
namespace {

std::atomic<int> virtual_node{-1};

const std::string& boot_id()
{
    static const std::string id = [] {
        std::string line;
        std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), line);
        return line;
    }();
    return id;
}

std::string physical_node()
{
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(PMPI_Get_processor_name(name.data(), &length));
    return std::string(name.data(), static_cast<std::size_t>(length)) + " " + boot_id();
}

}  // namespace

bool world_is_there()
{
    int initialized = 0, finalized = 0;
    check(PMPI_Initialized(&initialized));
    check(PMPI_Finalized(&finalized));
    return initialized && !finalized;
}

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

void prepare_node() { boot_id(); }

void set_virtual_node(int node) { virtual_node = node; }

std::uint64_t node_of_this_process(const Settings& settings)
{
    if (const int node = virtual_node; node >= 0) return hash("set " + std::to_string(node));

    const auto& map = settings.node_map();
    if (settings.node_size() > 0 || !map.empty()) {
        const auto rank = world_rank();
        if (rank && settings.node_size() > 0)
            return hash("block " + std::to_string(*rank / settings.node_size()));
        if (rank && static_cast<std::size_t>(*rank) < map.size())
            return hash("map " + map[static_cast<std::size_t>(*rank)]);
    }
    static const std::uint64_t physical = hash(physical_node());
    return physical;
}

}  // namespace laneway
