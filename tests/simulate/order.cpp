// SPDX-License-Identifier: BSD-3-Clause
// The order in which trees and rings take the ranks.
#include "layout/order.hpp"

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

/// Times that the row of all positions goes from one node to another.
int crossings(const Order& order, const Layout& layout)
{
    int count = 0;
    for (int position = 1; position < order.ranks(); ++position)
        count += layout.locate(order.rank(position)).node !=
                 layout.locate(order.rank(position - 1)).node;
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
            EQUAL(crossings(by_node, layout), layout.nodes() - 1);
        }
    }
});

}  // namespace
}  // namespace laneway::simulate
