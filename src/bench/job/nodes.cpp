// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/nodes.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "bench/job/ranks.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

/// The nodes by a map file, which has the name of a node for each rank, one a line.
std::optional<std::vector<int>> mapped_nodes(const char* path, int size)
{
    std::ifstream file(path);
    std::map<std::string, int> first_ranks;
    std::vector<int> nodes;
    for (std::string line; std::ssize(nodes) < size && std::getline(file, line);) {
        line.erase(std::min(line.find('#'), line.size()));
        const auto first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        const std::string name = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        nodes.push_back(
            first_ranks.try_emplace(name, static_cast<int>(nodes.size())).first->second);
    }
    if (std::ssize(nodes) < size) return std::nullopt;
    return nodes;
}

}  // namespace

MPI_Comm split_node(MPI_Comm comm)
{
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank_in(comm), MPI_INFO_NULL, &node));
    return node;
}

std::vector<int> physical_nodes(MPI_Comm comm)
{
    MPI_Comm node = split_node(comm);
    int first = rank_in(comm);
    check(MPI_Bcast(&first, 1, MPI_INT, 0, node));
    check(MPI_Comm_free(&node));
    std::vector<int> nodes(static_cast<std::size_t>(size_of(comm)));
    check(MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm));
    return nodes;
}

std::optional<std::vector<int>> virtual_nodes(int size)
{
    const char* const setting = std::getenv("LANEWAY_NODE_SIZE");
    if (setting == nullptr) return std::nullopt;
    const int ppn = positive_setting("LANEWAY_NODE_SIZE");
    if (ppn == 0) return mapped_nodes(setting, size);
    std::vector<int> nodes;
    for (int rank = 0; rank < size; ++rank) nodes.push_back(rank - rank % ppn);
    return nodes;
}

int positive_setting(const char* variable)
{
    const char* const text = std::getenv(variable);
    if (text == nullptr) return 0;
    int value = 0;
    const char* const end = text + std::strlen(text);
    return std::from_chars(text, end, value).ptr == end && value > 0 ? value : 0;
}

}  // namespace laneway::bench
