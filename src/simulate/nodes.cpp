// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "text/text.hpp"

namespace laneway::simulate {

Nodes nodes_of(std::string_view text)
{
    constexpr int most_ranks = 1 << 24;
    const auto positive = [](std::string_view word) {
        try {
            return static_cast<int>(number(word, 1, most_ranks));
        } catch (const Misunderstood& why) {
            throw Misunderstood(std::string("--nodes: ") + why.what() +
                                "; processes of each node are told as 4+4+3, or 16x6912 for so "
                                "many of 16");
        }
    };
    Nodes nodes;
    int ranks = 0;
    while (!text.empty()) {
        std::string_view count_of = next(text, '+');
        const bool many = count_of.find('x') != count_of.npos;
        const int size = positive(next(count_of, 'x'));
        const int count = many ? positive(count_of) : 1;
        for (int node = 0; node < count; ++node) {
            if (ranks > most_ranks - size) throw Misunderstood("--nodes: too many ranks");
            auto& members = nodes.emplace_back(static_cast<std::size_t>(size));
            std::iota(members.begin(), members.end(), std::exchange(ranks, ranks + size));
        }
    }
    if (nodes.empty()) throw Misunderstood("--nodes: no node");
    return nodes;
}

Nodes dealt_to(Nodes nodes)
{
    std::size_t largest = 0;
    for (const std::vector<int>& members : nodes) largest = std::max(largest, members.size());
    int rank = 0;
    for (std::size_t local = 0; local < largest; ++local)
        for (std::vector<int>& members : nodes)
            if (local < members.size()) members[local] = rank++;
    return nodes;
}

Mapping mapping_of(Nodes nodes, std::int64_t socket_size, std::int64_t sockets_of_node)
{
    if (socket_size == 0 && sockets_of_node == 0) return {std::move(nodes), {}};
    std::size_t ranks = 0;
    for (const std::vector<int>& members : nodes) ranks += members.size();
    std::vector<int> sockets(ranks);
    for (const std::vector<int>& members : nodes)
        for (std::size_t local = 0; local < members.size(); ++local)
            sockets[static_cast<std::size_t>(members[local])] = static_cast<int>(
                socket_size > 0 ? static_cast<std::int64_t>(local) / socket_size
                                : static_cast<std::int64_t>(local) % sockets_of_node);
    return {std::move(nodes), std::move(sockets)};
}

}  // namespace laneway::simulate
