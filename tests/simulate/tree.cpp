// SPDX-License-Identifier: BSD-3-Clause
// Trees as all of their positions see them.
#include "patterns/tree.hpp"

#include <bit>
#include <functional>
#include <vector>

#include "cases/case.hpp"
#include "patterns/hub.hpp"

namespace laneway {
namespace {

using cases::Register;
using Shape = std::function<Tree(int position, int size)>;

std::vector<Tree> all_of(const Shape& shape, int size)
{
    std::vector<Tree> all;
    for (int position = 0; position < size; ++position) all.push_back(shape(position, size));
    return all;
}

/// Parents and children agree, and subtrees are rows that begin with their roots and lie side by side.
void is_in_preorder(const std::vector<Tree>& all)
{
    const int size = static_cast<int>(all.size());
    EQUAL(all[0].parent, Tree::none);
    EQUAL(all[0].end, size);
    int edges = 0;
    for (int position = 0; position < size; ++position) {
        const Tree& own = all[static_cast<std::size_t>(position)];
        EQUAL(own.position, position);
        int next = position + 1;
        for (const int child : own.children) {
            EQUAL(child, next);
            const Tree& below = all[static_cast<std::size_t>(child)];
            EQUAL(below.parent, position);
            EQUAL(below.depth, own.depth + 1);
            next = below.end;
            ++edges;
        }
        EQUAL(own.end, next);
    }
    EQUAL(edges, size - 1);
}

int depth_of(const std::vector<Tree>& all)
{
    int depth = 0;
    for (const Tree& one : all) depth = std::max(depth, one.depth);
    return depth;
}

std::size_t most_children(const std::vector<Tree>& all)
{
    std::size_t most = 0;
    for (const Tree& one : all) most = std::max(most, one.children.size());
    return most;
}

/// Every size that is tried.
void for_sizes(const std::function<void(int size)>& body)
{
    for (int size = 1; size <= 4096; ++size) body(size);
}

const Register trees(
    "every tree is one, in preorder, with the depth and degree that it is for", [] {
        for_sizes([](int size) {
            const int log = std::bit_width(static_cast<unsigned>(size)) - 1;  // rounded down
            const auto linear = all_of(tree::linear, size), chain = all_of(tree::chain, size),
                       binary = all_of(tree::binary, size), binomial = all_of(tree::binomial, size);
            for (const auto& all : {linear, chain, binary, binomial}) is_in_preorder(all);
            EQUAL(depth_of(linear), size > 1 ? 1 : 0);
            EQUAL(depth_of(chain), size - 1);
            EQUAL(depth_of(binary), log);
            EQUAL(depth_of(binomial), log);
            EQUAL(most_children(chain), std::size_t{size > 1});
            TRUE(most_children(binary) <= 2);
            // As many as there are rounds in which the root sends.
            EQUAL(binomial[0].children.size(),
                  static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size - 1))));
        });
    });

const Register hubs(
    "a tree by a hub reaches everyone in two steps, and all hubs together burden everyone alike",
    [] {
        for (const int size : {1, 2, 3, 4, 7, 16}) {
            std::vector<std::size_t> sent(static_cast<std::size_t>(size), 0);
            for (int hub = 1; hub < size; ++hub)
                for (int position = 0; position < size; ++position) {
                    const Tree own = tree::by_hub(position, hub, size);
                    EQUAL(own.depth, position == 0 ? 0 : position == hub ? 1 : 2);
                    sent[static_cast<std::size_t>(position)] += own.children.size();
                    for (const int child : own.children)
                        EQUAL(tree::by_hub(child, hub, size).parent, position);
                }
            for (int position = 0; position < size && size > 2; ++position)
                EQUAL(sent[static_cast<std::size_t>(position)],
                      static_cast<std::size_t>(position == 0 ? size - 1 : size - 2));
        }
        EQUAL(tree::by_hub(0, 1, 1).children.size(), std::size_t{0});
    });

const Register balance("subtrees of a binary tree differ by one at most", [] {
    for_sizes([](int size) {
        for (const Tree& own : all_of(tree::binary, size)) {
            const int below = own.end - own.position - 1;
            if (below < 2) continue;
            EQUAL(own.children.size(), std::size_t{2});
            EQUAL(own.children[1] - own.children[0], below / 2);
        }
    });
});

const Register knomial("a k-nomial tree takes one digit away with each parent", [] {
    for (const int radix : {2, 3, 4, 5, 8, 64})
        for_sizes([&](int size) {
            const auto all = all_of(
                [&](int position, int ranks) { return tree::knomial(position, ranks, radix); },
                size);
            is_in_preorder(all);
            int depth = 0;  // the most digits that are not zero
            for (long ones = 1; ones < size; ones = ones * radix + 1) ++depth;
            EQUAL(depth_of(all), depth);
        });
});

}  // namespace
}  // namespace laneway
