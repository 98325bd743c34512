// SPDX-License-Identifier: BSD-3-Clause
// Pipelined broadcasts, as all of their positions see them.
#include "patterns/pipelined.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cases/case.hpp"

namespace laneway::pipelined {
namespace {

using cases::Register;

bool has(const std::vector<Transfer>& transfers, int block, int peer)
{
    return std::ranges::any_of(transfers, [&](const Transfer& transfer) {
        return transfer.block == block && transfer.peer == peer;
    });
}

/// Every position gets every block once, from one that got it in an earlier round, or from outside.
void reaches_everyone(Pattern pattern, int size, int blocks)
{
    std::vector<Rounds> all;
    std::size_t rounds = 0;
    for (int position = 0; position < size; ++position) {
        all.push_back(pattern(position, size, blocks));
        rounds = std::max(rounds, all.back().size());
    }
    for (Rounds& own : all) own.resize(rounds);

    std::vector<std::vector<bool>> known(
        static_cast<std::size_t>(size), std::vector<bool>(static_cast<std::size_t>(blocks), false));
    for (std::size_t round = 0; round < rounds; ++round) {
        for (int position = 0; position < size; ++position) {
            const auto index = static_cast<std::size_t>(position);
            for (const auto [block, to] : all[index][round].leaving) {
                TRUE(known[index][static_cast<std::size_t>(block)]);
                TRUE(has(all[static_cast<std::size_t>(to)][round].arriving, block, position));
            }
        }
        for (int position = 0; position < size; ++position) {
            const auto index = static_cast<std::size_t>(position);
            for (const auto [block, from] : all[index][round].arriving) {
                EQUAL(from == outside, position == 0);
                TRUE(from == outside ||
                     has(all[static_cast<std::size_t>(from)][round].leaving, block, position));
                TRUE(!known[index][static_cast<std::size_t>(block)]);
                known[index][static_cast<std::size_t>(block)] = true;
            }
        }
    }
    for (const auto& own : known) TRUE(std::ranges::all_of(own, [](bool one) { return one; }));
}

const Register everyone("pipelined broadcasts give everyone every block once, in turn", [] {
    for (const Pattern pattern : {chain, binary, two_tree, circulant})
        for (int size = 1; size <= 40; ++size)
            for (const int blocks : {1, 2, 3, 8, 13}) reaches_everyone(pattern, size, blocks);
});

/// Most blocks that a position sends, or receives, in a round.
std::pair<std::size_t, std::size_t> most_at_once(Pattern pattern, int size, int blocks)
{
    std::pair<std::size_t, std::size_t> most;
    for (int position = 0; position < size; ++position)
        for (const auto& [arriving, leaving] : pattern(position, size, blocks)) {
            most.first = std::max(most.first, leaving.size());
            most.second = std::max(most.second, arriving.size());
        }
    return most;
}

const Register at_once(
    "a position sends and receives as many blocks in a round as its pattern says", [] {
        for (const int size : {5, 8, 13}) {
            EQUAL(most_at_once(chain, size, 9), std::pair(std::size_t{1}, std::size_t{1}));
            EQUAL(most_at_once(binary, size, 9), std::pair(std::size_t{2}, std::size_t{1}));
            EQUAL(most_at_once(two_tree, size, 9), std::pair(std::size_t{2}, std::size_t{2}));
            EQUAL(most_at_once(circulant, size, 9), std::pair(std::size_t{1}, std::size_t{1}));
        }
    });

}  // namespace
}  // namespace laneway::pipelined
