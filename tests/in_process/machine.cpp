// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "choose/lane_weights.hpp"

namespace laneway::in_process {

namespace {

std::string told(const NetworkLanes& lanes)
{
    const std::string words = " lanes=" + std::to_string(lanes.number);
    return lanes.weights.empty() ? words : words + " weights=" + in_words(lanes);
}

}  // namespace

Machine::Machine(const Mapping& mapping, const NetworkLanes& lanes,
                 const std::string& nodes_in_words)
    : layout(std::make_shared<const Layout>(mapping, lanes)),
      name(nodes_in_words + told(lanes))
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

/// Weights of any ratio, zeros among them.
LaneWeights draw_weights(int lanes, Random& random)
{
    constexpr std::int64_t some[] = {0, 1, 2, 3, 10, NetworkLanes::most};
    LaneWeights weights;
    for (int lane = 0; lane < lanes; ++lane) weights.push_back(some[random.below(std::size(some))]);
    if (std::ranges::all_of(weights, [](std::int64_t weight) { return weight == 0; }))
        std::ranges::fill(weights, 1);
    return weights;
}

/// Weights of all nodes, or of each by itself. Returns the nodes' numbers in these, as Mapping has them.
std::vector<std::size_t> draw_weights(NetworkLanes& lanes, std::size_t nodes, Random& random)
{
    std::vector<std::size_t> weighed(nodes);
    lanes.weights = draw_weights(lanes.number, random);
    const bool differ = random.below(2) == 0;
    for (std::size_t node = 0; node < nodes && differ; ++node) {
        if (random.below(3) == 0) continue;
        lanes.of_nodes.push_back({std::to_string(node), draw_weights(lanes.number, random)});
        weighed[node] = lanes.of_nodes.size();
    }
    return weighed;
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
    NetworkLanes lanes =
        static_cast<int>(random.below(static_cast<std::uint32_t>(nodes.front().size()) + 3));
    std::vector<std::size_t> weighed;
    if (lanes.number > 0 && random.below(2) == 0)
        weighed = draw_weights(lanes, nodes.size(), random);
    constexpr std::uint32_t most_sockets = 4;
    const std::uint32_t sockets = 1 + random.below(most_sockets);
    std::vector<int> socket_of;
    for (int rank = 0; rank < ranks; ++rank)
        socket_of.push_back(static_cast<int>(random.below(sockets)));
    return std::make_unique<Machine>(Mapping{nodes, socket_of, weighed}, lanes,
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

/// The machine with these lanes, and one whose last node has other weights.
void visit_weighed(const Nodes& nodes, const std::vector<int>& sockets, NetworkLanes lanes,
                   const std::string& name, const std::function<void(const Machine&)>& visit)
{
    visit(Machine({nodes, sockets}, lanes, name));
    std::vector<std::size_t> weighed(nodes.size());
    weighed.back() = 1;
    lanes.of_nodes.push_back({"last", LaneWeights(lanes.weights.rbegin(), lanes.weights.rend())});
    visit(Machine({nodes, sockets, weighed}, lanes, name));
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
        for (std::size_t lanes = smallest; lanes <= largest; ++lanes) {
            const auto number = static_cast<int>(lanes);
            visit(Machine({nodes, sockets}, number, name));
            std::vector<std::int64_t> weights(lanes, 1);
            weights.front() = 3;
            weights.back() = 0;
            if (nodes.size() > 1 && lanes > 1)
                visit_weighed(nodes, sockets, {number, weights}, name, visit);
        }
    });
}

}  // namespace laneway::in_process
