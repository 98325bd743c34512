// SPDX-License-Identifier: BSD-3-Clause
#include "shapes.hpp"

#include <laneway.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "library/error.hpp"

namespace laneway::property {
namespace {

struct Nodes {
    std::string name;
    std::vector<int> node_of;
};

Nodes by_sizes(const std::vector<int>& sizes)
{
    Nodes result;
    for (std::size_t node = 0; node < sizes.size(); ++node) {
        result.name += (node == 0 ? "" : "+") + std::to_string(sizes[node]);
        result.node_of.insert(result.node_of.end(), static_cast<std::size_t>(sizes[node]),
                              static_cast<int>(node));
    }
    return result;
}

template <class NodeOf>
Nodes by_rule(std::string name, int processes, const NodeOf& node_of)
{
    Nodes result{std::move(name), {}};
    for (int rank = 0; rank < processes; ++rank) result.node_of.push_back(node_of(rank));
    return result;
}

std::vector<Nodes> node_maps(int processes)
{
    std::vector<Nodes> maps;
    for (int size = 1; size <= processes; ++size)
        maps.push_back(by_rule("by-" + std::to_string(size), processes,
                               [&](int rank) { return rank / size; }));
    if (processes >= 3) {
        maps.push_back(by_rule("cyclic-2", processes, [](int rank) { return rank % 2; }));
        maps.push_back(by_sizes({1, processes - 1}));
    }
    if (processes >= 5) {
        maps.push_back(by_sizes({1, processes - 3, 2}));
        maps.push_back(by_rule("cyclic-3", processes, [](int rank) { return rank % 3; }));
        maps.push_back(by_rule("scattered", processes, [](int rank) { return rank * rank % 5; }));
    }
    return maps;
}

struct Group {
    const char* name;
    std::vector<int> members;
};

std::vector<Group> groups(int processes)
{
    std::vector<int> all(static_cast<std::size_t>(processes));
    std::iota(all.begin(), all.end(), 0);
    std::vector<Group> result{{"world", all}};
    if (processes >= 2) result.push_back({"reversed", {all.rbegin(), all.rend()}});
    if (processes >= 3) result.push_back({"subset", {all.begin() + 1, all.end()}});
    return result;
}

}  // namespace

std::vector<Shape> shapes(int processes)
{
    std::vector<Shape> result;
    for (const auto& [nodes_name, node_of] : node_maps(processes))
        for (const auto& [group_name, members] : groups(processes))
            result.push_back({nodes_name, group_name, node_of, members});
    if (processes >= 2) result.push_back({"by-1", "self", result.front().node_of, {0}});
    return result;
}

std::vector<std::vector<int>> Shape::ranks_by_node() const
{
    std::map<int, std::vector<int>> ranks;
    for (std::size_t rank = 0; rank < members.size(); ++rank)
        ranks[node_of[static_cast<std::size_t>(members[rank])]].push_back(static_cast<int>(rank));
    std::vector<std::vector<int>> result;
    for (auto& [node, on_node] : ranks) result.push_back(std::move(on_node));
    std::sort(result.begin(), result.end());
    return result;
}

int Shape::nodes() const { return static_cast<int>(ranks_by_node().size()); }

bool Shape::regular() const
{
    const auto ranks = ranks_by_node();
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](const auto& node) { return node.size() == ranks.front().size(); });
}

bool Shape::consecutive() const
{
    std::vector<int> in_order;
    for (const auto& node : ranks_by_node())
        in_order.insert(in_order.end(), node.begin(), node.end());
    return std::is_sorted(in_order.begin(), in_order.end());
}

int Shape::largest_node() const
{
    std::size_t largest = 0;
    for (const auto& node : ranks_by_node()) largest = std::max(largest, node.size());
    return static_cast<int>(largest);
}

MPI_Comm communicator(const Shape& shape)
{
    int rank = 0;
    check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    check(laneway_set_node(shape.node_of[static_cast<std::size_t>(rank)]));
    const auto place = std::find(shape.members.begin(), shape.members.end(), rank);
    const bool member = place != shape.members.end();
    MPI_Comm comm = MPI_COMM_NULL;
    check(PMPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED,
                          static_cast<int>(place - shape.members.begin()), &comm));
    // A failed call is a failed case, not the end of the program.
    if (member) check(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

}  // namespace laneway::property
