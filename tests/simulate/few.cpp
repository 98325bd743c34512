// SPDX-License-Identifier: BSD-3-Clause
// Rows that have room for few elements in themselves are rows like others, however long they become.
#include "containers/few.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "cases/case.hpp"
#include "data/partition.hpp"

namespace laneway {
namespace {

using cases::Register;
using Row = Few<int, 3>;

Row row(int length)
{
    Row made;
    for (int element = 0; element < length; ++element) made.push_back(element);
    return made;
}

std::vector<int> all(const Row& row) { return {row.begin(), row.end()}; }

std::vector<int> expected(int first, int last)
{
    std::vector<int> made(static_cast<std::size_t>(last - first));
    std::iota(made.begin(), made.end(), first);
    return made;
}

const Register grows("it has what was put in, be that more than there is room for", [] {
    for (int length = 0; length < 10; ++length) {
        const Row made = row(length);
        TRUE(all(made) == expected(0, length));
        EQUAL(made.size(), static_cast<std::size_t>(length));
        EQUAL(made.empty(), length == 0);
        if (length > 0) EQUAL(made.back(), length - 1);
        if (length > 0) EQUAL(made.front(), 0);
    }
    TRUE(all(Row{4, 5}) == std::vector<int>({4, 5}));
    TRUE(all(Row(std::size_t{5}, 7)) == std::vector<int>(5, 7));
});

const Register copies("a copy is another one, and what was moved elsewhere is empty", [] {
    for (int length = 0; length < 10; ++length) {
        Row first = row(length);
        Row copy = first;
        copy.push_back(99);
        TRUE(all(first) == expected(0, length));
        const Row moved = std::move(copy);
        EQUAL(moved.size(), static_cast<std::size_t>(length) + 1);
        TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): that is what is claimed
        first = row(9 - length);
        TRUE(all(first) == expected(0, 9 - length));
        first = moved;
        EQUAL(first.back(), 99);
    }
});

const Register shrinks("elements go from either end, and others come after that", [] {
    for (int length = 0; length < 10; ++length)
        for (int gone = 0; gone <= length; ++gone) {
            Row front = row(length), back = row(length);
            front.drop_front(static_cast<std::size_t>(gone));
            TRUE(all(front) == expected(gone, length));
            front.push_back(length);
            TRUE(all(front) == expected(gone, length + 1));
            back.shrink(static_cast<std::size_t>(length - gone));
            TRUE(all(back) == expected(0, length - gone));
            back.clear();
            for (int element = 0; element < 5; ++element) back.push_back(element);
            TRUE(all(back) == expected(0, 5));
        }
});

const Register erases("those that a predicate picks go, the others stay in their order", [] {
    for (const int length : {3, 8}) {
        Row odd = row(length);
        erase_if(odd, [](int element) { return element % 2 == 0; });
        TRUE(all(odd) == (length == 3 ? std::vector<int>{1} : std::vector<int>{1, 3, 5, 7}));
    }
});

const Register even_blocks("near-equal blocks are those of their sizes", [] {
    for (int count = 0; count < 20; ++count)
        for (int parts = 1; parts < 12; ++parts) {
            std::vector<std::int64_t> sizes;
            for (int part = 0; part < parts; ++part)
                sizes.push_back(count / parts + (part < count % parts));
            const Partition even(count, parts), given(sizes);
            EQUAL(even.parts(), given.parts());
            EQUAL(even.count(), given.count());
            for (int part = 0; part <= parts + 1; ++part) {
                EQUAL(even.first(part), given.first(part));
                EQUAL(even.size(part), given.size(part));
                EQUAL(even.slice(part / 2, 3).first(2), given.slice(part / 2, 3).first(2));
            }
        }
});

}  // namespace
}  // namespace laneway
