// SPDX-License-Identifier: BSD-3-Clause
// Blocks that go the distance to their targets digit by digit, and the lengths that travel ahead of them.
#include "walks/digits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "cases/case.hpp"
#include "schedule/costs.hpp"
#include "simulate/record.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const Register each_once("each distance has one digit of each weight", [] {
    for (const int radix : {2, 3, 7})
        for (int size = 1; size < 70; ++size) {
            std::int64_t weight = 1;
            for (int round = 0; round < rounds_of_digits(radix, size); ++round, weight *= radix) {
                std::multiset<int> met;
                for (int digit = 0; digit < radix; ++digit)
                    for (const auto& [first, count] : distances_with(digit, weight, radix, size))
                        for (int distance = first; distance < first + count; ++distance) {
                            met.insert(distance);
                            EQUAL(distance / weight % radix, digit);
                        }
                EQUAL(met.size(), static_cast<std::size_t>(size));
                EQUAL(std::set<int>(met.begin(), met.end()).size(), met.size());
            }
        }
    EQUAL(rounds_of_digits(2, 1024), 10);
    EQUAL(rounds_of_digits(2, 1025), 11);
    EQUAL(rounds_of_digits(4, 1), 0);
});

const Register who_passes(
    "lengths before each round are those of the blocks that have come so far", [] {
        constexpr int radix = 3, size = 20;
        const auto length = [](int origin, int target) {
            return origin * std::int64_t{100} + target;
        };
        std::vector<std::vector<std::int64_t>> rows;
        for (int rank = 0; rank < size; ++rank)
            rows.push_back(lengths_by_digits(rank, size, radix, length));
        std::int64_t weight = 1;
        for (int round = 1; round < rounds_of_digits(radix, size); ++round, weight *= radix)
            for (int rank = 0; rank < size; ++rank)
                for (int distance = 1; distance < size; ++distance) {
                    const int come = static_cast<int>(distance / weight % radix * weight);
                    const int from = (rank - come + size) % size;
                    const auto at = [&](int of, int before) {
                        return rows[static_cast<std::size_t>(of)]
                                   [static_cast<std::size_t>(before * size + distance)];
                    };
                    EQUAL(at(rank, round), at(from, round - 1));
                }
    });

const Register ahead("lengths travel in a round less than blocks, eight bytes each", [] {
    for (const int radix : {2, 4, 32})
        for (const int size : {2, 5, 16, 33}) {
            const auto layout = layout_of(std::vector<int>(static_cast<std::size_t>(size), 1));
            const int rounds = rounds_of_digits(radix, size);
            const Schedule schedule = recorded(layout, [&](const Decomposition& on) {
                const Buffer all{symbolic::address(0), (rounds + 1) * std::int64_t{size},
                                 MPI_INT64_T, sizeof(std::int64_t)};
                tell_by_digits(all.slice(0, size), all.slice(size, rounds * std::int64_t{size}),
                               radix, on.world);
            });
            const Costs costs = costs_of(schedule, *layout, 1);
            EQUAL(costs.rounds, static_cast<std::uint32_t>(rounds - 1));
            TRUE(costs.process_bytes <= 8 * std::int64_t{size} * (rounds - 1));
        }
});

/// The costs of an alltoallv among 64 processes, of `mean` bytes a block on average.
Costs of_layout(const std::string& algorithm, BlockLayout::Shape shape, std::int64_t mean = 24)
{
    const auto layout = layout_of(std::vector<int>(64, 1));
    Job job{.collective = "alltoallv",
            .algorithm = algorithm,
            .count = mean,
            .type = MPI_BYTE,
            .root = 0,
            .saves_bytes = false,
            .layout = layout};
    job.blocks.shape = shape;
    return costs_of(record(job).schedule, *layout, 1);
}

const Register own_lengths(
    "blocks travel at their own lengths, and those that are long go straight", [] {
        using Shape = BlockLayout::Shape;
        const auto bytes = [](const std::string& algorithm, Shape shape) {
            return of_layout(algorithm, shape).process_bytes;
        };
        EQUAL(bytes("tuna(radix=2)", Shape::equal), bytes("bruck(radix=2)", Shape::equal));
        TRUE(2 * bytes("tuna(radix=2)", Shape::ramp) < 3 * bytes("tuna(radix=2)", Shape::equal));
        TRUE(3 * bytes("tuna(radix=2)", Shape::ramp) <
             2 * bytes("bruck(radix=2,longest=1K)", Shape::ramp));
        EQUAL(of_layout("tuna(radix=2)", Shape::ramp).rounds, 6U);
        EQUAL(of_layout("tuna(radix=8)", Shape::ramp).rounds, 2U);
        // Each block has more than a byte then.
        EQUAL(of_layout("tuna(longest=1)", Shape::ramp, 240).process_bytes,
              of_layout("sparse", Shape::ramp, 240).process_bytes);
        EQUAL(of_layout("tuna(longest=1)", Shape::sparse).rounds, 1U);
    });

}  // namespace
}  // namespace laneway::simulate
