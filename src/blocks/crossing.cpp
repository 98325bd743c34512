// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/crossing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>

namespace laneway {
namespace {

using Bytes = std::vector<std::int64_t>;

/// The nodes of the ranks, by number from 0.
std::vector<std::size_t> numbered(const std::vector<int>& node_of)
{
    std::map<int, std::size_t> numbers;
    std::vector<std::size_t> nodes;
    for (const int first : node_of)
        nodes.push_back(numbers.emplace(first, numbers.size()).first->second);
    return nodes;
}

int nonzero(const Bytes& bytes)
{
    return static_cast<int>(bytes.size()) -
           static_cast<int>(std::ranges::count(bytes, std::int64_t{0}));
}

/// The crossing where the data of some rank are wanted on all nodes, or are made of data of all nodes.
Crossing with_all(const Bytes& own)
{
    const std::int64_t all = std::accumulate(own.begin(), own.end(), std::int64_t{0});
    const int nodes = static_cast<int>(own.size());
    return {.bytes = nodes > 1 ? all - *std::ranges::min_element(own) : 0,
            .peers = all > 0 ? nodes - 1 : 0,
            .mutual = nodes > 1 && nonzero(own) == nodes};
}

/// The crossing where the data of other nodes than the root's go to the root's node, or come from it.
Crossing with_root(const Bytes& own, std::size_t root)
{
    const std::int64_t all = std::accumulate(own.begin(), own.end(), std::int64_t{0});
    return {
        .bytes = all - own[root], .peers = nonzero(own) - (own[root] > 0 ? 1 : 0), .mutual = false};
}

Crossing with_some_root(const Bytes& own)
{
    Crossing least = with_root(own, 0);
    for (std::size_t root = 1; root < own.size(); ++root) {
        const Crossing one = with_root(own, root);
        least = {.bytes = std::min(least.bytes, one.bytes),
                 .peers = std::min(least.peers, one.peers),
                 .mutual = false};
    }
    return least;
}

Crossing between_pairs(const BlockLayout& layout, std::size_t mean, std::int64_t element,
                       const std::vector<std::size_t>& node, std::size_t nodes)
{
    const int size = static_cast<int>(node.size());
    Bytes sent(nodes);
    Bytes received(nodes);
    std::size_t longest = 0;
    std::vector<std::vector<bool>> hears(nodes, std::vector<bool>(nodes));
    for (int from = 0; from < size; ++from)
        for (int to = 0; to < size; ++to) {
            const std::size_t source = node[static_cast<std::size_t>(from)];
            const std::size_t target = node[static_cast<std::size_t>(to)];
            const std::size_t elements = pair_elements(layout, mean, from, to, size);
            const std::int64_t bytes = element * static_cast<std::int64_t>(elements);
            longest = std::max(longest, elements);
            if (source == target || bytes == 0) continue;
            sent[source] += bytes;
            received[target] += bytes;
            hears[target][source] = true;
        }
    Crossing found{
        .bytes = std::max(*std::ranges::max_element(sent), *std::ranges::max_element(received)),
        .peers = 0,
        .mutual = nodes > 1,
        .longest = longest};
    for (std::size_t one = 0; one < nodes; ++one) {
        int heard_by = 0;
        for (std::size_t other = 0; other < nodes; ++other) heard_by += hears[other][one] ? 1 : 0;
        const auto from = static_cast<int>(std::ranges::count(hears[one], true));
        found.peers = std::max({found.peers, heard_by, from});
        found.mutual = found.mutual && from == static_cast<int>(nodes) - 1;
    }
    return found;
}

}  // namespace

Crossing crossing(BlockFlow flow, const BlockLayout& layout, std::size_t mean, std::int64_t element,
                  const std::vector<int>& node_of, std::optional<int> root)
{
    const std::vector<std::size_t> node = numbered(node_of);
    const std::size_t nodes = node.empty() ? 0 : *std::ranges::max_element(node) + 1;
    if (flow == BlockFlow::between_pairs) return between_pairs(layout, mean, element, node, nodes);
    const int size = static_cast<int>(node.size());
    Bytes own(nodes);
    std::size_t longest = 0;
    for (int rank = 0; rank < size; ++rank) {
        const std::size_t elements = block_elements(layout, mean, rank, size);
        own[node[static_cast<std::size_t>(rank)]] += element * static_cast<std::int64_t>(elements);
        longest = std::max(longest, elements);
    }
    Crossing found = flow == BlockFlow::with_all ? with_all(own)
                     : root ? with_root(own, node[static_cast<std::size_t>(*root)])
                            : with_some_root(own);
    found.longest = longest;
    return found;
}

}  // namespace laneway
