// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/neighbours.hpp"

#include <algorithm>

namespace laneway {
namespace {

using Steps = std::vector<Neighbours>;

int before(int node, int nodes, int distance) { return (node + nodes - distance) % nodes; }
int after(int node, int nodes, int distance) { return (node + distance) % nodes; }

Steps next(int node, int nodes)
{
    return {{.to = {after(node, nodes, 1)}, .from = {before(node, nodes, 1)}}};
}

Steps both(int node, int nodes)
{
    const int left = before(node, nodes, 1), right = after(node, nodes, 1);
    return {{.to = {right, left}, .from = {left, right}}};
}

/// The node whose number differs in one bit, if there is one.
Neighbours across(int node, int nodes, int bit)
{
    const int other = node ^ bit;
    if (other >= nodes) return {};
    return {.to = {other}, .from = {other}};
}

Steps pairs(int node, int nodes) { return {across(node, nodes, 1)}; }

Steps all(int node, int nodes)
{
    Steps steps;
    for (int distance = 1; distance < nodes; ++distance)
        steps.push_back(
            {.to = {after(node, nodes, distance)}, .from = {before(node, nodes, distance)}});
    return steps;
}

Steps hypercube(int node, int nodes)
{
    Steps steps;
    for (int bit = 1; bit < nodes; bit *= 2) steps.push_back(across(node, nodes, bit));
    return steps;
}

}  // namespace

const std::vector<NodePattern>& node_patterns()
{
    static const std::vector<NodePattern> patterns = {
        {"next", "each node sends to the next one", next},
        {"pairs", "two nodes exchange, and the next two", pairs},
        {"both", "each node exchanges with the next one and the one before at once", both},
        {"all", "each node sends to each other one in turn", all},
        {"hypercube", "each node exchanges across each dimension of a hypercube in turn",
         hypercube}};
    return patterns;
}

const NodePattern* node_pattern(const std::string& name)
{
    const auto& all = node_patterns();
    const auto found =
        std::ranges::find(all, name, [](const NodePattern& one) { return std::string(one.name); });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace laneway
