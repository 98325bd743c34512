// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/pipelined.hpp"

#include <array>
#include <cstddef>
#include <ranges>
#include <span>

#include "patterns/circulant.hpp"
#include "patterns/two_tree.hpp"

namespace laneway::pipelined {
namespace {

Round& at(Rounds& rounds, int round)
{
    const auto index = static_cast<std::size_t>(round);
    if (index >= rounds.size()) rounds.resize(index + 1);
    return rounds[index];
}

/// Blocks down several trees in turn: with t of them, tree i has blocks i, i + t ...
Rounds down(std::span<const Tree> trees, int blocks)
{
    Rounds rounds;
    const int turns = static_cast<int>(trees.size());
    for (int block = 0; block < blocks; ++block) {
        const Tree& tree = trees[static_cast<std::size_t>(block % turns)];
        const int round = tree.depth + block / turns;
        at(rounds, round).arriving.push_back({block, tree.parent});
        // The last child of a tree in preorder has most below it.
        for (const int child : tree.children | std::views::reverse)
            at(rounds, round + 1).leaving.push_back({block, child});
    }
    return rounds;
}

}  // namespace

Rounds chain(int position, int size, int blocks)
{
    return down(std::array{tree::chain(position, size)}, blocks);
}

Rounds binary(int position, int size, int blocks)
{
    return down(std::array{tree::binary(position, size)}, blocks);
}

Rounds two_tree(int position, int size, int blocks)
{
    return down(laneway::two_tree(position, size), blocks);
}

Rounds circulant(int position, int size, int blocks)
{
    Rounds rounds;
    if (position == 0)
        for (int block = 0; block < blocks; ++block)
            at(rounds, block).arriving.push_back({block, outside});
    const CirculantBroadcast schedule(position, size, blocks);
    for (int round = 0; round < schedule.rounds(); ++round) {
        const auto [sent, to, received, from] = schedule[round];
        if (received >= 0) at(rounds, round + 1).arriving.push_back({received, from});
        if (sent >= 0) at(rounds, round + 1).leaving.push_back({sent, to});
    }
    return rounds;
}

}  // namespace laneway::pipelined
