// SPDX-License-Identifier: BSD-3-Clause
// The order in which trees and rings take the ranks.
#include "layout/order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "cases/case.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

void has_everyone_once(const Order& order, int first)
{
    EQUAL(order.rank(0), first);
    for (int position = 0; position < order.ranks(); ++position)
        EQUAL(order.position(order.rank(position)), position);
}

/// Times that the row of all positions goes from one group, by `group_of(rank)`, to another.
template <class Group>
int crossings(const Order& order, const Group& group_of)
{
    int count = 0;
    for (int position = 1; position < order.ranks(); ++position)
        count += group_of(order.rank(position)) != group_of(order.rank(position - 1));
    return count;
}

const Register orders("an order has every rank once, and leaves no node before it is through", [] {
    for (const Nodes& nodes : {Nodes{{0}}, Nodes{{0, 1, 2}}, Nodes{{0, 2, 4}, {1, 3, 5}},
                               Nodes{{0, 5}, {1}, {2, 3, 6}, {4}}}) {
        const Layout layout(nodes, 1);
        for (int first = 0; first < layout.ranks(); ++first) {
            has_everyone_once(Order(first, layout.ranks()), first);
            const Order by_node(first, layout);
            has_everyone_once(by_node, first);
            EQUAL(crossings(by_node, [&](int rank) { return layout.locate(rank).node; }),
                  layout.nodes() - 1);
        }
    }
});

/// Every way to put `ranks` ranks on nodes and on up to three sockets of each.
void for_each_mapping(int ranks, Mapping& mapping, const std::function<void()>& visit)
{
    const auto rank = static_cast<int>(mapping.sockets.size());
    if (rank == ranks) return visit();
    for (std::size_t node = 0; node <= mapping.nodes.size(); ++node) {
        const bool is_new = node == mapping.nodes.size();
        if (is_new) mapping.nodes.emplace_back();
        mapping.nodes[node].push_back(rank);
        for (int socket = 0; socket < 3; ++socket) {
            mapping.sockets.push_back(socket);
            for_each_mapping(ranks, mapping, visit);
            mapping.sockets.pop_back();
        }
        mapping.nodes[node].pop_back();
        if (is_new) {
            mapping.nodes.pop_back();
            break;
        }
    }
}

/// Ranks sorted by what the order by sockets says, from `first` on.
std::vector<int> sorted_by_socket(const Layout& layout, const std::vector<int>& sockets, int first)
{
    const auto node = [&](int rank) { return layout.locate(rank).node; };
    const auto socket = [&](int rank) { return sockets[static_cast<std::size_t>(rank)]; };
    std::vector<int> ranks(sockets.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::ranges::sort(ranks, {}, [&](int rank) {
        const bool on_node = node(rank) == node(first);
        const bool on_socket = on_node && socket(rank) == socket(first);
        return std::tuple((node(rank) - node(first) + layout.nodes()) % layout.nodes(),
                          on_node && socket(rank) < socket(first), socket(rank),
                          on_socket && rank < first, rank);
    });
    return ranks;
}

const Register by_socket("by socket, an order goes through each socket of a node in turn", [] {
    for (int ranks = 1; ranks <= 5; ++ranks) {
        Mapping mapping;
        for_each_mapping(ranks, mapping, [&] {
            const Layout layout(mapping, 1);
            for (int first = 0; first < ranks; ++first) {
                const Order order = Order::by_socket(first, layout);
                has_everyone_once(order, first);
                const auto expected = sorted_by_socket(layout, mapping.sockets, first);
                for (int position = 0; position < ranks; ++position)
                    EQUAL(order.rank(position), expected[static_cast<std::size_t>(position)]);
            }
        });
    }
});

const Register without_sockets("where nodes have one socket each, by socket is by node", [] {
    for (int ranks = 1; ranks <= 5; ++ranks) {
        Mapping mapping;
        for_each_mapping(ranks, mapping, [&] {
            std::vector<int> one_a_node(static_cast<std::size_t>(ranks));
            for (std::size_t node = 0; node < mapping.nodes.size(); ++node)
                for (const int rank : mapping.nodes[node])
                    one_a_node[static_cast<std::size_t>(rank)] = static_cast<int>(node % 2);
            for (const auto& sockets : {std::vector<int>(), one_a_node}) {
                const Layout layout(Mapping{mapping.nodes, sockets}, 1);
                TRUE(!layout.has_sockets());
                for (int first = 0; first < ranks; ++first)
                    for (int position = 0; position < ranks; ++position)
                        EQUAL(Order::by_socket(first, layout).rank(position),
                              Order(first, layout).rank(position));
            }
        });
    }
});

}  // namespace
}  // namespace laneway::simulate
