// SPDX-License-Identifier: BSD-3-Clause
// Messages of several blocks, cut at any element.
#include "data/stretches.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

std::array<int, 100> memory{};

Buffer all() { return Buffer::of(memory.data(), 100, MPI_INT); }

const Register joined("blocks that follow each other in memory are one stretch, empty ones none",
                      [] {
                          const Partition blocks(std::vector<std::int64_t>{10, 0, 20, 30, 40});
                          int stretches = 0;
                          const Stretches some(all(), blocks, std::vector{2, 1, 3, 0});
                          some.for_each([&](const Buffer& stretch) {
                              EQUAL(stretch.count, stretches == 0 ? 50 : 10);
                              TRUE(stretch.data == (stretches == 0 ? &memory[10] : memory.data()));
                              ++stretches;
                          });
                          EQUAL(stretches, 2);
                          EQUAL(some.count(), 60);
                          EQUAL(Stretches(all(), blocks, std::vector{1}).count(), 0);
                      });

const Register cut("stretches are cut at any element; what lies in one needs no datatype", [] {
    const Partition blocks(all().count, 20);
    const Stretches some(all(), blocks, std::vector{7, 3, 4, 19, 0});
    const std::array<int, 5> places{35, 15, 20, 95, 0};
    for (std::int64_t start = 0; start < some.count(); ++start)
        for (std::int64_t length = 1; start + length <= some.count(); ++length) {
            const auto [buffer, type] = some.slice(start, length);
            // The second and the third of the five blocks are one stretch.
            const auto stretch = [](std::int64_t at) { return at / 5 == 2 ? 1 : at / 5; };
            const bool is_one = stretch(start) == stretch(start + length - 1);
            EQUAL(type.has_value(), !is_one);
            EQUAL(buffer.count * size_of(buffer.type), length * 4);
            const auto first = places[static_cast<std::size_t>(start / 5)] + start % 5;
            TRUE(buffer.data ==
                 (is_one ? &memory[static_cast<std::size_t>(first)] : memory.data()));
        }
});

}  // namespace
}  // namespace laneway::simulate
