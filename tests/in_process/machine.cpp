// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <numeric>

namespace laneway::in_process {

Machine::Machine(const Mapping& mapping, int lanes, const std::string& nodes_in_words)
    : layout(std::make_shared<const Layout>(mapping, lanes)),
      name(nodes_in_words + " lanes=" + std::to_string(lanes))
{
    for (int rank = 0; rank < ranks(); ++rank) parts.emplace_back(layout, rank, divides_operators);
}

namespace {

std::vector<int> sizes_of_nodes(int ranks, Random& random)
{
    const auto below = [&](int end) {
        return static_cast<int>(random.below(static_cast<std::uint32_t>(end)));
    };
    if (below(2) == 0) {
        std::vector<int> divisors;
        for (int size = 1; size <= ranks; ++size)
            if (ranks % size == 0) divisors.push_back(size);
        const int size =
            divisors[static_cast<std::size_t>(below(static_cast<int>(divisors.size())))];
        return std::vector<int>(static_cast<std::size_t>(ranks / size), size);
    }
    std::vector<int> sizes;
    for (int left = ranks; left > 0; left -= sizes.back())
        sizes.push_back(1 + below(std::min(left, 1 + ranks / 2)));
    return sizes;
}

}  // namespace

std::unique_ptr<Machine> draw_machine(int ranks, Random& random)
{
    const std::vector<int> sizes = sizes_of_nodes(ranks, random);
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    enum Deal : std::uint32_t { in_order, in_order_too, in_turn, shuffled, deals };
    const std::uint32_t deal = random.below(deals);
    for (std::uint32_t left = static_cast<std::uint32_t>(ranks); deal == shuffled && left > 1;
         --left)
        std::swap(order[left - 1], order[random.below(left)]);

    Nodes nodes(sizes.size());
    std::size_t node = 0;
    for (const int rank : order) {
        while (static_cast<int>(nodes[node].size()) == sizes[node])
            node = (node + 1) % nodes.size();
        nodes[node].push_back(rank);
        if (deal == in_turn) node = (node + 1) % nodes.size();
    }
    for (auto& members : nodes) std::ranges::sort(members);
    std::ranges::sort(nodes);
    std::string name;
    for (const int size : sizes) name += (name.empty() ? "" : "+") + std::to_string(size);
    const char* const words[] = {"", "", " cyclic", " shuffled"};
    const auto lanes = random.below(static_cast<std::uint32_t>(nodes.front().size()) + 3);
    constexpr std::uint32_t most_sockets = 4;
    const std::uint32_t sockets = 1 + random.below(most_sockets);
    std::vector<int> socket_of;
    for (int rank = 0; rank < ranks; ++rank)
        socket_of.push_back(static_cast<int>(random.below(sockets)));
    return std::make_unique<Machine>(Mapping{nodes, socket_of}, static_cast<int>(lanes),
                                     name + words[deal] + " sockets=" + std::to_string(sockets));
}

namespace {

/// `rank` and those above it on the nodes so far or on one more.
void place(int rank, int ranks, Nodes& nodes, const std::function<void(const Nodes&)>& visit)
{
    if (rank == ranks) return visit(nodes);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        nodes[node].push_back(rank);
        place(rank + 1, ranks, nodes, visit);
        nodes[node].pop_back();
    }
    nodes.push_back({rank});
    place(rank + 1, ranks, nodes, visit);
    nodes.pop_back();
}

}  // namespace

void for_each_machine(int ranks, const std::function<void(const Machine&)>& visit)
{
    Nodes none;
    place(0, ranks, none, [&](const Nodes& nodes) {
        std::string name;
        std::vector<int> sockets(static_cast<std::size_t>(ranks));
        std::size_t smallest = nodes.front().size(), largest = smallest;
        for (const auto& members : nodes) {
            for (std::size_t local = 0; local < members.size(); ++local)
                sockets[static_cast<std::size_t>(members[local])] = static_cast<int>(local % 2);
            name += name.empty() ? "" : " | ";
            for (const int rank : members)
                name += (rank == members.front() ? "" : " ") + std::to_string(rank);
            smallest = std::min(smallest, members.size());
            largest = std::max(largest, members.size());
        }
        for (std::size_t lanes = smallest; lanes <= largest; ++lanes)
            visit(Machine({nodes, sockets}, static_cast<int>(lanes), name));
    });
}

}  // namespace laneway::in_process
