// SPDX-License-Identifier: BSD-3-Clause
#include "layout/layout.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace laneway {

Mapping mapping_of(const std::vector<Home>& homes)
{
    Mapping mapping;
    std::unordered_map<std::uint64_t, std::size_t> index;
    for (int rank = 0; rank < static_cast<int>(homes.size()); ++rank) {
        const Home& home = homes[static_cast<std::size_t>(rank)];
        const auto [place, is_new] = index.try_emplace(home.node, mapping.nodes.size());
        if (is_new) {
            mapping.nodes.emplace_back();
            mapping.weighed.push_back(static_cast<std::size_t>(home.weighed));
        }
        mapping.nodes[place->second].push_back(rank);
        mapping.sockets.push_back(static_cast<int>(home.socket));
    }
    return mapping;
}

Layout::Layout(Mapping mapping, const NetworkLanes& network_lanes)
    : members_(std::move(mapping.nodes))
{
    std::size_t ranks = 0;
    smallest_ = members_.front().size();
    for (const auto& node : members_) {
        ranks += node.size();
        smallest_ = std::min(smallest_, node.size());
        largest_ = std::max(largest_, node.size());
    }

    places_.resize(ranks);
    int next = 0;
    for (std::size_t node = 0; node < members_.size(); ++node) {
        starts_.push_back(next);
        for (std::size_t local = 0; local < members_[node].size(); ++local) {
            const int rank = members_[node][local];
            places_[static_cast<std::size_t>(rank)] = {static_cast<int>(node),
                                                       static_cast<int>(local)};
            consecutive_ = consecutive_ && rank == next;
            ++next;
        }
    }

    const auto wanted = static_cast<std::size_t>(std::max(network_lanes.number, 0));
    on_lane_.resize(std::max(smallest_, std::min(wanted, largest_)));
    for (int lane = 0; lane < lanes(); ++lane)
        for (int node = 0; node < this->nodes(); ++node)
            on_lane_[static_cast<std::size_t>(lane)].push_back(
                members(node)[static_cast<std::size_t>(owner(lane, node))]);
    if (network_lanes.of_nodes.empty() || mapping.weighed.empty()) {
        weigh({network_lanes.weights});
    } else {
        std::vector<LaneWeights> weights;
        for (const std::size_t number : mapping.weighed)
            weights.push_back(network_lanes.weights_of(number));
        weigh(weights);
    }
    if (!mapping.sockets.empty()) put_by_socket(mapping.sockets);
}

namespace {

bool all_equal(const auto& values)
{
    return std::ranges::adjacent_find(values, std::not_equal_to<>()) == values.end();
}

/// Weights of so many lanes: those that go over one network lane divide its weight, where that makes a difference. A
/// weight that nobody can use counts for nothing.
LaneWeights divided(const LaneWeights& network_weights, std::size_t lanes)
{
    const std::size_t network = network_weights.size();
    const std::size_t fewest = lanes / network, more = lanes % network;  // that one more has
    const bool is_even = fewest == 0 || more == 0;
    LaneWeights weights;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t over = lane % network;
        const std::size_t others = is_even ? 1 : over < more ? fewest : fewest + 1;
        weights.push_back(network_weights[over] * static_cast<std::int64_t>(others));
    }
    return weights;
}

}  // namespace

void Layout::weigh(const std::vector<LaneWeights>& of_nodes)
{
    weights_.clear();
    by_node_.clear();
    const bool same = all_equal(of_nodes);
    if (nodes() == 1 || of_nodes.empty() || (same && all_equal(of_nodes.front()))) return;
    for (const LaneWeights& network : of_nodes)
        by_node_.push_back(divided(network, on_lane_.size()));
    weights_ = least_of(by_node_);
    if (all_equal(by_node_)) {
        by_node_.clear();
        if (all_equal(weights_)) weights_.clear();
    }
}

LaneWeights Layout::weights_between(int one, int other, int lanes) const
{
    const auto first = [&](int node) {
        const LaneWeights& all = by_node_[static_cast<std::size_t>(node)];
        return LaneWeights(all.begin(), all.begin() + lanes);
    };
    return least_of({first(one), first(other)});
}

std::vector<LaneWeights> Layout::weights_towards(int root, int lanes) const
{
    std::vector<LaneWeights> between;
    std::vector<std::int64_t> sizes;
    for (int node = 0; node < nodes(); ++node) {
        between.push_back(weights_between(node, root, lanes));
        sizes.push_back(node == root ? 0 : static_cast<std::int64_t>(members(node).size()));
    }
    return towards(weights_between(root, root, lanes), std::move(between), sizes);
}

void Layout::put_by_socket(const std::vector<int>& sockets)
{
    const auto socket = [&](int rank) { return sockets[static_cast<std::size_t>(rank)]; };
    for (const auto& node : members_) {
        const auto begin = by_socket_.insert(by_socket_.end(), node.begin(), node.end());
        std::ranges::stable_sort(begin, by_socket_.end(), {}, socket);
        for (auto rank = begin; rank != by_socket_.end(); ++rank)
            if (rank == begin || socket(*rank) != socket(*std::prev(rank)))
                socket_starts_.push_back(static_cast<int>(rank - by_socket_.begin()));
    }
    if (socket_starts_.size() == members_.size()) {  // one a node: node after node is all there is
        by_socket_.clear();
        socket_starts_.clear();
        return;
    }
    index_by_socket_.resize(by_socket_.size());
    for (int index = 0; index < ranks(); ++index)
        index_by_socket_[static_cast<std::size_t>(by_socket(index))] = index;
}

Layout::Place Layout::by_node(int index) const
{
    const auto after = std::ranges::upper_bound(starts_, index);
    const auto node = static_cast<int>(after - starts_.begin()) - 1;
    return {node, index - starts_at(node)};
}

Layout::Range Layout::socket_around(int index) const
{
    const auto after = std::ranges::upper_bound(socket_starts_, index);
    const int begin = *std::prev(after);
    return {begin, (after == socket_starts_.end() ? ranks() : *after) - begin};
}

}  // namespace laneway
