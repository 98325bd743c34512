// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/topology.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>

namespace laneway {

std::int64_t links_of(const Topology& topology, int nodes)
{
    if (topology.kind == Topology::Kind::flat) return 0;
    if (topology.kind == Topology::Kind::fat_tree)
        return std::int64_t{2} * topology.up * ((nodes - 1) / topology.leaf + 1);
    const auto places = std::accumulate(topology.shape.begin(), topology.shape.end(),
                                        std::int64_t{1}, std::multiplies<>());
    return 2 * places * static_cast<std::int64_t>(topology.shape.size());
}

Routes::Routes(const Topology& topology, int nodes)
    : topology_(topology),
      links_(static_cast<std::uint32_t>(links_of(topology, nodes)))
{
}

Routes::Way Routes::way(int from, int to, int size)
{
    const int above = (to - from + size) % size, below = size - above;
    const bool up = above < below || (above == below && from % 2 == 0);
    return {.hops = std::min(above, below % size), .up = up};
}

void Routes::add(int from, int to, std::uint32_t port, std::vector<std::uint32_t>& links) const
{
    if (topology_.kind == Topology::Kind::torus) return add_torus(from, to, links);
    const auto leaf = [this](int node) {
        return static_cast<std::uint32_t>(node / topology_.leaf);
    };
    if (leaf(from) == leaf(to)) return;
    const auto up = static_cast<std::uint32_t>(topology_.up);
    links.push_back(2 * (leaf(from) * up + port % up));
    links.push_back(2 * (leaf(to) * up + port % up) + 1);
}

void Routes::add_torus(int from, int to, std::vector<std::uint32_t>& links) const
{
    const auto dimensions = static_cast<int>(topology_.shape.size());
    int at = from;
    int row = static_cast<int>(links_) / (2 * dimensions);  // nodes of the dimensions that are left
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        const int size = topology_.shape[static_cast<std::size_t>(dimension)];
        row /= size;
        const int place = at / row % size;
        const auto [hops, up] = way(place, to / row % size, size);
        for (int hop = 0; hop < hops; ++hop) {
            links.push_back(static_cast<std::uint32_t>(2 * (at * dimensions + dimension) + !up));
            const int now = at / row % size;
            at += ((up ? now + 1 : now + size - 1) % size - now) * row;
        }
    }
}

int Routes::hops(int from, int to) const
{
    if (topology_.kind == Topology::Kind::fat_tree)
        return from / topology_.leaf == to / topology_.leaf ? 0 : 2;
    int all = 0;
    for (const int size : topology_.shape | std::views::reverse) {
        all += way(from % size, to % size, size).hops;
        from /= size;
        to /= size;
    }
    return all;
}

std::string Routes::name(std::uint32_t link) const
{
    const char* const way = link % 2 == 0 ? " up" : " down";
    const bool torus = topology_.kind == Topology::Kind::torus;
    const auto each =
        static_cast<std::uint32_t>(torus ? static_cast<int>(topology_.shape.size()) : topology_.up);
    return (torus ? "node " : "leaf ") + std::to_string(link / 2 / each) +
           (torus ? ", dimension " : ", link ") + std::to_string(link / 2 % each) + way;
}

}  // namespace laneway
