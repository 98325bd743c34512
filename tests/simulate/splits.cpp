// SPDX-License-Identifier: BSD-3-Clause
// Rows of positions cut into parts, and these again.
#include "patterns/splits.hpp"

#include <cstddef>

#include "cases/case.hpp"

namespace laneway {
namespace {

using cases::Register;

/// The fewest rounds in which one reaches `size` others and itself, `most` times as many in each.
std::size_t fewest(int size, int most)
{
    std::size_t rounds = 0;
    for (int reached = 1; reached < size; reached *= most) ++rounds;
    return rounds;
}

const Register cuts("rows are cut evenly, and each position is alone after the fewest cuts", [] {
    for (int size = 1; size <= 300; ++size)
        for (const int most : {2, 3, 4, 5, 9, 65}) {
            std::size_t cuts = 0;
            for (int position = 0; position < size; ++position) {
                int first = 0, length = size;
                const auto all = splits(position, size, most);
                for (const Split& split : all) {
                    EQUAL(split.first, first);
                    EQUAL(split.size, length);
                    EQUAL(split.begin(split.parts), first + length);
                    TRUE(split.length(0) - split.length(split.parts - 1) <= 1);
                    first = split.begin(split.mine);
                    length = split.length(split.mine);
                    TRUE(first <= position && position < first + length);
                }
                EQUAL(length, 1);
                cuts = std::max(cuts, all.size());
            }
            EQUAL(cuts, fewest(size, most));
        }
});

}  // namespace
}  // namespace laneway
