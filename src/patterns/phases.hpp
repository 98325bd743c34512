// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "containers/few.hpp"

/// How processes share out a message among them, in phases. In each, the processes of a group take over a part each
/// of the data that they have in common so far. Groups are of equal size, and members of one have taken over the same
/// before.
namespace laneway {

/// The processes of a group in the order of their parts, and which of them is the calling one.
struct Group {
    Few<int, 4> members;
    int place;

    int size() const { return static_cast<int>(members.size()); }
    int member(int at) const { return members[static_cast<std::size_t>(at)]; }

    /// Calls `body(from, to)` with the places of all others of the group, the next one first.
    template <class Body>
    void for_others(const Body& body) const
    {
        for (int distance = 1; distance < size(); ++distance)
            body((place - distance + size()) % size(), (place + distance) % size());
    }
};
using Phases = Few<Group, 4>;

using Factors = Few<int, 6>;

/// The prime factors of a number, ascending, each as often as it divides.
Factors prime_factors(int number);

/// The factors of a number, as few as factors up to `radix` allow, the largest first; larger ones where they are
/// prime.
Factors few_factors(int number, int radix);

/// Factors `radix` and a last smaller one. Their product is the largest such that does not exceed `size`.
Factors radix_factors(int size, int radix);
int product(const Factors& factors);

/// Phases of as many processes as the product of `factors`: groups of neighbours first, by the first factor. So a
/// group has in common the operands of a row of neighbours.
Phases near_first(int process, const Factors& factors);

/// Phases with groups of the processes that are farthest from each other first. So a process takes over the part of
/// its own number.
Phases far_first(int process, const Factors& factors);

/// Phases of pairs at the distances 1, 1, 3, 5, 11 ..., to alternating sides: few hops on a torus. `processes` is a
/// power of two.
Phases swing(int process, int processes);

/// The process that takes over part `part` of `parts`, a power of two, where pairs of neighbours come first. It is
/// also the part that process `part` takes over.
int mirrored(int part, int parts);

}  // namespace laneway
